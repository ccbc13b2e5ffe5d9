"""Items to a sketch: which mentions are asked for, which group, which restrict, what is ranked or compared.

Decides by operators and the order of items alone; what the mentions are in the source is
looked at only where a word's place does not tell.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.sketching import asking, placing, restricting
from sqlagent.makers.analyst.sketching.parts import Ask, Sketch
from sqlagent.makers.analyst.sketching.walk import Walk

_DENIALS = frozenset({"not", "except", "missing"})
"""Operators that say no."""

Handler = Callable[[Walk, Item], None]
"""The handler that takes an item in."""


def sketch(reading: Reading) -> Sketch:
    """Sort the items of a reading into the parts of a question."""
    walk = Walk(reading)
    while walk.at < len(walk.items):
        item = walk.items[walk.at]
        _KINDS.get(item.kind, placing.skip)(walk, item)
        walk.at += 1
    out = walk.out
    if walk.aggs and not out.asks and not out.rank:
        out.asks.append(Ask(None, tuple(walk.aggs), walk.distinct))
    elif walk.aggs == ["count"] and out.rank is not None and out.rank.by is None and not out.asks:
        out.rank_text += " by number"
    elif walk.aggs in (["count"], ["sum"]) and out.asks and not out.asks[0].aggs:
        out.asks[0].aggs = tuple(walk.aggs)  # "unpaid fines total"
    if walk.number is not None and out.rank is not None and out.rank.count is None:
        out.rank.count = int(walk.number)
    elif walk.number is not None:
        out.number = int(walk.number)
    out.clauses = [c for c in out.clauses if not c.is_empty]
    out.denials = [i.text for i in walk.items if i.op in _DENIALS and i not in walk.passed]
    out.unused += [item.text for item in walk.items if item.kind == "mention" and not walk.has_place(item)]
    return out


def _operator(walk: Walk, item: Item) -> None:
    handler = _OPERATORS.get(item.op)
    if handler is not None:
        handler(walk, item)


_OPERATORS: dict[str, Handler] = {
    "age": asking.age,
    "agg": asking.agg,
    "and": asking.and_,
    "average": restricting.average,
    "below average": restricting.average,
    "between": restricting.between,
    "both": restricting.both,
    "by": asking.by,
    "comparative": restricting.comparative,
    "contain": restricting.like,
    "count": asking.count,
    "current": restricting.current,
    "distinct": asking.distinct,
    "distribution": asking.distribution,
    "either": restricting.either,
    "end": restricting.like,
    "except": restricting.except_,
    "figures": asking.figures,
    "growth": asking.growth,
    "late": restricting.late,
    "list": asking.list_,
    "missing": restricting.missing,
    "more": restricting.more,
    "moving": asking.moving,
    "much": asking.much,
    "new": asking.new,
    "not": restricting.not_,
    "of": asking.of,
    "on time": restricting.on_time,
    "or": restricting.or_,
    "past": restricting.past,
    "pivot": asking.pivot,
    "rank": asking.rank,
    "rankall": asking.rankall,
    "rate": asking.rate,
    "ratio": asking.ratio,
    "rel": asking.rel,
    "running": asking.running,
    "same": restricting.same,
    "share": asking.share,
    "span": asking.span,
    "start": restricting.like,
    "tenure": asking.tenure,
    "than": restricting.than,
    "there": asking.there,
    "times": restricting.times,
    "trend": asking.trend,
    "vs": asking.vs,
    "when": asking.when,
    "weekday": restricting.weekday,
    "clock": restricting.clock,
    "where": asking.where,
    "why": asking.why,
    "with": asking.with_,
    "zero": asking.zero,
}

_KINDS: dict[str, Handler] = {
    "op": _operator,
    "mention": placing.mention,
    "pair": placing.pair,
    "number": placing.number,
    "ordinal": placing.ordinal,
    "period": placing.period,
    "grain": placing.grain,
    "unit": placing.unit,
    "text": placing.text,
    "unknown": placing.unknown,
    "verb": restricting.verb,
    "glue": placing.glue,
}
