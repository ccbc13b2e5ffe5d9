"""Data of the pages about sources."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mirror.paging import Pager
from mirror.sources.drift import WORDS as DRIFT_WORDS
from mirror.sources.index_pages import IndexPage
from mirror.sources.models import Source
from mirror.sources.powers import Powers

# Tables of a page, and columns that come with them; those of the others come when their table is opened. With all 297
# tables of a source at once, and their columns, it was 377 kB.
TABLES_A_PAGE, COLUMNS_A_PAGE = 100, 300
# Columns of one table that are shown when it is opened; a search finds others.
COLUMNS_A_TABLE = 1_000
# Names shown of each kind of change.
DRIFT_SHOWN = 20


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """One column of a table."""

    name: str
    type: str
    comment: str
    is_key: bool
    points_at: str
    nullable: bool
    is_found: bool = False


@dataclass(frozen=True, slots=True)
class TableBlock:
    """One table with its columns, `hidden` ones left out; `is_open` when the search found something inside.

    One `is_folded` comes without columns: they are asked for when it is opened.
    """

    key: str
    comment: str
    row_estimate: int | None
    is_view: bool
    columns: list[ColumnLine]
    is_open: bool
    hidden: int = 0
    is_folded: bool = False

    @property
    def count(self) -> int:
        """How many columns it has."""
        return len(self.columns) + self.hidden


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One source: what is known of its tables and of its stored values."""

    source: Source
    may_change: bool
    may_edit: bool
    may_decide: bool
    team_names: list[str]
    search: str
    tables: list[TableBlock]
    pager: Pager
    total: int
    index: IndexPage
    is_whole: bool
    is_held: bool = True
    powers: Powers | None = None
    may_confirm: bool = False
    withholds: bool = False
    login: str = ""
    login_problem: str = ""
    may_give_logins: bool = False

    @property
    def drift(self) -> list[tuple[str, list[str], int]]:
        """Changes that the last refresh found: the kind, the names shown, how many more there are."""
        kept = self.source.drift or {}
        return [
            (many, kept[kind][:DRIFT_SHOWN], max(len(kept[kind]) - DRIFT_SHOWN, 0))
            for kind, (_, many) in DRIFT_WORDS.items()
            if kept.get(kind)
        ]

    @property
    def drift_at(self) -> datetime | None:
        """When that was found."""
        return datetime.fromisoformat(self.source.drift["at"]) if self.source.drift else None

    @property
    def found(self) -> int:
        """How many tables the search finds."""
        return self.pager.total


Kept = dict[str, Any]


def tables_found(catalog: Kept | None, search: str) -> list[Kept]:
    """List the tables that a search finds, by their own name, comment or columns; all when it is empty.

    All words must be found in one table. Tables found by their own name come first.
    """
    words = search.casefold().split()
    found: list[tuple[bool, Kept]] = []
    for table in (catalog or {}).get("tables", []):
        own = f"{table_key(table)} {table['comment']}".casefold()
        inside = [f"{c['name']} {c['comment']}".casefold() for c in table["columns"]] if words else []
        if all(word in own or any(word in text for text in inside) for word in words):
            found.append((not all(word in own for word in words), table))
    found.sort(key=lambda one: one[0])
    return [table for _, table in found]


def table_blocks(tables: Iterable[Kept], search: str, *, most: int = COLUMNS_A_PAGE) -> list[TableBlock]:
    """Lay out the tables of a page; the first `most` columns come with them, those that were looked for with all."""
    words, left, blocks = search.casefold().split(), most, []
    for table in tables:
        block = _block(table, words, left)
        left -= len(block.columns)
        blocks.append(block)
    return blocks


def table_block(catalog: Kept | None, key: str) -> TableBlock | None:
    """Lay out one table that is opened; None when there is none of this name."""
    for table in (catalog or {}).get("tables", []):
        if table_key(table) == key:
            return _block(table, [], COLUMNS_A_TABLE, is_whole=True)
    return None


def table_key(table: Kept) -> str:
    """The name of a table in a catalog, with its schema where it has one."""
    return f"{table['schema']}.{table['name']}" if table["schema"] else str(table["name"])


def _block(table: Kept, words: list[str], most: int, *, is_whole: bool = False) -> TableBlock:
    lines = [_line(table, column, words) for column in table["columns"]] if most > 0 else []
    is_open = bool(words) and any(line.is_found for line in lines)
    is_folded = not is_open and not is_whole and len(table["columns"]) > most
    if is_folded:
        lines = []
    elif len(lines) > most:  # what was looked for is shown
        lines = sorted(lines, key=lambda line: not line.is_found)[:most]
    hidden = len(table["columns"]) - len(lines)
    return TableBlock(
        key=table_key(table),
        comment=table["comment"],
        row_estimate=table["row_estimate"],
        is_view=table["is_view"],
        columns=lines,
        is_open=is_open,
        hidden=hidden,
        is_folded=is_folded,
    )


def _line(table: dict[str, Any], column: dict[str, Any], words: list[str]) -> ColumnLine:
    name = column["name"]
    text = f"{name} {column['comment']}".casefold()
    points_at = ", ".join(
        f"{key['table']}.{there}"
        for key in table["foreign_keys"]
        for here, there in zip(key["columns"], key["referenced"], strict=False)
        if here == name
    )
    return ColumnLine(
        name=name,
        type=column["type"] or column["kind"],
        comment=column["comment"],
        is_key=name in table["primary_key"],
        points_at=points_at,
        nullable=column["nullable"],
        is_found=any(word in text for word in words),
    )


def column_names(catalog: dict[str, Any] | None) -> dict[str, list[str]]:
    """List columns by table, as the editor completes them."""
    return {table_key(t): [c["name"] for c in t["columns"]] for t in (catalog or {}).get("tables", [])}
