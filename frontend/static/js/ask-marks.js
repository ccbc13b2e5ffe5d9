// Marks under the words of a question box: a layer of the same text lies on it, unseen but for its lines. Text typed
// since is left unmarked until the server looked at it again. Words that are not understood are also told in text.
import { announce } from "./announce.js";
import { gettext } from "./words.js";

const COPIED = ["fontFamily", "fontSize", "fontWeight", "letterSpacing", "lineHeight", "paddingTop", "paddingRight",
  "paddingBottom", "paddingLeft", "textIndent", "wordSpacing"];
let serial = 0;

export class AskMarks {
  constructor(box) {
    this.box = box;
    this.marks = [];
    this.told = "";
    this.layer = document.createElement("div");
    this.layer.className = "ask-marks";
    this.layer.setAttribute("aria-hidden", "true");
    this.words = document.createElement("span");
    this.words.className = "sr-only";
    this.words.id = `not-understood-${++serial}`;
    box.before(this.layer);
    box.after(this.words);
    box.setAttribute("aria-describedby", `${box.getAttribute("aria-describedby") ?? ""} ${this.words.id}`.trim());
    this.stop = new AbortController();
    const { signal } = this.stop;
    box.addEventListener("input", () => this.draw(), { signal });
    box.addEventListener("scroll", () => { this.layer.scrollTop = box.scrollTop; }, { signal });
    this.watch = new ResizeObserver(() => this.fit());
    this.watch.observe(box);
  }

  remove() {
    this.stop.abort();
    this.watch.disconnect();
    this.layer.remove();
    this.words.remove();
  }

  /** The server's marks of this text. */
  show(marks, text) {
    this.marks = marks.map((mark) => ({ ...mark, word: text.slice(mark.start, mark.end) }));
    this.draw();
    const missed = this.marks.filter((mark) => !mark.is_understood).map((mark) => mark.word);
    const told = missed.length ? gettext("Not understood: {words}", { words: missed.join(", ") }) : "";
    if (told === this.told) return;
    this.told = told;
    this.words.textContent = told;
    if (document.activeElement === this.box) announce(told);
  }

  draw() {
    const text = this.box.value;
    const pieces = [];
    let at = 0;
    for (const { start, end, word, is_understood: isUnderstood } of this.marks) {
      if (start < at || text.slice(start, end) !== word || /[\p{L}\p{N}]/u.test(text.charAt(end))) continue;
      const mark = document.createElement("mark");
      mark.className = isUnderstood ? "mark-known" : "mark-unknown";
      mark.textContent = word;
      pieces.push(text.slice(at, start), mark);
      at = end;
    }
    this.layer.replaceChildren(...pieces, `${text.slice(at)}\n`);
    this.layer.scrollTop = this.box.scrollTop;
  }

  fit() {
    const look = getComputedStyle(this.box);
    for (const name of COPIED) this.layer.style[name] = look[name];
    const { offsetLeft, offsetTop, clientWidth, clientHeight } = this.box;
    Object.assign(this.layer.style, {
      left: `${offsetLeft}px`, top: `${offsetTop}px`, width: `${clientWidth}px`, height: `${clientHeight}px`,
    });
  }
}
