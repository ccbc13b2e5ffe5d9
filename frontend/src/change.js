// SQL changed in words: what is typed is sent, and the proposal is shown in the editor as changes to accept or reject one by one.
// Loaded by the editor when somebody first goes to the field. Until all is decided nothing is typed into the text, and what counts
// is the old text with the changes that were accepted.
import { acceptChunk, getChunks, getOriginalDoc, goToNextChunk, goToPreviousChunk, rejectChunk, unifiedMergeView } from "@codemirror/merge";
import { EditorState, EditorView } from "@codemirror/state";
import { gettext, ngettext } from "../words.js";

const LOST = gettext("The proposal could not be fetched. What you typed is still here; try again.");
const OTHER = gettext("The SQL was changed meanwhile, so the proposal is not shown. Propose again.");
const LOOK_AGAIN = 500;

const theme = EditorView.theme({
  ".cm-changedLine, .cm-insertedLine": { backgroundColor: "var(--good-soft) !important" },
  ".cm-changedText": { background: "none !important", boxShadow: "inset 0 -2px var(--good)" },
  ".cm-deletedChunk": { backgroundColor: "var(--bad-soft) !important", display: "flow-root" },
  ".cm-deletedChunk .cm-deletedText": { background: "none !important", boxShadow: "inset 0 -2px var(--bad)" },
  ".cm-deletedChunk del": { textDecoration: "none" },
  ".cm-deletedChunk .cm-chunkButtons": { position: "static", float: "right", display: "flex", gap: "4px", marginInlineEnd: "8px" },
  ".cm-deletedChunk .cm-chunkButtons button": {
    border: "1px solid var(--line-strong)", background: "var(--panel)", color: "var(--text)", borderRadius: "4px", padding: "0 8px",
    font: "inherit", fontFamily: "var(--sans)", fontSize: "var(--size-small)", cursor: "pointer",
  },
  ".cm-changeGutter": { width: "3px", paddingLeft: "1px" },
  ".cm-changedLineGutter": { background: "var(--good) !important" },
  ".cm-deletedLineGutter": { background: "var(--bad) !important" },
});

