// The columns of a <mirror-grid>: a menu for each (sort, filter, hide, keep in sight, move, width, format, what it holds), a list
// of all, and edges to drag. How they were left is kept for columns of the same names, for this tab of the browser.
import { announce } from "./announce.js";
import { gettext, ngettext } from "./words.js";

const NARROWEST = 48;
const STEP = 32;

export function columns(grid) {
  return new Columns(grid);
}

class Columns {
  constructor(grid) {
    this.grid = grid;
    this.head = grid.querySelector("thead tr");
    this.heads = [...this.head.cells];
    const names = this.heads.map((th) => th.textContent.trim());
    this.names = names;
    this.key = `mirror-grid:${names.join("\u0000")}`;
    const kept = this.kept();
    const all = names.map((_, n) => n);
    this.order = [...new Set([...(kept.order ?? []), ...all])].filter((n) => n in names);
    this.hidden = new Set(kept.hidden ?? []);
    this.widths = kept.widths ?? {};
    this.frozen = kept.frozen ?? 0;
    this.lines = [...grid.querySelectorAll("table tr")].map((row) => [row, [...row.cells]]).filter(([, cells]) => cells.length === names.length);
    for (const [, cells] of this.lines) cells.forEach((cell, n) => { cell.dataset.of = n; });
    this.heads.forEach((th, n) => this.furnish(th, n));
    const list = grid.querySelector("[data-columns]");
    list?.addEventListener("click", (event) => { event.preventDefault(); this.open(list, (place) => this.listed(place)); });
    list?.setAttribute("role", "button");
    list?.setAttribute("aria-haspopup", "dialog");
    this.lay();
  }

  kept() {
    try { return JSON.parse(sessionStorage.getItem(this.key)) ?? {}; } catch { return {}; }
  }

  keep() {
    const { order, widths, frozen } = this;
    try { sessionStorage.setItem(this.key, JSON.stringify({ order, widths, frozen, hidden: [...this.hidden] })); } catch { /* it lasts for this page */ }
  }

  get visible() {
    return this.order.filter((n) => !this.hidden.has(n));
  }

  /** Put cells into their order, hide what is hidden, keep the first ones in sight. */
  lay() {
    const lead = this.visible.slice(0, this.frozen);
    for (const [row, cells] of this.lines) {
      // A focused cell would lose the focus by being put where it is already.
      if (this.order.some((n, at) => row.cells[at] !== cells[n])) row.append(...this.order.map((n) => cells[n]));
      cells.forEach((cell, n) => {
        cell.hidden = this.hidden.has(n);
        cell.style.minWidth = cell.style.maxWidth = this.widths[n] ? `${this.widths[n]}px` : "";
        cell.classList.toggle("is-frozen", lead.includes(n));
        cell.classList.toggle("is-frozen-last", lead.at(-1) === n);
        cell.style.left = "";
      });
    }
    let left = 0;
    for (const n of lead) {
      for (const [, cells] of this.lines) cells[n].style.left = `${left}px`;
      left += this.heads[n].offsetWidth;
    }
    const button = this.grid.querySelector("[data-columns]");
    if (button) button.title = this.hidden.size ? ngettext("{count} hidden", "{count} hidden", this.hidden.size) : gettext("Show and hide columns");
    button?.toggleAttribute("data-some-hidden", this.hidden.size > 0);
  }

  change(words) {
    this.lay();
    this.keep();
    announce(words);
  }

  furnish(th, n) {
    const more = document.createElement("button");
    more.type = "button";
    more.className = "grid-more";
    more.setAttribute("aria-label", gettext("More about {column}", { column: this.names[n] }));
    more.setAttribute("aria-haspopup", "dialog");
    more.append(icon(this.grid, "down"));
    more.addEventListener("click", () => this.open(more, (place) => this.menu(place, n)));
    const edge = document.createElement("span");
    edge.className = "grid-edge";
    edge.addEventListener("pointerdown", (event) => this.resize(event, n, edge));
    edge.addEventListener("dblclick", () => { delete this.widths[n]; this.change(gettext("{column}: width of its own", { column: this.names[n] })); });
    th.append(more, edge);
    th.draggable = true;
    th.addEventListener("dragstart", (event) => {
      if (this.resizing) { event.preventDefault(); return; }
      this.moving = n;
      event.dataTransfer.setData("text/plain", this.names[n]);
      event.dataTransfer.effectAllowed = "move";
    });
    th.addEventListener("dragover", (event) => { if (this.moving !== undefined) event.preventDefault(); });
    th.addEventListener("drop", (event) => {
      if (this.moving === undefined || this.moving === n) return;
      event.preventDefault();
      this.put(this.moving, this.order.indexOf(n));
    });
    th.addEventListener("dragend", () => { this.moving = undefined; });
  }

