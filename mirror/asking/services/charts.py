"""Charts and sentences of rows: made when rows come in, changed on the run's page."""

from __future__ import annotations

import logging
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking.errors import AskingError
from mirror.asking.models import Version
from mirror.results.kept_pivots import chart_pivot
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.rows import rows_of
from mirror.storable import storable
from mirror.stored_words import sayings
from sqlagent.language.saying import spaced, worded
from sqlagent.rows.percents import is_percent
from sqlagent.telling import charting, summarizing
from sqlagent.values import Chart, ColumnFormat, Rows

log = logging.getLogger(__name__)

# Rows a chart and a sentence are made from, about 2 s (measured 2026-11); both say when there are more.
DRAWN_ROWS = 100_000

# Rows by which the types of a chart are offered: what columns hold is known by then. A pie is asked about all of them.
TYPED_ROWS = 5_000

# Marks that draw one figure, whatever was drawn before.
_OF_ONE = ("pie", "number", "box", "histogram", "heatmap", "map")

# Marks that draw what bars draw, though their columns may be no times.
_ALONG = ("line", "area", "scatter")


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
            "saying": sayings(
                sentence=self.sentence, note=self.chart.get("note"), figure_note=figure_note(self.figure)
            ),
        }


def figure_note(figure: dict[str, Any] | None) -> str:
    """The note of a figure on parts that it leaves out."""
    title = (figure or {}).get("layout", {}).get("title") or {}
    text: str = (title.get("subtitle") or {}).get("text", "")
    return text


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
    change: str = "",
    part: Collection[str] = (),
) -> Drawn:
    """Draw and tell rows: as the earlier chart if a person chose it and they still allow it, else as suggested.

    Rows whose numbers cannot be reckoned with (beyond every float) are not drawn; that is no
    reason to lose them. With the SQL, a LIMIT is known and no share of a whole is claimed. `title` is the
    chart's, where it is known what the rows are; without one the names of their columns make it. The sentence begins with `first`. `meant` are the columns that hold what the question asks for, where somebody understood it;
    with `only_notable` nothing is said of rows where nothing stands out. `mark` is how the question says that it is drawn, where the rows allow it.
    `change` is what was changed of the SQL in words; the title says it. `part` are labels of periods that the data do not cover whole.
    """
    shown, formats = _part(rows), ColumnFormat.read((earlier or {}).get("formats"))
    try:
        chart = _like(earlier, shown) or charting.suggest(shown, question, sql=sql, meant=meant)
        if mark:
            chart = _marked(chart, mark, shown)
        chart = replace(chart, formats=formats, percents=_percents(shown, sql))
        if title and chart.mark not in ("none", "histogram"):
            chart = replace(chart, title=title)
        if change and chart.title:
            chart = replace(chart, title=f"{chart.title} ({change})")
        told = summarizing.summarize(
            question, shown, chart, sql=sql, meant=meant, only_notable=only_notable, part=part
        )
        return Drawn(_kept(chart, shown) | chart_pivot(earlier), _figure(chart, shown), spaced(first, told))
    except ArithmeticError as error:
        return _undrawable(error, earlier)


def chart_redrawn(
    rows: Rows, earlier: dict[str, Any], question: str, *, sql: str = "", figure: dict[str, Any] | None = None
) -> Drawn:
    """Draw other rows of the same columns as they were drawn, while somebody waits: nothing is told of them, which takes half of the time.

    Series and slices keep the colours that they have in `figure`.
    """
    formats = ColumnFormat.read(earlier.get("formats"))
    try:
        chart = _like({**earlier, "chosen": True}, rows) or charting.suggest(rows, question, sql=sql)
        chart = replace(chart, formats=formats, percents=_percents(rows, sql) if sql else chart.percents)
        drawn = _figure(chart, rows)
        if drawn is not None and figure is not None:
            drawn = charting.coloured_like(drawn, figure)
        return Drawn(asdict(chart), drawn, "")
    except ArithmeticError as error:
        return _undrawable(error, earlier)


def _marked(chart: Chart, mark: str, rows: Rows) -> Chart:
    """A chart with the mark that was asked for, kept as a person's choice; with a note that says so where it does not suit the rows."""
    if chart.mark == mark:
        return replace(chart, chosen=True)
    drawn = charting.drawn_as(mark, rows, chart)
    if drawn is not None:
        return replace(drawn, chosen=True)
    if mark == "map":
        return replace(
            chart, note=worded("These rows are not drawn as a map: no column holds countries or coordinates.")
        )
    return replace(
        chart, note=worded("These rows are not drawn as a {mark}: they do not suit it.", mark=mark)
    )


def _percents(rows: Rows, sql: str) -> tuple[str, ...]:
    """The columns of percentages."""
    return tuple(
        name
        for place, name in enumerate(rows.columns)
        if is_percent(name, sql, (row[place] for row in rows.rows))
    )


