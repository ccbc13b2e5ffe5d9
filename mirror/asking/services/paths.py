"""The way through a thread: what a follow-up goes on from, and steps back and forward along it.

A thread branches where a follow-up is asked on an older question's page. The path of a question are those it was asked after.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking.errors import AskingError
from mirror.asking.models import Run, Version
from mirror.asking.services.charts import chart_change
from mirror.asking.services.frames import version_asked, version_understood
from mirror.asking.services.versions import version_before, version_show, version_undo
from mirror.phrases import one_line
from sqlagent.makers.following import chart_typed, said_of, step_typed, why_named, why_typed
from sqlagent.values import Turn

# Earlier questions a follow-up is read against.
TURNS = 5
NOTHING_BACK = gettext_noop(
    "There is nothing left to undo: this is the first question of its thread, as it was answered."
)
NO_REASONS = gettext_noop(
    "Reasons are told of a figure whose change can be seen: one over time (“revenue by month”) or in one period (“revenue in "
    "October 2026”). Ask for that first, then “why?”. Of this answer you can ask for parts: “by country”, “only 2025”."
)
NOTHING_FORWARD = gettext_noop("There is nothing to go forward to: no step was taken back here.")


def turns_before(run: Run) -> tuple[Turn, ...]:
    """The latest answered questions that a run was asked after, oldest first, each with the SQL that was shown.

    Of one whose chips were changed what they say stands beside it, where that can be said as a question.
    """
    turns: list[Turn] = []
    shown, earlier = run.follows, run.after
    while earlier is not None and len(turns) < TURNS:
        if shown is None or shown.run_id != earlier.pk or shown.result_id is None:
            shown = earlier.versions.exclude(result=None).first()
        if shown is not None:
            turns.append(turn_of(shown))
        shown, earlier = earlier.follows, earlier.after
    return tuple(reversed(turns))


def turn_of(version: Version) -> Turn:
    """The question of a version and its SQL, as a turn that a follow-up is read against."""
    run = version.run
    return Turn(run.question or run.thread.title, version.sql, version_asked(version))


def version_followed(run: Run, version: Version | None) -> Version | None:
    """The version that a follow-up goes on from, asked where this one is shown: the nearest that has rows.

    Of a run without an answer it is what that run followed.
    """
    while version is not None and version.result_id is None:
        version = version.base
    return version or run.versions.exclude(result=None).first() or run.follows


@dataclass(frozen=True, slots=True)
class Step:
    """Where a step back or forward led: a run, its version by `number` where it is not the one the run shows, and that in words."""

    is_back: bool
    run: Run
    number: int | None
    words: str


def step_take(run: Run, version: Version | None, typed: str) -> Step | None:
    """Take the step that was typed where this version of a run is shown; None where it was a question.

    Back is first what was changed of the answer, as *Undo change* does it, then the question that it was asked after. Raises: AskingError
    where there is no step left.
    """
    way = step_typed(typed, said_of(turn_of(version)) if version is not None else run.question)
    if not way:
        return None
    found = _back(run, version) if way == "back" else _forward(run, version)
    shown = found if isinstance(found, Version) else found.versions.first()
    to = found.run if isinstance(found, Version) else found
    is_front = shown is None or shown == to.versions.first()
    return Step(way == "back", to, None if is_front or shown is None else shown.number, _words(to, shown))


def chart_asked(version: Version | None, typed: str) -> Version | None:
    """Draw the version that is shown as was typed after it (“as a table”, “bar chart”); None where something else was typed.

    Raises: AskingError where it has no rows, or they cannot be drawn so.
    """
    mark = chart_typed(typed)
    if not mark:
        return None
    if version is None:
        raise AskingError(_("There are no rows to draw."))
    if mark == "any":
        if version.figure is None:
            raise AskingError(
                _("Say which chart: bar, line, area, pie, scatter, histogram, box, heat map or map.")
            )
        return version
    chart_change(version, {"stack": mark} if mark == "small" else {"mark": mark})
    return version


def reasons_asked(run: Run, version: Version | None, typed: str) -> Version | None:
    """Give the version whose change is to be explained, where "why?" was typed after it; None where something else was typed.

    Raises: AskingError where its figure has no two periods.
    """
    if not why_typed(typed):
        return None
    shown = version_followed(run, version)
    understood = version_understood(shown) if shown is not None else None
    if understood is None or not understood.is_over_time:
        raise AskingError(_(NO_REASONS))
    return shown


def reasons_named(typed: str) -> str:
    """Give the period or part of which reasons are asked, as it was typed; empty where none is named."""
    return why_named(typed)


def _back(run: Run, version: Version | None) -> Version | Run:
    if version is not None and version_before(version) is not None:
        return version_undo(version)
    if run.after is None:
        raise AskingError(_(NOTHING_BACK))
    shown = run.follows
    return shown if shown is not None and shown.run_id == run.after_id else run.after


def _forward(run: Run, version: Version | None) -> Version | Run:
    """The latest of what was changed here and what was asked after it."""
    changed = [one for one in run.versions.all() if version is not None and version_before(one) == version]
    asked = run.then.filter(Q(follows=version) | ~Q(follows__run=run))
    ways: list[Version | Run] = [*changed, *asked]
    if not ways:
        raise AskingError(_(NOTHING_FORWARD))
    way = max(ways, key=lambda one: one.created_at)
    return version_show(way) if isinstance(way, Version) else way


def _words(run: Run, version: Version | None) -> str:
    is_changed = version is not None and version.origin == Version.Origin.CHANGE
    said = version.title if version is not None and is_changed else ""
    return f"“{one_line(said or run.heading, 120)}”"
