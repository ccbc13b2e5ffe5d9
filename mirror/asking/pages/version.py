"""One SQL of a run and what it gave: the editor, the table, the chart, or what went wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.urls import reverse

from mirror.asking.models import Version, headed
from mirror.asking.pages.words import version_state
from mirror.library.models import SavedSql
from mirror.phrases import counted, one_line, took
from mirror.results.pages import Choice, TablePage, TableWish, table_page
from mirror.work.leases import Status

_ORIGINS = {
    "answer": "the answer",
    "edit": "edited",
    "reading": "another reading",
    "saved": "saved SQL",
    "change": "changed",
}
_TITLES = {
    "refused": "This SQL was not run",
    "error": "The database could not run this",
    "timeout": "This took too long",
    "cancelled": "Stopped",
    "lost": "The database could not be reached",
    "unkept": "The rows could not be kept",
}
MARKS = {
    "bar": "Bars",
    "line": "Line",
    "area": "Area",
    "combo": "Bars and lines",
    "scatter": "Points",
    "pie": "Pie",
    "histogram": "Histogram",
    "box": "Boxes",
    "heatmap": "Heatmap",
    "map": "Map",
    "number": "One number",
    "none": "No chart",
}
AGGREGATES = {
    "none": "as they are",
    "sum": "sum",
    "mean": "average",
    "count": "count",
    "min": "least",
    "max": "greatest",
}
STACKS = {
    "": "automatic",
    "group": "side by side",
    "stack": "stacked",
    "share": "stacked to 100 %",
    "small": "in small charts",
}
SORTS = {"": "automatic", "-value": "largest first", "value": "smallest first", "name": "by name"}
SCALES = {"": "linear", "log": "logarithmic"}


@dataclass(frozen=True, slots=True)
class FailureView:
    """What went wrong, in the words of whoever stopped it, and what to do. `position` counts from 0."""

    state: str
    title: str
    message: str
    advice: str
    position: int | None


@dataclass(frozen=True, slots=True)
class ChartView:
    """A chart and the form that changes it. `figure` is None where nothing can be drawn; `name` is that of a file of it."""

    name: str
    figure: dict[str, Any] | None
    note: str
    problem: str
    marks: tuple[Choice, ...]
    x: tuple[Choice, ...]
    y: tuple[Choice, ...]
    series: tuple[Choice, ...]
    aggregates: tuple[Choice, ...]
    stacks: tuple[Choice, ...] = ()
    sorts: tuple[Choice, ...] = ()
    scales: tuple[Choice, ...] = ()
    others: tuple[Choice, ...] = ()
    line: str = ""
    x_title: str = ""
    y_title: str = ""


@dataclass(frozen=True, slots=True)
class VersionItem:
    """One line of a run's history of SQL."""

    id: int
    number: int
    origin: str
    state: str
    words: str
    when: datetime
    sql: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class VersionView:
    """Everything a page shows of one version; it is followed at `url`, under which stands what can be done with it. `now` says what it does while it works: `is_edited` by a person, `is_other_reading` where another reading was chosen.

    `is_changed` where a chip was, and `change` says how. It `is_number` where its rows are drawn as one number, or were before they run.
    """

    id: int
    url: str
    number: int
    is_edited: bool
    is_other_reading: bool
    is_changed: bool
    change: str
    is_number: bool
    state: str
    is_working: bool
    is_stopping: bool
    now: str
    sql: str
    words: str
    when: datetime | None
    sentence: str
    table: TablePage | None
    chart: ChartView | None
    failure: FailureView | None


@dataclass(frozen=True, slots=True)
class LastPage:
    """What saved SQL gave last to who reads it; `version` is None where there is nothing, or it is no longer kept."""

    title: str
    saved_id: int
    has_parameters: bool
    is_unsure: bool
    run_url: str
    values: tuple[str, ...]
    version: VersionView | None


def last_page(saved: SavedSql, version: Version | None, wish: TableWish) -> LastPage:
    """Show the last result of saved SQL, with the values it was run with."""
    view = version_view(version, wish, saved.name) if version is not None else None
    if view is not None and (view.table is None or view.table.gone):
        view = None
    values = version.arguments.items() if version is not None else ()
    return LastPage(
        title=saved.name,
        saved_id=saved.pk,
        has_parameters=bool(saved.parameters),
        is_unsure=bool(saved.draft),
        run_url=reverse("asking:run", args=[version.run_id]) if version is not None else "",
        values=tuple(one_line(f"{name}: {value}", 80) for name, value in values),
        version=view,
    )


