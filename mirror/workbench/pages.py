"""Data of the SQL page: the tabs, the text of one, what it gave, what its source holds."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking import selectors as asked
from mirror.asking.pages.version import VersionItem, VersionView, version_item, version_view
from mirror.queries.pages import ValueField, values_fields
from mirror.results.pages import TableWish
from mirror.sources.pages import TableBlock, table_blocks, tables_found
from mirror.sources.selectors import sources_asked, sources_visible
from mirror.sources.sight import catalog_shown, sight_now
from mirror.workbench.models import Tab
from mirror.workbench.selectors import source_of, source_used, tabs_closed, tabs_open
from mirror.workbench.services import tab_label

if TYPE_CHECKING:
    from mirror.asking.models import Version
    from mirror.people.models import User
    from mirror.sources.models import Source

# Tables shown at once in the tree, and columns of all of them; a search finds the others.
TREE_TABLES, TREE_COLUMNS = 80, 1_500
# Versions listed under the result.
HISTORY = 50
_LOSS = gettext_noop(
    "You no longer see the source of this tab. Your text is kept: choose another source to run it."
)


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

    `name` is what its SQL is saved as: the title that it was given, else that of its chart. `version` is the one whose rows are shown; its failure's place is `position`, in the text of the tab. It `is_unsure` never:
    what somebody wrote is no draft of an answer.
    """

    id: int
    revision: int
    title: str
    label: str
    name: str
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
    may_again: bool = True


@dataclass(frozen=True, slots=True)
class NoTabPage:
    """No tab is open: the sources to begin with, whether one sees only others (`is_looking`), and the tabs closed last."""

    sources: tuple[tuple[int, str, bool], ...]
    is_looking: bool
    closed: tuple[TabItem, ...]


def no_tab_page(user: User) -> NoTabPage:
    """Show what can be opened, the source used last first."""
    sources = tuple(sorted(_sources(user, source_used(user)), key=lambda one: not one[2]))
    return NoTabPage(sources, not sources and sources_visible(user).exists(), _closed(user))


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
        name=tab.title or ((current.chart or {}).get("title", "") if current is not None else "") or label,
        tabs=tuple(TabItem(one.pk, tab_label(one), one.pk == tab.pk) for one in tabs_open(tab.owner)),
        closed=_closed(tab.owner),
        sources=_sources(tab.owner, source),
        source_id=source.pk if source is not None else None,
        source=source.name if source is not None else "",
        dialect=source.engine if source is not None else "",
        sql=sql,
        problem=problem or (_(_LOSS) if source is None else ""),
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
    catalog = catalog_shown(source.catalog, sight_now(source))
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
    return tuple((one.pk, one.name, one == chosen) for one in sources_asked(user))


def _closed(user: User) -> tuple[TabItem, ...]:
    return tuple(TabItem(one.pk, tab_label(one), when=one.closed_at) for one in tabs_closed(user))
