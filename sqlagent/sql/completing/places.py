"""Where in a text the cursor stands: in plain SQL, a text, a quoted name or a comment; which word is being typed there."""

from __future__ import annotations

import re
from dataclasses import dataclass

import sqlglot
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.sql.literals import ODD

_REST = re.compile(r"\w*")


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a cursor. `word` is what stands before it since `start`, in `quote` marks where it is a text or a quoted name.

    `tokens` are those of its statement without the word; the first `before` of them stand before the cursor.
    """

    text: str
    at: int
    start: int
    word: str
    quote: str
    tokens: tuple[Token, ...]
    before: int

    @property
    def is_text(self) -> bool:
        """The cursor is in a text, after its opening quote."""
        return self.quote == "'"

    @property
    def is_closed(self) -> bool:
        """The mark that ends the text or name stands right behind the cursor."""
        return bool(self.quote) and self.text[self.at : self.at + 1] == self.quote


def place_of(text: str, at: int, dialect: str) -> Place | None:
    """Look at the place of a cursor; None in a comment, and where the text cannot be read as tokens."""
    at = max(0, min(at, len(text)))
    mark, opened = _state(text, at, dialect)
    if mark in ("--", "/*"):
        return None
    if mark:
        start, word = opened + 1, text[opened + 1 : at]
        head, tail = text[:opened], _behind(text, at, mark)
    else:
        start = _word_start(text, at)
        word = text[start:at]
        rest = _REST.match(text, at) if word else None
        head, tail = text[:start], text[rest.end() if rest else at :]
    before = _tokens(head, dialect)
    if before is None:
        return None
    after = _tokens(tail, dialect) or []
    before = _last_statement(before)
    end = next((n for n, token in enumerate(after) if token.token_type is TokenType.SEMICOLON), len(after))
    quote = mark if mark else ""
    return Place(text, at, start, word, quote, (*before, *after[:end]), len(before))


def _word_start(text: str, at: int) -> int:
    """Where the word before a place begins; one that nothing of stands there begins at it.

    Example:
        >>> _word_start("a.bc2", 5), _word_start("a = 12", 6), _word_start("a ", 2)
        (2, 6, 2)
    """
    start = at
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    while start < at and text[start].isdigit():
        start += 1
    return start


def _last_statement(tokens: list[Token]) -> list[Token]:
    cuts = [n for n, token in enumerate(tokens) if token.token_type is TokenType.SEMICOLON]
    return tokens[cuts[-1] + 1 :] if cuts else tokens


def _tokens(text: str, dialect: str) -> list[Token] | None:
    try:
        return list(sqlglot.tokenize(text, dialect=dialect if dialect in sqlglot.Dialect.classes else None))
    except ODD:
        return None


def _state(text: str, at: int, dialect: str) -> tuple[str, int]:
    """Which mark is open at a place, and since where; an empty one in plain SQL."""
    escapes = dialect in ("mysql", "spark", "bigquery")
    mark, opened, n = "", 0, 0
    while n < at:
        two, one = text[n : n + 2], text[n]
        if not mark:
            if two in ("--", "/*"):
                mark, opened, n = two, n, n + 1
            elif one in "'\"`":
                mark, opened = one, n
        elif mark == "--":
            mark = "" if one == "\n" else mark
        elif mark == "/*":
            if two == "*/":
                mark, n = "", n + 1
        elif one == "\\" and escapes and mark != "`":
            n += 1
        elif one == mark:
            if text[n + 1 : n + 2] == mark and n + 1 < at:
                n += 1
            else:
                mark = ""
        n += 1
    return mark, opened


def _behind(text: str, at: int, mark: str) -> str:
    """The text behind a text or name that is being typed: its closing mark is that of its line, if one is left over there."""
    line_end = text.find("\n", at)
    line = text[at : line_end if line_end >= 0 else len(text)]
    if line.count(mark) % 2:
        return text[at + line.index(mark) + 1 :]
    return text[at:]
