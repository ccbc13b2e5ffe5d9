// <mirror-editor dialect catalog label error-at error-message format>: a textarea grown into a SQL editor.
// The textarea stays the form's field (and the whole thing, when scripts or the bundle do not load):
// every keystroke is written back into it. Ctrl/Cmd-Enter sends the form.
import { announce } from "./announce.js";

async function names(url) {
  const reply = await fetch(url, { headers: { Accept: "application/json" } });
  return reply.ok ? (await reply.json()).tables ?? {} : {};
}

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
      describedBy: this.field.getAttribute("aria-describedby"),
      readOnly: this.field.readOnly,
      onRun: () => this.closest("form")?.requestSubmit(),
      onFormat: () => this.format(),
      onChange: (text) => this.changed(text),
    });
    this.field.hidden = true;
    this.append(place);
    if (hadFocus) this.handle.focus();
    this.markError();
    this.listen();
    const catalog = this.getAttribute("catalog");
    if (catalog) names(catalog).then((tables) => this.handle?.learn(tables)).catch(() => { /* without names it is still an editor */ });
    this.dataset.ready = "";
  }

  disconnectedCallback() {
    this.handle?.destroy();
    this.handle = null;
    if (this.field) this.field.hidden = false;
    this.querySelector(".editor-place")?.remove();
    this.stopListening?.abort();
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
    form?.addEventListener("click", (event) => {
      if (event.target.closest("[data-formats]")) this.format();
    }, { signal: this.stopListening.signal });
  }

  changed(text) {
    this.field.value = text;
    this.field.dispatchEvent(new Event("input", { bubbles: true }));
    if (this.hasAttribute("error-at")) {
      this.removeAttribute("error-at");
      this.removeAttribute("error-message");
    }
  }

  markError() {
    const at = this.getAttribute("error-at");
    this.handle.mark(at === null || at === "" ? null : Number(at), this.getAttribute("error-message") ?? "The database stopped here");
  }

  async format() {
    const url = this.getAttribute("format");
    if (!url) return;
    const form = this.closest("form");
    const body = new FormData();
    body.set("sql", this.value);
    body.set("csrfmiddlewaretoken", form?.querySelector("[name=csrfmiddlewaretoken]")?.value ?? "");
    const reply = await fetch(url, { method: "POST", body });
    const text = await reply.text();
    if (!reply.ok) return announce("This SQL could not be formatted; it is left as it was.");
    if (text && text !== this.value) this.value = text;
    return announce("Formatted");
  }

  focus() {
    if (this.handle) this.handle.focus();
    else this.querySelector("textarea").focus();
  }
}

customElements.define("mirror-editor", MirrorEditor);
