"""Money that is still to be paid, by rows that say whether they are: open invoices, charges without a day of payment.

Where payments are rows of their own, what is owed is what was charged less what they paid; the whole amounts of open rows are then
a guess, which costs as much as a draft.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.catalog.semantics import Field, Kind, Role, Thing
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import fold
from sqlagent.makers.analyst.concepts.meant import AMOUNTS, Meant, summed
from sqlagent.makers.analyst.frames import Condition, Slot
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import UNOWED, labels

_PAPERS = stems("invoice bill charge fee instalment installment payout claim premium statement")
"""Nouns of rows that somebody has to pay."""

_PAID = stems("paid payment settled")
_PAYMENTS = stems("payment receipt settlement")
_TAX = stems("vat tax gst")
_GROSS = stems("gross total")
_OPEN = frozenset({"open", "unpaid", "outstanding", "overdue", "due", "part paid", "partly paid", "partially paid"})  # fmt: skip
_OFF = UNOWED | {"draft"}

_IN_PART = 0.55
"""The cost of whole amounts where payments of a part are rows of their own."""


def unpaid(source: Source) -> Iterator[Meant]:
    """The money of rows that are still to be paid, with tax where it is stored so."""
    for thing in source.model.things.values():
        amount = _amount(source, thing)
        where = _unpaid(source, thing) if amount is not None else ()
        in_parts = any(one.unit == "money" and set(one.words) & _PAID for one in source.measures(thing.table))
        if amount is None or not where or in_parts:  # less what was paid, which is stored beside it
            continue
        in_part = any(
            set(source.model.things[one.source].noun) & _PAYMENTS and one.source != thing.table
            for one in source.graph.into[thing.table]
        )
        cost = 0.1 if set(thing.noun) & _PAPERS else 0.2
        yield Meant(cost + (_IN_PART if in_part else 0.0), summed(amount, "outstanding"), where=where)


def with_tax(source: Source, net: Field) -> Field | None:
    """The amount of the same rows with tax, where tax is stored beside it; None for an amount that has it, or where none does."""
    fields = source.measures(net.table)
    if not any(set(one.words) & _TAX and one.unit == "money" for one in fields) or set(net.words) & _GROSS:
        return None
    whole = [
        one
        for one in fields
        if one.unit == "money"
        and one.aggregate == "sum"
        and set(one.words) & _GROSS
        and not set(one.words) & (_TAX | stems("net discount paid"))
    ]
    return whole[0] if len(whole) == 1 else None


def _amount(source: Source, thing: Thing) -> Field | None:
    """Amount due of a row: with tax, else its only amount, else its net amount."""
    if thing.kind in (Kind.CODES, Kind.DATES):
        return None
    money = [
        one
        for one in source.measures(thing.table)
        if one.unit == "money"
        and one.aggregate == "sum"
        and set(one.words) & (AMOUNTS | stems("net gross due"))
        if not set(one.words) & (_TAX | stems("paid discount deduction tip price"))
    ]
    for one in money:
        if (gross := with_tax(source, one)) is not None:
            return gross
    plain = [one for one in money if not set(one.words) & stems("gross")] or money
    net = [one for one in plain if set(one.words) & stems("net")]
    return plain[0] if len(plain) == 1 else net[0] if len(net) == 1 else None


def _unpaid(source: Source, thing: Thing) -> tuple[Condition, ...]:
    """That a row is still to be paid: by its state, else as it has no day of payment and is not void."""
    state = source.model.field(thing.table, thing.state) if thing.state else None
    told = [(code, fold(label).replace("_", " ")) for code, label in labels(source, state)] if state else []
    paid = next(
        (
            one
            for one in source.model.of_role(thing.table, Role.TIME)
            if set(one.words) & _PAID and 0 < one.filled < 1
        ),
        None,
    )
    if not set(thing.noun) & _PAPERS and paid is None:
        return ()
    open_ones = tuple(code for code, label in told if label in _OPEN)
    if state is not None and open_ones and (paid is None or any(label == "paid" for _, label in told)):
        return (Condition("in", (Slot(state),), open_ones),)
    if paid is None:
        return ()
    off = tuple(code for code, label in told if label in _OFF)
    void = (Condition("not in", (Slot(state),), off),) if state is not None and off else ()
    return (Condition("missing", (Slot(paid),)), *void)
