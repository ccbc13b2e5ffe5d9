"""Hand one delivery over: taken by one worker, tried again with longer waits, given up with a word to the owner.

`sending_at` is written right before the other side may have taken it and cleared with its answer. So what may
arrive twice is what a worker was cut off from between the two, and nothing else.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import close_old_connections, transaction
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.delivery import channels
from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.reports.models import Channel, Delivery, Report, ReportRun
from mirror.reports.sending.allowances import reach_of
from mirror.reports.sending.holding import Verdict, delivery_judge
from mirror.reports.sending.parcels import parcel_of
from mirror.reports.sending.queueing import notice_send
from mirror.storable import storable
from mirror.work.leases import Lease, LeaseLost, end_unheld
from mirror.work.watching import Watch
from sqlagent.errors import without_folders

log = logging.getLogger(__name__)

CUT_OFF = gettext_noop(
    "The worker was cut off while this was being sent, so it may have arrived. It was sent again."
)
REMOVED = gettext_noop("The channel was removed from the report before this went out.")
BROKEN = gettext_noop("Something in Mirror itself broke while this was being sent. It was logged.")
GIVEN_UP = gettext_noop("The worker sending this was interrupted {count} times, so it was given up.")
# Longer than that nobody should ask us to wait (RFC 9110, 10.2.3 sets no bound).
LONGEST_WAIT = timedelta(hours=24)
ANSWER_CHARS = 2_000
# That something was sent is worth a longer wait for the store than work that can be done again (seconds).
SENT_SECONDS = 900.0


def delivery_make(lease: Lease) -> None:
    """Hand a taken delivery over and keep the answer, or hold it back, put it off, or give it up."""
    try:
        with Watch(lease):
            delivery = _read(lease)
            if delivery.sending_at is not None:
                _note_cut_off(lease, delivery)
            try:
                verdict = _judged(delivery)
                if verdict.words:
                    _not_now(lease, delivery, verdict)
                    return
                answer = _handed_over(lease, delivery)
            except DeliveryFailed as failure:
                _failed(lease, delivery, failure)
            else:
                _sent(lease, delivery, answer)
    except (LeaseLost, Delivery.DoesNotExist) as error:
        log.info("Delivery %s was given up: %s", lease.pk, error)


def delivery_break(lease: Lease) -> None:
    """End a delivery that met an error nobody expected."""
    with suppress(LeaseLost, Delivery.DoesNotExist):
        _give_up(lease, _read(lease), BROKEN)


def delivery_give_up(delivery: Delivery, count: int) -> bool:
    """End a delivery whose workers died, as it was read; False if it has moved on since."""
    answers = _answered(delivery, False, GIVEN_UP.format(count=count))
    with transaction.atomic():
        ended = end_unheld(delivery, state=Delivery.State.GIVEN_UP, answers=answers)
        if ended:
            _tell(delivery)
    return ended


def _read(lease: Lease) -> Delivery:
    return Delivery.objects.select_related("run__report__owner", "channel", "charged_to").get(pk=lease.pk)


def _note_cut_off(lease: Lease, delivery: Delivery) -> None:
    delivery.answers = _answered(delivery, False, CUT_OFF)
    delivery.sending_at = None
    lease.write(answers=delivery.answers, sending_at=None)


def _judged(delivery: Delivery) -> Verdict:
    """Say whether it may go out now, and count it if it does. Raises: DeliveryFailed where there is no way for it."""
    if delivery.channel is None and delivery.about not in Delivery.TO_PERSON:
        raise DeliveryFailed(REMOVED, is_permanent=True)
    return delivery_judge(delivery)


def _not_now(lease: Lease, delivery: Delivery, verdict: Verdict) -> None:
    """Hold it back until it is looked at again, or end it. Being held back is no attempt."""
    if verdict.until is None:
        _give_up(lease, delivery, verdict.words, is_told=verdict.is_told)
        return
    is_still = delivery.state == Delivery.State.HELD and delivery.held_for == verdict.held_for
    earlier = delivery.answers[:-1] if is_still and delivery.answers else delivery.answers
    lease.put_off(
        verdict.until,
        state=Delivery.State.HELD,
        held_for=verdict.held_for,
        held_at=delivery.held_at if is_still else timezone.now(),
        attempts=delivery.attempts - 1,
        answers=[*earlier, _said(False, verdict.words)],
    )
    log.info("Delivery %s (%s) is held back for its %s", delivery.pk, delivery.kind, verdict.held_for)


def _handed_over(lease: Lease, delivery: Delivery) -> str:
    """Give it to its channel. Raises: DeliveryFailed, LeaseLost."""
    target, secret = {"to": [delivery.to]}, ""
    if delivery.channel is not None:
        target, secret = delivery.channel.target, delivery.channel.secret
    reach = reach_of(delivery.run.report.owner)
    parcel = parcel_of(delivery)
    close_old_connections()
    try:
        return channels.deliver(
            delivery.kind,
            target,
            secret,
            parcel,
            delivery.to,
            lambda: lease.write(sending_at=timezone.now()),
            reach,
        )
    except ChannelError as error:
        raise DeliveryFailed(str(error), is_permanent=True) from None
    except OSError as error:
        # A file of the report that could not be read while it was being handed over.
        raise DeliveryFailed(
            f"A file of the report could not be read: {error.strerror or without_folders(str(error))}."
        ) from None


def _sent(lease: Lease, delivery: Delivery, answer: str) -> None:
    run, now = delivery.run, timezone.now()
    answers = _answered(delivery, True, answer)

    def write() -> None:
        lease.end(state=Delivery.State.SENT, sent_at=now, sending_at=None, answers=answers)
        if run.fingerprint and delivery.about == Delivery.About.REPORT and not _is_outdone(run):
            Report.objects.filter(pk=run.report_id).update(sent_fingerprint=run.fingerprint)

    lease.keep(write, SENT_SECONDS)
    log.info("Delivery %s (%s) went out", delivery.pk, delivery.kind)


def _is_outdone(run: ReportRun) -> bool:
    """Say whether later rows of the report were sent already."""
    return ReportRun.objects.filter(
        report=run.report_id, pk__gt=run.pk, deliveries__state=Delivery.State.SENT
    ).exists()


def _failed(lease: Lease, delivery: Delivery, failure: DeliveryFailed) -> None:
    """Put it off while that may help; otherwise give it up and tell the owner."""
    waits = settings.DELIVERY_RETRY_MINUTES
    if failure.is_refused:
        _refuse(delivery, str(failure))
    if failure.is_permanent or failure.is_refused or delivery.tries >= len(waits):
        _give_up(lease, delivery, str(failure))
        return
    wait = timedelta(minutes=waits[delivery.tries])
    if failure.retry_after is not None:
        wait = min(max(wait, timedelta(seconds=failure.retry_after)), LONGEST_WAIT)
    lease.put_off(
        timezone.now() + wait,
        tries=delivery.tries + 1,
        state=Delivery.State.WAITING,
        held_for="",
        held_at=None,
        sending_at=None,
        answers=_answered(delivery, False, str(failure)),
    )
    log.info("Delivery %s (%s) is tried again in %s", delivery.pk, delivery.kind, wait)


def _give_up(lease: Lease, delivery: Delivery, why: str, *, is_told: bool = True) -> None:
    answers = _answered(delivery, False, why)

    def write() -> None:
        lease.end(state=Delivery.State.GIVEN_UP, sending_at=None, answers=answers)
        if is_told:
            _tell(delivery)

    lease.keep(write)
    log.warning("Delivery %s (%s) was given up", delivery.pk, delivery.kind)


def _tell(delivery: Delivery) -> None:
    """Tell the owner of a delivery that was given up; nobody is told of a notice that was."""
    if delivery.channel_id is not None:
        notice_send(delivery.run, Delivery.About.FAILED, delivery.run.report.owner)


@transaction.atomic
def _refuse(delivery: Delivery, why: str) -> None:
    """Remember a recipient that will never take mail, so that none is sent there any more."""
    if delivery.channel_id is None:
        return
    channel = Channel.objects.select_for_update().filter(pk=delivery.channel_id).first()
    if channel is not None:
        channel.refused[delivery.to] = storable(why[:ANSWER_CHARS])
        channel.save(update_fields=["refused"])


def _answered(delivery: Delivery, is_ok: bool, answer: str) -> list[dict[str, Any]]:
    return [*delivery.answers, _said(is_ok, answer)]


def _said(is_ok: bool, answer: str) -> dict[str, Any]:
    return {"at": timezone.now().isoformat(), "ok": is_ok, "answer": storable(answer[:ANSWER_CHARS])}
