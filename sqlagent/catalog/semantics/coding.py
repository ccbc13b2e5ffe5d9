"""Codes and their labels where these stand in a table of lists: which list belongs to which column.

A table that keeps one list, with a key of its own, is a thing like any other; this is about
tables that keep several, told apart by a column of kinds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache
from math import inf

from sqlagent.catalog.code_shapes import shape_of
from sqlagent.catalog.semantics.letters import in_order
from sqlagent.catalog.semantics.naming import Names
from sqlagent.catalog.semantics.values import Codes
from sqlagent.catalog.semantics.words import CODE_KINDS, KEYS
from sqlagent.catalog.statistics import TableFacts
from sqlagent.language.words import stem
from sqlagent.values import Table

_LABELS = ("label", "description", "name", "text", "meaning", "title", "value")
_NAMED = 1.5
"""How well a list's name is made of words that it names without doubt: of one of the table and one of the column."""

_LEAST_LETTERS = 3
"""Letters of a list's name that tell its column, at least: two begin too many words."""

_CODES = ("code", "key", "id", "value", "number")


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of one table of codes: of each kind its pairs of code and label."""

    table: str
    kind_column: str
    code_column: str
    label_column: str
    pairs: Mapping[str, tuple[tuple[str, str], ...]]
    codes: Mapping[str, frozenset[str]]
    is_told_by_values: bool = False

    def holding(self, held: Set[str]) -> list[str]:
        """The kinds whose codes are all that a column holds, and more."""
        return [kind for kind, codes in self.codes.items() if held <= codes]


def lists_of(table: Table, facts: TableFacts | None, names: Names) -> Lists | None:
    """Read a table of several lists, by the names of its columns or else by what stands in them.

    None where it is none, as where a code tells its rows apart by itself: an item list with groups.
    """
    if facts is None or not facts.content or not 3 <= len(table.columns) <= 8:
        return None
    words = [tuple(stem(w) for w in names.opened(c.name)) for c in table.columns]
    if table.foreign_keys:
        return None
    # field name, code, meaning: the first that can be a label may be the kind
    for label in _all(words, _LABELS):
        code = next(iter(_all(words, _CODES, label)), None)
        kind = next((n for n, w in enumerate(words) if n not in (label, code) and set(w) & CODE_KINDS), None)
        if code is not None and kind is not None and table.primary_key != (table.columns[code].name,):
            return _read(table, facts.content, kind, code, label)
    shape = shape_of(facts.content)
    found = _read(table, facts.content, *shape) if shape is not None else None
    return replace(found, is_told_by_values=True) if found is not None else None


def _read(table: Table, rows: Sequence[Sequence[str]], kind: int, code: int, label: int) -> Lists | None:
    pairs: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for row in rows:
        pairs[row[kind]].append((row[code], row[label]))
    several = len(pairs) > 1 and all(len({c for c, _ in some}) == len(some) for some in pairs.values())
    if not several or len({row[code] for row in rows}) == len({row[kind] for row in rows}) == 1:
        return None
    column = table.columns
    return Lists(
        table.key, column[kind].name, column[code].name, column[label].name,
        {name: tuple(some) for name, some in pairs.items()},
        {name: frozenset(code for code, _ in some) for name, some in pairs.items()},
    )  # fmt: skip


def _plain(name: str) -> str:
    """A name without what stands between its words: CUSTTYP of cust_typ."""
    return "".join(c for c in name.lower() if c.isalnum())


def _all(words: Sequence[Sequence[str]], wanted: Sequence[str], taken: int | None = None) -> list[int]:
    """The columns whose names end in one of the words, in the order of these."""
    return [
        n for word in wanted for n, said in enumerate(words) if n != taken and said and said[-1] == stem(word)
    ]


def codes_of(
    name: str,
    words: Sequence[str],
    noun: Sequence[str],
    stored: Sequence[str],
    lists: Sequence[Lists],
    names: Names,
) -> Codes | None:
    """Find the list whose codes a column holds: all of them, and by its name, or else the only one that has such codes.

    `words` are the stems of the column's `name`, `noun` those of its table, `stored` its different values.
    """
    held = {text for text in stored if text}
    if not held or len(held) > 60:
        return None
    named = [w for w in words if w not in KEYS]
    best: tuple[float, Codes] | None = None
    for one in lists:
        for kind in one.holding(held):
            pairs, known = one.pairs[kind], one.codes[kind]
            if _plain(kind) == _plain(name) or spells(kind, noun, named) >= _NAMED:
                return Codes(one.table, one.code_column, one.label_column, pairs, one.kind_column, kind)
            said = [stem(w) for w in names.opened(kind)]
            shared = sum(1.0 for w in named if w in said) + sum(
                0.4 for w in said if any(w.startswith(n) or n.startswith(w) for n in noun) and w not in named
            )
            worth = shared - 0.3 * sum(w not in named and w not in KEYS and w not in noun for w in said)
            worth -= 0.02 * (len(known) - len(held))
            if shared and (best is None or worth > best[0]):
                codes = Codes(one.table, one.code_column, one.label_column, pairs, one.kind_column, kind)
                best = (worth, codes)
    if best is not None and best[0] > 0:
        return best[1]
    return _spelled(words, noun, held, lists)


def _spelled(
    words: Sequence[str], noun: Sequence[str], held: set[str], lists: Sequence[Lists]
) -> Codes | None:
    """The list whose name begins the words of a column or of its table, or the only one that has such codes.

    Letters and numbers stand in many lists: without a name a list is taken where all its codes occur, three and more.
    """
    holding = [
        Codes(one.table, one.code_column, one.label_column, one.pairs[kind], one.kind_column, kind)
        for one in lists
        for kind in one.holding(held)
    ]
    worth = []
    for codes in holding:
        spelled = spells(codes.kind, noun, words)
        is_whole = len(held) == len(codes.pairs) > 1
        worth.append(spelled and spelled + 0.5 * is_whole + 0.4 * (len(holding) == 1))
    best = max(range(len(holding)), key=lambda n: worth[n], default=None)
    if best is not None and worth[best] >= 1:
        return holding[best]
    if len(holding) != 1 or len(held) < 3:
        return None
    is_telling = all(len(code) > 1 and not code.isdecimal() for code in held)
    is_whole = len(held) == len(holding[0].pairs) and not any(code.isdecimal() for code in held)
    return holding[0] if is_telling or is_whole else None


def spells(kind: str, noun: Sequence[str], words: Sequence[str]) -> float:
    """How well a list's name is made of the beginnings of words, of a table's `noun` and then of a column's; 0 where it is not.

    A word of the column counts 1, one of the table a half, and one that gives its first letter alone 0.6 of that.

    Example:
        >>> spells("VSTAT", ("vehicle",), ("status",)), spells("CABS", ("client", "absence"), ("reason",))
        (1.3, 0.8)
        >>> spells("VSTAT", ("call",), ("status",)), spells("CLMSTAT", ("claim",), ("status",))
        (0.0, 1.5)
    """
    letters = _plain(kind)
    if len(letters) < _LEAST_LETTERS:
        return 0.0
    every = [(word, 0.5) for word in noun] + [(word, 1.0) for word in words]

    @cache
    def best(at: int, word: int) -> float:
        if at == len(letters):
            return 0.0
        if word == len(every):
            return -inf
        said, worth = every[word]
        found = best(at, word + 1)
        for end in range(at + 1, len(letters) + 1):
            piece = letters[at:end]
            if not said.startswith(piece[0]) or not in_order(piece, said):
                break
            found = max(found, worth * (0.6 if len(piece) == 1 else 1.0) + best(end, word + 1))
        return found

    return round(max(best(0, 0), 0.0), 2)
