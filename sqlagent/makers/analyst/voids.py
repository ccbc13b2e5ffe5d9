"""Rows that are no money: cancelled and void ones stay out of sums and averages of money; the reading that counts them stands beside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass, replace

from sqlagent.catalog.semantics import Field
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.saying import Saying, in_commas, worded
from sqlagent.language.words import fold, stem
from sqlagent.makers.analyst.frames import COUNTING, OFF, Condition, Expr, Frame, Measure, Slot
from sqlagent.makers.analyst.heeding import conditions, figures
from sqlagent.makers.analyst.off_states import SOFT, VOID, Off, is_periodic, off_of
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import labels

WITH_ALL = 0.08
"""Cost of summing these rows too, where a question names none."""

EITHER = 0.01
"""The same where people differ in it: so little that somebody has to choose."""

_SOME = 0.02
"""Extra cost of leaving out only those that nobody counts."""

_GIFTS = stems("donation gift contribution pledge")
_CAME = frozenset({"received", "succeeded", "success", "successful", "settled", "cleared", "captured"})
_WENT = frozenset({"pledged", "promised", "cancelled", "canceled", "void", "voided", "failed", "bounced", "refunded", "rejected", "declined", "returned"})  # fmt: skip
"""States of gifts that came, and of those that never did or went back."""
_CAME_SAID = frozenset(map(stem, [*_CAME, *_WENT, "pending"]))
_UNDOING = stems(
    "refund refunded cancel cancellation cancelled penalty forfeited compensation chargeback returned reversal"
)
"""Words of columns of money that is there because something was undone."""
_AND = worded(" and ")
_ALIKE = 5
"""Letters by which a word is taken to be about a state: cancellation, cancelling, cancelled."""


def without_voids(frame: Frame, reading: Reading, source: Source) -> list[Frame]:
    """Give the frame without rows that are no money, and with them; likeliest first. Of counts and lists, and where a state is named, the frame alone.

    Where people differ in it (quotes that were refused), both are as likely.
    """
    said = {stem(word) for item in reading.items for word in fold(item.text).split()}
    if (came := _gifts_that_came(frame, said, source)) is not None:
        kept = replace(frame, where=(*frame.where, came))
        return [kept, replace(frame, cost=round(frame.cost + WITH_ALL, 4))]
    told = _left_out(frame, said, source)
    if not told:
        return [frame]
    families = _families(told)
    kept = _kept(frame, told, families)
    full = replace(frame, flags=(*frame.flags, *(COUNTING + one for one in families)))
    if all(off.is_asked for off in told.values()):
        return [full, replace(kept, cost=round(frame.cost + EITHER, 4))]
    out = [kept, replace(full, cost=round(frame.cost + WITH_ALL, 4))]
    soft = tuple(one for one in families if one in SOFT)
    if soft and len(soft) < len(families):
        some = _kept(frame, told, tuple(one for one in families if one not in SOFT))
        some = replace(some, flags=(*some.flags, *(COUNTING + one for one in soft)))
        out.append(replace(some, cost=round(frame.cost + WITH_ALL + _SOME, 4)))
    return out


def counting(frame: Frame, words: Iterable[str], source: Source) -> Frame | None:
    """Give the frame with the rows of some words counted too; None where it tells of none that are so, or is held to a state by itself.

    Rows that are counted or listed are all there anyway.
    """
    bare = without_default(frame)
    if bare.measures or _bounds(bare):
        told = _offs(bare, source, is_grouped=True)
    else:
        off = off_of(bare.anchor, source) if bare.anchor else None
        told = (
            {bare.anchor: off} if off is not None and off.slot.field not in set(_fields(bare.where)) else {}
        )
    asked = [one for one in _families(told) if any(_is_same(one, other) for other in words)]
    if not asked:
        return None
    rest = tuple(one for one in left_out_of(frame) if one not in asked)
    kept = _kept(bare, told, rest) if rest else bare
    return replace(kept, flags=(*bare.flags, *(COUNTING + one for one in asked)))


def with_default(frame: Frame, before: Frame, source: Source) -> Frame:
    """Give a changed frame with what goes with its figures: rows that are no money go where it came to sum money, and come back where it came to count.

    They come back too where the frame looks at their state itself. A frame that summed money before keeps what was chosen for it.
    """
    bare = without_default(frame)
    if not _sums_money(frame):
        return bare
    told = _left_out(bare, set(), source)
    if not told:
        return bare
    is_chosen = any(flag.startswith(COUNTING) for flag in frame.flags) or bool(left_out_of(frame))
    return frame if is_chosen or _sums_money(before) else _kept(frame, told, _families(told))


def left_out_of(frame: Frame) -> tuple[str, ...]:
    """The words for the rows that a frame leaves out because they are no money, each once."""
    said = [one.said.removeprefix(OFF) for one in conditions(frame) if one.said.startswith(OFF)]
    return tuple(dict.fromkeys(word for words in said for word in words.split(", ")))


def are_same(words: Iterable[str], others: Iterable[str]) -> bool:
    """Whether each of some words is about a state that others are about."""
    others = list(others)
    return all(any(_is_same(one, other) for other in others) for one in words)


def note(frame: Frame) -> Iterator[Saying]:
    """Say which rows a sum of money leaves out that nobody named, and how they are counted."""
    if words := left_out_of(frame):
        yield worded(
            "Rows that are {words} are no money and are left out; “including {typed}” counts them too.",
            words=in_commas(list(words), _AND),
            typed=" and ".join(words),
        )


def without_default(frame: Frame) -> Frame:
    """Give the frame with these rows, and without a word about them."""
    measures = tuple(replace(m, where=_others(m.where)) for m in frame.measures)
    flags = tuple(flag for flag in frame.flags if not flag.startswith(COUNTING))
    return replace(frame, where=_others(frame.where), measures=measures, flags=flags)


def all_counted(frame: Frame) -> Frame:
    """Give the frame with the rows that it leaves out, told as that."""
    words = left_out_of(frame)
    bare = without_default(frame)
    kept = tuple(flag for flag in frame.flags if flag.startswith(COUNTING))
    return replace(bare, flags=(*bare.flags, *kept, *(COUNTING + word for word in words)))


def left_out_again(frame: Frame, source: Source) -> Frame:
    """Give the frame without the rows that it counts though sums of money leave them out."""
    bare = without_default(frame)
    told = _left_out(bare, set(), source)
    return _kept(bare, told, _families(told)) if told else bare


def _others(where: tuple[Condition, ...]) -> tuple[Condition, ...]:
    return tuple(
        replace(one, parts=_others(one.parts)) if one.parts else one
        for one in where
        if not one.said.startswith(OFF)
    )


def _left_out(frame: Frame, said: set[str], source: Source) -> dict[str, Off]:
    """States whose rows are no money, by the table whose rows a figure goes through; none where the frame is held to a state or a question speaks of it.

    `said` are the stems of the question.
    """
    if not _sums_money(frame) or not frame.anchor:
        return {}
    out = {}
    for anchor, off in _offs(frame, source).items():
        kept = tuple(one for one in off.values if not any(_is_same(word, one[1]) for word in said))
        if kept:
            out[anchor] = replace(off, values=kept)
    return out


def _offs(frame: Frame, source: Source, *, is_grouped: bool = False) -> dict[str, Off]:
    """States whose rows are no money, of the tables that the figures of a frame go through, where it looks at no such state itself.

    It may be grouped by the state where `is_grouped`.
    """
    touched = set(_fields(replace(frame, by=(), per=()) if is_grouped else frame))
    found = {}
    anchors = _anchors(frame)
    for table in [*anchors, *(one.child for one in _bounds(frame))]:
        off = off_of(table, source)
        if off is None or off.slot.field in touched:
            continue
        if table not in anchors and off.slot.path and off.slot.path[-1].target == frame.anchor:
            continue  # "orders over 1000" lists cancelled ones too
        values = tuple(one for one in off.values if not any(_tells_of(field, one[1]) for field in touched))
        if values:
            found[table] = replace(off, values=values)
    money = {off.slot.field for table, off in found.items() if _is_summed(frame, table)}
    return {table: off for table, off in found.items() if not money or off.slot.field in money}


def _anchors(frame: Frame) -> list[str]:
    """The tables whose rows the figures of a frame go through; none where one figure is of several, or where none is of money and a bound is."""
    anchors = list(dict.fromkeys(measure.anchor for measure in frame.measures))
    every = list(figures(frame))
    if any(_inner_anchors(m) - {m.anchor} for m in every):
        return []
    if len(anchors) == 1 and any(m.anchor != frame.anchor for m in every):
        return []
    return anchors if any(map(_is_money, every)) or not _bounds(frame) else []


def _bounds(frame: Frame) -> list[Condition]:
    """The bounds on sums of money of rows that point at a frame's rows: customers who spent more than 1000."""
    return [
        one
        for one in frame.where
        if one.op == "exists"
        and one.counted is not None
        and one.values != ("distinct",)
        and _is_of_money(one.counted)
    ]


