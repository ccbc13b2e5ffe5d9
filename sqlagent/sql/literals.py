"""The words of a question and the stored spellings behind them, as literals of SQL.

Decides which text literal of a statement stands for which words a person typed, how sure that is, and
puts the one in place of the other. `rendering` decides what may be shown to whom.
"""

from __future__ import annotations

import re
from functools import lru_cache

import sqlglot
from rapidfuzz.distance import OSA
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.language.common_words import is_common
from sqlagent.language.words import fold, stem
from sqlagent.values import Link, LinkedSchema, Question, ValueMatch

ODD = (
    SqlglotError,
    RecursionError,
    AssertionError,
    ValueError,
    TypeError,
    AttributeError,
    KeyError,
    IndexError,
)
"""Errors of the parser on SQL that it cannot read (TypeError on `SELECT note ->` in SQLite, for one)."""


def said(question: Question) -> tuple[str, ...]:
    """The texts a person sent with a question: all of them are theirs to send."""
    return (question.text, question.typed_hint, question.typed)


def typed(question: Question, linked: LinkedSchema) -> tuple[tuple[str, ValueMatch], ...]:
    """Pair each value match with the words the person typed for it.

    A match whose words were not typed is left out: its words may be the stored spelling. So is a likeness of
    common English words ("also" and 'Alonso') to another word, which nobody meant.
    """
    text = "\n".join(said(question))
    pairs = []
    for match in linked.values:
        for words in (match.words, *(link.words for link in linked.links if _same(link, match))):
            found = re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE)
            if found and words.strip():
                if not is_common(found.group(0)) or _stems(found.group(0)) == _stems(match.value):
                    pairs.append((found.group(0), match))
                break
    return tuple(pairs)


def _stems(text: str) -> list[str]:
    return [stem(word) for word in re.findall(r"\w+", fold(text))]


EXACT, CLOSE, GUESS = "exact", "close", "guess"


def likeness(words: str, value: str) -> str:
    """Tell how sure it is that words mean a stored value, by their letters alone.

    `exact`: the same but for letter case. `close`: the same but for accents, spaces and signs, or one misspelling.
    `guess`: anything else, a plural too, which names things rather than their kind.

    Example:
        >>> likeness("NORWAY", "Norway"), likeness("sao paolo", "São Paulo"), likeness("Norwey", "Norway")
        ('exact', 'close', 'close')
        >>> likeness("delays", "Delay"), likeness("Formula", "Formula One"), likeness("Lee", "Leo")
        ('guess', 'guess', 'guess')
    """
    if words.strip().casefold() == value.strip().casefold():
        return EXACT
    one, two = (re.sub(r"[\W_]+", "", fold(text)) for text in (words, value))
    if one and one == two:
        return CLOSE
    is_plural = one.endswith("s") and not two.endswith("s") and stem(one) == stem(two)
    if is_plural or min(len(one), len(two)) < SHORT:
        return GUESS
    return CLOSE if OSA.distance(one, two, score_cutoff=1) <= 1 else GUESS


SHORT = 4
"""Letters below which one misspelling makes another word."""


def _same(link: Link, match: ValueMatch) -> bool:
    return (link.table, link.column, link.value) == (match.column.table, match.column.column, match.value)


def bind(sql: str, question: Question, linked: LinkedSchema) -> str:
    """Put stored spellings where a model, which was not shown them, wrote the words as typed.

    Only a literal compared with the very column of the match is replaced, by the best match
    of its words; in LOWER or UPPER of the column the letter case follows. SQL that does not
    parse is left as it is.
    """
    if not linked.values:
        return sql
    best: dict[tuple[str, str], str] = {}
    for words, match in sorted(typed(question, linked), key=lambda pair: pair[1].score):
        best[words.casefold(), match.column.column.casefold()] = match.value
    swaps: dict[str, str] = {}
    for literal, column, case in _compared(sql, linked.full.dialect):
        value = best.get((literal.casefold(), column), literal)
        value = value.lower() if case == "lower" else value.upper() if case == "upper" else value
        if value != literal:
            swaps[literal] = value
    return swap_literals(sql, linked.full.dialect, swaps) if swaps else sql


@lru_cache(maxsize=512)
def _compared(sql: str, dialect: str) -> tuple[tuple[str, str, str], ...]:
    """List text literals with the column each is compared with by = or IN, folded, and LOWER or UPPER around it."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except ODD:
        return ()
    found: list[tuple[str, str, str]] = []
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.In):
        sides = [node.this, *(node.expressions if isinstance(node, exp.In) else [node.expression])]
        columns = [(inner, case) for side in sides for inner, case in [_column(side)] if inner]
        literals = [side.this for side in sides if isinstance(side, exp.Literal) and side.is_string]
        if len(columns) == 1:
            found += [(text, *columns[0]) for text in literals]
    return tuple(found)


def _column(side: exp.Expression) -> tuple[str, str]:
    """The column a side of a comparison is, folded, and the case it is brought to; empty for anything else."""
    case = "lower" if isinstance(side, exp.Lower) else "upper" if isinstance(side, exp.Upper) else ""
    inner = side.this if case else side
    return (inner.name.casefold(), case) if isinstance(inner, exp.Column) else ("", "")


def tokens(sql: str, dialect: str) -> list[Token] | None:
    """Read a statement's tokens; None where it cannot be read."""
    try:
        return list(sqlglot.tokenize(sql, dialect=dialect))
    except ODD:
        return None


def texts(sql: str, dialect: str) -> list[Token]:
    """List the text literals of a statement, in order; none where it cannot be read."""
    return [token for token in tokens(sql, dialect) or () if token.token_type == TokenType.STRING]


def swap_literals(sql: str, dialect: str, swaps: dict[str, str]) -> str:
    """Replace whole text literals, leaving every other character of the SQL as it is.

    Example:
        >>> swap_literals("SELECT 1 WHERE a = 'norge' AND b = 'norge x'", "sqlite", {"norge": "Norway"})
        "SELECT 1 WHERE a = 'Norway' AND b = 'norge x'"
    """
    out, at = [], 0
    for token in texts(sql, dialect):
        if token.text in swaps:
            out += [sql[at : token.start], exp.Literal.string(swaps[token.text]).sql(dialect=dialect)]
            at = token.end + 1
    return "".join(out) + sql[at:]
