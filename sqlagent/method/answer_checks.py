"""Deterministic checks of an answer that every attempt gave: is anything of the question left out, or guessed?

Decides what counts as left out: words, numbers and values of the question, stored spellings, the shape that was asked
for, and a result that says nothing. No one is asked. A problem found starts more sampling and never ends a run, so
a check may be strict; how often each is wrong is in docs/method.md (Checks).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlagent.catalog.lookup import Lookup, lookup
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.cues import CUE_WORDS
from sqlagent.language.leftovers import leftovers, sums_a_key
from sqlagent.language.lexicon import ATTRIBUTE_ADJECTIVES, COMPARATIVE_FORMS, MONTHS
from sqlagent.language.words import stem
from sqlagent.method.features import features
from sqlagent.method.features.asking import asked
from sqlagent.sql.clauses import Clauses
from sqlagent.values import Execution, LinkedSchema, Question, Rows

MATCHED = 0.9
"""Score from which a stored value counts as named by the question: equal but for letter case, accents and endings."""

_OTHERWISE = ("the question excludes", "the number ", "'")
"""What is looked for here in its own way: `IS NULL` excludes, 02 is the number 2, and a column read in part tells nothing."""

_ASKING = frozenset((*MONTHS, *ATTRIBUTE_ADJECTIVES, *COMPARATIVE_FORMS, *CUE_WORDS))
"""Words of asking, which may well be stored somewhere."""

_EQUAL = ("EQ", "NEQ", "In")
_ONE_FIGURE = re.compile(
    r"^\s*(?:how (?:many|much)|count|what (?:is|was) the (?:total|number))\b", re.IGNORECASE
)
_SEVERAL = re.compile(
    r"\b(?:each|every|per|by|for all|and|or|respective\w*|versus|vs|compared?|in the|between)\b|,",
    re.IGNORECASE,
)
_EACH = re.compile(r"\b(?:each|every|per|by)\b", re.IGNORECASE)
_AT_MOST = re.compile(
    r"\b(?:top|bottom|first|last)\s+(\d{1,3})\b|\b(\d{1,3})\s+\w*(?:est|most|least)\b", re.IGNORECASE
)


def problems(
    question: Question, linked: LinkedSchema, execution: Execution, index: ValueIndex | None
) -> tuple[str, ...]:
    """Say what speaks against an answer, in words; nothing where every check passes.

    The words may be told to a language model: of values they hold the question's own words alone.
    """
    rows = execution.rows
    if rows is None:
        return ("it gave no result",)
    read = features(question, linked, execution, index)
    if read.clauses is None:
        return ("the SQL could not be read clause by clause",)
    names = lookup(linked.full)
    found = [one for one in read.unmet if not one.startswith(_OTHERWISE)]
    found += [*_left_out(question, execution.sql), *_unnamed(linked, read.clauses, names)]
    found += [*_unstored(read.clauses, names, index), *_shape(question.text, rows, read.clauses)]
    found += _silence(rows)
    return tuple(dict.fromkeys(found))


def _left_out(question: Question, sql: str) -> Iterator[str]:
    for words in leftovers(question.text, sql):
        yield f"the SQL leaves out “{words}”"
    written = {digits.lstrip("0") for digits in re.findall(r"\d+", sql)}
    for number in asked(question.text).numbers - {"0", "1"}:
        if number not in sql and number.lstrip("-0") not in written:
            yield f"the number {number} of the question is not used"
    if sums_a_key(sql):
        yield "the SQL adds up numbers that only identify rows"


def _unnamed(linked: LinkedSchema, clauses: Clauses, names: Lookup) -> Iterator[str]:
    """Stored values that the question names and the SQL does not, unless their words say something else too."""
    named = {link.words.casefold() for link in linked.links if not link.value}
    vocabulary = {stem for name in (*names.tables, *clauses.columns) for stem in names.stems(name)}
    for words, values in _matched(linked).items():
        says_more = words in named or words in _ASKING or {stem(word) for word in words.split()} <= vocabulary
        if not says_more and not any(value.casefold() in clauses.text for value in values):
            yield f"the value “{words}” of the question is not looked for"


def _matched(linked: LinkedSchema) -> dict[str, set[str]]:
    """Words of the question that are stored as they stand, with every spelling they have."""
    found: dict[str, set[str]] = {}
    for link in linked.links:
        if link.value and len(link.value) > 1 and link.score >= MATCHED:
            found.setdefault(link.words.casefold(), set()).add(link.value)
    return found


def _unstored(clauses: Clauses, names: Lookup, index: ValueIndex | None) -> Iterator[str]:
    """Texts that are compared with a column whose values were all read and are not among them."""
    if index is None:
        return
    for condition in clauses.conditions:
        reference = names.reference(condition.column)
        if (
            condition.op not in _EQUAL
            or not condition.is_text
            or condition.function
            or reference is None
            or not names.is_indexed(reference, index)
            or (index.progress is not None and reference in index.progress.parts)
        ):
            continue
        if any(value != "NULL" and not index.holds(reference, value) for value in condition.values):
            yield f"a value compared with {condition.column} is not stored there"


def _shape(text: str, rows: Rows, clauses: Clauses) -> Iterator[str]:
    if not clauses.tables:
        yield "the SQL reads no table"
    if "*" in clauses.select:
        yield "the SQL shows every column"
    if (
        _ONE_FIGURE.search(text)
        and not _SEVERAL.search(text)
        and (len(rows.rows) > 1 or len(rows.columns) > 1)
    ):
        yield "one figure is asked for, and more came back"
    if (
        (most := _AT_MOST.search(text))
        and not _EACH.search(text)
        and len(rows.rows) > int(most[1] or most[2])
    ):
        yield f"at most {int(most[1] or most[2])} rows are asked for, and more came back"


def _silence(rows: Rows) -> Iterator[str]:
    """A result without rows, or with NULL and zeros alone, is no ground to stop on: a mistake gives the same."""
    if not rows.rows:
        yield "no rows came back"
    elif all(cell is None or (cell == 0 and len(rows.rows) == 1) for row in rows.rows for cell in row):
        yield "nothing but zeros and empty cells came back"
