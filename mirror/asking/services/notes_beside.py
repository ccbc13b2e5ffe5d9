"""The notes of an answer that its page shows beside it."""

from __future__ import annotations

from dataclasses import dataclass

from mirror.asking.models import Run
from sqlagent.journey.notes_beside import place_of


@dataclass(frozen=True, slots=True)
class NotesBeside:
    """Notes on misspelt words, and on rows: ties, part periods."""

    words: tuple[str, ...]
    rows: tuple[str, ...]


def notes_beside(run: Run) -> NotesBeside:
    """Part the notes of a run that belong beside its answer from all others."""
    made_of = run.saying.get("notes") or {}
    places = [(note, place_of(made_of.get(note))) for note in run.notes]
    return NotesBeside(
        tuple(note for note, place in places if place == "words"),
        tuple(note for note, place in places if place == "rows"),
    )
