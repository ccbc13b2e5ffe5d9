// Colours of the page as the chart library understands them: tokens are oklch and light-dark(), it wants rgb.
import { language, separators } from "./words.js";

const canvas = document.createElement("canvas");
canvas.width = canvas.height = 1;
const pen = canvas.getContext("2d", { willReadFrequently: true });

/** Resolve a token (`--accent`) for the theme shown now, as `rgb(r, g, b)`. */
export function colour(token) {
  const probe = document.createElement("i");
  probe.style.color = `var(${token})`;
  document.body.append(probe);
  const resolved = rgb(getComputedStyle(probe).color);
  probe.remove();
  return resolved;
}

/** Give any colour of CSS as `rgb(r, g, b)`. */
export function rgb(css) {
  pen.fillStyle = css;
  pen.fillRect(0, 0, 1, 1);
  return `rgb(${[...pen.getImageData(0, 0, 1, 1).data].slice(0, 3).join(", ")})`;
}

/** A size of type in pixels, larger where the page is. */
export function size(pixels) {
  return Math.round((pixels * parseFloat(getComputedStyle(document.documentElement).fontSize)) / 16);
}

/** The template every chart is drawn with: our type, lines and colours, nothing of the library's own. */
export function template() {
  const text = colour("--text");
  const muted = colour("--text-muted");
  const line = colour("--line");
  // The library shortens numbers by English letters only.
  const numbers = language === "en" ? {} : { exponentformat: "none" };
  const axis = {
    color: muted, gridcolor: line, linecolor: colour("--line-strong"), zerolinecolor: colour("--line-strong"), zerolinewidth: 1,
    ...numbers, automargin: true, ticks: "", autotickangles: [0, 30, 45], title: { standoff: 12, font: { size: size(13), color: muted } }, tickfont: { size: size(12), color: muted },
  };
  const series = [1, 2, 3, 4, 5, 6, 7, 8].map((n) => colour(`--series-${n}`));
  const scale = [1, 2, 3, 4, 5].map((n, i) => [i / 4, colour(`--scale-${n}`)]);
  return {
    layout: {
      font: { family: getComputedStyle(document.body).fontFamily, size: size(13), color: text },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", colorway: series,
      colorscale: { sequential: scale, sequentialminus: [...scale].map(([at, c]) => [1 - at, c]).reverse(), diverging: diverging() },
      title: { font: { size: size(15), color: text }, subtitle: { font: { size: size(13), color: muted } }, x: 0, xref: "container", xanchor: "left", y: 1, yref: "container", yanchor: "top", pad: { l: 4, t: 6 } },
      margin: { l: 8, r: 16, t: 12, b: 8, pad: 4 },
      xaxis: { ...axis, showgrid: false }, yaxis: axis,
      legend: { orientation: "h", x: 0, xanchor: "left", y: 0, yref: "container", yanchor: "bottom", font: { size: size(12), color: text }, title: { font: { size: size(12), color: muted } } },
      hoverlabel: { bgcolor: colour("--panel"), bordercolor: colour("--line-strong"), font: { family: getComputedStyle(document.body).fontFamily, color: text, size: 13 }, align: "left" },
      shapedefaults: { line: { color: text } }, annotationdefaults: { font: { size: size(12), color: muted } },
      geo: {
        bgcolor: "rgba(0,0,0,0)", showland: true, landcolor: colour("--sunken"), showcoastlines: false, showcountries: true,
        countrycolor: colour("--line-strong"), countrywidth: 0.5, showframe: false,
      },
      coloraxis: { colorscale: scale, colorbar: { ...numbers, thickness: 10, outlinewidth: 0, tickfont: { size: size(12), color: muted }, title: { font: { size: size(12), color: muted } } } },
      hovermode: "closest", bargap: 0.28, separators: separators().join(""),
    },
    data: {
      bar: [{ marker: { line: { width: 0 } }, textfont: { color: text }, textangle: 0, constraintext: "none" }],
      scatter: [{ line: { width: 2 }, marker: { size: 7 } }],
      box: [{ line: { width: 1.5 }, boxpoints: false }],
      heatmap: [{ colorscale: scale, colorbar: { ...numbers, thickness: 10, outlinewidth: 0, tickfont: { size: size(12), color: muted } }, hoverongaps: false }],
      choropleth: [{ marker: { line: { color: colour("--line-strong"), width: 0.5 } } }],
      scattergeo: [{ marker: { opacity: 0.85, line: { color: text, width: 0.5 } } }],
      pie: [{ sort: false, marker: { line: { color: colour("--panel"), width: 2 } } }],
    },
  };
}

function diverging() {
  return [[0, colour("--series-2")], [0.5, colour("--sunken")], [1, colour("--series-1")]];
}

/** The colour at a place between 0 and 1 of the scale that heatmaps are drawn in, as `rgb(r, g, b)`. */
export function shade(at) {
  const scale = [1, 2, 3, 4, 5].map((n) => parts(colour(`--scale-${n}`)));
  const step = Math.min(3, Math.floor(at * 4));
  return `rgb(${scale[step].map((from, n) => from + (scale[step + 1][n] - from) * (at * 4 - step)).join(", ")})`;
}

/** Which of two colours words are read better in on a ground, all three as `rgb(r, g, b)`. */
export function readable(ground, ...words) {
  return words.map((word) => [contrast(ground, word), word]).sort(([a], [b]) => b - a)[0][1];
}

function contrast(one, other) {
  const [a, b] = [luminance(one), luminance(other)].sort((x, y) => y - x);
  return (a + 0.05) / (b + 0.05);
}

function parts(rgb) {
  return rgb.match(/[\d.]+/g).map(Number);
}

function luminance(rgb) {
  const [r, g, b] = parts(rgb).map((part) => part / 255).map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
