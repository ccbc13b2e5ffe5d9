"""The owner of a source is told by mail when a question that was answered rightly is not any more.

Whether a mail may go out now is decided by who knows of pauses and recipients, by a signal. What a server did not take is tried again with longer
waits, as reports are.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from mirror.delivery import channels
from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.parcel import Introduction, Parcel, Tone
from mirror.knowledge.evaluating import Asked
from mirror.knowledge.models import Evaluation
from mirror.knowledge.signals import mail_judged
from mirror.phrases import counted, one_line
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, Status, end_unheld

log = logging.getLogger(__name__)

SHOWN = 20
"""Questions that one mail names."""

DROPPED = "Sending was paused when this was queued, and it was dropped when sending went on."
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
    for _, said in mail_judged.send(type(row), person=owner, uid=str(row.uid)):
        if not isinstance(said, tuple):
            continue
        words, until = said
        if until is None:
            lease.end(told=Evaluation.Told.GIVEN_UP, told_answer=words)
        else:
            lease.put_off(until, attempts=row.attempts - 1, told_answer=words)
        return
    try:
        answer = channels.deliver("mail", {"to": [owner.email]}, "", parcel_of(row), owner.email)
    except (DeliveryFailed, ChannelError) as failure:
        _failed(lease, row, failure)
    else:
        lease.end(told=Evaluation.Told.SENT, told_answer=storable(answer))
        log.info("Evaluation %s was told to its owner", row.pk)


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


def _failed(lease: Lease, row: Evaluation, failure: DeliveryFailed | ChannelError) -> None:
    waits, why = settings.DELIVERY_RETRY_MINUTES, storable(str(failure)[:2_000])
    is_final = isinstance(failure, ChannelError) or failure.is_permanent or failure.is_refused
    if is_final or row.tries >= len(waits):
        lease.end(told=Evaluation.Told.GIVEN_UP, told_answer=why)
        log.warning("The mail of evaluation %s was given up", row.pk)
        return
    until = timezone.now() + timedelta(minutes=waits[row.tries])
    lease.put_off(until, tries=row.tries + 1, told_answer=why)


# ---------------------------------------------------------------- when all sending was paused


@transaction.atomic
def regressions_go_on(*, drop: bool = False) -> int:
    """Let mails go out that waited, or give them up; return how many waited."""
    waiting = list(regressions_waiting())
    for row in waiting:
        if drop:
            end_unheld(row, told=Evaluation.Told.GIVEN_UP, told_answer=DROPPED)
        else:
            Evaluation.objects.filter(pk=row.pk, status=Status.QUEUED).update(not_before=None)
            send(row)
    return len(waiting)


def regressions_waiting() -> list[Evaluation]:
    """Evaluations whose mail waits to go out."""
    return list(
        Evaluation.objects.filter(status=Status.QUEUED, told=Evaluation.Told.WAITING).defer("results")
    )
