// <mirror-chips>: what was understood, as chips. Each is a <details> whose choices are buttons of one form, so it works
// without scripts. With them: arrows walk the choices, letters find one, Escape and a click elsewhere close it, a box
// narrows many choices, the menu keeps within the page, and the focus comes back to the chip when the answer is exchanged.

const EDGE = 8;
const SPELL_MS = 700;
const UNDO = ["undo-change", "undo-edit", "undo-reading"];
// The button pressed last, each press an object of its own: an answer to an earlier one does not take the later one's focus.
let back = null;
document.addEventListener("submit", (event) => { if (UNDO.includes(event.submitter?.id)) back = { id: event.submitter.id }; });

class MirrorChips extends HTMLElement {
  connectedCallback() {
    if (this.stop) return;
    this.stop = new AbortController();
    const { signal } = this.stop;
    this.addEventListener("toggle", (event) => this.toggled(event.target), { signal, capture: true });
    this.addEventListener("keydown", (event) => this.pressed(event), { signal });
    this.addEventListener("input", (event) => this.narrow(event.target), { signal });
    this.addEventListener("submit", (event) => this.chosen(event), { signal });
    for (const box of this.querySelectorAll("[data-chip-find]")) box.hidden = false;
    if (back) this.refocus();
  }

  disconnectedCallback() {
    this.stop?.abort();
    this.stop = null;
  }

  /** Focus the pressed button again; where it has gone, the chip that adds, or after the last undo the first one. */
  refocus() {
    const pressed = back;
    const focus = () => {
      if (back !== pressed) return;
      back = null;
      const { id } = pressed;
      const [wanted, first] = [document.getElementById(id), this.querySelector(".understood-chip > summary")];
      const instead = UNDO.includes(id) ? first : this.querySelector(".understood-chip-add > summary") ?? first;
      (wanted?.querySelector(":scope > summary") ?? wanted ?? instead)?.focus({ preventScroll: true });
    };
    // Only then what was shown before is gone, and htmx has put the focus where it was after it exchanged the page's part.
    requestAnimationFrame(() => requestAnimationFrame(focus));
  }

  chosen(event) {
    const chip = event.submitter?.closest(".understood-chip");
    if (!chip) return;
    back = { id: chip.id };
    chip.open = false;
    chip.querySelector("summary").focus({ preventScroll: true });
  }

  toggled(chip) {
    if (!chip.matches?.(".understood-chip")) return;
    const menu = chip.querySelector(".chip-menu");
    menu.style.translate = "";
    if (!chip.open) return;
    for (const other of this.querySelectorAll(".understood-chip[open]")) if (other !== chip) other.open = false;
    const box = menu.getBoundingClientRect();
    const over = box.right - (document.documentElement.clientWidth - EDGE);
    if (over > 0) menu.style.translate = `${-Math.min(over, Math.max(0, box.left - EDGE))}px 0`;
    if (menu.contains(document.activeElement)) return;
    const find = chip.querySelector("[data-chip-find]");
    if (find) { find.value = ""; this.narrow(find); }
    (find ?? this.choices(chip)[0])?.focus({ preventScroll: true });
  }

  choices(chip) {
    return [...chip.querySelectorAll(".menu-item")].filter((choice) => !choice.hidden);
  }

  pressed(event) {
    const chip = event.target.closest(".understood-chip");
    if (!chip || event.isComposing) return;
    const onSummary = event.target.matches("summary");
    if (onSummary && !chip.open) {
      if (event.key !== "ArrowDown") return;
      event.preventDefault();
      chip.open = true;
      // The event of opening comes later than the next key may.
      this.toggled(chip);
      return;
    }
    const choices = this.choices(chip);
    const at = choices.indexOf(document.activeElement);
    const inFind = event.target.matches("[data-chip-find]");
    const to = {
      ArrowDown: (at + 1) % choices.length,
      ArrowUp: (at < 0 ? choices.length : at + choices.length - 1) % choices.length,
      ...(inFind ? {} : { Home: 0, End: choices.length - 1 }),
    }[event.key];
    if (to !== undefined && choices.length) {
      event.preventDefault();
      choices[to].focus();
    } else if (event.key === "Enter" && inFind) {
      event.preventDefault();
      if (event.target.value.trim()) choices[0]?.click();
    } else if (!inFind && event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey) this.spell(event.key, chip, at);
  }

  /** Letters typed on a choice go to the next one that begins so; with a box to find by, into it. */
  spell(letter, chip, at) {
    const find = chip.querySelector("[data-chip-find]");
    if (find) return find.focus();
    const now = Date.now();
    this.spelled = now - (this.spelledAt ?? 0) > SPELL_MS ? letter : this.spelled + letter;
    this.spelledAt = now;
    const choices = this.choices(chip);
    const next = [...choices.slice(at + (this.spelled.length === 1)), ...choices];
    return next.find((choice) => choice.textContent.trim().toLowerCase().startsWith(this.spelled.toLowerCase()))?.focus();
  }

  /** Choices stay whose words, or whose heading's words, hold all that was typed. */
  narrow(find) {
    if (!find.matches?.("[data-chip-find]")) return;
    const chip = find.closest(".understood-chip");
    const parts = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const group of chip.querySelectorAll("[role=group]")) {
      const heading = group.querySelector(".chip-head")?.textContent ?? "";
      let shown = 0;
      for (const choice of group.querySelectorAll(".menu-item")) {
        const words = `${heading} ${choice.textContent}`.toLowerCase();
        choice.hidden = !parts.every((part) => words.includes(part));
        shown += !choice.hidden;
      }
      group.hidden = !shown;
    }
    chip.querySelector("[data-chip-none]").hidden = this.choices(chip).length > 0;
  }
}

customElements.define("mirror-chips", MirrorChips);
