// <mirror-theme>: light, dark, or as the system has it. Remembered on this device.
// Fires "mirror-theme" on the document when colours change, so that charts can be redrawn.
import { gettext } from "./words.js";
const choices = [["system", gettext("System")], ["light", gettext("Light")], ["dark", gettext("Dark")]];
const root = document.documentElement;

function kept() {
  return root.dataset.theme ?? "system";
}

function keep(theme) {
  if (theme === "system") delete root.dataset.theme;
  else root.dataset.theme = theme;
  try {
    if (theme === "system") localStorage.removeItem("mirror-theme");
    else localStorage.setItem("mirror-theme", theme);
  } catch { /* storage is switched off: the choice lasts for this page */ }
  document.dispatchEvent(new CustomEvent("mirror-theme"));
}

class MirrorTheme extends HTMLElement {
  connectedCallback() {
    const label = document.createElement("label");
    label.className = "theme";
    label.append(gettext("Theme"));
    const select = document.createElement("select");
    select.className = "select-small";
    for (const [value, word] of choices) select.append(new Option(word, value, false, value === kept()));
    select.addEventListener("change", () => keep(select.value));
    label.append(select);
    this.replaceChildren(label);
  }
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  if (kept() === "system") document.dispatchEvent(new CustomEvent("mirror-theme"));
});

customElements.define("mirror-theme", MirrorTheme);
