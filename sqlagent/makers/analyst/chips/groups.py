"""Other groups of figures: columns and things on the way, nearest first, and other grains of a time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics import Field, Form, Kind, Role
from sqlagent.language.saying import worded
from sqlagent.language.words import singular
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.chips.settling import grouped_by
from sqlagent.makers.analyst.chips.values import REMOVE, Option, Part
from sqlagent.makers.analyst.frames import Dimension, Frame, Path, Slot
from sqlagent.makers.analyst.source import Source

MOST = 24
"""Groups offered, nearest first."""

WAYS = 2
"""Ways to one table that are offered."""

_MONTHS = frozenset({Form.TEXT_MONTH, Form.NUMBER_MONTH})
_MOMENTS = frozenset({Form.MOMENT, Form.TEXT_MOMENT, Form.SECONDS, Form.MILLISECONDS})


@dataclass(frozen=True, slots=True)
class Group:
    """Something to group by, what it is called and the key by which it is chosen."""

    words: str
    key: str
    dimension: Dimension


def group_parts(frame: Frame, source: Source) -> Iterator[Part]:
    """Give a chip for each group, and for each within which the first few are counted."""
    anchor = anchor_of(frame)
    is_one_table = len({m.anchor for m in frame.measures}) <= 1
    found = groups(source, anchor) if is_one_table else ()
    for place, one in enumerate(frame.by):
        options = [*_grains(frame, place, source, is_one_table)]
        options += [_replaced(frame, place, o, "Another group") for o in found if not _is_held(frame, o)]
        options += [_gone(frame, replace(frame, by=_without(frame.by, place)), one)]
        yield Part(f"by:{place}", "group", "by", _words(one, source.time_of(anchor)), tuple(options))
    for place, one in enumerate(frame.per):
        options = []
        for other in found:
            if _is_held(frame, other):
                continue
            per = (*frame.per[:place], other.dimension, *frame.per[place + 1 :])
            said = worded(
                "in each {words} instead of {dimension}", words=other.words, dimension=telling.dimension(one)
            )
            changed = grouped_by(replace(frame, per=per), frame.by)
            options.append(Option(other.words, other.key, "In each", changed, said))
        options += [_gone(frame, replace(frame, per=_without(frame.per, place)), one)]
        yield Part(f"per:{place}", "group", "in each", telling.dimension(one), tuple(options))


def groups_added(frame: Frame, source: Source) -> Iterator[Option]:
    """Groups that may be added: columns and things, then months and years."""
    if len({m.anchor for m in frame.measures}) != 1 or frame.transform == "between":
        return
    anchor = anchor_of(frame)
    for other in groups(source, anchor):
        if _is_held(frame, other):
            continue
        changed = grouped_by(frame, (*frame.by, other.dimension))
        yield Option(
            other.words,
            f"by:{other.key}",
            "Group by",
            changed,
            worded("grouped by {words}", words=other.words),
        )
    time = source.time_of(anchor)
    if time is not None and not any(d.grain for d in frame.by):
        for grain in grains_of(time.field):
            changed = grouped_by(frame, (Dimension((time,), grain=grain, said=grain), *frame.by))
            yield Option(
                worded(grain),
                f"grain:{grain}",
                "Group by time",
                changed,
                worded("grouped by {grain}", grain=worded(grain)),
            )


def anchor_of(frame: Frame) -> str:
    """The table whose rows a frame goes through."""
    return frame.measures[0].anchor if frame.measures else frame.anchor


def groups(source: Source, anchor: str) -> tuple[Group, ...]:
    """The groups of figures of a table's rows, nearest first."""
    found: list[tuple[int, int, Group, Field | None]] = []
    for table, paths in source.graph.up(anchor).items():
        thing = source.model.things[table]
        if thing.kind in (Kind.DATES, Kind.CODES, Kind.HISTORY):
            continue
        for path in paths[:WAYS]:
            if path and thing.kind is Kind.THING and source.names(table):
                dimension = source.dimension(table, path, _pointed(source, path) or singular(thing.said))
                found.append((len(path), 0, _group(dimension, f"thing:{table}", path), None))
            for one in source.model.fields[table]:
                if _sorts(one) and one.column not in thing.display and not source.is_personal(one):
                    dimension = Dimension((Slot(one, path),), said=one.said)
                    found.append((len(path), 1, _group(dimension, f"field:{table}.{one.column}", path), one))
    said = Counter(group.words for _, _, group, _ in found)
    out = []
    for hops, _, group, column in sorted(found, key=lambda f: (f[0], f[1])):
        if column is not None and said[group.words] > 1 and hops:
            group = _owned(source, group, column)
        out.append(group)
    return tuple({group.words: group for group in reversed(out)}.values())[::-1][:MOST]


