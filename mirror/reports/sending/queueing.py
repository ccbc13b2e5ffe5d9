"""Which deliveries follow from a run: one for each place a report goes to, and notices to its owner."""

from __future__ import annotations

import logging
import uuid
from typing import TYPE_CHECKING

from django.utils import timezone

from mirror.delivery import channels
from mirror.people.languages import language_of
from mirror.reports.models import Channel, Delivery, ReportRun
from mirror.reports.sending.recipients import people_at, stopped_of
from mirror.work.kinds import send
from mirror.work.leases import Status

if TYPE_CHECKING:
    from mirror.people.models import User

log = logging.getLogger(__name__)


def deliveries_for(run: ReportRun, about: str) -> int:
    """Queue a delivery to each place the report goes to; a test goes to who asked for it alone.

    Recipients whose server refused them for good, or who stopped mails, are left out. Returns how many were queued.
    """
    if about == Delivery.About.TEST:
        rows = [_to_person(run, about, run.asked_by)] if run.asked_by and run.asked_by.email else []
    else:
        rows = [
            Delivery(
                run=run,
                channel=channel,
                kind=channel.kind,
                about=about,
                to=place,
                charged_to=run.report.owner,
            )
            for channel in run.report.channels.all()
            for place in _places(channel)
        ]
    for row in Delivery.objects.bulk_create(rows):
        send(row)
    return len(rows)


def languages_read(run: ReportRun) -> tuple[str, ...]:
    """The languages of those who get a run: that of the report's owner, then of people here whose mail address it goes to."""
    if run.cause == ReportRun.Cause.TEST:
        people = [run.asked_by] if run.asked_by else []
    else:
        mails = [one for one in run.report.channels.all() if one.kind == Channel.Kind.MAIL]
        people = list(people_at([place for channel in mails for place in _places(channel)]))
    return tuple(dict.fromkeys(map(language_of, [run.report.owner, *people])))


def _places(channel: Channel) -> list[str]:
    places = channels.describe(channel.kind, channel.target)
    left_out = {*channel.refused, *(stopped_of(places) if channel.kind == Channel.Kind.MAIL else ())}
    return [place for place in places if place not in left_out]


def notice_send(run: ReportRun, about: str, to: User) -> None:
    """Queue a notice to somebody about a run, once; one that went out before goes again with what is new.

    People without a mail address are told by the report's page alone.
    """
    if not to.email:
        log.info("User %s has no mail address and is told by the page of run %s alone", to.pk, run.pk)
        return
    row = _to_person(run, about, to)
    kept, is_new = Delivery.objects.get_or_create(
        run=run,
        channel=None,
        about=about,
        to=row.to,
        defaults={"kind": row.kind, "charged_to": row.charged_to},
    )
    if not is_new:
        delivery_queue_again(kept)
    send(kept)


def delivery_queue_again(delivery: Delivery) -> bool:
    """Queue a delivery that has ended once more; False when it is on its way. Its answers so far are kept.

    It gets a new name to the outside, so that nobody drops it as a copy, and counts anew for quotas: of the report's
    owner now. No worker is told of it.
    """
    charged_to = delivery.charged_to if delivery.about in Delivery.BY_RULE else delivery.run.report.owner
    return bool(
        Delivery.objects.filter(pk=delivery.pk, status=Status.DONE).update(
            status=Status.QUEUED,
            state=Delivery.State.WAITING,
            uid=uuid.uuid4(),
            charged_to=charged_to,
            queued_at=timezone.now(),
            not_before=None,
            ended_at=None,
            sent_at=None,
            sending_at=None,
            held_for="",
            held_at=None,
            attempts=0,
            spared=0,
            tries=0,
        )
    )


def _to_person(run: ReportRun, about: str, person: User) -> Delivery:
    return Delivery(
        run=run,
        channel=None,
        kind=Channel.Kind.MAIL,
        about=about,
        to=person.email,
        charged_to=run.report.owner,
    )
