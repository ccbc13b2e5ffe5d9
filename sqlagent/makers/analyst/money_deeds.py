"""Money by the deed that moved it: "demurrage billed per year", "who paid most", "invoiced per month" ask for the amount and not for a number of papers.

The billed thing is a stored value, or is called so, and is no row of an event: "invoices paid per month" are counted.
"""

from __future__ import annotations

import re
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.makers.analyst.concepts import worth
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_PAID = frozenset({"paid", "pay", "pays", "spent", "spend", "spends", "donated", "owe", "owes", "owed"})
"""Verbs of which money is the object: who paid most paid the highest sum, not the most times."""

_INVOICED = frozenset({"invoiced", "invoicing", "billed", "charged"})
"""Verbs that speak of an amount where nothing says how many."""

_DEEDS = "billed|invoiced|charged|collected|spent|paid(?: out)?|recharged|credited|refunded|earned"
_AMOUNT = re.compile(
    rf"^(?:the |our |all )*(?P<what>[a-z][\w'-]*(?: [a-z][\w'-]*){{0,2}}?) (?:that was |that were |we )?(?:{_DEEDS})(?: to (?:us|customers|clients))? (?P<rest>(?:per|by|each|every|for each|in|during|this|last|since|from|to date|so far)\b.*)$",
    re.IGNORECASE,
)
_ASKING = frozenset({"how", "which", "what", "who", "number", "count", "list", "show", "average", "avg", "total", "amount", "share", "top", "where", "when", "not", "never", "%", "percentage", "sum"})  # fmt: skip


def amount_of_deed(text: str, source: Source) -> str:
    """Word such a question as an amount; empty where it is none, or no line of money bears the value that was billed."""
    found = _AMOUNT.match(text.strip().rstrip("?.! "))
    if found is None or set(found["what"].lower().split()) & _ASKING:
        return ""
    targets = source.vocabulary.targets(found["what"].lower().split())
    best = targets[0] if targets else None
    if best is None or best.kind != "value" or best.cost > SURE:
        return ""
    bearers = [best.table, *(one.source for one in source.model.relations if one.target == best.table)]
    if not any(_bears_money(table, source) for table in bearers):
        return ""
    return f"total amount of {found['what']} {found['rest']}"


def _bears_money(table: str, source: Source) -> bool:
    """Whether rows are of an event, or lines of one, and hold one amount that adds up."""
    kind = source.model.things[table].kind
    sums = [
        one
        for one in source.model.fields[table]
        if one.role is Role.MEASURE and one.unit == "money" and one.aggregate == "sum"
    ]
    return kind in (Kind.EVENT, Kind.LINES) and bool(sums)


def sums_paid(frame: Frame, reading: Reading, source: Source) -> Frame:
    """Sum money where rows were counted of a verb of which money is the object: who paid most, invoiced per month."""
    if not frame.measures or any(item.op == "count" for item in reading.items):
        return frame
    said = {measure.said.lower().split(" ")[0] for measure in frame.measures}
    first = frame.measures[0]
    if any(measure.agg != "rows" or measure.anchor != first.anchor for measure in frame.measures):
        return frame
    if not (said <= _INVOICED or said <= _PAID and frame.order is not None and len(frame.measures) == 1):
        return frame
    found = sorted(worth(source, source.model.things[first.anchor], "sum"), key=lambda one: one.cost)
    plain = [
        one.measure for one in found if one.measure.expr is not None and one.measure.anchor == first.anchor
    ]
    if not plain or said <= _PAID and len(plain) > 1:
        return frame
    summed = tuple(replace(plain[0], where=m.where, said=m.said) for m in frame.measures)
    return replace(frame, measures=summed)
