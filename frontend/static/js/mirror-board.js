// <mirror-board now>: the cards of a dashboard. Cards whose rows are on their way are asked for, all in one request, until they
// are there. Changed values of the form above reload only the cards they feed, and stand in the address. With `editing` the buttons
// of a card move and size it where it stands. A value that is chosen on a card filters the others, and stands in the address too.
// Where a parameter takes it, a menu offers to set that instead. With `presents` the cards stand alone. With `reloads` the page comes anew once its card has its rows.
import { announce } from "./announce.js";
import { gettext } from "./words.js";

const POLL_MS = 700;
const LATER_MS = 2500;
const AGAIN_MS = 60_000;
// After so many looks the rows take long, and looks are fewer.
const OFTEN = 20;
const KEYS = { ArrowLeft: "earlier", ArrowUp: "earlier", ArrowRight: "later", ArrowDown: "later" };
const SHIFTED = { ArrowLeft: "narrower", ArrowUp: "shorter", ArrowRight: "wider", ArrowDown: "taller" };
const OPPOSITE = { earlier: "previousElementSibling", later: "nextElementSibling" };

class MirrorBoard extends HTMLElement {
  connectedCallback() {
    this.looks = 0;
    this.shown = new Map();
    this.form = document.querySelector("form[data-values]");
    this.form?.addEventListener("submit", (event) => this.changed(event));
    this.form?.addEventListener("change", (event) => this.changed(event));
    this.leave = () => location.reload();
    addEventListener("popstate", this.leave);
    this.sent = (event) => this.submitted(event);
    document.addEventListener("submit", this.sent);
    this.addEventListener("keydown", (event) => this.pressed(event));
    this.picked = (event) => this.clicked(event);
    document.addEventListener("click", this.picked);
    this.addEventListener("mirror-point", (event) => this.pointed(event));
    this.screen = (event) => this.screened(event);
    for (const name of ["keydown", "fullscreenchange"]) document.addEventListener(name, this.screen);
    if (this.hasAttribute("editing")) void import("./board-drag.js").then(({ dragging }) => dragging(this));
    this.rove();
    this.schedule();
    this.wait();
  }

  disconnectedCallback() {
    clearTimeout(this.timer);
    removeEventListener("popstate", this.leave);
    document.removeEventListener("submit", this.sent);
    document.removeEventListener("click", this.picked);
    for (const name of ["keydown", "fullscreenchange"]) document.removeEventListener(name, this.screen);
    clearInterval(this.again);
  }

  cards(which) {
    return [...this.querySelectorAll(`[data-card]${which}`)].map((card) => card.dataset.card);
  }

  wait() {
    clearTimeout(this.timer);
    if (!this.cards("[data-working]").length) return;
    this.looks += 1;
    this.timer = setTimeout(() => this.look(this.cards("[data-working]")), this.looks > OFTEN ? LATER_MS : POLL_MS);
  }

  // Ask how these cards stand, and exchange those that stand otherwise than they did.
  async look(ids) {
    const asked = new URLSearchParams(location.search);
    asked.set("only-cards", ids.join(","));
    if (this.hasAttribute("editing")) asked.set("is-editing", "1");
    try {
      const reply = await fetch(`${this.getAttribute("now")}?${asked}`, { headers: { "X-Requested-With": "mirror-board" } });
      if (reply.redirected) return location.reload(); // signed out meanwhile
      if (reply.status === 404) return location.reload();
      if (reply.ok) this.exchange(new DOMParser().parseFromString(await reply.text(), "text/html"), ids);
    } catch { /* the server is away: asked again below */ }
    this.wait();
    return undefined;
  }

