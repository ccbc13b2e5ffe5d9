"""A source whose vocabulary holds what a hint says of words of one question: they mean that and nothing else.

Decides which definitions a frame can hold: a column, one text of a column, an aggregate whose word stands beside the name;
conditions, as a column besides that is met or not; formulas, as a column besides or as a figure. A definition in words
("at least one order in 2025") is understood as a question would be. The words of others stay unexplained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from sqlagent.catalog import hints
from sqlagent.catalog.hints.placing import place, trimmed
from sqlagent.catalog.hints.terms import Definition, Meaning
from sqlagent.catalog.semantics import Field, Role
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import Token, stem, tokenise
from sqlagent.makers.analyst.frames import Condition, Expr, Measure
from sqlagent.makers.analyst.lexicon import OPERATORS
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import GIVEN, Target
from sqlagent.makers.analyst.told_conditions import NotHeld, held_of, top_of
from sqlagent.makers.analyst.told_figures import figure_of, of_each_row
from sqlagent.makers.analyst.told_words import figured, written
from sqlagent.makers.analyst.unfolding import Column, Told
from sqlagent.values import Catalog, Question

MOST = 6
"""Definitions in words that are understood of one hint; each is asked as up to some twenty questions."""


@dataclass(slots=True)
class _Teller:
    """Gathers what a hint says of the words of one question."""

    source: Source
    today: date
    tokens: Sequence[Token]
    words: dict[tuple[str, ...], tuple[Target, ...]] = field(default_factory=dict)
    fields: list[Field] = field(default_factory=list)
    figures: dict[str, tuple[Measure, ...]] = field(default_factory=dict)
    columns: dict[tuple[str, str], Column] = field(default_factory=dict)
    measures: dict[str, tuple[Measure, ...]] = field(default_factory=dict)

    def take(
        self, said: Sequence[int], targets: Sequence[Target], is_beside: bool = False, is_own: bool = False
    ) -> bool:
        """Let words of the question mean some targets; False where no word is left that may."""
        is_figure = any(target.kind == "concept" for target in targets)
        things = () if is_figure else self.source.model.things.values()
        nouns = frozenset(word for thing in things for word in thing.noun[-1:])
        first, end = trimmed(said, self.tokens, nouns, frozenset())
        words = [t for t in self.tokens[first:end] if t.kind != "mark"]
        if is_beside:
            words = _beside(words, is_own)
        if words:
            self.words[tuple(stem(t.low) for t in words)] = tuple(targets)
        return bool(words)

    def met(
        self,
        said: Sequence[int],
        phrase: str,
        clause: str,
        found: Sequence[tuple[str, tuple[Condition, ...], bool]],
    ) -> None:
        """Let words mean that conditions are met: of each table the conditions, and whether another table may be meant."""
        targets = []
        for table, conditions, is_open in found:
            name = f"{GIVEN}{len(self.columns)}"
            self.fields.append(Field(table, name, (), phrase, Role.TEXT))
            self.columns[table, name] = Column(clause, where=conditions, is_open=is_open)
            targets.append(Target("value", table, name, "1", label=phrase))
        self.take(said, targets)

    def computed(
        self, said: Sequence[int], phrase: str, clause: str, found: Sequence[tuple[str, Expr]]
    ) -> None:
        """Let words mean what is computed of each row."""
        targets = []
        for table, expr in found:
            name = f"{GIVEN}{len(self.columns)}"
            agg = "avg" if "/" in expr.unit else "sum"
            one = Field(table, name, (), phrase, Role.MEASURE, aggregate=agg, is_number=True)
            self.fields.append(one)
            self.columns[table, name] = Column(clause, expr=expr, is_open=agg == "avg")
            targets.append(Target("field", table, name))
        self.take(said, targets)

    def figured(self, said: Sequence[int], clause: str, found: Sequence[Measure]) -> None:
        """Let words mean a figure."""
        name = f"{GIVEN}{clause}"
        self.figures[name] = tuple(found)
        self.measures[clause] = tuple(found)
        self.take(said, [Target("concept", "", name)])


def explained(
    source: Source, question: Question, catalog: Catalog, index: ValueIndex | None, today: date
) -> tuple[Source, Told]:
    """Give the source with the words that the question's hint explains, and what frames may hold of it; the same one where nothing."""
    tokens = tokenise(question.text)
    teller = _Teller(source, today, tokens)
    hint = hints.read(question.hint, catalog, index)
    for one in hint.definitions:
        if one.phrase and (said := place(one.phrase, tokens)):
            _define(teller, one, said)
    for phrase, body, clause in _sayings(hint, tokens):
        if found := written(phrase, body, tokens, source, today):
            met = [(table, conditions, False) for table, conditions in found]
            teller.met(place(phrase, tokens), phrase, clause, met)
        elif (figure := figured(body, source, today, phrase)) is not None:
            teller.figured(place(phrase, tokens), clause, [figure])
    if not teller.words:
        return source, Told()
    told = source.telling(teller.words, teller.fields, teller.figures)
    return told, Told(teller.columns, teller.measures)


