"""The content of a table of stored rows: headings that sort, cells to read and to copy, a pager."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.people.requests import is_id
from mirror.results.cells import Cell, exact_text
from mirror.results.filters import BadFilter
from mirror.results.formats import (
    Formats,
    alike,
    amount_columns,
    bar_ranges,
    cell_of,
    formats_of,
    ranges_of_rows,
    rows_cells,
    styles_of,
)
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.rows import ResultPage, Sort, columns_of, rows_page
from mirror.results.totals import totals
from mirror.sources.selectors import files_withheld

PAGE_ROWS = 50
# A table wider than this is shown in part; the download has every column.
SHOWN_COLUMNS = 100

_NO_TOTAL = gettext_noop(
    "“%(column)s” was reckoned for each group by the SQL: neither a sum nor an average of these is that of all rows."
)
# Names of a pivot in an address: columns of its rows and columns, the figure's and how it is reckoned, order and page.
PIVOT = ("pr", "pr2", "pc", "pv", "pa", "po", "pp")

KINDS = {
    "integer": gettext_noop("whole numbers"),
    "number": gettext_noop("numbers"),
    "text": gettext_noop("text"),
    "date": gettext_noop("dates"),
    "datetime": gettext_noop("dates with times"),
    "time": gettext_noop("times"),
    "boolean": gettext_noop("yes or no"),
    "binary": gettext_noop("bytes"),
}


def kind_said(kind: str) -> str:
    """The content of a column of one kind."""
    return _(KINDS.get(kind, gettext_noop("mixed values")))


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that can be chosen in a form."""

    value: str
    label: str
    is_chosen: bool


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
    format_url: str = ""


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
    pivot_url: str = ""
    is_pivoted: bool = False


@dataclass(frozen=True, slots=True)
class TableWish:
    """The wished part of a result, as an address says it."""

    number: int = 1
    sort: Sort | None = None
    filters: dict[int, str] = field(default_factory=dict)
    search: str = ""
    with_totals: bool = False
    pivot: tuple[tuple[str, str], ...] = ()

    @classmethod
    def read(cls, query: Any) -> TableWish:
        """Read `page`, `sort` (`2` or `-2`), `f0`, `f1` ..., `q` and `totals`; values that cannot be understood are left out."""
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
        pivot = tuple((name, str(query[name])[:20]) for name in PIVOT if query.get(name))
        return cls(
            max(1, int(page)) if is_id(page) else 1, sort, filters, search, query.get("totals") == "1", pivot
        )

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
    no_files = files_withheld(result.owner, result.source) if result.owner else ""
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
        rows = _cells(result, read)
        reckoned = _totals(result, read, wish, rows) if wish.with_totals else ()
    except ResultGone as error:
        return TablePage(**shell, gone=str(error))
    count = max(1, math.ceil(read.matching / PAGE_ROWS))
    return TablePage(
        **shell,
        headings=_headings(read, wish, base),
        rows=rows,
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
        pivot_url=_pivot_url(base, wish) if read.columns and (result.row_count > 1 or wish.pivot) else "",
        is_pivoted=bool(wish.pivot),
        cell_url=wish.address(f"{base}cell/"),
        totals_url=wish.address(base, number=number, with_totals=not wish.with_totals),
        hidden_columns=max(0, len(read.columns) - SHOWN_COLUMNS),
        problem=problem,
    )


@dataclass(frozen=True, slots=True)
class FormatPage:
    """The form of how one column is shown; `url` takes it, `back_url` leads to the rows."""

    name: str
    holds: str
    table_id: str
    url: str
    back_url: str


def format_page(result: StoredResult, number: int, wish: TableWish) -> FormatPage:
    """Lay out the choice of a column's format. Raises: IndexError."""
    column, base = columns_of(result)[number], reverse("results:rows", args=[result.pk])
    url = wish.address(f"{base}columns/{number}/format/", number=wish.number)
    back = wish.address(base, number=wish.number)
    return FormatPage(column.name, kind_said(column.kind), str(result.pk), url, back)