  exchange(page, ids) {
    for (const problem of page.querySelectorAll("[id^='value-problem-']")) {
      const old = document.getElementById(problem.id);
      if (!old || old.innerHTML === problem.innerHTML) continue;
      old.replaceChildren(...document.adoptNode(problem).childNodes);
      document.getElementById(problem.id.replace("value-problem-", "value-"))?.setAttribute("aria-invalid", String(old.childElementCount > 0));
    }
    const [were, are] = [document.getElementById("board-where"), page.getElementById("board-where")];
    const said = were && are && were.innerHTML !== are.innerHTML;
    if (said) {
      const isFocused = were.contains(document.activeElement);
      were.replaceChildren(...document.adoptNode(are).childNodes);
      announce(were.querySelector("[data-said]")?.textContent ?? gettext("All rows are shown"));
      if (isFocused) (were.querySelector("a") ?? this.querySelector("a, button"))?.focus({ preventScroll: true });
    }
    for (const id of ids) {
      const [old, fresh] = [document.getElementById(`card-${id}`), page.getElementById(`card-${id}`)];
      if (!fresh) { old?.removeAttribute("data-working"); continue; }
      if (this.hasAttribute("reloads") && !("working" in fresh.dataset)) { location.reload(); return; }
      const html = fresh.outerHTML;
      if (!old || this.shown.get(id) === html) continue;
      this.shown.set(id, html);
      const waited = old.hasAttribute("data-working");
      const focused = old.contains(document.activeElement) ? document.activeElement : null;
      const row = focused ? [...old.querySelectorAll(".pick")].indexOf(focused) : -1;
      if (figure(old) && figure(old) === figure(fresh)) renew(old, document.adoptNode(fresh));
      else {
        old.replaceWith(document.adoptNode(fresh));
        if (focused) (document.getElementById(focused.id) || fresh.querySelectorAll(".pick")[row] || fresh.querySelector("a, button"))?.focus({ preventScroll: true });
      }
      if (!said && waited && !("working" in fresh.dataset)) announce(gettext("{card} is there", { card: fresh.querySelector("h2")?.textContent ?? gettext("A card") }));
    }
    this.rove();
    this.age();
  }

  // One choice of a table is a stop of the Tab key; arrow keys reach the others.
  rove() {
    for (const table of this.querySelectorAll(".card-rows")) {
      const picks = [...table.querySelectorAll(".pick")];
      const first = picks.find((pick) => pick === document.activeElement) ?? picks[0];
      for (const pick of picks) pick.tabIndex = pick === first ? 0 : -1;
    }
  }

