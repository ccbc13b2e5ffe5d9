// Puts a fragment where it belongs without throwing the page about: elements with the same id glide to
// their new place, the focused one keeps the focus, and folds that were open stay open.
import { announce } from "./announce.js";
import { holding } from "./focus.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");

function boxes(root) {
  return new Map([...root.querySelectorAll("[id]")].map((e) => [e.id, e.getBoundingClientRect()]));
}

function glide(root, before) {
  if (still.matches) return;
  for (const element of root.querySelectorAll("[data-glides][id]")) {
    const from = before.get(element.id);
    const to = element.getBoundingClientRect();
    if (!from) {
      element.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 120 });
    } else if (Math.abs(from.left - to.left) + Math.abs(from.top - to.top) > 1) {
      element.animate(
        [{ transform: `translate(${from.left - to.left}px, ${from.top - to.top}px)` }, { transform: "none" }],
        { duration: 140, easing: "ease-out" },
      );
    }
  }
}

export function place(target, html) {
  if (target.dataset.holds === html) return;
  const before = boxes(target);
  const refocus = holding(target);
  const open = new Set([...target.querySelectorAll("details[open][id]")].map((e) => e.id));
  const fragment = document.createRange().createContextualFragment(html);
  for (const script of fragment.querySelectorAll("script:not([type='application/json'])")) script.remove();
  target.replaceChildren(fragment);
  for (const id of open) document.getElementById(id)?.setAttribute("open", "");
  globalThis.htmx?.process(target);
  refocus();
  glide(target, before);
}

/** Exchange the elements with these ids for those in a page's HTML; what is not in it stays. */
export function exchange(html, ids) {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const id of ids) {
    const old = document.getElementById(id);
    const fresh = page.getElementById(id);
    if (!old || !fresh) continue;
    const refocus = holding(old);
    const adopted = document.adoptNode(fresh);
    old.replaceWith(adopted);
    globalThis.htmx?.process(adopted);
    refocus();
    announce(adopted.querySelector("[data-announce], [role=alert]")?.dataset.announce);
  }
  document.dispatchEvent(new CustomEvent("mirror-exchanged"));
}