def _is_summed(frame: Frame, anchor: str) -> bool:
    """Whether money of a table's rows is summed."""
    summed = any(_is_money(m) for m in figures(frame) if m.anchor == anchor)
    return summed or any(one.child == anchor for one in _bounds(frame))


def _tells_of(field: Field, family: str) -> bool:
    """Whether a column is about rows of a word: a reason or a time of cancelling, a fee for it."""
    return any(_is_same(word, family) for word in field.words)


def _inner_anchors(measure: Measure) -> set[str]:
    return {part.anchor for part in (measure.over, measure.under, *measure.parts) if part is not None}


def _families(told: dict[str, Off]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for off in told.values() for word in off.families()))


def _kept(frame: Frame, told: dict[str, Off], families: tuple[str, ...]) -> Frame:
    """The frame without rows of some words: of figures of several tables each by itself, of bounds the rows that are summed for them."""
    made = {a: off.condition(families) for a, off in told.items() if set(off.families()) & set(families)}
    bounds = _bounds(frame)
    where = tuple(
        replace(one, parts=(*one.parts, made[one.child])) if one in bounds and one.child in made else one
        for one in frame.where
    )
    frame = replace(frame, where=where)
    anchors = [one for one in _anchors(frame) if one in made]
    if len({m.anchor for m in frame.measures}) > 1:
        measures = tuple(
            replace(m, where=(*m.where, made[m.anchor])) if m.anchor in anchors else m for m in frame.measures
        )
        return replace(frame, measures=measures)
    return replace(frame, where=(*where, *(made[one] for one in anchors)))


