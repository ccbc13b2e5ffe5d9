// <mirror-tabs kept>: one of several panes at a time. Each pane is a child of [data-panes] with data-tab="Chart";
// data-label says it in the language of the page; without scripts they stand one under the other. The choice is kept under the name given, for this tab of the browser;
// one that the page's address asks for (data-wanted) comes first. That of a pane of certain rows (data-of) is kept for them alone.
let count = 0;

const named = ({ dataset: { tab, of = "" } }) => `${tab} ${of}`.trim();

const PIVOT = ["pr", "pr2", "pc", "pv", "pa", "po", "pp"];

/** Let the address say the pivot that a form chooses, or none: it was of rows that were shown before, or something else is looked at. */
function tell(form) {
  const address = new URL(location.href);
  if (!form && !address.searchParams.has("pr")) return;
  for (const name of PIVOT) address.searchParams.delete(name);
  for (const [name, value] of form ? new FormData(form) : []) {
    if (value && PIVOT.includes(name)) address.searchParams.set(name, value);
  }
  history.replaceState(history.state, "", address);
}

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
      tab.textContent = pane.dataset.label || pane.dataset.tab;
      pane.role = "tabpanel";
      pane.setAttribute("aria-labelledby", tab.id);
      tab.addEventListener("click", () => this.show(n));
      tab.addEventListener("keydown", (event) => this.moved(event, n));
      return { tab, pane };
    });
    place.append(...this.tabs.map(({ tab }) => tab));
    const wanted = panes.findIndex((pane) => "wanted" in pane.dataset);
    const first = wanted < 0 ? panes.findIndex((pane) => named(pane) === this.kept()) : wanted;
    this.show(first < 0 ? 0 : first, false);
    if (panes.some(({ dataset }) => "of" in dataset && !("wanted" in dataset))) tell();
  }

  show(n, chosen = true) {
    this.tabs.forEach(({ tab, pane }, other) => {
      tab.setAttribute("aria-selected", String(other === n));
      tab.tabIndex = other === n ? 0 : -1;
      pane.hidden = other !== n;
    });
    this.dataset.shows = this.tabs[n].pane.dataset.tab;
    if (!chosen) return;
    this.keep(named(this.tabs[n].pane));
    if (this.tabs.some(({ pane }) => "of" in pane.dataset)) tell(this.tabs[n].pane.querySelector(".pivot-form"));
  }

  /** Show the pane of this name. */
  open(name) {
    const n = this.tabs.findIndex(({ pane }) => pane.dataset.tab === name);
    if (n >= 0) this.show(n);
  }

  moved(event, n) {
    const most = this.tabs.length;
    const next = { ArrowRight: (n + 1) % most, ArrowLeft: (n - 1 + most) % most, Home: 0, End: most - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
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
