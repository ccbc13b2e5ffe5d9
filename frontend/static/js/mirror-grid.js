// <mirror-grid>: a table of rows to read and to work with. The server makes the table, its sorting, filters, totals and
// pages; this walks and selects cells, copies them exactly where shown ones are grouped or rounded, and lets columns
// be hidden, kept in sight, moved and made wider (grid-columns.js).
import { announce } from "./announce.js";
import { gettext, ngettext } from "./words.js";

const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0], Home: [0, -Infinity], End: [0, Infinity] };
// Cells longer than a page holds that one copy asks the server for.
const MOST_CUT = 50;
// Loaded by the first table; the next ones, such as another page of it, are laid out before they are seen.
let columns;

function exact(cell) {
  if (cell.classList.contains("null")) return "";
  return cell.dataset.exact ?? cell.textContent.trim();
}

/** A value as spreadsheets read it from the clipboard: in quotes where it holds what parts cells. */
function quoted(text) {
  return /[\t\n\r]|^"/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

class MirrorGrid extends HTMLElement {
  connectedCallback() {
    if (this.listening) return;
    this.listening = true;
    this.addEventListener("copy", (event) => this.copied(event));
    this.addEventListener("keydown", (event) => this.walked(event));
    this.addEventListener("pointerdown", (event) => this.pressed(event));
    this.addEventListener("pointerover", (event) => this.dragged(event));
    this.addEventListener("click", (event) => { if (event.target.closest("[data-filters]")) this.filters(); });
    const row = this.querySelector(".grid-filter");
    if (row) this.filters(row.hasAttribute("data-used") || row.contains(document.activeElement));
    if (this.querySelector("th[data-column]")) this.furnish();
  }

  async furnish() {
    columns ??= (await import("./grid-columns.js")).columns;
    if (this.isConnected) columns(this);
  }

  // The row of filters is there without scripts; with them it waits until it is wanted.
  filters(shown, wanted) {
    const row = this.querySelector(".grid-filter");
    row.hidden = !(shown ?? row.hidden);
    this.querySelector("[data-filters]")?.setAttribute("aria-expanded", String(!row.hidden));
    if (wanted || (shown === undefined && !row.hidden)) (wanted ?? row.querySelector("th:not([hidden]) input"))?.focus();
  }

  // ------------------------------------------------------------ selecting

  get rows() {
    return [...this.querySelectorAll("tbody tr, tfoot tr")];
  }

  shown(row) {
    return [...row.cells].filter((cell) => !cell.hidden);
  }

  place(cell) {
    return [this.rows.indexOf(cell.parentElement), this.shown(cell.parentElement).indexOf(cell)];
  }

  /** The cells between where selecting began and where it is, line by line. */
  get chosen() {
    if (!this.current?.isConnected) return [];
    const [[row, column], [otherRow, otherColumn]] = [this.place(this.current), this.place(this.from?.isConnected ? this.from : this.current)];
    const [left, right] = [Math.min(column, otherColumn), Math.max(column, otherColumn)];
    return this.rows.slice(Math.min(row, otherRow), Math.max(row, otherRow) + 1).map((line) => this.shown(line).slice(left, right + 1));
  }

  walked(event) {
    const frame = event.target.closest(".table-frame");
    if (!frame || event.target.closest("a, button, input")) return;
    if (event.key.toLowerCase() === "a" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      const [first, last] = [this.rows[0], this.rows.at(-1)];
      this.point(this.shown(first)[0]);
      this.point(this.shown(last).at(-1), true);
      return;
    }
    const step = steps[event.key];
    if (!step || event.altKey) return;
    const rows = this.rows;
    const [row, column] = this.current?.isConnected ? this.place(this.current) : [0, 0];
    const far = event.ctrlKey || event.metaKey;
    const moved = !this.current?.isConnected && Number.isFinite(step[1]) ? [0, 0] : step;
    const down = far && !Number.isFinite(step[1]) ? Math.sign(step[1]) * rows.length : moved[0];
    const line = rows[far && !Number.isFinite(step[1]) ? Math.max(0, Math.min(rows.length - 1, row + down)) : row + down];
    if (!line) return;
    const cells = this.shown(line);
    const next = cells[Number.isFinite(step[1]) ? column + moved[1] : Math.max(0, Math.min(cells.length - 1, column + moved[1]))];
    if (!next) return;
    event.preventDefault();
    this.point(next, event.shiftKey);
  }

  pressed(event) {
    const cell = event.target.closest("tbody td, tfoot td");
    if (!cell || event.button !== 0 || event.target.closest("a, button, input")) return;
    this.dragging = !event.shiftKey && cell;
    if (event.shiftKey && this.current) {
      event.preventDefault();
      this.point(cell, true);
    } else this.point(cell, false, true);
    addEventListener("pointerup", () => { this.dragging = false; }, { once: true });
  }

  dragged(event) {
    const cell = event.target.closest("tbody td, tfoot td");
    if (!this.dragging || !cell || !this.contains(cell) || (cell === this.dragging && !this.from)) return;
    getSelection().removeAllRanges();
    this.point(cell, true);
  }

  point(cell, extends_ = false, silent = false) {
    if (extends_) this.from ??= this.current;
    else this.from = null;
    this.current?.removeAttribute("data-here");
    for (const marked of this.querySelectorAll("[data-chosen]")) marked.removeAttribute("data-chosen");
    this.current = cell;
    cell.setAttribute("data-here", "");
    const chosen = this.chosen;
    if (this.from) for (const marked of chosen.flat()) marked.setAttribute("data-chosen", "");
    if (silent) return;
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
    const heading = this.querySelector("thead tr").cells[cell.cellIndex]?.textContent.trim();
    announce(this.from ? gettext("{rows} by {columns} cells selected", { rows: chosen.length, columns: chosen[0].length }) : `${heading}: ${cell.textContent.trim() || gettext("empty")}`);
  }

  // ------------------------------------------------------------ copying

  // Selected cells leave as tab-separated exact values: 4,210,334 on the page is 4210334 on the clipboard.
  copied(event) {
    if (event.target.closest?.("input, textarea")) return;
    const selection = getSelection();
    let lines = this.chosen;
    if (!selection.isCollapsed && !this.from) {
      const cells = [...this.querySelectorAll("tbody td, tbody th, thead tr:first-child th")].filter((cell) => !cell.hidden && selection.containsNode(cell, true));
      if (!cells.length || (cells.length === 1 && selection.toString() !== cells[0].textContent.trim())) return;
      lines = [...Map.groupBy(cells, (cell) => cell.parentElement).values()];
    }
    const cells = lines.flat();
    if (!cells.length) return;
    event.preventDefault();
    const cut = cells.filter((cell) => "cut" in cell.dataset);
    if (cut.length) { this.copyLong(lines, cut); return; }
    event.clipboardData.setData("text/plain", this.written(lines));
    announce(ngettext("Value copied", "{count} values copied", cells.length));
  }

  written(lines) {
    const one = lines.length === 1 && lines[0].length === 1;
    return lines.map((line) => line.map((cell) => (one ? exact(cell) : quoted(exact(cell)))).join("\t")).join("\n");
  }

  /** Values too long for the page are fetched first. */
  async copyLong(lines, cut) {
    if (cut.length > MOST_CUT) { announce(gettext("Too many long values to copy ({count}): take the file instead.", { count: cut.length })); return; }
    try {
      await Promise.all(cut.map(async (cell) => {
        const address = new URL(this.dataset.cell, location.href);
        address.searchParams.set("row", Number(this.dataset.first) - 1 + this.rows.indexOf(cell.parentElement));
        address.searchParams.set("column", cell.dataset.of ?? cell.cellIndex);
        const reply = await fetch(address);
        if (!reply.ok) throw new Error(await reply.text());
        cell.dataset.exact = await reply.text();
        delete cell.dataset.cut;
      }));
      await navigator.clipboard.writeText(this.written(lines));
      announce(ngettext("Value copied", "{count} values copied", lines.flat().length));
    } catch (error) {
      announce(gettext("The values could not be copied: {why}", { why: error.message }));
    }
  }
}

customElements.define("mirror-grid", MirrorGrid);
