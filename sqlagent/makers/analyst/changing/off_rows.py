"""Follow-ups about rows that sums of money leave out: they bring them back, leave them out again, or change the rest of a question that counts them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date

from sqlagent.language.not_understood import NOT_UNDERSTOOD
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.frames import COUNTING, Frame
from sqlagent.makers.analyst.off_rows_said import brings_back, brought_back, leaves_out
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.voids import are_same, left_out_of


def with_off_rows(
    typed: str, before: str, source: Source, today: date, change: Callable[[str], str]
) -> str | None:
    """State the question that such a follow-up asks; None where neither it nor the question before is about these rows.

    Rows that are left out already stay so, and the question stays as it was. `change` makes what was typed of the question without its
    words about these rows, which are said behind it again.
    """
    before = before.strip(" ?.!")
    back = brought_back(before)
    if words := leaves_out(typed):
        if back is not None and are_same(words, back.words):
            return back.text
        frame = _frame(before, source, today)
        return before if frame is not None and are_same(words, left_out_of(frame)) else None
    bare, held = (back.text, back.words) if back is not None else (before, ())
    if words := brings_back(typed):
        return _including(bare, dict.fromkeys([*held, *words]), source, today)
    if back is None:
        return None
    made = change(bare)
    return made and (_including(made, held, source, today) or made)


def _including(text: str, words: Iterable[str], source: Source, today: date) -> str | None:
    """A question with rows of some words, where it is understood so."""
    left = NOT_UNDERSTOOD.search(text)
    whole, behind = (text[: left.start()], text[left.start() :]) if left else (text, "")
    made = f"{whole.strip(' ?.!')}, including {' and '.join(words)}"
    frame = _frame(made, source, today)
    is_so = frame is not None and any(flag.startswith(COUNTING) for flag in frame.flags) and not frame.unused
    return made + behind if is_so else None


def _frame(text: str, source: Source, today: date) -> Frame | None:
    frames = understand(text, source, today)[1]
    return frames[0].frame if frames else None
