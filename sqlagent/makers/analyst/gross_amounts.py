"""Money that is owed, and money "incl. VAT", is the amount with tax where rows store both: an invoice is paid as a whole.

A question that says net, or leaves tax out, keeps the amount without.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.makers.analyst.concepts.owed import with_tax
from sqlagent.makers.analyst.frames import Expr, Frame, Measure, Slot
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source

_OWED = frozenset(
    {"owe", "owes", "owed", "owing", "overdue", "outstanding", "unpaid", "due", "arrears", "receivables", "receivable", "debt", "debts", "unsettled"}
)  # fmt: skip
_GROSS = frozenset({"gross"})
_TAX = frozenset({"vat", "tax", "taxes", "gst"})
_WITH = frozenset({"incl", "incl.", "including", "include", "with", "inc", "inclusive", "plus"})
_NET = frozenset({"net", "excl", "excluding", "without", "before", "ex", "less"})


def whole_amounts(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Give the frame with amounts with tax in the place of those without, where money is owed or tax is said to be in it."""
    words = [word for item in reading.items for word in item.text.lower().replace("-", " ").split()]
    said = {*words, *reading.glued}
    pairs = list(zip(words, words[1:], strict=False))
    taxed = any(one in _TAX and before in _WITH for before, one in pairs)
    untaxed = "net" in said or any(one in _TAX and before in _NET for before, one in pairs)
    if untaxed or not (taxed or said & (_OWED | _GROSS)):
        return frame
    made = tuple(_whole(one, source) for one in frame.measures)
    return replace(frame, measures=made) if made != frame.measures else frame


def _whole(one: Measure, source: Source) -> Measure:
    slots = one.expr.slots if one.expr is not None and one.expr.op == "column" else ()
    whole = with_tax(source, slots[0].field) if slots and one.agg in ("sum", "avg", "max", "min") else None
    if whole is None or "net" not in slots[0].field.words and one.said != "revenue":
        return one
    return replace(one, expr=Expr("column", (Slot(whole, slots[0].path),)), said=whole.said)
