"""Rows to a chart, as data: which mark suits them, and the Plotly figure it stands for.

Decides the mark, the columns, the order and what is left out (and says so). Colours, fonts and
everything else that is a matter of taste come from the browser's template.
"""

from __future__ import annotations

from sqlagent.telling.charting.alternatives import drawn_as, makes_sense, others, split_small
from sqlagent.telling.charting.captions import note_of, texts_of
from sqlagent.telling.charting.checking import check
from sqlagent.telling.charting.colours import coloured_like
from sqlagent.telling.charting.drilling import drill
from sqlagent.telling.charting.figures import figure
from sqlagent.telling.charting.maps import is_of_coordinates
from sqlagent.telling.charting.points import AGGREGATES, MARKS, SMALL_MARKS
from sqlagent.telling.charting.single import numbers_of
from sqlagent.telling.charting.suggesting import suggest

__all__ = [
    "AGGREGATES",
    "MARKS",
    "SMALL_MARKS",
    "check",
    "coloured_like",
    "drawn_as",
    "drill",
    "figure",
    "is_of_coordinates",
    "makes_sense",
    "note_of",
    "numbers_of",
    "others",
    "split_small",
    "suggest",
    "texts_of",
]
