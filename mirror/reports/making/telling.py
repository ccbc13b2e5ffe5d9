"""Tell and draw the rows of a part as its readers get them: in their zone, about what the title names, figures with their change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from mirror.asking.services.charts import Drawn, chart_drawn
from mirror.asking.services.meaning import columns_meant
from mirror.reports.models import ReportRun, RunPart
from mirror.results.cells import exact_text, on_clock
from mirror.results.kept_pivots import chart_pivot, pivot_of_chart
from mirror.results.pivots import PivotWish
from mirror.results.rows import columns_of
from mirror.stored_words import kept_beside
from mirror.work.leases import Status
from mirror.zones import at_zone, zone_of
from sqlagent.language.saying import day_in_words, without_stop, worded
from sqlagent.rows.columns import in_words, number_of
from sqlagent.telling import charting, summarizing
from sqlagent.values import Chart, Rows

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from mirror.reports.making.made import MadePart, Making

# Earlier runs looked through for one that had the figure: an alert that stays silent keeps no rows.
LOOKED_BACK = 20

Figure = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Told:
    """A part drawn and told, with its rows in the report's zone.

    `figures` are its numbers where it has nothing but those. Then, and where all figures are the same, it is no picture.
    """

    drawn: Drawn
    rows: Rows
    figures: list[Figure]
    is_picture: bool


def part_told(making: Making, part: MadePart, rows: Rows) -> Told:
    """Draw and tell the rows of a part.

    The question, or the name of the saved SQL, and the title of a report of one part say which figure it is about.
    """
    local = in_zone(rows, zone_of(making.report.zone))
    question = _question(making, part)
    source = part.row.source
    meant = columns_meant(source, question, part.row.sql) if source is not None and len(rows.rows) > 1 else ()
    if (pivoted := _pivot_drawn(part, local, question)) is not None:
        return pivoted
    drawn = chart_drawn(local, question, part.chart, sql=part.row.sql, meant=meant, only_notable=True)
    chart = Chart.read(drawn.chart)
    if chart.mark == "number" and not chart.x:
        figures = _figures(making, part, chart, local)
        changes = [one for one in figures if one["change"]]
        if len(figures) == 1 and changes and drawn.sentence:
            drawn = replace(drawn, sentence=without_stop(drawn.sentence, ", ", changes[0]["change"], "."))
        return Told(drawn, local, figures, False)
    return Told(drawn, local, [], not _is_flat(chart, local))


def _pivot_drawn(part: MadePart, rows: Rows, question: str) -> Told | None:
    """The picture of a pivot that is sent as a table: its very figures, and no sentence, which would tell of rows that the table puts together.

    None without a pivot, and where a person chose a chart to be drawn beside it. A pivot that no chart draws has no picture.
    """
    wish = pivot_of_chart(part.chart, columns_of(part.result))
    chosen = part.chart or {}
    if wish is None or (chosen.get("chosen") and chosen.get("mark") not in (None, "none")):
        return None
    wanted = Chart.read({**chosen, **_charted(wish, rows)})
    drawn = chart_drawn(rows, question, asdict(wanted) | chart_pivot(part.chart), sql=part.row.sql)
    is_alike = all(drawn.chart.get(name) == getattr(wanted, name) for name in _PARTS)
    if not is_alike:
        drawn = Drawn({"mark": "none"} | chart_pivot(part.chart), None, "")
    return Told(replace(drawn, sentence=""), rows, [], is_alike)


_PARTS = ("mark", "x", "y", "series", "aggregate")


def _charted(wish: PivotWish, rows: Rows) -> dict[str, Any]:
    """The chart that draws the figures of a pivot: its rows along it, and its columns, or the second of its rows, as series."""
    names = [rows.columns[number] for number in (*wish.rows, *([] if wish.column is None else [wish.column]))]
    is_drawn = len(names) <= 2 and wish.aggregate != "distinct" and len(set(names)) == len(names)
    return {
        "mark": "bar" if is_drawn else "none",
        "x": names[0],
        "y": [] if wish.value is None or wish.aggregate == "count" else [rows.columns[wish.value]],
        "series": names[1] if is_drawn and len(names) > 1 else "",
        "aggregate": wish.aggregate,
        "chosen": True,
    }


def in_zone(rows: Rows, zone: ZoneInfo) -> Rows:
    """Give rows with every time that has a zone as the same moment in another.

    Example:
        >>> from datetime import UTC
        >>> from zoneinfo import ZoneInfo
        >>> in_zone(Rows(("at",), ((datetime(2026, 7, 1, 22, tzinfo=UTC),),)), ZoneInfo("Europe/Oslo")).rows
        ((datetime.datetime(2026, 7, 2, 0, 0, tzinfo=zoneinfo.ZoneInfo(key='Europe/Oslo')),),)
    """
    zoned = {
        place
        for row in rows.rows
        for place, cell in enumerate(row)
        if isinstance(cell, datetime) and cell.tzinfo is not None
    }
    if not zoned:
        return rows
    return replace(
        rows,
        rows=tuple(
            tuple(
                on_clock(cell, zone) if place in zoned and isinstance(cell, datetime) else cell
                for place, cell in enumerate(row)
            )
            for row in rows.rows
        ),
    )


def _question(making: Making, part: MadePart) -> str:
    """Give the subject of a part in people's words: its question or name, and the report's title where it has no other part."""
    said = [part.question]
    if making.report.parts.count() == 1:
        said.append(making.report.title)
    return ". ".join(dict.fromkeys(text.strip().rstrip(".") for text in said if text.strip()))


def _is_flat(chart: Chart, rows: Rows) -> bool:
    """Whether every figure that is drawn is the same in all rows: a line of those tells nothing."""
    if chart.aggregate not in ("none", "mean", "min", "max") or not chart.y or len(rows.rows) < 2:
        return False
    places = [rows.columns.index(name) for name in chart.y if name in rows.columns]
    return all(len({number_of(row[place]) for row in rows.rows}) == 1 for place in places)


# ---------------------------------------------------------------- figures


def _figures(making: Making, part: MadePart, chart: Chart, rows: Rows) -> list[Figure]:
    """The numbers of a part, each with its change since the last run that had it."""
    found, earlier = [], _earlier(making, part.row)
    for name, cell, text in charting.numbers_of(chart, rows):
        number = "" if number_of(cell) is None else exact_text(cell)
        change = _change(making, part, earlier, name, cell) if number else ""
        told = {"name": in_words(name), "number": number, "said": text, "change": change}
        found.append(told | kept_beside(change=change))
    return found


def _earlier(making: Making, part: RunPart) -> list[tuple[ReportRun, RunPart]]:
    """The same part of earlier runs, the last run first."""
    ended = making.report.runs.filter(status=Status.DONE, pk__lt=making.run.pk).exclude(
        cause=ReportRun.Cause.TEST
    )
    told = ended.filter(outcome__in=(ReportRun.Outcome.MADE, ReportRun.Outcome.NOTHING))
    runs = {run.pk: run for run in told.order_by("-pk")[:LOOKED_BACK]}
    rows = RunPart.objects.filter(run__in=runs, position=part.position).order_by("-run_id", "attempt")
    last = {row.run_id: row for row in rows}
    return [(runs[pk], row) for pk, row in last.items() if _is_alike(row, part)]


def _change(
    making: Making, part: MadePart, earlier: Iterable[tuple[ReportRun, RunPart]], name: str, now: Any
) -> str:
    """How a figure changed since the last run that had it; empty where none has."""
    for run, row in earlier:
        number = _number_then(making, run, row, name)
        if number is not None:
            when = _when(making, run, row, part.row)
            return summarizing.changed_since(name, number, now, when, sql=part.row.sql)
    return ""


def _is_alike(before: RunPart, now: RunPart) -> bool:
    """Whether two runs had the same part: another one may stand in its place since, with figures of the same names."""
    is_one = before.source_id == now.source_id and before.login == now.login
    return is_one and (before.title == now.title or before.sql == now.sql)


def _number_then(making: Making, run: ReportRun, row: RunPart, name: str) -> float | None:
    """The figure of an earlier run: as it was told, or as a threshold was held against it."""
    kept = next((one["number"] for one in row.figures if one["name"] == in_words(name)), "")
    threshold = making.report.threshold
    column = str(threshold.get("column", ""))
    # Its reason begins with the column that the threshold had then.
    is_held = (
        threshold.get("part") == row.position
        and column.lower() == name.lower()
        and run.reason.lower().startswith(f"{column.lower()} is ")
    )
    text = kept or (run.value if is_held else "")
    try:
        return float(text) if text else None
    except ValueError:
        return None


def _when(making: Making, run: ReportRun, before: RunPart, now: RunPart) -> str:
    """Which run a figure is compared with: what its values were where these differ, else its day, or its hour today."""
    if before.values != now.values and before.values:
        return worded("for {values}", values=before.values)
    at = at_zone(run.scheduled_for or run.created_at, making.report.zone)
    here = at_zone(making.run.scheduled_for or making.run.created_at, making.report.zone)
    when = day_in_words(at.date())
    if at.date() == here.date():
        return worded("on {day}, {time}", day=when, time=f"{at:%H:%M}")
    return worded("on {day}", day=when)
