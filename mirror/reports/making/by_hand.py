"""Runs and deliveries by hand: run now, try out, stop, send again."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from mirror.reports.errors import ReportError
from mirror.reports.models import Channel, Delivery, Report, ReportRun
from mirror.reports.sending.queueing import delivery_queue_again
from mirror.work.kinds import send
from mirror.work.leases import Status, end_unheld

if TYPE_CHECKING:
    from mirror.people.models import User

log = logging.getLogger(__name__)

STOPPED = "Stopped by {who}."


@transaction.atomic
def report_run_now(report: Report, by: User) -> ReportRun:
    """Make a report now and send it to all its channels, whatever its condition says.

    Its schedule goes on as it was. Raises: ReportError when one made by hand is still on its way.
    """
    return _run_by_hand(report, by, ReportRun.Cause.NOW)


@transaction.atomic
def report_test(report: Report, by: User) -> ReportRun:
    """Make a report now and send it to `by`'s own mail address alone, whatever its channels and condition.

    Raises: ReportError when they have no mail address, or one made by hand is still on its way.
    """
    if not by.email:
        raise ReportError(
            _("You have no mail address here, so there is nowhere to send a test to."),
            _("Add yours under Your account."),
        )
    return _run_by_hand(report, by, ReportRun.Cause.TEST)


def report_run_stop(run: ReportRun, by: User) -> None:
    """Stop a run: at once while it waits, within half a second while it is made, its SQL in the database too."""
    if (
        ReportRun.objects.filter(pk=run.pk)
        .exclude(status=Status.DONE)
        .update(stop_requested=True, asked_by=by if run.asked_by_id is None else run.asked_by)
    ):
        run.refresh_from_db()
        if run.status == Status.QUEUED:
            end_unheld(run, outcome=ReportRun.Outcome.SKIPPED, reason=stopped_words(run))


def stopped_words(run: ReportRun) -> str:
    """Say who stopped a run."""
    who = run.asked_by.get_username() if run.asked_by else "somebody"
    return STOPPED.format(who=who)


@transaction.atomic
def report_run_send_again(run: ReportRun, by: User) -> int:
    """Send a run's files once more to everywhere they went; return the number of deliveries.

    Deliveries by a channel that was removed since stay as they are. Raises: ReportError when there is nothing left to send.
    """
    deliveries = run.deliveries.exclude(about__in=Delivery.TO_PERSON).select_for_update()
    ended = [delivery for delivery in deliveries if delivery.status == Status.DONE]
    if run.outcome != ReportRun.Outcome.MADE or not deliveries:
        raise ReportError(
            _("This run was not sent to anybody, so it cannot be sent again."), _("Run it now.")
        )
    if not ended:
        raise ReportError(_("This run is still on its way."))
    left = [delivery for delivery in ended if delivery.channel_id]
    for delivery in left or ended:
        delivery_again(delivery, by)
    return len(left)


@transaction.atomic
def delivery_again(delivery: Delivery, by: User) -> None:
    """Send one delivery again, under a new name to the outside, so that nobody drops it as a copy.

    Raises: ReportError when it is on its way, its channel was removed or its files are gone.
    """
    if delivery.channel_id is None and delivery.about not in Delivery.TO_PERSON:
        raise ReportError(
            _("The channel it went by was removed from the report."), _("Run the report now instead.")
        )
    if delivery.about in Delivery.BY_RULE:
        raise ReportError(_("Mirror sends this by a rule of its own; nobody sends it again."))
    run = delivery.run
    if delivery.about not in Delivery.TO_PERSON and run.report.formats and not run.files.exists():
        raise ReportError(_("The files of this run are no longer kept."), _("Run the report now instead."))
    if not delivery_queue_again(delivery):
        raise ReportError(_("It is still on its way."))
    log.info("Delivery %s is sent again by user %s", delivery.pk, by.pk)
    send(delivery)


@transaction.atomic
def recipient_allow(channel: Channel, address: str) -> None:
    """Send mail again to an address whose server refused it before."""
    kept = Channel.objects.select_for_update().get(pk=channel.pk)
    if kept.refused.pop(address, None) is not None:
        kept.save(update_fields=["refused"])


def _run_by_hand(report: Report, by: User, cause: ReportRun.Cause) -> ReportRun:
    Report.objects.select_for_update().get(pk=report.pk)
    if report.runs.filter(cause=cause, asked_by=by).exclude(status=Status.DONE).exists():
        raise ReportError(_("This report is being made already. Its history shows how far it is."))
    run = ReportRun.objects.create(report=report, cause=cause, asked_by=by)
    log.info("Report %s is made by hand (%s) by user %s", report.pk, cause, by.pk)
    send(run)
    return run
