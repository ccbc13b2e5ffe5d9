"""Charts as images, for mails and PDF files: by the page's own library where there is a browser, else simply.

Decides which of the two draws, and that a browser in trouble is given up for a while: a report that is late
is worse than one that is plainer.
"""

from __future__ import annotations

import html
import logging
import re
from dataclasses import asdict, replace
from time import monotonic
from typing import Any

from django.conf import settings

from mirror.exports.images import paper_style
from mirror.results.figure_words import figure_worded, figure_written
from sqlagent.telling import charting
from sqlagent.values import Chart, Rows

log = logging.getLogger(__name__)

# After trouble with the browser charts are drawn simply for so long (seconds).
PAUSE_SECONDS = 300
# The tallest image: bars that lie down make a chart taller than it was wanted.
TALLEST = 1_600

NO_MAP = "Drawn without a map, which takes a browser."

_pause_until = 0.0


def chart_image(
    chart: dict[str, Any] | None,
    rows: Rows,
    *,
    width: int = 720,
    height: int = 400,
    scale: float = 2,
    plainly: bool = False,
    heading: str = "",
) -> bytes | None:
    """Draw a chart as a PNG of `width` x `height` times `scale` pixels; taller where many bars lie down.

    `chart` is a `sqlagent.values.Chart` as a dict. A chart of nothing (no rows, no mark, a column that
    is gone, numbers beyond every float) is None. `CHART_IMAGES` says which renderer draws;
    `plainly` leaves a browser out of it, where somebody waits for a page. A title whose words are all in the `heading`
    above the picture is left out.
    """
    if not chart or chart.get("mark", "none") == "none" or not rows.rows:
        return None
    try:
        wanted = charting.check(Chart.read(chart), rows)
        figure = _said(wanted, rows)
        plainer = _without_map(wanted, rows)
    except (ValueError, ArithmeticError) as error:
        log.warning("A chart could not be drawn: %s", error)
        return None
    height = min(max(height, int(figure["layout"].get("height") or 0)), TALLEST)
    figure = _under(heading, paper_style.words_whole(figure, width))
    image = None if plainly else _by_browser(figure, width, height, scale)
    if image is None:
        from mirror.exports.images import simple

        if plainer is not None:
            figure = _under(heading, paper_style.words_whole(_said(plainer, rows), width))
            height = min(max(height, int(figure["layout"].get("height") or 0)), TALLEST)
        image = simple.draw(figure, width, height, scale)
    return image


def _said(chart: Chart, rows: Rows) -> dict[str, Any]:
    """The figure of a chart, in the language that is active."""
    figure = figure_worded(charting.figure(chart, rows), asdict(chart))
    return figure_written(figure, chart.note or charting.note_of(chart, rows))


def _under(heading: str, figure: dict[str, Any]) -> dict[str, Any]:
    """A figure under a heading: without its title where that says nothing more. One with a note keeps it."""
    title = figure["layout"].get("title") or {}
    words, said = (
        set(re.findall(r"\w+", html.unescape(text).casefold())) for text in (title.get("text") or "", heading)
    )
    if not words or not words <= said or title.get("subtitle"):
        return figure
    return {**figure, "layout": {name: part for name, part in figure["layout"].items() if name != "title"}}


def _without_map(chart: Chart, rows: Rows) -> Chart | None:
    """The chart drawn in place of a map where there are no shapes of countries, with a note; None for every other chart."""
    if chart.mark != "map":
        return None
    mark = "scatter" if charting.is_of_coordinates(chart, rows) else "bar"
    other = charting.check(replace(chart, mark=mark, y=chart.y[:1]), rows)
    return replace(other, note=f"{NO_MAP} {other.note}".strip())


def _by_browser(figure: dict[str, Any], width: int, height: int, scale: float) -> bytes | None:
    """Let the browser draw; None where it should not, cannot or is having a pause."""
    global _pause_until
    if settings.CHART_IMAGES == "simple" or monotonic() < _pause_until:
        return None
    from mirror.exports.images import browser

    if settings.CHART_IMAGES == "auto" and browser.browser_path() is None:
        return None
    try:
        return browser.draw(paper_style.laid_out(figure, width, height), width, height, scale)
    except browser.BrowserTrouble as error:
        log.warning("The browser drew no chart, and has a pause of %s s: %s", PAUSE_SECONDS, error)
        _pause_until = monotonic() + PAUSE_SECONDS
        return None
