"""The content of a pivot of stored rows: the form that chooses it, its figures with their totals, a pager."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext

from mirror.people.requests import is_id
from mirror.results.cells import Cell, exact_text
from mirror.results.filters import BadFilter
from mirror.results.formats import Formats, alike_together, cell_of, formats_of
from mirror.results.kept_pivots import pivot_of_chart
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.pages import PAGE_ROWS, PIVOT, Choice, TableWish
from mirror.results.pivots import (
    AGGREGATES,
    MOST_COLUMNS,
    BadPivot,
    Pivot,
    PivotWish,
    is_of_groups,
    pivot,
    pivot_suggested,
    totals_named,
)
from mirror.results.rows import columns_of
from mirror.sources.selectors import files_withheld

# Cells of a file: 200,000 rows of four columns, or 5,000 of the most there are.
FILE_CELLS = 1_000_000
_OF_GROUPS = gettext_noop(
    "“%(column)s” was reckoned for each group by the SQL, and averages or rates of several groups are no average of them all: "
    "totals and cells of several rows are left out. Ask for these groups, or choose the least or the greatest."
)
_AGGREGATED = {
    "sum": gettext_noop("Sum of %(column)s"),
    "mean": gettext_noop("Average of %(column)s"),
    "min": gettext_noop("Least %(column)s"),
    "max": gettext_noop("Greatest %(column)s"),
    "distinct": gettext_noop("Different %(column)s"),
}


@dataclass(frozen=True, slots=True)
class PivotPage:
    """A pivot and the form that chooses it. `gone` says why there are no rows, `problem` why there is no pivot of them.

    `asked` is the part of an address that says it. `note` says which figures are left out. `foot` has the totals of the columns, the last one that of all rows. `kept` are filters and the search, as hidden fields.
    """

    id: str
    url: str
    rows_url: str
    file_url: str = ""
    no_files: str = ""
    file_rows: int = 0
    choices: tuple[tuple[str, str, tuple[Choice, ...]], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    asked: tuple[tuple[str, str], ...] = ()
    names: tuple[str, ...] = ()
    across: str = ""
    figure: str = ""
    total: str = ""
    heads: tuple[Cell, ...] = ()
    rows: tuple[tuple[tuple[Cell, ...], tuple[Cell, ...], Cell], ...] = ()
    foot: tuple[Cell, ...] = ()
    first_row: int = 0
    last_row: int = 0
    row_count: int = 0
    hidden_columns: int = 0
    previous_url: str = ""
    next_url: str = ""
    is_cut: bool = False
    note: str = ""
    problem: str = ""
    gone: str = ""


def pivot_read(query: Any) -> PivotWish | None:
    """Read a pivot from an address; None where it says none."""
    if "pr" not in query:
        return None
    numbers = {name: int(query[name]) for name in PIVOT[:4] if is_id(str(query.get(name, "")))}
    along = dict.fromkeys(numbers[name] for name in ("pr", "pr2") if name in numbers)
    aggregate = str(query.get("pa", ""))
    return PivotWish(
        tuple(along),
        numbers.get("pc"),
        numbers.get("pv"),
        aggregate if aggregate in AGGREGATES else "count",
        query.get("po") == "total",
    )


def pivot_page(result: StoredResult, query: Any) -> PivotPage:
    """Lay out the pivot that an address says, or one to begin with."""
    base = reverse("results:pivot", args=[result.pk])
    shell: dict[str, Any] = {
        "id": str(result.pk),
        "url": base,
        "rows_url": reverse("results:rows", args=[result.pk]),
    }
    rows, passes = TableWish.read(query), _kept(query)
    page = str(query.get("pp", "1"))
    number = max(1, int(page)) if is_id(page) else 1
    try:
        wish = pivot_read(query) or pivot_suggested(result)
        shell |= {"choices": _choices(result, wish), "kept": passes}
        found = pivot(result, wish, (number - 1) * PAGE_ROWS, PAGE_ROWS, rows.filters, rows.search)
        if not found.rows and found.row_count:
            number = math.ceil(found.row_count / PAGE_ROWS)
            found = pivot(result, wish, (number - 1) * PAGE_ROWS, PAGE_ROWS, rows.filters, rows.search)
    except ResultGone as error:
        return PivotPage(**shell, gone=str(error))
    except (BadPivot, BadFilter) as error:
        return PivotPage(**shell, problem=str(error))
    offset = (number - 1) * PAGE_ROWS
    asked = [*_asked(wish), *passes]
    return PivotPage(
        **shell,
        **_figures(result, wish, found),
        asked=tuple((name, str(value)) for name, value in _asked(wish)),
        file_url=f"{reverse('exports:pivot', args=[result.pk])}?{urlencode(asked)}",
        no_files=files_withheld(result.owner, result.source) if result.owner else "",
        file_rows=min(found.row_count, file_rows(found)),
        first_row=offset + 1 if found.rows else 0,
        last_row=offset + len(found.rows),
        row_count=found.row_count,
        hidden_columns=max(0, found.column_count - len(found.columns)),
        previous_url=f"{base}?{urlencode([*asked, ('pp', number - 1)])}" if number > 1 else "",
        next_url=f"{base}?{urlencode([*asked, ('pp', number + 1)])}"
        if offset + PAGE_ROWS < found.row_count
        else "",
        is_cut=result.truncated,
        note=_(_OF_GROUPS) % {"column": result.columns[wish.value or 0]["name"]}
        if is_of_groups(result, wish)
        else "",
    )


def file_rows(found: Pivot) -> int:
    """How many rows of a pivot a file takes."""
    return FILE_CELLS // (len(found.columns) + 1)


def pivot_lines(result: StoredResult, query: Any) -> Iterable[list[Any]]:
    """The lines of a pivot's file: names, rows and totals, with values as they are. Raises: ResultGone, BadFilter, BadPivot."""
    wish, rows = pivot_read(query) or pivot_suggested(result), TableWish.read(query)
    found = pivot(
        result,
        wish,
        0,
        FILE_CELLS // (MOST_COLUMNS if wish.column is not None else 1),
        rows.filters,
        rows.search,
    )
    names = [str(result.columns[number]["name"]) for number in wish.rows]
    heads = ["NULL" if head is None else exact_text(head) for head in found.columns]
    yield [*names, *heads, totals_named(wish.aggregate)]
    for keys, cells, total in found.rows:
        yield [*keys, *cells, total]
    yield [totals_named(wish.aggregate), *[None] * (len(names) - 1), *found.foot, found.whole]


