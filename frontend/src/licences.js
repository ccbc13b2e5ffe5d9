// Writes the licences of everything the editor bundle holds beside it, from the metafile esbuild leaves.
import { readFileSync, readdirSync, writeFileSync, rmSync } from "node:fs";

const META = "node_modules/.editor-meta.json";
const inputs = Object.keys(JSON.parse(readFileSync(META, "utf8")).inputs);
const packages = new Set(inputs.map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean));
const parts = [...packages].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(`${folder}/${file}`, "utf8").trim() : `Licensed under ${license}.`;
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync("static/js/build/LICENSES.txt", parts.join(`\n${"-".repeat(72)}\n\n`));
rmSync(META);
