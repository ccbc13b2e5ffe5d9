"""The team's knowledge behind an answer, and the feedback that its reader may give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking.models import Run, Version
from mirror.asking.services.answer_standing import AnswerStanding
from mirror.knowledge.knowing import said_name
from mirror.knowledge.models import Feedback
from mirror.knowledge.selectors import feedback_given, may_teach
from mirror.phrases import dated, one_line
from mirror.sources.selectors import may_ask

# Outcomes of feedback, as its row says them.
_MADE = {"verified answer": gettext_noop("verified answer"), "term": gettext_noop("term")}


@dataclass(frozen=True, slots=True)
class TermLine:
    """A term that the question says, and whether the SQL takes it as defined."""

    words: str
    means: str
    by: str
    sql: str
    is_used: bool


@dataclass(frozen=True, slots=True)
class NearLine:
    """A verified question that is alike; it did not answer this one."""

    question: str
    by: str


@dataclass(frozen=True, slots=True)
class KnownView:
    """Terms of an answer, who verified it, verified questions that are alike, and what may be said of it.

    It `may_verify` what is shown, and `may_say` whether it is right; `said` is what was said before, `verified` who
    vouched for what is shown, and when.
    """

    terms: tuple[TermLine, ...]
    vouched_by: str
    near: tuple[NearLine, ...]
    may_verify: bool
    may_say: bool
    said: str
    verified: str
    reasons: tuple[tuple[str, str], ...]


def _terms(run: Run) -> tuple[TermLine, ...]:
    """The terms that a run's question says."""
    return tuple(
        TermLine(
            one["words"],
            one_line(_means(one), 300),
            one["by"],
            one["sql"],
            one["is_used"],
        )
        for one in (run.known or {}).get("terms", ())
    )


def _means(term: dict[str, Any]) -> str:
    if not term.get("unit"):
        return str(term["means"])
    return _("%(means)s, in %(unit)s") % {"means": term["means"], "unit": term["unit"]}


def known_view(run: Run, current: Version | None, stands: AnswerStanding) -> KnownView:
    """Lay out what is known beside an answer, as it `stands`."""
    known = run.known or {}
    is_answer = current is not None and current.origin == Version.Origin.ANSWER
    vouched = known.get("vouched") if is_answer or current is None else None
    has_rows = current is not None and current.is_ended and current.failure is None and bool(current.sql)
    is_asked = bool(run.asked)
    given = feedback_given(run.thread.owner, run.pk, current.number) if current is not None else None
    is_same = vouched is not None and not vouched.get("exchanged")
    verified = _verified(stands)
    near = known.get("near", ()) if may_ask(run.thread.owner, run.thread.source) else ()
    return KnownView(
        terms=_terms(run),
        vouched_by=(vouched.get("by") or _("somebody")) if vouched else "",
        near=tuple(NearLine(one["question"], one["by"]) for one in near),
        may_verify=has_rows
        and is_asked
        and not is_same
        and not verified
        and may_teach(run.thread.owner, run.thread.source),
        may_say=has_rows and is_asked,
        said=_said(given),
        verified=verified,
        reasons=tuple((str(value), str(label)) for value, label in Feedback.Reason.choices),
    )


def _verified(stands: AnswerStanding) -> str:
    """Say by whom and when the SQL of a version was verified; empty where nobody did."""
    found = stands.answer
    if found is None:
        return ""
    at = dated(timezone.localtime(found.verified_at), "j M Y, H:i")
    if found.verified_by:
        return _("Verified by %(by)s, %(at)s") % {"by": said_name(found.verified_by), "at": at}
    return _("Verified, %(at)s") % {"at": at}


def _said(given: Feedback | None) -> str:
    """A reader's feedback on an answer, and its outcome."""
    if given is None:
        return ""
    said = _("You said that this is right.") if given.is_right else _("You said that this is wrong.")
    if given.state == Feedback.State.DONE and given.made:
        became = _("A %(thing)s was made of it.") % {"thing": _(_MADE.get(given.made, given.made))}
    elif given.state in (Feedback.State.DONE, Feedback.State.DISMISSED):
        became = _("It was read.")
    else:
        became = _("The owner of the source reads it.")
    return f"{said} {became}"
