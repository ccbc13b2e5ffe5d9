"""Data of the page of one run: its times, what each SQL gave, its files, every delivery."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils import timezone
from django.utils.translation import get_language, gettext_noop, ngettext
from django.utils.translation import gettext as _

from mirror import phrases
from mirror.exports.values import FORMATS
from mirror.library.drafts import draft_said
from mirror.people.models import User
from mirror.queries.dates import date_read
from mirror.reports import selectors
from mirror.reports.models import Delivery, FileLink, ReportFile, ReportRun, RunPart
from mirror.reports.pages import words
from mirror.reports.pages.report import (
    current_parts,
    delivered_words,
    held_words,
    sent_out,
    undelivered_words,
)
from mirror.reports.pages.selectors import run_read
from mirror.reports.pages.words import Moment, State
from mirror.reports.reasons import Reasons
from mirror.results.cells import Cell
from mirror.results.formats import alike, alike_together, cell_of, formats_of, rows_cells
from mirror.results.kept_pivots import PivotTable, pivot_table
from mirror.results.opened_files import ResultGone
from mirror.results.rows import rows_page
from mirror.stored_words import row_said
from mirror.work.leases import Status
from mirror.zones import at_zone

# Rows of each SQL that are shown, and columns.
FIRST_ROWS, FIRST_COLUMNS = 10, 30
# More deliveries than these: those that arrived are folded away.
SHOWN_DELIVERIES = 12
# More links to a file than these are folded away: a mail with a link to a large file has one for each recipient.
SHOWN_LINKS = 3
# A run later than this is said to be late (minutes).
LATE_MINUTES = 5
# How long a link made for a file may live: hours, and how that is said.
LINK_HOURS = {
    1: gettext_noop("1 hour"),
    24: gettext_noop("1 day"),
    72: gettext_noop("3 days"),
    168: gettext_noop("7 days"),
    720: gettext_noop("30 days"),
}


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The first rows of a result, ready to print; `gone` says why there are none.

    Columns and cells tell whether they are of a column of numbers.
    """

    columns: tuple[tuple[str, bool], ...] = ()
    rows: tuple[tuple[tuple[Cell, bool], ...], ...] = ()
    more: str = ""
    gone: str = ""


@dataclass(frozen=True, slots=True)
class PartView:
    """The result of one SQL."""

    id: int
    title: str
    draft: str
    sentence: str
    sql: str
    arguments: list[tuple[str, str]]
    source: str
    count: str
    lasted: str
    truncated: bool
    has_image: bool
    first: FirstRows


@dataclass(frozen=True, slots=True)
class LinkLine:
    """A link to a file: whether it still opens, never its address."""

    id: int
    made_by: str
    made: Moment | None
    until: Moment | None
    opened: str
    state: str


@dataclass(frozen=True, slots=True)
class FileLine:
    """A file of a run and the links made to it. `fresh_link` is an address shown this once."""

    id: int
    name: str
    format: str
    about: str
    is_kept: bool
    until: Moment | None
    notes: list[str]
    links: list[LinkLine]
    older_links: list[LinkLine]
    fresh_link: str = ""
    fresh_until: Moment | None = None


@dataclass(frozen=True, slots=True)
class AnswerLine:
    """The other side's answer to one attempt."""

    at: str
    ok: bool
    words: str


@dataclass(frozen=True, slots=True)
class DeliveryLine:
    """One sending to one place."""

    id: int
    to: str
    kind: str
    about: str
    state: State
    attempts: str
    last: AnswerLine | None
    earlier: list[AnswerLine]
    next: Moment | None
    may_again: bool


@dataclass(frozen=True, slots=True)
class ReportRunPage:
    """One run of a report."""

    id: int
    report_id: int
    title: str
    zone: str
    state: State
    cause: str
    reason: str
    advice: str
    message: str
    when: Moment | None
    scheduled: Moment | None
    started: Moment | None
    ended: Moment | None
    late: str
    lasted: str
    next_try: Moment | None
    is_working: bool
    is_stopping: bool
    may_change: bool
    may_send_again: bool
    sees_rows: bool
    is_source_gone: bool
    sends: list[tuple[str, int]]
    parts: list[PartView]
    files: list[FileLine]
    deliveries: list[DeliveryLine]
    arrived: list[DeliveryLine]
    delivered: str
    undelivered: str
    is_sending: bool
    link_hours: Mapping[int, str]


