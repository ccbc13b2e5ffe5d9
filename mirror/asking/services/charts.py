"""The chart of a version: drawn from its stored rows, changed by whoever looks at it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from mirror.asking.models import Version
from mirror.asking.services.opening import AskingError
from mirror.results.selectors import ResultGone, rows_of
from sqlagent import charting
from sqlagent.values import Chart, Rows

# Rows read back to draw a chart; a chart of more says that it shows a part.
CHART_ROWS = 100_000


def chart_figure(version: Version) -> dict[str, Any]:
    """The Plotly figure of a version's chart, as JSON. Raises: AskingError when there is none."""
    return charting.figure(chart_of(version.chart), _rows(version))


def chart_change(version: Version, fields: dict[str, Any]) -> dict[str, Any]:
    """Draw a version's rows another way, keep that, and give the figure. Raises: AskingError."""
    rows = _rows(version)
    try:
        chart = charting.check(chart_of({**(version.chart or {}), **fields}), rows)
    except ValueError as error:
        raise AskingError(str(error)) from None
    version.chart = asdict(chart)
    Version.objects.filter(pk=version.pk).update(chart=version.chart)
    return charting.figure(chart, rows)


def _rows(version: Version) -> Rows:
    if version.result is None:
        raise AskingError("There are no rows to draw.")
    try:
        return rows_of(version.result, CHART_ROWS)
    except ResultGone as error:
        raise AskingError(f"{error} Run it again to draw its chart.") from None


def chart_of(data: dict[str, Any] | None) -> Chart:
    """A chart from the JSON it is kept as."""
    if not data:
        return Chart("none")
    known = {name: value for name, value in data.items() if name in Chart.__slots__}
    return Chart(**{**known, "y": tuple(known.get("y", ()))})
