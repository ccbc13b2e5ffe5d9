"""Make, change, pause, share, hand over and delete reports. Stored reports were checked here."""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.delivery.channels import describe
from mirror.exports.values import FORMATS
from mirror.library import services as library
from mirror.library.models import SavedSql
from mirror.people.models import Team, User
from mirror.people.services import teams_share
from mirror.phrases import one_line
from mirror.reports.editing.channel_changes import ChannelsGiven, channels_check, channels_keep
from mirror.reports.errors import ReportError
from mirror.reports.making.conditions import threshold_check
from mirror.reports.models import Report, ReportPart
from mirror.reports.reasons import reasons_leave
from mirror.reports.schedule.intervals import interval_check
from mirror.reports.schedule.times import Schedule, ScheduleError, zone_read
from mirror.reports.selectors import may_own, may_take_over, saved_usable
from mirror.results.models import StoredResult

log = logging.getLogger(__name__)

PartsGiven = Sequence[tuple[SavedSql, Mapping[str, Any]]]

# A workbook of more sheets is read by nobody.
MOST_PARTS = 20
TITLE_CHARS, NOTE_CHARS = 200, 5_000
MOST_KEEP_DAYS, MOST_PAUSE_AFTER = 3_650, 100


def report_create(
    owner: User,
    *,
    title: str,
    note: str = "",
    formats: Sequence[str] = (),
    native_chart: bool = False,
    schedule: Schedule | None = None,
    zone: str = "UTC",
    missed: str = Report.Missed.LAST,
    condition: str = Report.Condition.ALWAYS,
    threshold: Mapping[str, Any] | None = None,
    keep_days: int = 30,
    pause_after: int = 5,
    parts: PartsGiven = (),
    channels: ChannelsGiven = (),
) -> Report:
    """Keep a new report; its first run is at the schedule's next time. Raises: ReportError.

    `parts` are saved SQL with values for their parameters, relative dates as words; `channels` are
    kind, target and secret, as `channels.check` takes them. `threshold` is `{"part", "column", "test", "value",
    "row", "quiet_hours"}` (see `conditions`), for that condition only.
    """
    return report_update(
        Report(owner=owner),
        title=title,
        note=note,
        formats=formats,
        native_chart=native_chart,
        schedule=schedule,
        zone=zone,
        missed=missed,
        condition=condition,
        threshold=threshold,
        keep_days=keep_days,
        pause_after=pause_after,
        parts=parts,
        channels=channels,
    )


@transaction.atomic
def report_update(
    report: Report,
    *,
    title: str,
    note: str,
    formats: Sequence[str],
    schedule: Schedule | None,
    zone: str,
    missed: str,
    condition: str,
    threshold: Mapping[str, Any] | None,
    keep_days: int,
    pause_after: int,
    parts: PartsGiven,
    channels: ChannelsGiven,
    native_chart: bool = False,
) -> Report:
    """Keep all that is said of a report; a secret given as None is kept while its channel goes to the same place.

    Raises: ReportError; nothing that is kept changes then.
    """
    _parts_check(report.owner, parts)
    cleaned = channels_check(report, channels)
    before = (report.schedule, report.zone)
    report.title, report.note = _title(title), _text(note)
    report.formats = _formats(formats)
    report.native_chart = native_chart
    report.zone = _zone(zone)
    if schedule is not None:
        _interval_check(schedule, report.owner)
    report.schedule = schedule.to_json() if schedule is not None else None
    report.missed = _one_of(Report.Missed, missed, _("what becomes of missed times"))
    report.condition = _one_of(Report.Condition, condition, _("when to send"))
    is_alert = report.condition == Report.Condition.THRESHOLD
    kept = threshold_check(threshold or {}, len(parts)) if is_alert else {}
    if kept != report.threshold:
        report.is_alerting, report.alerted_at = False, None
    report.threshold = kept
    report.keep_days = _between(keep_days, 1, MOST_KEEP_DAYS, _("Files are kept %(least)s to %(most)s days."))
    report.pause_after = _between(
        pause_after, 1, MOST_PAUSE_AFTER, _("A schedule pauses after %(least)s to %(most)s failures.")
    )
    if report._state.adding or before != (report.schedule, report.zone):
        report.next_at = None if report.is_paused else _first_time(schedule)
    is_new = report._state.adding
    report.save()
    report.parts.all().delete()
    ReportPart.objects.bulk_create(
        ReportPart(report=report, position=number, saved=saved, name=saved.name, arguments=dict(arguments))
        for number, (saved, arguments) in enumerate(parts)
    )
    channels_keep(report, cleaned)
    record(
        "set up a report" if is_new else "changed a report",
        report,
        by=report.owner,
        saved=[saved.name for saved, _ in parts],
        to=[place for channel in report.channels.all() for place in describe(channel.kind, channel.target)],
        schedule="by hand" if schedule is None else schedule.kind,
    )
    return report


@transaction.atomic
def report_delete(report: Report, by: User) -> None:
    """Delete a report with its runs, rows and files; runs under way stop."""
    StoredResult.objects.filter(runpart__run__report=report).delete()
    log.info("Report %s was deleted by user %s", report.pk, by.pk)
    pk = report.pk
    report.delete()
    report.pk = pk  # which is gone from the store, and named in the audit
    record("deleted a report", report, by=by)


