"""What the pages about sources show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mirror.sources.drift import WORDS as DRIFT_WORDS
from mirror.sources.index_pages import IndexPage
from mirror.sources.models import Source
from mirror.sources.powers import Powers

# Tables shown at once, and columns of all of them; a search finds the others. 50,000 columns on one page took 180 MB.
TABLES_SHOWN, COLUMNS_SHOWN = 200, 5_000
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
    """One table with its columns, `hidden` ones left out; `is_open` when the search found something inside."""

    key: str
    comment: str
    row_estimate: int | None
    is_view: bool
    columns: list[ColumnLine]
    is_open: bool
    hidden: int = 0

    @property
    def count(self) -> int:
        """How many columns it has."""
        return len(self.columns) + self.hidden


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One source: what is known of its tables and of its stored values."""

    source: Source
    may_change: bool
    may_decide: bool
    team_names: list[str]
    search: str
    tables: list[TableBlock]
    found: int
    total: int
    index: IndexPage
    is_held: bool = True
    powers: Powers | None = None
    may_confirm: bool = False

    @property
    def drift(self) -> list[tuple[str, list[str], int]]:
        """What a refresh last found changed: what it is, the names shown, how many more there are."""
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
    def hidden(self) -> int:
        """How many of the tables found are not shown."""
        return self.found - len(self.tables)


def table_blocks(catalog: dict[str, Any] | None, search: str) -> list[TableBlock]:
    """List the tables that a search finds, by their own name, comment or columns; all when it is empty.

    All words must be found in one table. Tables found by their own name come first. Those behind the first
    `TABLES_SHOWN` come without columns.
    """
    words = search.casefold().split()
    found: list[tuple[bool, str, dict[str, Any]]] = []
    for table in (catalog or {}).get("tables", []):
        key = f"{table['schema']}.{table['name']}" if table["schema"] else table["name"]
        own = f"{key} {table['comment']}".casefold()
        inside = [f"{c['name']} {c['comment']}".casefold() for c in table["columns"]] if words else []
        if all(word in own or any(word in text for text in inside) for word in words):
            by_name = all(word in own for word in words)
            found.append((not by_name, key, table))
    found.sort(key=lambda one: one[0])
    left, blocks = COLUMNS_SHOWN, []
    for number, (_, key, table) in enumerate(found):
        block = _block(key, table, words, left if number < TABLES_SHOWN else 0)
        left -= len(block.columns)
        blocks.append(block)
    return blocks


def _block(key: str, table: dict[str, Any], words: list[str], most: int) -> TableBlock:
    lines = [_line(table, column, words) for column in table["columns"]] if most else []
    is_open = bool(words) and any(line.is_found for line in lines)
    if len(lines) > most:  # what was looked for is shown
        lines = sorted(lines, key=lambda line: not line.is_found)[:most]
    hidden = len(table["columns"]) - len(lines)
    return TableBlock(key, table["comment"], table["row_estimate"], table["is_view"], lines, is_open, hidden)


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
    return {
        (f"{t['schema']}.{t['name']}" if t["schema"] else t["name"]): [c["name"] for c in t["columns"]]
        for t in (catalog or {}).get("tables", [])
    }
