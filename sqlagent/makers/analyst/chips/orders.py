"""Which rows come first, how many, and how the figures are shown: plainly, as shares, as growth, as a running total."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.chips.settling import ordered, settled
from sqlagent.makers.analyst.chips.values import REMOVE, Option, Part
from sqlagent.makers.analyst.frames import BESIDE, Frame, Order

TOPS = (1, 3, 5, 10, 20, 50)
"""How many rows may be kept."""

_SHOWN = {
    "": "as plain figures",
    "share": "as a share of the total",
    "running": "as a running total",
    "change": "with the change",
    "growth": "with growth in percent",
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
        gone = Option("Show plain figures", REMOVE, "", plain, "shown as plain figures")
        beside = frame.transform == "share" and BESIDE in frame.flags
        words = "with its share of the total" if beside else _TOLD.get(frame.transform, frame.transform)
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
        yield Option(words, f"{key}:{transform}", "Show", settled(changed), f"shown {words}")


def order_parts(frame: Frame) -> Iterator[Part]:
    """The chips of which rows come first and how many are kept."""
    by = ""
    if frame.order is not None and frame.order.by is not None:
        by = f" by {telling.expression(frame.order.by)}"
    ascending = frame.order is not None and frame.order.ascending
    if frame.limit is not None:
        yield _limit_part(frame, ascending, by)
    elif frame.order is not None:
        turned = ordered(frame, not ascending)
        words = [_first(frame, up, by) for up in (ascending, not ascending)]
        options = [Option(words[1], "turn", "", turned, f"order changed: {words[1]}")]
        options += _tops(frame, ascending)
        if frame.order.by is None and frame.order.measure is None:
            said = "in order of time" if any(d.grain for d in frame.by) else "largest first"
            usual = replace(frame, order=None)
            options.append(Option(said, REMOVE, "", usual, f"order changed: {said}"))
        yield Part("order", "order", "", words[0], tuple(options))


def orders_added(frame: Frame) -> Iterator[Option]:
    """The other order, and the first few, where no order was asked for."""
    if frame.order is not None or frame.limit is not None or not (frame.by or not frame.measures):
        return
    if not frame.measures:
        return
    is_timed = any(d.grain or d.bucket for d in frame.by)
    for up in (False, True) if is_timed else (True,):
        words = "smallest first" if up else "largest first"
        changed = replace(frame, order=Order(ascending=up))
        yield Option(words, f"order:{'up' if up else 'down'}", "Order", changed, f"order changed: {words}")
    for number in TOPS[:4]:
        for up in (False, True):
            words = f"{'bottom' if up else 'top'} {number}"
            changed = replace(frame, order=Order(ascending=up), limit=number, offset=0)
            yield Option(words, f"{'bottom' if up else 'top'}:{number}", "Only the first", changed, words)


def _first(frame: Frame, ascending: bool, by: str) -> str:
    """Which rows come first, in words."""
    if frame.order is not None and frame.order.dimension is not None:
        said = telling.dimension(frame.by[frame.order.dimension])
        return f"sorted by {said}{'' if ascending else ', last first'}"
    return f"{'smallest' if ascending else 'largest'} first{by}"


def _limit_part(frame: Frame, ascending: bool, by: str) -> Part:
    assert frame.limit is not None
    word = "smallest" if ascending else "largest"
    after = f" after the first {frame.offset}" if frame.offset else ""
    words = f"{frame.limit} {word}{by}{after}" if frame.limit > 1 else f"the {word}{by}{after}"
    options = list(_tops(frame, ascending))
    turned = ordered(frame, not ascending)
    other = "largest" if ascending else "smallest"
    many = f"{frame.limit} {other}" if frame.limit > 1 else f"the {other}"
    options.append(Option(f"{many}{by}", "turn", "", turned, f"order changed: {other} first"))
    whole = settled(replace(frame, limit=None, offset=0))
    options.append(Option("Show all", REMOVE, "", whole, "all rows shown"))
    return Part("limit", "limit", "only", words, tuple(options))


def _tops(frame: Frame, ascending: bool) -> Iterator[Option]:
    word = "smallest" if ascending else "largest"
    for number in TOPS:
        if number != frame.limit:
            changed = replace(frame, limit=number, offset=0)
            words = f"{number} {word}" if number > 1 else f"the {word}"
            yield Option(
                words, f"top:{number}", "How many", changed, f"only the {words.removeprefix('the ')}"
            )
