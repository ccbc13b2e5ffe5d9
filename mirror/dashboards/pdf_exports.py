"""A dashboard as a PDF: what somebody sees of it now, written by the worker of reports, which has the browser that draws charts.

Decides what goes into the file: stored rows of cards whose sources let this person take rows away. Nothing is read anew; rows
that are on their way are waited for, for a while.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, override

from mirror.asking.services.charts import DRAWN_ROWS
from mirror.asking.services.given_up import VERSION_BROKEN
from mirror.audit.services import record
from mirror.dashboards import selectors, services
from mirror.dashboards.card_parameters import chart_of, fields_of
from mirror.dashboards.card_rows import PREVIEW_ROWS
from mirror.dashboards.crossing import Crossed, Crossing, cards_cross, cards_cross_shown, conditions_read
from mirror.dashboards.errors import DashboardError
from mirror.dashboards.models import Card, PdfExport
from mirror.dashboards.selectors import title_said
from mirror.dashboards.showing import Told, card_shown, card_told
from mirror.exports.file_writing import write
from mirror.exports.images import chart_image
from mirror.exports.names import file_name
from mirror.exports.sheets import sheet_of_columns, sheet_pivoted
from mirror.exports.values import Cover, ExportError, Sheet
from mirror.people.languages import language_of
from mirror.phrases import one_line
from mirror.queries.values_said import day_in_full
from mirror.results.formats import cell_of, formats_of_chart
from mirror.results.opened_files import ResultGone
from mirror.results.rows import rows_of
from mirror.sources.selectors import files_withheld, sources_visible
from mirror.sources.sight import part_withheld
from mirror.storable import storable
from mirror.stored_words import row_said, said_again
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status
from mirror.work.watching import Watch
from mirror.zones import zone_of
from sqlagent.values import Rows

if TYPE_CHECKING:
    from datetime import datetime
    from uuid import UUID

    from mirror.dashboards.models import Dashboard
    from mirror.dashboards.services import CardServed
    from mirror.people.models import User

log = logging.getLogger(__name__)

# How long a file is kept, how long rows that are on their way are waited for, and how many files of one person wait.
KEPT = timedelta(days=1)
WAIT_SECONDS = 60
MOST_WAITING = 5
# By a link: files that wait at once and that are made in an hour, and how long the same one is given again.
LINK_WAITING, LINK_HOURLY, SAME = 2, 30, timedelta(minutes=10)
NOT_BY_LINK = gettext_noop("cards whose rows are not there or may not be taken away")
STOPPED = {"kind": "cancelled", "message": gettext_noop("Somebody stopped it before the file was there.")}


@dataclass(frozen=True, slots=True)
class Chapters:
    """Contents of a file: a chapter for each card, the sources of their rows, and omissions with their reasons."""

    sheets: list[Sheet]
    sources: list[int]
    left_out: list[str]
    oldest: datetime | None


def pdf_ask(
    user: User, dashboard: Dashboard, values: Mapping[str, str], choices: Sequence[str], zone: str = ""
) -> PdfExport:
    """Have a dashboard written with these values and choices, and times of a zone. Raises: DashboardError where too many wait."""
    waiting = PdfExport.objects.filter(owner=user).exclude(status=Status.DONE).count()
    if waiting >= MOST_WAITING:
        raise DashboardError(
            _("%(count)s files of yours are being made already. Wait until one is there.")
            % {"count": waiting}
        )
    with transaction.atomic():
        made = PdfExport.objects.create(
            owner=user,
            dashboard=dashboard,
            values=dict(values),
            choices=list(choices),
            zone=zone_of(zone).key,
        )
        send(made)
    return made


@transaction.atomic
def pdf_ask_by_link(
    link: UUID,
    maker: User,
    dashboard: Dashboard,
    values: Mapping[str, str],
    choices: Sequence[str],
    zone: str = "",
) -> PdfExport:
    """Have a dashboard written for who has a link to it, as its maker sees it; the same again within minutes is the same file.

    Raises: DashboardError where too many were asked for by this link.
    """
    asked = PdfExport.objects.filter(link=link, dashboard=dashboard)
    here = zone_of(zone).key
    since = max(timezone.now() - SAME, dashboard_changed(dashboard))
    fresh = asked.filter(created_at__gt=since, failure__isnull=True, zone=here)
    same = next((one for one in fresh if (one.values, one.choices) == (dict(values), list(choices))), None)
    if same is not None:
        return same
    if asked.exclude(status=Status.DONE).count() >= LINK_WAITING:
        raise DashboardError(_("Files are being made by this link already. Try again in a minute."))
    if asked.filter(created_at__gt=timezone.now() - timedelta(hours=1)).count() >= LINK_HOURLY:
        raise DashboardError(
            _("Too many files were asked for by this link within the hour. Try again later.")
        )
    made = PdfExport.objects.create(
        owner=maker,
        dashboard=dashboard,
        values=dict(values),
        choices=list(choices),
        zone=here,
        link=link,
    )
    send(made)
    return made


def dashboard_changed(dashboard: Dashboard) -> datetime:
    """When a dashboard was changed last, or saved SQL of its cards: a link shows what stands there now, and gives no older file."""
    saved = dashboard.cards.aggregate(last=Max("saved__updated_at"))["last"]
    return max(dashboard.updated_at, saved or dashboard.updated_at)


def pdf_do(lease: Lease) -> None:
    """Write the file of a taken row."""
    stored = ""
    try:
        with Watch(lease) as watch:
            row = PdfExport.objects.select_related("owner", "dashboard__owner").get(pk=lease.pk)
            with override(language_of(row.owner)), timezone.override(zone_of(row.zone)):
                fields = _made(row, lease, watch)
            stored = fields.get("file", "")
            if watch.is_lost:
                raise LeaseLost(f"Export {lease.pk} is held by another worker")
            if watch.is_stopped:
                _forget(stored)
                fields = {"failure": STOPPED}
            lease.end(**fields)
    except (LeaseLost, PdfExport.DoesNotExist) as error:
        _forget(stored)
        log.info("Export %s was given up: %s", lease.pk, error)


def pdf_break(lease: Lease) -> None:
    """End a file that met an error nobody expected."""
    lease.end(failure=VERSION_BROKEN)


def pdf_withheld(user: User, export: PdfExport) -> str:
    """Say why somebody may not take a file away now: a source of its rows is no longer shared, or withholds files; empty where they may."""
    seen = {one.pk: one for one in sources_visible(user).filter(pk__in=export.sources)}
    if set(export.sources) - set(seen):
        return _("A source of this file is no longer shared with you.")
    return next(
        (why for one in seen.values() if (why := files_withheld(user, one) or part_withheld(user, one))), ""
    )


def pdf_taken(user: User, export: PdfExport) -> None:
    """Tell the audit that somebody downloads a dashboard."""
    record("downloaded a dashboard", export.dashboard, by=user, format="pdf", rows=export.row_count)


def pdfs_tidy() -> int:
    """Delete files whose time is over, with their rows; says how many."""
    old = list(PdfExport.objects.filter(created_at__lt=timezone.now() - KEPT)[:1_000])
    for one in old:
        _forget(one.file)
        one.delete()
    return len(old)


def _made(row: PdfExport, lease: Lease, watch: Watch) -> dict[str, Any]:
    """Write the file; gives the fields of its row, or why there is none."""
    pk = row.dashboard_id
    found = selectors.dashboards_visible(row.owner).filter(pk=pk).first() if pk is not None else None
    if found is None:
        return {"failure": {"message": _("This dashboard is gone, or no longer shared with you.")}}
    served = _served(row, found, watch)
    is_by_link = row.link is not None
    cross = cards_cross_shown if is_by_link else cards_cross
    crossing = cross(served, conditions_read(row.choices))
    chapters = _chapters(row.owner, served, crossing, is_by_link=is_by_link)
    if is_by_link:
        chapters = replace(chapters, left_out=[_(NOT_BY_LINK)] if chapters.left_out else [])
    if not chapters.sheets:
        why = ", ".join(chapters.left_out)
        nothing = _("There is nothing to take away.")
        return {"failure": {"message": f"{nothing} {why}".strip()}}
    fields = fields_of([one.card for one in served if not (is_by_link and one.supplied is None)], row.values)
    lines = [
        f"{field.label}: {field.value or field.default}" for field in fields if field.value or field.default
    ]
    if crossing.choices:
        lines.append(
            _("Filtered by %(choices)s, by the rows that are stored.")
            % {"choices": ", ".join(choice.words for choice in crossing.choices)}
        )
    if chapters.left_out:
        lines.append(_("Left out: %(cards)s.") % {"cards": ", ".join(chapters.left_out)})
    texts = [found.description]
    for one in served:
        if one.card.kind == Card.Kind.TEXT:
            texts += [one.card.title, one.card.text]
    cover = Cover(
        title=found.name,
        note="\n".join(text.strip() for text in texts if text.strip()),
        made_at=timezone.now(),
        lines=tuple(lines),
        data=_("Oldest data of %(moment)s") % {"moment": _moment(chapters.oldest)} if chapters.oldest else "",
        zone=row.zone,
    )
    name = file_name(found.name, "pdf")
    with tempfile.TemporaryDirectory(prefix="mirror-dashboard-") as folder:
        path = Path(folder) / name
        try:
            written = write("pdf", chapters.sheets, path, cover)
            with path.open("rb") as file:
                stored = default_storage.save(f"dashboards/{row.pk}/{lease.token}/{name}", File(file))
        except (ExportError, OSError) as error:
            log.warning("The PDF of dashboard %s could not be kept: %s", found.pk, error)
            return {
                "failure": {
                    "message": _("The file could not be written: %(why)s") % {"why": type(error).__name__}
                }
            }
    told = {"file": stored, "row_count": written.rows, "size": written.size, "sources": chapters.sources}
    return told | {"notes": storable([*written.notes, *chapters.left_out]), "failure": None}


def _served(row: PdfExport, dashboard: Dashboard, watch: Watch) -> list[CardServed]:
    """The cards as they stand once their rows are there, or once that takes too long."""
    until, cards = monotonic() + WAIT_SECONDS, selectors.cards_of(dashboard)
    while True:
        served = services.cards_serve(row.owner, dashboard, cards, row.values, set())
        supplies = [one.supplied.supply for one in served if one.supplied is not None]
        is_waiting = any(supply is not None and not supply.is_ended for supply in supplies)
        if not is_waiting or monotonic() > until or watch.is_lost or watch.is_stopped:
            return served
        sleep(1)


def _chapters(
    user: User, served: Sequence[CardServed], crossing: Crossing, *, is_by_link: bool = False
) -> Chapters:
    sheets: list[Sheet] = []
    left_out: list[str] = []
    sources: set[int] = set()
    times: list[datetime] = []
    why_not: dict[int, str] = {}
    for one in served:
        card = one.card
        if card.kind == Card.Kind.TEXT:
            continue
        supply = one.supplied.supply if one.supplied is not None else None
        if supply is None or supply.result is None or card.source is None:
            left_out.append(_("%(card)s (no rows to be seen)") % {"card": card})
            continue
        if card.source.pk not in why_not:
            why_not[card.source.pk] = files_withheld(user, card.source) or part_withheld(user, card.source)
        if why_not[card.source.pk]:
            left_out.append(f"{card} ({why_not[card.source.pk].rstrip('.')})")
            continue
        try:
            sheet = (_sheet_told if is_by_link else _sheet)(one, crossing.of(card.pk))
            if sheet is None:
                left_out.append(str(card))
                continue
            sheets.append(sheet)
        except ResultGone:
            left_out.append(_("%(card)s (its rows are no longer kept)") % {"card": card})
            continue
        sources.add(card.source.pk)
        times.append(supply.result.created_at)
    return Chapters(sheets, sorted(sources), left_out, min(times, default=None))


def _sheet(one: CardServed, crossed: Crossed, told: Told | None = None) -> Sheet | None:
    """A chapter: what the card shows of its rows, and of when they are. By a link, where it is `told`, a pivot that cannot be shown is None, else it is its rows.

    Raises: ResultGone.
    """
    assert one.supplied is not None and one.supplied.supply is not None
    card, result, drawing = one.card, one.supplied.supply.result, one.supplied.drawing
    assert result is not None
    rows, count = rows_of(result, DRAWN_ROWS), result.row_count
    said = [_("Data of %(moment)s.") % {"moment": _moment(result.created_at)}]
    is_counted = told is None or not told.is_folded
    if crossed.passing is not None and crossed.passing.rows is not None:
        rows, count, drawing = crossed.passing.rows, crossed.passing.matching, crossed.drawing
        words = ngettext(
            "Filtered: %(by)s: %(passing)s of %(count)s row.",
            "Filtered: %(by)s: %(passing)s of %(count)s rows.",
            result.row_count,
        )
        figures = {"passing": intcomma(count), "count": intcomma(result.row_count)}
        by = words % {"by": crossed.by, **figures}
        said.append(by if is_counted else _("Filtered: %(by)s.") % {"by": crossed.by})
    if crossed.not_by:
        said.append(_("Not filtered: %(why)s.") % {"why": crossed.not_by})
    first = rows.rows[:PREVIEW_ROWS]
    cut = _("The first %(shown)s of %(count)s rows are shown here.") % {
        "shown": len(first),
        "count": intcomma(count),
    }
    chart = (drawing.chart if drawing is not None else None) or {}
    is_number = count == 1 and (card.shows == Card.Shows.NUMBER or chart.get("mark") == "number")
    has_chart = drawing is not None and drawing.figure is not None and not is_number
    is_said = has_chart and (told is None or told.is_said)
    sentence = row_said(drawing, "sentence") if drawing is not None and is_said else ""
    note = said_again(str(chart.get("note") or ""), drawing.saying if drawing is not None else {}, "note")

    def told_beside(*more: str) -> str:
        return "\n".join(part for part in (sentence, " ".join([*said, *more])) if part)

    is_drawn = has_chart and (told is None or told.form == "chart")
    title = title_said(card) or str(card)
    whole = Sheet(
        title=title,
        columns=rows.columns,
        kinds=tuple(str(kind) for kind in rows.kinds),
        batches=lambda: iter([first]),
        row_count=len(first),
        truncated=rows.truncated and count == len(first),
        sentence=told_beside(cut) if count > len(first) and is_counted else told_beside(),
        chart_image=chart_image({**chart, "note": note}, rows, heading=title) if is_drawn else None,
        figures=_figures(card, rows, " ".join(said)) if is_number else (),
        formats=formats_of_chart(chart_of(card)),
    )
    if card.shows != Card.Shows.PIVOT:
        return whole
    pivoted = sheet_pivoted(replace(whole, chart_image=None), result, chart_of(card), dict(crossed.filters))
    if pivoted.columns is not whole.columns:
        return replace(pivoted, sentence=told_beside())
    return None if told is not None else pivoted


def _sheet_told(one: CardServed, crossed: Crossed) -> Sheet | None:
    """A chapter for who has a link, of what the card shows alone; None where it would be rows in place of that.

    Raises: ResultGone.
    """
    told = card_told(one, crossed.matching, crossed.drawing)
    sheet = _sheet(one, crossed, told)
    if sheet is None or told.form == "pivot":
        return sheet
    if told.form == "number":
        return sheet_of_columns(sheet, _measures(sheet.kinds)[:1]) if sheet.figures else None
    if told.form == "table" or sheet.chart_image is not None:
        chosen = sheet_of_columns(sheet, told.columns or sorted(card_shown(one).columns))
        return chosen if told.columns else replace(chosen, batches=lambda: iter(()), row_count=0)
    return None


def _figures(card: Card, rows: Rows, said: str) -> tuple[tuple[str, str, str], ...]:
    """The number of a card that shows one, and what is said of it."""
    places = _measures(rows.kinds)
    if not places:
        return ()
    name, value = rows.columns[places[0]], rows.rows[0][places[0]]
    return ((name, cell_of(value, name, formats_of_chart(chart_of(card))).text, said),)


def _measures(kinds: Sequence[str]) -> list[int]:
    """The places of the columns of numbers."""
    return [place for place, kind in enumerate(kinds) if kind in ("integer", "number")]


def _moment(at: datetime) -> str:
    at = timezone.localtime(at)
    return one_line(f"{day_in_full(at.date())}, {at:%H:%M} {timezone.get_current_timezone_name()}")


def _forget(name: str) -> None:
    if name:
        default_storage.delete(name)
