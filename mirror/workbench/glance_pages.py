"""Data that a page shows of one table of a source, and of a glance: first rows, or a plan as a table of steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from mirror.queries.completing import columns_offered, is_personal
from mirror.results.cells import Cell, shown
from mirror.results.opened_files import ResultGone
from mirror.results.pages import table_page
from mirror.sources.pages import table_block
from mirror.sources.selectors import may_see_values
from mirror.sources.sight import catalog_shown, sight_now
from mirror.sources.unpacked import source_at_hand
from mirror.stored_words import failure_said
from mirror.work.leases import Status
from mirror.workbench.glancing import glance_read
from mirror.workbench.models import Glance

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source


# How deep the steps of a plan are set in; deeper ones stand below one another.
DEEPEST = 12


@dataclass(frozen=True, slots=True)
class FactLine:
    """A column of a table with what is known of its values; None where nothing is, or it may not be shown."""

    name: str
    type: str
    is_key: bool
    points_at: str
    comment: str
    filled: int | None
    different: int | None
    least: str
    greatest: str


@dataclass(frozen=True, slots=True)
class PeekPage:
    """One table: its columns with facts of them, and its first rows as they come. `looked` says in a sentence what the facts are of."""

    source_id: int
    source: str
    key: str
    comment: str
    row_estimate: int | None
    lines: tuple[FactLine, ...]
    looked: str
    glance: GlanceView | None
    tab_id: int | None


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One step of a plan, as a row of a table; `share` is a percentage."""

    depth: int
    does: str
    on: str
    rows: int | None
    share: int | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GlanceView:
    """How a glance stands: working, what came of it, or what went wrong."""

    id: int
    is_plan: bool
    is_working: bool
    is_stopping: bool
    now: str
    subject: str
    failure: str
    advice: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    steps: tuple[PlanLine, ...]
    has_shares: bool
    has_rows: bool
    text: str


def glance_view(glance: Glance) -> GlanceView:
    """Show a glance."""
    failure = glance.failure or {}
    table, plan = None, None
    gone = ""
    if glance.result is not None:
        try:
            if glance.purpose == Glance.Purpose.PLAN:
                plan = glance_read(glance)
            else:
                table = table_page(glance.result)
                gone = table.gone
        except ResultGone as error:
            gone = str(error)
    steps = tuple(
        PlanLine(
            min(one.depth, DEEPEST),
            one.does,
            one.on,
            one.rows,
            None if one.share is None else round(one.share * 100),
            one.notes,
        )
        for one in (plan.steps if plan is not None else ())
    )
    queued = _("Waiting for a worker") if glance.status == Status.QUEUED else _("Asking the database")
    return GlanceView(
        id=glance.pk,
        is_plan=glance.purpose == Glance.Purpose.PLAN,
        is_working=not glance.is_ended,
        is_stopping=glance.stop_requested and not glance.is_ended,
        now="" if glance.is_ended else queued,
        subject=glance.subject,
        failure=gone or failure_said(failure, "message"),
        advice=failure_said(failure, "advice"),
        headings=tuple(heading.name for heading in table.headings) if table is not None else (),
        rows=table.rows if table is not None else (),
        steps=steps,
        has_shares=any(one.share is not None for one in steps),
        has_rows=any(one.rows is not None for one in steps),
        text=plan.text if plan is not None else "",
    )


def peek_page(
    user: User, source: Source, key: str, glance: Glance | None = None, tab_id: int | None = None
) -> PeekPage | None:
    """Show a table of a source; None where it has no such table."""
    block = table_block(catalog_shown(source.catalog, sight_now(source)), key)
    if block is None:
        return None
    catalog, index = source_at_hand(source)
    offered = columns_offered(catalog, key) if catalog is not None else None
    if offered == frozenset():
        return None  # its owner hid it
    facts = index.facts.tables.get(key) if index is not None else None
    may_all = may_see_values(user, source)
    lines = []
    for column in block.columns:
        if offered is not None and column.name not in offered:
            continue
        known = facts.columns.get(column.name) if facts is not None else None
        may = may_all and known is not None and not is_personal(key, column.name, known.low, known.high)
        lines.append(
            FactLine(
                column.name,
                column.type,
                column.is_key,
                column.points_at,
                column.comment,
                known.filled if known else None,
                known.distinct if known else None,
                shown(known.low, "text").text if known and may else "",
                shown(known.high, "text").text if known and may else "",
            )
        )
    looked = ""
    if facts is not None:
        words = (
            _("Figures are of all %(count)s rows.")
            if facts.whole
            else _("Figures are of the first %(count)s rows.")
        )
        looked = words % {"count": intcomma(facts.rows)}
    return PeekPage(
        source_id=source.pk,
        source=source.name,
        key=key,
        comment=block.comment,
        row_estimate=block.row_estimate,
        lines=tuple(lines),
        looked=looked,
        glance=glance_view(glance) if glance is not None else None,
        tab_id=tab_id,
    )
