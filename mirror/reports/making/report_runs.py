"""Make one run: rows, sentences, pictures and files, then everything that follows from it in one transaction.

Each attempt works under its own number, so nothing of two attempts mixes; the holder of the fencing token at the end decides. Rows and
files of an earlier attempt are deleted when the run is taken again.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_noop, override

from mirror.reports.errors import ReportError
from mirror.reports.making.by_hand import stopped_words
from mirror.reports.making.conditions import Crossing, RowsFingerprint, crossing
from mirror.reports.making.failing import reason_fields, report_run_fail
from mirror.reports.making.made import MadePart, Making, Pictures, RunFailed, RunStopped, Unmakeable
from mirror.reports.making.owner_left import owner_settle
from mirror.reports.making.parts import part_read
from mirror.reports.making.picturing import picture
from mirror.reports.making.report_files import attempt_forget, attempts_forget, files_write, image_keep
from mirror.reports.making.telling import part_told
from mirror.reports.models import Delivery, Report, ReportFile, ReportRun
from mirror.reports.sending.queueing import deliveries_for, languages_read
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.rows import columns_of, rows_batches, rows_of
from mirror.results.services import result_delete
from mirror.storable import storable
from mirror.stored_words import sayings
from mirror.work.leases import Lease, LeaseLost
from mirror.work.store import store_wait
from mirror.work.turns import turn_leave
from mirror.work.watching import Watch
from mirror.zones import at_zone
from sqlagent.language.saying import worded

log = logging.getLogger(__name__)

# Rows a sentence and a picture are made from; both say when there are more. Half of what a page looks at: 100,000
# rows of eight columns take 140 MB, which is all that a report of any size may take (measured 2026-11).
DRAWN_ROWS = 50_000

BROKEN = gettext_noop("Something in Mirror itself broke while making this report. It was logged.")
BROKEN_ADVICE = gettext_noop("Running it again may help; otherwise tell an administrator of this server.")

Cause, Outcome, About = ReportRun.Cause, ReportRun.Outcome, Delivery.About


def report_run_make(lease: Lease) -> None:
    """Make a taken run to its end, or put it off after a failure that may pass.

    Stops within half a second of being asked to, the statement in the database too. A worker that
    lost its lease writes nothing more, and deletes what it made.
    """
    making: Making | None = None
    try:
        with Watch(lease) as watch:
            making = _making(lease)
            if lease.attempt > 1:
                attempts_forget(making.run, keep=lease.attempt)
            try:
                _check(watch)
                _make(making, lease, watch)
            except RunStopped:
                if watch.is_lost:
                    raise LeaseLost(f"Run {lease.pk} is held by another worker") from None
                attempt_forget(making)
                lease.end(outcome=Outcome.SKIPPED, reason=stopped_words(making.run))
            except Unmakeable as error:
                attempt_forget(making)
                report_run_fail(lease, making.run, error.message, error.advice)
            except RunFailed as error:
                attempt_forget(making)
                _put_off(lease, making.run, error)
    except (LeaseLost, ReportRun.DoesNotExist) as error:
        if making is not None:
            attempt_forget(making)
        log.info("Run %s of a report was given up: %s", lease.pk, error)


def report_run_break(lease: Lease) -> None:
    """End a run that met an error nobody expected."""
    with suppress(LeaseLost, ReportRun.DoesNotExist):
        making = _making(lease)
        attempt_forget(making)
        report_run_fail(lease, making.run, BROKEN, BROKEN_ADVICE)


def _making(lease: Lease) -> Making:
    run = ReportRun.objects.select_related("report__owner", "asked_by").get(pk=lease.pk)
    today = at_zone(run.scheduled_for or run.created_at, run.report.zone).date()
    return Making(run, run.report, lease.attempt, today, languages_read(run))


def _check(watch: Watch) -> None:
    if watch.cancelled.is_set():
        raise RunStopped


def _make(making: Making, lease: Lease, watch: Watch) -> None:
    run, report = making.run, making.report
    by_schedule = run.cause in (Cause.SCHEDULE, Cause.MISSED)
    if by_schedule and report.is_paused:
        lease.end(outcome=Outcome.SKIPPED, reason="The report was paused before this run began.")
        return
    if not report.owner.is_active and not owner_settle(report, run, lease):
        return
    lease.write(is_reading=True)
    parts = []
    for part in report.parts.select_related("saved__source", "saved__owner"):
        _check(watch)
        parts.append(part_read(making, part, lease, watch))
    if not parts:
        raise Unmakeable(
            worded("This report has no saved SQL any more."), worded("Choose one, or delete the report.")
        )
    turn_leave(lease, is_reading=False)
    worth = _worth(making, parts)
    _check(watch)
    if not worth.about:
        _conclude_nothing(making, lease, parts, worth)
        return
    images = [_drawn(making, part, lease) for part in parts]
    files = files_write(making, parts, images, lambda: _check(watch))
    _check(watch)
    _conclude(making, lease, files, worth)


# ---------------------------------------------------------------- is it worth sending?


@dataclass(frozen=True, slots=True)
class _Worth:
    """Whether a run is sent (`about` says as what) and why, with the state that the report keeps of it."""

    about: str
    words: str = ""
    fingerprint: str = ""
    crossing: Crossing | None = None


def _worth(making: Making, parts: Sequence[MadePart]) -> _Worth:
    """Hold the rows against the report's condition. By hand it is sent whatever the condition says."""
    report, run = making.report, making.run
    by_hand = {Cause.NOW: About.REPORT, Cause.TEST: About.TEST}.get(Cause(run.cause))
    try:
        worth = _by_condition(report, parts)
    except ResultGone as error:
        raise RunFailed(str(error)) from None
    except ReportError as error:
        if by_hand is None:
            raise Unmakeable(str(error), error.advice) from None
        worth = _Worth("", str(error))
    if by_hand is None:
        return worth
    words = (
        ""
        if worth.about or run.cause == Cause.NOW
        else worded("On schedule it would not go out: {why}", why=worth.words)
    )
    return _Worth(by_hand, words, worth.fingerprint)


