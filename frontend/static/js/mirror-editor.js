// <mirror-editor dialect complete label error-at error-message format check kept>: a textarea grown into a SQL editor.
// The textarea stays the form's field: every keystroke is written back into it.
import { announce } from "./announce.js";
import { showValues } from "./values.js";
import { gettext } from "./words.js";

const LINT_MS = 900;

class MirrorEditor extends HTMLElement {
  static observedAttributes = ["error-at"];

  async connectedCallback() {
    if (this.handle || this.loading) return;
    this.loading = true;
    this.field = this.querySelector("textarea");
    const { edit } = await import("./build/editor.js");
    this.loading = false;
    if (!this.isConnected) return;
    const place = document.createElement("div");
    place.className = "editor-place";
    const hadFocus = document.activeElement === this.field;
    this.handle = edit({
      parent: place,
      text: this.field.value,
      dialect: this.getAttribute("dialect"),
      label: this.getAttribute("label") ?? "SQL",
      placeholder: this.field.placeholder,
      describedBy: this.field.getAttribute("aria-describedby"),
      onRun: () => this.run(),
      onRunSelection: () => this.runSelection(),
      onRunToCursor: () => this.runToCursor(),
      onFormat: () => this.format(),
      onChange: (text) => this.changed(text),
      complete: this.hasAttribute("complete") ? (text, at) => this.complete(text, at) : null,
    });
    this.field.hidden = true;
    this.append(place);
    if (hadFocus) this.handle.focus();
    this.restore();
    this.markError();
    this.listen();
    if (this.hasAttribute("check") && this.value.trim() && !this.hasAttribute("error-at")) this.lintTimer = setTimeout(() => this.lint(), LINT_MS);
    this.dataset.ready = "";
  }

  disconnectedCallback() {
    this.handle?.destroy();
    this.handle = null;
    if (this.field) this.field.hidden = false;
    this.querySelector(".editor-place")?.remove();
    this.stopListening?.abort();
    clearTimeout(this.lintTimer);
  }

  attributeChangedCallback() {
    if (this.handle) this.markError();
  }

  get value() {
    return this.handle ? this.handle.text() : this.querySelector("textarea").value;
  }

  set value(text) {
    if (this.handle) this.handle.replace(text);
    else this.querySelector("textarea").value = text;
  }

  listen() {
    this.stopListening = new AbortController();
    const form = this.closest("form");
    form?.addEventListener("click", () => this.place(), { signal: this.stopListening.signal, capture: true });
    for (const name of ["focusin", "keydown", "click"]) {
      form?.addEventListener(name, (event) => {
        if (event.target.closest("[data-changes]")) this.handle.change(this, event);
        else if (name === "click" && event.target.closest("[data-formats]")) this.format();
        if (name === "click" && event.target.closest("[data-returns]")) this.goBack();
      }, { signal: this.stopListening.signal });
    }
    // Before anybody reads the form.
    form?.addEventListener("submit", () => { clearTimeout(this.lintTimer); this.say(null); this.place(); }, { signal: this.stopListening.signal, capture: true });
    form?.addEventListener("htmx:afterRequest", ({ detail }) => this.told(form, detail), { signal: this.stopListening.signal });
    // The server keeps accepted text from here on; refused text stays kept here.
    form?.addEventListener("htmx:afterRequest", ({ detail }) => {
      if (!detail.successful || detail.elt !== form || new URL(detail.xhr.responseURL).pathname.startsWith("/sign-in/")) return;
      this.given = detail.requestConfig.formData.get(this.field.name);
      this.keep(this.value);
      this.sayUnrun();
    }, { signal: this.stopListening.signal });
    for (const name of ["mirror-exchanged", "htmx:afterSettle"]) {
      document.addEventListener(name, () => this.readPosition(), { signal: this.stopListening.signal });
    }
  }

  // A fault of SQL that ran says nothing about the other SQL whose plan or telling is shown.
  told(form, { elt, requestConfig }) {
    const sent = requestConfig.formData.get(this.field.name);
    if (elt === form) this.judged = sent;
    else if (requestConfig.target?.id === "plan" && sent !== this.judged) form.querySelector("#problem")?.replaceChildren();
  }

  // Of several statements the one at the cursor is meant: characters are counted as the server counts them.
  place() {
    const at = this.closest("form")?.elements.at;
    if (at && this.handle) at.value = [...this.handle.before()].length;
  }

  // SQL that was typed and not run yet outlives a reload, a click away and a lost connection.
  restore() {
    const typed = this.storage((store, key) => store.getItem(key));
    this.given = this.judged = this.field.value;
    if (typed === this.given) this.storage((store, key) => store.removeItem(key));
    else if (typed) {
      this.handle.replace(typed);
      announce(gettext("The SQL you were writing is back"));
    }
  }

