"""The last questions of a thread in one: "repairs of Gull", "and Hera?", "both together" are repairs of Gull or Hera."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.not_understood import NOT_UNDERSTOOD
from sqlagent.makers.analyst.answering import DRAFT, today_of, understand
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.reads import MOST_OF_A_CHANGE, sharing
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.values import Catalog

_TOGETHER = r"(?:together|combined|in total|in one|added up|summed up|altogether|joined)"
_OPENERS = r"(?:and|now|ok|okay|so|then|show|give me|what about|how about|for|of|the sum of|sum of|total of|put|add|take)"
_JOINED = re.compile(
    rf"(?:{_OPENERS} )*(?:(?P<both>both|(?:the|those|these|all) (?P<count>two|three|four))(?: of (?:them|those|these))?(?: {_TOGETHER})?"
    rf"|(?:them|those|these) {_TOGETHER}|{_TOGETHER}(?: please)?)",
    re.IGNORECASE,
)
_IN_ONE = re.compile(rf"{_TOGETHER}(?: please)?$", re.IGNORECASE)
"""Says that several are one. "Both" alone also takes a condition away."""

_COUNTS = {"two": 2, "three": 3, "four": 4}
_WORD = re.compile(r"\S+")


def both_together(
    typed: str, before: Sequence[str], catalog: Catalog, index: ValueIndex | None, clock: date | None = None
) -> str:
    """State the last questions as one where they differ in one value or period, and what was typed joins them; empty for any other text.

    `before` are the questions, oldest first. Where no wording asks for the rows of all, the last one stays, with what was typed as not understood.
    """
    words = " ".join(typed.split()).strip(" ?.!")
    found = _JOINED.fullmatch(words)
    count = _COUNTS.get((found["count"] or "two").lower(), 2) if found is not None else 0
    asked = before[-count:] if count else ()
    if not before or not count or NOT_UNDERSTOOD.search(before[-1]):
        return ""
    untaken = f"{before[-1].strip(' ?.!')} (not understood: {words})"
    other = untaken if _IN_ONE.search(words) else ""
    if len(asked) < count or any(NOT_UNDERSTOOD.search(one) for one in asked):
        return other
    source = source_of(catalog, index)
    today = today_of(source, clock)
    with sharing(MOST_OF_A_CHANGE):
        frames = [_frame(one, source, today) for one in asked]
        last = frames[-1]
        if last is None or not all(one is not None and _differ_in_one(one, last) for one in frames[:-1]):
            return other
        for text in _worded([" ".join(one.split()).strip(" ?.!") for one in asked]):
            made = _frame(text, source, today)
            if made is not None and _differ_in_one(made, last) and _holds_all(made, frames):
                return text
    return untaken


def _frame(text: str, source: Source, today: date) -> Frame | None:
    """The frame of a question that is understood as a whole."""
    made = understand(text, source, today)[1]
    first = made[0].frame if made else None
    return first if first is not None and not first.unused and first.cost < DRAFT else None


def _others(one: Frame, other: Frame) -> list[Condition]:
    """The conditions of a frame that another one lacks."""
    return [condition for condition in one.where if condition not in other.where]


def _differ_in_one(one: Frame, other: Frame) -> bool:
    """Whether two frames are the same but for a value or a period of one column."""
    return _bare(one) == _bare(other) and len(_others(one, other)) == len(_others(other, one)) == 1


def _bare(frame: Frame) -> Frame:
    return replace(frame, where=(), cost=0.0, why=(), flags=())


def _holds_all(made: Frame, frames: Sequence[Frame | None]) -> bool:
    """Whether the one condition of a frame is met by the rows of all others, as far as its values say."""
    own = next(iter(_others(made, frames[-1]))) if frames[-1] is not None else None
    told = [condition for one in frames if one is not None for condition in _others(one, made)]
    if own is None or own.negated:
        return False
    if own.op == "in":
        values = {value for one in told for value in one.values}
        return set(own.values) == values and all(one.op == "in" and one.slots == own.slots for one in told)
    if own.op == "any":
        return all(one in own.parts for one in told) and len(own.parts) == len(told)
    return own.op == "period" and all(
        one.period is not None and own.period is not None and own.period.holds(one.period) for one in told
    )


def _worded(asked: Sequence[str]) -> list[str]:
    """The questions as one, by the words that they do not share."""
    split = [_WORD.findall(one) for one in asked]
    least = min(map(len, split))
    ahead = next((n for n in range(least) if len({one[n].lower() for one in split}) > 1), least)
    behind = next(
        (n for n in range(least - ahead) if len({one[-n - 1].lower() for one in split}) > 1), least - ahead
    )
    own = [" ".join(one[ahead : len(one) - behind]) for one in split]
    if not all(own):
        return []
    first = split[-1]
    head, tail = first[:ahead], first[len(first) - behind :]
    return [" ".join([*head, *_in_a_row(own, word), *tail]) for word in ("and", "or")]


def _in_a_row(parts: Sequence[str], word: str) -> list[str]:
    return [", ".join(parts[:-1]), word, parts[-1]]