def _by_condition(report: Report, parts: Sequence[MadePart]) -> _Worth:
    condition = report.condition
    if condition == Report.Condition.ROWS and not any(part.result.row_count for part in parts):
        return _Worth("", "There are no rows.")
    if condition == Report.Condition.CHANGED:
        rows = RowsFingerprint()
        for part in parts:
            rows.add([column.name for column in columns_of(part.result)], rows_batches(part.result))
        fingerprint = rows.text()
        if _is_sent(report, fingerprint):
            return _Worth("", "The rows are the same as those last sent.", fingerprint)
        return _Worth(About.REPORT, "", fingerprint)
    if condition == Report.Condition.THRESHOLD:
        part = parts[min(report.threshold["part"], len(parts) - 1)]
        found = crossing(
            report.threshold,
            [column.name for column in columns_of(part.result)],
            rows_batches(part.result),
            is_alerting=report.is_alerting,
            alerted_at=report.alerted_at,
            now=timezone.now(),
        )
        return _Worth(found.about, found.words, "", found)
    return _Worth(About.REPORT)


def _is_sent(report: Report, fingerprint: str) -> bool:
    """Say whether these rows were the last to be sent, or are on their way."""
    waiting = (Delivery.State.WAITING, Delivery.State.HELD)
    on_the_way = report.runs.filter(deliveries__state__in=waiting, deliveries__about=About.REPORT)
    latest = on_the_way.order_by("-pk").values_list("fingerprint", flat=True).first()
    return fingerprint == (latest or report.sent_fingerprint)


# ---------------------------------------------------------------- pictures and ends


