"""Data of the page of one report: what it sends, when, to whom, and how every run of it went."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.paginator import Page
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mirror import phrases
from mirror.delivery import channels
from mirror.exports.values import FORMATS
from mirror.library.drafts import draft_said
from mirror.paging import Pager, pager_of
from mirror.reports.making.conditions import ROWS, TESTS
from mirror.reports.models import Channel, Delivery, Report, ReportPart, ReportRun, RunPart
from mirror.reports.pages import words
from mirror.reports.pages.listing import Breaking, breaking_of, failing_words
from mirror.reports.pages.words import Moment, State
from mirror.reports.reasons import Reasons
from mirror.reports.schedule.intervals import is_too_fast
from mirror.reports.schedule.times import Schedule, ScheduleError
from mirror.reports.sending.recipients import Standing, standings_of
from mirror.secrets import is_kept
from mirror.zones import zone_of

# Scheduled times shown ahead.
AHEAD = 5


@dataclass(frozen=True, slots=True)
class PartLine:
    """One SQL of a report; `saved_id` where it can be looked at, `is_gone` once it was deleted, `draft` why it is one."""

    name: str
    saved_id: int | None
    is_gone: bool
    draft: str
    source: str
    arguments: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Refused:
    """A recipient nothing is sent to any more, with the words of the server that refused."""

    address: str
    why: str


@dataclass(frozen=True, slots=True)
class ChannelLine:
    """One way a report goes out. `unsaid` are recipients that have not confirmed; `stopped` those that want no mails."""

    id: int
    kind: str
    label: str
    places: list[str]
    is_signed: bool
    refused: list[Refused]
    unsaid: list[str]
    stopped: list[str]


@dataclass(frozen=True, slots=True)
class Ahead:
    """A scheduled time to come; `remark` says that the clocks change before it."""

    at: Moment
    remark: str = ""


@dataclass(frozen=True, slots=True)
class RunLine:
    """One run in the history."""

    id: int
    scheduled: Moment | None
    begun: Moment | None
    cause: str
    state: State
    rows: int | None
    size: str
    lasted: str
    delivered: str
    reason: str


@dataclass(frozen=True, slots=True)
class History:
    """The runs of a report, newest first, a page at a time."""

    runs: list[RunLine]
    pager: Pager


@dataclass(frozen=True, slots=True)
class ReportPage:
    """One report."""

    report: Report
    may_change: bool
    may_take_over: bool
    owner: str
    team_names: list[str]
    schedule: str
    zone: str
    ahead: list[Ahead]
    missed: str
    condition: str
    formats: str
    parts: list[PartLine]
    channels: list[ChannelLine]
    breaking: tuple[Breaking, ...]
    failing: str
    history: History
    paused_why: str
    is_working: bool
    lacks_address: bool
    held: str
    too_fast: str
    alerted: Moment | None


def report_page(
    report: Report,
    runs: Page[ReportRun],
    reasons: Reasons,
    *,
    may_change: bool,
    may_take_over: bool,
    saved_seen: Collection[int],
) -> ReportPage:
    """Lay out a report and one page of its history; `saved_seen` are the ids of saved SQL one may look at."""
    return ReportPage(
        report=report,
        may_change=may_change,
        may_take_over=may_take_over,
        owner=report.owner.called,
        team_names=[team.name for team in report.teams.all()],
        schedule=words.schedule_words(report),
        zone=report.zone,
        ahead=[] if report.is_paused else schedule_ahead(report),
        missed=report.get_missed_display().lower(),
        condition=condition_words(report),
        formats=phrases.joined([FORMATS[name].label for name in report.formats if name in FORMATS]),
        parts=[_part(part, saved_seen) for part in report.parts.all()],
        channels=[channel_line(channel) for channel in report.channels.all()],
        breaking=breaking_of(report, saved_seen),
        failing=failing_words(report),
        history=_history(runs, report.zone, reasons),
        paused_why=reasons.of_pause(report),
        is_working=any(not run.is_ended for run in runs),
        held=_held(report) if may_change else "",
        too_fast=_too_fast(report),
        lacks_address=may_change and not report.owner.email,
        alerted=words.moment(report.alerted_at, report.zone) if report.is_alerting else None,
    )


def _held(report: Report) -> str:
    """Say how much of a report a quota holds back now."""
    held = Delivery.objects.filter(
        run__report=report, state=Delivery.State.HELD, held_for=Delivery.Held.QUOTA
    )
    return held_words(list(held))


def _too_fast(report: Report) -> str:
    """Say that a kept schedule is faster than its owner's may be."""
    try:
        schedule = Schedule.from_json(report.schedule, report.zone) if report.schedule else None
    except ScheduleError:
        return ""
    if schedule is None or not is_too_fast(schedule, report.owner):
        return ""
    return _("Runs are %(settings)s apart at least, so some of its times are left out.") % {
        "settings": phrases.counted(settings.REPORT_LEAST_MINUTES, "minute")
    }


