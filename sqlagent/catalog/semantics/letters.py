"""Whether a short form may stand for a word, by its letters alone: frt for freight, wgt for weight, orig for origin."""

from __future__ import annotations

_VOWELS = frozenset("aeiouy")


def abbreviates(short: str, word: str) -> float:
    """Tell how well a short form fits a word, from 0 (not at all) to 1.

    Both begin with one letter, and the word holds the short form's letters in their order. A beginning fits by its
    length; else consonants count, the last one most: people drop vowels before they drop those.

    Example:
        >>> abbreviates("orig", "origin") > abbreviates("frt", "freight") > abbreviates("frt", "first time") == 0
        True
        >>> abbreviates("wgt", "weight") > 0.6, abbreviates("reg", "rating"), abbreviates("freight", "freight")
        (True, 0.0, 0.0)
    """
    if not 2 <= len(short) < len(word) or short[0] != word[0] or not (short + word).isalpha():
        return 0.0
    if word.startswith(short):
        return min(0.95, 0.6 + 0.1 * (len(short) - 2) + 0.2 * len(short) / len(word))
    if not in_order(short, word):
        return 0.0
    wanted, given = _skeleton(word), _skeleton(short)
    if len(given) < 2:
        return 0.0
    share = len(given) / len(wanted)
    if share < 0.5:
        return 0.0
    if wanted.startswith(given):
        return 0.6 + 0.4 * share
    return 0.4 + 0.55 * share if wanted[-1] == given[-1] else 0.0


def in_order(letters: str, word: str) -> bool:
    """Whether letters stand in a word in their order.

    Example:
        >>> in_order("clm", "claim"), in_order("mcl", "claim")
        (True, False)
    """
    left = iter(word)
    return all(letter in left for letter in letters)


def _skeleton(word: str) -> str:
    """The first letter and the consonants after it, doubled ones once."""
    kept = word[0] + "".join(c for c in word[1:] if c not in _VOWELS)
    return "".join(c for at, c in enumerate(kept) if not at or kept[at - 1] != c)
