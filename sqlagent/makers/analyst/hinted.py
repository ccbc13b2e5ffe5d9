"""A source whose vocabulary holds what a hint says of words of one question: they mean that and nothing else.

Decides which definitions a frame can hold: a column, one text of a column, an aggregate whose word stands beside the name.
The words of others stay unexplained, so that an answer is no more than a draft.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlagent.catalog import hints
from sqlagent.catalog.hints.placing import place, trimmed
from sqlagent.catalog.hints.terms import Meaning
from sqlagent.catalog.semantics import Role
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import Token, stem, tokenise
from sqlagent.makers.analyst.lexicon import OPERATORS
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.vocabulary import Target
from sqlagent.values import Catalog, Question


def explained(source: Source, question: Question, catalog: Catalog, index: ValueIndex | None) -> Source:
    """Give the source with the words that the question's hint explains; the same one where it explains none."""
    tokens = tokenise(question.text)
    told: dict[tuple[str, ...], tuple[Target, ...]] = {}
    for one in hints.read(question.hint, catalog, index).definitions:
        said = place(one.phrase, tokens) if one.phrase else ()
        targets = tuple(t for meaning in one.meanings for t in _targets(meaning, source))
        if not said or not targets:
            continue
        nouns = frozenset(word for thing in source.model.things.values() for word in thing.noun[:1])
        first, end = trimmed(said, tokens, nouns, frozenset())
        words = [t for t in tokens[first:end] if t.kind != "mark"]
        if one.meanings[0].agg:
            words = _beside(words, all(_is_its_own(meaning, source) for meaning in one.meanings))
        if words:
            told[tuple(stem(t.low) for t in words)] = targets
    return source.telling(told) if told else source


def _targets(meaning: Meaning, source: Source) -> Iterator[Target]:
    """What a meaning is to the vocabulary; nothing where a frame does not hold it."""
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
        if test.op == "=" and test.values and source.model.field(test.column.table, test.column.column):
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
