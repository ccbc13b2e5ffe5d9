// <mirror-chart name>: draws the figure in its JSON script with Plotly, in the colours of the page. What else
// is inside (a sentence, a link to the table) is shown when it cannot be drawn. Buttons outside ask for a file
// with data-chart-file="png" or "svg" and name the chart's id in data-chart.
import { announce } from "./announce.js";
import { colour, readable, template } from "./colours.js";

// Widths in pixels: of an axis with its numbers, and of a digit of a value beside its bar or point.
const [AXIS, LETTER] = [72, 7.4];
// How far below the window a chart begins to load.
const NEAR = "300px";
let loading;

// The library is the largest thing on any page: it comes once, when the first chart is about to be seen.
function plotly() {
  loading ??= import("./build/charts.js").then(() => globalThis.Plotly, (error) => { loading = undefined; throw error; });
  return loading;
}

class MirrorChart extends HTMLElement {
  connectedCallback() {
    if (this.place) return;
    const source = this.querySelector("script[type='application/json']");
    if (!source) return;
    this.figure = JSON.parse(source.textContent);
    this.place = document.createElement("div");
    this.place.className = "chart-place";
    this.place.setAttribute("role", "img");
    this.place.setAttribute("aria-label", this.getAttribute("label") ?? "Chart; the same numbers are in the table");
    this.prepend(this.place);
    this.redraw = () => { if (this.isSeen) this.draw(); };
    document.addEventListener("mirror-theme", this.redraw);
    this.sight = new IntersectionObserver((entries) => { if (entries.some((entry) => entry.isIntersecting)) this.seen(); }, { rootMargin: NEAR });
    this.sight.observe(this);
  }

  seen() {
    this.sight.disconnect();
    this.isSeen = true;
    this.draw();
  }

  disconnectedCallback() {
    document.removeEventListener("mirror-theme", this.redraw);
    this.sight?.disconnect();
    this.watch?.disconnect();
    this.watch = undefined;
    if (this.place) globalThis.Plotly?.purge(this.place);
    this.place?.remove();
    this.place = null;
  }

  async draw() {
    try {
      const library = await plotly();
      if (!this.place) return;
      const layout = this.layout();
      this.caption(layout);
      layout.autosize = true;
      const tall = height(this.figure);
      this.place.style.height = layout.height ? `max(${tall}, ${layout.height}px)` : tall;
      if (layout.height > 540) this.tabIndex = 0;
      else this.removeAttribute("tabindex");
      delete layout.height;
      this.labelled = this.hasRoom();
      await library.react(this.place, this.labelled ? this.traces() : unlabelled(this.figure.data), layout, {
        displayModeBar: false, responsive: true, displaylogo: false, doubleClick: "reset", showTips: false,
      });
      this.dataset.drawn = "";
      this.watchSize(library);
    } catch (error) {
      this.dataset.failed = "";
      announce("The chart could not be drawn; the table has the same numbers.");
      console.warn(error);
    }
  }

  // The title is words of the page where the page has a place for it: they wrap, and are read like any other.
  caption(layout) {
    const title = plain(layout.title?.text);
    const subtitle = plain(layout.title?.subtitle?.text);
    if (title) this.place.setAttribute("aria-label", `Chart: ${title}. The same numbers are in the table.`);
    const place = this.closest(".result-pane")?.querySelector("[data-chart-caption]");
    if (!place) return;
    const heading = document.createElement("h2");
    heading.textContent = title;
    const note = document.createElement("p");
    note.className = "small muted";
    note.textContent = subtitle;
    place.replaceChildren(...(title ? [heading] : []), ...(subtitle ? [note] : []));
    delete layout.title;
    if (layout.margin) delete layout.margin.t;
  }