  put(n, at) {
    this.order.splice(this.order.indexOf(n), 1);
    this.order.splice(at, 0, n);
    this.change(gettext("{column} is column {place}", { column: this.names[n], place: this.visible.indexOf(n) + 1 }));
  }

  move(n, step) {
    const seen = this.visible;
    const beside = seen[seen.indexOf(n) + step];
    if (beside !== undefined) this.put(n, this.order.indexOf(beside));
  }

  resize(event, n, edge) {
    event.preventDefault();
    event.stopPropagation();
    this.resizing = true;
    edge.setPointerCapture(event.pointerId);
    const [from, width] = [event.clientX, this.heads[n].offsetWidth];
    const drag = (moved) => { this.widths[n] = Math.max(NARROWEST, Math.round(width + moved.clientX - from)); this.lay(); };
    edge.addEventListener("pointermove", drag);
    edge.addEventListener("pointerup", () => {
      edge.removeEventListener("pointermove", drag);
      this.resizing = false;
      this.keep();
    }, { once: true });
  }

  widen(n, by) {
    this.widths[n] = Math.max(NARROWEST, this.heads[n].offsetWidth + by);
    this.change(gettext("{column} is {count} pixels wide", { column: this.names[n], count: this.widths[n] }));
  }

  // ------------------------------------------------------------ what floats

  open(button, fill) {
    document.getElementById("grid-menu")?.remove();
    const place = document.createElement("div");
    place.id = "grid-menu";
    place.className = "grid-menu";
    place.popover = "auto";
    place.setAttribute("role", "dialog");
    place.setAttribute("aria-label", button.getAttribute("aria-label") ?? button.textContent.trim());
    document.body.append(place);
    fill(place);
    place.addEventListener("toggle", (event) => {
      if (event.newState !== "closed") return;
      const back = place.contains(document.activeElement) || document.activeElement === document.body;
      place.remove();
      if (back && button.isConnected && !button.closest("[hidden]")) button.focus();
    });
    place.addEventListener("keydown", (event) => this.walk(event, place));
    place.showPopover();
    const settle = () => {
      const box = button.getBoundingClientRect();
      const [wide, high] = [document.documentElement.clientWidth, document.documentElement.clientHeight];
      place.style.left = `${Math.max(8, Math.min(box.left, wide - place.offsetWidth - 8))}px`;
      place.style.top = `${Math.max(8, Math.min(box.bottom + 4, high - place.offsetHeight - 8))}px`;
    };
    settle();
    new ResizeObserver(settle).observe(place); // a column's facts and formats come later, and make it taller
    place.querySelector("button, input:not([type=hidden])")?.focus();
  }

