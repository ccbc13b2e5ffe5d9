"""An amount that is said of what happens: "amount of unpaid invoices", "invoice amount", "total of unpaid invoices".

Decides that such an amount is the money of those rows where they store some under another name, and no other table's column of that word.
"""

from __future__ import annotations

from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.concepts.worth import worth
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import Target

_AMOUNTS = frozenset(stem(word) for word in ("amount", "value", "worth", "sum"))
_TOTALS = frozenset({"total of", "sum of", "total for", "sum of all", "total of all"})
_DOCUMENTS = frozenset(stem(word) for word in ("invoice", "bill", "order", "payment", "sale", "donation", "claim", "refund"))  # fmt: skip
"""Nouns of rows that are added up rather than counted: the total of our invoices is money."""

_MONEY = frozenset(
    stem(word) for word in ("premium", "rent", "commission", "interest", "freight", "tax", "money", "tuition", "royalty", "postage", "demurrage")
)  # fmt: skip
"""Nouns of money that may be said with how it was moved: "rent charged"."""

_SUMS = frozenset({"premium", "commission", "tuition", "royalty", "demurrage"})
"""Nouns in the singular that are an amount, whatever rows it is kept in: "top agents by commission", where "commissions" may be counted."""

_MOVED = frozenset(
    {"invoiced", "billed", "charged", "paid", "collected", "received", "booked", "earned", "credited"}
)
"""Participles that say how money was moved."""

_OWN = 0.1
"""Cost up to which a word is a column's own name."""

_BETWEEN = 2
"""Words that may stand between "of" and the noun: unpaid, overdue."""


def worths(reading: Reading, source: Source) -> Reading:
    """Give the reading with such amounts as the money of the rows they are said of."""
    items = list(reading.items)
    place = 0
    while place < len(items):
        item = items[place]
        words = [stem(word) for word in item.text.lower().split()]
        if item.kind in ("mention", "glue") and {words[0], words[-1]} & _AMOUNTS:
            if money := _money(_said_of(items, place), item, source):
                items[place] = replace(item, kind="mention", targets=(money,))
            elif money := _money(_deed(item, source), replace(item, targets=()), source):
                items[place] = replace(item, targets=(money,))
            elif money := _money(_said_behind(items, place), item, source):
                before = items[place - 1]
                whole = Item(
                    "mention", before.start, item.end, f"{before.text} {item.text}", targets=(money,)
                )
                items[place - 1 : place + 1] = [whole]
                continue
        elif item.kind == "mention" and (
            money := _money(_moved(item, source), replace(item, targets=()), source)
        ):
            items[place] = replace(item, targets=(money,))
        elif item.op == "agg" and item.text.lower() in _TOTALS:
            table = _head(items[place + 1 : place + 2 + _BETWEEN])
            money = _money(table, item, source)
            if money is not None and set(source.model.things[table].noun) & _DOCUMENTS:
                items.insert(
                    place + 1, Item("mention", item.start, item.end, item.text.split()[0], targets=(money,))
                )
                break
        place += 1
    items = _against_money(items, source)
    kept = (item for item in items if item.kind != "glue" or stem(item.text.lower()) not in _AMOUNTS)
    return replace(reading, items=tuple(kept))


def _said_of(items: list[Item], place: int) -> str:
    """The table of the noun behind "of"."""
    if place + 1 >= len(items) or items[place + 1].op != "of":
        return ""
    return _head(items[place + 2 : place + 3 + _BETWEEN])


def _deed(item: Item, source: Source) -> str:
    """The table of the deed in one name with the amount: "shipped value"."""
    if item.kind != "mention" or " " not in item.text or item.targets[0].cost <= _OWN:
        return ""
    best = item.targets[0]
    one = source.model.field(best.table, best.column) if best.kind == "field" else None
    return best.table if one is not None and one.role is Role.TIME else ""


def _against_money(items: list[Item], source: Source) -> list[Item]:
    """ "Claims paid against premium invoiced": what is held against money is money too, where it says how that was moved."""
    out = list(items)
    for place, held in enumerate(items):
        if held.op != "vs" or not 0 < place < len(items) - 1:
            continue
        for one, other in ((place - 1, place + 1), (place + 1, place - 1)):
            item, beside = items[one], items[other]
            is_deed = item.kind == "mention" and item.text.lower().split()[-1] in _MOVED
            is_money = beside.kind == "mention" and stem(beside.text.lower().split()[0]) in _MONEY
            best = item.targets[0] if is_deed and is_money else None
            if (
                best is not None
                and best.kind == "thing"
                and (money := _money(best.table, replace(item, targets=()), source))
            ):
                out[one] = replace(item, targets=(money,))
    return out


def _moved(item: Item, source: Source) -> str:
    """The table of rows that are meant as money: "premium invoiced", "rent charged", "commission"; "" of any other, as "invoices paid"."""
    noun, *_, deed = item.text.lower().split() if " " in item.text else ("", "")
    best = item.targets[0]
    if item.text.lower() in _SUMS:
        own = source.model.field(best.table, best.column) if best.kind == "field" else None
        is_sum = own is not None and own.aggregate == "sum"  # a rate is no amount
        return "" if is_sum else next((one.table for one in item.targets if one.kind == "thing"), "")
    return best.table if best.kind == "thing" and deed in _MOVED and stem(noun) in _MONEY else ""


def _said_behind(items: list[Item], place: int) -> str:
    """The table of the noun right before: "invoice amount"."""
    before = items[place - 1] if place else None
    if before is None or before.kind != "mention" or before.end != items[place].start:
        return ""
    best = before.targets[0]
    return best.table if best.kind == "thing" else ""


def _head(items: list[Item]) -> str:
    """The table of the first noun among words that describe its rows."""
    for item in items:
        if item.kind != "mention":
            return ""
        if item.targets[0].kind == "thing":
            return item.targets[0].table
    return ""


def _money(table: str, item: Item, source: Source) -> Target | None:
    """The column of money that a table's rows are worth; None where there is none, no single column is it, or the word is its own name."""
    if not table or any(target.table == table for target in item.targets[:1]):
        return None
    for found in worth(source, source.model.things[table], "sum"):
        expr = found.measure.expr
        if expr is not None and expr.op == "column" and expr.slots[0].field.table == table:
            return Target("field", table, expr.slots[0].field.column, cost=0.02)
        return None
    return None
