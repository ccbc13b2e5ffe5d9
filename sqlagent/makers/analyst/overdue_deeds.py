"""Deeds that are overdue, of rows that say by when they are due: "plans with an overdue review", "boilers past their inspection due date".

Needs a time that is called after the deed and due, `review_due_on`, and one of the deed alone, `reviewed_on`: overdue is what was due
before today and is not done. Leaves rows that are themselves due, such as bills, to `dating`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date

from sqlagent.catalog.semantics import Field, Role
from sqlagent.language.words import plural_of, stem
from sqlagent.makers.analyst.frames import Condition, Frame
from sqlagent.makers.analyst.pairing import DUE
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.source import Source

_NOUN = r"(?P<noun>[a-z][\w-]*)"
_NOT_DONE = r"(?:,? (?:and|but|that (?:are|were|have)) (?:not (?:yet )?|never )(?:been )?[a-z]+ed(?: yet)?)?"
_OVERDUE = "(?:overdue|past due)"
_SHAPES = tuple(
    re.compile(shape, re.IGNORECASE)
    for shape in (
        rf"\b{_NOUN},? (?:with (?:an? )?{_OVERDUE} (?P<deed>[a-z]+)|(?:whose|where the|where their) (?P<deed_2>[a-z]+) (?:is|are) {_OVERDUE}|{_OVERDUE} for (?:an? |their )?(?P<deed_3>[a-z]+))\b",
        rf"\b{_NOUN} (?:(?:that|which) are )?(?:already |now )?(?:past|beyond) (?:their|its|the) (?P<deed>[a-z]+) due(?: date| day)?s?{_NOT_DONE}",
        rf"\b{_NOUN} (?:that |which )?should have been (?P<deed>[a-z]+)ed(?: by now| already)?,? (?:but|and) (?:have|has|were|was)(?: not|n't|nt)(?: yet)?(?: been)?(?: [a-z]+ed)?(?: yet)?",
        rf"\b{_OVERDUE} (?P<deed>[a-z]+?)s? (?:on|of|for) (?P<lead>(?:the |our |all )?(?:[a-z]+ ){{0,2}}?){_NOUN}\b",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class OverdueDeed:
    """The question without the overdue deed, and by which times it is told."""

    text: str
    due: Field
    done: Field
    today: date

    def frame(self, frame: Frame, source: Source) -> Frame | None:
        """The frame of rows whose deed is overdue; None of a frame that goes through others."""
        if frame.anchor != self.due.table:
            return None
        due, done = (source.slot(one.table, one.column) for one in (self.due, self.done))
        past = Condition("period", (due,), period=Period(None, self.today, "day"), said="overdue")
        return replace(frame, where=(*frame.where, Condition("missing", (done,)), past))


def overdue_deed(text: str, source: Source, today: date) -> OverdueDeed | None:
    """Find a deed that is overdue; None where a question speaks of none, or the rows named tell no time of it."""
    for shape in _SHAPES:
        found = shape.search(text)
        if found is None:
            continue
        said = found.groupdict()
        deed = next(filter(None, (said.get(name) for name in ("deed", "deed_2", "deed_3"))))
        best = next(iter(source.vocabulary.targets([found["noun"].lower()])), None)
        if best is None or best.kind != "thing":
            continue
        called = {t.column for t in source.vocabulary.targets([deed.lower()]) if t.table == best.table}
        of_deed = [
            one
            for one in source.model.of_role(best.table, Role.TIME)
            if one.column in called or any(_is_alike(word, stem(deed.lower())) for word in one.words)
        ]
        due = [one for one in of_deed if set(one.words) & DUE]
        done = [one for one in of_deed if not set(one.words) & DUE]
        if len(due) == len(done) == 1:
            noun = found["noun"] if found["noun"].lower().endswith("s") else plural_of(found["noun"])
            bare = f"{text[: found.start()]}{said.get('lead') or ''}{noun}{text[found.end() :]}"
            return OverdueDeed(bare, due[0], done[0], today)
    return None


def _is_alike(word: str, deed: str) -> bool:
    """Whether two stems are of one verb: review and reviewed, inspect and inspection."""
    short, long = sorted((word, deed), key=len)
    return len(short) > 3 and long.startswith(short)