def _sorts(one: Field) -> bool:
    """Whether a column sorts rows into a few groups."""
    return (one.role is Role.DIMENSION and one.few) or one.role is Role.FLAG or one.codes is not None


def _group(dimension: Dimension, key: str, path: Path) -> Group:
    way = ">".join(",".join(relation.columns) for relation in path)
    return Group(dimension.said, f"{way}:{key}" if way else key, dimension)


def _owned(source: Source, group: Group, one: Field) -> Group:
    """A group whose column has a name that others have too: with the thing it is of."""
    path = group.dimension.shown[0].path
    owner = _pointed(source, path) or singular(source.model.things[one.table].said)
    words = one.said if one.said.startswith(owner) else f"{owner} {one.said}"
    return replace(group, words=words, dimension=replace(group.dimension, said=words))


def _pointed(source: Source, path: Path) -> str:
    """The name of the last step of a way, where that is not what it leads to: the manager."""
    last = path[-1] if path else None
    if last is None or not last.words:
        return ""
    pointing = source.model.field(last.source, last.columns[0])
    said = pointing.said.split() if pointing is not None else []
    while len(said) > 1 and said[-1] in ("key", "id", "code", "number", "no"):
        said = said[:-1]
    return " ".join(said)


def grains_of(one: Field) -> tuple[str, ...]:
    """The grains that a time may be cut into, by how it is written down."""
    if one.form is Form.YEAR:
        return ("year",)
    if one.form in _MONTHS:
        return ("month", "quarter", "year")
    days = ("day", "week", "month", "quarter", "year", "weekday")
    return (*days, "hour") if one.form in _MOMENTS else days


def times_of(source: Source, anchor: str) -> list[Slot]:
    """The times of a table's rows and of the events they belong to, the usual one first."""
    usual = source.time_of(anchor)
    out = [usual] if usual is not None else []
    for table, paths in source.graph.up(anchor).items():
        if table != anchor and source.model.things[table].kind is not Kind.EVENT:
            continue
        for one in source.model.of_role(table, Role.TIME):
            slot = Slot(one, paths[0])
            if slot not in out and not source.is_personal(one):
                out.append(slot)
    return out


def _grains(frame: Frame, place: int, source: Source, others: bool) -> Iterator[Option]:
    """Other grains of the same time, or grains of the usual one where the group is no time."""
    one = frame.by[place]
    time = one.shown[0] if one.grain else source.time_of(anchor_of(frame))
    if time is None or not one.grain and (not others or any(d.grain for d in frame.by)):
        return
    for grain in grains_of(time.field):
        if grain == one.grain:
            continue
        new = (
            replace(one, grain=grain, said=grain)
            if one.grain
            else Dimension((time,), grain=grain, said=grain)
        )
        changed = grouped_by(frame, (*frame.by[:place], new, *frame.by[place + 1 :]))
        heading = "By" if one.grain else "By time"
        yield Option(
            worded(grain),
            f"grain:{grain}",
            heading,
            changed,
            worded("by {words} instead of {said}", words=worded(grain), said=_said(one)),
        )


def _replaced(frame: Frame, place: int, other: Group, heading: str) -> Option:
    by = (*frame.by[:place], other.dimension, *frame.by[place + 1 :])
    said = worded("by {words} instead of {said}", words=other.words, said=_said(frame.by[place]))
    return Option(other.words, other.key, heading, grouped_by(frame, by), said)


def _is_held(frame: Frame, other: Group) -> bool:
    """Whether figures are given for the same already."""
    return any(held.shown == other.dimension.shown for held in (*frame.by, *frame.per))


def _words(one: Dimension, usual: Slot | None) -> str:
    """A group in words; of the usual time its grain alone."""
    return worded(one.grain) if one.grain and one.shown[0] == usual else telling.dimension(one)


def _said(one: Dimension) -> str:
    return worded(one.grain) if one.grain else telling.dimension(one)


def _gone(frame: Frame, left: Frame, one: Dimension) -> Option:
    flags = frame.transform == "between" and not left.by
    changed = grouped_by(left, left.by) if not flags else left
    return Option("Remove this group", REMOVE, "", changed, worded("no longer by {said}", said=_said(one)))


def _without(some: tuple[Dimension, ...], place: int) -> tuple[Dimension, ...]:
    return (*some[:place], *some[place + 1 :])
