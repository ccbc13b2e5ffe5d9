"""Whether words about a statement name only what stands in it: its numbers, and whatever they write as a name.

Decides nothing about the meaning. A number said in words ("three") counts as one; "one" does not, which is no figure.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise
from math import isclose

import sqlglot
from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.sql import literals

LONGEST = 300
"""Digits from which a number is past every float."""

_NUMBER = re.compile(
    r"(?<![\w.,])(?<![A-Za-z]-)(?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"\s?(?P<unit>%|per ?cent\b|k\b|thousand\b|million\b|M\b|billion\b)?(?:st\b|nd\b|rd\b|th\b)?"
)
_UNITS = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "billion": 1e9}
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|“([^”\n]+)”|(?<!\w)'([^'\n]+)'(?!\w)")
_NAME = re.compile(r"(?<![\w.])(?:\w+[._])+\w+|(?<!\w)[a-z]+[A-Z]\w*")


def unfounded(words: str, sql: str, dialect: str) -> tuple[str, ...]:
    """List what words about a statement name and what is not in it, in their order; all of them where it cannot be read.

    A number passes that stands in it, also as a percentage; that is part of the day before a date of `< date`; or that counts its tables or
    outputs. A name is a text in quotes or backticks, or a word with an underscore, a dot or a capital inside.

    Example:
        >>> unfounded("The 3 largest by `total` in 2025, at least 10 %.", "SELECT total FROM t WHERE d < '2026-01-01' AND r >= 0.1 LIMIT 3", "")
        ()
        >>> unfounded("The five largest by `amount` of order_lines.", "SELECT total FROM t LIMIT 3", "")
        ('amount', 'order_lines', 'five')
    """
    tokens = literals.tokens(sql, dialect)
    if tokens is None:
        return (words,)
    text = " ".join(sql[token.start : token.end + 1] for token in tokens)
    known = {word.casefold() for word in re.findall(r"\w+", text)}
    facts = {*_sizes(sql, dialect), *_written(text), *_last_days(tokens)}
    named = [name for name in _names(words) if any(word not in known for word in _words(name))]
    return tuple(dict.fromkeys([*named, *_numbers(_without_names(words), facts)]))


def _names(words: str) -> Iterator[str]:
    for found in _QUOTED.finditer(words):
        yield next(inner for inner in found.groups() if inner)
    yield from _NAME.findall(_QUOTED.sub(" ", words))


def _words(name: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"\w+", name)]


def _without_names(words: str) -> str:
    return _NAME.sub(
        lambda found: " " if re.search("[a-zA-Z]", found[0]) else found[0], _QUOTED.sub(" ", words)
    )


def _sizes(sql: str, dialect: str) -> Iterator[float]:
    """How many tables a statement reads, and how many columns it gives."""
    try:
        tree = sqlglot.parse_one(sql, dialect=dialect or None)
    except literals.ODD:
        return
    yield float(len({table.sql() for table in tree.find_all(exp.Table)}))
    if isinstance(tree, exp.Query):
        yield float(len(tree.selects))


def _written(text: str) -> Iterator[float]:
    for digits in re.findall(r"\d+(?:\.\d+)?", text):
        if len(digits) < LONGEST:
            yield float(digits)


def _last_days(tokens: Sequence[Token]) -> Iterator[float]:
    """The parts of the day before each date that a statement compares with `<`, which is the last one that is kept."""
    for token, after in pairwise(tokens):
        found = _DAY.match(after.text)
        if token.token_type != TokenType.LT or not found:
            continue
        try:
            last = date.fromisoformat(found[0]) - timedelta(days=1)
        except (ValueError, OverflowError):
            continue
        yield from (float(last.year), float(last.month), float(last.day))


def _numbers(words: str, facts: set[float]) -> Iterator[str]:
    for found in _NUMBER.finditer(words):
        unit = (found["unit"] or "").lower()
        said = float(found["digits"].replace(",", "")) * _UNITS.get(unit, 1.0)
        parts = (said, said / 100) if unit.startswith(("%", "per")) else (said,)
        if not any(isclose(part, fact, rel_tol=1e-9) for part in parts for fact in facts):
            yield found[0].strip()
    for word in re.findall(r"[a-z]+", _NUMBER.sub(" ", words).lower()):
        if NUMBER_WORDS.get(word, 0) > 1 and float(NUMBER_WORDS[word]) not in facts:
            yield word
