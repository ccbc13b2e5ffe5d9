// A menu for a value of a card: set a parameter of the dashboard to it, or filter the other cards by it. It closes by Escape, or a
// press beside it, and the focus goes back to where it was.
import { announce } from "./announce.js";
import { gettext } from "./words.js";
const GAP = 6;
let menu;

/** Offer `items` (words, and what they do) beside a box of the page; `back` gets the focus when one is chosen or none. */
export function offer(items, box, back) {
  menu?.remove();
  menu = document.createElement("div");
  menu.className = "grid-menu";
  menu.popover = "auto";
  menu.setAttribute("role", "menu");
  menu.setAttribute("aria-label", gettext("What to do with this value"));
  for (const { words, act } of items) {
    const item = document.createElement("button");
    item.type = "button";
    item.className = "menu-item";
    item.setAttribute("role", "menuitem");
    item.tabIndex = -1;
    item.textContent = words;
    item.addEventListener("click", () => { menu.hidePopover(); act(); });
    menu.append(item);
  }
  const own = menu;
  own.addEventListener("keydown", walked);
  own.addEventListener("toggle", ({ newState }) => { if (newState === "closed") { own.remove(); if (!document.activeElement || document.activeElement === document.body) back?.focus({ preventScroll: true }); } });
  (back?.closest("main") ?? document.body).append(own);
  own.showPopover();
  const { width, height } = own.getBoundingClientRect();
  // A gutter kept for the scroll bar is no room: what stands in it is cut.
  const edge = Math.min(document.documentElement.clientWidth, document.body.getBoundingClientRect().right);
  own.style.left = `${Math.max(GAP, Math.min(edge - width - GAP, box.left))}px`;
  own.style.top = `${box.bottom + GAP + height < innerHeight ? box.bottom + GAP : Math.max(GAP, box.top - GAP - height)}px`;
  own.firstElementChild.focus({ preventScroll: true });
}

/** Say on a card, for eyes and ears, why a press on its point did nothing. */
export function tell(card) {
  const words = gettext("A click on a value filters the other cards by it, or fills a field above. Nothing here can be filtered by this one. The card's title leads to its rows.");
  let place = card.querySelector("[data-told]");
  if (!place) {
    place = document.createElement("p");
    place.className = "card-crossed small";
    place.dataset.told = "";
    card.querySelector(".card-body").before(place);
  }
  place.textContent = words;
  announce(words);
}

function walked(event) {
  const items = [...menu.children];
  const at = items.indexOf(document.activeElement);
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 }[event.key];
  if (event.key === "Tab") menu.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  items[(next + items.length) % items.length].focus();
}
