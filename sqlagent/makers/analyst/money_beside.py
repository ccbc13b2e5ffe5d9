"""Payments beside money: "claim payments vs premium invoiced" and "refunds and revenue by month" set amounts beside each other.

Rows that are sums of money are counted where a question asks for nothing else; beside a sum of money their amount is meant, unless a word counts them.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts.worth import worth
from sqlagent.makers.analyst.frames import Frame, Measure
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_PAID = frozenset(
    map(
        stem,
        [
            "payment",
            "paid",
            "payout",
            "refund",
            "donation",
            "deposit",
            "withdrawal",
            "disbursement",
            "reimbursement",
        ],
    )
)
"""Last words of what is named after the money that it is."""

_COUNTING = frozenset({"count", "distinct", "figures"})


def money_beside(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give a frame whose payments, counted beside a sum of money, are summed up; any other as it is."""
    if len(frame.measures) != 2 or any(item.op in _COUNTING for item in reading.items):
        return frame
    counted = [one for one in frame.measures if _are_payments(one)]
    sums = [one for one in frame.measures if one.agg == "sum" and one.unit == "money"]
    if len(counted) != 1 or len(sums) != 1:
        return frame
    (one,) = counted
    amounts = [found for found in worth(source, source.model.things[one.anchor], "sum") if not found.where]
    if not amounts or amounts[0].measure.anchor != one.anchor:
        return frame
    summed = replace(amounts[0].measure, where=one.where, said=f"{one.said} amount")
    return replace(frame, measures=tuple(summed if m is one else m for m in frame.measures))


def _are_payments(one: Measure) -> bool:
    words = one.said.lower().split()
    return one.agg == "rows" and bool(words) and stem(words[-1]) in _PAID