def _drawn(making: Making, part: MadePart, lease: Lease) -> Pictures:
    """Tell and draw the rows of a part, and keep both with it; its pictures, if there is something to draw."""
    try:
        rows = rows_of(part.result, DRAWN_ROWS)
    except ResultGone as error:
        raise RunFailed(str(error)) from None
    told = store_wait(lambda: part_told(making, part, rows))
    drawn = told.drawn
    images: Pictures = {}
    for language in making.languages if told.is_picture else ():
        with override(language):
            image = picture(drawn, told.rows, part.row.title)
        if image:
            images[language] = image
    part.row.chart, part.row.sentence = storable(drawn.chart), storable(drawn.sentence)
    part.row.saying |= sayings(sentence=drawn.sentence)
    part.row.figures = storable(told.figures)
    owners, *others = making.languages
    if owners in images:
        part.row.image = image_keep(making, part.row.position, images[owners])
    part.row.images = {
        language: image_keep(making, part.row.position, images[language], language)
        for language in others
        if language in images
    }

    def write() -> None:
        lease.write()
        part.row.save(update_fields=["chart", "sentence", "saying", "figures", "image", "images"])

    lease.keep(write)
    return images


def _conclude(making: Making, lease: Lease, files: Sequence[ReportFile], worth: _Worth) -> None:
    """Keep what was made, and send it: all of it, or nothing."""

    def write() -> None:
        lease.end(**_told(worth), outcome=Outcome.MADE, about=_run_about(worth))
        ReportFile.objects.bulk_create(files)
        count = deliveries_for(making.run, worth.about)
        _remember(making.report, making.run, worth)
        if not count and worth.fingerprint:
            Report.objects.filter(pk=making.report.pk).update(sent_fingerprint=worth.fingerprint)
        log.info("Run %s of report %s was made: %d deliveries", lease.pk, making.report.pk, count)

    lease.keep(write)


def _conclude_nothing(making: Making, lease: Lease, parts: Sequence[MadePart], worth: _Worth) -> None:
    """End a run that is not worth sending. Its rows are not kept: such runs are many."""
    read = [part.result.pk for part in parts]

    def write() -> None:
        lease.end(**_told(worth), outcome=Outcome.NOTHING)
        for result in StoredResult.objects.filter(pk__in=read):
            result_delete(result)
        _remember(making.report, making.run, worth)

    lease.keep(write)


def _told(worth: _Worth) -> dict[str, Any]:
    value = worth.crossing.value if worth.crossing else ""
    return {
        "reason": storable(worth.words),
        "saying": sayings(reason=worth.words),
        "advice": "",
        "fingerprint": worth.fingerprint,
        "value": storable(value),
    }


def _run_about(worth: _Worth) -> str:
    return "report" if worth.about == About.TEST else worth.about


def _remember(report: Report, run: ReportRun, worth: _Worth) -> None:
    """Keep the result of a run that went well with its report; one made by hand tells no alert, so it ends and begins none."""
    fields: dict[str, Any] = {"failures": 0}
    if worth.crossing is not None and run.cause in (Cause.SCHEDULE, Cause.MISSED):
        fields["is_alerting"] = worth.crossing.is_beyond
        if worth.about == About.ALERT:
            fields["alerted_at"] = timezone.now()
    if run.cause != Cause.TEST:
        Report.objects.filter(pk=report.pk).update(**fields)


def _put_off(lease: Lease, run: ReportRun, error: RunFailed) -> None:
    """Try again later, or fail when it was tried often enough; by hand it is not tried again."""
    waits = settings.REPORT_RETRY_MINUTES if run.cause in (Cause.SCHEDULE, Cause.MISSED) else []
    if run.tries >= len(waits):
        report_run_fail(lease, run, error.message, error.advice)
        return
    until = timezone.now() + timedelta(minutes=waits[run.tries])
    lease.put_off(until, tries=run.tries + 1, is_reading=True, **reason_fields(error.message, error.advice))
    log.info("Run %s is tried again at %s", run.pk, until)
