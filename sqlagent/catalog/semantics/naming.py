"""Names in words: tables and columns, prefixes that all share dropped, short forms opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from sqlagent.catalog.semantics.letters import abbreviates
from sqlagent.catalog.semantics.run_together import parts_in
from sqlagent.catalog.semantics.words import (
    DATED,
    HANDLED,
    MEASURED,
    NUMBERED,
    OPENED,
    PREFIXES,
    QUANTITIES,
    RECORD_KINDS,
    RECORDS_OPENED,
    RUN_TOGETHER,
    STAFF,
    SUFFIXES,
    UNIT_ENDS,
)
from sqlagent.language.lexicon import ABBREVIATIONS
from sqlagent.language.words import name_words, segment, split_name, stem
from sqlagent.values import Catalog, Table

_PHRASAL = frozenset(
    {"check", "log", "sign", "walk", "drop", "plug", "opt", "trade", "stand", "sit", "break"}
)
"""Verbs that make a noun with in or out: check_ins, sign_ins."""


_OF_PAPERS = tuple(
    (word,) for word in ("type", "typ", "no", "nr", "num", "number", "date", "dt", "ref", "status", "kind")
)
"""Words behind "doc" by which it is a document and no doctor."""

_PAIRED = {"out": "pickup", "in": "return"}
"""Events of things that went out and came in again, by the dates of both."""

_EMPLOYED = {"out": "left", "in": "hired"}
"""The same of people who work there."""

_BESIDE = {
    "con": ("contact", frozenset({"log"})),
    "com": ("commission", frozenset({"pct", "amt", "rate", "bkg", "bk", "paid", "pd"})),
    "prm": ("premium", frozenset({"inv", "amt", "bill", "due"})),
}
"""Short forms that mean something else beside a word for money: a com rate is no company's."""

_INITIALS = {"f": "first", "l": "last", "m": "middle"}
_NAMED = frozenset({"name", "nm"})
"""A letter before a name is a person's: fName, l_name."""

_OF_TIMES = frozenset({"date", "dt", "dte", "on", "at", "time", "ts"})

LIST_ENDS = ("typ", "type", "kind", "knd", "cat", "grp", "stat")
"""How names of lists end that are run together with a letter or two: ITYP, BTYP, PCAT."""


_SUBUNITS = frozenset({"cents", "cent", "pence", "eur", "usd", "gbp"})
"""Money that a unit is told in, where a name says no more: unit_cts is a price."""


