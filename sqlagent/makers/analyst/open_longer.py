"""Rows that are open for longer than some days: those not closed by now, whichever of several states they are in.

"Claims open longer than 90 days" is about how long something lasts, so the day of its end decides: one in progress is open as well.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.source import Source

_OPEN = re.compile(
    r"(?P<lead>[a-z][\w-]*) (?:(?:that|which) (?:are|were|have been|has been|is) )?(?:still )?open (?:(?:for )?(?:longer|more) than|for over|since more than) (?P<age>\d{1,4} (?:days?|weeks?|months?))\b",
    re.IGNORECASE,
)
_ENDS = ("closed", "resolved", "settled", "completed", "finished")
_NAMED = 0.2
"""Cost up to which a word names rows, or the day of their end."""


def open_longer(text: str, source: Source) -> str:
    """Word such a question by what was not done; empty where its rows have no day of their end."""
    found = _OPEN.search(text)
    if found is None:
        return ""
    vocabulary, model = source.vocabulary, source.model
    tables = {t.table for t in vocabulary.targets([found["lead"].lower()]) if t.kind == "thing" and t.cost < _NAMED}  # fmt: skip
    for deed in _ENDS:
        for target in vocabulary.targets([deed]):
            one = model.field(target.table, target.column) if target.kind == "field" else None
            is_end = one is not None and one.role is Role.TIME and target.table in tables
            if is_end and target.cost < _NAMED:
                return f"{text[: found.start()]}{found['lead']} not {deed} after {found['age']}{text[found.end() :]}"
    return ""
