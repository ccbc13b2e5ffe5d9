// Keys of the whole page. "g" and then another letter goes where a link or button with data-keys="g s" leads; Ctrl-K or ⌘-K
// opens the palette, "/" the search of the page, "?" the list of keys. Letters work while nothing is typed.
const WAIT_MS = 1_200;
let first = "";
let timer = 0;

function types(target) {
  return target.isContentEditable || target.matches("input, textarea, select") || document.querySelector("dialog[open]");
}

/** Follow a link in a dialog of its own, or as a link where that does not come. */
async function open(link) {
  if (!link) return;
  document.querySelector("[popover]:popover-open")?.hidePopover();
  try {
    const { openPalette, openKeys } = await import("./palette.js");
    await (link.dataset.palette === "keys" ? openKeys : openPalette)(link.href);
  } catch { location.assign(link.href); }
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-palette]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  void open(link);
});

document.addEventListener("keydown", (event) => {
  // On a Mac Ctrl-K deletes to the end of the line, in every field.
  const withCommand = /Mac|iP/.test(navigator.platform) ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (withCommand && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
    event.preventDefault();
    if (!document.querySelector("dialog[open]:not(#palette)")) void open(document.querySelector("[data-palette=places]"));
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1 || types(event.target)) return;
  const found = first && document.querySelector(`[data-keys="${CSS.escape(first)} ${CSS.escape(event.key)}"]`);
  clearTimeout(timer);
  first = event.key === "g" && !found ? "g" : "";
  if (first) timer = setTimeout(() => { first = ""; }, WAIT_MS);
  const search = event.key === "/" && document.querySelector("#main input[type=search]");
  if (found || search || event.key === "?") event.preventDefault();
  if (found) found.click();
  else if (search) { search.focus(); search.select(); }
  else if (event.key === "?") void open(document.querySelector("[data-palette=keys]"));
});
