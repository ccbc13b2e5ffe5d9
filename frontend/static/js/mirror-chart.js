// <mirror-chart name>: draws the figure in its JSON script with Plotly. Its other content is shown when it
// cannot be drawn. Buttons outside ask for a file with data-chart-file and name the chart's id in data-chart.
import { announce } from "./announce.js";
import { colour, readable, rgb, shade, size, template } from "./colours.js";
import { inLanguage } from "./figure-words.js";
import { gettext, language, number } from "./words.js";

// Widths in pixels: of an axis with its numbers, between two values that stand side by side, and of the right margin.
const [AXIS, BETWEEN, EDGE] = [72, 4, 16];
// The share of a place that its bars take; the rest is the gap of the template.
const BARS = 0.72;
// How a saved picture is measured.
const PICTURE = 1000;
// How far below the window a chart begins to load.
const NEAR = "300px";
// How wide a small chart is at least, but where two are side by side.
const SMALL = 165;
// Below a narrower map stands the scale of its colours, not beside it.
const NARROW = 480;
// Room that names of lying bars have at least.
const NAMES = 110;
// Pixels above and below the digits in the box of a word.
const LEADING = 4;
// Names in a legend up to which each has its own place; the width of the mark before one.
const [FEW_NAMES, MARK] = [4, 34];
// A taller chart is scrolled. One with `fits` is as tall as its place.
const TALL = 540;
// Below this height the words of a number and its line would meet.
const LOW = 150;
const INKS = ["rgb(0, 0, 0)", "rgb(255, 255, 255)"];
const pen = document.createElement("canvas").getContext("2d");
let loading;

// The library comes once, when the first chart is about to be seen.
function plotly() {
  loading ??= import("./build/charts.js").then(() => globalThis.Plotly, (error) => { loading = undefined; throw error; });
  return loading;
}

// The library of maps is loaded with the first map.
let mapping;
function maps() {
  mapping ??= import("./build/maps.js").catch((error) => { mapping = undefined; throw error; });
  return mapping;
}

class MirrorChart extends HTMLElement {
  connectedCallback() {
    if (this.place) return;
    const source = this.querySelector("script[type='application/json']");
    if (!source) return;
    this.figure = inLanguage(JSON.parse(source.textContent));
    this.place = document.createElement("div");
    this.place.className = "chart-place";
    // The points of a chart are walked with arrow keys, which a picture would leave to the screen reader.
    const isWalked = this.figure.data.length > 0 && this.figure.drill;
    this.place.setAttribute("role", isWalked ? "application" : "img");
    this.place.setAttribute("aria-label", this.getAttribute("label") ?? gettext("Chart; the same numbers are in the table"));
    if (isWalked) this.place.tabIndex = 0;
    this.prepend(this.place);
    this.redraw = () => { if (this.isSeen) this.draw(); };
    document.addEventListener("mirror-theme", this.redraw);
    // Paper has no fold: what was not scrolled to is printed too.
    this.printed = () => { if (!this.isSeen) this.seen(); };
    addEventListener("beforeprint", this.printed);
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
    removeEventListener("beforeprint", this.printed);
    this.sight?.disconnect();
    this.watch?.disconnect();
    this.watch = undefined;
    if (this.place) globalThis.Plotly?.purge(this.place);
    this.place?.remove();
    this.scale?.remove();
    this.querySelector(".map-zoom")?.remove();
    this.place = this.points = null;
    delete this.dataset.walked;
    this.pointed = false;
  }