def cell_text(result: StoredResult, wish: TableWish, place: int, column: int) -> str:
    """The whole of one cell, by its place among the rows as wished and its column. Raises: IndexError, ResultGone, BadFilter."""
    read = rows_page(result, place, 1, wish.sort, wish.filters, wish.search)
    return exact_text(read.rows[0][column])


def preview_cells(data: dict[str, Any], formats: Formats = ()) -> tuple[tuple[Cell, ...], ...]:
    """The cells of a few rows that were kept as JSON with their kinds; bars are as long as these rows say."""
    columns, kinds = data.get("columns", []), data.get("kinds", [])
    rows = [
        [_kept_value(value, kinds[n] if n < len(kinds) else "") for n, value in enumerate(row)]
        for row in data.get("rows", [])
    ]
    return rows_cells(columns, rows, formats, ranges_of_rows(columns, rows, formats))


def _kept_value(value: Any, kind: str) -> Any:
    """A value that JSON has as text."""
    if kind in ("integer", "number") and isinstance(value, str):
        try:
            return int(value) if kind == "integer" else float(value)
        except ValueError:
            return value
    return value


def _read(result: StoredResult, wish: TableWish) -> tuple[ResultPage, int]:
    read = rows_page(result, (wish.number - 1) * PAGE_ROWS, PAGE_ROWS, wish.sort, wish.filters, wish.search)
    if read.rows or wish.number == 1 or not read.columns:
        return read, wish.number
    last = max(1, math.ceil(read.matching / PAGE_ROWS))
    return rows_page(result, (last - 1) * PAGE_ROWS, PAGE_ROWS, wish.sort, wish.filters, wish.search), last


def _pivot_url(base: str, wish: TableWish) -> str:
    """Where the rows that pass are pivoted as the address says."""
    passing = [(f"f{column}", text) for column, text in wish.filters.items()]
    asked = [*wish.pivot, *passing, *([("q", wish.search)] if wish.search else [])]
    return f"{base}pivot/?{urlencode(asked)}" if asked else f"{base}pivot/"


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
                holds=kind_said(column.kind),
                is_number=is_number,
                sort=sort,
                url=wish.address(base, sort=turn),
                filter=wish.filters.get(number, ""),
                about_url=f"{base}columns/{number}/",
                format_url=wish.address(f"{base}columns/{number}/format/", number=wish.number)
                if len(styles_of(column.kind)) > 1
                else "",
            )
        )
    return tuple(made)


def _totals(
    result: StoredResult, read: ResultPage, wish: TableWish, rows: tuple[tuple[Cell, ...], ...]
) -> tuple[Cell, ...]:
    """A cell for each column that is shown, empty where nothing adds up; an average says that it is one. Sums of amounts are written as the rows are.

    Averages and rates of groups have a dash, with the reason behind it.
    """
    cells, formats = [Cell("") for _ in read.columns[:SHOWN_COLUMNS]], formats_of(result)
    for total in totals(result, wish.filters, wish.search):
        if total.column < len(cells) and total.value is None:
            words = _(_NO_TOTAL) % {"column": read.columns[total.column].name}
            cells[total.column] = Cell("—", look="num", why=words)
        elif total.column < len(cells):
            cell = cell_of(total.value, "", formats, read.columns[total.column].name)
            text = cell.text if total.is_sum else _("average %(number)s") % {"number": cell.text}
            cells[total.column] = replace(cell, text=text, exact=cell.exact or cell.text)
    names = [column.name for column in read.columns[:SHOWN_COLUMNS]]
    return alike((*rows, tuple(cells)), amount_columns(names, read.rows, formats))[-1]


def _cells(result: StoredResult, read: ResultPage) -> tuple[tuple[Cell, ...], ...]:
    formats, columns = formats_of(result), read.columns[:SHOWN_COLUMNS]
    ranges = bar_ranges(result, columns, formats)
    return rows_cells([column.name for column in columns], read.rows, formats, ranges)
