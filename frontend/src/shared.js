// The parts of CodeMirror that `@codemirror/merge` and `change.js` are built on: those of the editor's bundle, which is there before.
export const {
  ChangeSet, Compartment, Decoration, EditorSelection, EditorState, EditorView, Facet, GutterMarker, Prec, RangeSet, RangeSetBuilder, StateEffect,
  StateField, Text, ViewPlugin, WidgetType, gutter,
} = globalThis.mirrorCodeMirror;

// For the colours of deleted text, which is shown without: they would make the editor's bundle larger for every page.
export const highlightTree = null, highlightingFor = null, language = null;
