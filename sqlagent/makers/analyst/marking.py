"""Which words of a question that is being typed are understood, and which are not. Runs no statement."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import tokenise
from sqlagent.makers.analyst.answering import today_of, understand
from sqlagent.makers.analyst.faults import spared
from sqlagent.makers.analyst.sampler import missing, speaks
from sqlagent.makers.analyst.source import source_of
from sqlagent.values import Catalog

_SAYING_NOTHING = frozenset({"glue", "unknown"})


@dataclass(frozen=True, slots=True)
class Mark:
    """Characters `start` to `end` (exclusive) of what was typed, and whether they are understood."""

    start: int
    end: int
    is_understood: bool


def marks(
    text: str, catalog: Catalog, index: ValueIndex | None, caret: int | None = None
) -> tuple[Mark, ...]:
    """Mark the words of a question that are understood and those that are not; small words are left unmarked.

    The word that ends at the caret may go on, so it is never called not understood. Nothing is marked where another maker
    would answer, and nothing where an error of ours is in the way. Some milliseconds.
    """
    return spared(lambda: _marked(text, catalog, index, caret), ())


def _marked(text: str, catalog: Catalog, index: ValueIndex | None, caret: int | None) -> tuple[Mark, ...]:
    source = source_of(catalog, index)
    reading, found = understand(text, source, today_of(source))
    if not speaks(text, reading, found, source, missing(reading, source)):
        return ()
    left = found[0].frame.unused if found else (*reading.unknown, *reading.asked)
    unused = _words(left)
    mended = {old.lower() for old, _ in reading.mended}
    known = _words(item.text for item in reading.items if item.kind not in _SAYING_NOTHING) | mended
    out = []
    for token in tokenise(text):
        if token.low in unused:
            if token.end != caret:
                out.append(Mark(token.start, token.end, False))
        elif token.kind != "mark" and (token.low in known or token.text.lower() in known):
            out.append(Mark(token.start, token.end, True))
    return tuple(out)


def _words(texts: Iterable[str]) -> set[str]:
    return {token.low for text in texts for token in tokenise(text)}
