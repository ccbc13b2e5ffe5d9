"""One SQL of a run and what it gave: the editor, the table, the chart, or what went wrong."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import takewhile
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from mirror.asking.models import Version
from mirror.asking.pages.words import heading_said, state_said, version_state
from mirror.asking.services.charts import figure_note
from mirror.library.models import SavedSql
from mirror.phrases import counted, one_line, took
from mirror.results.figure_words import figure_worded
from mirror.results.pages import Choice, TablePage, TableWish, table_page
from mirror.results.pivot_pages import pivot_of
from mirror.stored_words import failure_said, row_said, said_again
from mirror.work.leases import Status

_ORIGINS = {
    "answer": gettext_noop("the answer"),
    "edit": gettext_noop("edited"),
    "reading": gettext_noop("another reading"),
    "saved": gettext_noop("saved SQL"),
    "change": gettext_noop("changed"),
}
_TITLES = {
    "refused": gettext_noop("This SQL was not run"),
    "error": gettext_noop("The database could not run this"),
    "timeout": gettext_noop("This took too long"),
    "cancelled": gettext_noop("Stopped"),
    "lost": gettext_noop("The database could not be reached"),
    "unkept": gettext_noop("The rows could not be kept"),
}
MARKS = {
    "bar": gettext_noop("Bars"),
    "line": gettext_noop("Line"),
    "area": gettext_noop("Area"),
    "combo": gettext_noop("Bars and lines"),
    "scatter": gettext_noop("Points"),
    "pie": gettext_noop("Pie"),
    "histogram": gettext_noop("Histogram"),
    "box": gettext_noop("Boxes"),
    "heatmap": gettext_noop("Heatmap"),
    "map": gettext_noop("Map"),
    "number": gettext_noop("One number"),
    "none": gettext_noop("No chart"),
}
AGGREGATES = {
    "none": gettext_noop("as they are"),
    "sum": gettext_noop("sum"),
    "mean": gettext_noop("average"),
    "count": gettext_noop("count"),
    "min": gettext_noop("least"),
    "max": gettext_noop("greatest"),
}
STACKS = {
    "": gettext_noop("automatic"),
    "group": gettext_noop("side by side"),
    "stack": gettext_noop("stacked"),
    "share": gettext_noop("stacked to 100 %"),
    "small": gettext_noop("in small charts"),
}
SORTS = {
    "": gettext_noop("automatic"),
    "-value": gettext_noop("largest first"),
    "value": gettext_noop("smallest first"),
    "name": gettext_noop("by name"),
}
SCALES = {"": gettext_noop("linear"), "log": gettext_noop("logarithmic")}


@dataclass(frozen=True, slots=True)
class FailureView:
    """An error in the words of the guard or the database, with advice. `position` counts from 0."""

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
    excerpt: str

    @property
    def state_words(self) -> str:
        """The state in the language of the page."""
        return state_said(self.state)


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
    """The last rows of saved SQL for its reader; `version` is None where there are none, or they are no longer kept."""

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
        run_url=f"{reverse('asking:run', args=[version.run_id])}?version={version.number}"
        if version is not None
        else "",
        values=tuple(one_line(f"{name}: {value}", 80) for name, value in values),
        version=view,
    )


def version_item(version: Version, current: Version | None) -> VersionItem:
    """One line of the history."""
    return VersionItem(
        id=version.pk,
        number=version.number,
        origin=version.change or _(_ORIGINS.get(version.origin, version.origin)),
        state=version_state(version),
        words=result_words(version),
        when=version.ended_at or version.created_at,
        sql=version.sql,
        is_current=current is not None and version.pk == current.pk,
        excerpt=_excerpt(version.sql, current.sql if current is not None else ""),
    )


def _excerpt(sql: str, shown: str) -> str:
    """The first line of SQL that is another than in the SQL that is shown, and those after it; all of it where it is the same.

    Example:
        >>> _excerpt("SELECT a\\nFROM b\\nLIMIT 3", "SELECT a\\nFROM b"), _excerpt("SELECT a\\nFROM b", "SELECT a\\nFROM b\\nLIMIT 3")
        ('… LIMIT 3', '… FROM b')
        >>> _excerpt("SELECT a\\nFROM b", "SELECT a\\nFROM b"), _excerpt("SELECT 2", "SELECT 1")
        ('SELECT a FROM b', 'SELECT 2')
    """
    lines, others = ([line.strip() for line in text.split("\n") if line.strip()] for text in (sql, shown))
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(lines, others, strict=False)))
    begin = 0 if lines == others else min(same, max(len(lines) - 1, 0))
    return " ".join((["…"] if begin else []) + lines[begin:])


def version_view(
    version: Version, wish: TableWish | None = None, title: str = "", url: str = ""
) -> VersionView:
    """Show a version, its table as wished for; `title` names what is downloaded. Without a `url` it is that of a run's version."""
    state = version_state(version)
    wish = wish or TableWish()
    if version.result and not wish.pivot:
        wish = replace(wish, pivot=pivot_of(version.result, version.chart))
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
        change=row_said(version, "change"),
        is_number=(version.chart or {}).get("mark") == "number",
        state=state,
        is_working=not version.is_ended,
        is_stopping=version.stop_requested and not version.is_ended,
        now=_now(version),
        sql=version.sql,
        words=result_words(version),
        when=version.ended_at,
        sentence=row_said(version, "sentence"),
        table=table,
        chart=chart_view(version) if table is not None and not table.gone else None,
        failure=_failure(version.failure, state),
    )


