"""Which rows come first, how many, and how the figures are shown: plainly, as shares, as growth, as a running total."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.language.saying import Saying, in_a_row, template, worded
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.chips.settling import ordered, settled
from sqlagent.makers.analyst.chips.values import REMOVE, Option, Part
from sqlagent.makers.analyst.frames import BESIDE, Frame, Order

TOPS = (1, 3, 5, 10, 20, 50)
"""How many rows may be kept."""

_SHOWN = {
    "": worded("as plain figures"),
    "share": worded("as a share of the total"),
    "running": worded("as a running total"),
    "change": worded("with the change"),
    "growth": worded("with growth in percent"),
}
_TOLD = _SHOWN | {
    "moving": "as a moving average",
    "average": "averaged over the groups",
    "spread": "by how many have each",
    "between": "as the change from one to the other",
    "quotient": "as a percentage of one another",
    "groups": "how many groups there are",
    "concentration": "as the share of the greatest",
}


def shown_part(frame: Frame) -> Iterator[Part]:
    """The chip of how figures are shown, where that is not plainly."""
    if frame.transform:
        options = tuple(o for o in shown_options(frame, "shown") if o.key != "shown:")
        plain = settled(replace(frame, transform="", window=0, scale=0.0))
        gone = Option("Show plain figures", REMOVE, "", plain, worded("shown as plain figures"))
        beside = frame.transform == "share" and BESIDE in frame.flags
        words = (
            worded("with its share of the total") if beside else _TOLD.get(frame.transform, frame.transform)
        )
        yield Part("shown", "shown", "", words, (*options, gone))


def shown_options(frame: Frame, key: str) -> Iterator[Option]:
    """Other ways to show one figure by groups."""
    if len(frame.measures) != 1 or frame.measures[0].agg == "ratio" or not frame.by or frame.per:
        return
    if frame.transform not in _SHOWN:
        return
    is_timed = any(d.grain in ("day", "week", "month", "quarter", "year") for d in frame.by)
    for transform, words in _SHOWN.items():
        if transform == frame.transform or transform not in ("", "share") and not is_timed:
            continue
        limit = frame.limit if transform in ("", "share") else None
        order = frame.order if not transform else None
        changed = replace(frame, transform=transform, window=0, order=order, limit=limit, offset=0)
        yield Option(
            words, f"{key}:{transform}", "Show", settled(changed), worded("shown {words}", words=words)
        )


def order_parts(frame: Frame) -> Iterator[Part]:
    """The chips of which rows come first and how many are kept."""
    by = ""
    if frame.order is not None and frame.order.by is not None:
        by = worded(" by {name}", name=telling.expression(frame.order.by))
    ascending = frame.order is not None and frame.order.ascending
    if frame.limit is not None:
        yield _limit_part(frame, ascending, by)
    elif frame.order is not None:
        turned = ordered(frame, not ascending)
        words = [_first(frame, up, by) for up in (ascending, not ascending)]
        options = [Option(words[1], "turn", "", turned, worded("order changed: {order}", order=words[1]))]
        options += _tops(frame, ascending)
        if frame.order.by is None and frame.order.measure is None:
            said = worded("in order of time") if any(d.grain for d in frame.by) else worded("largest first")
            usual = replace(frame, order=None)
            options.append(Option(said, REMOVE, "", usual, worded("order changed: {order}", order=said)))
        yield Part("order", "order", "", words[0], tuple(options))


def orders_added(frame: Frame) -> Iterator[Option]:
    """The other order, and the first few, where no order was asked for."""
    if frame.order is not None or frame.limit is not None or not (frame.by or not frame.measures):
        return
    if not frame.measures:
        return
    is_timed = any(d.grain or d.bucket for d in frame.by)
    for up in (False, True) if is_timed else (True,):
        words = worded("smallest first") if up else worded("largest first")
        changed = replace(frame, order=Order(ascending=up))
        yield Option(
            words,
            f"order:{'up' if up else 'down'}",
            "Order",
            changed,
            worded("order changed: {order}", order=words),
        )
    for number in TOPS[:4]:
        for up in (False, True):
            words = worded("bottom {count}", count=number) if up else worded("top {count}", count=number)
            changed = replace(frame, order=Order(ascending=up), limit=number, offset=0)
            yield Option(words, f"{'bottom' if up else 'top'}:{number}", "Only the first", changed, words)


def _first(frame: Frame, ascending: bool, by: str) -> str:
    """Which rows come first, in words."""
    if frame.order is not None and frame.order.dimension is not None:
        said = telling.dimension(frame.by[frame.order.dimension])
        if ascending:
            return worded("sorted by {name}", name=said)
        return worded("sorted by {name}, last first", name=said)
    return in_a_row(worded("smallest first") if ascending else worded("largest first"), by)


_NTH = {
    True: {
        2: template("the second smallest"),
        3: template("the third smallest"),
        4: template("the fourth smallest"),
        5: template("the fifth smallest"),
    },
    False: {
        2: template("the second largest"),
        3: template("the third largest"),
        4: template("the fourth largest"),
        5: template("the fifth largest"),
    },
}
"""One row at a place, by whether the smallest comes first and by the place."""


def _limit_part(frame: Frame, ascending: bool, by: str) -> Part:
    assert frame.limit is not None
    nth = _NTH[ascending].get(frame.offset + 1) if frame.limit == 1 and frame.offset else None
    if nth is not None:
        words = in_a_row(worded(nth), by)
    else:
        after = worded(" after the first {count}", count=frame.offset) if frame.offset else ""
        words = in_a_row(_ends(frame.limit, ascending), by, after)
    options = list(_tops(frame, ascending))
    turned = ordered(frame, not ascending)
    many = in_a_row(_ends(frame.limit, not ascending), by)
    other = worded("largest first") if ascending else worded("smallest first")
    options.append(Option(many, "turn", "", turned, worded("order changed: {order}", order=other)))
    whole = settled(replace(frame, limit=None, offset=0))
    options.append(Option("Show all", REMOVE, "", whole, worded("all rows shown")))
    return Part("limit", "limit", "only", words, tuple(options))


def _tops(frame: Frame, ascending: bool) -> Iterator[Option]:
    for number in TOPS:
        if number != frame.limit:
            changed = replace(frame, limit=number, offset=0)
            only = (
                worded("only the {count} smallest", count=number)
                if ascending
                else worded("only the {count} largest", count=number)
            )
            if number == 1:
                only = worded("only the smallest") if ascending else worded("only the largest")
            yield Option(_ends(number, ascending), f"top:{number}", "How many", changed, only)


def _ends(count: int, ascending: bool) -> Saying:
    """The first few rows, in words."""
    if count == 1:
        return worded("the smallest") if ascending else worded("the largest")
    return worded("{count} smallest", count=count) if ascending else worded("{count} largest", count=count)
