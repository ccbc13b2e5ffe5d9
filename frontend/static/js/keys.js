// Keys of two letters: "g" and then another goes where a link or button with data-keys="g s" leads. Not while one types.
const WAIT_MS = 1_200;
let first = "";
let timer = 0;

function types(target) {
  return target.isContentEditable || target.matches("input, textarea, select") || document.querySelector("dialog[open]");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1 || types(event.target)) return;
  const found = first && document.querySelector(`[data-keys="${CSS.escape(first)} ${CSS.escape(event.key)}"]`);
  clearTimeout(timer);
  first = event.key === "g" && !found ? "g" : "";
  if (first) timer = setTimeout(() => { first = ""; }, WAIT_MS);
  if (!found) return;
  event.preventDefault();
  found.click();
});