export function changing(host, view, review, held) {
  const form = host.closest("form");
  const place = form?.querySelector("[data-changes]");
  if (!place || held.stop) return;
  held.stop = new AbortController();
  const { signal } = held.stop;
  const field = place.querySelector("[name=words]"), ask = place.querySelector("[formaction]");
  const told = place.querySelector("[data-told]"), bar = place.querySelector("[data-decides]").parentElement;
  const asked = place.querySelector("[data-asked]"), stop = asked.querySelector("[data-stop]"), llm = asked.querySelector("[data-llm]"), page = asked.querySelector("[data-page]");
  const accepted = place.querySelector("[data-accepted]");
  let words = "", wish = "", decided = 0, changed = 0, waits = "";

  const open = () => getChunks(view.state)?.chunks ?? [];
  const say = (text) => {
    told.textContent = text;
    told.hidden = !text;
    const live = document.getElementById("announcer");
    if (live && text) live.textContent = text;
  };
  const end = () => {
    held.text = held.end = null;
    view.dispatch({ effects: review.reconfigure([]) });
    bar.hidden = true;
    say("");
  };
  const settle = () => {
    const left = open().length;
    // One change is accepted or rejected; of several each can be, too.
    for (const button of bar.querySelectorAll("[data-decides=accept], [data-decides=reject], [data-decides=next]")) button.hidden = decided + left < 2;
    host.changed(held.text().toString());
    if (left) return say(`${words} ${ngettext("{count} change to accept or reject.", "{count} changes to accept or reject.", left)}`);
    end();
    say(changed ? ngettext("Done: {changed} of {count} change accepted.", "Done: {changed} of {count} changes accepted.", decided, { changed }) : gettext("The SQL is as it was."));
    // The server makes these changes once more, and says so in the heading only where they give the same SQL.
    if (changed === decided) accepted.value = [...accepted.value.split("\n").filter(Boolean), wish].slice(-3).join("\n");
    field.value = changed ? "" : field.value;
    view.focus();
  };
  const decide = (accepts, at) => {
    if (!(accepts ? acceptChunk : rejectChunk)(view, at)) return false;
    decided += 1;
    changed += accepts;
    return true;
  };
  const here = () => {
    const at = view.state.selection.main.head;
    return open().find(({ fromB, endB }) => fromB <= at && endB >= at) ?? open()[0];
  };
  const go = (at) => view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
  const control = (type, act) => {
    const button = document.createElement("button");
    button.type = "button";
    button.tabIndex = -1; // the keyboard has the same in the row of buttons under the field
    button.textContent = type === "accept" ? gettext("Accept") : gettext("Reject");
    button.onmousedown = (event) => { decided += 1; changed += type === "accept"; act(event); settle(); };
    return button;
  };

  function propose(sql) {
    const original = view.state.doc;
    decided = changed = 0;
    held.text = () => getOriginalDoc(view.state);
    held.end = end;
    view.dispatch({
      changes: { from: 0, to: original.length, insert: sql },
      effects: review.reconfigure([unifiedMergeView({ original, mergeControls: control, syntaxHighlightDeletions: false }), EditorState.readOnly.of(true), theme]),
    });
    if (open().length) go(open()[0].fromB);
    bar.hidden = false;
    settle();
    bar.querySelector("button").focus();
  }

  // Beside what is told: to stop a language model, to ask one after all, to see what it was sent.
  const offer = (found = {}) => {
    waits = found.wait ?? "";
    stop.hidden = !waits;
    llm.hidden = !found.llm;
    llm.textContent = found.llm ? gettext("Ask {model} instead", { model: found.llm }) : "";
    page.hidden = !found.page;
    if (found.page) page.href = found.page;
    asked.hidden = stop.hidden && llm.hidden && page.hidden;
  };
  const fetched = async (address, options = {}) => {
    const reply = await fetch(address, { ...options, headers: { Accept: "application/json" }, signal });
    return reply.redirected && options.body ? null : reply.json();
  };
  // Look at what a worker does until it is done.
  const followed = async (found) => {
    while (found?.wait) {
      if (waits !== found.wait) { offer(found); say(found.words); }
      await new Promise((done) => { setTimeout(done, LOOK_AGAIN); });
      found = await fetched(found.wait);
    }
    return found;
  };

  async function send(by = "") {
    if (held.end) decideAll(false);
    if (!field.value.trim()) return field.focus();
    host.place();
    const body = new FormData(form);
    body.set("sql", host.value);
    if (by) body.set("by", by);
    const before = view.state.doc.toString();
    ask.disabled = true;
    offer();
    say(gettext("Reading what you typed"));
    let found = null;
    try {
      found = await followed(await fetched(ask.formAction, { method: "POST", body }));
    } catch { /* said below */ }
    ask.disabled = false;
    offer(found ?? {});
    if (!found) return say(LOST);
    words = found.words;
    wish = body.get("words");
    if (!found.sql) return say(words);
    if (view.state.doc.toString() !== before) return say(OTHER);
    return propose(found.sql);
  }

  function decideAll(accepts) {
    for (let one = open()[0]; one; one = open()[0]) if (!decide(accepts, one.fromB)) break;
    settle();
  }

  const acts = {
    accept: () => { decide(true, here().fromB); settle(); },
    reject: () => { decide(false, here().fromB); settle(); },
    "accept-all": () => decideAll(true),
    "reject-all": () => decideAll(false),
    next: () => { if (!goToNextChunk(view)) goToPreviousChunk(view); go(here().fromB); say(`${words} ${gettext("Line {number}.", { number: view.state.doc.lineAt(here().fromB).number })}`); },
  };
  bar.addEventListener("click", (event) => {
    const act = acts[event.target.closest("[data-decides]")?.dataset.decides];
    if (act && open().length) act();
  }, { signal });
  llm.addEventListener("click", () => send("llm"), { signal });
  stop.addEventListener("click", () => {
    const body = new FormData();
    body.set("csrfmiddlewaretoken", form.querySelector("[name=csrfmiddlewaretoken]").value);
    stop.hidden = true;
    fetch(`${waits}stop/`, { method: "POST", body }).catch(() => say(LOST));
  }, { signal });
  held.send = () => send();
  place.addEventListener("keydown", (event) => { if (event.key === "Escape" && held.end) decideAll(false); }, { signal });
  // What stands in the editor is what runs.
  form.addEventListener("submit", ({ submitter }) => {
    if (held.end && (!submitter || submitter.id === "run-sql" || submitter.name === "run")) decideAll(true);
  }, { signal, capture: true });
}
