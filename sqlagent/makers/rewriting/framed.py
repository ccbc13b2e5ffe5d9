"""A statement that was written from a frame, changed by its frame: as a follow-up changes the question before it."""

from __future__ import annotations

from datetime import date

from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.answering import DRAFT, understand
from sqlagent.makers.analyst.changing import changed
from sqlagent.makers.analyst.chips import asked_again
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.rewriting.values import Rewritten
from sqlagent.sql.formatting import formatted


def reframed(typed: str, frame: Frame, source: Source, today: date) -> Rewritten | None:
    """Change a frame as its reader wishes, and write it anew; None where no wording uses every word and keeps the rest.

    The frame is said as a question that is read as this very frame, so that no part of it is lost.
    """
    before = asked_again(frame, source, today)
    after = changed(typed, before, source, today) if before else ""
    if not after:
        return None
    _, found = understand(after, source, today)
    if not found or found[0].frame.unused or found[0].frame.cost >= DRAFT:
        return None
    new = found[0]
    was, is_now = ({words.lower(): words for _, words in telling.parts(one)} for one in (frame, new.frame))
    more = [words for low, words in is_now.items() if low not in was]
    less = [words for low, words in was.items() if not any(low in new for new in is_now)]
    said = (*more, *(f"no longer {words}" for words in less))
    return Rewritten(formatted(new.sql, source.model.dialect) or new.sql, said or (telling.told(new.frame),))
