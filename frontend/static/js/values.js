// Fields for the :names of SQL that is being written. Text typed into one stays while its name does.
import { gettext } from "./words.js";
function control(one) {
  const name = `value-${one.name}`;
  if (one.kind === "boolean") {
    const select = document.createElement("select");
    select.className = "select-small";
    select.append(new Option(gettext("yes"), "true"), new Option(gettext("no"), "false"));
    select.name = select.id = name;
    return select;
  }
  const input = document.createElement("input");
  input.name = input.id = name;
  input.autocomplete = "off";
  input.value = one.default ?? "";
  if (one.kind === "number") input.inputMode = "decimal";
  if (one.kind === "date") input.placeholder = gettext("2025-01-31, or: 7 days ago");
  return input;
}

function field(one) {
  const label = document.createElement("label");
  const words = document.createElement("span");
  const code = document.createElement("code");
  const kind = document.createElement("span");
  label.className = "field";
  words.className = "label";
  kind.className = "muted";
  code.textContent = `:${one.name}`;
  kind.textContent = ` ${one.kind}`;
  words.append(code, kind);
  label.append(words, control(one));
  return label;
}

export function showValues(place, parameters) {
  if (!place || !parameters) return;
  const there = new Map([...place.querySelectorAll("[name]")].map((one) => [one.name, one]));
  const same = parameters.length === there.size && parameters.every((one) => there.has(`value-${one.name}`));
  if (same) return;
  const fields = parameters.map((one) => there.get(`value-${one.name}`)?.closest("label") ?? field(one));
  place.replaceChildren(...fields);
}