  walk(event, place) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || event.target.matches("select, input:not([type=checkbox])")) return;
    event.preventDefault();
    const all = [...place.querySelectorAll("button:not([disabled]), input")];
    all[(all.indexOf(document.activeElement) + step + all.length) % all.length]?.focus();
  }

  menu(place, n) {
    const th = this.heads[n];
    const link = th.querySelector("a");
    const seen = this.visible;
    const at = seen.indexOf(n);
    const item = (words, act, isOff = false) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "menu-item";
      button.textContent = words;
      button.disabled = isOff;
      button.addEventListener("click", () => { place.hidePopover(); act(); });
      return button;
    };
    const sorted = (isDown) => {
      const address = new URL(link.href);
      address.searchParams.set("sort", `${isDown ? "-" : ""}${n}`);
      globalThis.htmx.ajax("GET", address.pathname + address.search, { target: this.grid, swap: "outerHTML" });
    };
    const about = document.createElement("div");
    about.className = "column-about-place";
    about.tabIndex = 0;
    about.setAttribute("role", "region");
    about.setAttribute("aria-label", gettext("What {column} holds", { column: this.names[n] }));
    about.textContent = gettext("Counting …");
    const isKept = at < this.frozen;
    place.append(
      item(gettext("Sort upwards"), () => sorted(false)), item(gettext("Sort downwards"), () => sorted(true)),
      item("Filter", () => this.grid.filters(true, this.grid.querySelector(`.grid-filter [name="f${n}"]`))),
      item(gettext("Hide"), () => { this.hidden.add(n); this.change(gettext("{column} is hidden", { column: this.names[n] })); }, seen.length < 2),
      item(isKept ? gettext("Let it scroll") : gettext("Keep in sight, with all before it"), () => {
        this.frozen = isKept ? at : at + 1;
        this.change(isKept ? gettext("{column} scrolls", { column: this.names[n] }) : ngettext("{count} column stays in sight", "{count} columns stay in sight", this.frozen));
      }),
      item(gettext("Move left"), () => this.move(n, -1), at === 0), item(gettext("Move right"), () => this.move(n, 1), at === seen.length - 1),
      item(gettext("Wider"), () => this.widen(n, STEP)), item(gettext("Narrower"), () => this.widen(n, -STEP)),
      ...(th.dataset.format ? [item(gettext("Format and bars"), () => this.open(th.querySelector(".grid-more"), (place) => this.format(place, n)))] : []),
      about,
    );
    this.tell(th.dataset.about, about);
  }

  /** How a column is shown is chosen in the server's own form; the table that comes back takes the place of this one. */
  async format(place, n) {
    place.textContent = gettext("Loading …");
    try {
      const reply = await fetch(this.heads[n].dataset.format, { headers: { "HX-Request": "true" } });
      if (!reply.ok || reply.redirected) throw new Error();
      place.innerHTML = await reply.text();
    } catch {
      place.textContent = gettext("The form could not be loaded.");
      return;
    }
    globalThis.htmx.process(place);
    place.querySelector("select, input:not([type=hidden])")?.focus();
    const id = this.grid.id;
    place.addEventListener("htmx:afterRequest", (event) => {
      if (!event.detail.successful) return;
      place.hidePopover();
      announce(gettext("{column} is shown another way", { column: this.names[n] }));
      setTimeout(() => document.getElementById(id)?.querySelector(`th[data-column="${n}"] .grid-more`)?.focus());
    });
  }

  async tell(address, place) {
    try {
      const reply = await fetch(`${address}?about`, { headers: { "HX-Request": "true" } });
      if (!reply.ok || reply.redirected) throw new Error();
      place.innerHTML = await reply.text();
    } catch {
      place.textContent = gettext("What it holds could not be counted.");
    }
  }

  listed(place) {
    const all = document.createElement("button");
    all.type = "button";
    all.className = "menu-item";
    all.textContent = gettext("As they came");
    all.addEventListener("click", () => {
      Object.assign(this, { order: this.names.map((_, n) => n), hidden: new Set(), widths: {}, frozen: 0 });
      this.change(gettext("All columns, as they came"));
      place.hidePopover();
    });
    const statistics = document.createElement("a");
    statistics.className = "menu-item";
    statistics.href = this.grid.querySelector("[data-columns]").href;
    statistics.textContent = gettext("Statistics of all columns");
    place.append(statistics, all, ...this.order.map((n) => {
      const label = document.createElement("label");
      label.className = "menu-item";
      const box = document.createElement("input");
      box.type = "checkbox";
      box.checked = !this.hidden.has(n);
      box.addEventListener("change", () => {
        if (!box.checked && this.visible.length < 2) { box.checked = true; return; }
        this.hidden[box.checked ? "delete" : "add"](n);
        this.change(box.checked ? gettext("{column} is shown", { column: this.names[n] }) : gettext("{column} is hidden", { column: this.names[n] }));
      });
      label.append(box, this.names[n]);
      return label;
    }));
  }
}

/** One of the page's own icons, whose address the page knows. */
function icon(grid, name) {
  const drawn = document.querySelector("svg.icon use").closest("svg").cloneNode(true);
  const use = drawn.querySelector("use");
  use.setAttribute("href", use.getAttribute("href").replace(/#.*/, `#${name}`));
  return drawn;
}
