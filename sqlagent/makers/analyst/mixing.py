"""Figures that a frame holds and nobody asked for, and figures that were asked for and are only named in passing.

Looks at what stands in the place of a figure: that rows are counted where money was asked for, or that a second table's
figure appeared because two words stood side by side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations, pairwise

from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Frame, Measure
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.sketching import Sketch
from sqlagent.makers.analyst.starts import FIGURES

MONEY_VERBS = frozenset(
    {
        "sold",
        "sell",
        "sells",
        "earned",
        "earns",
        "paid",
        "pays",
        "pay",
        "spent",
        "spends",
        "spend",
        "donated",
        "owes",
        "owe",
        "owed",
        "invested",
    }
)
"""Verbs whose object is money where no other is named."""

MONEY_STEMS = frozenset(stem(word) for word in MONEY_VERBS)

_JOINING = frozenset({"and", "vs", "ratio", "share", "growth", "figures", "with", "for each other"})
"""Operators between two figures that were both asked for."""


def mixed(frame: Frame, reading: Reading, drawn: Sketch) -> list[str]:
    """Words that became a figure of another table though nothing joins two figures: "tenant satisfaction", "deposit money".

    A figure that stands there twice was asked for of something else the second time.
    """
    plain = [one for one in frame.measures if one.agg != "ratio"]
    if twice := [b.said for a, b in combinations(plain, 2) if replace(a, said=b.said) == b]:
        return twice[:1]
    if len(plain) < 2 or len({one.anchor for one in plain}) < 2 or drawn.vs or drawn.scale or frame.formula:
        return []
    if any(item.op in _JOINING or item.text in ("+", "&", ":", ";") for item in reading.items):
        return _side_by_side(plain, reading)
    return [one.said for one in plain[1:2] if one.said]


def _side_by_side(figures: Sequence[Measure], reading: Reading) -> list[str]:
    """The second of two words that nothing stands between and that became figures of two tables: "quantity sold and quantity returned"."""
    tables = {one.said.lower(): one.anchor for one in figures}
    return [
        after.text
        for before, after in pairwise(reading.items)
        if before.kind == after.kind == "mention"
        and {before.text.lower(), after.text.lower()} <= tables.keys()
        and tables[before.text.lower()] != tables[after.text.lower()]
    ]


_TURNOVER = frozenset({"turnover", "revenue", "income", "takings", "earnings"})
"""Words for money that came in, by which a thing of sales may be found."""

_PAID = frozenset({"rent", "rents", "fee", "fees", "price", "prices", "cost", "costs", "spend"})
"""Words for money by which a thing may be found that is called otherwise: rent by rentals."""

_WORTH = frozenset({"value", "amount", "worth", "spend", "sum"})
"""Words for money behind a word for rows: shipped value."""

_NAME = 0.1
"""Cost up to which a word is a thing's own name."""


def counts_money(frame: Frame, reading: Reading) -> list[str]:
    """Verbs of money by which rows were ranked: who sold the most is none who had the most orders, unless they are named."""
    if said := _turnover_counted(frame, reading):
        return said
    if frame.order is None or len(frame.measures) != 1 or frame.measures[0].agg not in ("rows", "distinct"):
        return []
    items = reading.items
    at = next(
        (
            n
            for n, item in enumerate(items)
            if item.op == "rank" and item.text.lower() in ("most", "least", "top", "best")
        ),
        None,
    )
    if at is None or any(
        item.kind == "mention" and any(t.kind == "thing" for t in item.targets[:1])
        for item in items[at + 1 :]
    ):
        return []
    if verbs := [item.text for item in items if item.text.lower() in MONEY_VERBS and item.kind != "glue"]:
        return verbs[:1]
    return [items[at].text] if MONEY_STEMS & reading.glued else []


def _turnover_counted(frame: Frame, reading: Reading) -> list[str]:
    """ "Fuel turnover" that counts fuel sales: a word for money is no word for rows."""
    if not frame.measures or any(one.agg not in ("rows", "distinct") for one in frame.measures):
        return []
    if said := [word for word in sorted(_WORTH) if stem(word) in reading.glued]:
        return said[:1]
    return [
        item.text
        for item in reading.items
        if item.kind == "mention"
        and item.targets[0].kind in ("thing", "field")
        and (item.targets[0].kind == "thing" or item.targets[0].cost > _NAME)
        and _is_money(item.text.lower().split(), item.targets[0].cost)
    ]


def _is_money(words: Sequence[str], cost: float) -> bool:
    """Whether words end in one for money: takings, or a rent or a value that is no table's own name."""
    return (
        words[-1] in _TURNOVER
        or words[-1] in _PAID
        and cost > _NAME
        or words[-1] in _WORTH
        and len(words) > 1
    )


def grouped_by_deed(frame: Frame, reading: Reading) -> list[str]:
    """Verbs of money that became groups: "tickets sold in 2025" asks for no orders."""
    by = {(slot.field.table, slot.field.column) for one in frame.by if not one.grain for slot in one.shown}
    meant = [item for item in reading.items if by & {(t.table, t.column) for t in item.targets}]
    verbs = [item.text for item in meant if item.text.lower() in MONEY_VERBS]
    return verbs[:1] if len(verbs) == len(meant) else []


def figures_in(reading: Reading) -> frozenset[int]:
    """Where business words stand that are asked for as figures, so that rows which a synonym names are none of them.

    "Without sales" and "more than five sales" speak of rows.
    """
    out = set()
    for place, item in enumerate(reading.items):
        best = item.targets[0] if item.targets else None
        if best is None or best.kind != "concept" or best.column not in FIGURES or best.cost >= 0.05:
            continue
        before = reading.items[place - 1] if place else None
        rows = before is not None and (
            before.kind == "number" or before.op in ("not", "except", "rel", "with", "more")
        )
        if not rows and not any(t.kind == "thing" and t.cost <= 0.05 for t in item.targets):
            out.add(item.start)
    return frozenset(out)


def has_figure(item: Item, held: Iterable[bool]) -> bool:
    """Whether a frame computes a figure: `held` says of each meaning, in order, whether the frame holds it."""
    return any(
        has
        for target, has in zip(item.targets, held, strict=True)
        if target.kind in ("concept", "value") or target.kind == "field" and target.cost < 0.05
    )
