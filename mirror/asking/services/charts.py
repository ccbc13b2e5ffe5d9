"""Charts and sentences of rows: made when rows come in, and changed by whoever looks at them."""

from __future__ import annotations

import logging
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from mirror.asking.errors import AskingError
from mirror.asking.models import Version
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.rows import rows_of
from mirror.storable import storable
from sqlagent.rows.percents import is_percent
from sqlagent.telling import charting, summarizing
from sqlagent.values import Chart, ColumnFormat, Rows

log = logging.getLogger(__name__)

# Rows a chart and a sentence are made from, about 2 s (measured 2026-11); both say when there are more.
DRAWN_ROWS = 100_000

# Marks that draw one figure, whatever was drawn before.
_OF_ONE = ("pie", "number", "box", "histogram", "heatmap", "map")


@dataclass(frozen=True, slots=True)
class Drawn:
    """Rows drawn and told, as a version keeps them."""

    chart: dict[str, Any]
    figure: dict[str, Any] | None
    sentence: str

    def fields(self) -> dict[str, Any]:
        """The columns of a version."""
        return {
            "chart": storable(self.chart),
            "figure": storable(self.figure),
            "sentence": storable(self.sentence),
        }


def chart_drawn(
    rows: Rows,
    question: str,
    earlier: dict[str, Any] | None = None,
    *,
    sql: str = "",
    title: str = "",
    first: str = "",
    meant: Collection[str] = (),
    only_notable: bool = False,
    mark: str = "",
) -> Drawn:
    """Draw and tell rows: as the earlier chart if a person chose it and they still allow it, else as suggested.

    Rows whose numbers cannot be reckoned with (beyond every float) are not drawn; that is no
    reason to lose them. With the SQL, a LIMIT is known and no share of a whole is claimed. `title` is the
    chart's, where it is known what the rows are; without one the names of their columns make it. The sentence begins with `first`. `meant` are the columns that hold what the question asks for, where somebody understood it;
    with `only_notable` nothing is said of rows where nothing stands out. `mark` is how the question says that it is drawn, where the rows allow it.
    """
    part, formats = _part(rows), ColumnFormat.read((earlier or {}).get("formats"))
    try:
        chart = _like(earlier, part) or charting.suggest(part, question, sql=sql, meant=meant)
        if mark:
            chart = _marked(chart, mark, part)
        chart = replace(chart, formats=formats, percents=_percents(part, sql))
        if title and chart.mark not in ("none", "histogram"):
            chart = replace(chart, title=title)
        told = summarizing.summarize(question, part, chart, sql=sql, meant=meant, only_notable=only_notable)
        return Drawn(_kept(chart, part), _figure(chart, part), f"{first} {told}".strip())
    except ArithmeticError as error:
        return _undrawable(error, formats)


def chart_redrawn(rows: Rows, earlier: dict[str, Any], question: str, *, sql: str = "") -> Drawn:
    """Draw other rows of the same columns as they were drawn, while somebody waits: nothing is told of them, which takes half of the time."""
    formats = ColumnFormat.read(earlier.get("formats"))
    try:
        chart = _like({**earlier, "chosen": True}, rows) or charting.suggest(rows, question, sql=sql)
        chart = replace(chart, formats=formats, percents=_percents(rows, sql) if sql else chart.percents)
        return Drawn(asdict(chart), _figure(chart, rows), "")
    except ArithmeticError as error:
        return _undrawable(error, formats)


def _marked(chart: Chart, mark: str, rows: Rows) -> Chart:
    """A chart with the mark that was asked for, kept as a person's choice; with a note that says so where it does not suit the rows."""
    if chart.mark == mark:
        return replace(chart, chosen=True)
    drawn = charting.drawn_as(mark, rows, chart)
    if drawn is not None:
        return replace(drawn, chosen=True)
    why = "no column holds countries or coordinates" if mark == "map" else "they do not suit it"
    return replace(chart, note=f"These rows are not drawn as a {mark}: {why}.")


def _percents(rows: Rows, sql: str) -> tuple[str, ...]:
    """The columns of percentages."""
    return tuple(name for name in rows.columns if is_percent(name, sql))


def _undrawable(error: ArithmeticError, formats: tuple[ColumnFormat, ...]) -> Drawn:
    """Rows with numbers beyond every float: no chart, and nothing is told of them."""
    log.warning("Rows could not be drawn or told: %s", error)
    return Drawn(asdict(Chart("none", note="These numbers cannot be drawn.", formats=formats)), None, "")


