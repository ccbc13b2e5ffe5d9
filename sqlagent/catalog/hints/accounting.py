"""The outcome of a hint: the words of the question that it explains, and what of it the SQL leaves out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlagent.catalog.hints.placing import place
from sqlagent.catalog.hints.repeating import goes_through
from sqlagent.catalog.hints.terms import Hint, Meaning
from sqlagent.language.words import Token, tokenise
from sqlagent.values import Catalog

OPERATORS = "+-*/"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Words of a question that the SQL does not take as the hint explains them, and the clause that does."""

    words: str
    clause: str


def covered(hint: Hint, tokens: Sequence[Token]) -> frozenset[int]:
    """The tokens of a question that the definitions of a hint explain."""
    return frozenset(n for one in hint.definitions if one.phrase for n in place(one.phrase, tokens))


def computes(hint: Hint, question: str) -> frozenset[str]:
    """The clauses of a hint that give a formula for words of a question."""
    tokens = tokenise(question)
    return frozenset(
        one.text
        for one in hint.definitions
        if one.meanings[0].formula is not None and place(one.phrase, tokens)
    )


def left_out(
    hint: Hint, question: str, sql: str, catalog: Catalog, known: Mapping[str, bool] | None = None
) -> list[LeftOut]:
    """Words of the question that the hint explains and the SQL does not follow, as they are written.

    Words whose explanation could not be read are among them. `known` says of some clauses whether the maker of the SQL followed
    them; of the others the SQL is looked at.
    """
    tokens, known = tokenise(question), known or {}
    if not sql:  # nothing is shown, so nothing is used
        texts = [*(one.text for one in hint.definitions), *(one.text for one in hint.lost)]
        known = dict.fromkeys(texts, False)
    clauses = [(one.phrase, one.text) for one in hint.lost if not known.get(one.text)]
    for one in hint.definitions:
        if not known.get(one.text, any(_follows(meaning, sql, catalog) for meaning in one.meanings)):
            clauses.append((one.phrase, one.text))
    found: dict[LeftOut, None] = {}
    for phrase, text in clauses:
        if phrase and (said := place(phrase, tokens)):
            found.setdefault(LeftOut(question[tokens[said[0]].start : tokens[said[-1]].end], text))
    return list(found)


def _follows(meaning: Meaning, sql: str, catalog: Catalog) -> bool:
    """Whether the columns and literals of conditions and formulas stand in some SQL. Nothing is asked of a column alone.

    A formula's sums go through the rows of the table that its columns belong to, each of them once.
    """
    tests = [test for clause in meaning.tests for test in clause]
    columns = [test.column for test in tests]
    if meaning.formula is not None:
        columns += meaning.formula.columns
        if not any(sign in sql for sign in OPERATORS if sign in meaning.formula.sql):
            return False
        if not goes_through(meaning.formula, sql, catalog):
            return False
    low = sql.lower()
    texts = [str(value).replace("'", "''") for test in tests for value in test.values]
    return all(c.column.lower() in low for c in columns) and all(text in sql for text in texts)
