"""Which columns hold times, however they are written, and which of a table's times is meant when nobody says."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlagent.catalog.semantics.values import Form
from sqlagent.catalog.semantics.words import EARLY, ENDS, LATE, PERSONAL, TIMES
from sqlagent.catalog.statistics import ColumnFacts
from sqlagent.values import Column, Kind

_BEGINNING, _ENDING = frozenset({"start", "begin", "from"}), frozenset({"end", "to", "until", "thru"})
_TEXTS = (
    (Form.TEXT_DAY, re.compile(r"[12]\d{3}-[01]\d-[0-3]\d")),
    (
        Form.TEXT_MOMENT,
        re.compile(r"[12]\d{3}-[01]\d-[0-3]\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?"),
    ),
    (Form.TEXT_MONTH, re.compile(r"[12]\d{3}-[01]\d")),
    (Form.TEXT_NUMBER_DAY, re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])([0-2]\d|3[01])")),
)


def form_of(
    column: Column, words: Sequence[str], facts: ColumnFacts | None, texts: Sequence[str]
) -> Form | None:
    """Tell how a column writes times; None where it holds none. `words` are stems of its name.

    Example:
        >>> form_of(Column("order_dt", "INTEGER", Kind.INTEGER), ("order", "date"), ColumnFacts(9, 9, "20240105", "20251230"), ())
        <Form.NUMBER_DAY: 'number day'>
    """
    if column.kind is Kind.DATE:
        return Form.DAY
    if column.kind is Kind.DATETIME:
        return Form.MOMENT
    if column.kind is Kind.TEXT:
        ends = [t for t in (facts.low, facts.high) if t] if facts is not None else []
        seen = [*texts[:40], *ends]
        if not seen:
            return None
        return next((form for form, pattern in _TEXTS if all(pattern.fullmatch(text) for text in seen)), None)
    if column.kind in (Kind.INTEGER, Kind.NUMBER) and facts is not None:
        return _number(words, facts)
    return None


def _number(words: Sequence[str], facts: ColumnFacts) -> Form | None:
    try:
        low, high = float(facts.low), float(facts.high)
    except ValueError:
        return None
    if (
        (
            low >= 19_000_101
            and high <= 21_001_231
            and 1 <= int(high) // 100 % 100 <= 12
            and 1 <= int(high) % 100 <= 31
        )
        and 1 <= int(low) // 100 % 100 <= 12
        and 1 <= int(low) % 100 <= 31
        and set(words) & (TIMES | {"key"})
    ):
        return Form.NUMBER_DAY
    named = bool(set(words) & TIMES)
    if (
        named
        and low >= 190_001
        and high <= 210_012
        and 1 <= int(high) % 100 <= 12
        and 1 <= int(low) % 100 <= 12
    ):
        return Form.NUMBER_MONTH
    if "year" in words and low >= 1_800 and high <= 2_200:
        return Form.YEAR
    if named and low >= 3e8 and high <= 4.2e9:
        return Form.SECONDS
    if named and low >= 3e11 and high <= 4.2e12:
        return Form.MILLISECONDS
    return None


def default_time(times: Sequence[tuple[str, tuple[str, ...], Form, float]], noun: Sequence[str]) -> str:
    """Choose the time at which a table's rows happen: (column, stems, form, filled share) of each; "" when none fits.

    Example:
        >>> default_time([("updated_at", ("updat", "at"), Form.MOMENT, 1.0), ("ordered_at", ("order", "at"), Form.MOMENT, 1.0)], ("order",))
        'ordered_at'
    """
    best, cost = "", 90.0
    paired = any(set(words) & _ENDING for _, words, _, _ in times)
    for place, (column, words, form, filled) in enumerate(times):
        said = set(words)
        worth = 0.1 * place + 2.0 * (1 - filled)
        if said & PERSONAL:
            worth += 100
        if said & set(noun):
            worth -= 1.5
        if paired and said & _BEGINNING:
            worth -= 2.5
        if said & EARLY:
            worth -= 1.0
        if said & LATE and not said & EARLY:
            worth += 2.0
        if said & ENDS:
            worth += 1.0
        if form is Form.YEAR:
            worth += 2.5
        if worth < cost:
            best, cost = column, worth
    return best
