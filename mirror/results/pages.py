"""What a table of stored rows shows: headings that sort, cells to read and to copy, a pager."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from mirror.people.requests import is_id
from mirror.results.cells import Cell, exact_text, shown
from mirror.results.filters import BadFilter
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.rows import ResultPage, Sort, rows_page
from mirror.results.totals import totals
from mirror.sources.selectors import NO_FILES, may_take_files

PAGE_ROWS = 50
# A table wider than this is shown in part; the download has every column.
SHOWN_COLUMNS = 100

KINDS = {
    "integer": "whole numbers",
    "number": "numbers",
    "text": "text",
    "date": "dates",
    "datetime": "dates with times",
    "time": "times",
    "boolean": "yes or no",
    "binary": "bytes",
}


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's head: where a click on it leads, and how it is sorted now (`none`, `ascending` ...)."""

    number: int
    name: str
    holds: str
    is_number: bool
    sort: str
    url: str
    filter: str = ""
    about_url: str = ""


@dataclass(frozen=True, slots=True)
class TablePage:
    """Some rows of a result. `gone` says why there are none; `problem` why a filter was not used; `no_files` why they are no files.

    `searched` is how many rows a search looked at, where it did not look at all.
    """

    id: str
    url: str
    title: str = ""
    headings: tuple[Heading, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    number: int = 1
    count: int = 1
    first_row: int = 0
    last_row: int = 0
    total: int = 0
    all_rows: int = 0
    previous_url: str = ""
    next_url: str = ""
    is_cut: bool = False
    is_filtered: bool = False
    has_filters: bool = False
    hidden_columns: int = 0
    problem: str = ""
    gone: str = ""
    search: str = ""
    searched: int | None = None
    sort: str = ""
    totals: tuple[Cell, ...] = ()
    totals_url: str = ""
    cell_url: str = ""
    no_files: str = ""


@dataclass(frozen=True, slots=True)
class TableWish:
    """What somebody wants to see of a result, as its address says it."""

    number: int = 1
    sort: Sort | None = None
    filters: dict[int, str] = field(default_factory=dict)
    search: str = ""
    with_totals: bool = False

    @classmethod
    def read(cls, query: Any) -> TableWish:
        """Read `page`, `sort` (`2` or `-2`), `f0`, `f1` ..., `q` and `totals`; what cannot be understood is left out."""
        sort_text = str(query.get("sort", ""))
        column = sort_text.removeprefix("-")
        sort = Sort(int(column), sort_text.startswith("-")) if is_id(column) else None
        filters = {
            int(name[1:]): str(query[name])[:200]
            for name in query
            if name[:1] == "f" and is_id(name[1:]) and str(query[name]).strip()
        }
        page = str(query.get("page", "1"))
        search = str(query.get("q", ""))[:200].strip()
        return cls(max(1, int(page)) if is_id(page) else 1, sort, filters, search, query.get("totals") == "1")

    def address(self, base: str, **changes: Any) -> str:
        """The address that says this wish, or this wish changed."""
        number, sort = changes.get("number", 1), changes.get("sort", self.sort)
        parts: dict[str, Any] = {f"f{column}": text for column, text in self.filters.items()}
        if sort is not None:
            parts["sort"] = f"{'-' if sort.descending else ''}{sort.column}"
        if self.search:
            parts["q"] = self.search
        if changes.get("with_totals", self.with_totals):
            parts["totals"] = 1
        if number > 1:
            parts["page"] = number
        return f"{base}?{urlencode(parts)}" if parts else base


def table_page(result: StoredResult, wish: TableWish | None = None, title: str = "") -> TablePage:
    """The page of a table that somebody wants to see; the last one when it is past the end.

    `title` names the files that the whole result is taken away as.
    """
    wish = wish or TableWish()
    base = reverse("results:rows", args=[result.pk])
    owner = result.owner
    is_taken = owner is None or may_take_files(owner, result.source)
    no_files = "" if is_taken else NO_FILES.format(source=result.source.name)
    shell: dict[str, Any] = {"id": str(result.pk), "url": base, "title": title[:100], "no_files": no_files}
    problem = ""
    try:
        try:
            read, number = _read(result, wish)
        except BadFilter as error:
            problem, wish = (
                str(error),
                TableWish(1, wish.sort, search=wish.search, with_totals=wish.with_totals),
            )
            read, number = _read(result, wish)
        reckoned = _totals(result, read, wish) if wish.with_totals else ()
    except ResultGone as error:
        return TablePage(**shell, gone=str(error))
    count = max(1, math.ceil(read.matching / PAGE_ROWS))
    return TablePage(
        **shell,
        headings=_headings(read, wish, base),
        rows=_cells(read),
        number=number,
        count=count,
        first_row=read.offset + 1 if read.rows else 0,
        last_row=read.offset + len(read.rows),
        total=read.matching,
        all_rows=read.total,
        previous_url=wish.address(base, number=number - 1) if number > 1 else "",
        next_url=wish.address(base, number=number + 1) if number < count else "",
        is_cut=result.truncated,
        is_filtered=bool(wish.filters or wish.search),
        has_filters=bool(wish.filters),
        search=wish.search,
        searched=read.searched,
        sort="" if wish.sort is None else f"{'-' if wish.sort.descending else ''}{wish.sort.column}",
        totals=reckoned,
        cell_url=wish.address(f"{base}cell/"),
        totals_url=wish.address(base, number=number, with_totals=not wish.with_totals),
        hidden_columns=max(0, len(read.columns) - SHOWN_COLUMNS),
        problem=problem,
    )


def cell_text(result: StoredResult, wish: TableWish, place: int, column: int) -> str:
    """The whole of one cell, by its place among the rows as wished and its column. Raises: IndexError, ResultGone, BadFilter."""
    read = rows_page(result, place, 1, wish.sort, wish.filters, wish.search)
    return exact_text(read.rows[0][column])


def preview_cells(data: dict[str, Any]) -> tuple[tuple[Cell, ...], ...]:
    """The cells of a few rows that were kept as JSON with their kinds."""
    columns, kinds = data.get("columns", []), data.get("kinds", [])
    return tuple(
        tuple(
            _kept_cell(value, columns[n], kinds[n] if n < len(kinds) else "") for n, value in enumerate(row)
        )
        for row in data.get("rows", [])
    )


def _kept_cell(value: Any, column: str, kind: str) -> Cell:
    if kind in ("integer", "number") and isinstance(value, str):
        try:
            return shown(int(value) if kind == "integer" else float(value), column)
        except ValueError:
            return Cell(value)
    return shown(value, column)


def _read(result: StoredResult, wish: TableWish) -> tuple[ResultPage, int]:
    read = rows_page(result, (wish.number - 1) * PAGE_ROWS, PAGE_ROWS, wish.sort, wish.filters, wish.search)
    if read.rows or wish.number == 1 or not read.columns:
        return read, wish.number
    last = max(1, math.ceil(read.matching / PAGE_ROWS))
    return rows_page(result, (last - 1) * PAGE_ROWS, PAGE_ROWS, wish.sort, wish.filters, wish.search), last


def _headings(read: ResultPage, wish: TableWish, base: str) -> tuple[Heading, ...]:
    made = []
    for number, column in enumerate(read.columns[:SHOWN_COLUMNS]):
        is_number = column.kind in ("integer", "number")
        mine = wish.sort if wish.sort and wish.sort.column == number else None
        sort = "none" if mine is None else "descending" if mine.descending else "ascending"
        turn = Sort(number, not mine.descending) if mine else Sort(number)
        made.append(
            Heading(
                number=number,
                name=column.name,
                holds=KINDS.get(column.kind, "mixed values"),
                is_number=is_number,
                sort=sort,
                url=wish.address(base, sort=turn),
                filter=wish.filters.get(number, ""),
                about_url=f"{base}columns/{number}/",
            )
        )
    return tuple(made)


def _totals(result: StoredResult, read: ResultPage, wish: TableWish) -> tuple[Cell, ...]:
    """A cell for each column that is shown, empty where nothing adds up; an average says that it is one."""
    cells = [Cell("") for _ in read.columns[:SHOWN_COLUMNS]]
    for total in totals(result, wish.filters, wish.search):
        if total.column < len(cells):
            cell = shown(total.value, "")
            text = cell.text if total.is_sum else f"average {cell.text}"
            cells[total.column] = replace(cell, text=text, exact=cell.exact or cell.text)
    return tuple(cells)


def _cells(read: ResultPage) -> tuple[tuple[Cell, ...], ...]:
    names: Sequence[str] = [column.name for column in read.columns[:SHOWN_COLUMNS]]
    return tuple(
        tuple(shown(value, name) for value, name in zip(row, names, strict=False)) for row in read.rows
    )
