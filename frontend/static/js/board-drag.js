// Cards of a dashboard are dragged by their handle and sized by their corner, as an addition to buttons and keys. A drag
// changes only its order in the grid of the page; the board sends and keeps the result. Escape cancels.
import { announce } from "./announce.js";
import { gettext } from "./words.js";

// A press that moves less is a click.
const STILL = 5;
const EDGE = 60;
const STEP = 14;
const [COLUMNS, NARROWEST, TALLEST] = [12, 2, 10];
const between = (least, value, most) => Math.max(least, Math.min(most, value));

export function dragging(board) {
  const grip = () => { for (const card of board.querySelectorAll(".card:not(:has(> .card-grip))")) card.append(corner()); };
  grip();
  new MutationObserver(grip).observe(board, { childList: true });
  board.addEventListener("pointerdown", (event) => {
    const handle = event.target.closest("[data-handle], .card-grip");
    if (handle && event.button === 0) follow(board, handle, event);
  });
}

function corner() {
  const grip = document.createElement("span");
  grip.className = "card-grip";
  grip.setAttribute("aria-hidden", "true");
  return grip;
}

function follow(board, handle, start) {
  const card = handle.closest("[data-card]");
  const isSize = handle.matches(".card-grip");
  const cards = [...board.querySelectorAll("[data-card]")];
  const from = cards.indexOf(card);
  const before = [Number(card.style.getPropertyValue("--w")), Number(card.style.getPropertyValue("--h"))];
  const style = getComputedStyle(board);
  const wide = (board.clientWidth + parseFloat(style.columnGap)) / COLUMNS;
  const high = parseFloat(style.gridAutoRows) + parseFloat(style.rowGap);
  let [to, size, moves] = [from, before, false];
  if (isSize) start.preventDefault();
  handle.setPointerCapture(start.pointerId);

  const arrange = () => {
    const order = cards.toSpliced(from, 1).toSpliced(to, 0, card);
    for (const [place, one] of order.entries()) one.style.order = place;
  };
  const resize = () => { card.style.setProperty("--w", size[0]); card.style.setProperty("--h", size[1]); };
  const move = (event) => {
    const [x, y] = [event.clientX - start.clientX, event.clientY - start.clientY];
    moves ||= Math.hypot(x, y) > STILL;
    if (!moves) return;
    card.toggleAttribute("data-dragged", true);
    if (event.clientY < EDGE) scrollBy(0, -STEP);
    if (event.clientY > innerHeight - EDGE) scrollBy(0, STEP);
    if (isSize) {
      size = [between(NARROWEST, Math.round(before[0] + x / wide), COLUMNS), between(1, Math.round(before[1] + y / high), TALLEST)];
      resize();
      return;
    }
    const over = document.elementsFromPoint(event.clientX, event.clientY).map((one) => one.closest("[data-card]")).find((one) => one && one !== card && board.contains(one));
    if (!over) return;
    // Beyond the middle of a card that it comes upon, so that two cards of different size do not change places to and fro.
    const box = over.getBoundingClientRect();
    const place = Number(over.style.order || cards.indexOf(over));
    const isBeyond = (event.clientX > box.left + box.width / 2) || (event.clientY > box.top + box.height / 2);
    if (place > to && isBeyond) to = place;
    else if (place < to && !(event.clientX > box.left + box.width / 2 && event.clientY > box.top + box.height / 2)) to = place;
    else return;
    arrange();
  };
  const end = (isKept) => {
    for (const [name, told] of listeners) removeEventListener(name, told, true);
    card.removeAttribute("data-dragged");
    for (const one of cards) one.style.order = "";
    const isOther = isSize ? size.some((side, n) => side !== before[n]) : to !== from;
    if (isKept && moves && isOther) { void board.dragged(card, isSize ? `size ${size.join(" ")}` : `place ${to + 1}`, to); return; }
    size = before;
    if (isSize) resize();
    if (moves) announce(gettext("{card} stays where it was", { card: card.querySelector("h2")?.textContent ?? gettext("The card") }));
  };
  const listeners = [
    ["pointermove", move],
    ["pointerup", () => end(true)],
    ["pointercancel", () => end(false)],
    ["keydown", (event) => { if (event.key === "Escape") { event.preventDefault(); event.stopPropagation(); end(false); } }],
  ];
  for (const [name, told] of listeners) addEventListener(name, told, true);
}
