"""A text cut into its statements, and what a person may want to run of it. Nothing here runs one.

Cuts at semicolons that stand in no text, name or comment. A text that cannot be read as tokens is one statement.
"""

from __future__ import annotations

from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from sqlagent.sql.literals import ODD


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a text, with where it begins and ends there."""

    text: str
    start: int
    end: int


def statements(text: str, dialect: str) -> list[Statement]:
    """List the statements of a text; comments between them belong to the next one.

    Example:
        >>> [one.text for one in statements("SELECT ';'; -- two;\\nSELECT 2;", "sqlite")]
        ["SELECT ';'", '-- two;\\nSELECT 2']
    """
    try:
        tokens = sqlglot.tokenize(text, dialect=dialect if dialect in sqlglot.Dialect.classes else None)
    except ODD:
        return [_trimmed(text, 0, len(text))] if text.strip() else []
    found, start, has_words = [], 0, False
    for token in tokens:
        if token.token_type is not TokenType.SEMICOLON:
            has_words = True
            continue
        if has_words:
            found.append(_trimmed(text, start, token.start))
        start, has_words = token.end + 1, False
    if has_words:
        found.append(_trimmed(text, start, len(text)))
    return found


def is_query(text: str, dialect: str) -> bool:
    """Say whether a text can be read as one query: prose cannot.

    Example:
        >>> is_query("SELECT 1", "sqlite"), is_query("only orders that are paid", "sqlite"), is_query("paid", "sqlite")
        (True, False, False)
    """
    try:
        return isinstance(sqlglot.parse_one(text, dialect=dialect), exp.Query)
    except ODD:
        return False


def statement_at(text: str, at: int, dialect: str) -> Statement:
    """The statement that a place of a text is in, or the one before it.

    Example:
        >>> statement_at("SELECT 1; SELECT 2", 3, "sqlite").text, statement_at("SELECT 1; SELECT 2", 12, "sqlite").text
        ('SELECT 1', 'SELECT 2')
    """
    found = statements(text, dialect)
    if not found:
        return Statement(text, 0, len(text))
    return next((one for one in reversed(found) if one.start <= at), found[0])


def _trimmed(text: str, start: int, end: int) -> Statement:
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return Statement(part.strip(), start, start + len(part.strip()))
