"""Money kept in cents: bounds that people type in whole units, and figures in cents beside figures in whole units."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from itertools import pairwise
from typing import Any

from sqlagent.catalog.semantics import Field
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Frame, Having, Measure
from sqlagent.makers.analyst.reading import Item, Reading

_MINOR = frozenset(stem(word) for word in ("cents", "cent", "pence", "pennies", "minor", "centimes"))
CODES = {
    "euro": "eur", "euros": "eur", "eur": "eur", "€": "eur",
    "dollar": "usd", "dollars": "usd", "usd": "usd", "bucks": "usd", "$": "usd",
    "pound": "gbp", "pounds": "gbp", "gbp": "gbp", "£": "gbp",
    "franc": "chf", "francs": "chf", "chf": "chf",
    "yen": "jpy", "jpy": "jpy", "kr": "kr", "kronor": "kr", "zloty": "pln", "pln": "pln",
}  # fmt: skip
"""The currencies that people name, by the words and signs for them."""

_CURRENCIES = frozenset(word for word in CODES if word.isalpha())
_CODE_OF_STEM = {stem(word): code for word, code in CODES.items() if word.isalpha()} | {
    stem("pence"): "gbp",
    stem("pennies"): "gbp",
}
_HUNDRED = 100.0
NAMED = "|".join(map(re.escape, sorted(CODES, key=len, reverse=True)))
"""The same as a pattern, the longest first."""

_IN_CURRENCY = re.compile(rf",? (?:in|as) ({NAMED})(?!\w)|, ({NAMED})$", re.IGNORECASE)


def is_minor(one: Field) -> bool:
    """Tell whether a column holds money in hundredths, as its name says.

    Example:
        >>> from sqlagent.catalog.semantics import Role
        >>> is_minor(Field("refunds", "amount_cents", ("amount", "cent"), "amount cents", Role.MEASURE, "sum", "money"))
        True
    """
    return bool(set(one.words) & _MINOR)


def amounts_read(reading: Reading) -> Reading:
    """Give the reading with a currency's name right after a number as a part of the amount: "over 500 euros"."""
    said = [
        item
        for before, item in pairwise(reading.items)
        if before.kind == "number" and before.end == item.start and _is_unit(item)
    ]
    if not said:
        return reading
    words = {item.text for item in said}
    return replace(
        reading,
        items=tuple(replace(item, kind="glue") if item in said else item for item in reading.items),
        unknown=tuple(word for word in reading.unknown if word not in words),
        asked=tuple(word for word in reading.asked if word not in words),
        glued=reading.glued | {stem(word.lower()) for word in words},
    )


def _is_unit(item: Item) -> bool:
    """Whether a word names a currency that the source does not, or its hundredth."""
    low = item.text.lower()
    return (
        item.kind == "unknown"
        and low in _CURRENCIES
        or item.kind in ("unknown", "mention")
        and stem(low) in _MINOR
    )


def says_minor(text: str) -> bool:
    """Tell whether a text speaks of hundredths of a currency.

    Example:
        >>> says_minor("refunds over 50 cents"), says_minor("refunds over 50")
        (True, False)
    """
    return bool(set(map(stem, text.lower().split())) & _MINOR)


def in_minor_units(frame: Frame, reading: Reading | None = None) -> Frame:
    """Give the frame with bounds on columns in cents a hundredfold, unless the question speaks of cents.

    "Refunds over 50" are refunds of more than 5,000 cents.
    """
    if reading is not None and any(says_minor(item.text) for item in reading.items):
        return frame
    changed = _raised(frame)
    assert isinstance(changed, Frame)
    return changed


def without_currency(text: str) -> tuple[str, str]:
    """Give a question without the currency that its figures are asked in, and the word for that; two empty texts where it names none.

    Example:
        >>> without_currency("net invoiced per year in pounds"), without_currency("repair cost in £ by cause")
        (('net invoiced per year', 'pounds'), ('repair cost by cause', '£'))
        >>> without_currency("orders in 2025")
        ('', '')
    """
    found = _IN_CURRENCY.search(text)
    if found is None:
        return "", ""
    return (text[: found.start()] + text[found.end() :]).strip(), found[1] or found[2]


def in_whole_units(frame: Frame, currency: str) -> Frame | None:
    """Give a frame with its figures in cents as whole units, as somebody who asks for pounds wants them.

    Money that is not kept in cents stays as it is. None where the frame has no money, where a rate or a formula is made of cents, and
    where a column is of another currency, as its name says.
    """
    measures = tuple(map(_whole, frame.measures))
    money = [one for one in frame.measures if _is_money(one)]
    if frame.transform in ("share", "quotient") or not money or None in measures:
        return None
    asked = CODES[currency.lower()]
    named = {
        _CODE_OF_STEM[word]
        for one in money
        for f in _fields(one)
        for word in f.words
        if word in _CODE_OF_STEM
    }
    return replace(frame, measures=tuple(filter(None, measures))) if named <= {asked} else None


def _whole(measure: Measure) -> Measure | None:
    """A figure in cents as whole units; any other as it is. None where it is made of figures in cents."""
    if any(_whole(part) is not part for part in (measure.over, measure.under, *measure.parts) if part):
        return None
    if not _in_cents(measure) or measure.agg not in ("sum", "avg", "min", "max", "median"):
        return measure
    said, unit = measure.said, measure.unit
    return Measure("formula", measure.anchor, said=said, unit=unit, parts=(measure,), shape="f0 / 100.0")


def mixed_units(frame: Frame) -> list[str]:
    """The figures in cents that stand beside one in whole units, or are divided by one."""
    pairs = [
        (one.over, one.under) for one in frame.measures if one.over is not None and one.under is not None
    ]
    pairs += [(one, other) for one in frame.measures for other in frame.measures]
    mixed = [
        one if _in_cents(one) else other
        for one, other in pairs
        if _is_money(one) and _is_money(other) and _in_cents(one) != _in_cents(other)
    ]
    return list(dict.fromkeys(one.said for one in mixed))


def _raised(part: Any) -> Any:
    """A part of a frame with its bounds raised, wherever in it."""
    if isinstance(part, tuple):
        return tuple(_raised(one) for one in part)
    if not is_dataclass(part) or isinstance(part, type | Field):
        return part
    changes = {one.name: _raised(getattr(part, one.name)) for one in fields(part)}
    made = replace(
        part, **{name: value for name, value in changes.items() if value is not getattr(part, name)}
    )
    if isinstance(made, Condition) and made.number is not None:
        held = made.counted or made.expr
        bounded = [slot.field for slot in (held.slots if held is not None else made.slots)]
        return replace(made, number=made.number * _HUNDRED) if any(map(is_minor, bounded)) else made
    if (
        isinstance(made, Having)
        and made.number is not None
        and made.measure.agg in ("sum", "avg", "min", "max", "median")
    ):
        return replace(made, number=made.number * _HUNDRED) if _in_cents(made.measure) else made
    return made


def _fields(measure: Measure) -> Iterator[Field]:
    if measure.expr is not None:
        yield from (slot.field for slot in measure.expr.slots)


def _is_money(measure: Measure) -> bool:
    return measure.unit == "money" or any(one.unit == "money" for one in _fields(measure))


def _in_cents(measure: Measure) -> bool:
    return any(map(is_minor, _fields(measure)))
