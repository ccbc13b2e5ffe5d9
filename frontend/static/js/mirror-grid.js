// <mirror-grid>: a table of rows that is quick to read. The server makes the table, its sorting and its pages;
// this copies exact values where the shown ones are grouped or rounded, and lets arrow keys walk the cells.
import { announce } from "./announce.js";

const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

function exact(cell) {
  if (cell.classList.contains("null")) return "";
  return cell.dataset.exact ?? cell.textContent.trim();
}

class MirrorGrid extends HTMLElement {
  connectedCallback() {
    if (this.listening) return;
    this.listening = true;
    this.addEventListener("copy", (event) => this.copied(event));
    this.addEventListener("keydown", (event) => this.walked(event));
    this.addEventListener("click", (event) => { if (event.target.closest("[data-filters]")) this.filters(); });
    const row = this.querySelector(".grid-filter");
    if (row) this.filters(row.hasAttribute("data-used") || row.contains(document.activeElement));
  }

  // The row of filters is there without scripts; with them it waits until it is wanted.
  filters(shown) {
    const row = this.querySelector(".grid-filter");
    row.hidden = !(shown ?? row.hidden);
    this.querySelector("[data-filters]")?.setAttribute("aria-expanded", String(!row.hidden));
    if (shown === undefined && !row.hidden) row.querySelector("input")?.focus();
  }

  // Selected cells leave as tab-separated exact values: 4,210,334 on the page is 4210334 on the clipboard.
  copied(event) {
    const selection = getSelection();
    if (selection.isCollapsed && !this.current) return;
    const cells = selection.isCollapsed
      ? [this.current]
      : [...this.querySelectorAll("tbody td, tbody th, thead th")].filter((cell) => selection.containsNode(cell, true));
    if (!cells.length || (cells.length === 1 && !selection.isCollapsed && selection.toString() !== cells[0].textContent.trim())) return;
    const lines = new Map();
    for (const cell of cells) {
      const line = lines.get(cell.parentElement) ?? [];
      line.push(exact(cell));
      lines.set(cell.parentElement, line);
    }
    event.clipboardData.setData("text/plain", [...lines.values()].map((line) => line.join("\t")).join("\n"));
    event.preventDefault();
    announce(cells.length === 1 ? "Value copied" : `${cells.length} values copied`);
  }

  walked(event) {
    const frame = event.target.closest(".table-frame");
    const step = steps[event.key];
    if (!frame || !step || event.target.closest("a, button, input")) return;
    const rows = [...this.querySelectorAll("tbody tr")];
    const cell = this.current?.isConnected ? this.current : null;
    const row = cell ? rows.indexOf(cell.parentElement) + step[0] : 0;
    const column = cell ? cell.cellIndex + step[1] : 0;
    const next = rows[row]?.cells[column];
    if (!next) return;
    event.preventDefault();
    this.point(next);
  }

  point(cell) {
    this.current?.removeAttribute("data-here");
    this.current = cell;
    cell.setAttribute("data-here", "");
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    const heading = this.querySelector("thead tr").cells[cell.cellIndex]?.textContent.trim();
    announce(`${heading}: ${cell.textContent.trim() || "empty"}`);
  }
}

customElements.define("mirror-grid", MirrorGrid);
