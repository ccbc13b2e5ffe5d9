"""A frame as chips that people change: each slot in words, and what may take its place."""

from sqlagent.makers.analyst.chips.changing import asked_again, changed, chips, title_of
from sqlagent.makers.analyst.chips.values import REMOVE, Alternative, Changed, Chip

__all__ = ["REMOVE", "Alternative", "Changed", "Chip", "asked_again", "changed", "chips", "title_of"]
