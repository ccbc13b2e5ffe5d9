// CodeMirror as Mirror needs it, in one bundle: `edit(options)` gives a small handle and nothing of
// CodeMirror leaves this file. Built by `npm run build`; the output is committed.
import { autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, toggleTabFocusMode } from "@codemirror/commands";
import { MySQL, PostgreSQL, SQLite, StandardSQL, sql } from "@codemirror/lang-sql";
import { HighlightStyle, bracketMatching, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import {
  ChangeSet, Compartment, EditorSelection, EditorState, Facet, Prec, RangeSet, RangeSetBuilder, StateEffect, StateField, Text,
} from "@codemirror/state";
import {
  Decoration, EditorView, GutterMarker, ViewPlugin, WidgetType, drawSelection, gutter, highlightActiveLine, highlightActiveLineGutter, keymap,
  lineNumbers, placeholder as placeholderText,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

const dialects = { sqlite: SQLite, postgres: PostgreSQL, mysql: MySQL };

// `change.js` comes only where SQL is changed in words: it is built on this bundle's own CodeMirror (`shared.js`).
const shared = {
  ChangeSet, Compartment, Decoration, EditorSelection, EditorState, EditorView, Facet, GutterMarker, Prec, RangeSet, RangeSetBuilder, StateEffect,
  StateField, Text, ViewPlugin, WidgetType, gutter,
};

const look = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: "var(--sql-keyword)", fontWeight: "600" },
  { tag: tags.string, color: "var(--sql-string)" },
  { tag: tags.special(tags.string), color: "var(--sql-name)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--sql-number)" },
  { tag: [tags.comment, tags.lineComment, tags.blockComment], color: "var(--text-muted)", fontStyle: "italic" },
  { tag: [tags.typeName, tags.standard(tags.name)], color: "var(--sql-keyword)" },
]);

const theme = EditorView.theme({
  "&": { color: "var(--sql-name)", backgroundColor: "var(--panel)", fontSize: "var(--size-small)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--text)" },
  ".cm-placeholder": { color: "var(--text-muted)" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--accent-soft) !important",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--accent-soft)" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "color-mix(in oklch, var(--sunken) 70%, transparent)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--text-muted)", border: "0", paddingLeft: "4px" },
  ".cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLineGutter": { color: "var(--text)" },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--accent-soft)", outline: "1px solid var(--accent-line)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--bad) 1.5px", textUnderlineOffset: "4px" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--warn) 1.5px", textUnderlineOffset: "4px" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warn)" },
  ".cm-tooltip": {
    backgroundColor: "var(--panel)", color: "var(--text)", border: "1px solid var(--line)", borderRadius: "6px",
    boxShadow: "var(--float)", overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "var(--size-small)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 8px" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "600" },
  ".cm-completionDetail": { color: "inherit", opacity: "0.85", fontStyle: "normal" },
  ".cm-diagnostic": { padding: "6px 10px" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad)" },
  ".cm-panels": { backgroundColor: "var(--sunken)", color: "var(--text)", borderColor: "var(--line)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-textfield": { backgroundColor: "var(--panel)", border: "1px solid var(--line-strong)", borderRadius: "4px" },
  ".cm-button": { backgroundImage: "none", backgroundColor: "var(--panel)", border: "1px solid var(--line-strong)", borderRadius: "4px" },
});