def report_run_page(user: User, run: ReportRun, fresh: tuple[int, str] | None = None) -> ReportRunPage:
    """Lay out a run for somebody. `fresh` is a link made just now: its file's id and its address.

    A person who does not see the sources of its rows gets its times and deliveries alone.
    """
    may_change, sees_rows = selectors.may_change(user, run.report), selectors.rows_visible(user, run)
    run = run_read(run)
    zone, reasons = run.report.zone, Reasons(user, () if sees_rows else [run.pk])
    deliveries = list(run.deliveries.all())
    lines = [_delivery(delivery, zone, may_change) for delivery in deliveries]
    is_few = len(lines) <= SHOWN_DELIVERIES
    is_sending = any(_soon(delivery) for delivery in deliveries)
    pending = [line for line in lines if line.state.name != "sent"]
    return ReportRunPage(
        id=run.pk,
        report_id=run.report_id,
        title=run.report.title,
        zone=zone,
        state=words.state(words.run_state(run, sent_out(run))),
        cause=words.cause_words(run),
        reason=reasons.of_run(run),
        advice=reasons.advice_of(run),
        message=_about(run) if sees_rows else "",
        when=words.moment(run.scheduled_for or run.created_at, zone),
        scheduled=words.moment(run.scheduled_for, zone),
        started=words.moment(run.started_at, zone),
        ended=words.moment(run.ended_at, zone),
        late=late_words(run),
        lasted=words.lasted(run.started_at, run.ended_at if run.is_ended else timezone.now()),
        next_try=words.moment(run.not_before, zone) if not run.is_ended else None,
        is_working=not run.is_ended,
        is_stopping=run.stop_requested and not run.is_ended,
        may_change=may_change,
        may_send_again=may_change
        and run.outcome == ReportRun.Outcome.MADE
        and any(delivery.channel_id for delivery in sent_out(run))
        and not is_sending,
        sees_rows=sees_rows,
        is_source_gone=any(part.source_id is None for part in current_parts(run)),
        sends=[(part.name, part.saved_id) for part in run.report.parts.all() if part.saved_id],
        parts=[_part(part, run) for part in current_parts(run)] if sees_rows else [],
        files=[file_line(file, zone, fresh) for file in run.files_in(get_language() or "")]
        if sees_rows
        else [],
        deliveries=lines if is_few else pending,
        arrived=[] if is_few else [line for line in lines if line.state.name == "sent"],
        delivered=delivered_words(sent_out(run)),
        undelivered=held_words(sent_out(run)) or undelivered_words(sent_out(run)),
        is_sending=is_sending,
        link_hours={hours: _(said) for hours, said in LINK_HOURS.items()},
    )


def late_words(run: ReportRun) -> str:
    """Say by how much a run began after its scheduled time; nothing when it was on time."""
    if not run.scheduled_for or not run.started_at:
        return ""
    seconds = (run.started_at - run.scheduled_for).total_seconds()
    return _("%(seconds)s late") % {"seconds": phrases.took(seconds)} if seconds > LATE_MINUTES * 60 else ""


def _about(run: ReportRun) -> str:
    if run.about == "alert":
        return _("The value is %(value)s: beyond the threshold.") % {"value": run.value}
    if run.about == "recovered":
        return _("The value is %(value)s: within bounds again.") % {"value": run.value}
    return _("The value is %(value)s.") % {"value": run.value} if run.value else ""


def _part(part: RunPart, run: ReportRun) -> PartView:
    return PartView(
        id=part.pk,
        title=part.title,
        draft=draft_said(part.draft, part.saying),
        sentence=row_said(part, "sentence"),
        sql=part.sql,
        arguments=[(str(name), _value(value, part, run)) for name, value in part.arguments.items()],
        source=part.source.name if part.source else "",
        count=phrases.counted(part.row_count, "row"),
        lasted=phrases.took(part.seconds),
        truncated=part.truncated,
        has_image=bool(part.image),
        first=first_rows(part),
    )


def _value(value: Any, part: RunPart, run: ReportRun) -> str:
    """An argument as typed, and the date it stood for where it was words for one."""
    typed = words.value_words(value)
    day = at_zone(run.scheduled_for or run.created_at, run.report.zone).date()
    try:
        meant = date_read(typed, day).isoformat()
    except ValueError:
        return typed
    return f"{typed} ({meant})" if meant != typed and meant in part.sql else typed


def first_rows(part: RunPart) -> FirstRows:
    """Read the first rows of a part, as long as they are kept."""
    if part.result is None:
        return FirstRows(gone=_("These rows are no longer kept.") if part.row_count else "")
    try:
        pivoted = pivot_table(part.result, part.chart, formats_of(part.result), FIRST_ROWS)
        if pivoted is not None:
            return _pivoted(pivoted)
        read = rows_page(part.result, 0, FIRST_ROWS)
    except ResultGone as error:
        return FirstRows(gone=str(error))
    columns = [(one.name, one.kind in ("integer", "number")) for one in read.columns[:FIRST_COLUMNS]]
    formats = formats_of(part.result)
    cells = tuple(
        tuple(cell_of(value, name, formats) for value, (name, _is_number) in zip(row, columns, strict=False))
        for row in read.rows
    )
    told = []
    if read.total > len(read.rows):
        told.append(
            _("The first %(shown)s of %(rows)s")
            % {"shown": len(read.rows), "rows": phrases.counted(part.row_count, "row")}
        )
    if len(read.columns) > len(columns):
        told.append(
            _("%(count)s more columns are in the files") % {"count": len(read.columns) - len(columns)}
        )
    return FirstRows(
        columns=tuple(columns),
        rows=tuple(
            tuple((cell, is_number) for cell, (_name, is_number) in zip(row, columns, strict=True))
            for row in alike(cells, (n for n, (_name, is_number) in enumerate(columns) if is_number))
        ),
        more="; ".join(told),
    )


