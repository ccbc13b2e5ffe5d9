"""Names of old systems, in one piece: ORDDT, CUSTNO and INVHDR are two short words each.

Decides whether a catalog writes so, by how many of its columns end in a short word that ends no word of English.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from sqlagent.catalog.semantics.words import OPENED, RUN_TOGETHER
from sqlagent.language.lexicon import ABBREVIATIONS, words_of
from sqlagent.language.words import split_name
from sqlagent.values import Catalog

ENOUGH = 0.3
"""Share of columns that end so in a catalog that writes so."""

LEAST = 6
"""Columns that end so, at least."""

_TELLING = words_of("no dt nm cd amt qty typ fl hdr dtl mast mst")
"""Last words that end nothing else."""

_OTHERS = words_of("st tm kg ds dsc src rsn ref cst rt pr sz lim trm val id ln num tot pct mth yr trn tab")
"""Last words that end words too: they count behind a first word that is known."""

_HEAD = 2
"""Letters of a first word, at least."""

Parts = Callable[[str], tuple[str, ...]]


def parts_in(catalog: Catalog) -> Parts:
    """Give what splits the names of a catalog into words, as `split_name` does, and run-together ones where they are usual.

    Example:
        >>> from sqlagent.values import Column, Table
        >>> table = Table("INVHDR", tuple(map(Column, ("INVNO", "INVDT", "CUSTNO", "NETAMT", "INVST", "DUEDT", "VATAMT"))))
        >>> parts = parts_in(Catalog("sqlite", (table,)))
        >>> parts("INVHDR"), parts("INVST"), parts("request")
        (('inv', 'hdr'), ('inv', 'st'), ('request',))
    """
    names = [column.name for table in catalog.tables for column in table.columns]
    heads = {head for head, tail in map(_apart, names) if tail}
    if len(heads) < LEAST / 2 or sum(bool(_apart(name)[1]) for name in names) < max(
        LEAST, ENOUGH * len(names)
    ):
        return split_name
    known = heads | {head for head, tail in (_apart(table.name) for table in catalog.tables) if tail}

    def parts(name: str) -> tuple[str, ...]:
        return tuple(piece for word in split_name(name) for piece in _pieces(word, known))

    return parts


def _apart(name: str) -> tuple[str, str]:
    """The two words of a name in one piece that ends tellingly; the second is empty where it does not."""
    words = split_name(name)
    if len(words) != 1 or _is_word(words[0]):
        return name, ""
    return _cut(words[0], _TELLING)


def _cut(word: str, tails: Collection[str]) -> tuple[str, str]:
    for tail in sorted(tails, key=len, reverse=True):
        if word.endswith(tail) and len(word) - len(tail) >= _HEAD:
            return word[: -len(tail)], tail
    return word, ""


def _is_word(word: str) -> bool:
    return word in RUN_TOGETHER or word in OPENED or word in ABBREVIATIONS


def _pieces(word: str, known: Collection[str]) -> tuple[str, ...]:
    if _is_word(word):
        return (word,)
    head, tail = _cut(word, _TELLING)
    if tail:
        return head, tail
    head, tail = _cut(word, _OTHERS)
    return (head, tail) if tail and (head in known or head in OPENED or head in ABBREVIATIONS) else (word,)
