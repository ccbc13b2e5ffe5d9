// What the chart library uses of culori, with the colour spaces of CSS that figures and templates are written in.
import { modeHsl, modeHwb, modeLrgb, modeRgb, useMode } from "culori/fn";

for (const mode of [modeHsl, modeHwb, modeLrgb, modeRgb]) useMode(mode);
export { converter, formatHex, formatRgb, wcagContrast, wcagLuminance } from "culori/fn";
