"""Names of old systems, in one piece: ORDDT, CUSTNO and INVHDR are two short words each.

Decides whether a catalog writes so, by how many of its columns end in a short word that ends no word of English.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from sqlagent.catalog.semantics.letters import in_order
from sqlagent.catalog.semantics.words import OPENED, PREFIXES, RECORD_KINDS, RUN_TOGETHER, SUFFIXES
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

_OWN = words_of("no nr id cd code name nm desc descr dsc txt typ type")
"""Last words behind a few letters of a table's own name."""

_LINES = words_of("l ln lns pos")
"""Short forms of lines behind the name of another table."""

_NO_NOUNS = PREFIXES | SUFFIXES | RECORD_KINDS
"""Pieces of a table's name that say how it is kept."""

_CHANCE = 2
"""Columns that begin with letters of their table, at least."""

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
    plain = _plain(catalog)
    apart = _apart_by_tables(catalog, plain)

    def parts(name: str) -> tuple[str, ...]:
        return tuple(piece for word in split_name(name) for piece in apart.get(word) or plain(word))

    return parts if apart else plain


def _plain(catalog: Catalog) -> Parts:
    """Give what splits names by their last words alone."""
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


def _apart_by_tables(catalog: Catalog, plain: Parts) -> dict[str, tuple[str, ...]]:
    """Words in one piece that the names of tables take apart: CNO and CNAME in a table CUST, CLNTABS beside a table CLNT.

    The first letters of a column's name are cut from the name of its own table and written out so (CUST NO); a single one
    is chance. A table's name may begin with that of another one.
    """
    out: dict[str, tuple[str, ...]] = {}
    nouns = {
        table.key: [p for p in plain(table.name) if len(p) > 2 and p not in _NO_NOUNS]
        for table in catalog.tables
    }
    for table in catalog.tables:
        for column in table.columns:
            words = plain(column.name)
            if len(words) == 1 and not _is_word(words[0]):
                head, tail = _cut_short(words[0])
                noun = next((n for n in nouns[table.key] if tail and _begins(head, tail, n)), "")
                if noun:
                    out[words[0]] = (noun, tail)
    if len(out) < _CHANCE:
        out = {}
    owned = {some[-1] for some in nouns.values() if some}
    for last in owned:
        head = max((h for h in owned if last != h and last.startswith(h)), key=len, default="")
        tail = last.removeprefix(head)
        is_two = tail in _LINES or tail in owned or _is_word(tail)
        if head and is_two and not _is_word(last):
            out[last] = (head, "line" if tail in _LINES else tail)
    return out


def _cut_short(word: str) -> tuple[str, str]:
    """A name's first letters and the last word that says what it holds; both empty where it ends in none."""
    tail = next((t for t in sorted(_OWN, key=len, reverse=True) if word.endswith(t) and word != t), "")
    return (word.removesuffix(tail), tail) if tail else ("", "")


def _begins(short: str, tail: str, noun: str) -> bool:
    """Whether letters are cut from a noun: TSTNO of TEST, but SSID of no SALES."""
    is_cut = noun[0] == short[0] and in_order(short, noun)
    return is_cut and (tail not in ("id", "cd", "code", "type", "typ") or noun.startswith(short))


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
