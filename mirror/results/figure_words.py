"""The words of a figure in the language that is active. A figure is made in English.

Decides which of its texts are our own words: the title and the axes that its chart gives it, and its note. Names of values stay
as they are. A page writes the numbers itself (`frontend/static/js/figure-words.js`); a picture has them written here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.utils.dates import MONTHS, MONTHS_3, WEEKDAYS, WEEKDAYS_ABBR
from django.utils.text import capfirst

from mirror.phrases import separated, separators
from mirror.stored_words import is_english, language_now, said_now
from sqlagent.telling import charting
from sqlagent.values import Chart

Json = dict[str, Any]

_AXIS = re.compile(r"[xy]axis\d*|coloraxis")
_NUMBER = re.compile(
    r"(?<![\w.,:-])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w.,:-]*\w)|(?<![\w.,:-])\d+\.\d+(?![\w.,:-]*\w)"
)


def figure_worded(figure: Json, chart: Mapping[str, Any] | None) -> Json:
    """Give a figure of a chart with its title and the titles of its axes in the language that is active.

    Texts that a person typed stay as they are, as do the names of a source's columns.
    """
    if is_english() or not chart:
        return figure
    words = {str(text): said_now(text) for text in charting.texts_of(Chart.read(chart))}
    layout = {
        key: _titled(part, words) if key == "title" or _AXIS.fullmatch(key) else part
        for key, part in figure["layout"].items()
    }
    data = [
        {**trace, "name": words[trace["name"]]} if trace.get("name") in words else trace
        for trace in figure["data"]
    ]
    return {**figure, "layout": layout, "data": data}


def figure_written(figure: Json, note: str) -> Json:
    """Give a figure for a picture: its note, which is `note` in English, its numbers and the names of months as the language writes them."""
    if is_english():
        return figure
    layout = {**figure["layout"], "separators": "".join(separators())}
    title = layout.get("title") or {}
    if title.get("subtitle"):
        layout["title"] = {**title, "subtitle": {**title["subtitle"], "text": said_now(note)}}
    if layout.get("annotations") and (layout.get("xaxis") or {}).get("visible") is False:
        layout["annotations"] = [{**one, "text": _numbered(one["text"])} for one in layout["annotations"]]
    # The texts of markers are names; those of all other points are their numbers.
    data = [
        {**trace, "text": _numbered(trace["text"])}
        if trace.get("text") and not (trace.get("type") == "scatter" and trace.get("mode") == "markers")
        else trace
        for trace in figure["data"]
    ]
    return {**figure, "layout": layout, "data": data, "config": _days_of(language_now())}


def _days_of(language: str) -> Json:
    """How the library writes days in a language; a page tells it the same (`frontend/static/js/mirror-chart.js`)."""
    week = (6, 0, 1, 2, 3, 4, 5)
    names = {
        "days": [WEEKDAYS[day] for day in week],
        "shortDays": [WEEKDAYS_ABBR[day] for day in week],
        "months": [MONTHS[month] for month in range(1, 13)],
        "shortMonths": [MONTHS_3[month] for month in range(1, 13)],
    }
    form = {key: [capfirst(str(one)) for one in said] for key, said in names.items()}
    return {"locale": language, "locales": {language: {"format": {**form, "date": "%d.%m.%Y"}}}}


def _titled(part: Any, words: Mapping[str, str]) -> Any:
    """A title, or an axis with one, in other words."""
    if not isinstance(part, dict):
        return part
    if isinstance(part.get("text"), str):
        return {**part, "text": words.get(part["text"], part["text"])}
    return {key: _titled(one, words) if key in ("title", "colorbar") else one for key, one in part.items()}


def _numbered(text: Any) -> Any:
    """Texts with each number in them as the language writes it."""
    if isinstance(text, list):
        return [_numbered(one) for one in text]
    return _NUMBER.sub(lambda found: separated(found[0]), text) if isinstance(text, str) else text
