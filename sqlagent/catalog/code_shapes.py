"""Tables of several lists of codes, told by what stands in them rather than by what their columns are called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import permutations

_LONGEST = 20
"""Characters of a kind and of a code, at most."""


def shape_of(rows: Sequence[Sequence[str]]) -> tuple[int, int, int] | None:
    """The columns of kind, code and label, told by their values: short codes that repeat from kind to kind, and longer words for them.

    Example:
        >>> rows = [("ST", "A", "active"), ("ST", "X", "ended"), ("TYP", "A", "annual"), ("TYP", "M", "monthly")]
        >>> shape_of(rows), shape_of([("en", "A", "active"), ("de", "A", "aktiv"), ("en", "X", "ended"), ("de", "X", "beendet")])
        ((0, 1, 2), None)

    Kinds are a few texts without spaces that several rows share, codes have no spaces and are not all numbers, no two rows of a kind share a code or a
    label, and labels hold words.
    """
    columns = list(zip(*rows, strict=True))
    size = [sum(map(len, cells)) / len(cells) for cells in columns]
    short = [
        n for n, cells in enumerate(columns) if all(c and " " not in c and len(c) <= _LONGEST for c in cells)
    ]
    words = [n for n, cells in enumerate(columns) if all(any(map(str.isalpha, c)) for c in cells)]
    found = [
        (size[label], -len(set(columns[kind])), kind, code, label)
        for kind, code in permutations(short, 2)
        for label in words
        if label not in (kind, code)
        and kind in words
        and size[label] > size[code] + 1
        and 2 <= len(set(columns[kind])) <= len(rows) / 2
        and len(set(columns[code])) < len(rows)
        and not all(map(str.isdecimal, columns[code]))
        and all(len(set(zip(columns[kind], columns[n], strict=True))) == len(rows) for n in (code, label))
    ]
    best = max(found)[2:] if found else None
    return best if best is not None and not _is_translated(columns[best[0]], columns[best[1]]) else None


def _is_translated(kinds: Sequence[str], codes: Sequence[str]) -> bool:
    """Whether most kinds have the same codes: languages, and no lists."""
    held: dict[str, set[str]] = defaultdict(set)
    for kind, code in zip(kinds, codes, strict=True):
        held[kind].add(code)
    return len({frozenset(some) for some in held.values()}) <= len(held) / 2
