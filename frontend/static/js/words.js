// Texts of scripts in the language of the page. English is what the code says. The words of another language are a script
// of its own, `words/<language>.js`, which such a page loads first: `script/messages` makes it from the catalog.
const words = globalThis.mirrorWords ?? {};

/** The language of the page. */
export const language = document.documentElement.lang || "en";
/** Where its days are written as they are on pages: in English the day goes before the month. */
export const dates = language === "en" ? "en-GB" : language;

/** Say a text; `values` stand in it in braces. */
export function gettext(text, values = {}) {
  return filled(words[text] ?? text, values);
}

/** Say a text about a count, which is one of the values. Every language there is has one form for 1 and one for the rest. */
export function ngettext(one, many, count, values = {}) {
  const [single, plural] = words[one] ?? [one, many];
  return filled(count === 1 ? single : plural, { count: number(count), ...values });
}

function filled(text, values) {
  return text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
}

/** The decimal point of the language, and its mark of thousands. */
export function separators() {
  const [, group, , point] = new Intl.NumberFormat(language).formatToParts(12_345.5).map(({ value }) => value);
  return [point, group];
}

/** Write a number. */
export function number(value, form) {
  return new Intl.NumberFormat(language, form).format(value);
}