def version_item(version: Version, current: Version | None) -> VersionItem:
    """One line of the history."""
    return VersionItem(
        id=version.pk,
        number=version.number,
        origin=version.change or _ORIGINS.get(version.origin, version.origin),
        state=version_state(version),
        words=result_words(version),
        when=version.ended_at or version.created_at,
        sql=version.sql,
        is_current=current is not None and version.pk == current.pk,
    )


def version_view(
    version: Version, wish: TableWish | None = None, title: str = "", url: str = ""
) -> VersionView:
    """Show a version, its table as wished for; `title` names what is downloaded. Without a `url` it is that of a run's version."""
    state = version_state(version)
    table = table_page(version.result, wish, title) if version.result else None
    if table is not None and table.gone:
        state = "expired"
    return VersionView(
        id=version.pk,
        url=url or reverse("asking:version", args=[version.pk]),
        number=version.number,
        is_edited=version.origin == Version.Origin.EDIT,
        is_other_reading=version.origin == Version.Origin.READING,
        is_changed=version.origin == Version.Origin.CHANGE,
        change=version.change,
        is_number=(version.chart or {}).get("mark") == "number",
        state=state,
        is_working=not version.is_ended,
        is_stopping=version.stop_requested and not version.is_ended,
        now=_now(version),
        sql=version.sql,
        words=result_words(version),
        when=version.ended_at,
        sentence=version.sentence,
        table=table,
        chart=chart_view(version) if table is not None and not table.gone else None,
        failure=_failure(version.failure, state),
    )


def _now(version: Version) -> str:
    """What a version that has not ended waits for, or that it runs."""
    if version.waits_turn and not version.is_ended:
        return "Waiting for its turn: as much runs on this source at once as its limit allows"
    if version.status == Status.QUEUED:
        return "The SQL waits for a worker"
    return "" if version.is_ended else "The SQL is running"


def result_words(version: Version) -> str:
    """What came back, in a line: rows, time, and whether that is all of it."""
    result = version.result
    if result is None:
        return ""
    whole = f"cut at {result.row_count:,}: there are more" if result.truncated else "complete"
    cells = f" · {counted(result.cut_cells, 'long cell')} cut" if result.cut_cells else ""
    return f"{counted(result.row_count, 'row')} · {took(result.seconds)} · {whole}{cells}"


def chart_view(version: Version, problem: str = "", typed: Mapping[str, str] | None = None) -> ChartView:
    """The chart of a version as it is now, with every choice there is; words that were refused stand where they were typed."""
    chart, typed = version.chart or {}, typed or {}
    columns = [column["name"] for column in version.result.columns] if version.result else []
    names = {name: name for name in columns}
    run = version.run
    return ChartView(
        name=headed(run.named, version),
        figure=version.figure,
        note=chart.get("note", ""),
        problem=problem,
        marks=_choices(MARKS, chart.get("mark", "none")),
        x=_choices({"": "—"} | names, chart.get("x", "")),
        y=_choices(names, *chart.get("y", ())),
        series=_choices({"": "—"} | names, chart.get("series", "")),
        aggregates=_choices(AGGREGATES, chart.get("aggregate", "none")),
        stacks=_choices(STACKS, chart.get("stack", "")),
        sorts=_choices(SORTS, chart.get("sort", "")),
        scales=_choices(SCALES, chart.get("scale", "")),
        others=tuple(Choice(json.dumps(one), _offered(one, chart), False) for one in chart.get("others", ())),
        line=typed.get("line", chart.get("line", "")),
        x_title=typed.get("x_title", chart.get("x_title", "")),
        y_title=typed.get("y_title", chart.get("y_title", "")),
    )


def _offered(other: Mapping[str, Any], chart: Mapping[str, Any]) -> str:
    """What another chart is called where it is offered."""
    if other.get("stack") == "small":
        return "Small charts"
    return "In one chart" if other["mark"] == chart.get("mark") else MARKS[other["mark"]]


def _choices(labels: dict[str, str], *chosen: str) -> tuple[Choice, ...]:
    return tuple(Choice(value, label, value in chosen) for value, label in labels.items())


def _failure(data: dict[str, Any] | None, state: str) -> FailureView | None:
    if not data:
        return None
    return FailureView(
        state=state,
        title=_TITLES.get(data.get("kind", ""), "This could not be run"),
        message=data.get("message", ""),
        advice=data.get("advice", ""),
        position=data.get("position"),
    )
