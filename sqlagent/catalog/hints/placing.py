"""Where a question says the phrase of a definition: which of its tokens the definition explains.

Decides by stems and near spelling, in any order within a narrow stretch; words that carry nothing may be missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from sqlagent.catalog.hints.terms import Meaning
from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.words import Token, name_words, stem, tokenise

ALIKE = 84.0
"""rapidfuzz ratio from which two words are one, spelled twice: "colour" and "color" are 90.9."""

LOOSE = 4
"""Words more that a stretch of the question may have than the phrase."""

_KEPT = frozenset(
    {"no", "not", "without", "most", "least", "more", "less", "over", "under", "first", "last", "top", "all"}
)
"""Words of asking that are part of what a phrase says."""


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of a question with the token that it is of."""

    low: str
    stem: str
    token: int


def place(phrase: str, tokens: Sequence[Token]) -> tuple[int, ...]:
    """Give the tokens that say a phrase, in order; none where the question does not.

    Example:
        >>> place("published by Acme", tokenise("How many books did Acme publish?"))
        (4, 5)
        >>> place("out of print", tokenise("How many books are there?"))
        ()
    """
    wanted = _content(_words(tokenise(phrase)))
    said = _words(tokens)
    if not wanted or not said:
        return ()
    best: tuple[int, ...] = ()
    length = len(_words(tokenise(phrase))) + LOOSE
    for first in range(len(said)):
        if not any(_same(said[first], one) for one in wanted):
            continue
        left, hits = list(wanted), []
        for last in range(first, min(len(said), first + length)):
            hit = next((one for one in left if _same(said[last], one)), None)
            if hit is not None:
                left.remove(hit)
                hits.append(said[last].token)
            if not left:
                if not best or hits[-1] - hits[0] < best[-1] - best[0]:
                    best = tuple(dict.fromkeys(hits))
                break
    return best


def place_text(text: str, tokens: Sequence[Token]) -> tuple[int, ...]:
    """Give the tokens that say a literal, word by word; none where the question does not."""
    wanted = [word.low for word in _words(tokenise(text))]
    said = _words(tokens)
    for first in range(len(said) - len(wanted) + 1):
        if wanted and [word.low for word in said[first : first + len(wanted)]] == wanted:
            return tuple(dict.fromkeys(word.token for word in said[first : first + len(wanted)]))
    return ()


def trimmed(
    said: Sequence[int], tokens: Sequence[Token], tables: frozenset[str], own: frozenset[str]
) -> tuple[int, int]:
    """The stretch of those tokens without words that say nothing and stems of `tables`, but for its `own`, where some are left.

    Example:
        >>> trimmed((2, 4, 5), tokenise("How many guests with blue eyes are there?"), frozenset({"guest"}), frozenset())
        (4, 6)
    """

    def idle(token: Token) -> bool:
        if token.kind != "word":
            return False
        small = (
            token.low in STOP_WORDS and token.low not in _KEPT or token.low in ("have", "has", "had", "with")
        )
        return small or token.stem in tables and token.stem not in own

    kept = [n for n in said if not idle(tokens[n])] or said
    return kept[0], kept[-1] + 1


def narrowed(phrase: str, found: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
    """The meanings in tables that the phrase names; all of them where it names none."""
    said = {word.stem for word in _words(tokenise(phrase))}
    own = tuple(
        one
        for one in found
        if any({stem(w) for w in name_words(t.rpartition(".")[2])} <= said for t in one.tables())
    )
    return own or found


def _words(tokens: Sequence[Token]) -> list[_Word]:
    """The words of tokens; quoted text word by word."""
    out = []
    for n, token in enumerate(tokens):
        if token.kind == "quoted":
            inner = [t for t in tokenise(token.text.replace('"', " ").replace("'", " ")) if t.kind != "mark"]
            out += [_Word(t.low, t.stem, n) for t in inner]
        elif token.kind != "mark":
            out.append(_Word(token.low, token.stem, n))
    return out


def _content(words: Sequence[_Word]) -> list[_Word]:
    kept = [w for w in words if w.low not in STOP_WORDS or w.low in _KEPT]
    return kept or [w for w in words if w.low not in ("the", "a", "an")]


def _same(one: _Word, other: _Word) -> bool:
    if one.stem == other.stem or one.low == other.low:
        return True
    long = min(len(one.low), len(other.low)) >= 5 and one.low[0] == other.low[0]
    return long and one.low.isalpha() and fuzz.ratio(one.low, other.low) >= ALIKE
