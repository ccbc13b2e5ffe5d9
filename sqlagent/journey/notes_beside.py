"""Notes that belong beside an answer: misspelt words beside what was understood, ties, part periods and what amounts are beside the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from sqlagent.journey.ties import is_of_ties
from sqlagent.language.saying import Parts
from sqlagent.makers.analyst.in_force import BY_STATE
from sqlagent.makers.analyst.money_notes import IN_CENTS, TOGETHER
from sqlagent.makers.analyst.part_periods import PARTLY
from sqlagent.makers.analyst.sampler import MENDED

Place = Literal["words", "rows", ""]


def place_of(note: Parts) -> Place:
    """Say what a note is of, by its parts; of neither, or where it has none, nothing.

    Example:
        >>> place_of({"say": "“{word}” was read as “{other}”.", "with": {"word": "wich", "other": "which"}})
        'words'
        >>> place_of("Understood as revenue.")
        ''
    """
    for said in _templates(note):
        if said == MENDED:
            return "words"
        if said in PARTLY or said in (TOGETHER, IN_CENTS, BY_STATE) or is_of_ties(said):
            return "rows"
    return ""


def _templates(note: Parts) -> Iterator[str]:
    """The templates of a note's sentences."""
    match note:
        case list() | tuple():
            for one in note:
                yield from _templates(one)
        case {"say": str() as template}:
            yield template