@transaction.atomic
def report_pause(report: Report, by: User) -> None:
    """Stop a report's schedule until somebody resumes it."""
    report.is_paused, report.paused_why, report.next_at = True, "", None
    report.save(update_fields=["is_paused", "paused_why", "next_at", "updated_at"])
    record("paused a report", report, by=by)
    log.info("Report %s was paused by user %s", report.pk, by.pk)


@transaction.atomic
def report_resume(report: Report, by: User) -> None:
    """Let a report's schedule go on, from now: nothing is made up for. Failures are forgotten."""
    report.is_paused, report.paused_why, report.failures = False, "", 0
    report.next_at = next_time(report)
    report.save(update_fields=["is_paused", "paused_why", "failures", "next_at", "updated_at"])
    record("resumed a report", report, by=by)
    log.info("Report %s was resumed by user %s", report.pk, by.pk)


@transaction.atomic
def report_share(report: Report, teams: Iterable[Team], by: User) -> None:
    """Share with exactly these of the teams that `by` is in; others stay as they are.

    Members of a team see the report while they see all its sources.
    """
    record("shared a report", report, by=by, teams=teams_share(report, teams, by))


@transaction.atomic
def report_hand_over(report: Report, to: User, by: User) -> None:
    """Make somebody else the owner; the report's SQL runs as theirs from now on.

    Raises: ReportError when they could not run it.
    """
    if not to.is_active:
        raise ReportError(
            _("%(get_username)s is shut out, and cannot own a report.") % {"get_username": to.get_username()}
        )
    if not may_own(to, report):
        raise ReportError(
            _("%(get_username)s does not see all the saved SQL of this report and its sources.")
            % {"get_username": to.get_username()},
            _("Share them with a team they are in, then hand the report over."),
        )
    reasons_leave(report, to)
    Report.objects.filter(pk=report.pk).update(owner=to, updated_at=timezone.now())
    report.owner = to
    record("handed a report over", report, by=by, to=to.get_username())
    log.info("Report %s was handed over to user %s by user %s", report.pk, to.pk, by.pk)


def report_take_over(report: Report, by: User) -> None:
    """Become the owner of a report whose owner was shut out. Raises: ReportError."""
    if not may_take_over(by, report):
        raise ReportError(_("Only a report whose owner is no longer here can be taken over."))
    report_hand_over(report, by, by)


def next_time(report: Report) -> datetime | None:
    """The schedule's next time from now, or None: it never fires again, or there is none."""
    if report.schedule is None:
        return None
    return Schedule.from_json(report.schedule, report.zone).next_after(timezone.now())


def _interval_check(schedule: Schedule, owner: User) -> None:
    try:
        interval_check(schedule, is_staff=owner.is_staff)
    except ScheduleError as error:
        raise ReportError(str(error)) from None


def _first_time(schedule: Schedule | None) -> datetime | None:
    if schedule is None:
        return None
    first = schedule.next_after(timezone.now())
    if first is None:
        raise ReportError(_("This schedule never fires again."), _("Choose a later end, or another rule."))
    return first


def _parts_check(owner: User, parts: PartsGiven) -> None:
    """Refuse parts that `owner` may not run or that lack a value."""
    if not parts:
        raise ReportError(_("A report needs at least one saved SQL."))
    if len(parts) > MOST_PARTS:
        raise ReportError(
            _("A report takes at most %(most_parts)s saved SQL; this one has %(parts)s.")
            % {"most_parts": MOST_PARTS, "parts": len(parts)}
        )
    usable = set(saved_usable(owner).values_list("pk", flat=True))
    for saved, arguments in parts:
        if saved.pk not in usable:
            raise ReportError(_("You may not run “%(name)s”.") % {"name": saved.name})
        try:
            library.sql_bind(saved.sql, saved.parameters, arguments, saved.source.engine)
        except library.ParameterError as error:
            raise ReportError(f"{saved.name}: {error}") from None


def _title(typed: str) -> str:
    """One line of text: spaces of any kind become one, what cannot be seen or turns text round is left out."""
    title = one_line(_text(typed))
    if not title:
        raise ReportError(_("Give the report a title."))
    if len(title) > TITLE_CHARS:
        raise ReportError(
            _("This title has %(title)s characters; the longest taken has %(title_chars)s.")
            % {"title": len(title), "title_chars": TITLE_CHARS}
        )
    return title


def _text(typed: str) -> str:
    """Text without control characters and lone surrogates."""
    kept = re.sub(r"\r\n?", "\n", typed)
    return "".join(c for c in kept if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs")).strip()


def _formats(names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in FORMATS:
            raise ReportError(
                _("There is no format “%(name)s”. Known: %(formats)s.")
                % {"name": name, "formats": ", ".join(FORMATS)}
            )
    return list(dict.fromkeys(names))


def _zone(name: str) -> str:
    try:
        zone_read(name)
    except ScheduleError as error:
        raise ReportError(str(error)) from None
    return name


def _one_of(choices: Any, value: str, what: str) -> str:
    if value not in choices.values:
        raise ReportError(
            _("“%(value)s” is no choice for %(what)s. Known: %(values)s.")
            % {"value": value, "what": what, "values": ", ".join(choices.values)}
        )
    return str(value)


def _between(value: int, least: int, most: int, words: str) -> int:
    if not least <= value <= most:
        raise ReportError(words % {"least": intcomma(least), "most": intcomma(most)})
    return value
