// <mirror-ask suggest draft focused follow-up>: the question box. Enter asks, Shift-Enter makes a line. Typed
// text is kept for this tab until it was asked, and so is the hint. While one types, earlier questions, names of the source and
// values stored in it (from the `suggest` address) are offered, and the words that are understood are marked, behind the
// text and without moving it. A button with data-example fills the box and asks.
import { announce } from "./announce.js";
import { AskMarks } from "./ask-marks.js";
import { gettext, ngettext } from "./words.js";

// Milliseconds without a key before the server is asked; characters beyond which nothing is offered.
const PAUSE = 80;
const LONGEST = 500;
let serial = 0;

class MirrorAsk extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form") ?? this.closest("form");
    this.box = this.querySelector("textarea");
    this.hint = this.querySelector("[data-hint] textarea");
    if (!this.form || !this.box || this.stop) return;
    this.stop = new AbortController();
    const { signal } = this.stop;
    // The answer has a page of its own, which begins at its question.
    this.form.dataset.lands = "#question";
    this.key = `mirror-draft:${this.getAttribute("draft") ?? location.pathname}`;
    this.box.addEventListener("keydown", (event) => this.typed(event), { signal });
    this.box.addEventListener("input", () => this.changed(), { signal });
    this.box.addEventListener("blur", () => { this.asking?.abort(); this.offer([]); }, { signal });
    this.form.addEventListener("submit", (event) => this.asked(event), { signal });
    document.addEventListener("click", (event) => this.example(event), { signal });
    if (!this.box.value) this.box.value = this.kept();
    this.hint?.addEventListener("input", () => this.hinted(), { signal });
    const hint = this.kept("hint");
    if (hint && this.hint) {
      this.hint.value = hint;
      this.hint.closest("details").open = true;
    }
    this.marks = new AskMarks(this.box);
    this.fit();
    if (this.box.value) this.look();
    if (this.hasAttribute("focused")) {
      this.box.focus();
      this.box.setSelectionRange(this.box.value.length, this.box.value.length);
    }
  }

  disconnectedCallback() {
    this.stop?.abort();
    this.stop = null;
    this.marks?.remove();
  }

  typed(event) {
    if (event.isComposing) return;
    if (this.list && this.shown === this.box.value && this.walk(event)) return;
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  changed() {
    this.keep(this.box.value);
    this.fit();
    this.suggest();
  }

  /** Marks what is in the box already: a draft, or a question that was not taken. */
  async look() {
    const [text, url] = [this.box.value, this.getAttribute("suggest")];
    if (!url || text.length > LONGEST) return;
    try {
      const reply = await fetch(`${url}&q=${encodeURIComponent(text)}`, { signal: this.stop.signal });
      if (reply.ok && this.box.value === text) this.mark((await reply.json()).marks ?? [], text);
    } catch { /* the words stay unmarked */ }
  }

  hinted() {
    this.keep(this.hint.value, "hint");
    clearTimeout(this.later);
    this.later = setTimeout(() => this.look(), PAUSE);
  }

  /** Shows what is understood; a word that the hint speaks of is not called unknown. */
  mark(marks, text) {
    const hint = this.hint?.value.toLowerCase() ?? "";
    this.marks.show(marks.filter((mark) => mark.is_understood
      || !hint.includes(text.slice(mark.start, mark.end).toLowerCase())), text);
  }

  asked(event) {
    if (!this.box.value.trim()) {
      event.preventDefault();
      this.say(gettext("Type a question first."));
      return this.box.focus();
    }
    if (this.sent) return event.preventDefault();
    this.sent = true;
    this.keep("");
    this.keep("", "hint");
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
    this.marks?.fit();
  }

  // ------------------------------------------------------------ suggestions

  async suggest() {
    const text = this.box.value;
    const upTo = text.slice(0, this.box.selectionStart);
    const url = this.getAttribute("suggest");
    this.asking?.abort();
    if (!url || upTo.trim().length < 2 || text.length > LONGEST) {
      this.marks.show([], text);
      return this.offer([]);
    }
    this.asking = new AbortController();
    const signal = AbortSignal.any([this.asking.signal, this.stop.signal]);
    try {
      await new Promise((resolve) => { setTimeout(resolve, PAUSE); });
      if (signal.aborted) return undefined;
      const behind = text.slice(upTo.length);
      const more = behind ? `&rest=${encodeURIComponent(behind)}` : "";
      const reply = await fetch(`${url}&q=${encodeURIComponent(upTo)}${more}`, { signal });
      const { suggestions = [], marks = [] } = reply.ok ? await reply.json() : {};
      if (signal.aborted || this.box.value !== text) return undefined;
      this.mark(marks, text);
      if (document.activeElement !== this.box) return undefined;
      const rest = behind.trimStart();
      return this.offer(suggestions.map(({ text: shown, note, start }) => ({
        shown, note, take: () => (note === "question" ? shown : `${upTo.slice(0, start)}${shown} ${rest}`),
      })));
    } catch (error) {
      if (error.name !== "AbortError") this.offer([]);
      return undefined;
    }
  }

  offer(found) {
    this.list?.remove();
    this.list = null;
    this.box.removeAttribute("aria-activedescendant");
    this.box.removeAttribute("aria-controls");
    if (!found.length) return;
    this.shown = this.box.value;
    this.list = document.createElement("div");
    this.list.className = "suggestions";
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", gettext("Suggestions"));
    this.list.id = `suggestions-${++serial}`;
    found.forEach((suggestion, n) => this.list.append(this.option(suggestion, n)));
    this.box.after(this.list);
    this.box.setAttribute("aria-autocomplete", "list");
    this.box.setAttribute("aria-controls", this.list.id);
    announce(`${ngettext("{count} suggestion, arrow down to choose.", "{count} suggestions, arrow down to choose.", found.length)} ${this.marks.told}`.trim());
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
    if (event.key === "Escape") { this.asking?.abort(); this.offer([]); } else if ((event.key === "Enter" || event.key === "Tab") && at >= 0) this.take(options[at]);
    else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      const next = (at + (event.key === "ArrowDown" ? 1 : at < 0 ? 0 : -1) + options.length) % options.length;
      options.forEach((option, n) => option.setAttribute("aria-selected", String(n === next)));
      this.box.setAttribute("aria-activedescendant", options[next].id);
    } else return false;
    event.preventDefault();
    return true;
  }

  take(option) {
    if (this.shown !== this.box.value) return;
    this.asking?.abort();
    this.box.value = option.take();
    this.offer([]);
    this.keep(this.box.value);
    this.fit();
    this.look();
  }

  // ------------------------------------------------------------ drafts

  kept(part = "") {
    try { return sessionStorage.getItem(this.key + part) ?? ""; } catch { return ""; }
  }

  keep(text, part = "") {
    const key = this.key + part;
    try {
      if (text) sessionStorage.setItem(key, text);
      else sessionStorage.removeItem(key);
    } catch { /* storage is switched off: the draft lives as long as the page */ }
  }
}

customElements.define("mirror-ask", MirrorAsk);
