"""The owner of a source is told by mail when a question that was answered rightly is not any more.

It keeps to pauses, quotas and recipients' words as any mail beside reports does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, override

from mirror.delivery.mails_beside import DROPPED, mail_person, mails_go_on
from mirror.delivery.parcel import Introduction, Parcel, Tone
from mirror.knowledge.evaluating import Asked
from mirror.knowledge.models import Evaluation
from mirror.people.languages import language_of
from mirror.phrases import one_line
from mirror.work.leases import Lease, Status

SHOWN = 20
"""Questions that one mail names."""

NO_ADDRESS = gettext_noop("The owner has no mail address, or is no longer here.")


def regressions_of(asked: Iterable[Asked]) -> list[Asked]:
    """Those that were answered rightly the last time and are not now."""
    return [one for one in asked if one.before and not one.right and not one.problem]


def regression_tell(lease: Lease, row: Evaluation) -> None:
    """Hand over the mail of an evaluation, hold it back, put it off or give it up. Raises: LeaseLost."""
    owner = row.source.owner
    if not owner.email or not owner.is_active:
        lease.end(told=Evaluation.Told.GIVEN_UP, told_answer=NO_ADDRESS)
        return
    ended = mail_person(lease, row, owner, parcel_of(row), "told_answer")
    if ended is not None:
        told = Evaluation.Told.SENT if ended.is_sent else Evaluation.Told.GIVEN_UP
        lease.end(told=told, told_answer=ended.answer)


def parcel_of(row: Evaluation) -> Parcel:
    """The text of the mail: which questions, and where to look. It is in the language of who gets it."""
    language = language_of(row.source.owner)
    with override(language):
        return replace(_parcel(row), language=language)


def _parcel(row: Evaluation) -> Parcel:
    worse = regressions_of(Asked(**one) for one in row.results)
    summary = row.summary
    lines = [f"– {one_line(one.question, 200)}" for one in worse[:SHOWN]]
    if len(worse) > SHOWN:
        lines.append("– " + _("and %(count)s more") % {"count": len(worse) - SHOWN})
    told = {"questions": len(worse), "source": row.source.name, "day": summary.get("since_when")}
    words = ngettext(
        "%(questions)s verified question of %(source)s that was answered rightly is not any more, without the verified answers themselves.",
        "%(questions)s verified questions of %(source)s that were answered rightly are not any more, without the verified answers themselves.",
        len(worse),
    )
    if told["day"]:
        words = ngettext(
            "%(questions)s verified question of %(source)s that was answered rightly on %(day)s is not any more, without the verified answers themselves.",
            "%(questions)s verified questions of %(source)s that were answered rightly on %(day)s are not any more, without the verified answers themselves.",
            len(worse),
        )
    message = [
        words % told,
        *lines,
        _("%(right)s of %(asked)s are right now. It was evaluated %(cause)s.")
        % {"right": summary["right"], "asked": summary["asked"], "cause": row.get_cause_display()},
    ]
    path = reverse("knowledge:evaluation", args=[row.source_id, row.pk])
    url = f"{settings.SITE_URL.rstrip('/')}{path}"
    return Parcel(
        uid=str(row.uid),
        about="regression",
        title=row.source.name,
        note="",
        message="\n".join(message),
        url=url,
        made_at=row.measured_at or timezone.now(),
        scheduled_for=None,
        zone=settings.TIME_ZONE,
        introduction=Introduction(
            _("Worse"),
            _("Questions are answered worse than before"),
            Tone.WARN,
            link_label=_("Open the evaluation"),
            why=_(
                "Sent to you because this source is yours. The link leads to %(netloc)s and asks you to sign in."
            )
            % {"netloc": urlsplit(url).netloc},
        ),
        attempt=row.tries + 1,
        number=row.source_id,
    )


# ---------------------------------------------------------------- when all sending was paused


@transaction.atomic
def regressions_go_on(*, drop: bool = False) -> int:
    """Let mails go out that waited, or give them up; return how many waited."""
    dropped = {"told": Evaluation.Told.GIVEN_UP, "told_answer": DROPPED} if drop else None
    return mails_go_on(regressions_waiting(), dropped)


def regressions_waiting() -> list[Evaluation]:
    """Evaluations whose mail waits to go out."""
    return list(
        Evaluation.objects.filter(status=Status.QUEUED, told=Evaluation.Told.WAITING).defer("results")
    )
