"""The words of a question and the stored spellings behind them, as literals of SQL.

Decides which text literal of a statement stands for which words a person typed, and puts the
one in place of the other. What may be shown to whom is `rendering`'s decision.
"""

from __future__ import annotations

import re
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.values import Link, LinkedSchema, Question, ValueMatch


def said(question: Question) -> tuple[str, ...]:
    """The texts a person sent with a question: all of them are theirs to send."""
    return (question.text, question.hint, question.typed)


def typed(question: Question, linked: LinkedSchema) -> tuple[tuple[str, ValueMatch], ...]:
    """Pair each value match with the words the person typed for it.

    A match whose words were not typed is left out: its words may be the stored spelling.
    """
    text = "\n".join(said(question))
    pairs = []
    for match in linked.values:
        for words in (match.words, *(link.words for link in linked.links if _same(link, match))):
            found = re.search(re.escape(words), text, re.IGNORECASE)
            if found and words.strip():
                pairs.append((found.group(0), match))
                break
    return tuple(pairs)


def _same(link: Link, match: ValueMatch) -> bool:
    return (link.table, link.column, link.value) == (match.column.table, match.column.column, match.value)


def bind(sql: str, question: Question, linked: LinkedSchema) -> str:
    """Put stored spellings where a model, which was not shown them, wrote the words as typed.

    Only a literal compared with the very column of the match is replaced; SQL that does not
    parse is left as it is.
    """
    if not linked.values:
        return sql
    found = _compared(sql, linked.full.dialect)
    swaps: dict[str, str] = {}
    for words, match in sorted(typed(question, linked), key=lambda pair: pair[1].score):
        column = match.column.column.casefold()
        for literal, compared in found:
            if literal.casefold() == words.casefold() and compared == column and literal != match.value:
                swaps[literal] = match.value
    return swap_literals(sql, linked.full.dialect, swaps) if swaps else sql


@lru_cache(maxsize=512)
def _compared(sql: str, dialect: str) -> tuple[tuple[str, str], ...]:
    """List text literals with the column each is compared with by = or IN, folded."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return ()
    pairs: list[tuple[str, str]] = []
    for node in tree.find_all(exp.EQ, exp.NEQ, exp.In):
        columns = list(node.find_all(exp.Column))
        literals = [x for x in node.find_all(exp.Literal) if x.is_string]
        if len(columns) == 1:
            pairs += [(x.this, columns[0].name.casefold()) for x in literals]
    return tuple(pairs)


def swap_literals(sql: str, dialect: str, swaps: dict[str, str]) -> str:
    """Replace whole text literals, leaving every other character of the SQL as it is.

    Example:
        >>> swap_literals("SELECT 1 WHERE a = 'norge' AND b = 'norge x'", "sqlite", {"norge": "Norway"})
        "SELECT 1 WHERE a = 'Norway' AND b = 'norge x'"
    """
    out, at = [], 0
    for token in texts(sql, dialect):
        if token.text in swaps:
            out += [sql[at : token.start], "'" + swaps[token.text].replace("'", "''") + "'"]
            at = token.end + 1
    return "".join(out) + sql[at:]


def texts(sql: str, dialect: str) -> list[Token]:
    """List the text literals of a statement, in order; none where it cannot be read."""
    try:
        tokens = sqlglot.tokenize(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return []
    return [token for token in tokens if token.token_type == TokenType.STRING]


def bound_away(sql: str, question: Question, linked: LinkedSchema) -> str:
    """Give a model's own SQL without the spellings that `bind` put in: what it really said."""
    swaps = {match.value: words for words, match in typed(question, linked)}
    return swap_literals(sql, linked.full.dialect, swaps) if swaps else sql
