// Maps, for the chart library that is there already: countries in colours, points, and the shapes of the world. It loads when a map is
// seen; the parts of the library that it needs are those of charts.js (build-charts.js puts them in their places).
const Registry = require("plotly.js/src/registry");

Registry.register([require("plotly.js/lib/choropleth"), require("plotly.js/lib/scattergeo")]);
// The library asks a server for shapes that are not here.
globalThis.PlotlyGeoAssets ??= { topojson: {} };
globalThis.PlotlyGeoAssets.topojson.world_110m = require("../static/vendor/topojson/world_110m.json");
