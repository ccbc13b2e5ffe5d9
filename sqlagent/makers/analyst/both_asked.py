"""Two names and nothing else: "crews and trips" asks for both, and no crews that have trips."""

from __future__ import annotations

from sqlagent.language.saying import worded
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.targets import SURE


def there_beside(frame: Frame, reading: Reading) -> list[str]:
    """The second of two names, where a list is restricted to what has it and shows it nowhere."""
    pair = _pair(reading)
    if not pair or frame.measures:
        return []
    named = {target.table for target in pair[1].targets if target.cost < SURE}
    there = [one for one in frame.where if one.op == "exists" and not one.negated and one.child in named]
    return [pair[1].text] if there else []


def or_numbers(frame: Frame, reading: Reading) -> str:
    """Doubt numbers of two kinds of things that are named and nothing else: a list of both may be meant; empty elsewhere."""
    pair = _pair(reading)
    if not (pair and frame.measures and all(item.targets[0].kind == "thing" for item in pair)):
        return ""
    first, other = (item.text for item in pair)
    return worded("“{first} and {other}” may ask for a list, or for numbers.", first=first, other=other)


def _pair(reading: Reading) -> tuple[Item, ...]:
    """The two names that are all of a reading, joined by "and"."""
    if len(reading.items) != 3:
        return ()
    first, joined, other = reading.items
    return (first, other) if first.kind == other.kind == "mention" and joined.op == "and" else ()
