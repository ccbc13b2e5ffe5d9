// The focus stays where somebody works. Its element may be exchanged, switched off for a while or left behind by a new
// page: then the same element takes it again, else the nearest one around it, and the button that opened a dialog after it.
const KEY = "mirror-focus";
// Longer ago than this a page was left for another reason.
const RECENT_MS = 30_000;
let back = null;
let folds = [];

const isLost = () => !document.activeElement || document.activeElement === document.body;

/** Selectors of an element and of what it stands in, from the inside out. */
function around(element) {
  const found = [];
  for (let one = element; one && one !== document.body && one.id !== "main"; one = one.parentElement) {
    if (one.matches("dialog")) found.push(`[data-opens="${CSS.escape(one.id)}"]`);
    else if (one.id) found.push(`#${CSS.escape(one.id)}`);
  }
  return found;
}

/** Whether an element has the focus now; what takes none by itself is made to. */
function took(element, options) {
  element.focus(options);
  if (document.activeElement === element) return true;
  if (element.matches("input, select, textarea, button, a[href], summary")) return false;
  element.tabIndex = -1;
  element.dataset.landed = "";
  element.focus(options);
  return document.activeElement === element;
}

/** Give the focus to the first of these places that is there to be seen. */
export function land(places, options = { preventScroll: true }) {
  for (const place of places) {
    const found = document.querySelector(place);
    const target = found?.matches("details:not([open])") ? found.querySelector("summary") : found;
    if (!target || !target.checkVisibility() || target.closest("[aria-hidden=true]")) continue;
    // It is switched on again when its request has ended.
    if (target.matches(":disabled") || took(target, options)) return;
  }
}

/** Remember where the focus is in what goes away; the function given back puts it there again, if it fell. */
export function holding(leaving) {
  const places = leaving.contains(document.activeElement) ? around(document.activeElement) : null;
  return () => { if (places && isLost()) land(places); };
}

/** The page that comes next begins at one of these places; only the page of the same address, where `here` says so. */
export function landNext(places, here = false) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ places, path: here ? location.pathname : "", at: Date.now() }));
  } catch { /* the page begins at its top */ }
}

function arrive() {
  let next = null;
  try {
    next = JSON.parse(sessionStorage.getItem(KEY));
    sessionStorage.removeItem(KEY);
  } catch { return; }
  if (!next || Date.now() - next.at > RECENT_MS || (next.path && next.path !== location.pathname) || !(isLost() || document.activeElement.autofocus)) return;
  // A field that was not taken goes before one that the page names, which the browser may focus later.
  const seen = (those) => [...document.querySelectorAll(those)].find((one) => one.checkVisibility());
  const named = seen("#main [aria-invalid=true]") ?? seen("[autofocus]");
  if (named) { named.focus(); return; }
  // A message at the top of a page is not scrolled away. A field that was not taken is shown wherever it stands, and so is all of a
  // page whose address names a part further down. The browser scrolls there once the page has loaded, and takes the focus away.
  const isShown = (place) => location.hash || place.includes("[aria-invalid") || (document.querySelector(place)?.getBoundingClientRect().top ?? 0) < innerHeight;
  const begin = () => { if (isLost()) land(next.places.filter(isShown), { preventScroll: !location.hash }); };
  if (location.hash && document.readyState !== "complete") addEventListener("load", () => requestAnimationFrame(begin), { once: true });
  else begin();
}

function keep() {
  const element = document.activeElement;
  if (isLost()) return;
  back = { places: around(element), from: element.selectionStart, to: element.selectionEnd };
}

function restore() {
  for (const fold of folds) document.getElementById(fold)?.setAttribute("open", "");
  folds = [];
  const held = back;
  if (!held || !isLost()) return;
  land(held.places);
  back = held;
  const element = document.activeElement;
  if (element.matches("input:not([type=checkbox]), textarea") && typeof held.from === "number") element.setSelectionRange(held.from, held.to);
}

// A button that is switched off while its request is under way loses the focus, as one that is exchanged does.
document.addEventListener("htmx:beforeRequest", keep);
document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  keep();
  folds = [...(detail.target?.querySelectorAll?.("details[open][id]:not(.menu)") ?? [])].map(({ id }) => id);
});
for (const name of ["htmx:afterSwap", "htmx:afterSettle", "htmx:afterRequest"]) document.addEventListener(name, restore);
document.addEventListener("htmx:beforeOnLoad", ({ detail }) => {
  if (back && detail.xhr.getResponseHeader("HX-Redirect")) landNext(back.places, true);
});
// Somebody went elsewhere meanwhile.
for (const name of ["focusin", "pointerdown"]) document.addEventListener(name, () => { back = null; });

document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.method !== "post") return;
  const { lands } = event.target.dataset;
  if (lands) landNext(["#main [aria-invalid=true]", lands]);
  else landNext(around(event.submitter ?? document.activeElement), true);
});

arrive();
