"""The analyst's reading, as chips: shown, and one of them changed. Nothing is read from the source itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import ref

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.recent import Recent
from mirror.sources.unpacked import source_at_hand
from sqlagent.errors import FrameError
from sqlagent.makers.analyst.answering import today_of
from sqlagent.makers.analyst.changes import change_of
from sqlagent.makers.analyst.chips import REMOVE, Chip, asked_again, chips, title_of
from sqlagent.makers.analyst.chips import changed as frame_changed
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.source import Source as Known
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.analyst.stored_frames import frame_of, plain
from sqlagent.sql.formatting import formatted

__all__ = [
    "REMOVE",
    "Changed",
    "Chip",
    "Understood",
    "frame_read",
    "frame_title",
    "source_known",
    "version_asked",
    "version_changed",
    "version_frame",
    "version_understood",
]

if TYPE_CHECKING:
    from mirror.asking.models import Version
    from mirror.sources.models import Source

# Chips of versions that are looked at: making them plans every choice, 20 to 100 ms (measured 2026-11).
KEPT = 64
NOT_AT_HAND = gettext_noop(
    "The reading of the question cannot be changed here now: the tables and values of this source are being read, "
    "or its tables are too many for a page. Look again in a moment, or ask in other words."
)
_kept: Recent[tuple[Any, ...], tuple[tuple[Chip, ...], bool]] = Recent(KEPT)


@dataclass(frozen=True, slots=True)
class Understood:
    """The reading of a version: its chips and the words of the question that were not used.

    `problem` says what of it has gone or is broken, `note` that little is at hand. It `is_over_time` where its figure can be compared
    with another period's.
    """

    chips: tuple[Chip, ...] = ()
    unused: tuple[str, ...] = ()
    problem: str = ""
    note: str = ""
    is_over_time: bool = False


@dataclass(frozen=True, slots=True)
class Changed:
    """The result of a changed frame: SQL, the frame to keep, the change, the title of the rows, and whether its chart may stay."""

    sql: str
    frame: dict[str, Any]
    said: str
    title: str
    keeps_chart: bool


def version_understood(version: Version) -> Understood | None:
    """Give the chips of a version; None where its SQL was not written from a frame."""
    if version.frame is None:
        return None
    try:
        known = source_known(version.run.thread.source)
    except FrameError as error:
        return Understood(note=str(error))
    try:
        frame = frame_of(version.frame, known.model)
        today = today_of(known)
        # A weak reference stands for this very object, also when it is gone: chips do not hold what they were made of.
        made, is_over_time = _kept.get(
            (version.pk, ref(known), today),
            lambda: (chips(frame, known, today), change_of(frame, known) is not None),
        )
        return Understood(made, frame.unused, is_over_time=is_over_time)
    except FrameError as error:
        return Understood(problem=str(error))


def version_frame(version: Version) -> tuple[Frame, Known] | None:
    """Give the frame of a version with its source as the analyst sees it; None where there is none, or it cannot be read any more."""
    return frame_read(version.run.thread.source, version.frame)


def frame_read(
    source: Source, frame: dict[str, Any] | None, *, is_page: bool = True
) -> tuple[Frame, Known] | None:
    """Give a kept frame with its source as the analyst sees it; None where there is none, or it cannot be read any more."""
    if frame is None:
        return None
    try:
        known = source_known(source, is_page=is_page)
        return frame_of(frame, known.model), known
    except FrameError:
        return None


def version_changed(version: Version, slot: str, key: str) -> Changed:
    """Change one slot of what a version was understood as. Raises: FrameError where that is not offered."""
    if version.frame is None:
        raise FrameError(_("This SQL was not written from words that could be changed here."))
    known = source_known(version.run.thread.source)
    frame = frame_of(version.frame, known.model)
    done = frame_changed(frame, slot, key, known, today_of(known))
    return Changed(
        formatted(done.sql, known.model.dialect) or done.sql,
        plain(done.frame, known.model),
        done.said,
        title_of(done.frame),
        _is_alike(frame, done.frame),
    )


def version_asked(version: Version) -> str:
    """Say what a changed version, or another reading, asks as a question that is read so; empty for an answer, or where none is known."""
    is_other = bool(version.change) or version.origin == version.Origin.READING
    if version.frame is None or not is_other:
        return ""
    try:
        known = source_known(version.run.thread.source, is_page=False)
        return asked_again(frame_of(version.frame, known.model), known, today_of(known))
    except FrameError:
        return ""


def frame_title(source: Source, frame: dict[str, Any]) -> str:
    """Say in few words what the rows of a frame are; empty where it cannot be read any more."""
    try:
        return title_of(frame_of(frame, source_known(source).model))
    except FrameError:
        return ""


def source_known(source: Source, *, is_page: bool = True) -> Known:
    """The source as the analyst sees it, derived from what is at hand. Raises: FrameError where nothing is."""
    catalog, index = source_at_hand(source, is_page=is_page)
    if catalog is None or index is None:
        raise FrameError(_(NOT_AT_HAND))
    return source_of(catalog, index)


def _is_alike(old: Frame, new: Frame) -> bool:
    """Whether the rows have the same columns, so that a chart somebody chose still says what it said."""
    return (old.by, old.per, old.transform, len(old.measures)) == (
        new.by,
        new.per,
        new.transform,
        len(new.measures),
    )
