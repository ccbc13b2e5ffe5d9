"""Verified questions divided into work, gate and audit, by template: questions that ask the same never stand in two parts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

LEAST_TEMPLATES = 15
"""Templates from which on an edit may come into force; below, edits are only proposed."""


class Part(StrEnum):
    """A third of the verified questions."""

    WORK = "work"
    GATE = "gate"
    AUDIT = "audit"


def grouped(questions: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    """Give each question (its key, its template, the shape of its SQL) the name of its group: same template or same shape, same group.

    Example:
        >>> grouped([("1", "orders in #", "A"), ("2", "orders in #", "B"), ("3", "sales of #", "B"), ("4", "staff", "C")])
        {'1': '1', '2': '1', '3': '1', '4': '4'}
    """
    parent: dict[str, str] = {}

    def root(one: str) -> str:
        while parent.setdefault(one, one) != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    keys = []
    for key, template, shape in questions:
        keys.append(key)
        for mark in (f"t{template}", f"s{shape}"):
            parent[root(mark)] = root(f"q{key}")
    first: dict[str, str] = {}
    return {key: first.setdefault(root(f"q{key}"), key) for key in keys}


def split(groups: Sequence[str], known: Mapping[str, str], salt: str) -> dict[str, Part]:
    """Give each group its part. Those that have one keep it; a new one goes to the smallest part, ties by a hash.

    The same groups in the same order get the same parts, and an added group moves no other.

    Example:
        >>> before = split(["a", "b", "c"], {}, "shop")
        >>> sorted(before.values()) == sorted(Part)
        True
        >>> all(split(["a", "b", "c", "d"], before, "shop")[one] is part for one, part in before.items())
        True
    """
    parts = {group: Part(known[group]) for group in groups if group in known}
    sizes = Counter(parts.values())
    for group in groups:
        if group not in parts:
            parts[group] = min(Part, key=lambda part: (sizes[part], _hash(f"{salt}\n{group}\n{part}")))
            sizes[parts[group]] += 1
    return parts


def kept_parts(
    groups: Mapping[str, str], marks: Mapping[str, str], known: Mapping[str, str]
) -> dict[str, Part]:
    """Give groups the part that one of their questions had by its lasting mark. Where two differ, what the editor has seen stays seen.

    Example:
        >>> kept_parts({"8": "8", "9": "8"}, {"8": "orders in #", "9": "sales of #"}, {"orders in #": "gate", "sales of #": "work"})
        {'8': <Part.WORK: 'work'>}
    """
    order = list(Part)
    found: dict[str, Part] = {}
    for key, group in groups.items():
        if marks[key] in known:
            part = Part(known[marks[key]])
            found[group] = min(found.get(group, part), part, key=order.index)
    return found


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
