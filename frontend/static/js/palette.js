// The palette and the list of keys: dialogs that come with their first use. Lines are made by the server, as far as one may see.
import { announce } from "./announce.js";
import { gettext, ngettext } from "./words.js";

const WAIT_MS = 120;
const THEMES = { "theme-light": "light", "theme-dark": "dark", "theme-system": "system" };

function dialogOf(id, label) {
  const found = document.getElementById(id);
  if (found) return found;
  const made = document.createElement("dialog");
  made.id = id;
  made.className = "dialog palette";
  made.setAttribute("aria-label", label);
  document.body.append(made);
  return made;
}

async function fetched(address, signal) {
  const answer = await fetch(address, { headers: { "X-Requested-With": "palette" }, signal });
  // Signed out meanwhile: the page goes to sign in.
  if (answer.redirected) { location.reload(); throw new DOMException("", "AbortError"); }
  if (!answer.ok) throw new Error(String(answer.status));
  return new DOMParser().parseFromString(await answer.text(), "text/html");
}

class Palette {
  constructor(address) {
    this.address = address;
    this.dialog = dialogOf("palette", gettext("Go to"));
    this.field = document.createElement("input");
    Object.assign(this.field, { type: "text", placeholder: gettext("Go to a page, a source, saved SQL …"), autocomplete: "off", spellcheck: false, maxLength: 200 });
    for (const [name, value] of Object.entries({ role: "combobox", "aria-label": gettext("Go to"), "aria-expanded": "true", "aria-controls": "palette-list", "aria-autocomplete": "list" })) this.field.setAttribute(name, value);
    this.list = document.createElement("ul");
    Object.assign(this.list, { id: "palette-list", className: "palette-list", role: "listbox", ariaLabel: gettext("Places") });
    this.dialog.append(this.field, this.list);
    this.field.addEventListener("input", () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.find(), WAIT_MS); });
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    this.list.addEventListener("click", (event) => { const option = event.target.closest("[role=option]"); if (option) this.take(option); });
    this.dialog.addEventListener("close", () => { clearTimeout(this.timer); this.asking?.abort(); });
  }

  open() {
    if (this.dialog.open) { this.dialog.close(); return; }
    this.field.value = "";
    this.dialog.showModal();
    this.field.focus();
    void this.find();
  }

  get options() { return [...this.list.querySelectorAll("[role=option]")]; }

  get chosen() { return this.list.querySelector("[aria-selected=true]"); }

  /** Ask for the lines; an Enter that comes first waits for them. */
  find() {
    this.asking?.abort();
    this.asking = new AbortController();
    const typed = this.field.value;
    this.found = fetched(`${this.address}?q=${encodeURIComponent(typed)}`, this.asking.signal).then((page) => {
      this.shown = typed;
      this.list.replaceChildren(...page.body.children);
      this.point(this.options[0]);
      announce(ngettext("{count} place", "{count} places", this.options.length));
    }, (error) => { if (error.name !== "AbortError") this.list.textContent = gettext("The server could not be reached."); });
    return this.found;
  }

  point(option) {
    for (const one of this.options) one.setAttribute("aria-selected", String(one === option));
    this.field.setAttribute("aria-activedescendant", option?.id ?? "");
    option?.scrollIntoView({ block: "nearest" });
  }

  async pressed(event) {
    const { options } = this;
    const at = options.indexOf(this.chosen);
    const to = { ArrowDown: (at + 1) % options.length, ArrowUp: (at - 1 + options.length) % options.length, PageDown: options.length - 1, PageUp: 0 }[event.key];
    if (to !== undefined) {
      event.preventDefault();
      this.point(options[to]);
    } else if (event.key === "Enter" && !event.isComposing) {
      event.preventDefault();
      clearTimeout(this.timer);
      if (this.shown !== this.field.value) await this.find();
      if (this.dialog.open && this.chosen) this.take(this.chosen);
    }
  }

  take(option) {
    this.dialog.close();
    const { goesTo, action } = option.dataset;
    if (goesTo) location.assign(goesTo);
    else if (action === "new-sql") document.querySelector('[data-keys="g n"]')?.click();
    else if (THEMES[action]) {
      const select = document.querySelector("mirror-theme select");
      select.value = THEMES[action];
      select.dispatchEvent(new Event("change"));
    }
  }
}

let palette = null;

export function openPalette(address) {
  palette ??= new Palette(address);
  palette.open();
}

export async function openKeys(address) {
  const dialog = dialogOf("keys-dialog", gettext("Keys"));
  if (dialog.open) return;
  if (!dialog.hasChildNodes()) {
    const close = document.createElement("button");
    Object.assign(close, { type: "button", className: "button button-small", textContent: gettext("Close") });
    close.dataset.closes = "";
    const page = await fetched(address);
    const keys = page.getElementById("keys");
    Object.assign(keys, { tabIndex: 0, role: "region", ariaLabel: gettext("Keys") });
    dialog.append(keys, close);
  }
  dialog.showModal();
}
