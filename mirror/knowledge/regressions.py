"""The owner of a source is told by mail when a question that was answered rightly is not any more.

It keeps to pauses, quotas and recipients' words as any mail beside reports does.
"""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from mirror.delivery.mails_beside import DROPPED, mail_person, mails_go_on
from mirror.delivery.parcel import Introduction, Parcel, Tone
from mirror.knowledge.evaluating import Asked
from mirror.knowledge.models import Evaluation
from mirror.phrases import counted, one_line
from mirror.work.leases import Lease, Status

SHOWN = 20
"""Questions that one mail names."""

NO_ADDRESS = "The owner has no mail address, or is no longer here."


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
    """What the mail says: which questions, and where to look."""
    worse = regressions_of(Asked(**one) for one in row.results)
    summary = row.summary
    lines = [f"– {one_line(one.question, 200)}" for one in worse[:SHOWN]]
    if len(worse) > SHOWN:
        lines.append(f"– and {len(worse) - SHOWN} more")
    since = f" on {summary['since_when']}" if summary.get("since_when") else ""
    message = [
        f"{counted(len(worse), 'verified question')} of {row.source.name} that {'was' if len(worse) == 1 else 'were'} "
        f"answered rightly{since} {'is' if len(worse) == 1 else 'are'} not any more, without the verified answers themselves.",
        *lines,
        f"{summary['right']} of {summary['asked']} are right now. It was evaluated {row.get_cause_display()}.",
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
            "Worse",
            "Questions are answered worse than before",
            Tone.WARN,
            link_label="Open the evaluation",
            why=f"Sent to you because this source is yours. The link leads to {urlsplit(url).netloc} and asks you to sign in.",
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