def schedule_ahead(report: Report) -> list[Ahead]:
    """The next scheduled times of a report as it is kept."""
    if not report.schedule:
        return []
    try:
        schedule = Schedule.from_json(report.schedule, report.zone)
    except ScheduleError:
        return []
    return ahead(schedule.upcoming(timezone.now(), AHEAD), schedule.zone)


def ahead(instants: Sequence[datetime], zone: str) -> list[Ahead]:
    """Tell scheduled times in their zone, with a word where the clocks change before one."""
    if not instants:
        return []
    place = zone_of(zone)
    offsets = [instant.astimezone(place).utcoffset() for instant in (timezone.now(), *instants)]
    remarks = []
    for before, after in pairwise(offsets):
        change = (after - before).total_seconds() / 60 if before is not None and after is not None else 0
        remarks.append(_clocks(change))
    return [
        Ahead(told, remark)
        for instant, remark in zip(instants, remarks, strict=True)
        if (told := words.moment(instant, zone)) is not None
    ]


def _clocks(minutes: float) -> str:
    if not minutes:
        return ""
    size = abs(minutes)
    much = phrases.counted(int(size / 60), "hour") if size % 60 == 0 else phrases.counted(int(size), "minute")
    words = (
        _("Clocks go forward %(much)s before this")
        if minutes > 0
        else _("Clocks go back %(much)s before this")
    )
    return words % {"much": much}


def condition_words(report: Report) -> str:
    """Say when a run is worth sending."""
    if report.condition != Report.Condition.THRESHOLD:
        return str(report.get_condition_display())
    kept: dict[str, Any] = report.threshold or {}
    names = [part.name for part in report.parts.all()]
    part = kept.get("part", 0)
    test, row = TESTS.get(kept.get("test", ""), ""), ROWS.get(kept.get("row", ""), "")
    said = {
        "column": kept.get("column"),
        "test": test and _(test),
        "value": kept.get("value"),
        "row": row and _(row),
    }
    told = _("When %(column)s is %(test)s %(value)s %(row)s") % said
    if len(names) > 1 and part < len(names):
        told = _("When %(column)s of %(part)s is %(test)s %(value)s %(row)s") % {**said, "part": names[part]}
    quiet = kept.get("quiet_hours")
    if quiet is None:
        return told
    return _("%(told)s; told again after %(time)s") % {
        "told": told,
        "time": phrases.counted(int(quiet), "hour"),
    }


def _part(part: ReportPart, saved_seen: Collection[int]) -> PartLine:
    labels = (
        {row["name"]: row.get("label") or row["name"] for row in part.saved.parameters} if part.saved else {}
    )
    return PartLine(
        name=part.saved.name if part.saved else part.name,
        saved_id=part.saved_id if part.saved_id in saved_seen else None,
        is_gone=part.saved is None,
        draft=draft_said(part.saved.draft, part.saved.saying) if part.saved else "",
        source=part.saved.source.name if part.saved else "",
        arguments=[
            (labels.get(name, name), words.value_words(value)) for name, value in part.arguments.items()
        ],
    )


