"""Averages of how many there are in a day or a month: "average orders per day" counts orders and averages no value of theirs."""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Kind
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_LEAD = r"^(?P<lead>(?:what (?:is|are|was|were) |show |the |our )*)(?:average|avg|mean) "
_PER_GRAIN = re.compile(
    rf"{_LEAD}(?!numbers?\b|counts?\b|amounts?\b)(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?)"
    r" (?P<grain>(?:per|a|an|each|every) (?:hour|day|week|month|quarter|year)\b.*)$",
    re.IGNORECASE,
)
_DAILY = re.compile(
    rf"{_LEAD}(?P<each>hourly|daily|weekly|monthly|quarterly|yearly) (?:numbers? of )?(?P<what>[a-z][\w-]*)(?P<rest> .*)?$",
    re.IGNORECASE,
)
_GRAINS = {"daily": "day"}


def number_per_period(text: str, source: Source) -> str:
    """Word such a question as an average number; empty where its noun is no plural of what happens here."""
    found = _asked(text)
    if found is None or not _happens(found["what"], source):
        return ""
    each = (found.groupdict().get("each") or "").lower()
    grain = (
        f"per {_GRAINS.get(each, each.removesuffix('ly'))}{found['rest'] or ''}" if each else found["grain"]
    )
    return f"{found['lead']}average number of {found['what']} {grain}"


def values_instead(frame: Frame, text: str, source: Source) -> list[str]:
    """The average that is one of their value, where the average number was asked for: "average orders per day by channel"."""
    found = _asked(text)
    of_values = any(one.agg in ("avg", "ratio") for one in frame.measures)
    return ["average"] if found is not None and of_values and _happens(found["what"], source) else []


def _asked(text: str) -> re.Match[str] | None:
    text = text.strip().rstrip("?.! ")
    return _PER_GRAIN.match(text) or _DAILY.match(text)


def _happens(what: str, source: Source) -> bool:
    """Whether words are the plural of what happens here."""
    words = what.lower().split()
    return words[-1].endswith("s") and any(
        one.kind == "thing" and one.cost <= SURE and source.model.things[one.table].kind is Kind.EVENT
        for one in source.vocabulary.targets(words)
    )
