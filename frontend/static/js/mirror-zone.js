// <mirror-zone>: around a field for a time zone that nobody has filled in yet. Puts in the zone of this browser,
// if the field offers it, and says so as typing would, so that whatever follows the field follows it.
class MirrorZone extends HTMLElement {
  connectedCallback() {
    // Whoever listens for typing is there once the page has loaded.
    if (document.readyState === "complete") this.fill();
    else addEventListener("load", () => this.fill(), { once: true });
  }

  fill() {
    const field = this.querySelector("input[list]");
    const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const offered = [...(field?.list?.options ?? [])].some(({ value }) => value === here);
    if (!offered || field.value === here) return;
    field.value = here;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }
}

customElements.define("mirror-zone", MirrorZone);
