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
from sqlagent.sql.clauses import Clauses, read
from sqlagent.sql.literals import GUESS, likeness
from sqlagent.values import Execution, LinkedSchema, Question, Rows

MATCHED = 0.9
"""Score from which a stored value counts as named by the question: equal but for letter case, accents and endings."""

_OTHERWISE = ("the question excludes", "the number ", "'")
"""Findings that are looked for here in another way: `IS NULL` excludes, 02 is the number 2, and a column read in part tells nothing."""

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
_PERCENT = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)\s?(?:%|percent\b)", re.IGNORECASE)
_DECIMAL = re.compile(r"(?<![\w.])\d*\.\d+")
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
    found_in = features(question, linked, execution, index)
    if found_in.clauses is None:
        return ("the SQL could not be read clause by clause",)
    names = lookup(linked.full)
    found = [one for one in found_in.unmet if not one.startswith(_OTHERWISE)]
    found += [
        *_left_out(question, execution.sql),
        *_unnamed(question, linked, found_in.clauses, names, execution.sql),
    ]
    found += [*_unstored(found_in.clauses, names, index), *_shape(question.text, rows, found_in.clauses)]
    found += _silence(rows)
    return tuple(dict.fromkeys(found))


def guessed_texts(question: Question, linked: LinkedSchema, execution: Execution) -> tuple[str, ...]:
    """Give the texts that a candidate compares a column with though neither question nor hint spells them, nor a list of codes.

    Example:
        >>> from sqlagent.values import Candidate, Catalog, Column, Failure, FailureKind, Table
        >>> shop = Catalog("sqlite", (Table("customer", (Column("name"), Column("country"))),))
        >>> sql = "SELECT name FROM customer WHERE country = 'Norge' AND name = 'Ann'"
        >>> ran = Execution(Candidate(sql), Failure(FailureKind.ERROR, "x"), sql)
        >>> guessed_texts(Question("Is ann from Norway?"), LinkedSchema(shop, shop), ran)
        ('Norge',)
    """
    clauses = read(execution.sql, linked.full)
    if clauses is None:
        return ()
    said = f"{question.text}\n{question.hint}"
    known = {one.code.casefold() for one in linked.codes}
    texts = (
        value
        for condition in clauses.conditions
        if condition.op in _EQUAL and condition.is_text
        for value in condition.values
        if value != "NULL" and any(map(str.isalpha, value)) and value.casefold() not in known
    )
    return tuple(
        dict.fromkeys(
            text for text in texts if not re.search(rf"(?<!\w){re.escape(text)}(?!\w)", said, re.IGNORECASE)
        )
    )


def _left_out(question: Question, sql: str) -> Iterator[str]:
    percents = _PERCENT.findall(question.text)
    as_shares = {percent for percent in percents if _is_written(float(percent) / 100, sql)}
    for words in leftovers(question.text, sql):
        is_met = words == "%" and bool(percents) and set(percents) <= as_shares
        if not is_met and not _is_defined(words, question.hint, sql):
            yield f"the SQL leaves out “{words}”"
    written = {digits.lstrip("0") for digits in re.findall(r"\d+", sql)}
    for number in asked(question.text).numbers - {"0", "1"} - as_shares:
        is_used = number in sql or number.lstrip("-0") in written
        if not is_used and not _is_defined(number, question.hint, sql):
            yield f"the number {number} of the question is not used"
    if sums_a_key(sql):
        yield "the SQL adds up numbers that only identify rows"


def _is_written(number: float, sql: str) -> bool:
    return any(abs(float(found) - number) < 1e-9 for found in _DECIMAL.findall(sql))


def _is_defined(words: str, hint: str, sql: str) -> bool:
    """Tell whether the part of the hint that names these words says what they are, and the SQL has that instead.

    Example:
        >>> _is_defined("male", "tall is > 180; male refers to gender_id = 1", "SELECT name FROM t WHERE gender_id = 1")
        True
        >>> _is_defined("male", "male refers to gender = 'M'", "SELECT name FROM t")
        False
    """
    own = {words.casefold(), *re.findall(r"\d+(?:\.\d+)?", words)}
    for part in hint.split(";"):
        if re.search(rf"(?<!\w){re.escape(words)}(?!\w)", part, re.IGNORECASE):
            texts = [a or b for a, b in re.findall(r"'([^']+)'|\"([^\"]+)\"", part)]
            bare = re.sub(r"'[^']*'|\"[^\"]*\"", " ", part)
            literals = {*texts, *re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])", bare)}
            found = [one for one in literals if one.casefold() not in own]
            if any(re.search(rf"(?<![\w.]){re.escape(one)}(?![\w.])", sql, re.IGNORECASE) for one in found):
                return True
    return False


def _is_coded(values: set[str], linked: LinkedSchema, sql: str) -> bool:
    """Tell whether the SQL names the column and the code that one of these values is the label of."""
    labels = {value.casefold() for value in values}
    return any(
        re.search(rf"\b{re.escape(one.column.column)}\b", sql, re.IGNORECASE)
        and re.search(rf"(?<![\w.]){re.escape(one.code)}(?![\w.])", sql)
        for one in linked.codes
        if one.label.casefold() in labels
    )


def _unnamed(
    question: Question, linked: LinkedSchema, clauses: Clauses, names: Lookup, sql: str
) -> Iterator[str]:
    """Stored values that the question names and the SQL does not, unless their words say something else too.

    A code names its label, and what the hint says of a word names the word.
    """
    named = {link.words.casefold() for link in linked.links if not link.value}
    vocabulary = {stem for name in (*names.tables, *clauses.columns) for stem in names.stems(name)}
    for words, values in _matched(linked).items():
        says_more = words in named or words in _ASKING or {stem(word) for word in words.split()} <= vocabulary
        if says_more or any(value.casefold() in clauses.text for value in values):
            continue
        if not _is_coded(values, linked, sql) and not _is_defined(words, question.hint, sql):
            yield f"the value “{words}” of the question is not looked for"


def _matched(linked: LinkedSchema) -> dict[str, set[str]]:
    """Words of the question that are stored as they stand, with every spelling they have.

    Other forms of a word are none: who "opened" something does not ask for what is 'open'.
    """
    found: dict[str, set[str]] = {}
    for link in linked.links:
        is_spelled = link.score >= MATCHED and likeness(link.words, link.value) != GUESS
        if link.value and len(link.value) > 1 and is_spelled:
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
