// A map made larger or smaller by its buttons and by keys: + and - zoom, Shift with an arrow key moves, 0 shows all of it again.
import { announce } from "./announce.js";
import { gettext } from "./words.js";

const STEP = 1.5, MOST = 24, MOVED = 0.2;
const MOVES = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Let the map of a chart be zoomed; `zoom` of the chart is what is seen, kept when it is drawn anew. */
export function zooming(chart, library) {
  if (chart.querySelector(".map-zoom")) return;
  const geo = chart.figure.layout.geo;
  const [west, east] = geo.lonaxis.range, [south, north] = geo.lataxis.range;
  const whole = () => ({ scale: 1, lon: (west + east) / 2, lat: (south + north) / 2 });
  const show = (next, words) => {
    const scale = Math.min(MOST, Math.max(1, next.scale));
    // The middle stays on the map: at its whole size there is nothing to move to.
    const within = (value, least, most) => Math.min(most - (most - least) / (2 * scale), Math.max(least + (most - least) / (2 * scale), value));
    chart.zoom = { scale, lon: within(next.lon, west, east), lat: within(next.lat, south, north) };
    void library.relayout(chart.place, { "geo.projection.scale": scale, "geo.center.lon": chart.zoom.lon, "geo.center.lat": chart.zoom.lat });
    for (const button of bar.children) button.disabled = button.dataset.by === "in" ? scale >= MOST : scale <= 1;
    if (words) announce(words);
  };
  const by = (factor) => {
    const now = chart.zoom ?? whole();
    const scale = Math.min(MOST, Math.max(1, now.scale * factor));
    show({ ...now, scale }, gettext("The map at {percent} %", { percent: Math.round(scale * 100) }));
  };
  const acts = { in: () => by(STEP), out: () => by(1 / STEP), whole: () => show(whole(), gettext("The whole map")) };
  const bar = document.createElement("div");
  bar.className = "map-zoom";
  bar.setAttribute("role", "group");
  bar.setAttribute("aria-label", gettext("Zoom of the map"));
  for (const [name, sign, words] of [["in", "+", gettext("Larger (+)")], ["out", "−", gettext("Smaller (-)")], ["whole", "○", gettext("The whole map (0)")]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "button button-small button-icon";
    button.dataset.by = name;
    button.textContent = sign;
    button.title = words;
    button.setAttribute("aria-label", words);
    button.disabled = name !== "in";
    button.addEventListener("click", () => acts[name]());
    bar.append(button);
  }
  chart.append(bar);
  chart.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = { "+": acts.in, "=": acts.in, "-": acts.out, 0: acts.whole }[event.key];
    const move = event.shiftKey && MOVES[event.key];
    if (!act && !move) return;
    event.preventDefault();
    event.stopPropagation();
    if (act) { act(); return; }
    const now = chart.zoom ?? whole();
    const far = (MOVED * (east - west)) / now.scale;
    show({ ...now, lon: now.lon + move[0] * far, lat: now.lat + move[1] * far * 0.5 });
  }, { capture: true });
}
