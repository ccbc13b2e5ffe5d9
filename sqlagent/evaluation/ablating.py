"""Measures what parts of the built-in generator add: the same questions, once with all and once without each.

Parts are switched off where they are read, for one question at a time; nothing is fitted again, so
what a part's absence would be compensated by is not seen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from sqlagent.catalog.keys import KeyGraph
from sqlagent.evaluation.answering import Answered, answer_on
from sqlagent.evaluation.items import Item, Source
from sqlagent.evaluation.progress import each
from sqlagent.evaluation.scoring import mcnemar
from sqlagent.evaluation.selecting import kept_open
from sqlagent.language import mentions
from sqlagent.makers.grammar.scoring import weights
from sqlagent.values import Budget, Catalog

WHOLE = "all parts"
JUDGE = "the judge"
"""Needs no run of its own: without it the first candidate is the answer."""


def no_edges(graph: KeyGraph, catalog: Catalog) -> list[Any]:
    """Guess no keys."""
    return []


SWITCHES: dict[str, Callable[[], tuple[object, str, Any]]] = {
    "the learned order of the beam": lambda: (weights(), "rank", {}),
    "guessed keys": lambda: (KeyGraph, "_guessed", no_edges),
    "synonyms": lambda: (mentions, "SYNONYMS", {}),
}
"""The replacement of a part: where, by which name, and with what."""

VALUES = "the value index"
PARTS = (WHOLE, VALUES, *SWITCHES)


@contextmanager
def without(part: str, source: Source) -> Iterator[Source]:
    """Give a source to ask while a part is switched off; everything is back in its place afterwards.

    The catalog's version names the part, so that nothing prepared with it is met in a cache.
    """
    catalog = replace(source.catalog, version=f"{source.catalog.version} without {part}")
    if part not in SWITCHES:
        yield source if part == WHOLE else replace(source, catalog=catalog, index=None)
        return
    owner, name, instead = SWITCHES[part]()
    before = getattr(owner, name)
    setattr(owner, name, instead)
    try:
        yield replace(source, catalog=catalog)
    finally:
        setattr(owner, name, before)


def ablate(
    items: Sequence[Item], databases: str, *, sample: int, seed: int = 0, processes: int = 1
) -> list[dict[str, Answered]]:
    """Answer a sample of the questions with all parts and without each. Raises: BadInput."""
    drawn = random.Random(seed).sample(list(items), min(sample, len(items)))
    chosen = sorted(drawn, key=lambda item: item.db)
    return each(partial(ablate_one, databases=databases), chosen, processes=processes, what="ablate")


def ablate_one(item: Item, *, databases: str) -> dict[str, Answered]:
    """Answer one question with all parts and without each."""
    found = {}
    for part in PARTS:
        with without(part, kept_open(databases).source(item.db)) as source:
            found[part] = answer_on(source, item, llm="none", budget=Budget())
    return found


def report(answered: Sequence[dict[str, Answered]]) -> str:
    """Print what is right with all parts and without each, and how the answers changed."""
    width = max(len(part) for part in PARTS) + 10
    heads = ("EX", "first", "oracle 8", "lost", "won", "p")
    lines = [f"{len(answered)} questions".ljust(width) + "".join(head.rjust(10) for head in heads)]
    whole = [one[WHOLE].right for one in answered]
    for part in PARTS:
        some = [one[part] for one in answered]
        lines.append(_line(part, [a.right for a in some], some, whole, width))
        if part == WHOLE:
            lines.append(_line(JUDGE, [a.first for a in some], some, whole, width))
    return "\n".join(lines)


def _line(
    part: str, right: Sequence[bool], some: Sequence[Answered], whole: Sequence[bool], width: int
) -> str:
    shares = [
        100 * sum(flags) / len(some) for flags in (right, [a.first for a in some], [a.few for a in some])
    ]
    lost = sum(a and not b for a, b in zip(whole, right, strict=True))
    won = sum(b and not a for a, b in zip(whole, right, strict=True))
    name = part if part == WHOLE else f"without {part}"
    cells = (
        "".join(f"{share:10.1f}" for share in shares) + f"{lost:10d}{won:10d}{mcnemar(whole, right):10.3f}"
    )
    return name.ljust(width) + cells