def channel_line(channel: Channel) -> ChannelLine:
    """Lay out a channel; nothing secret is in it."""
    places = list(channels.describe(channel.kind, channel.target))
    standings = standings_of(places) if channel.kind == Channel.Kind.MAIL else {}
    return ChannelLine(
        id=channel.pk,
        kind=channel.kind,
        label=str(channel.get_kind_display()),
        places=places,
        is_signed=channel.kind == Channel.Kind.WEBHOOK and is_kept(channel, "secret"),
        refused=[Refused(str(address), str(why)) for address, why in channel.refused.items()],
        unsaid=[place for place, standing in standings.items() if standing is Standing.ASKED],
        stopped=[place for place, standing in standings.items() if standing is Standing.STOPPED],
    )


def _history(found: Page[ReportRun], zone: str, reasons: Reasons) -> History:
    return History(
        runs=[run_line(run, zone, reasons) for run in found],
        pager=pager_of(found, place="#history"),
    )


def run_line(run: ReportRun, zone: str, reasons: Reasons) -> RunLine:
    """Lay out one run of the history."""
    deliveries = sent_out(run)
    parts = current_parts(run)
    files = run.files_in()
    sent = sum(delivery.state == Delivery.State.SENT for delivery in deliveries)
    return RunLine(
        id=run.pk,
        scheduled=words.moment(run.scheduled_for, zone),
        begun=words.moment(run.started_at or run.created_at, zone),
        cause="" if run.cause == ReportRun.Cause.SCHEDULE else words.cause_words(run),
        state=words.state(words.run_state(run, deliveries)),
        rows=sum(part.row_count for part in parts) if parts else None,
        size=phrases.size(sum(file.size for file in files)) if files else "",
        lasted=words.lasted(run.started_at, run.ended_at),
        delivered=_("%(sent)s of %(all)s") % {"sent": sent, "all": len(deliveries)} if deliveries else "",
        reason=reasons.of_run(run) or held_words(deliveries) or undelivered_words(deliveries),
    )


def sent_out(run: ReportRun) -> list[Delivery]:
    """The deliveries of what a run made; notices to the owner are not among them."""
    return [delivery for delivery in run.deliveries.all() if delivery.about not in Delivery.NOTICES]


def delivered_words(deliveries: Sequence[Delivery]) -> str:
    """Count what arrived."""
    sent = sum(delivery.state == Delivery.State.SENT for delivery in deliveries)
    return _("%(sent)s of %(all)s delivered") % {"sent": sent, "all": len(deliveries)} if deliveries else ""


def held_words(deliveries: Sequence[Delivery]) -> str:
    """Count what is held back, and say why the first of it is."""
    held = [delivery for delivery in deliveries if delivery.state == Delivery.State.HELD]
    if not held:
        return ""
    by_quota = [delivery for delivery in held if delivery.held_for == Delivery.Held.QUOTA]
    first = (by_quota or held)[0]
    said = str(first.answers[-1].get("answer", "")) if first.answers else ""
    count = ngettext("%(count)s delivery is held back.", "%(count)s deliveries are held back.", len(held))
    return f"{count % {'count': intcomma(len(held))}} {words.answer_words(said)}".strip()


def undelivered_words(deliveries: Sequence[Delivery]) -> str:
    """Name who got nothing, and why the first of them did not."""
    missed = [delivery for delivery in deliveries if delivery.state == Delivery.State.GIVEN_UP]
    if not missed:
        return ""
    names = phrases.joined([one.to for one in missed[:3]])
    told = _("Not delivered to %(names)s.") % {"names": names}
    if len(missed) > 3:
        told = _("Not delivered to %(names)s and %(count)s more.") % {
            "names": names,
            "count": len(missed) - 3,
        }
    said = str(missed[0].answers[-1].get("answer", "")) if missed[0].answers else ""
    return f"{told} {words.answer_words(said)}".strip()


def current_parts(run: ReportRun) -> list[RunPart]:
    """The parts that the run's last attempt made."""
    parts = list(run.parts.all())
    last = max((part.attempt for part in parts), default=0)
    return [part for part in parts if part.attempt == last]
