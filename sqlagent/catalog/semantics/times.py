"""Which columns hold times, however they are written, and which of a table's times is meant when nobody says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sqlagent.catalog.semantics.values import Form
from sqlagent.catalog.semantics.words import (
    AGREED,
    EARLY,
    ENDED,
    ENDS,
    HELD,
    LATE,
    NEVER,
    PERSONAL,
    SAME_DEED,
    TAKING_PLACE,
    TIMES,
    TRAVELS,
    stems,
)
from sqlagent.catalog.statistics import ColumnFacts
from sqlagent.values import Column, Kind

_BEGINNING = frozenset({"start", "begin", "from", "first"})
_ENDING = frozenset({"end", "to", "until", "thru", "last"})
_COVERED = stems("period coverage")
_PLANNED = stems("planned plan")
_LEAVING, _ARRIVING = stems("departure departed depart"), stems("arrival arrived")
_STEM = 4
"""Letters from which on two stems of which one begins with the other are of one word."""

_ALL = 0.97
"""Share of rows with a time from which on all have it."""

_NEARLY = 2.5
"""The weight that may speak more against a time than against the default one for it to be offered as a reading."""

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


def absent_day(
    column: Column, words: Sequence[str], facts: ColumnFacts | None
) -> tuple[str, ColumnFacts | None]:
    """Tell which number stands for no day in a column of days as numbers, and the facts without it; "" where none does.

    Example:
        >>> paid = ColumnFacts(900, 400, "-1", "20251230")
        >>> absent_day(Column("paid_date_key", "INTEGER", Kind.INTEGER), ("pay", "date", "key"), paid)[0]
        '-1'
    """
    if facts is None or column.kind is not Kind.INTEGER or not set(words) & {"date", "day"}:
        return "", facts
    if facts.low in ("-1", "0", "-2") and facts.distinct > 2:
        rest = replace(facts, low=facts.high)
        return (facts.low, rest) if _number(words, rest) is Form.NUMBER_DAY else ("", facts)
    if facts.high in ("99991231", "99999999", "29991231") and facts.distinct > 2:
        rest = replace(facts, high=facts.low)
        return (facts.high, rest) if _number(words, rest) is Form.NUMBER_DAY else ("", facts)
    return "", facts


def default_time(times: Sequence[tuple[str, tuple[str, ...], Form, float]], noun: Sequence[str]) -> str:
    """Choose the time at which a table's rows happen: (column, stems, form, filled share) of each; "" when none fits.

    Example:
        >>> default_time([("updated_at", ("updat", "at"), Form.MOMENT, 1.0), ("ordered_at", ("order", "at"), Form.MOMENT, 1.0)], ("order",))
        'ordered_at'
        >>> default_time([("prom_dt", ("promis", "date"), Form.DAY, 1.0), ("ship_dt", ("ship", "date"), Form.DAY, 0.9)], ("shipment",))
        'ship_dt'
        >>> default_time([("bkd", ("book", "date"), Form.DAY, 1.0), ("arr", ("arriv", "date"), Form.DAY, 1.0)], ("stay",))
        'arr'
        >>> legs = [("arrival", ("arriv",), Form.MOMENT, 1.0), ("departure", ("departur",), Form.MOMENT, 1.0)]
        >>> default_time(legs, ("stay",)), default_time(legs, ("flight",))
        ('arrival', 'departure')
    """
    return next(iter(_ranked(times, noun)), ("", 0.0))[0]


def other_time(times: Sequence[tuple[str, tuple[str, ...], Form, float]], noun: Sequence[str]) -> str:
    """Choose the time that is meant nearly as well as the default one; "" where none is.

    Example:
        >>> times = [("booked_at", ("book", "at"), Form.MOMENT, 1.0), ("scheduled_at", ("schedul", "at"), Form.MOMENT, 1.0)]
        >>> default_time(times, ("appoint",)), other_time(times, ("appoint",))
        ('scheduled_at', 'booked_at')
    """
    ranked = _ranked(times, noun)
    if len(ranked) < 2 or ranked[1][1] - ranked[0][1] > _NEARLY:
        return ""
    return ranked[1][0]


def _ranked(
    times: Sequence[tuple[str, tuple[str, ...], Form, float]], noun: Sequence[str]
) -> list[tuple[str, float]]:
    """The times that may be when rows happen, best first, with what speaks against each."""
    out: list[tuple[str, float]] = []
    paired = any(set(words) & _ENDING for _, words, _, _ in times)
    held = takes_place(noun)
    travels = bool(set(noun) & TRAVELS)
    everyone_came = any(
        filled == 1 and set(words) & _BEGINNING and not set(words) & NEVER for _, words, _, filled in times
    )
    for place, (column, words, form, filled) in enumerate(times):
        said = set(words)
        worth = 0.1 * place + 2.0 * (1 - filled)
        if said & PERSONAL or said & ENDED and filled < 0.5 and not _named_after(words, noun):
            continue  # an end that most rows have not come to is not when they happen
        if not (held and said & AGREED):
            worth -= _named_after(words, noun)
        planned = held and filled == 1 and not everyone_came and bool(said & _PLANNED and said & _BEGINNING)
        if said & NEVER and not planned:
            worth += 20.0
        if paired and said & _BEGINNING:
            worth -= 2.5
        if held and filled < _ALL and said & _ARRIVING:
            worth += 1.5  # who did not come has no arrival, and was to come
        if planned:
            worth -= 2.0  # what was cancelled never began, and was planned for then
        is_held = held and said & HELD and not said & ENDS
        if is_held:
            worth -= 2.0
        if said & EARLY:
            worth -= 1.0
        if said & LATE and not said & EARLY and not is_held and not _named_after(words, noun):
            worth += 2.0
        if travels and said & _LEAVING:
            worth -= 1.0  # a trip begins where a stay ends
        elif travels and said & _ARRIVING:
            worth += 2.0
        elif said & ENDS:
            worth += 1.0
        if said & _COVERED:
            worth += 3.0  # what a bill is for is not when it was sent
        if form is Form.YEAR:
            worth += 2.5
        out.append((column, worth))
    return sorted(out, key=lambda found: found[1])


def takes_place(noun: Sequence[str]) -> bool:
    """Tell whether things of a name are held at a time that was agreed before: appointments, tours, classes."""
    return bool(set(noun) & TAKING_PLACE)


def _named_after(words: Sequence[str], noun: Sequence[str]) -> float:
    """How much speaks for a time because its table is called after it: ship date of shipments, paid on of payments."""
    if not noun:
        return 0.0
    head = _akin(words, noun[-1])
    return 2.5 if head else 1.0 if any(_akin(words, word) for word in noun[:-1]) else 0.0


def _akin(words: Sequence[str], noun: str) -> bool:
    others = next((group for group in SAME_DEED if noun in group), frozenset())
    return any(
        word == noun
        or word in others
        or min(len(word), len(noun)) >= _STEM
        and (word.startswith(noun) or noun.startswith(word))
        for word in words
        if word not in TIMES or word in others or word == noun
    )
