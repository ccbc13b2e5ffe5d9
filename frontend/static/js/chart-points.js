// The points of a <mirror-chart>: arrow keys walk them and read each aloud, Enter or a click shows the rows that one is
// made of in the table beside the chart, and a bar above the table leads back. Loaded once a chart is pointed at.
import { announce } from "./announce.js";
import { gettext, language, number } from "./words.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1], Home: [-Infinity, 0], End: [Infinity, 0] };
const parser = new DOMParser();

export function points(chart) {
  return new Points(chart);
}

class Points {
  constructor(chart) {
    this.chart = chart;
    this.at = [0, -1];
    chart.place.addEventListener("keydown", (event) => this.walked(event));
    chart.place.addEventListener("focusout", () => this.mark());
    chart.place.on?.("plotly_click", ({ points: [point] }) => this.clicked(point));
  }

  get data() { return this.chart.figure.data; }

  get drill() { return this.chart.figure.drill; }

  /** The series of a chart, each with how many points it has; of a heatmap its rows. */
  get series() {
    const [first] = this.data;
    if (first?.type === "heatmap") return first.z.map((row) => row.length);
    return this.data.map((trace) => (trace.values ?? trace.x ?? trace.hovertext ?? []).length);
  }

  walked(event) {
    if (event.key === "Enter" && this.at[1] >= 0 && (this.tabs || this.board)) { event.preventDefault(); this.show(...this.at); return; }
    if (event.key === "Escape") { this.at[1] = -1; this.mark(); return; }
    const step = STEPS[event.key];
    if (!step || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const series = this.series;
    const [line, point] = this.at;
    const next = Math.max(0, Math.min(series.length - 1, line + (point < 0 ? 0 : step[1])));
    const last = series[next] - 1;
    this.at = [next, Math.max(0, Math.min(last, point < 0 && step[0] > -Infinity && step[0] < Infinity ? 0 : point + step[0]))];
    if (last < 0) return;
    this.mark(...this.at);
    const does = !this.card ? gettext("shows its rows") : this.card.matches("[data-sets]") ? gettext("offers what to do with it") : gettext("filters the other cards");
    const tail = this.filters(...this.at) ? gettext("; Enter {does}", { does }) : "";
    announce(gettext("{point} ({number} of {count})", { point: this.words(...this.at), number: this.at[1] + 1, count: last + 1 }) + tail);
  }

  // ------------------------------------------------------------ words

  words(line, point) {
    const [first] = this.data;
    if (first.type === "heatmap") return [first.x[point], first.y[line], written(first.z[line][point], {})].map(plain).join(", ");
    const trace = this.data[line];
    if (trace.labels) return `${plain(trace.labels[point])}: ${written(trace.values[point], {})}`;
    if (trace.hovertext) return plain(trace.hovertext[point]);
    const isLying = trace.orientation === "h";
    const layout = this.chart.figure.layout;
    const across = isLying ? layout[(trace.xaxis ?? "x").replace("x", "xaxis")] : layout[(trace.yaxis ?? "y").replace("y", "yaxis")];
    const [along, value] = isLying ? [trace.y[point], trace.x[point]] : [trace.x[point], trace.y[point]];
    const name = this.data.length > 1 ? `${plain(trace.name)}, ` : "";
    const labels = trace.mode === "markers" && trace.text?.[point] ? `${plain(trace.text[point])}, ` : "";
    return `${name}${labels}${written(along, isLying ? layout.yaxis : layout.xaxis)}: ${written(value, across)}`;
  }

  /** Put a ring on a point and its words above it, for those who see; without one take both away. */
  mark(line, point) {
    this.ring?.remove();
    this.told?.remove();
    if (point === undefined) return;
    const { place } = this.chart;
    const [x, y] = this.spot(line, point);
    const isThere = Number.isFinite(x + y);
    this.told = document.createElement("span");
    this.told.className = "chart-told small";
    this.told.setAttribute("aria-hidden", "true");
    this.told.textContent = this.words(line, point);
    place.append(this.told);
    const half = this.told.offsetWidth / 2;
    const high = this.told.offsetHeight;
    this.told.style.left = `${Math.max(half, Math.min(place.clientWidth - half, isThere ? x : place.clientWidth / 2))}px`;
    this.told.style.top = `${isThere ? (y - 14 < high ? y + 14 + high : y - 14) : high}px`;
    if (!isThere) return;
    this.ring = document.createElement("span");
    this.ring.className = "chart-ring";
    this.ring.style.left = `${x}px`;
    this.ring.style.top = `${y}px`;
    place.append(this.ring);
  }

  spot(line, point) {
    const { _fullLayout: layout, _fullData: full, calcdata } = this.chart.place;
    const isHeat = this.data[0].type === "heatmap";
    const trace = full?.[isHeat ? 0 : line];
    if (layout?.geo) {
      const place = calcdata?.[line]?.[point];
      return layout.geo._subplot?.projection?.(place?.ct ?? place?.lonlat ?? [NaN, NaN]) ?? [NaN, NaN];
    }
    const [xaxis, yaxis] = [layout?.[trace?.xaxis?.replace("x", "xaxis")], layout?.[trace?.yaxis?.replace("y", "yaxis")]];
    if (!xaxis?.c2p || !yaxis?.c2p) return [NaN, NaN];
    const from = (x, y) => [xaxis._offset + x, yaxis._offset + y];
    if (isHeat) return from(xaxis.c2p(point), yaxis.c2p(line));
    const drawn = calcdata?.[line]?.[point];
    return drawn?.ct ? from(...drawn.ct) : from(xaxis.c2p(drawn?.x), yaxis.c2p(drawn?.y));
  }

  /** Where a point is on the screen; the chart where it has no place of its own. */
  box(line, point) {
    const whole = this.chart.place.getBoundingClientRect();
    const [x, y] = this.spot(line, point);
    return Number.isFinite(x + y) ? new DOMRect(whole.x + x, whole.y + y, 0, 0) : whole;
  }

  // ------------------------------------------------------------ rows

  /** The filters of a point, by the numbers of their columns; nothing where a value makes none. */
  filters(line, point) {
    const { drill } = this;
    if (!drill || !(this.tabs || this.card)) return null;
    const own = (drill.is_by_trace ? drill.points[line] : drill.points)?.[point];
    const found = (own ?? []).map((text, n) => [drill.columns[n], text]);
    if (drill.series !== null) found.push([drill.series, drill.names[line]]);
    return found.length && found.every(([, text]) => typeof text === "string") ? found : null;
  }

  clicked(point) {
    if (!this.tabs && !this.board) return;
    const spot = point.pointNumber ?? point.pointNumbers?.[0];
    const [line, at] = Array.isArray(spot) ? spot : [point.curveNumber, spot];
    this.at = [line, at];
    this.show(line, at);
  }

  /** The card of a dashboard whose values filter others, or set a parameter. */
  get card() { return this.chart.closest("[data-picks], [data-sets]"); }

  /** Any card of a dashboard. */
  get board() { return this.chart.closest("[data-card]"); }

  get tabs() { return this.chart.closest("mirror-tabs"); }

  get grid() { return this.tabs?.querySelector("mirror-grid"); }

  async show(line, point) {
    const filters = this.filters(line, point);
    const { board } = this;
    if (board) {
      if (filters && this.card) this.chart.dispatchEvent(new CustomEvent("mirror-point", { bubbles: true, detail: { values: filters, box: this.box(line, point) } }));
      else void import("./board-set.js").then(({ tell }) => tell(board));
      return;
    }
    const form = this.grid?.querySelector("form");
    if (!filters || !form) { announce(gettext("The rows of this point cannot be shown alone.")); return; }
    const words = gettext("Rows of {point}", { point: this.words(line, point) });
    const all = new URL(form.action);
    const address = new URL(all);
    for (const [column, text] of filters) address.searchParams.set(`f${column}`, text);
    const load = (to) => globalThis.htmx.ajax("GET", to.pathname + to.search, { target: this.grid, swap: "outerHTML" });
    const { tabs } = this;
    tabs.querySelector(".drilled")?.remove();
    await load(address);
    const bar = document.createElement("div");
    const said = document.createElement("span");
    const back = document.createElement("button");
    bar.className = "drilled row-apart";
    said.textContent = words;
    back.type = "button";
    back.className = "button button-small";
    back.textContent = gettext("Back to the chart");
    back.addEventListener("click", async () => {
      bar.remove();
      tabs.open("Chart");
      this.chart.place.focus();
      this.mark(line, point);
      await load(all);
    });
    bar.append(said, back);
    this.grid.before(bar);
    tabs.open("Table");
    back.focus();
    announce(words);
  }
}

/** A number or a month as its axis writes it, anything else as it is. */
function written(value, axis) {
  if (typeof value !== "number") {
    const month = axis?.hoverformat === "%b %Y" && /^\d{4}-\d\d/.exec(value);
    return month ? new Date(`${month}-15`).toLocaleDateString(language, { year: "numeric", month: "short" }) : plain(value ?? gettext("no value"));
  }
  const form = /(,?)\.(\d+)([f%])/.exec(axis?.tickformat ?? "");
  const places = form ? { minimumFractionDigits: Number(form[2]), maximumFractionDigits: Number(form[2]) } : { maximumFractionDigits: 6 };
  const text = number(value, { ...places, useGrouping: form ? form[1] === "," : !axis?.tickformat, style: form?.[3] === "%" ? "percent" : "decimal" });
  return plain(`${axis?.tickprefix ?? ""}${text}${axis?.ticksuffix ?? ""}`);
}

/** Texts of a figure are escaped for Plotly, which reads markup; here they are words. */
function plain(text) {
  return parser.parseFromString(String(text ?? ""), "text/html").body.textContent.trim();
}
