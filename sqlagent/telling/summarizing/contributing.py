"""Which values of a dimension a change is made of: exact parts that add up to it.

Sums are split by difference. A quotient of sums is split into what its own rates changed (rate) and what moved between values of
different rates (mix): for weights w and rates r before and now, (r1 - r0)(w0 + w1)/2 and (w1 - w0)((r0 + r1)/2 - R), R the mean of the whole's rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from fractions import Fraction
from typing import Any

from sqlagent.language.saying import worded
from sqlagent.values import Rows

SHOWN = 8
"""Values of a dimension that are told one by one; the others are added up."""

DIGITS = 12
"""Digits that sums of floating point numbers are good for."""


class Kind(StrEnum):
    """The meaning of a part: a value, rows that point to none, or all values beyond the first ones."""

    VALUE = "value"
    NONE = "none"
    OTHERS = "others"
    ALL = "all"


@dataclass(frozen=True, slots=True)
class Part:
    """One line of a split: the figure before and now, and its part in the change of the whole.

    `before` or `now` is None where there is no figure, as of a quotient of nothing. `share` is the part in percent of the whole change, None where that is 0. `row` is its
    place in the rows it was read from, `count` how many values the others are. `mix` and `rate` add up to the part of a quotient.
    """

    kind: Kind
    values: tuple[Any, ...]
    before: Decimal | None
    now: Decimal | None
    change: Decimal
    share: Decimal | None = None
    row: int | None = None
    count: int = 1
    mix: Decimal | None = None
    rate: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """A change by the values of one dimension: parts that add up to `whole` exactly. `unlike` says how far from all values moving alike, `missing` what some rows
    point to none of.
    """

    words: str
    parts: tuple[Part, ...]
    whole: Part
    unlike: Decimal
    missing: str


class NotSplit(Exception):
    """Rows that no parts can be made of, in words."""


def whole_of(totals: Sequence[Any], factor: int = 1) -> Part:
    """The whole change, of the sums before and those now. Raises: NotSplit."""
    step = _step(totals)
    return _whole(tuple(_exact(one, step) for one in totals), factor)


def split_of(
    words: str, width: int, rows: Rows, totals: Sequence[Any], missing: str = "", factor: int = 1
) -> Split:
    """Split a change by rows of values and sums; the first `width` columns say the value. Raises: NotSplit.

    A remainder to the totals is of rows that point to nothing, where values stand with something else that may be `missing`. Any other
    remainder comes of a read at another moment, and nothing is told. Rounding of floating point numbers goes to the largest value.
    """
    step = _step(totals)
    whole = tuple(_exact(one, step) for one in totals)
    sums = [tuple(_exact(one, step) for one in row[width:]) for row in rows.rows]
    lines: list[_Line] = [
        (Kind.VALUE, tuple(row[:width]), some, place)
        for place, (row, some) in enumerate(zip(rows.rows, sums, strict=True))
    ]
    rest = (
        tuple(
            total - sum(column, Decimal(0))
            for total, column in zip(whole, zip(*sums, strict=True), strict=True)
        )
        if sums
        else whole
    )
    if any(abs(one) > step * (len(sums) + 10) for one in rest):
        if not missing:
            raise NotSplit(
                worded(
                    "The values of {name} did not add up to the whole: the data changed while it was read.",
                    name=words,
                )
            )
        lines.append((Kind.NONE, (), rest, None))
    elif sums:
        largest = max(range(len(sums)), key=lambda n: max(map(abs, sums[n])))
        kind, values, some, row = lines[largest]
        lines[largest] = (kind, values, tuple(a + b for a, b in zip(some, rest, strict=True)), row)
    if len(lines) < 2:
        raise NotSplit(worded("There is one value of {name} only.", name=words))
    total = _whole(whole, factor)
    make = _added if len(whole) == 2 else _quotients
    parts = make([(kind, values, some, row) for kind, values, some, row in lines], whole, total, factor)
    return Split(words, _folded(parts, lines, total, factor), total, _unlike(parts, total), missing)


# ---------------------------------------------------------------- arithmetic

_Line = tuple[Kind, tuple[Any, ...], tuple[Decimal, ...], int | None]


def _step(totals: Sequence[Any]) -> Decimal:
    """The last digit that sums of this size are good for."""
    sizes = [abs(number) for one in totals if (number := _number(one))]
    return Decimal(1).scaleb(max((one.adjusted() for one in sizes), default=0) - DIGITS + 1)


def _number(value: Any) -> Decimal:
    if value is None:
        return Decimal(0)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise NotSplit(worded("The figure is no number."))
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise NotSplit(worded("The figure is no number.")) from None
    if not number.is_finite():
        raise NotSplit(worded("The figure is no finite number."))
    return number


def _exact(value: Any, step: Decimal) -> Decimal:
    """A sum as it was added up: floating point numbers without the noise of their last digits."""
    number = _number(value)
    if not isinstance(value, float):
        return number
    return number.quantize(min(step, Decimal(1))) if number else number


def _whole(sums: tuple[Decimal, ...], factor: int) -> Part:
    if len(sums) == 2:
        before, now = sums
    else:
        quotients = [_quotient(sums[0], sums[1], factor), _quotient(sums[2], sums[3], factor)]
        if None in quotients:
            raise NotSplit(worded("There is no figure in one of the two periods."))
        before, now = (_decimal(one) for one in quotients if one is not None)
        step = _step((before, now))
        before, now = before.quantize(step), now.quantize(step)
    change = now - before
    return Part(Kind.ALL, (), before, now, change, Decimal(100) if change else None)


def _quotient(over: Decimal, under: Decimal, factor: int) -> Fraction | None:
    return Fraction(over) / Fraction(under) * factor if under else None


def _decimal(one: Fraction) -> Decimal:
    return Decimal(one.numerator) / Decimal(one.denominator)


def _share(change: Decimal, total: Part) -> Decimal | None:
    return change / total.change * 100 if total.change else None


def _added(lines: list[_Line], whole: tuple[Decimal, ...], total: Part, factor: int) -> list[Part]:
    return [
        Part(kind, values, before, now, now - before, _share(now - before, total), row)
        for kind, values, (before, now), row in lines
    ]


def _quotients(lines: list[_Line], whole: tuple[Decimal, ...], total: Part, factor: int) -> list[Part]:
    """Mix and rate of each value, exact as fractions; their last rounding goes to the largest."""
    old, new = (_quotient(whole[n], whole[n + 1], factor) for n in (0, 2))
    assert old is not None and new is not None and total.before is not None and total.now is not None
    mean = (old + new) / 2
    found = []
    for _, _, (over0, under0, over1, under1), _ in lines:
        rate0, rate1 = _quotient(over0, under0, factor), _quotient(over1, under1, factor)
        weight0, weight1 = Fraction(under0) / Fraction(whole[1]), Fraction(under1) / Fraction(whole[3])
        r0, r1 = (rate0 if rate0 is not None else rate1), (rate1 if rate1 is not None else rate0)
        if r0 is None or r1 is None:
            found.append((rate0, rate1, Fraction(0), Fraction(0)))
            continue
        rate = (r1 - r0) * (weight0 + weight1) / 2
        mix = (weight1 - weight0) * ((r0 + r1) / 2 - mean)
        found.append((rate0, rate1, mix, rate))
    step = _step((total.before, total.now))
    told = [
        (rate0, rate1, _decimal(mix).quantize(step), _decimal(rate).quantize(step))
        for rate0, rate1, mix, rate in found
    ]
    left = total.change - sum((mix + rate for _, _, mix, rate in told), Decimal(0))
    largest = max(range(len(told)), key=lambda n: abs(told[n][2] + told[n][3]))
    parts = []
    for place, ((kind, values, _, row), (before, now, mixed, rated)) in enumerate(
        zip(lines, told, strict=True)
    ):
        own = rated + left if place == largest else rated
        parts.append(
            Part(
                kind,
                values,
                _decimal(before) if before is not None else None,
                _decimal(now) if now is not None else None,
                mixed + own,
                _share(mixed + own, total),
                row,
                mix=mixed,
                rate=own,
            )
        )
    return parts


def _folded(parts: list[Part], lines: list[_Line], total: Part, factor: int) -> tuple[Part, ...]:
    """The values with the largest parts, those that go with the whole first, and the others in one line."""
    order = sorted(range(len(parts)), key=lambda n: (-abs(parts[n].change), n))
    top, rest = order[:SHOWN], order[SHOWN:]
    sign = -1 if total.change < 0 else 1
    shown = sorted((parts[n] for n in top), key=lambda one: -sign * one.change)
    if not rest:
        return tuple(shown)
    sums = [sum(column, Decimal(0)) for column in zip(*(lines[n][2] for n in rest), strict=True)]
    change = sum((parts[n].change for n in rest), Decimal(0))
    others = Part(Kind.OTHERS, (), None, None, change, _share(change, total), None, len(rest))
    if len(sums) == 2:
        return (*shown, replace(others, before=sums[0], now=sums[1]))
    before, now = _quotient(sums[0], sums[1], factor), _quotient(sums[2], sums[3], factor)
    others = replace(
        others,
        before=_decimal(before) if before is not None else None,
        now=_decimal(now) if now is not None else None,
        mix=sum((parts[n].mix or Decimal(0) for n in rest), Decimal(0)),
        rate=sum((parts[n].rate or Decimal(0) for n in rest), Decimal(0)),
    )
    return (*shown, others)


def excess(part: Part, total: Part) -> Decimal:
    """How far a part is from what it were, had all values moved alike."""
    if part.mix is not None or not total.before or part.before is None:
        return part.change
    return part.change - total.change * part.before / total.before


def _unlike(parts: list[Part], total: Part) -> Decimal:
    """How much of a change the three values explain that moved least like the whole."""
    return sum(sorted((abs(excess(one, total)) for one in parts), reverse=True)[:3], Decimal(0))


def splits_ranked(splits: Sequence[Split], most: int) -> tuple[Split, ...]:
    """The dimensions whose values explain most, first."""
    return tuple(sorted(splits, key=lambda one: -one.unlike)[:most])
