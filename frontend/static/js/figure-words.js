// The numbers in the texts of a figure, written as the language of the page does. A figure is kept as it was made: in English.
import { language, separators } from "./words.js";

// A number written the English way, signed or not, alone: no part of a word, a version or a date.
const NUMBER = /(?<![\p{L}\d.,:-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\p{L}\d.,:-]*[\p{L}\d])|(?<![\p{L}\d.,:-])\d+\.\d+(?![\p{L}\d.,:-]*[\p{L}\d])/gu;

/** Write each number of a text that a figure says with the separators of the language, and a space before a percent sign, as German has it. */
function numbered(text) {
  const [point, group] = separators();
  return text.replace(NUMBER, (figure) => figure.replace(/[.,]/g, (mark) => (mark === "," ? group : point))).replace(/(\d)%/g, "$1\u00a0%");
}

/** Give a figure whose labels and hover texts are in the language of the page. Names of points and values stay as they are. */
export function inLanguage(figure) {
  if (language === "en") return figure;
  const { data, layout } = figure;
  const isNumber = layout.xaxis?.visible === false;
  return {
    ...figure,
    data: data.map(trace),
    layout: isNumber ? { ...layout, annotations: (layout.annotations ?? []).map((one) => ({ ...one, text: numbered(one.text) })) } : layout,
  };
}

function trace(one) {
  // The texts of markers are names; those of all other points are their numbers.
  const isNamed = one.type === "scatter" && one.mode === "markers";
  return {
    ...one,
    ...(one.text && !isNamed && { text: each(one.text, numbered) }),
    ...(one.hovertext && { hovertext: each(one.hovertext, one.type === "bar" ? numbered : afterName) }),
  };
}

function each(texts, write) {
  return Array.isArray(texts) ? texts.map((one) => each(one, write)) : typeof texts === "string" ? write(texts) : texts;
}

// "Norway: 1,234": the name is somebody's.
function afterName(text) {
  const [name, ...rest] = text.split(": ");
  return rest.length ? [name, ...rest.map(numbered)].join(": ") : text;
}
