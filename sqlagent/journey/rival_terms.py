"""Terms that explain the same words in different ways: each way is answered, and all are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.glossary.mentions import Explained
from sqlagent.journey.phrases import quoted
from sqlagent.language.saying import worded
from sqlagent.values import Answer, Outcome, Reading


def told_apart(ways: Sequence[Explained], ends: Sequence[Answer]) -> Answer:
    """Make one answer of those that rival terms lead to: the first, with the others as readings."""
    shown = next((n for n, end in enumerate(ends) if end.rows is not None), 0)
    first, way = ends[shown], ways[shown]
    others = [other for n, other in enumerate(ways) if n != shown]
    readings = []
    for other, end in zip(others, (end for n, end in enumerate(ends) if n != shown), strict=True):
        new = [one.term for one in other.mentions if one not in way.mentions]
        said = "; ".join(
            f"“{term.phrase}” as {_by(term.description or term.body, term.author)}" for term in new
        )
        if end.rows is not None and end.sql != first.sql:
            readings.append(Reading(end.sql, said, end.rows, max(1, end.size), end.frame))
    if not readings or first.rows is None:
        return first
    rivals = [one for one in way.mentions if any(one not in other.mentions for other in others)]
    words = quoted([one.words for one in rivals])
    reason = worded("Two terms of this source explain {words}; pick the one you meant.", words=words)
    return replace(
        first, outcome=Outcome.AMBIGUOUS, reason=reason, why="", readings=(*readings, *first.readings)
    )


def _by(said: str, author: str) -> str:
    """The meaning of a term, and who says so."""
    return f"{said}, by {author}" if author else said