  // Rows and chart are of the SQL that ran: beside other SQL that is said, with the way back.
  sayUnrun() {
    const place = this.closest("form")?.querySelector("[data-unrun]");
    if (place) place.hidden = this.value.trim() === this.given.trim();
  }

  goBack() {
    this.handle.replace(this.given);
    this.focus();
    announce(gettext("The SQL of what is shown is back"));
  }

  storage(use) {
    if (!this.hasAttribute("kept")) return null;
    try { return use(sessionStorage, `mirror-sql:${this.getAttribute("kept")}`); } catch { return null; }
  }

  keep(text) {
    this.storage((store, key) => (text === this.given ? store.removeItem(key) : store.setItem(key, text)));
  }

  changed(text) {
    this.field.value = text;
    this.keep(text);
    this.sayUnrun();
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
    if (this.hasAttribute("error-at")) {
      this.removeAttribute("error-at");
      this.removeAttribute("error-message");
    }
    this.lintSoon();
  }

  run() {
    this.closest("form")?.requestSubmit();
  }

  runSelection() {
    this.runPart(this.handle.selected());
  }

  runToCursor() {
    this.runPart(this.handle.before());
  }

  // A form with a place for a part sends that beside the whole text; in another the whole is back right after.
  runPart(part) {
    const place = this.closest("form")?.elements.part ?? this.field;
    const whole = place.value;
    if (part.trim()) place.value = part;
    this.run();
    place.value = place === this.field ? this.value : whole;
  }

  insert(words) {
    if (this.handle) this.handle.insert(words);
    else this.field.setRangeText(words, this.field.selectionStart, this.field.selectionEnd, "end");
  }

  // While somebody writes, what would be refused is marked and said quietly, a moment after they pause.
  lintSoon() {
    clearTimeout(this.lintTimer);
    this.say(null);
    if (this.hasAttribute("check")) this.lintTimer = setTimeout(() => this.lint(), LINT_MS);
  }

  async lint() {
    const sql = this.value;
    const reply = await this.post(this.getAttribute("check"), sql).catch(() => null);
    const found = reply?.ok && !reply.redirected && await reply.json();
    if (!found || !this.handle || this.value !== sql) return;
    const { problem, parameters, doubts = [] } = found;
    showValues(this.closest("form")?.querySelector("[data-values]"), parameters);
    this.handle.mark(problem?.position ?? null, problem?.words ?? "");
    if (!problem && doubts.length) this.handle.doubt(doubts.map((one) => this.placed(one)));
    this.say(problem?.words, problem ? [] : doubts);
  }

  // The server counts characters, the editor halves of those beyond the first 65,536.
  placed(doubt) {
    if (doubt.start === null) return doubt;
    const letters = [...this.value];
    const at = (n) => letters.slice(0, n).join("").length;
    return { ...doubt, start: at(doubt.start), end: at(doubt.end) };
  }

  async complete(sql, at) {
    const reply = await this.post(this.getAttribute("complete"), sql, at);
    return reply.ok && !reply.redirected ? (await reply.json()).completions : null;
  }

  say(words, doubts = []) {
    const place = (this.closest(".panel") ?? this.closest("form"))?.querySelector(".sql-lint");
    if (!place) return;
    const lines = doubts.map((one) => { const line = document.createElement("li"); line.textContent = one.words; return line; });
    place.replaceChildren(...(lines.length ? lines : [words ?? ""]));
    place.classList.toggle("sql-doubts", lines.length > 0);
    place.hidden = !words && !lines.length;
  }

  post(url, sql, at = null) {
    const body = new FormData();
    body.set("sql", sql);
    if (at !== null) body.set("at", at);
    body.set("csrfmiddlewaretoken", this.closest("form")?.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "");
    return fetch(url, { method: "POST", body });
  }

  // The problem under the editor says where it is; it is exchanged without the editor.
  readPosition() {
    const problem = this.closest("form")?.querySelector("[data-position]");
    if (!problem || problem === this.seen) return;
    this.seen = problem;
    if (problem.dataset.position) {
      this.setAttribute("error-message", problem.textContent.trim().replace(/\s+/g, " "));
      this.setAttribute("error-at", problem.dataset.position);
    } else this.removeAttribute("error-at");
  }

  markError() {
    const at = this.getAttribute("error-at");
    this.handle.mark(at === null || at === "" ? null : Number(at), this.getAttribute("error-message") ?? gettext("The database stopped here"));
  }

  async format() {
    const url = this.getAttribute("format");
    if (!url) return;
    const reply = await this.post(url, this.value);
    const text = await reply.text();
    if (!reply.ok) return announce(gettext("This SQL cannot be read with certainty; it is left as it was."));
    if (text && text !== this.value) this.value = text;
    return announce(gettext("Formatted"));
  }

  focus() {
    if (this.handle) this.handle.focus();
    else this.querySelector("textarea").focus();
  }
}

customElements.define("mirror-editor", MirrorEditor);