  // The figure's layout in our template, with room for a title where it has one.
  layout() {
    const layout = { ...structuredClone(this.figure.layout), template: template() };
    // Numbers, or a word why there is no chart, stand where the chart would; the longer, the smaller.
    if (isWords(this.figure)) {
      layout.template.layout.annotationdefaults = { font: { size: 15, color: colour("--text-muted") } };
      if (layout.annotations?.[0]) layout.annotations[0].font = { size: wordSize(layout), color: colour("--text") };
    }
    if (layout.title) layout.margin = { ...layout.template.layout.margin, t: layout.title.subtitle ? 64 : 44, ...layout.margin };
    return layout;
  }

  /** What is drawn, with numbers inside of bars in the colour that is read best there: the library's own grey is too faint. */
  traces() {
    const [light, dark] = [colour("--panel"), colour("--text")];
    return structuredClone(this.figure.data).map((trace, n) => (trace.type === "bar" && trace.text
      ? { ...trace, insidetextfont: { color: readable(colour(`--series-${(n % 8) + 1}`), light, dark) } }
      : trace));
  }

  watchSize(library) {
    if (this.watch) return;
    this.watch = new ResizeObserver(() => {
      if (!this.place?.offsetWidth) return;
      if (this.hasRoom() === this.labelled) library.Plots.resize(this.place);
      else this.draw();
    });
    this.watch.observe(this);
  }

  /** Whether the values that stand upright side by side, over bars or points, have room for their words. */
  hasRoom() {
    const beside = this.figure.data.filter(({ text, orientation }) => text && orientation !== "h");
    if (!beside.length) return true;
    const grouped = this.figure.layout.barmode === "group";
    const places = Math.max(...beside.map(({ text }) => text.length)) * (grouped ? beside.length : 1);
    const longest = Math.max(...beside.flatMap(({ text }) => text.map((word) => String(word).length)));
    return (this.place.clientWidth - AXIS) / places >= longest * LETTER;
  }

  /** Hand the chart over as a file, on the ground it is seen on. */
  async download(format) {
    const library = await plotly();
    const ground = getComputedStyle(this.closest(".panel") ?? document.body).backgroundColor;
    const layout = this.layout();
    layout.template.layout.paper_bgcolor = rgb(ground);
    const url = await library.toImage(
      { data: this.traces(), layout },
      { format, width: 1000, height: Math.max(560, layout.height ?? 0), scale: format === "png" ? 2 : 1 },
    );
    const link = document.createElement("a");
    link.href = url;
    link.download = `${this.getAttribute("name") || "chart"}.${format}`;
    link.click();
    announce("Chart saved");
  }
}

// Texts of a figure are escaped for Plotly, which reads markup; here they are words.
function plain(text) {
  return text ? new DOMParser().parseFromString(text, "text/html").body.textContent.trim() : "";
}

function unlabelled(data) {
  return structuredClone(data).map(({ text, textposition, ...trace }) => ({ ...trace, ...(trace.mode && { mode: trace.mode.replace("+text", "") }) }));
}

/** A figure of words: a number, perhaps with a line of how it came to be, or why there is no chart. */
function isWords({ data, layout }) {
  return !data.length || layout.xaxis?.visible === false;
}

function height({ data, layout }) {
  if (data.length && isWords({ data, layout })) return "14rem";
  if (!data.length) return `${Math.max(9, 4 * lines(layout).length)}rem`;
  return layout.showlegend && data.length > 3 ? "27rem" : "22rem";
}

function lines(layout) {
  return (layout.annotations ?? []).slice(0, 1).flatMap(({ text }) => text.replace(/<\/?b>/g, "").split("<br>"));
}

function wordSize(layout) {
  if (!layout.title) return 15;
  const longest = Math.max(1, ...lines(layout).map((line) => line.length));
  return Math.round(Math.min(44, Math.max(15, 560 / longest)));
}

function rgb(css) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.fillStyle = css;
  pen.fillRect(0, 0, 1, 1);
  return `rgb(${[...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).join(",")})`;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-chart-file]");
  if (button) document.getElementById(button.dataset.chart)?.download(button.dataset.chartFile);
});

customElements.define("mirror-chart", MirrorChart);
