// <mirror-ask names draft focused follow-up>: the question box. Enter asks, Shift-Enter makes a line. What is
// typed is kept for this tab until it was asked. While one types, questions on the page and names of the source
// (from the `names` address) are offered. A button with data-example fills the box and asks.
import { announce } from "./announce.js";

const OFFERED = 6;
let serial = 0;

function inWords(name) {
  return name.split(".").pop().replaceAll("_", " ").toLowerCase();
}

class MirrorAsk extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form") ?? this.closest("form");
    this.box = this.querySelector("textarea");
    if (!this.form || !this.box || this.stop) return;
    this.stop = new AbortController();
    const { signal } = this.stop;
    this.key = `mirror-draft:${this.getAttribute("draft") ?? location.pathname}`;
    this.box.addEventListener("keydown", (event) => this.typed(event), { signal });
    this.box.addEventListener("input", () => this.changed(), { signal });
    this.box.addEventListener("blur", () => this.offer([]), { signal });
    this.form.addEventListener("submit", (event) => this.asked(event), { signal });
    document.addEventListener("click", (event) => this.example(event), { signal });
    if (!this.box.value) this.box.value = this.kept();
    this.fit();
    if (this.hasAttribute("focused")) {
      this.box.focus();
      this.box.setSelectionRange(this.box.value.length, this.box.value.length);
    }
  }

  disconnectedCallback() {
    this.stop?.abort();
    this.stop = null;
  }

  typed(event) {
    if (event.isComposing) return;
    if (this.list && this.walk(event)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  changed() {
    this.keep(this.box.value);
    this.fit();
    this.suggest();
  }

  asked(event) {
    if (!this.box.value.trim()) {
      event.preventDefault();
      this.say("Type a question first.");
      return this.box.focus();
    }
    if (this.sent) return event.preventDefault();
    this.sent = true;
    this.keep("");
    const button = this.form.querySelector("button:not([type=button])");
    button?.setAttribute("aria-busy", "true");
    addEventListener("pageshow", () => { this.sent = false; button?.removeAttribute("aria-busy"); }, { once: true });
    return undefined;
  }

  example(event) {
    const button = event.target.closest("[data-example]");
    if (!button || this.hasAttribute("follow-up")) return;
    this.box.value = button.dataset.example || button.textContent.trim();
    this.form.requestSubmit();
  }

  say(words) {
    const place = this.querySelector("[data-problem]");
    if (place) { place.textContent = words; place.hidden = false; }
    this.box.setAttribute("aria-invalid", "true");
    this.box.addEventListener("input", () => {
      this.box.removeAttribute("aria-invalid");
      if (place) place.hidden = true;
    }, { once: true });
  }

  fit() {
    this.box.style.height = "auto";
    this.box.style.height = `${Math.min(this.box.scrollHeight + 2, 320)}px`;
  }

  // ------------------------------------------------------------ suggestions

  async names() {
    const url = this.getAttribute("names");
    if (!url) return [];
    this.known ??= fetch(url)
      .then((reply) => (reply.ok ? reply.json() : {}))
      .then(({ tables = {} }) => Object.entries(tables).flatMap(([table, columns]) => [
        { name: inWords(table), note: "table" },
        ...columns.map((column) => ({ name: inWords(column), note: `column of ${inWords(table)}` })),
      ]))
      .catch(() => []);
    return this.known;
  }

  async suggest() {
    const text = this.box.value;
    const upTo = text.slice(0, this.box.selectionStart);
    const word = upTo.match(/[\p{L}\p{N}]+$/u)?.[0].toLowerCase() ?? "";
    if (text.trim().length < 2) return this.offer([]);
    const names = word.length > 1 ? await this.names() : [];
    if (this.box.value !== text) return undefined;
    const typed = text.trim().toLowerCase();
    const whole = [...new Set([...document.querySelectorAll("[data-example], [data-asked]")].map((e) => e.textContent.trim()))]
      .filter((question) => question.toLowerCase().includes(typed) && question !== text)
      .map((question) => ({ shown: question, note: "question", take: () => question }));
    const seen = new Set([word]);
    const parts = names
      .filter(({ name }) => name.split(" ").some((part) => part.startsWith(word)) && !seen.has(name) && seen.add(name))
      .map(({ name, note }) => ({ shown: name, note, take: () => `${upTo.slice(0, upTo.length - word.length)}${name} ${text.slice(upTo.length).trimStart()}` }));
    return this.offer([...whole.slice(0, 3), ...parts].slice(0, OFFERED));
  }

  offer(found) {
    this.list?.remove();
    this.list = null;
    this.box.removeAttribute("aria-activedescendant");
    this.box.removeAttribute("aria-controls");
    if (!found.length) return;
    this.list = document.createElement("div");
    this.list.className = "suggestions";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", "Suggestions");
    this.list.id = `suggestions-${++serial}`;
    found.forEach((suggestion, n) => this.list.append(this.option(suggestion, n)));
    this.box.after(this.list);
    this.box.setAttribute("aria-autocomplete", "list");
    this.box.setAttribute("aria-controls", this.list.id);
    announce(`${found.length} suggestion${found.length > 1 ? "s" : ""}, arrow down to choose`);
  }

  option(suggestion, n) {
    const option = document.createElement("div");
    option.className = "suggestion";
    option.setAttribute("role", "option");
    option.setAttribute("aria-selected", "false");
    option.id = `${this.list.id}-${n}`;
    const note = document.createElement("span");
    note.className = "suggestion-note";
    note.textContent = suggestion.note;
    const words = document.createElement("span");
    words.textContent = suggestion.shown;
    option.append(words, note);
    option.addEventListener("pointerdown", (event) => { event.preventDefault(); this.take(option); });
    option.take = suggestion.take;
    return option;
  }

  walk(event) {
    const options = [...this.list.children];
    const at = options.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "Escape") this.offer([]);
    else if ((event.key === "Enter" || event.key === "Tab") && at >= 0) this.take(options[at]);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = (at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1) + options.length) % options.length;
      options.forEach((option, n) => option.setAttribute("aria-selected", String(n === next)));
      this.box.setAttribute("aria-activedescendant", options[next].id);
    } else return false;
    event.preventDefault();
    return true;
  }

  take(option) {
    this.box.value = option.take();
    this.offer([]);
    this.keep(this.box.value);
    this.fit();
  }

  // ------------------------------------------------------------ drafts

  kept() {
    try { return sessionStorage.getItem(this.key) ?? ""; } catch { return ""; }
  }

  keep(text) {
    try {
      if (text) sessionStorage.setItem(this.key, text);
      else sessionStorage.removeItem(this.key);
    } catch { /* storage is switched off: the draft lives as long as the page */ }
  }
}

customElements.define("mirror-ask", MirrorAsk);
