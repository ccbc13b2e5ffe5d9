// <mirror-tabs kept>: one of several panes at a time. Each pane is a child of [data-panes] with data-tab="Chart";
// without scripts they stand one under the other. The choice is kept under the name given, for this tab of the browser;
// one that the page's address asks for (data-wanted) comes first.
let count = 0;

class MirrorTabs extends HTMLElement {
  connectedCallback() {
    const place = this.querySelector("[data-tabs]");
    const panes = [...this.querySelectorAll("[data-tab]")];
    if (!place || place.children.length || panes.length < 2) return;
    const group = `tabs-${++count}`;
    place.setAttribute("role", "tablist");
    this.tabs = panes.map((pane, n) => {
      const tab = document.createElement("button");
      tab.type = "button";
      tab.role = "tab";
      tab.id = `${group}-${n}`;
      pane.id ||= `${group}-pane-${n}`;
      tab.setAttribute("aria-controls", pane.id);
      tab.textContent = pane.dataset.tab;
      pane.role = "tabpanel";
      pane.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", () => this.show(n));
      tab.addEventListener("keydown", (event) => this.moved(event, n));
      return { tab, pane };
    });
    place.append(...this.tabs.map(({ tab }) => tab));
    const wanted = panes.findIndex((pane) => "wanted" in pane.dataset);
    const first = wanted < 0 ? panes.findIndex((pane) => pane.dataset.tab === this.kept()) : wanted;
    this.show(first < 0 ? 0 : first, false);
  }

  show(n, chosen = true) {
    this.tabs.forEach(({ tab, pane }, other) => {
      tab.setAttribute("aria-selected", String(other === n));
      tab.tabIndex = other === n ? 0 : -1;
      pane.hidden = other !== n;
    });
    this.dataset.shows = this.tabs[n].pane.dataset.tab;
    if (chosen) this.keep(this.tabs[n].pane.dataset.tab);
  }

  /** Show the pane of this name. */
  open(name) {
    const n = this.tabs.findIndex(({ pane }) => pane.dataset.tab === name);
    if (n >= 0) this.show(n);
  }

  moved(event, n) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const next = (n + step + this.tabs.length) % this.tabs.length;
    this.show(next);
    this.tabs[next].tab.focus();
  }

  kept() {
    try { return sessionStorage.getItem(`mirror-tab:${this.getAttribute("kept")}`); } catch { return null; }
  }

  keep(word) {
    try { sessionStorage.setItem(`mirror-tab:${this.getAttribute("kept")}`, word); } catch { /* the choice lasts for this page */ }
  }
}

customElements.define("mirror-tabs", MirrorTabs);