class Names:
    """Reads the names of one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.parts = parts_in(catalog)
        self.vocabulary = (
            frozenset(
                word
                for table in catalog.tables
                for name in (table.name, *(c.name for c in table.columns))
                for word in self.parts(name)
                if len(word) > 3 and len(segment(word, RUN_TOGETHER)) == 1
            )
            | RUN_TOGETHER
        )
        heads = Counter(self.parts(t.name)[0] for t in catalog.tables if len(self.parts(t.name)) > 1)
        many = max(4, 0.6 * len(catalog.tables))
        self.shared = frozenset(word for word, count in heads.items() if count >= many)
        self.lists: dict[str, str] = {}
        self.spelled = self._spelled(catalog)
        self.lists = self._lists(catalog)

    def _lists(self, catalog: Catalog) -> dict[str, str]:
        """Names of lists by the first letter of what they are of: BTYP, which boats alone point at, is the boat type.

        A name in one piece whose end says that it is a list; tables that begin with the letters before that, and nothing
        else, point at it.
        """
        pointing: dict[str, set[str]] = {}
        for table in catalog.tables:
            for key in table.foreign_keys:
                pointing.setdefault(key.table, set()).add(" ".join(self.table_words(table)))
        out: dict[str, str] = {}
        for table in catalog.tables:
            name = table.name.lower()
            end = next(
                (end for end in LIST_ENDS if name.endswith(end) and 1 <= len(name) - len(end) <= 2), ""
            )
            nouns = pointing.get(table.name, set())
            if end and len(nouns) == 1 and (noun := min(nouns)).startswith(name.removesuffix(end)):
                out[name] = f"{noun} {OPENED.get(end, end)}"
        return out

    def _spelled(self, catalog: Catalog) -> dict[tuple[str, ...], str]:
        """Short forms that a table's own name spells out, by the columns they begin: of DepCd in Depot, dep is depot.

        Columns of other tables that end so (OrigDepCd) mean the same; elsewhere `dep` is what it mostly is.
        """
        out: dict[tuple[str, ...], str] = {}
        for table in catalog.tables:
            noun = self.table_words(table)[-1:]
            for column in table.columns if noun and len(noun[0]) > 3 else ():
                parts = self.parts(column.name)
                opened = OPENED.get(parts[0], ABBREVIATIONS.get(parts[0], "")) if parts else ""
                if (
                    len(parts) > 1
                    and parts[0] not in RUN_TOGETHER
                    and stem(opened) != stem(noun[0])
                    and abbreviates(parts[0], stem(noun[0])) >= 0.7
                ):
                    out[parts] = noun[0].removesuffix("s") if stem(noun[0]) != noun[0] else noun[0]
        return out

    def table_words(self, table: Table) -> tuple[str, ...]:
        """The words of a table's name without what every table bears.

        Example:
            >>> names = Names(Catalog("sqlite", ()))
            >>> names.table_words(Table("dim_customer", ())), names.table_words(Table("tblOrderLn", ()))
            (('customer',), ('order', 'line'))
        """
        words = list(self.parts(table.name))
        while len(words) > 1 and (words[0] in PREFIXES or words[0] in self.shared):
            words = words[1:]
        if len(words) == 2 and words[0] in RECORDS_OPENED and words[1] in RECORD_KINDS:
            words[0] = RECORDS_OPENED[words[0]]
        if len(words) > 1 and words[-1] in SUFFIXES:
            words = words[:-1]
        return self.opened("_".join(words))

    def column_words(self, table: Table, name: str, prefix: str = "") -> tuple[str, ...]:
        """The words of a column's name; `prefix` is one that all columns of its table bear."""
        words = list(self.parts(name))
        for at in range(len(words) - 1):
            if (known := self.spelled.get(tuple(words[at:]))) is not None:
                words[at] = known
        if prefix and len(words) > 1 and words[0] == prefix:
            words = words[1:]
        if words[-1] == "st" and words[:-1] in ([], ["addr"], ["address"]) and self._is_placed(table):
            words[-1] = "state"
        if len(words) > 1 and words[-1] in _NAMED and words[-2] in _INITIALS:
            words[-2] = _INITIALS[words[-2]]
        if len(words) == 2 and words[0] in _PAIRED and words[1] in _OF_TIMES:
            other = "in" if words[0] == "out" else "out"
            if any(self.parts(c.name)[-2:] == (other, words[1]) for c in table.columns):
                nouns = {stem(OPENED.get(piece, piece)) for piece in self.parts(table.name)}
                words[0] = (_EMPLOYED if nouns & STAFF else _PAIRED)[words[0]]
        if (
            len(words) > 1
            and words[-1] == "sal"
            and not {stem(OPENED.get(piece, piece)) for piece in self.parts(table.name)} & STAFF
        ):
            words[-1] = "sales"  # who sold it: what somebody earns stands beside his name
        opened = self.opened("_".join(words))
        if opened[-2:-1] == ("unit",) and opened[-1] in _SUBUNITS:
            return (*opened[:-1], "price", opened[-1])
        return opened

    def _is_placed(self, table: Table) -> bool:
        """Whether a table holds addresses in columns of their own."""
        return any({"city", "zip", "postcode", "postal"} & set(self.parts(c.name)) for c in table.columns)

    def opened(self, name: str) -> tuple[str, ...]:
        """A name's words with short forms opened."""
        out: list[str] = []
        parts = self.parts(name)
        for at, word in enumerate(parts):
            if (
                at + 1 < len(parts)
                and word in NUMBERED
                and parts[at + 1] in ("no", "nr", "num", "number", "plate", "nbr")
            ):
                out.append(NUMBERED[word])
            elif (
                word in DATED
                and (parts[at + 1 : at + 2] or parts[:1])[0] in ("dt", "date", "dte", "on", "at", "ts")
                and len(parts) > 1
            ):
                out.append(DATED[word])
            elif word in _BESIDE and _BESIDE[word][1] & set(parts):
                out.append(_BESIDE[word][0])
            elif word in self.lists:
                out.extend(self.lists[word].split())
            elif word in ("ins", "outs") and at and parts[at - 1] in _PHRASAL:
                out.append(word[:-1])
            elif word == "doc":
                out.append("document" if parts[at + 1 : at + 2] in _OF_PAPERS else "doctor")
            elif word == "pay" and 0 < at == len(parts) - 1:
                out.append(word)
            elif word in UNIT_ENDS and 0 < at == len(parts) - 1 and MEASURED & set(parts[:at]):
                out.append(UNIT_ENDS[word])
            elif word in HANDLED and at and parts[at - 1] in QUANTITIES:
                out.append(HANDLED[word])
            elif word == "min" and len(parts) == 1:
                out.append("minimum")
            elif word in OPENED:
                out.extend(OPENED[word].split())
            elif word == "no" and word == parts[-1] and len(parts) > 1:
                out.append("number")
            elif word in ABBREVIATIONS:
                out.extend(ABBREVIATIONS[word].split())
            else:
                for piece in name_words(word, self.vocabulary):
                    out.extend(OPENED.get(piece, piece).split())
        return tuple(out)


def shared_prefix(table: Table) -> str:
    """The word that nearly all columns of a table begin with (`ord_id`, `ord_dt`, `ord_st`); empty where there is none.

    Example:
        >>> from sqlagent.values import Column
        >>> shared_prefix(Table("orders", tuple(Column(n) for n in ("ord_id", "ord_dt", "ord_st", "cust_id"))))
        'ord'
    """
    heads = Counter(split_name(c.name)[0] for c in table.columns if len(split_name(c.name)) > 1)
    if len(table.columns) < 3 or not heads:
        return ""
    word, count = heads.most_common(1)[0]
    is_role: Collection[str] = ("is", "has", "from", "to", "first", "last", "total", "unit", "order", "date")
    return word if count >= 0.7 * len(table.columns) and word not in is_role else ""