// Right behind these somebody wants to be told what can follow, without a letter typed.
const ASKS = /(?:\w|[."`]|[=(,]\s*'[^'\n]*|\b(?:select|from|join|on|using|where|and|or|by|having|like|in)\s+\(?|[,=(]\s+)$/i;

// What `complete(text, at)` promises: it is ranked already, and asked for anew with every letter.
function served(complete) {
  return async (context) => {
    const before = context.state.sliceDoc(0, context.pos);
    if (!context.explicit && !ASKS.test(before.slice(-200))) return null;
    const letters = [...before];
    const found = await complete(context.state.doc.toString(), letters.length).catch(() => null);
    // Who left the editor meanwhile, to run it or to read on, wants nothing completed.
    if (!found?.length || context.aborted || !context.view?.hasFocus) return null;
    const from = letters.slice(0, found[0].start).join("").length;
    if (!context.explicit && found.length === 1 && found[0].insert === before.slice(from)) return null;
    return { from, filter: false, options: found.map(option) };
  };
}

function option({ label, insert, kind, note }) {
  const made = { label, detail: note, type: kind, apply: insert };
  if (kind !== "function") return made;
  const apply = (view, _, from, to) => {
    const follows = view.state.sliceDoc(to, to + 1) === "(";
    const words = follows ? insert.slice(0, -1) : label;
    view.dispatch({ changes: { from, to, insert: words }, selection: { anchor: from + insert.length } });
  };
  return { ...made, apply };
}

/**
 * Put an editor into `parent`. `onRun` is called for Ctrl/Cmd-Enter, `onRunSelection` for that with Shift,
 * `onRunToCursor` for Alt-Enter, `onChange` with every new text.
 * With `complete` (text, place: a promise of what is offered) that alone completes.
 * Tab indents; after Escape, Tab leaves the editor (and Ctrl-m switches that for good).
 */
export function edit({ parent, text, dialect, label, placeholder = "", describedBy, onRun, onRunSelection, onRunToCursor, onChange, onFormat, complete }) {
  // While a proposal is looked at, `held.text` gives the text that counts, and `held.end` ends the look.
  const review = new Compartment(), held = {};
  // What scrolls holds something that the keyboard reaches by tabindex: being editable alone does not say so to everyone.
  const attributes = { "aria-label": label, tabindex: "0" };
  if (describedBy) attributes["aria-describedby"] = describedBy;
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        keymap.of([
          { key: "Mod-Enter", run: (editor) => { closeCompletion(editor); onRun?.(); return true; } },
          { key: "Mod-Shift-Enter", run: (editor) => { closeCompletion(editor); onRunSelection?.(); return true; } },
          { key: "Alt-Enter", run: (editor) => { closeCompletion(editor); onRunToCursor?.(); return Boolean(onRunToCursor); } },
          { key: "Shift-Alt-f", run: () => { onFormat?.(); return true; } },
          { key: "Ctrl-m", run: toggleTabFocusMode },
        ]),
        lineNumbers(), highlightActiveLineGutter(), highlightActiveLine(), history(), drawSelection(),
        bracketMatching(), closeBrackets(), autocompletion({ icons: false, ...(complete ? { override: [served(complete)] } : {}) }), highlightSelectionMatches(),
        placeholderText(placeholder), indentUnit.of("  "), EditorState.tabSize.of(2), EditorView.lineWrapping,
        EditorView.contentAttributes.of(attributes),
        keymap.of([...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, indentWithTab, ...defaultKeymap]),
        syntaxHighlighting(look), theme, sql({ dialect: dialects[dialect] ?? StandardSQL, upperCaseKeywords: true }), review.of([]),
        EditorView.updateListener.of((update) => { if (update.docChanged && !held.text) onChange?.(update.state.doc.toString()); }),
      ],
    }),
  });
  return {
    text: () => (held.text?.() ?? view.state.doc).toString(),
    replace: (next) => { held.end?.(); view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } }); },
    selected: () => view.state.sliceDoc(view.state.selection.main.from, view.state.selection.main.to),
    before: () => view.state.sliceDoc(0, view.state.selection.main.head),
    insert: (words) => { view.dispatch(view.state.replaceSelection(words)); view.focus(); },
    change: async (host, event) => {
      const sends = event.type === "click" ? event.target.closest("[formaction]") : event.key === "Enter" && event.target.name === "words";
      if (sends) event.preventDefault();
      globalThis.mirrorCodeMirror = shared;
      (await import("./change.js")).changing(host, view, review, held);
      if (sends) held.send();
    },
    mark: (at, message) => {
      if (at === null) return view.dispatch(setDiagnostics(view.state, []));
      const from = Math.max(0, Math.min(at, view.state.doc.length));
      const word = view.state.wordAt(from);
      const to = word ? word.to : Math.min(from + 1, view.state.doc.length);
      return view.dispatch(setDiagnostics(view.state, [{ from: word ? word.from : from, to, severity: "error", message }]));
    },
    // Doubts about what the SQL means, beside a problem that stands there.
    doubt: (doubts) => {
      const size = view.state.doc.length;
      const marks = doubts.filter(({ start }) => start !== null).map(({ start, end, words }) => (
        { from: Math.min(start, size), to: Math.min(Math.max(end, start + 1), size), severity: "warning", message: words }
      ));
      view.dispatch(setDiagnostics(view.state, marks));
    },
    focus: () => view.focus(),
    destroy: () => { held.stop?.abort(); view.destroy(); },
  };
}