  async draw() {
    try {
      const library = await plotly();
      if (this.figure.layout.geo) await maps();
      if (!this.place) return;
      const layout = this.layout();
      this.caption(layout);
      layout.autosize = true;
      const fits = this.hasAttribute("fits");
      const hasScale = layout.coloraxis?.showscale === false;
      const tall = !fits ? height(this.figure) : hasScale ? "calc(100% - 2rem)" : "100%";
      this.place.style.height = layout.height > (fits && !layout.meta?.grids ? TALL : 0) ? `max(${tall}, ${layout.height}px)` : tall;
      // Small charts are scrolled with the page.
      this.toggleAttribute("data-grid", Boolean(layout.meta?.grids) && !fits);
      if (layout.height > TALL && !this.hasAttribute("data-grid")) this.tabIndex = 0;
      else this.removeAttribute("tabindex");
      delete layout.height;
      if (layout.geo && this.zoom) {
        const { scale, ...center } = this.zoom;
        Object.assign(layout.geo, { center, projection: { ...layout.geo.projection, scale } });
      }
      const isLined = !isWords(this.figure) || inLowPlace(layout, this.place.clientHeight);
      this.labelled = this.hasRoom();
      const drawn = this.labelled ? this.traces() : unlabelled(this.coloured());
      const data = isLined ? drawn : drawn.map((trace) => ({ ...trace, opacity: 0 }));
      this.toggleAttribute("data-named", narrowLegend(layout, data, this.place.clientWidth));
      await library.react(this.place, data, layout, {
        displayModeBar: false, responsive: true, displaylogo: false, doubleClick: "reset", showTips: false, scrollZoom: false, locale: language, locales: locales(),
      });
      if (layout.geo) void import("./map-zoom.js").then(({ zooming }) => { if (this.place) zooming(this, library); });
      this.scale?.remove();
      this.scale = hasScale ? scale(this.figure) : undefined;
      if (this.scale) this.place.after(this.scale);
      this.dataset.drawn = "";
      this.points?.mark();
      if (this.place.tabIndex === 0 && !this.pointed) this.point();
      this.keepWhole();
      this.watchSize(library);
    } catch (error) {
      this.dataset.failed = "";
      announce(gettext("The chart could not be drawn; the table has the same numbers."));
      console.warn(error);
    }
  }

  /** Have its points walked and clicked, once somebody turns to it. */
  point() {
    this.pointed = true;
    const load = async () => {
      const { points } = await import("./chart-points.js");
      if (!this.place) return;
      this.points ??= points(this);
      this.dataset.walked = "";
    };
    for (const name of ["focusin", "pointerenter"]) this.place.addEventListener(name, load, { once: true });
    if (this.place.contains(document.activeElement)) void load();
  }

