// The chart library with what our charts are drawn of, and no more: bars, lines, points, pies, boxes and heatmaps.
// The library's own entry (plotly.js/src/core.js) registers sliders, menus, images, maps' colours and selections too.
const Registry = require("plotly.js/src/registry");
require("plotly.js/build/plotcss");
const api = require("plotly.js/src/plot_api");

const library = { version: require("plotly.js/src/version").version };
for (const [name, fn] of Object.entries(api)) {
  if (!name.startsWith("_")) library[name] = fn;
  Registry.register({ moduleType: "apiMethod", name, fn });
}
Registry.register(require("plotly.js/src/traces/scatter"));
Registry.register([
  require("plotly.js/src/components/annotations"),
  require("plotly.js/src/components/shapes"),
  require("plotly.js/src/components/grid"),
  require("plotly.js/src/components/colorscale"),
  require("plotly.js/src/components/colorbar"),
  require("plotly.js/src/components/legend"), // reads the defaults of shapes
  require("plotly.js/src/components/fx"), // reads the defaults of legends
  require("plotly.js/src/components/modebar"),
]);
Registry.register([require("plotly.js/src/locale-en"), require("plotly.js/src/locale-en-us")]);
Registry.register([
  require("plotly.js/lib/bar"), require("plotly.js/lib/pie"), require("plotly.js/lib/box"), require("plotly.js/lib/heatmap"),
]);
const Plots = require("plotly.js/src/plots/plots");
library.Plots = { resize: Plots.resize };
// What maps.js takes from here (build-charts.js), by its number.
const parts = require("parts-of-maps");
library.part = (number) => parts[number]();
module.exports = library;
