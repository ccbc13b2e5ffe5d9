"""Whether a question asks for what is still to come, which no source records."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from sqlagent.language.saying import day, spaced, worded
from sqlagent.makers.analyst.answering import Understood
from sqlagent.makers.analyst.reading import Reading

_TO_COME = re.compile(
    r"\b(will|shall|going to|gonna|forecast|predict|predicted|projected|next)\b", re.IGNORECASE
)


def to_come(text: str, reading: Reading, frames: Sequence[Understood], today: date, newest: str) -> str:
    """Say that what will be is not recorded, where only a time after the last day with data is asked for; else "".

    A day to come that a column holds, as when something is due, may be asked for.
    """
    last = newest if newest and _TO_COME.search(text) else max(newest, today.isoformat())
    asked = [
        i.period.first.isoformat()
        for i in reading.items
        if i.period is not None and i.period.first is not None
    ]
    if (
        not asked
        or min(asked) <= last
        or any(i.period is not None and i.period.first is None for i in reading.items)
    ):
        return ""
    held = [s.field.high for one in frames[:1] for c in one.frame.where if c.op == "period" for s in c.slots]
    if any(_dashed(high) >= min(asked) for high in held):
        return ""
    return spaced(
        worded("Nothing of the future is recorded here."),
        worded("The last day with data is {day}.", day=day(newest)) if newest else "",
    )


def _dashed(text: str) -> str:
    """The day of a stored time as ISO text; yyyymmdd numbers too."""
    return f"{text[:4]}-{text[4:6]}-{text[6:8]}" if text[:8].isdecimal() and len(text) == 8 else text[:10]
