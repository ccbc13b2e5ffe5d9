// <mirror-ask>: the question box. Enter asks, Shift-Enter makes a line. What is typed is kept for this tab
// until it was asked. A button with data-example, anywhere on the page, fills the box and asks.
class MirrorAsk extends HTMLElement {
  connectedCallback() {
    this.form = this.querySelector("form") ?? this.closest("form");
    this.box = this.querySelector("textarea");
    if (!this.form || !this.box || this.stop) return;
    this.stop = new AbortController();
    const { signal } = this.stop;
    this.key = `mirror-draft:${this.getAttribute("draft") ?? location.pathname}`;
    this.box.addEventListener("keydown", (event) => this.typed(event), { signal });
    this.box.addEventListener("input", () => { this.keep(this.box.value); this.fit(); }, { signal });
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
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this.form.requestSubmit();
  }

  asked(event) {
    if (!this.box.value.trim()) {
      event.preventDefault();
      this.say("Type a question first.");
      this.box.focus();
      return;
    }
    this.keep("");
    const button = this.form.querySelector("button:not([type=button])");
    button?.setAttribute("aria-busy", "true");
    addEventListener("pageshow", () => button?.removeAttribute("aria-busy"), { once: true });
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
