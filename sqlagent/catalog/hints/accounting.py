"""What became of a hint: the words of the question that it explains, and what of it the SQL leaves out."""

from __future__ import annotations

from collections.abc import Sequence

from sqlagent.catalog.hints.placing import place
from sqlagent.catalog.hints.terms import Hint, Meaning
from sqlagent.language.words import Token, tokenise

OPERATORS = "+-*/"


def covered(hint: Hint, tokens: Sequence[Token]) -> frozenset[int]:
    """The tokens of a question that the definitions of a hint explain."""
    return frozenset(n for one in hint.definitions if one.phrase for n in place(one.phrase, tokens))


def computes(hint: Hint, question: str) -> bool:
    """Whether a hint gives a formula for words of a question."""
    tokens = tokenise(question)
    return any(one.meanings[0].formula is not None and place(one.phrase, tokens) for one in hint.definitions)


def left_out(hint: Hint, question: str, sql: str) -> list[str]:
    """Words of the question that the hint explains and the SQL does not follow, as they are written.

    Words whose explanation could not be read are among them.
    """
    tokens = tokenise(question)
    phrases = [
        *hint.lost,
        *(d.phrase for d in hint.definitions if not any(_follows(m, sql) for m in d.meanings)),
    ]
    found = []
    for phrase in phrases:
        if phrase and (said := place(phrase, tokens)):
            found.append(question[tokens[said[0]].start : tokens[said[-1]].end])
    return list(dict.fromkeys(found))


def _follows(meaning: Meaning, sql: str) -> bool:
    """Whether the columns and literals of conditions and formulas stand in some SQL. Nothing is asked of a column alone."""
    tests = [test for clause in meaning.tests for test in clause]
    columns = [test.column for test in tests]
    if meaning.formula is not None:
        columns += meaning.formula.columns
        if not any(sign in sql for sign in OPERATORS if sign in meaning.formula.sql):
            return False
    low = sql.lower()
    texts = [str(value).replace("'", "''") for test in tests for value in test.values]
    return all(c.column.lower() in low for c in columns) and all(text in sql for text in texts)
