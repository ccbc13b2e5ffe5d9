"""Two roles that one and the same has: "jobs where the author is also the reviewer" are those in which both are the same."""

from __future__ import annotations

import re

from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.unequal import LIKELY

_IS_ALSO = re.compile(
    r"^(?P<head>.+?) (?:where|whose|in which|for which|on which) (?:the |its |their )?(?P<one>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:is|was|are|were) (?:also |at the same time )?(?:the |its |their )(?P<two>[a-z][\w-]*(?: [a-z][\w-]*)?)(?:,? (?:too|as well|at the same time))?$",
    re.IGNORECASE,
)


def same_roles(text: str, source: Source) -> str:
    """Word such a question by what is the same; empty where its words are no two keys of one table that lead to one kind of row."""
    found = _IS_ALSO.match(text.strip().rstrip("?.! "))
    if found is None:
        return ""
    one, two = (_led_to(found[name], source) for name in ("one", "two"))
    alike = {
        (table, target)
        for table, column, target in one
        for other in two
        if (table, target) == (other[0], other[2]) and column != other[1]
    }
    return f"{found['head']} where the {found['one']} and the {found['two']} are the same" if alike else ""


def _led_to(noun: str, source: Source) -> set[tuple[str, tuple[str, ...], str]]:
    """The keys that a noun may be: their table and columns, and where they lead."""
    named = {
        (one.table, (one.column,))
        for one in source.vocabulary.targets(noun.lower().split())
        if one.kind in ("relation", "field") and one.cost <= LIKELY
    }
    return {
        (one.source, tuple(one.columns), one.target)
        for one in source.model.relations
        if (one.source, tuple(one.columns)) in named
    }
