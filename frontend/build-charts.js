// Bundles src/charts.cjs: a third of plotly-cartesian.min.js is left out (what attributes mean, colour spaces, lassos). Bundles src/maps.cjs,
// which takes all that charts.js holds already from there, by `Plotly.part`.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// Sentences that document an attribute, as text or as a list of texts that is joined.
const DESCRIPTION = /\bdescription: (?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\[(?:\s|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|,|\/\/.*)*\]\.join\((?:'[^']*'|"[^"]*")\))(?=\s*[,}]),?/g;
// Cuts polygons of lassos, which no chart of ours has.
const LEFT_OUT = { polybooljs: "module.exports = {}" };
// Icons of buttons above charts, which ours do not have; checks of figures and the making of templates, which no page calls.
const UNUSED = /plotly\.js\/src\/(?:fonts\/ploticon|plot_api\/(?:validate|template_api))\.js$/;
// Projections of the world beside ours; names of countries, which our own list knows; the middle of shapes that are not the map's own.
const LEFT_OUT_OF_MAPS = {
  "d3-geo-projection": "module.exports = {}",
  "country-iso-search": "module.exports = { COUNTRIES: [], createLookup: () => ({ lookupAlpha3: () => undefined }) }",
  "@turf/area": "module.exports = {}", "@turf/centroid": "module.exports = {}",
};

function lighter(leftOut) {
  return {
    name: "lighter",
    setup(build) {
      build.onResolve({ filter: /^culori$/ }, () => ({ path: here("src/chart-colours.js") }));
      build.onResolve({ filter: /^[^.]/ }, ({ path }) => (path in leftOut ? { path, namespace: "left-out" } : undefined));
      build.onLoad({ filter: /.*/, namespace: "left-out" }, ({ path }) => ({ contents: leftOut[path] }));
      build.onLoad({ filter: UNUSED }, () => ({ contents: "module.exports = {}" }));
      build.onLoad({ filter: /plotly\.js\/src\/.*\.js$/ }, async ({ path }) => ({
        contents: (await readFile(path, "utf8")).replace(DESCRIPTION, ""), loader: "js",
      }));
    },
  };
}

const common = {
  absWorkingDir: here("."), loader: { ".css": "empty" }, bundle: true, minify: true, format: "iife", target: "es2022",
  legalComments: "none", logLevel: "warning", metafile: true,
  define: { global: "globalThis", "define.amd": "false", "process.env.NODE_DEBUG": "false" },
};

/** Build the charts, with the `parts` of the library that maps need under their numbers. */
function charts(parts) {
  const given = {
    name: "given",
    setup(build) {
      build.onResolve({ filter: /^parts-of-maps$/ }, () => ({ path: "parts", namespace: "given" }));
      build.onLoad({ filter: /.*/, namespace: "given" }, () => ({
        contents: `module.exports = [${parts.map((path) => `() => require(${JSON.stringify(here(path))})`)}];`, resolveDir: here("."),
      }));
    },
  };
  return esbuild.build({
    // Pages import it as a module, mails load it as a script.
    ...common, entryPoints: [here("src/charts.cjs")], outfile: here("static/js/build/charts.js"), globalName: "Plotly",
    footer: { js: "globalThis.Plotly=Plotly;" }, plugins: [given, lighter(LEFT_OUT)],
  });
}

/** Build the maps without the files that the charts hold; `parts` gets those that they need. */
function maps(held, parts) {
  const taken = {
    name: "taken",
    setup(build) {
      build.onResolve({ filter: /.*/, namespace: "file" }, async ({ path, resolveDir, kind, pluginData }) => {
        if (pluginData === "asked" || kind === "entry-point" || path in LEFT_OUT_OF_MAPS || path === "culori") return undefined;
        const found = await build.resolve(path, { resolveDir, kind, pluginData: "asked" });
        const name = found.path.slice(here(".").length);
        return held.has(name) ? { path: name, namespace: "taken" } : found;
      });
      build.onLoad({ filter: /.*/, namespace: "taken" }, ({ path }) => {
        parts.add(path);
        return { contents: `module.exports = globalThis.Plotly.part(${[...parts].sort().indexOf(path)});` };
      });
    },
  };
  return esbuild.build({
    ...common, entryPoints: [here("src/maps.cjs")], outfile: here("static/js/build/maps.js"), plugins: [taken, lighter(LEFT_OUT_OF_MAPS)],
  });
}

const held = new Set(Object.keys((await charts([])).metafile.inputs).filter((path) => path.startsWith("node_modules/")));
const parts = new Set();
await maps(held, parts); // finds the parts; with all of them known the second time numbers them
const built = [await charts([...parts].sort()), await maps(held, parts)];
const inputs = Object.assign({}, ...built.map(({ metafile }) => metafile.inputs));
await writeFile(here("node_modules/.charts-meta.json"), JSON.stringify({ inputs }));
