"""A run in its thread: the questions before it, the one asked last, and what a follow-up goes on from."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from mirror.asking import selectors, services
from mirror.asking.models import Run, Version
from mirror.phrases import one_line


@dataclass(frozen=True, slots=True)
class TurnView:
    """Another question of the same thread."""

    id: int
    asked: str


@dataclass(frozen=True, slots=True)
class ThreadPlace:
    """The thread of a run, which was asked after the `earlier` questions; `newest` is another one that was asked last."""

    id: int
    size: int
    earlier: tuple[TurnView, ...]
    newest: TurnView | None


@dataclass(frozen=True, slots=True)
class FollowUpView:
    """The reading a follow-up goes on from, as a `note` where that is not plain, and the field of its hint.

    It is asked with the `hint` of the run, or with one that was typed instead. `asked` is a question that could not be taken.
    `goes_on` says what the run itself was read against, where that is not what was asked or shown before it.
    """

    goes_on: str
    note: str
    hint: str
    longest_hint: int
    asked: str


def thread_place(run: Run) -> ThreadPlace:
    """Tell the place of a run in its thread."""
    newest = selectors.run_newest(run.thread)
    return ThreadPlace(
        id=run.thread_id,
        size=run.thread.runs.count(),
        earlier=tuple(map(_turn, selectors.run_path(run))),
        newest=_turn(newest) if newest is not None and newest != run else None,
    )


def follow_up_view(
    run: Run, versions: list[Version], current: Version | None, asked: str, hint: str | None
) -> FollowUpView:
    """Tell what a follow-up on a run's page goes on from; `asked` and `hint` were typed and could not be taken."""
    return FollowUpView(
        goes_on=_goes_on(run),
        note=_follow_note(run, versions, current),
        hint=run.hint if hint is None else hint,
        longest_hint=services.HINT_CHARS,
        asked=asked,
    )


def _turn(run: Run) -> TurnView:
    return TurnView(run.pk, run.asked or run.thread.title)


def _goes_on(run: Run) -> str:
    """The question a follow-up was read against, where that was not the last one asked, or typed SQL, which is not read without a language model."""
    shown = run.follows
    if shown is not None and shown.run.thread_id != run.thread_id:
        question = one_line(shown.run.named, 200)
        return _("Goes on from “%(question)s”, in another thread.") % {"question": question}
    if shown is None or run.question == run.asked:
        return ""
    question = one_line(shown.run.named, 200)
    if shown.origin == Version.Origin.EDIT and not run.sent:
        return _("Goes on from your question “%(question)s”, not from the SQL that you edited.") % {
            "question": question
        }
    between = run.thread.runs.filter(pk__gt=shown.run_id, pk__lt=run.pk).order_by("-pk").first()
    if between is None:
        return ""
    words = _("Goes on from “%(question)s”, not from “%(other)s”, which was asked before it.")
    return words % {"question": question, "other": one_line(_turn(between).asked, 200)}


def _follow_note(run: Run, versions: list[Version], current: Version | None) -> str:
    """The question that a follow-up on this page goes on from, where that is not plain."""
    if current is not None and current != versions[0]:
        return _("A follow-up goes on from version %(number)s, which is shown here.") % {
            "number": current.number
        }
    if run.is_ended and run.follows is not None and current is None:
        question = one_line(run.follows.run.named, 200)
        return _("This question has no answer: a follow-up goes on from “%(question)s”.") % {
            "question": question
        }
    return ""
