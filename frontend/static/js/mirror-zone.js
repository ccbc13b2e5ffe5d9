// <mirror-zone>: around a field for a time zone that nobody has filled in yet. Puts in the zone of this browser,
// if the field offers it and nobody was quicker, and says so as typing would, so that whatever follows the field follows it.
// Around a hidden field it puts the zone in: files are written by a worker, which does not know the clocks of this browser.
class MirrorZone extends HTMLElement {
  connectedCallback() {
    // Listeners for typing are there once the page has loaded.
    if (document.readyState === "complete") this.fill();
    else addEventListener("load", () => this.fill(), { once: true });
  }

  fill() {
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
    const hidden = this.querySelector("input[type=hidden]");
    if (hidden) { hidden.value = here; return; }
    const field = this.querySelector("input[list]");
    // A zone that was typed before this came stays, and is told again: perhaps nobody listened then.
    const isTyped = field.value !== field.defaultValue;
    const isOffered = [...(field.list?.options ?? [])].some(({ value }) => value === here);
    if (!isTyped && (!isOffered || field.value === here)) return;
    if (!isTyped) field.value = here;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

customElements.define("mirror-zone", MirrorZone);
