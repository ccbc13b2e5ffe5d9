"""Numbers in digits and words, with the tokens they stand on.

Decides what is a number ("12,500", "two hundred", "5 million", "third"); leaves what it counts to the grammar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.language.words import Token

_ORDINALS = {
    "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8,
    "ninth": 9, "tenth": 10,
}  # fmt: skip
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}


@dataclass(frozen=True, slots=True)
class Number:
    """A number of the question: its value and tokens `start` to `end` (exclusive)."""

    value: int | float
    start: int
    end: int
    ordinal: bool = False


def read_numbers(tokens: Sequence[Token]) -> tuple[Number, ...]:
    """Find the numbers of a question, in order; neighbouring number words become one number.

    Example:
        >>> from sqlagent.language.words import tokenise
        >>> [n.value for n in read_numbers(tokenise("two hundred people, 3.5 each, 2 million in all"))]
        [200, 3.5, 2000000]
    """
    out: list[Number] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.low in _ORDINALS and token.kind == "word":
            out.append(Number(_ORDINALS[token.low], at, at + 1, True))
            at += 1
            continue
        found = _read_one(tokens, at)
        if found is None:
            at += 1
            continue
        out.append(found)
        at = found.end
    return tuple(out)


def _read_one(tokens: Sequence[Token], at: int) -> Number | None:
    """The number that begins at a token, or None."""
    token = tokens[at]
    end = at + 1
    if token.kind == "number":
        try:
            value: int | float = int(token.low)
        except ValueError:
            value = float(token.low)
    elif token.kind == "word" and token.low in NUMBER_WORDS and not _pronoun(tokens, at):
        value = NUMBER_WORDS[token.low]
        while end < len(tokens) and tokens[end].low in NUMBER_WORDS and tokens[end].low not in _SCALES:
            step = NUMBER_WORDS[tokens[end].low]
            if value < 20 or value % 10 or step >= 10:
                break
            value += step
            end += 1
    else:
        return None
    while end < len(tokens) and tokens[end].low in _SCALES:
        value *= _SCALES[tokens[end].low]
        end += 1
    return Number(value, at, end)


def _pronoun(tokens: Sequence[Token], at: int) -> bool:
    """Whether `one` is a pronoun here ("which one", "the one with")."""
    if tokens[at].low != "one":
        return False
    before = tokens[at - 1].low if at else ""
    after = tokens[at + 1].low if at + 1 < len(tokens) else ""
    return before in {"which", "the", "each", "this", "that", "any", "every", "no"} or after in {
        "is",
        "has",
        "of",
        ".",
    }