def chart_change(version: Version, fields: dict[str, Any]) -> None:
    """Draw a version's rows another way and keep that. Raises: AskingError, in plain words.

    Where another mark does not fit the columns of the one before, its own are chosen.
    """
    if version.result is None:
        raise AskingError("There are no rows to draw.")
    earlier = version.chart or {}
    try:
        rows = _part(rows_of(version.result, DRAWN_ROWS))
        chart = _again_as_suits(version, fields, rows) or _changed(earlier, fields, rows)
        version.chart, version.figure = storable(_kept(chart, rows)), storable(_figure(chart, rows))
    except ResultGone as error:
        raise AskingError(f"{error} Run it again to draw its chart.") from None
    except (ValueError, ArithmeticError) as error:
        raise AskingError(str(error)) from None
    Version.objects.filter(pk=version.pk).update(chart=version.chart, figure=version.figure)


def chart_formats(chart: dict[str, Any] | None) -> dict[str, Any]:
    """The formats of a chart without what it draws, for rows that are drawn as suits them."""
    return {"formats": chart["formats"]} if chart and chart.get("formats") else {}


def chart_format(result: StoredResult) -> None:
    """Keep how columns are shown with the versions whose rows these are, and draw their charts so."""
    for version in Version.objects.filter(result=result):
        chart = {**(version.chart or {"mark": "none"}), "formats": result.formats}
        figure = version.figure
        if figure is not None:
            with suppress(ResultGone, ValueError, ArithmeticError):
                figure = storable(_figure(Chart.read(chart), _part(rows_of(result, DRAWN_ROWS))))
        Version.objects.filter(pk=version.pk).update(chart=chart, figure=figure)


def _again_as_suits(version: Version, fields: dict[str, Any], rows: Rows) -> Chart | None:
    """The chart that suits the rows, for who comes back to its mark from one that drew a single figure: a pie keeps no other."""
    earlier = version.chart or {}
    mark, y = fields.get("mark", earlier.get("mark")), earlier.get("y") or []
    if (
        mark == earlier.get("mark")
        or earlier.get("mark") not in _OF_ONE
        or list(fields.get("y", y)) != list(y)
    ):
        return None
    suited = charting.suggest(rows, version.run.question, sql=version.sql)
    formats = ColumnFormat.read(earlier.get("formats"))
    return replace(suited, chosen=True, formats=formats) if suited.mark == mark else None


def _changed(earlier: dict[str, Any], fields: dict[str, Any], rows: Rows) -> Chart:
    is_other = fields.get("mark", earlier.get("mark")) != earlier.get("mark")
    # A title says what was drawn; under another mark, or of other columns, the columns make it anew.
    same = all(
        fields.get(name, earlier.get(name)) == earlier.get(name) for name in ("x", "series", "aggregate")
    )
    title = earlier.get("title", "") if same and not is_other else ""
    wished = {**earlier, **fields, "title": title, "chosen": True}
    if is_other:
        wished |= {name: fields.get(name, "") for name in ("x_title", "y_title")}
    chart = Chart.read(wished)
    was_small = earlier.get("stack") == "small"
    if chart.stack == "small" and not was_small and chart.mark not in charting.SMALL_MARKS:
        raise ValueError("Small charts are bars, lines or areas: choose one of these chart types first.")
    if chart.stack == "small" and not chart.series:
        # Small charts are chosen before the column that they are of; without it they are one chart again.
        chart = replace(chart, stack="") if was_small else charting.split_small(chart, rows)
    try:
        return charting.check(chart, rows)
    except ValueError:
        fitting = charting.drawn_as(str(fields.get("mark", "")), rows) if is_other else None
        if fitting is None:
            raise
        return replace(fitting, chosen=True, formats=ColumnFormat.read(earlier.get("formats")))


def _kept(chart: Chart, rows: Rows) -> dict[str, Any]:
    """A chart as it is kept, with the others that would suit its rows."""
    return asdict(chart) | {"others": [asdict(other) for other in charting.others(chart, rows)]}


def _like(earlier: dict[str, Any] | None, rows: Rows) -> Chart | None:
    if not earlier or not earlier.get("chosen") or earlier.get("mark") == "none":
        return None
    if earlier.get("mark") == "number" and len(rows.rows) != 1 and not earlier.get("x"):
        return None
    try:
        return charting.check(Chart.read({**earlier, "title": ""}), rows)
    except ValueError:
        return None


def _figure(chart: Chart, rows: Rows) -> dict[str, Any] | None:
    """A chart drawn, with the filters that its points stand for."""
    if chart.mark == "none":
        return None
    found = charting.drill(chart, rows)
    return charting.figure(chart, rows) | ({"drill": found} if found else {})


def _part(rows: Rows) -> Rows:
    if len(rows.rows) <= DRAWN_ROWS:
        return rows
    return replace(rows, rows=rows.rows[:DRAWN_ROWS], truncated=True)
