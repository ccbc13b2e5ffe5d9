"""Which of several ways between two tables is meant: "city of the practice", "vehicle depot", "to Vienna".

Decides it by what was said of whom, before anything else is made of the items. Where nothing was said, the shortest way is taken
(`attaching`) and the others become readings (`rival_ways`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.catalog.semantics.words import KEYS
from sqlagent.language.words import singular, stem
from sqlagent.makers.analyst.frames import OFF, Condition, Dimension, Frame, Path, Slot
from sqlagent.makers.analyst.graph import HOP, OTHER, Graph
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import Target

_WAYS = {
    "to": frozenset(stem(w) for w in ("destination", "to", "arrival", "target", "consignee", "receiver", "recipient", "dropoff")),
    "into": frozenset(stem(w) for w in ("destination", "to", "arrival", "target")),
    "from": frozenset(stem(w) for w in ("origin", "from", "departure", "source", "sender", "pickup", "start")),
    "out of": frozenset(stem(w) for w in ("origin", "from", "departure", "source", "pickup", "start")),
}  # fmt: skip
"""Words of columns that are about one end of a way, by the preposition that is."""

AGAINST = 0.2
"""The cost of the other end than the one that was said."""

TIED = 0.01
"""The cost of one that is as short and as plain: which of them is meant has to be chosen."""


def owned(reading: Reading, source: Source) -> Reading:
    """Give a reading whose mentions know whom they are of; a mention that only says whose a group is goes into that group."""
    items = list(reading.items)
    at = 0
    while at < len(items):
        if items[at].op == "by" and at + 1 < len(items):
            merged = _group(items, at + 1, source)
            if merged is not None:
                one, length = merged
                items[at + 1 : at + 1 + length] = [one]
        at += 1
    for at, item in enumerate(items):
        if item.kind == "mention" and any(t.kind == "value" for t in item.targets):
            items[at] = _placed(items, at, source)
    return replace(reading, items=tuple(items)) if tuple(items) != reading.items else reading


def _group(items: Sequence[Item], at: int, source: Source) -> tuple[Item, int] | None:
    """ "depot of the vehicle", "vehicle's depot" after a "by": one item, and of how many it is made."""
    first = items[at]
    second = items[at + 1] if at + 1 < len(items) else None
    if first.kind != "mention" or second is None:
        return None
    if second.kind == "mention" and second.start == first.end:
        one = _of(second, first, source)
        return (one, 2) if one is not None else None
    third = items[at + 2] if at + 2 < len(items) else None
    if second.op != "of" or second.text.lower() != "of" or third is None or third.kind != "mention":
        return None
    one = _of(first, third, source) if third.start - second.end <= 1 else None
    return (one, 3) if one is not None else None


def _of(item: Item, owner: Item, source: Source) -> Item | None:
    """A mention with its owner; None where the one says nothing of where the other is found."""
    if owner.targets[0].kind not in ("thing", "relation") or owner.targets[0].cost > 0.3:
        return None
    if item.targets[0].kind not in ("thing", "field"):
        return None
    if _does(owner.targets[0], item.targets[0], source):
        return None
    own = tuple(
        t for t in owner.targets if t.kind in ("thing", "relation") and t.cost <= owner.targets[0].cost + 0.05
    )
    tables = {_there(t) for t in own}
    kept = tuple(
        t for t in item.targets
        if t.kind in ("thing", "field") and any(_leads(source.graph, table, t) for table in tables)
    )  # fmt: skip
    if not kept or kept[0].cost > item.targets[0].cost + 0.3:
        return None
    if all(t.table in tables and t.kind == "thing" for t in kept):
        return None
    start, end = min(item.start, owner.start), max(item.end, owner.end)
    text = f"{owner.text} {item.text}"
    return replace(item, start=start, end=end, text=text, targets=kept, owner=own)


def _does(owner: Target, item: Target, source: Source) -> bool:
    """ "Jobs did each mechanic finish": who has a role in rows, and a time of these rows, which says what was done."""
    one = source.model.field(item.table, item.column) if item.kind == "field" else None
    by = owner.relation is not None and owner.relation.source == item.table
    return by and one is not None and one.role is Role.TIME


def _leads(graph: Graph, table: str, target: Target) -> bool:
    return (
        target.table == table
        and target.kind == "field"
        or bool(target.table != table and graph.paths(table, target.table))
    )


def _there(target: Target) -> str:
    return target.relation.target if target.relation is not None else target.table


def _placed(items: Sequence[Item], at: int, source: Source) -> Item:
    """A stored value with the thing right beside it ("practices in Kiel", "Kiel practices") and its direction."""
    item = items[at]
    before = items[at - 1] if at else None
    nxt = items[at + 1] if at + 1 < len(items) else None
    way = (
        before.text.lower()
        if before is not None and before.op == "of" and before.text.lower() in _WAYS
        else ""
    )
    beside = [nxt] if nxt is not None and nxt.start == item.end else []
    if before is not None and before.op == "of" and at > 1 and item.start - items[at - 2].end <= 3:
        beside.append(items[at - 2])
    own: tuple[Target, ...] = ()
    for owner in beside:
        best = owner.targets[0] if owner.kind == "mention" else None
        if best is not None and best.kind in ("thing", "relation") and best.cost <= 0.3:
            own = own or ((best,) if _valued(source.graph, _there(best), item) else ())
    return replace(item, owner=own, way=way) if own or way else item


def _valued(graph: Graph, table: str, item: Item) -> bool:
    return any(t.kind == "value" and t.table != table and graph.paths(table, t.table) for t in item.targets)


def owners_paths(graph: Graph, anchor: str, table: str, owner: Iterable[Target]) -> list[Path]:
    """The paths that lead over an owner, shortest first; none where it does not lie between."""
    out: list[Path] = []
    for target in owner:
        there = _there(target)
        if target.relation is not None:
            begun = [(*p, target.relation) for p in graph.paths(anchor, target.relation.source)]
        else:
            begun = list(graph.paths(anchor, there))
        out += [(*p, *q) for p in begun for q in graph.paths(there, table)]
    return sorted(dict.fromkeys(p for p in out if len({r.source for r in p}) == len(p)), key=len)[:4]


def directed(places: list[tuple[float, Slot, Target]], way: str) -> list[tuple[float, Slot, Target]]:
    """Places of a value with those dearer that are at the other end than "from" or "to" says."""
    meant = _WAYS.get(way, frozenset())
    right = [_said(slot) & meant for _, slot, _ in places]
    if not any(right):
        return places
    return [
        (cost if fits else cost + AGAINST, slot, t)
        for (cost, slot, t), fits in zip(places, right, strict=True)
    ]


def _said(slot: Slot) -> set[str]:
    return {*slot.field.words, *(w for r in slot.path for w in r.words)}


def way_said(source: Source, anchor: str, slot: Slot) -> str:
    """How a column is reached, in words, where there is more than one way; empty where there is none other."""
    if not slot.path or len(source.graph.paths(anchor, slot.field.table)) < 2:
        return ""
    last = slot.path[-1]
    if last.words:
        pointing = source.model.field(last.source, last.columns[0])
        said = pointing.said.split() if pointing is not None else []
        return " ".join(w for w in said if stem(w) not in KEYS)
    owner = source.model.things[last.source]
    return f"of the {singular(owner.said)}" if last.source != anchor or owner.kind is Kind.EVENT else ""


def named(frame: Frame, source: Source) -> Frame:
    """Give a frame whose dimensions and values say over which way they are reached, where there are several."""
    anchor = frame.anchor
    by = tuple(
        replace(d, way=d.way or way_said(source, anchor, d.shown[0])) if d.shown and not d.grain else d
        for d in frame.by
    )
    where = tuple(
        replace(c, said=way_said(source, anchor, c.slots[0]))
        if c.op in ("in", "not in") and not c.said.startswith(OFF)
        else c
        for c in frame.where
    )
    return frame if (by, where) == (frame.by, frame.where) else replace(frame, by=by, where=where)


def _is_directed(held: Condition, items: Sequence[Item]) -> bool:
    """Whether a value is reached at the end that its preposition says, or over the role that was: shipments to Norway, jobs checked by Ada."""
    slot = held.slots[0]
    return any(
        (
            _said(slot) & _WAYS.get(item.way, frozenset())
            or any(owner.relation in slot.path for owner in item.owner)
        )
        and any(
            (t.kind, t.table, t.column) == ("value", slot.field.table, slot.field.column)
            for t in item.targets
        )
        and any(t.value in held.values for t in item.targets)
        for item in items
    )


def rival_ways(frame: Frame, source: Source, items: Sequence[Item] = ()) -> list[Frame]:
    """The same frame with a group or a value reached over another way, where none was said; shortest first."""
    if frame.transform == "quotient" or any(m.anchor != frame.anchor for m in frame.measures):
        return []
    out: list[Frame] = []
    for place, dimension in enumerate(frame.by):
        slot = dimension.shown[0] if dimension.shown else None
        if slot is None or dimension.grain or dimension.way or _is_said(dimension.said, slot):
            continue
        for path, cost in _others(frame, slot, source):
            by = (*frame.by[:place], _over(dimension, path), *frame.by[place + 1 :])
            out.append(replace(frame, by=by, cost=cost))
    for place, held in enumerate(frame.where):
        if held.op not in ("in", "not in") or len(held.slots) != 1 or _is_directed(held, items):
            continue
        for path, cost in _others(frame, held.slots[0], source):
            moved = replace(held, slots=(replace(held.slots[0], path=path),))
            out.append(
                replace(frame, where=(*frame.where[:place], moved, *frame.where[place + 1 :]), cost=cost)
            )
    return sorted(out, key=lambda f: f.cost)


def rival_columns(frame: Frame, items: Sequence[Item], source: Source) -> list[Frame]:
    """The same frame with a value of another column as near, where both store it: the city of the customer, or of the store."""
    out: list[Frame] = []
    if any(m.anchor != frame.anchor for m in frame.measures):
        return out
    said = {t.table for item in items for t in item.targets[:3] if t.kind == "thing" and t.cost < OTHER}
    for place, held in enumerate(frame.where):
        if held.op != "in" or len(held.slots) != 1 or len(held.values) != 1 or not held.slots[0].path:
            continue
        slot = held.slots[0]
        if slot.field.table in said:
            continue  # customers in Norway are not those of Norwegian stores
        for target in _as_near(slot, str(held.values[0]), items):
            path = next(iter(source.graph.paths(frame.anchor, target.table)), ())
            if not path or len(path) > len(slot.path):
                continue
            other = replace(
                held, slots=(source.slot(target.table, target.column, path),), values=(target.value,)
            )
            where = (*frame.where[:place], other, *frame.where[place + 1 :])
            out.append(replace(frame, where=where, cost=round(frame.cost + TIED, 4)))
    return out


def _as_near(slot: Slot, value: str, items: Sequence[Item]) -> Iterator[Target]:
    """The values of other columns that the same words mean as well."""
    own = (slot.field.table, slot.field.column, value)
    for item in items:
        stored = [t for t in item.targets if t.kind == "value"]
        mine = next((t for t in stored if (t.table, t.column, t.value) == own), None)
        if mine is not None:
            yield from (t for t in stored if t.cost <= mine.cost and t.table != mine.table)


def _others(frame: Frame, slot: Slot, source: Source) -> Iterator[tuple[Path, float]]:
    for path in source.graph.paths(frame.anchor, slot.field.table) if slot.path else ():
        if path in (slot.path, ()) or len(path) > len(slot.path) + 1:
            continue
        rolled = any(r.words for r in path) != any(r.words for r in slot.path)
        later = TIED if len(path) == len(slot.path) and not rolled else OTHER
        yield path, round(frame.cost + later + HOP * (len(path) - len(slot.path)), 4)


def _is_said(said: str, slot: Slot) -> bool:
    """Whether the words of a group name the way already: origin depot."""
    return bool(slot.path) and bool({stem(w) for w in said.split()} & set(slot.path[-1].words))


def _over(dimension: Dimension, path: Path) -> Dimension:
    def moved(slots: Iterable[Slot]) -> tuple[Slot, ...]:
        return tuple(replace(slot, path=path) for slot in slots)

    return replace(dimension, shown=moved(dimension.shown), keys=moved(dimension.keys))