def _now(version: Version) -> str:
    """The state of a version that has not ended: waiting, and for what, or running."""
    if version.waits_turn and not version.is_ended:
        return _("Waiting for its turn: as much runs on this source at once as its limit allows")
    if version.status == Status.QUEUED:
        return _("The SQL waits for a worker")
    return "" if version.is_ended else _("The SQL is running")


def result_words(version: Version) -> str:
    """The reply, in a line: rows, time, and whether that is all of it."""
    result = version.result
    if result is None:
        return ""
    whole = _("complete")
    if result.truncated:
        whole = _("cut at %(count)s: there are more") % {"count": intcomma(result.row_count)}
    cells = ""
    if result.cut_cells:
        words = ngettext("%(count)s long cell cut", "%(count)s long cells cut", result.cut_cells)
        cells = f" · {words % {'count': intcomma(result.cut_cells)}}"
    return f"{counted(result.row_count, 'row')} · {took(result.seconds)} · {whole}{cells}"


def chart_view(version: Version, problem: str = "", typed: Mapping[str, str] | None = None) -> ChartView:
    """The chart of a version as it is now, with every choice there is; words that were refused stand where they were typed."""
    chart, typed = version.chart or {}, typed or {}
    columns = [column["name"] for column in version.result.columns] if version.result else []
    names = {name: name for name in columns}
    run = version.run
    return ChartView(
        name=heading_said(run.named, version),
        figure=version_figure(version),
        note=said_again(chart.get("note", ""), version.saying, "note"),
        problem=problem,
        marks=_choices(_said(_drawable(chart)), chart.get("mark", "none")),
        x=_choices({"": "—"} | names, chart.get("x", "")),
        y=_choices(names, *chart.get("y", ())),
        series=_choices({"": "—"} | names, chart.get("series", "")),
        aggregates=_choices(_said(AGGREGATES), chart.get("aggregate", "none")),
        stacks=_choices(_said(STACKS), chart.get("stack", "")),
        sorts=_choices(_said(SORTS), chart.get("sort", "")),
        scales=_choices(_said(SCALES), chart.get("scale", "")),
        others=tuple(Choice(json.dumps(one), _offered(one, chart), False) for one in chart.get("others", ())),
        line=typed.get("line", chart.get("line", "")),
        x_title=typed.get("x_title", chart.get("x_title", "")),
        y_title=typed.get("y_title", chart.get("y_title", "")),
    )


def _drawable(chart: Mapping[str, Any]) -> dict[str, str]:
    """The chart types that the rows can be drawn with; all of them for a chart that was kept without."""
    known = chart.get("marks")
    return {mark: label for mark, label in MARKS.items() if mark in known} if known else MARKS


def version_figure(version: Version) -> dict[str, Any] | None:
    """The figure of a version with its title and its note in the language of the page."""
    figure = figure_titled(version.figure, version.title, row_said(version, "title"))
    return figure_noted(figure, version.chart, version.saying)


def figure_noted(
    figure: dict[str, Any] | None, chart: Mapping[str, Any] | None, saying: dict[str, Any]
) -> dict[str, Any] | None:
    """Give the figure of a chart with its own words and its note in the language of the page."""
    if figure is None:
        return None
    figure, note = figure_worded(figure, chart), figure_note(figure)
    if not note:
        return figure
    # The figure has the chart's own note, or one that it was given when it was drawn.
    said = said_again(note, saying, "note")
    if said == note:
        said = said_again(note, saying, "figure_note")
    title = figure["layout"]["title"]
    noted = {**title, "subtitle": {**title["subtitle"], "text": said}}
    return {**figure, "layout": {**figure["layout"], "title": noted}}


def figure_titled(figure: dict[str, Any] | None, title: str, said: str) -> dict[str, Any] | None:
    """Give a figure with its title in the language of the page, where it is the one that the rows are called by."""
    told = (figure or {}).get("layout", {}).get("title", {})
    if figure is None or said == title or not title or told.get("text") != title:
        return figure
    return {**figure, "layout": {**figure["layout"], "title": {**told, "text": said}}}


def _offered(other: Mapping[str, Any], chart: Mapping[str, Any]) -> str:
    """The name of another chart where it is offered."""
    if other.get("stack") == "small":
        return _("Small charts")
    return _("In one chart") if other["mark"] == chart.get("mark") else _(MARKS[other["mark"]])


def _said(labels: dict[str, str]) -> dict[str, str]:
    """Labels in the language of the page."""
    return {value: _(label) for value, label in labels.items()}


def _choices(labels: dict[str, str], *chosen: str) -> tuple[Choice, ...]:
    return tuple(Choice(value, label, value in chosen) for value, label in labels.items())


def _failure(data: dict[str, Any] | None, state: str) -> FailureView | None:
    if not data:
        return None
    return FailureView(
        state=state,
        title=_(_TITLES.get(data.get("kind", ""), gettext_noop("This could not be run"))),
        message=failure_said(data, "message"),
        advice=failure_said(data, "advice"),
        position=data.get("position"),
    )