def _pivoted(table: PivotTable) -> FirstRows:
    """The pivot that mails and PDF files have in place of the rows."""
    names = table.columns[:FIRST_COLUMNS]
    cells = alike_together(
        rows_cells(names, [row[: len(names)] for row in table.rows], table.formats), len(table.along)
    )
    looks = [kind in ("integer", "number") for kind in table.kinds]
    told = [_("A pivot of the rows, as mails and PDF files have it; the other files have the rows.")]
    if table.row_count > len(table.rows):
        told.append(
            _("The first %(shown)s of %(rows)s")
            % {"shown": len(table.rows), "rows": phrases.counted(table.row_count, "row")}
        )
    return FirstRows(
        columns=tuple(zip(names, looks, strict=False)),
        rows=tuple(tuple(zip(row, looks, strict=False)) for row in cells),
        more=" ".join(told),
    )


def file_line(file: ReportFile, zone: str, fresh: tuple[int, str] | None = None) -> FileLine:
    """Lay out a file and its links."""
    links = sorted(file.links.all(), key=lambda link: link.created_at, reverse=True)
    is_fresh = fresh is not None and fresh[0] == file.pk
    kind = FORMATS[file.format].label if file.format in FORMATS else file.format
    about = f"{kind} · {phrases.counted(file.row_count, 'row')} · {phrases.size(file.size)}"
    return FileLine(
        id=file.pk,
        name=file.name,
        format=file.format,
        about=about,
        is_kept=file.expires_at > timezone.now(),
        until=words.moment(file.expires_at, zone),
        notes=[str(note) for note in file.notes],
        links=[_link(link, zone) for link in links[:SHOWN_LINKS]],
        older_links=[_link(link, zone) for link in links[SHOWN_LINKS:]],
        fresh_link=fresh[1] if fresh and is_fresh else "",
        fresh_until=words.moment(links[0].expires_at, zone) if is_fresh and links else None,
    )


def _link(link: FileLink, zone: str) -> LinkLine:
    state = "revoked" if link.revoked_at else "expired" if link.expires_at <= timezone.now() else "open"
    return LinkLine(
        id=link.pk,
        made_by=link.made_by.called,
        made=words.moment(link.created_at, zone),
        until=words.moment(link.expires_at, zone),
        opened=_("not opened yet")
        if not link.opened
        else ngettext("opened %(count)s time", "opened %(count)s times", link.opened)
        % {"count": intcomma(link.opened)},
        state=state,
    )


def _delivery(delivery: Delivery, zone: str, may_change: bool) -> DeliveryLine:
    answers = [_answer(kept, zone) for kept in delivery.answers]
    waits = delivery.state == Delivery.State.WAITING
    return DeliveryLine(
        id=delivery.pk,
        to=delivery.to,
        kind=str(delivery.get_kind_display()),
        about="" if delivery.about == Delivery.About.REPORT else str(delivery.get_about_display()),
        state=words.state(_delivery_state(delivery)),
        attempts=phrases.counted(delivery.attempts, "attempt") if delivery.attempts else "",
        last=answers[-1] if answers else None,
        earlier=answers[:-1],
        next=words.moment(delivery.not_before, zone) if waits else None,
        may_again=may_change and delivery.is_ended and delivery.about not in Delivery.BY_RULE,
    )


def _delivery_state(delivery: Delivery) -> str:
    if delivery.state not in (Delivery.State.WAITING, Delivery.State.HELD):
        return delivery.state
    if delivery.state == Delivery.State.HELD:
        return "held"
    if delivery.status == Status.RUNNING:
        return "sending"
    return "again" if delivery.answers else "waiting"


def _answer(kept: dict[str, Any], zone: str) -> AnswerLine:
    at = words.instant(kept.get("at"))
    told = words.moment(at, zone)
    return AnswerLine(
        told.text if told else "", bool(kept.get("ok")), words.answer_words(str(kept.get("answer", "")))
    )


def _soon(delivery: Delivery) -> bool:
    """Whether something is about to happen to a delivery, so that a page had better look again."""
    if delivery.state != Delivery.State.WAITING:
        return False
    due = delivery.not_before
    return due is None or (due - timezone.now()).total_seconds() < 30