  // The title is words of the page where it has a place for them.
  caption(layout) {
    const title = plain(layout.title?.text);
    const subtitle = plain(layout.title?.subtitle?.text);
    const zoomed = layout.geo ? ` ${gettext("Plus and minus zoom.")}` : "";
    const walked = this.place.tabIndex === 0 ? ` ${gettext("Arrow keys read its points.")}${zoomed}` : "";
    if (title) this.place.setAttribute("aria-label", gettext("Chart: {title}.{walked} The same numbers are in the table.", { title, walked }));
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
  layout(width = this.place.clientWidth) {
    const layout = { ...structuredClone(this.figure.layout), template: template() };
    if (isWords(this.figure)) {
      layout.template.layout.annotationdefaults = { font: { size: 15, color: colour("--text-muted") } };
      if (layout.annotations?.[0]) layout.annotations[0].font = { size: wordSize(layout, width), color: colour("--text") };
    }
    inGrid(layout, width);
    if (layout.coloraxis) layout.coloraxis.showscale = width >= NARROW;
    this.makeRoom(layout, width);
    // The word of a line's last point stands half beyond it.
    const points = this.figure.data.filter(({ mode, text }) => text && mode?.includes("text")).flatMap(({ text }) => text);
    if (points.length) layout.template.layout.margin.r = Math.max(EDGE, Math.ceil(longest(points) / 2));
    if (layout.title) layout.margin = { ...layout.template.layout.margin, t: layout.title.subtitle ? 64 : 44, ...layout.margin };
    return layout;
  }

  /** The axis of lying bars as long as its own width needs for the words behind them: a telephone's was kept free. */
  makeRoom(layout, width) {
    const names = layout.yaxis?.ticktext;
    if (names) layout.yaxis.ticktext = names.map((name) => cut(name, Math.max(NAMES, width * 0.4)));
    const [bars] = this.figure.data;
    if (bars?.textposition !== "outside" || !layout.xaxis?.range) return;
    const long = width - longest(layout.yaxis?.ticktext ?? []) - AXIS;
    const room = Math.max(...bars.x) / (1 - Math.min(0.5, longest(bars.text) / long));
    const [from, to] = layout.xaxis.range;
    const lines = (layout.shapes ?? []).map(({ x0 }) => Number(x0) || 0);
    if (long > 0) layout.xaxis.range = [from, Math.min(to, Math.max(room, ...lines))];
  }

  /** Drawn traces, with numbers in bars and cells in the colour read best there. */
  traces() {
    const [light, dark] = [colour("--panel"), colour("--text")];
    return structuredClone(this.coloured()).flatMap((trace, n) => {
      if (trace.type === "heatmap" && trace.text) return inked(trace);
      if (trace.type !== "bar" || !trace.text) return [trace];
      const ground = trace.marker?.color ?? series(n);
      return [{ ...trace, insidetextfont: { color: readable(ground, light, dark) } }];
    });
  }

  /** Drawn traces; series and slices with a colour of their own, which a chart of more rows gave them, keep it. */
  coloured() {
    const { data, layout } = this.figure;
    return layout.meta?.grids ? data : data.map((trace) => (trace.meta ? painted(trace) : trace));
  }

  watchSize(library) {
    if (this.watch) return;
    this.watch = new ResizeObserver(() => {
      if (!this.place?.offsetWidth) return;
      if (this.hasRoom() === this.labelled && !isWords(this.figure) && !this.figure.layout.meta?.grids && !this.figure.layout.geo) {
        this.points?.mark();
        library.Plots.resize(this.place);
      } else this.draw();
    });
    this.watch.observe(this);
  }

  /** Whether values side by side have room for their words. */
  hasRoom(width = this.place.clientWidth) {
    const cells = this.figure.data.find(({ type, text }) => type === "heatmap" && text);
    if (cells) return (width - 2 * AXIS) / cells.x.length >= longest(cells.text.flat());
    const beside = this.figure.data.filter(({ text, orientation }) => text && orientation !== "h");
    if (!beside.length) return true;
    // A word wider than its bar is covered by the next one.
    const bars = beside[0].type === "bar" ? BARS : 1;
    const grouped = this.figure.layout.barmode === "group";
    const places = Math.max(...beside.map(({ text }) => text.length)) * (grouped ? beside.length : 1);
    return ((width - AXIS) / places) * bars >= longest(beside.flatMap(({ text }) => text));
  }

  /** Hide each value that is covered or cut: a part of a number is another number. */
  keepWhole() {
    if (!this.keeping) {
      this.keeping = true;
      this.place.on?.("plotly_afterplot", () => this.keepWhole());
    }
    const edge = this.place.querySelector("svg.main-svg")?.getBoundingClientRect();
    if (!edge) return;
    const words = [...this.place.querySelectorAll(".bartext, .textpoint text")];
    const bars = [...this.place.querySelectorAll(".bars .point")].map((point) => [point, point.querySelector("path")?.getBoundingClientRect()]);
    const standing = [];
    for (const word of words) {
      const box = word.getBoundingClientRect();
      const isWhole = holds(edge, box, 1)
        && !standing.some((other) => covers(other, box))
        && !bars.some(([point, bar]) => bar && covers(bar, box) && !(point.contains(word) && holds(bar, box, LEADING)));
      word.style.visibility = isWhole ? "" : "hidden";
      if (isWhole) standing.push(box);
    }
  }

  /** Hand the chart over as a file, on the ground it is seen on. */
  async download(format) {
    const library = await plotly();
    const layout = this.layout(PICTURE);
    layout.template.layout.paper_bgcolor = rgb(getComputedStyle(this.closest(".panel") ?? document.body).backgroundColor);
    const url = await library.toImage(
      { data: this.hasRoom(PICTURE) ? this.traces() : unlabelled(this.coloured()), layout },
      { format, width: PICTURE, height: Math.max(560, layout.height ?? 0), scale: format === "png" ? 2 : 1 },
    );
    const link = document.createElement("a");
    link.href = url;
    link.download = `${this.getAttribute("name") || "chart"}.${format}`;
    link.click();
    announce(gettext("Chart saved"));
  }
}

/** The colour of a series by its place. */
function series(place) {
  return colour(`--series-${(place % 8) + 1}`);
}

/** A trace in the colours that its series or slices have where more rows are drawn. */
function painted({ meta, ...trace }) {
  const ground = series(meta.place ?? 0);
  if (meta.places) return { ...trace, marker: { ...trace.marker, colors: meta.places.map(series) } };
  if (trace.type === "scatter") return { ...trace, line: { ...trace.line, color: ground }, marker: { ...trace.marker, color: ground } };
  return trace.type === "bar" ? { ...trace, marker: { ...trace.marker, color: ground } } : trace;
}

/** How Plotly writes days in the language of the page; its own way is the English one. The separators of numbers are the template's. */
function locales() {
  if (language === "en") return {};
  // No axis writes a day or a month out. 4 January 1970 was a Sunday.
  const named = (form, places, step) => Array.from({ length: places }, (_, n) => new Intl.DateTimeFormat(language, { ...form, timeZone: "UTC" }).format(Date.UTC(1970, n * step, 4 + n)));
  const days = named({ weekday: "short" }, 7, 0);
  const months = named({ month: "short" }, 12, 1);
  return { [language]: { format: { days, shortDays: days, months, shortMonths: months, date: "%d.%m.%Y" } } };
}

/** The scale of a map's colours, from its least to its greatest figure. */
function scale({ data }) {
  const figures = data.flatMap(({ z, marker }) => z ?? marker.color).filter(Number.isFinite);
  const made = document.createElement("div");
  made.className = "chart-scale small muted";
  made.setAttribute("aria-hidden", "true");
  const words = [Math.min(...figures), Math.max(...figures)].map((figure) => number(figure, { notation: "compact" }));
  made.append(words[0], document.createElement("i"), words[1]);
  return made;
}

/** Put the names of many series into columns on a telephone: one below the other they take half of a card. Gives whether it did. */
function narrowLegend(layout, data, width) {
  const named = data.filter(({ name, showlegend }) => name && showlegend !== false);
  if (!layout.showlegend || width >= NARROW || named.length < FEW_NAMES) return false;
  // It is as wide as what is drawn: beside the words along the left there is less.
  const plot = width - AXIS - EDGE - (layout.yaxis?.ticktext ? longest(layout.yaxis.ticktext) : 0);
  const columns = (longest(named.map(({ name }) => name)) + MARK) * 3 <= plot ? 3 : 2;
  const part = columns === 3 ? 0.32 : 0.48;
  layout.legend = { ...layout.legend, entrywidth: part, entrywidthmode: "fraction" };
  for (const trace of named) trace.name = cut(trace.name, plot * part - MARK);
  return true;
}

/** As much of a name as there is room for. */
function cut(name, room) {
  let left = name;
  for (let letters = name.length; letters > 3 && longest([left]) > room; letters--) left = `${name.slice(0, letters - 1)}…`;
  return left;
}

/** Put small charts into as many columns as there is room for. Their titles tell them apart, not colours. */
function inGrid(layout, width) {
  const grids = layout.meta?.grids;
  if (!grids) return;
  const grid = grids.findLast(({ columns }) => columns * SMALL <= width) ?? grids[0];
  for (const [axis, part] of Object.entries(grid.axes)) Object.assign(layout[axis], part);
  grid.titles.forEach((spot, n) => Object.assign(layout.annotations[n], spot));
  layout.height = grid.height;
  const { layout: own } = layout.template;
  own.colorway = own.colorway.slice(0, 1);
  own.annotationdefaults = { font: { size: size(13), color: own.font.color } };
}

/** The width of the longest of some words, with the space to the next. */
function longest(words) {
  pen.font = `${size(13)}px ${getComputedStyle(document.body).fontFamily}`;
  return Math.max(...words.map((word) => pen.measureText(String(word ?? "")).width)) + BETWEEN;
}

/** Whether two boxes share more than an edge. */
function covers(one, other) {
  return one.left < other.right - 1 && other.left < one.right - 1 && one.top < other.bottom - 1 && other.top < one.bottom - 1;
}

/** Whether a box stands in another, which it may pass by some pixels above and below. */
function holds(bar, box, over) {
  return box.left >= bar.left - 1 && box.right <= bar.right + 1 && box.top >= bar.top - over && box.bottom <= bar.bottom + over;
}

// Texts of a figure are escaped for Plotly, which reads markup; here they are words.
function plain(text) {
  return text ? new DOMParser().parseFromString(text, "text/html").body.textContent.trim() : "";
}

/** Drawn traces without the words of their values; pointing at one still shows them. */
function unlabelled(data) {
  return structuredClone(data).map(({ text, textposition, texttemplate, ...trace }) => ({
    ...trace,
    ...(trace.mode && { mode: trace.mode.replace("+text", "") }),
    ...(trace.hovertemplate?.includes("%{text}") && { customdata: text, hovertemplate: trace.hovertemplate.replace("%{text}", "%{customdata}") }),
  }));
}

/** A heatmap as two traces, for a trace writes in one colour: black, or white. */
function inked(trace) {
  const known = trace.z.flat().filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const [zmin, zmax] = low < high ? [low, high] : [low - 0.5, low + 0.5];
  const ink = (value) => readable(shade((value - zmin) / (zmax - zmin)), ...INKS);
  const parted = INKS.filter((colours) => known.some((value) => ink(value) === colours)).map((colours, n) => {
    const own = (cells, none) => cells.map((row, y) => row.map((cell, x) => (trace.z[y][x] !== null && ink(trace.z[y][x]) === colours ? cell : none)));
    return { ...trace, zmin, zmax, z: own(trace.z, null), text: own(trace.text, ""), textfont: { color: colours }, showscale: n === 0 };
  });
  return parted.length ? parted : [trace];
}

/** A figure of words: a number, or why there is no chart. */
function isWords({ data, layout }) {
  return !data.length || layout.xaxis?.visible === false;
}

function height({ data, layout }) {
  if (!data.length) return `${Math.max(9, 4 * lines(layout).length)}rem`;
  if (isWords({ data, layout })) return "14rem";
  if (layout.geo) return "clamp(13rem, 60vw, 22rem)";
  return layout.showlegend && data.length > 3 ? "27rem" : "22rem";
}

function lines(layout) {
  return (layout.annotations ?? []).slice(0, 1).flatMap(({ text }) => text.split("<br>").map(plain));
}

// As wide as its place at most: a part of a number is another number.
function wordSize(layout, width) {
  if (!layout.title) return 15;
  pen.font = `700 100px ${getComputedStyle(document.body).fontFamily}`;
  const fits = lines(layout).map((line) => Math.min(Math.max(15, 560 / line.length), ((width - 16) * 100) / pen.measureText(line).width));
  return Math.max(8, Math.min(44, ...fits));
}

// A number, what it changed by and the line of all of them, from the top down where the place is low, as on a card: none covers another. Says whether the line has room.
function inLowPlace(layout, tall) {
  const [number, change] = layout.annotations ?? [];
  if (!change || !tall || tall >= LOW) return true;
  const [edge, space] = [4, 1.3];
  const room = tall - 2 * edge;
  number.font.size = Math.min(number.font.size, Math.max(14, 0.4 * room));
  change.font = { size: 13, color: colour("--text-muted") };
  const [first, second] = [number.font.size * space, change.font.size * space];
  Object.assign(number, { y: 1, yanchor: "top", borderpad: 0 });
  Object.assign(change, { y: 1, yanchor: "top", borderpad: 0, yshift: -first });
  layout.margin = { ...layout.margin, t: edge, b: edge };
  const left = room - first - second - edge;
  layout.yaxis.domain = [0, Math.max(0.01, left / room)];
  return left >= 14;
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-chart-file]");
  if (button) document.getElementById(button.dataset.chart)?.download(button.dataset.chartFile);
});

customElements.define("mirror-chart", MirrorChart);
