"""Which tables are histories of a price, a rate or a fee: rows that hold for a time, each from one day on, of one thing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from sqlagent.catalog.semantics.values import DATED, Field, Form, History, Relation, Role
from sqlagent.catalog.semantics.words import COUNTED, ENDED, ENDS, MONEY, PRICED, STATES, stems

_BEGINNING = stems("from start starts started begin begins since")
_HOLDING = stems("valid effective applies applicable applied")
_CHANGING = PRICED | stems("price history premium surcharge")
_MANY = COUNTED - stems("units unit nights")
_LEAST = stems("minimum min maximum max least from upto limit")
_WRITERS = stems("by changed approved created updated author editor user approver")
_SCOPES = stems(
    "currency type kind tier zone region country channel list market group class band season segment size unit market level variant grade"
)
"""Words of columns beside which a thing has one price each."""

_FIGURES = 3
_MORE = 2
"""Columns besides that a history may have whose table is not called one."""


def history_of(
    fields: Sequence[Field],
    noun: Sequence[str],
    key: Sequence[str],
    relations: Sequence[Relation],
    texts: Callable[[str], Sequence[str]],
) -> History | None:
    """Tell between which columns a table's rows hold, of what and with which figures; None where it is no history of figures.

    `relations` lead from the table to others, `texts` gives the stored texts of a column as far as they are known.
    """
    called = bool(set(noun) & _CHANGING)
    of = [r for r in relations if not set(r.words) & _WRITERS]
    figures = _figures(fields)
    begins = _begins(fields, called)
    if begins is None or not figures or not of:
        return None
    ends = _ends(fields, begins)
    pointing = [c for r in of for c in r.columns]
    if begins.column in key and set(pointing) & set(key):
        apart = [c for c in key if c not in (begins.column, ends.column if ends is not None else "")]
    else:
        apart = [*pointing, *(f.column for f in fields if f.role is Role.DIMENSION and set(f.words) & _SCOPES and f.column not in pointing)]  # fmt: skip
        known = {
            begins.column,
            *apart,
            *key,
            *(f.column for f in figures),
            *(c for r in relations for c in r.columns),
        }
        known |= {f.column for f in fields if f.role is Role.TIME}
        rest = [f for f in fields if f.column not in known]
        if not called and (len(rest) >= _MORE or _are_papers(fields, rest, key)):
            return None
    return History(
        begins.column,
        ends.column if ends is not None else "",
        tuple(dict.fromkeys(apart)),
        tuple(f.column for f in figures),
        _is_last_day(begins, ends, texts) if ends is not None else None,
    )


def _are_papers(fields: Sequence[Field], rest: Sequence[Field], key: Sequence[str]) -> bool:
    """Whether rows are agreements and the like, which have numbers of their own and states."""
    numbered = any(f.role is Role.KEY for f in rest) or any(
        not f.is_number for f in fields if f.column in key
    )
    return numbered or any(set(f.words) & STATES for f in fields)


def _figures(fields: Sequence[Field]) -> list[Field]:
    """The figures of a history: prices, rates and amounts; none where rows count or have many."""
    measures = [f for f in fields if f.role is Role.MEASURE and not set(f.words) & _LEAST]
    priced = [f for f in measures if set(f.words) & (PRICED | MONEY) or f.unit == "percent"]
    counts = any(set(f.words) & _MANY and f not in priced for f in measures)
    return [] if counts or len(priced) > _FIGURES or len(measures) - len(priced) > 1 else priced


def _begins(fields: Sequence[Field], called: bool) -> Field | None:
    """The day from which on a row holds: said to be one, or a start where the table is called after what changes."""
    times = [f for f in fields if f.role is Role.TIME and f.form in DATED and f.filled == 1.0]
    ending = ENDED | stems("until")
    held = [f for f in times if set(f.words) & _HOLDING and not set(f.words) & ending]
    started = [f for f in times if set(f.words) & _BEGINNING and not set(f.words) & ending]
    both = [f for f in held if f in started]
    return next(iter([*both, *held, *(started if called else ())]), None)


def _ends(fields: Sequence[Field], begins: Field) -> Field | None:
    """The day up to which a row holds."""
    ending = ENDS - stems("valid")
    return next(
        (f for f in fields if f.role is Role.TIME and f.form in DATED and f is not begins and set(f.words) & ending), None
    )  # fmt: skip


def _is_last_day(begins: Field, ends: Field, texts: Callable[[str], Sequence[str]]) -> bool | None:
    """Whether a row holds on the day it ends with still: then the next one begins a day later. None where the data do not tell."""
    if begins.form is not Form.TEXT_DAY or ends.form is not Form.TEXT_DAY:
        return None
    first, last = set(texts(begins.column)), set(texts(ends.column))
    same = len(first & last)
    after = sum(_next_day(text) in first for text in last)
    return None if same == after else after > same


def _next_day(text: str) -> str:
    try:
        return (date.fromisoformat(text) + timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return ""
