// A text in which people are mentioned: after @ those who see the page are offered. Without it, their names are typed.
import { gettext, ngettext } from "./words.js";
const TYPED = /(?:^|[^\w@.+-])@([\w.+-]{0,60})$/;

class MirrorMentions extends HTMLElement {
  connectedCallback() {
    this.field = this.querySelector("textarea");
    if (!this.field || this.list) return;
    this.list = Object.assign(document.createElement("ul"), { className: "mention-list", hidden: true, id: `${this.field.id}-people` });
    this.list.setAttribute("role", "listbox");
    this.list.setAttribute("aria-label", gettext("People who see this page"));
    this.append(this.list);
    for (const [name, value] of Object.entries({ "aria-autocomplete": "list", "aria-controls": this.list.id, "aria-haspopup": "listbox" })) this.field.setAttribute(name, value);
    this.field.addEventListener("input", () => this.look());
    this.field.addEventListener("keydown", (event) => this.pressed(event));
    this.field.addEventListener("blur", () => setTimeout(() => this.close(), 150));
    this.list.addEventListener("mousedown", (event) => {
      event.preventDefault();
      const chosen = event.target.closest("[role=option]");
      if (chosen) this.take(chosen);
    });
  }

  typed() {
    return TYPED.exec(this.field.value.slice(0, this.field.selectionStart))?.[1];
  }

  async look() {
    const typed = this.typed();
    if (typed === undefined) return this.close();
    this.asked?.abort();
    this.asked = new AbortController();
    let found = [];
    try {
      const reply = await fetch(`${this.getAttribute("people")}?q=${encodeURIComponent(typed)}`, { signal: this.asked.signal });
      if (!reply.ok || reply.redirected) return this.close();
      found = (await reply.json()).people;
    } catch { return; }
    if (this.typed() !== typed || !found.length) return this.close();
    this.list.replaceChildren(...found.map(({ name, full }, at) => {
      const option = Object.assign(document.createElement("li"), { id: `${this.list.id}-${at}`, textContent: full ? `${name} (${full})` : name });
      option.setAttribute("role", "option");
      option.dataset.name = name;
      return option;
    }));
    this.list.hidden = false;
    this.mark(0);
    const live = document.getElementById("announcer");
    if (live) live.textContent = ngettext("{count} to mention", "{count} to mention", found.length);
  }

  mark(at) {
    const options = [...this.list.children];
    options.forEach((one, place) => one.setAttribute("aria-selected", String(place === at)));
    this.at = at;
    this.field.setAttribute("aria-activedescendant", options[at].id);
  }

  pressed(event) {
    if (this.list.hidden) return;
    const count = this.list.children.length;
    const steps = { ArrowDown: 1, ArrowUp: count - 1 };
    if (event.key in steps) this.mark((this.at + steps[event.key]) % count);
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) this.take(this.list.children[this.at]);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  take(option) {
    const end = this.field.selectionStart, start = end - this.typed().length;
    this.field.setRangeText(`${option.dataset.name} `, start, end, "end");
    this.close();
    this.field.focus();
  }

  close() {
    this.list.hidden = true;
    this.field.removeAttribute("aria-activedescendant");
  }
}

customElements.define("mirror-mentions", MirrorMentions);
