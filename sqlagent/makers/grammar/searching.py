"""The search for readings: likely frames, likely roles, likely columns, best combinations first.

Decides how wide to look; every combination that composes becomes a scored tree.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from sqlagent.language.mentions import Target
from sqlagent.makers.grammar.choosing import START, Chooser
from sqlagent.makers.grammar.composing import Parts, compose
from sqlagent.makers.grammar.features import distinct_features, frame_features, slot_features, slot_kind
from sqlagent.makers.grammar.reading import Reading
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.scoring import Weights
from sqlagent.makers.grammar.tree import Query
from sqlagent.makers.grammar.variants import variants
from sqlagent.makers.grammar.weighing import Found, weigh

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Width:
    """How wide to search: frames, roles and picks of each step, the loss behind the best that ends it, trees that are weighed."""

    frames: int = 6
    roles: int = 14
    picks: int = 6
    loss: float = 7.0
    weighed: int = 60


def search(reading: Reading, schema: Schema, weights: Weights, width: Width) -> list[Found]:
    """Find trees for a reading, best first, each tree once."""
    chooser = Chooser(reading, schema, weights.pick or START)
    frames = weights.frame.log_probabilities(frame_features(reading))[: width.frames]
    out: dict[Query, Found] = {}
    for frame, frame_score in frames:
        if frame_score < frames[0][1] - width.loss:
            break
        for made in _framed(reading, schema, weights, chooser, width, frame, frame_score):
            for one in variants(made, reading, schema):
                if one.query not in out or out[one.query].search < one.search:
                    out[one.query] = one
    kept = sorted(out.values(), key=lambda f: -f.search)[: width.weighed]
    scored = [replace(f, score=weigh(f, reading, schema, weights.rank)) for f in kept]
    return sorted(scored, key=lambda f: -f.score)


def _framed(
    reading: Reading,
    schema: Schema,
    weights: Weights,
    chooser: Chooser,
    width: Width,
    frame: str,
    frame_score: float,
) -> Iterator[Found]:
    """Trees of one frame: likely roles, and for each likely columns."""
    options = [_role_options(reading, n, frame, schema, weights) for n in range(len(reading.slots))]
    distinct = weights.distinct.log_probabilities(distinct_features(reading, frame))
    for roles, role_score in islice(combinations(options, width.loss), width.roles):
        choices = [_choices(chooser, n, role) for n, role in enumerate(roles)]
        for picks, pick_score in islice(combinations(choices, width.loss), width.picks):
            parts = Parts(frame, roles, _one_date(reading, picks))
            for flag, flag_score in distinct:
                query = compose(reading, schema, parts, flag == "1")
                if query is not None:
                    yield Found(query, parts, frame_score, role_score, pick_score, flag_score)


def _one_date(reading: Reading, picks: tuple[Target | None, ...]) -> tuple[Target | None, ...]:
    """Let every period and month of a question be of the same date."""
    dated = [n for n, s in enumerate(reading.slots) if s.kind in ("grain", "period") and picks[n] is not None]
    if len(dated) < 2:
        return picks
    first = picks[dated[0]]
    return tuple(first if n in dated else p for n, p in enumerate(picks))


def _role_options(
    reading: Reading, number: int, frame: str, schema: Schema, weights: Weights
) -> list[tuple[str, float]]:
    slot = reading.slots[number]
    if slot.kind in ("period", "given"):
        return [("W", 0.0)]
    model = weights.role.get(slot_kind(slot))
    if model is None:
        return [("N", 0.0)]
    found = model.log_probabilities(slot_features(reading, number, frame, schema))
    usable = [(r, s) for r, s in found[:6] if not (r.startswith("T") and not slot.tables())]
    if slot.defined:  # what somebody explained takes part
        usable = [(r, s) for r, s in found if r != "N" and (slot.kind != "value" or r[:1] == "W")] or usable
        usable = [(r, s) for r, s in usable if not (r.startswith("T") and not slot.tables())]
    return usable[:4] or [("N", 0.0)]


def _choices(chooser: Chooser, number: int, role: str) -> list[tuple[Target | None, float]]:
    if role == "N" or role == "L" or role.startswith("H:"):
        slot = chooser.reading.slots[number]
        if not (role.startswith("H:") and slot.kind == "name"):
            return [(None, 0.0)]
    found = chooser.choices(number, role)
    return [(c.target, c.score) for c in found] or [(None, 0.0)]


def combinations(
    options: Sequence[Sequence[tuple[T, float]]], loss: float
) -> Iterator[tuple[tuple[T, ...], float]]:
    """Yield one option of each, best sums first, until more than `loss` is lost against the best.

    Example:
        >>> [c for c, _ in combinations([[("a", 0.0), ("b", -1.0)], [("x", 0.0), ("y", -3.0)]], 3.5)]
        [('a', 'x'), ('b', 'x'), ('a', 'y')]
    """
    start = (0,) * len(options)
    best = sum(o[0][1] for o in options)
    heap: list[tuple[float, tuple[int, ...]]] = [(-best, start)]
    seen = {start}
    while heap:
        cost, at = heapq.heappop(heap)
        yield tuple(o[i][0] for o, i in zip(options, at, strict=True)), -cost
        for n, place in enumerate(at):
            if place + 1 >= len(options[n]):
                continue
            step = options[n][place][1] - options[n][place + 1][1]
            nxt = (*at[:n], place + 1, *at[n + 1 :])
            if nxt not in seen and cost + step <= -best + loss:
                seen.add(nxt)
                heapq.heappush(heap, (cost + step, nxt))
