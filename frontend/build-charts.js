// Bundles src/charts.cjs: a third of plotly-cartesian.min.js is left out (what attributes mean, colour spaces, lassos).
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import esbuild from "esbuild";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
// Sentences that document an attribute, as text or as a list of texts that is joined.
const DESCRIPTION = /\bdescription: (?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\[(?:\s|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|,|\/\/.*)*\]\.join\((?:'[^']*'|"[^"]*")\))(?=\s*[,}]),?/g;

const lighter = {
  name: "lighter",
  setup(build) {
    build.onResolve({ filter: /^culori$/ }, () => ({ path: here("src/chart-colours.js") }));
    // Cuts polygons of lassos, which no chart of ours has.
    build.onResolve({ filter: /^polybooljs$/ }, () => ({ path: "polybooljs", namespace: "left-out" }));
    build.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "module.exports = {}" }));
    build.onLoad({ filter: /plotly\.js\/src\/.*\.js$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8")).replace(DESCRIPTION, ""), loader: "js",
    }));
  },
};

const built = await esbuild.build({
  entryPoints: [here("src/charts.cjs")], outfile: here("static/js/build/charts.js"), absWorkingDir: here("."),
  // Pages import it as a module, mails load it as a script.
  footer: { js: "globalThis.Plotly=Plotly;" }, loader: { ".css": "empty" },
  bundle: true, minify: true, format: "iife", globalName: "Plotly", target: "es2022", legalComments: "none", logLevel: "warning",
  define: { global: "globalThis", "define.amd": "false", "process.env.NODE_DEBUG": "false" },
  plugins: [lighter], metafile: true,
});
await writeFile(here("node_modules/.charts-meta.json"), JSON.stringify(built.metafile));
