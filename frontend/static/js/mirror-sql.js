// <mirror-sql tab revision keep>: the SQL page. Typed text is kept by the server a moment later, and by this browser
// at once, until the server has it: a reload, a lost connection or a session that ended loses nothing.
import { announce } from "./announce.js";
import { gettext } from "./words.js";

const KEEP_MS = 600;
const AGAIN_MS = 5_000;
// A browser sends no more than this while a page goes away.
const LAST_CHARS = 15_000;
const PLAIN = /^[a-z_][a-z0-9_]*$/i;

class MirrorSql extends HTMLElement {
  connectedCallback() {
    if (this.stop) return;
    this.stop = new AbortController();
    const { signal } = this.stop;
    this.revision = Number(this.getAttribute("revision"));
    this.sent = this.field.value;
    this.addEventListener("input", (event) => { if (event.target === this.field) this.typed(); }, { signal });
    this.addEventListener("click", (event) => this.clicked(event), { signal });
    this.addEventListener("htmx:beforeRequest", () => clearTimeout(this.timer), { signal });
    this.addEventListener("htmx:afterRequest", (event) => this.ran(event), { signal });
    document.addEventListener("htmx:afterSwap", (event) => { if (event.detail.target.id === "peek") this.peek(); }, { signal });
    document.addEventListener("keydown", (event) => {
      if (event.altKey && !event.ctrlKey && !event.metaKey && event.code === "KeyN") {
        event.preventDefault();
        document.getElementById("new-tab").click();
      }
    }, { signal });
    addEventListener("pagehide", () => this.leave(), { signal });
    this.restore();
    // A tab that holds nothing yet is there to be written in.
    if (!this.text && document.activeElement === document.body) this.editor.focus();
  }

  disconnectedCallback() {
    this.stop?.abort();
    this.stop = null;
    clearTimeout(this.timer);
  }

  get field() { return this.querySelector("#sql-text"); }

  get editor() { return this.querySelector("mirror-editor"); }

  get text() { return this.editor.value; }

  // ---------------------------------------------------------------- kept as it is typed

  belt(use) {
    try { return use(localStorage, `mirror-tab:${this.getAttribute("tab")}`); } catch { return null; }
  }

  restore() {
    const kept = this.belt((store, key) => JSON.parse(store.getItem(key)));
    if (!kept || kept.sql === this.sent) { this.belt((store, key) => store.removeItem(key)); return; }
    if (kept.revision !== this.revision) { this.differ(kept.sql, this.sent, this.revision); return; }
    this.editor.value = kept.sql;
    this.field.value = kept.sql;
    announce(gettext("The SQL you were writing is back"));
    this.soon(0);
  }

  typed() {
    this.belt((store, key) => store.setItem(key, JSON.stringify({ sql: this.field.value, revision: this.revision })));
    this.tell("");
    this.soon(KEEP_MS);
  }

  soon(wait) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.keep(), wait);
  }

  body(sql, revision) {
    const body = new FormData();
    body.set("sql", sql);
    body.set("revision", revision ?? "");
    body.set("csrfmiddlewaretoken", this.querySelector("[name=csrfmiddlewaretoken]").value);
    return body;
  }

  async keep(revision = this.revision) {
    if (this.keeping) return this.soon(KEEP_MS);
    const sql = this.text;
    if (sql === this.sent) return this.done(sql);
    this.keeping = true;
    let reply = null;
    try {
      reply = await fetch(this.getAttribute("keep"), { method: "POST", body: this.body(sql, revision), headers: { Accept: "application/json" } });
    } catch { /* the server is away: this browser has it */ }
    this.keeping = false;
    if (reply?.redirected || reply?.status === 403) return this.tell(gettext("Not kept on the server: you were signed out. This browser keeps it; reload to sign in."));
    if (!reply || reply.status >= 500) { this.tell(gettext("Kept in this browser; the server could not be reached.")); return this.soon(AGAIN_MS); }
    const told = await reply.json().catch(() => ({}));
    if (reply.status === 409) {
      // This window ran another text while the one before it was on its way.
      if (told.revision !== this.revision && told.sql !== this.text) return this.differ(sql, told.sql, told.revision);
      this.revision = told.revision;
      this.sent = told.sql;
      return this.soon(0);
    }
    if (!reply.ok) return this.tell(told.problem ?? gettext("Not kept on the server."));
    this.revision = told.revision;
    this.sent = sql;
    this.labelled(told.label);
    return this.done(sql);
  }

  done(sql) {
    if (this.text !== sql) return this.soon(KEEP_MS);
    this.belt((store, key) => store.removeItem(key));
    return this.tell(gettext("Kept"));
  }

  leave() {
    if (!this.isConnected || this.text === this.sent || this.text.length > LAST_CHARS) return;
    fetch(this.getAttribute("keep"), { method: "POST", body: this.body(this.text, this.revision), keepalive: true, headers: { Accept: "application/json" } }).catch(() => {});
  }

  // Running and explaining keep the text too.
  ran({ detail }) {
    const revision = detail.xhr.getResponseHeader("X-Mirror-Revision");
    if (!detail.successful || !revision) return;
    this.sent = detail.requestConfig.formData.get("sql");
    this.revision = Number(revision);
    this.labelled(this.querySelector("#told")?.dataset.label);
    this.done(this.sent);
  }

  labelled(label) {
    const place = this.querySelector("[data-tab-label]");
    if (place && label) place.textContent = label.slice(0, 28);
  }

  // Two windows wrote different texts: neither is thrown away before somebody says which.
  differ(mine, theirs, revision) {
    clearTimeout(this.timer);
    if (mine === theirs) {
      this.revision = revision;
      this.sent = theirs;
      this.done(theirs);
      return;
    }
    const place = this.querySelector("#kept");
    const words = document.createElement("span");
    words.className = "kept-differs";
    words.textContent = gettext("This tab was changed in another window.");
    const choice = (said, what) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "button button-small";
      button.textContent = said;
      button.addEventListener("click", () => { this.revision = revision; what(); this.editor.focus(); });
      return button;
    };
    place.replaceChildren(
      words,
      choice(gettext("Keep mine"), () => { this.sent = theirs; this.editor.value = mine; this.keep(revision); }),
      choice(gettext("Take that one"), () => { this.sent = theirs; this.editor.value = theirs; this.done(theirs); }),
    );
  }

  tell(words) {
    const place = this.querySelector("#kept");
    if (place && place.textContent !== words) place.textContent = words;
  }

  // ---------------------------------------------------------------- the tree, and what is run

  clicked(event) {
    const button = event.target.closest("[data-inserts], [data-runs], [data-takes], [data-empties]");
    if (!button) return;
    const { inserts, runs, takes, empties } = button.dataset;
    if (inserts) this.editor.insert(inserts.split(".").map((part) => this.named(part)).join("."));
    if (runs === "selection") this.editor.runSelection();
    if (runs === "cursor") this.editor.runToCursor();
    if (takes) { this.editor.value = takes; this.editor.focus(); }
    if (empties) { this.querySelector(empties).replaceChildren(); this.editor.focus(); }
  }

  named(name) {
    if (PLAIN.test(name)) return name;
    const mark = ["mysql", "spark"].includes(this.editor.getAttribute("dialect")) ? "`" : '"';
    return mark + name.replaceAll(mark, mark + mark) + mark;
  }

  peek() {
    const dialog = document.getElementById("peek-dialog");
    if (dialog && !dialog.open) dialog.showModal();
  }
}

customElements.define("mirror-sql", MirrorSql);