def _sayings(hint: hints.Hint, tokens: Sequence[Token]) -> Iterator[tuple[str, str, str]]:
    """Clauses in words: phrase, what it means, clause; turned round where the question says what comes last."""
    found: dict[str, list[tuple[str, str, str]]] = {}
    for one in hint.lost:
        if one.body and place(one.phrase, tokens):
            found.setdefault(one.phrase.casefold(), []).append((one.phrase, one.body, one.text))
        elif one.body and place(one.body, tokens):
            found.setdefault(one.body.casefold(), []).append((one.body, one.phrase, one.text))
    for same in list(found.values())[:MOST]:
        if len({body.casefold() for _, body, _ in same}) == 1:  # of two that differ neither is believed
            yield same[0]


def _define(teller: _Teller, one: Definition, said: Sequence[int]) -> None:
    """Take one definition, as far as frames hold it."""
    source = teller.source
    targets = tuple(t for meaning in one.meanings for t in _targets(meaning, source))
    agg = one.meanings[0].agg
    is_own = all(_is_its_own(meaning, source) for meaning in one.meanings)
    if targets and teller.take(said, targets, bool(agg), is_own):
        return
    formulas = [meaning for meaning in one.meanings if meaning.formula is not None]
    if formulas or agg and not all(teller.tokens[n].low in OPERATORS for n in said):
        if figures := [
            m for meaning in one.meanings if (m := figure_of(meaning, source, one.phrase)) is not None
        ]:
            teller.figured(said, one.text, figures[:1] if formulas else figures)
        elif rows := [r for meaning in formulas if (r := of_each_row(meaning, source)) is not None]:
            teller.computed(said, one.phrase, one.text, rows[:1])
    if formulas or agg:
        return
    found = []
    for meaning in one.meanings:
        try:
            table, conditions = held_of(meaning, source)
            over = top_of(meaning, source, one.phrase)
        except NotHeld:
            continue
        found.append((*over, True) if over is not None else (table, conditions, False))
    if found:
        teller.met(said, one.phrase, one.text, found)


def _targets(meaning: Meaning, source: Source) -> Iterator[Target]:
    """The targets of a meaning in the vocabulary; nothing where it is more than a name or a text."""
    if meaning.formula is not None or meaning.ways:
        return
    if meaning.shown and not meaning.tests:
        for ref in meaning.shown:
            one = source.model.field(ref.table, ref.column) if ref.column else None
            if one is not None:
                yield Target("field", ref.table, ref.column)
            elif not ref.column and ref.table in source.model.things:
                yield Target("thing", ref.table)
    elif not meaning.shown and len(meaning.tests) == 1 and len(meaning.tests[0]) == 1:
        test = meaning.tests[0][0]
        one = source.model.field(test.column.table, test.column.column)
        if test.op == "=" and test.values and one is not None and not one.is_number:
            yield Target("value", test.column.table, test.column.column, str(test.values[0]))


def _is_its_own(meaning: Meaning, source: Source) -> bool:
    """Whether an aggregate is the one that its column is summed up by anyway."""
    fields = [source.model.field(ref.table, ref.column) for ref in meaning.shown]
    return all(
        one is not None and one.role is Role.MEASURE and one.aggregate == meaning.agg for one in fields
    )


def _beside(words: Sequence[Token], is_its_own: bool) -> list[Token]:
    """The name beside a word of computing; nothing where no such word says what is computed."""
    rest = [t for t in words if t.low not in OPERATORS]
    return rest if is_its_own or len(rest) < len(words) else []