def _sums_money(frame: Frame) -> bool:
    """Whether a frame sums money, for a figure or for a bound."""
    return bool(frame.measures) and any(map(_is_money, figures(frame))) or bool(_bounds(frame))


def _is_money(measure: Measure) -> bool:
    """Whether money is summed up, or averaged."""
    if measure.agg in ("rows", "distinct", "ratio", "formula") or measure.expr is None:
        return False
    return _is_of_money(measure.expr)


def _is_of_money(expr: Expr) -> bool:
    """Whether something is money: none that is there because something was undone, or that is due for each period."""
    of = [slot.field for slot in expr.slots]
    return any(one.unit == "money" for one in of) and not any(
        set(one.words) & _UNDOING or is_periodic(one) for one in of
    )


def _is_same(one: str, other: str) -> bool:
    """Whether two words are about one state: cancellation and cancelled, void and voided."""
    return one[:_ALIKE] == other[:_ALIKE] or {one, other} <= VOID


def _gifts_that_came(frame: Frame, said: set[str], source: Source) -> Condition | None:
    """That gifts came, where some were only pledged; None of everything else, and where a question speaks of it."""
    if not frame.anchor or not _sums_money(frame) or said & _CAME_SAID:
        return None
    thing = source.model.things[frame.anchor]
    state = source.model.field(frame.anchor, thing.state) if thing.state else None
    if state is None or not set(thing.noun) & _GIFTS or state in set(_fields(frame)):
        return None
    if any(m.anchor != frame.anchor for m in figures(frame)):
        return None
    named = [(code, fold(label)) for code, label in labels(source, state)]
    came = tuple(code for code, label in named if label in _CAME)
    return Condition("in", (Slot(state),), came) if came and {label for _, label in named} & _WENT else None


def _fields(part: object) -> Iterator[Field]:
    """Every column that a frame looks at, wherever in it."""
    if isinstance(part, Field):
        yield part
    elif isinstance(part, tuple):
        for one in part:
            yield from _fields(one)
    elif is_dataclass(part):
        for one in fields(part):
            yield from _fields(getattr(part, one.name))
