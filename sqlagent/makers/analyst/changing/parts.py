"""Common parts of two frames: each frame as a set of parts, and what one part tells of a change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.frames import COUNTING, OFF, Condition, Dimension, Expr, Frame, Measure, Slot

_EXISTS = "exists [] "
THERE = "exists []  None False None "
"""There are rows at all, which goes without saying where there are some of a kind."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a frame: its kind, what it is about, and what it says of that.

    Parts of one kind about one thing take each other's place: 2024 that of 2023, Norway that of Sweden.
    """

    kind: str
    about: str
    says: str = ""
    values: frozenset[str] = frozenset()
    denies: bool = False


def parts(frame: Frame) -> frozenset[Part]:
    """Take a frame apart. Ways between tables are left out, so that a change of the anchor is none of its conditions.

    So are the rows that sums of money leave out: only that some of these are counted is a part.

    Example:
        >>> sorted((p.kind, p.says) for p in parts(Frame("orders", (Measure("rows", "orders"),), limit=3)))
        [('measure', 'rows orders'), ('rank', '3')]
    """
    found = frozenset(_parts(frame))
    some = {part.about for part in found if part.says.startswith(_EXISTS) and part.says != THERE}
    return frozenset(part for part in found if not (part.says == THERE and part.about in some))


def _parts(frame: Frame) -> Iterator[Part]:
    several = len({measure.anchor for measure in frame.measures}) > 1
    held = [frozenset(_inner(measure)) for measure in frame.measures]
    shared = frozenset.intersection(*held) if several else frozenset()
    yield from shared  # what holds of the figures of all tables holds of the question
    for measure, inner in zip(frame.measures, held, strict=True):
        yield Part("measure", "", _measure(measure))
        yield from (replace(part, kind="inner") for part in inner - shared)
    if not frame.measures:
        yield Part("measure", "", f"list {frame.anchor}")
    for dimension in frame.by:
        yield Part("by", "", _dimension(dimension))
    for dimension in frame.per:
        yield Part("per", "", _dimension(dimension))
    for one in frame.where:
        yield from _condition(one)
    for flag in frame.flags:
        if flag.startswith(COUNTING):
            yield Part("where", flag, flag)
    for slot in frame.columns if not frame.measures else ():
        yield Part("column", "", _slot(slot))
    for bound in frame.having:
        yield Part(
            "having", _measure(bound.measure), f"{bound.compare} {bound.number} {bound.average} {bound.slot}"
        )
    if frame.order is not None:
        by = frame.order.by, frame.order.measure
        yield Part(
            "order",
            "",
            f"{frame.order.ascending} {_expression(by[0])} {_measure(by[1]) if by[1] else ''} {frame.order.dimension}",
        )
    if frame.limit is not None:
        yield Part("rank", "", f"{frame.limit}{f' after {frame.offset}' if frame.offset else ''}")
    if frame.formula is not None:
        yield Part("transform", "", f"formula {frame.formula.shape}")
    if frame.transform:
        yield Part("transform", "", f"{frame.transform} {frame.window or ''}")
    for value in frame.pivot:
        yield Part("pivot", "", value)


def _inner(measure: Measure) -> Iterator[Part]:
    """The parts of a figure alone. The periods that figures are compared over are parts of the question."""
    for one in measure.where:
        yield from _condition(one)
    for inner in (measure.over, measure.under, *measure.parts):
        if inner is not None:
            yield from _inner(inner)


def _condition(one: Condition) -> Iterator[Part]:
    if one.said.startswith(OFF):
        return
    if one.op == "all" and not one.negated:
        for part in one.parts:
            yield from _condition(part)
    elif one.op == "period" and one.period is not None:
        time = f"{one.period.first} {one.period.until}"
        yield Part("period", "", f"{time} {one.negated}", frozenset({time}))
    elif one.op == "any" and not one.negated and all(part.op == "period" for part in one.parts):
        times = [f"{p.period.first} {p.period.until}" for p in one.parts if p.period]
        yield Part("period", "", " or ".join(times), frozenset(times))
    else:
        yield Part(
            "where",
            _about(one),
            _says(one),
            frozenset(one.values),
            one.negated or one.op in ("not in", "missing"),
        )


def _about(one: Condition) -> str:
    if one.op in ("all", "any"):
        return f"{one.op} of " + ", ".join(map(_about, one.parts))
    return one.child or ", ".join(map(_slot, one.slots)) or _expression(one.expr)


def _says(one: Condition) -> str:
    inner = "; ".join(f"{_about(part)} {_says(part)}" for part in one.parts)
    return f"{one.op} {sorted(one.values)} {one.compare} {one.number} {one.negated} {one.period} {inner}"


def _measure(one: Measure) -> str:
    if one.agg == "ratio" and one.over is not None and one.under is not None:
        return f"ratio of {_measure(one.over)} to {_measure(one.under)}"
    if one.agg == "formula":
        return f"{one.shape} of {', '.join(map(_measure, one.parts))}"
    if one.agg == "distinct" and one.expr is not None and one.expr.slots[0].field.role is Role.KEY:
        return f"rows {one.expr.slots[0].field.table}"
    return f"{one.agg} {_expression(one.expr) or one.anchor}"


def _dimension(one: Dimension) -> str:
    return (
        f"{', '.join(map(_slot, one.shown))} {one.grain} {one.bucket or ''} {one.op.replace('several', '')}"
    )


def _expression(one: Expr | None) -> str:
    return f"{one.op} {', '.join(map(_slot, one.slots))} {one.unit}" if one is not None else ""


def _slot(one: Slot) -> str:
    return f"{one.field.table}.{one.field.column}"


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two frames: parts `lost`, parts `gained`, and pairs of which one took the other's place."""

    lost: frozenset[Part]
    gained: frozenset[Part]
    replaced: tuple[tuple[Part, Part], ...]

    @property
    def is_none(self) -> bool:
        """Whether both frames say the same."""
        return not (self.lost or self.gained or self.replaced)


def difference(before: frozenset[Part], after: frozenset[Part]) -> Difference:
    """Tell what became of a frame's parts; of two parts of one kind about one thing, the earlier counts as replaced."""
    lost, gained = set(before - after), set(after - before)
    for part in [one for one in lost if one.kind == "where" and replace(one, kind="inner") in gained]:
        lost.discard(part)  # of a rate it holds of what is counted alone
    replaced = []
    for old in sorted(lost, key=lambda part: (part.kind, part.about, part.says)):
        new = next(
            (one for one in sorted(gained, key=repr) if (one.kind, one.about) == (old.kind, old.about)), None
        )
        if new is not None:
            gained.discard(new)
            lost.discard(old)
            replaced.append((old, new))
    return Difference(frozenset(lost), frozenset(gained), tuple(replaced))
