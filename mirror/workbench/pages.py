"""What the SQL page shows: the tabs, the text of one, what it gave, what its source holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.urls import reverse

from mirror.asking import selectors as asked
from mirror.asking.pages.version import VersionItem, VersionView, version_item, version_view
from mirror.queries.completing import columns_offered, is_personal
from mirror.queries.pages import ValueField, values_fields
from mirror.results.cells import Cell, shown
from mirror.results.opened_files import ResultGone
from mirror.results.pages import TableWish, table_page
from mirror.sources.pages import TableBlock, table_block, table_blocks, tables_found
from mirror.sources.selectors import may_see_values, sources_visible
from mirror.sources.unpacked import source_at_hand
from mirror.work.leases import Status
from mirror.workbench.glancing import glance_read
from mirror.workbench.models import Glance, Tab
from mirror.workbench.selectors import source_of, tabs_closed, tabs_open
from mirror.workbench.services import tab_label

if TYPE_CHECKING:
    from mirror.asking.models import Version
    from mirror.people.models import User
    from mirror.sources.models import Source

# Tables shown at once in the tree, and columns of all of them; a search finds the others.
TREE_TABLES, TREE_COLUMNS = 80, 1_500
# Versions listed under the result.
HISTORY = 50
_LOSS = "The source of this tab is not there for you any more. What was typed is kept: choose another source to run it."


@dataclass(frozen=True, slots=True)
class TabItem:
    """One tab of the row of tabs, or one that was closed."""

    id: int
    label: str
    is_current: bool = False
    when: datetime | None = None


@dataclass(frozen=True, slots=True)
class TreePage:
    """The tables of a source, as a search finds them."""

    source_id: int
    search: str
    tables: tuple[TableBlock, ...]
    hidden: int
    total: int
    is_read: bool


@dataclass(frozen=True, slots=True)
class TabPage:
    """One tab: its text, its source, what ran here. `typed` and `problem` where something could not be taken.

    `version` is the one whose rows are shown; its failure's place is `position`, in the text of the tab. It `is_unsure` never:
    what somebody wrote is no draft of an answer.
    """

    id: int
    revision: int
    title: str
    label: str
    tabs: tuple[TabItem, ...]
    closed: tuple[TabItem, ...]
    sources: tuple[tuple[int, str, bool], ...]
    source_id: int | None
    source: str
    dialect: str
    sql: str
    problem: str
    run_id: int | None
    version: VersionView | None
    versions: tuple[VersionItem, ...]
    position: int | None
    values: tuple[ValueField, ...]
    tree: TreePage | None
    is_unsure: bool = False


@dataclass(frozen=True, slots=True)
class NoTabPage:
    """No tab is open: the sources to begin with, and the tabs closed last."""

    sources: tuple[tuple[int, str, bool], ...]
    closed: tuple[TabItem, ...]


def no_tab_page(user: User) -> NoTabPage:
    """Show what can be opened."""
    return NoTabPage(_sources(user, None), _closed(user))


def tab_page(
    tab: Tab,
    *,
    number: int | None = None,
    wish: TableWish | None = None,
    search: str = "",
    typed: str | None = None,
    problem: str = "",
    with_tree: bool = True,
) -> TabPage:
    """Show a tab with what ran here last, or the version with this number."""
    source = source_of(tab)
    versions = asked.versions_of(tab.run)[:HISTORY] if tab.run is not None and source is not None else []
    first = versions[0] if versions else None
    current = next((one for one in versions if one.number == number), first)
    label = tab_label(tab)
    view = tab_version_view(current, wish, label) if current is not None else None
    sql = tab.sql if typed is None else typed
    history = sorted(versions, key=lambda one: one.number, reverse=True)
    return TabPage(
        id=tab.pk,
        revision=tab.revision,
        title=tab.title,
        label=label,
        tabs=tuple(TabItem(one.pk, tab_label(one), one.pk == tab.pk) for one in tabs_open(tab.owner)),
        closed=_closed(tab.owner),
        sources=_sources(tab.owner, source),
        source_id=source.pk if source is not None else None,
        source=source.name if source is not None else "",
        dialect=source.engine if source is not None else "",
        sql=sql,
        problem=problem or (_LOSS if source is None else ""),
        run_id=tab.run_id if source is not None else None,
        version=view,
        versions=tuple(version_item(one, current) for one in history),
        position=_position(sql, current),
        values=values_fields(source, sql, tab.arguments) if source is not None else (),
        tree=tree_page(source, search) if source is not None and with_tree else None,
    )


def tab_version_view(version: Version, wish: TableWish | None = None, title: str = "") -> VersionView:
    """Show a version as the SQL page does, which follows it at its own address."""
    return version_view(version, wish, title, url=reverse("workbench:version", args=[version.pk]))


def tree_page(source: Source, search: str = "") -> TreePage:
    """Show the tables and columns of a source that a search finds."""
    catalog = source.catalog
    found = tables_found(catalog, search)
    tables, left = [], TREE_COLUMNS
    for block in table_blocks(found[:TREE_TABLES], search, most=TREE_COLUMNS):
        if left <= 0:
            break
        left -= len(block.columns)
        tables.append(block)
    total = len((catalog or {}).get("tables", ()))
    return TreePage(source.pk, search, tuple(tables), len(found) - len(tables), total, catalog is not None)


def _position(sql: str, version: Version | None) -> int | None:
    """Where in the text of the tab the statement went wrong, which may be a part of it."""
    place = (version.failure or {}).get("position") if version is not None else None
    start = sql.find(version.sql) if version is not None else -1
    return place + start if place is not None and start >= 0 else None


def _sources(user: User, chosen: Source | None) -> tuple[tuple[int, str, bool], ...]:
    return tuple((one.pk, one.name, one == chosen) for one in sources_visible(user))


def _closed(user: User) -> tuple[TabItem, ...]:
    return tuple(TabItem(one.pk, tab_label(one), when=one.closed_at) for one in tabs_closed(user))


# ---------------------------------------------------------------- a table, and a plan


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
    """One table: its columns with facts of them, and its first rows as they come. `looked` says what the facts are of."""

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
            one.depth,
            one.does,
            one.on,
            one.rows,
            None if one.share is None else round(one.share * 100),
            one.notes,
        )
        for one in (plan.steps if plan is not None else ())
    )
    queued = "Waiting for a worker" if glance.status == Status.QUEUED else "Asking the database"
    return GlanceView(
        id=glance.pk,
        is_plan=glance.purpose == Glance.Purpose.PLAN,
        is_working=not glance.is_ended,
        is_stopping=glance.stop_requested and not glance.is_ended,
        now="" if glance.is_ended else queued,
        subject=glance.subject,
        failure=gone or failure.get("message", ""),
        advice=failure.get("advice", ""),
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
    block = table_block(source.catalog, key)
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
        looked = f"all {facts.rows:,} rows" if facts.whole else f"the first {facts.rows:,} rows"
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