def address_with(current: str, query: Any) -> str:
    """The address of the page that a pivot stands on, with the pivot in it; empty where it says none.

    Example:
        >>> address_with("http://a/runs/1/?version=2&pr=9", {"pr": "1", "pa": "sum"})
        '/runs/1/?version=2&pr=1&pa=sum'
    """
    parts = urlsplit(current)
    if not parts.path.startswith("/") or parts.path.startswith("//") or "pr" not in query:
        return ""
    others = [(name, value) for name, value in parse_qsl(parts.query) if name not in PIVOT]
    mine = [(name, query[name]) for name in PIVOT if query.get(name)]
    return f"{parts.path}?{urlencode([*others, *mine])}"


def pivot_in(current: str) -> list[tuple[str, str]]:
    """The part of a page's address that says a pivot, for who comes back to the page.

    Example:
        >>> pivot_in("http://a/runs/1/?version=2&pr=1&pa=sum")
        [('pr', '1'), ('pa', 'sum')]
    """
    return [(name, value) for name, value in parse_qsl(urlsplit(current).query) if name in PIVOT]


def pivot_shown(current: str) -> PivotWish | None:
    """The pivot that a page's address says; None where it says none."""
    return pivot_read(dict(pivot_in(current)))


def pivot_of(result: StoredResult, chart: Mapping[str, Any] | None) -> tuple[tuple[str, str], ...]:
    """The part of an address that says the pivot kept with a chart, for these rows; empty where there is none."""
    wish = pivot_of_chart(chart, columns_of(result))
    return () if wish is None else tuple((name, str(value)) for name, value in _asked(wish))


