// Writes the licences of everything the bundles hold beside them, from the metafiles esbuild leaves.
import { readFileSync, readdirSync, writeFileSync, rmSync } from "node:fs";

const METAS = ["node_modules/.editor-meta.json", "node_modules/.change-meta.json", "node_modules/.charts-meta.json"];
const inputs = METAS.flatMap((meta) => Object.keys(JSON.parse(readFileSync(meta, "utf8")).inputs));
const packages = new Set(inputs.map((path) => path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//)?.[1]).filter(Boolean));
const parts = [...packages].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const { version, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file ? readFileSync(`${folder}/${file}`, "utf8").trim() : `Licensed under ${license}.`;
  return `${name} ${version} (${license})\n\n${text}\n`;
});
writeFileSync("static/js/build/LICENSES.txt", parts.join(`\n${"-".repeat(72)}\n\n`));
for (const meta of METAS) rmSync(meta);