def _undrawable(error: ArithmeticError, earlier: dict[str, Any] | None) -> Drawn:
    """Rows with numbers beyond every float: no chart, and nothing is told of them."""
    log.warning("Rows could not be drawn or told: %s", error)
    formats = ColumnFormat.read((earlier or {}).get("formats"))
    chart = Chart("none", note=gettext_noop("These numbers cannot be drawn."), formats=formats)
    return Drawn(asdict(chart) | chart_pivot(earlier), None, "")


def chart_change(version: Version, fields: dict[str, Any]) -> None:
    """Draw a version's rows another way and keep that. Raises: AskingError, in plain words.

    Where another mark does not fit the columns of the one before, its own are chosen.
    """
    if version.result is None:
        raise AskingError(_("There are no rows to draw."))
    earlier = version.chart or {}
    try:
        rows = _part(rows_of(version.result, DRAWN_ROWS))
        chart = _again_as_suits(version, fields, rows) or _changed(earlier, fields, rows)
        version.chart = storable(_kept(chart, rows) | chart_pivot(earlier))
        figure = _figure(chart, rows)
        version.figure = storable(figure)
        version.saying |= sayings(note=chart.note, figure_note=figure_note(figure))
    except ResultGone as error:
        raise AskingError(str(error) + " " + _("Run it again to draw its chart.")) from None
    except (ValueError, ArithmeticError) as error:
        raise AskingError(str(error)) from None
    Version.objects.filter(pk=version.pk).update(
        chart=version.chart, figure=version.figure, saying=version.saying
    )


def chart_formats(chart: dict[str, Any] | None) -> dict[str, Any]:
    """The formats and the pivot of a chart without what it draws, for rows that are drawn as suits them."""
    formats = {"formats": chart["formats"]} if chart and chart.get("formats") else {}
    return formats | chart_pivot(chart)


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
    # A title says what was drawn; of other columns, or where one figure is drawn alone, the columns make it anew.
    same = all(
        fields.get(name, earlier.get(name)) == earlier.get(name) for name in ("x", "series", "aggregate")
    ) and list(fields.get("y", earlier.get("y") or ())) == list(earlier.get("y") or ())
    is_of_one = any(mark in _OF_ONE for mark in (earlier.get("mark"), fields.get("mark")))
    title = earlier.get("title", "") if same and not (is_other and is_of_one) else ""
    wished = {**earlier, **fields, "title": title, "chosen": True}
    if is_other:
        wished |= {name: fields.get(name, "") for name in ("x_title", "y_title")} | {"note": ""}
    chart = Chart.read(wished)
    was_small = earlier.get("stack") == "small"
    if chart.stack == "small" and not was_small and chart.mark not in charting.SMALL_MARKS:
        raise ValueError(_("Small charts are bars, lines or areas: choose one of these chart types first."))
    if chart.stack == "small" and not chart.series:
        # Small charts are chosen before the column that they are of; without it they are one chart again.
        chart = replace(chart, stack="") if was_small else charting.split_small(chart, rows)
    mark = str(fields.get("mark", "")) if is_other else ""
    try:
        checked = charting.check(chart, rows)
    except ValueError:
        fitting = _of_default(mark, rows)
        if fitting is None:
            raise
    else:
        # The column along a histogram is the height of another chart, never both.
        is_both = earlier.get("mark") == "histogram" and checked.x in checked.y
        # The column along points is a figure; slices and boxes stand along a column that a person chose for them.
        is_left_over = checked.x == earlier.get("x") and not charting.makes_sense(checked, rows)
        fitting = _of_default(mark, rows) if mark and (is_both or is_left_over) else None
        if fitting is None:
            return checked
    return replace(fitting, chosen=True, formats=ColumnFormat.read(earlier.get("formats")))


def _of_default(mark: str, rows: Rows) -> Chart | None:
    """A chart with columns of its own; what bars, or the chart that suits the rows, draw where it is not offered but can be chosen."""
    found = charting.drawn_as(mark, rows)
    if found is not None or not mark:
        return found
    bars = charting.drawn_as("bar", rows) if mark in _ALONG else None
    return _with_mark(bars, mark, rows) or _with_mark(charting.suggest(rows), mark, rows)


def _with_mark(chart: Chart | None, mark: str, rows: Rows) -> Chart | None:
    """A chart drawn with another mark; None where its columns do not suit it."""
    if chart is None:
        return None
    try:
        drawn = charting.check(replace(chart, mark=mark), rows)
    except ValueError:
        return None
    return drawn if charting.makes_sense(drawn, rows) else None


def _kept(chart: Chart, rows: Rows) -> dict[str, Any]:
    """A chart as it is kept, with the others that would suit its rows, and the marks that they can be drawn with."""
    others = charting.others(chart, rows)
    known = {chart.mark, "none", *(other.mark for other in others)}
    part = replace(rows, rows=rows.rows[:TYPED_ROWS]) if len(rows.rows) > TYPED_ROWS else rows
    marks = [
        one
        for one in charting.MARKS
        if one in known or _of_default(one, rows if one == "pie" else part) is not None
    ]
    return asdict(chart) | {"others": [asdict(other) for other in others], "marks": marks}


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