def _kept(query: Any) -> tuple[tuple[str, str], ...]:
    wish = TableWish.read(query)
    filters = tuple((f"f{number}", text) for number, text in wish.filters.items())
    return (*filters, ("q", wish.search)) if wish.search else filters


def _asked(wish: PivotWish) -> list[tuple[str, Any]]:
    """The part of an address that says a pivot."""
    found: list[tuple[str, Any]] = list(zip(("pr", "pr2"), wish.rows, strict=False))
    found += [(name, n) for name, n in (("pc", wish.column), ("pv", wish.value)) if n is not None]
    return [*found, ("pa", wish.aggregate), *([("po", "total")] if wish.by_total else [])]


def _choices(result: StoredResult, wish: PivotWish) -> tuple[tuple[str, str, tuple[Choice, ...]], ...]:
    """The fields of the form: name, label, and what can be chosen."""
    names = [str(column["name"]) or _("(no name)") for column in result.columns]
    columns = {
        str(n): name
        if names.count(name) == 1
        else _("%(name)s (column %(number)s)") % {"name": name, "number": n + 1}
        for n, name in enumerate(names)
    }
    first, second = (*wish.rows, None, None)[:2]
    order = {"": _("by name"), "total": _("largest first")}
    none = {"": "—"}

    def field(
        name: str, label: str, offered: dict[str, str], chosen: Any
    ) -> tuple[str, str, tuple[Choice, ...]]:
        told = "" if chosen is None else str(chosen)
        return name, label, tuple(Choice(value, words, value == told) for value, words in offered.items())

    return (
        field("pr", _("Rows"), columns, first),
        field("pr2", _("then by"), none | columns, second),
        field("pc", _("Columns"), none | columns, wish.column),
        field("pa", _("Figure"), {value: _(words) for value, words in AGGREGATES.items()}, wish.aggregate),
        field("pv", pgettext("a figure", "of"), none | columns, wish.value),
        field("po", pgettext("of bars", "Order"), order, "total" if wish.by_total else ""),
    )


def _figures(result: StoredResult, wish: PivotWish, found: Pivot) -> dict[str, Any]:
    """The cells of a pivot, in the formats of their columns."""
    formats, names = formats_of(result), [str(column["name"]) for column in result.columns]
    along = tuple(names[number] for number in wish.rows)
    across = "" if wish.column is None else names[wish.column]
    value = "" if wish.value is None else names[wish.value]
    styled = formats if wish.aggregate in ("sum", "mean", "min", "max") else ()

    def figure(number: Any) -> Cell:
        return Cell("") if number is None else cell_of(number, "", styled, value)

    figures = [*([*cells, total] for _keys, cells, total in found.rows), [*found.foot, found.whole]]
    lines = alike_together(tuple(tuple(map(figure, line)) for line in figures), 0)
    return {
        "names": along,
        "across": across,
        "figure": _("Number of rows")
        if wish.aggregate == "count"
        else _(_AGGREGATED[wish.aggregate]) % {"column": value},
        "total": totals_named(wish.aggregate),
        "heads": tuple(_head(head, across, formats) for head in found.columns),
        "rows": tuple(
            (
                tuple(_head(key, name, formats) for key, name in zip(keys, along, strict=True)),
                line[:-1],
                line[-1],
            )
            for (keys, _cells, _total), line in zip(found.rows, lines, strict=False)
        ),
        "foot": lines[-1],
    }


def _head(value: Any, column: str, formats: Formats) -> Cell:
    return Cell(_("(empty)"), look="null") if value == "" else cell_of(value, column, formats)