  clicked(event) {
    const link = event.target.closest("a[data-where], a[data-screen]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || this.hasAttribute("reloads")) return;
    event.preventDefault();
    if (link.matches("[data-screen]")) { this.present(!this.hasAttribute("presents")); return; }
    const asked = new URL(link.href).searchParams;
    const card = link.closest("[data-sets]");
    const column = link.closest("td")?.cellIndex;
    const prefix = card && JSON.parse(card.dataset.picks ?? "{}")[column];
    const text = prefix && asked.getAll("where").find((one) => one.startsWith(prefix))?.slice(prefix.length);
    if (text && !link.hasAttribute("aria-current") && this.offered(card, [[column, text]], asked, link.getBoundingClientRect(), link)) return;
    this.go(asked);
  }

  // "f" shows the cards alone, and Escape leaves that; a browser that fills its screen leaves by itself.
  screened(event) {
    const presents = this.hasAttribute("presents");
    if (event.type === "fullscreenchange") { if (presents && !document.fullscreenElement) this.present(false); return; }
    if (!document.querySelector("[data-screen]") || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "f" || (event.key === "Escape" && presents)) this.present(!presents);
  }

  present(isOn) {
    this.toggleAttribute("presents", isOn);
    this.choose(new URLSearchParams(location.search), []);
    if (isOn) document.documentElement.requestFullscreen?.().catch(() => undefined);
    else if (document.fullscreenElement) void document.exitFullscreen();
    this.schedule();
    document.dispatchEvent(new Event("mirror-theme")); // charts are drawn in the type of the page
    [...document.querySelectorAll("[data-screen]")].find((link) => link.checkVisibility())?.focus({ preventScroll: true });
    announce(isOn ? gettext("Full screen; Escape leaves it") : gettext("Full screen left"));
  }

  // Rows of a dashboard with a schedule are read anew by the server; a page that is not touched shows them within a minute.
  schedule() {
    clearInterval(this.again);
    if (this.hasAttribute("presents") && this.hasAttribute("scheduled")) {
      this.again = setInterval(() => this.look(this.cards(":not(.card-text)")), AGAIN_MS);
    }
  }

  /** A point of a chart was chosen: its values filter the other cards, or no longer do; where a parameter takes one, a menu offers both. */
  pointed({ target, detail: { values, box } }) {
    const card = target.closest("[data-picks], [data-sets]");
    const filter = this.filtered(card, values);
    if (this.offered(card, values, filter, box, target.place)) return;
    if (filter) this.choose(filter);
    else void import("./board-set.js").then(({ tell }) => tell(card));
  }

  /** The address with these values of a card as filters, or without them where they are; null where they filter no other card. */
  filtered(card, values) {
    const picks = JSON.parse(card.dataset.picks ?? "{}");
    const asked = new URLSearchParams(location.search);
    let is = false;
    for (const [column, text] of values) {
      const prefix = picks[column];
      if (!prefix) continue;
      is = true;
      const before = asked.getAll("where");
      asked.delete("where");
      for (const one of before) if (!one.startsWith(prefix)) asked.append("where", one);
      if (!before.includes(prefix + text)) asked.append("where", prefix + text);
    }
    return is ? asked : null;
  }

  /** Offer to set the parameters that take one of these values of a card; false where none does. */
  offered(card, values, filter, box, back) {
    const sets = JSON.parse(card.dataset.sets ?? "{}");
    const items = [];
    for (const [column, text] of values) {
      const value = /^==? ([^]+)/.exec(text)?.[1].trim();
      for (const [name, label] of value ? sets[column] ?? [] : []) {
        const asked = new URLSearchParams(location.search);
        const is = asked.get(name) === value;
        if (is) asked.delete(name); else asked.set(name, value);
        items.push({ words: is ? gettext("Clear {filter}", { filter: label }) : gettext("Set {filter} to {value}", { filter: label, value }), act: () => this.go(asked) });
      }
    }
    if (!items.length) return false;
    if (filter) {
      const [before, after] = [location.search, `?${filter}`].map((search) => new URLSearchParams(search).getAll("where").length);
      items.push({ words: after < before ? gettext("No longer filter the other cards") : gettext("Filter the other cards by it"), act: () => this.choose(filter) });
    }
    void import("./board-set.js").then(({ offer }) => offer(items, box, back));
    return true;
  }

  /** Show what another address says: where values alone differ, the cards that they feed and no others are asked for. */
  go(asked) {
    const before = new URLSearchParams(location.search);
    const fields = [...(this.form?.elements ?? [])].filter(({ name, type }) => name && type !== "hidden" && type !== "submit");
    const differ = fields.filter(({ name }) => (before.get(name) ?? "") !== (asked.get(name) ?? "")).map(({ name }) => name);
    for (const field of fields) field.value = asked.get(field.name) ?? "";
    const wheres = [before, asked].map((one) => one.getAll("where").join("\n"));
    if (!differ.length || wheres[0] !== wheres[1]) { this.choose(asked); return; }
    this.address(asked);
    this.begin(this.fed(differ));
  }

  fed(names) {
    return [...this.querySelectorAll("[data-card]")].filter((card) => card.dataset.fed.split(" ").some((name) => names.includes(name)));
  }

  choose(asked, cards = [...this.querySelectorAll("[data-card]:not(.card-text)")]) {
    if (this.hasAttribute("presents")) asked.set("full-screen", "1");
    else asked.delete("full-screen");
    this.address(asked);
    if (cards.length) this.begin(cards);
  }

  address(asked) {
    history.pushState(null, "", `${location.pathname}${asked.size ? `?${asked}` : ""}`);
    for (const carrier of document.querySelectorAll("[data-carries]")) {
      const where = carrier instanceof HTMLFormElement ? "action" : "href";
      carrier.setAttribute(where, `${carrier.getAttribute(where).split("?")[0]}${location.search}`);
    }
  }

  // The page's own time of data is that of its oldest card.
  age() {
    const head = document.querySelector("time[data-oldest]");
    const oldest = [...this.querySelectorAll(".card-foot time")].sort((one, other) => Date.parse(one.dateTime) - Date.parse(other.dateTime))[0];
    if (!head || !oldest || head.dateTime === oldest.dateTime) return;
    const fresh = oldest.cloneNode(true);
    fresh.dataset.oldest = "";
    head.replaceWith(fresh);
  }

  /** Show other values: they go to the address, and only cards that they feed are asked for. */
  changed(event) {
    event.preventDefault();
    if (this.hasAttribute("reloads")) { if (event.type === "submit") this.form.submit(); return; }
    const before = new URLSearchParams(location.search);
    const after = new URLSearchParams(before);
    const names = [...new Set([...this.form.elements].filter((field) => field.type !== "hidden").map((field) => field.name).filter(Boolean))];
    for (const name of names) {
      const value = this.form.elements[name].value.trim();
      if (value) after.set(name, value); else after.delete(name);
    }
    const differ = names.filter((name) => before.get(name) !== after.get(name));
    if (!differ.length) return;
    this.address(after);
    this.begin(this.fed(differ));
  }

  walked(event) {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    event.preventDefault();
    const picks = [...event.target.closest(".card-rows").querySelectorAll(".pick")];
    const across = /Up|Down/.test(event.key) ? event.target.closest("tr").querySelectorAll(".pick").length : 1;
    const next = picks[picks.indexOf(event.target) + step * across];
    if (!next) return;
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  begin(cards) {
    for (const card of cards) { card.dataset.working = ""; this.shown.delete(card.dataset.card); }
    this.looks = 0;
    clearTimeout(this.timer);
    this.look(cards.map((card) => card.dataset.card));
  }

  async submitted(event) {
    const form = event.target;
    const refreshes = form.matches("[data-refreshes]");
    if (!refreshes && !form.matches("[data-moves]")) return;
    event.preventDefault();
    const sent = new FormData(form, event.submitter);
    const card = form.closest("[data-card]");
    try {
      const reply = await fetch(form.getAttribute("action"), { method: "POST", body: sent, headers: { "X-Requested-With": "mirror-board" } });
      if (reply.redirected || !reply.ok) return location.reload();
      if (refreshes) {
        announce(form.action.includes("/stop/") ? gettext("Stopping") : gettext("The rows are read anew"));
        return this.begin(card ? [card] : [...this.querySelectorAll("[data-card]:not(.card-text)")]);
      }
      this.moved(card, sent.get("to"), await reply.json());
    } catch {
      announce(gettext("The server could not be reached; try again in a moment."));
    }
    return undefined;
  }

  /** Keep what a drag came to, by the form of the card's buttons. */
  async dragged(card, to, place) {
    const form = card.querySelector("form[data-moves]");
    const sent = new FormData(form);
    sent.set("to", to);
    // Others move, not the card: it keeps the focus, and its chart is not drawn again.
    const others = [...this.children].filter((one) => one !== card);
    if (to.startsWith("place")) {
      card.before(...others.slice(0, place).filter((one) => card.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING));
      card.after(...others.slice(place).filter((one) => card.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING));
    }
    try {
      const reply = await fetch(form.getAttribute("action"), { method: "POST", body: sent, headers: { "X-Requested-With": "mirror-board" } });
      if (reply.redirected || !reply.ok) location.reload();
      else this.moved(card, to.startsWith("place") ? "here" : to, await reply.json());
    } catch {
      location.reload();
    }
  }

  // The neighbour moves, not the card: what has the focus keeps it, and only one chart is drawn again.
  moved(card, to, { width, height }) {
    const name = card.querySelector("h2")?.textContent ?? gettext("The card");
    const other = card[OPPOSITE[to]];
    if (to === "earlier" && other) card.after(other);
    else if (to === "later" && other) card.before(other);
    card.style.setProperty("--w", width);
    card.style.setProperty("--h", height);
    card.toggleAttribute("data-narrow", width <= 4);
    card.scrollIntoView({ block: "nearest" });
    const place = [...this.children].indexOf(card) + 1;
    announce(to in OPPOSITE || to === "here" ? gettext("{card}: place {place} of {count}", { card: name, place, count: this.children.length }) : gettext("{card}: {width} columns, {height} rows", { card: name, width, height }));
  }

  pressed(event) {
    if (event.target.matches(".pick")) { this.walked(event); return; }
    if (!event.target.matches("[data-handle]") || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = (event.shiftKey ? SHIFTED : KEYS)[event.key];
    if (!to) return;
    event.preventDefault();
    event.target.closest("[data-tools]").querySelector(`button[value="${to}"]`).click();
  }
}

/** The figure of a card's chart, as text. */
function figure(card) {
  return card.querySelector("mirror-chart > script")?.textContent;
}

/** Exchange all of a card but its body, whose chart is drawn already. */
function renew(old, fresh) {
  const body = old.querySelector(".card-body");
  const parts = [...fresh.children];
  const at = parts.indexOf(fresh.querySelector(".card-body"));
  for (const part of [...old.children]) if (part !== body && !part.matches(".card-grip")) part.remove();
  body.before(...parts.slice(0, at));
  body.after(...parts.slice(at + 1));
  for (const name of ["data-working", "data-picks", "data-sets"]) {
    if (fresh.hasAttribute(name)) old.setAttribute(name, fresh.getAttribute(name));
    else old.removeAttribute(name);
  }
}

customElements.define("mirror-board", MirrorBoard);
