"""How figures are to be shown, said at the end of a question: as a share of the total, sorted by something, smallest first, the top 3.

An ending is cut off before the question is read and made a part of its frames, so that it changes nothing else of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics.words import SPANS
from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.language.words import split_name, stem
from sqlagent.makers.analyst.beside import beside_earlier
from sqlagent.makers.analyst.frames import (
    BESIDE,
    MOVED,
    Condition,
    Dimension,
    Expr,
    Frame,
    Order,
    Slot,
    share_of,
)

_SHARE = re.compile(
    r"(?<![,\s])[,\s]+(?:shown |told )?(?:(?:as|in) (?:a |the )?(?:share|shares|percentage|percentages|percent|per cent|proportion|%)|as %)"
    r"(?:\s+of\s+(?:(?:the\s+)?(?:total|whole|all)|(?:each|every|the)\s+(?P<name>\w+)))?$",
    re.IGNORECASE,
)
_WITH_SHARE = re.compile(
    r"(?<![,\s])[,\s]+(?:and|with|plus)\s+(?:the |its |their |each |each one's )?(?:share|shares|percentage|percent|per cent|proportion|%|pct)\s+of\s+(?:the\s+)?(?:total|whole|all|grand total)$",
    re.IGNORECASE,
)
_SORTED = re.compile(
    r"(?<![,\s])[,\s]+(?:and )?(?:sort|sorted|order|ordered)(?:\s+(?:it|them|rows|this))?\s+by\s+(?:the\s+)?(?P<name>[\w\s'-]+?)"
    r"(?:\s+(?P<way>ascending|descending|asc|desc|[a-z]+ first|a-z|z-a))?$",
    re.IGNORECASE,
)
_FIRST = re.compile(
    r"(?<![,\s])[,\s]+(?:and )?(?:(?:sort|sorted|order|ordered)\s+)?(?:(?:the\s+)?(?P<word>highest|largest|biggest|most common|most frequent|most|best|lowest|smallest|fewest|least|least common"
    r"|worst|newest|latest|most recent|oldest|earliest|slowest|longest|fastest|quickest|shortest)(?: ones)? (?:first|on top|at the top)|(?:in )?(?P<way>ascending|descending)(?: order)?|(?P<alpha>alphabetically|alphabetical|(?:in )?alphabetical order|(?:from )?a to z|a-z))$",
    re.IGNORECASE,
)
_DEAR = re.compile(
    r"(?<![,\s])[,\s]+(?:and )?(?:the )?(?:(?P<dear>most expensive|priciest|dearest|costliest)|cheapest|least expensive)(?: ones)? (?:first|on top|at the top)$",
    re.IGNORECASE,
)
_TOP = re.compile(
    r"(?<![,\s])[,\s]+(?:and )?(?:only |just |show )?(?:the )?(?P<word>top|best|highest|largest|biggest|bottom|worst|lowest|smallest|fewest)"
    r" (?P<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)(?: only)?$",
    re.IGNORECASE,
)
_FEW = re.compile(
    r"(?<![,\s])[,\s]+(?:and )?(?:only |just |show )?(?:the |our )?(?P<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
    r" (?P<word>best|highest|largest|biggest|worst|lowest|smallest|fewest)(?: ones| only)?$",
    re.IGNORECASE,
)
""" "Overdue amount per customer, the 10 worst": the number stands first."""
_EARLIER = re.compile(
    r"(?<![,\s])[,\s]+(?:compared (?:with|to|against)|(?:side by side|in comparison) with|next to|vs\.?|versus|against)\s+(?:(?:that|those) of\s+)?"
    r"(?:the\s+same\s+(?:\w+\s+)??(?P<part>months?|quarters?|weeks?|days?|period|time)\s+(?:of\s+|in\s+)?)?"
    r"(?:(?:the|a|one)\s+)?(?:(?P<unit>year|quarter|month|week|period)\s+(?:before|earlier|prior)|(?:previous|prior|preceding)\s+(?P<last>year|quarter|month|week|period))$",
    re.IGNORECASE,
)
_OF_ALL = re.compile(
    r"(?<![,\s])[,\s]+(?:as|in) (?:a |the )?(?:share|percentage|percent|per cent|proportion|%) of (?:all|total)(?: (?:of )?(?:the|their|its))?\s+(?P<name>[a-z][\w-]*(?: [a-z][\w-]*)?)$",
    re.IGNORECASE,
)
_GROWN = re.compile(
    r"(?<![,\s])[,\s]+(?:and|with|plus)\s+(?:the\s+|its\s+)?(?P<percent>%|percent(?:age)?|per cent|pct|relative)?\s*(?P<word>change|growth|increase)(?P<behind> in (?:%|percent))?"
    r"\s+(?:on|over|from|vs\.?|versus|against|to|compared (?:to|with))\s+(?:the\s+)?"
    r"(?:(?:previous|prior|last|preceding)\s+(?P<unit>day|week|month|quarter|year|period|one)|(?P<before>day|week|month|quarter|year|period|one)\s+before)(?P<after> in (?:%|percent|per cent))?$",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"(?<![,\s])[,\s]+(?:and )?only (?:(?:the )?(?P<count>\d{1,3})|those|the ones) that (?P<word>fell|rose)(?P<most> most)?$",
    re.IGNORECASE,
)
_SKIPPED = re.compile(r"(?<![,\s])[,\s]+without the first (?P<count>\d{1,2})$", re.IGNORECASE)
_HOW_MANY = re.compile(r"(?<![,\s])[,\s]+how many groups$", re.IGNORECASE)
_ALONG = re.compile(r",\s*with (?:the )?(?P<name>[\w\s'-]+?) alongside$", re.IGNORECASE)
_GROUPED = re.compile(
    r"\b(?:by|per|each|every)\b|\b(?:daily|weekly|monthly|quarterly|yearly)\b", re.IGNORECASE
)
LARGE = frozenset({"highest", "largest", "biggest", "most"})
SMALL = frozenset({"lowest", "smallest", "fewest", "least", "least common", "worst", "bottom"})
_LASTING = {"slowest": "highest", "longest": "highest", "fastest": "lowest", "quickest": "lowest", "shortest": "lowest"}  # fmt: skip
"""Ends of an order that only lengths of time have."""
_NEW = frozenset({"newest", "latest", "most recent"})
_OLD = frozenset({"oldest", "earliest"})
_FIGURES = frozenset(map(stem, ["value", "number", "figure", "amount", "total", "count", "result", "it"]))
_BAD = frozenset(
    map(
        stem,
        [
            "late", "cancelled", "cancellation", "overdue", "delay", "complaint", "unsold", "failed", "failure", "fault", "defect", "error",
            "return", "refund", "missed", "lost", "loss", "absent", "absence", "waste", "churn", "rejected", "unpaid", "damage", "cost", "expense",
            "incident", "accident", "injury", "breakdown", "outage", "emergency", "dispute", "downtime", "backlog", "wait", "waiting", "owed", "owe", "arrears", "outstanding", "debt",
        ],
    )
)  # fmt: skip
"""Words for what is better the less there is of it."""

_ANY = frozenset({"period", "one"})
_SORTABLE = frozenset({"", "share"})


@dataclass(frozen=True, slots=True)
class Ending:
    """One ending as it was typed: `kind` is share, of all, sort, top, skipped, groups, moved, grown, earlier or along; a sort is by a name, or by what the word before "first" is of.

    A share whose `word` is beside stands beside its figure. Of `top` and `moved`, `count` is how many groups are kept, 0 all; `earlier` sets the period before beside, by the unit that is its `word`; `along`
    sets the figure beside that is its name; `grown` the change or growth (its name) on the time before, by the grain that is its `word`.
    """

    kind: str
    text: str
    name: str = ""
    word: str = ""
    count: int = 0


def endings(text: str) -> tuple[str, tuple[Ending, ...]]:
    """Cut the endings off a question.

    Example:
        >>> endings("revenue by region 2024, as a share of the total, smallest first")[0]
        'revenue by region 2024'
    """
    found: list[Ending] = []
    while True:
        text = text.rstrip(" ?.!,;")
        ending = _last(text)
        if ending is None:
            return text, tuple(reversed(found))
        found.append(ending)
        text = text[: -len(ending.text)]


def _last(text: str) -> Ending | None:
    if (match := _WITH_SHARE.search(text)) and _GROUPED.search(text[: match.start()]):
        return Ending("share", match[0], word="beside")
    if match := _GROWN.search(text):
        is_share = match["percent"] or match["behind"] or match["after"] or match["word"].lower() == "growth"
        unit = (match["unit"] or match["before"]).lower()
        return Ending("grown", match[0], "growth" if is_share else "change", "" if unit in _ANY else unit)
    if match := _SHARE.search(text):
        return (
            Ending("share", match[0], (match["name"] or "").lower())
            if _GROUPED.search(text[: match.start()])
            else None
        )
    if (match := _OF_ALL.search(text)) and _GROUPED.search(text[: match.start()]):
        return Ending("of all", match[0], match["name"].lower())
    if match := _EARLIER.search(text):
        return Ending("earlier", match[0], word=(match["unit"] or match["last"]).lower())
    if match := _ALONG.search(text):
        return Ending("along", match[0], match["name"].lower())
    if match := _SKIPPED.search(text):
        return Ending("skipped", match[0], count=int(match["count"]))
    if match := _HOW_MANY.search(text):
        return Ending("groups", match[0])
    if match := _MOVED.search(text):
        return Ending("moved", match[0], word=match["word"].lower(), count=int(match["count"] or 0))
    if match := _TOP.search(text) or _FEW.search(text):
        count = NUMBER_WORDS.get(match["count"].lower()) or match["count"]
        return (
            Ending("top", match[0], word=match["word"].lower(), count=int(count))
            if _GROUPED.search(text[: match.start()])
            else None
        )
    if match := _SORTED.search(text):
        return Ending(
            "sort", match[0], match["name"].lower(), (match["way"] or "").lower().removesuffix(" first")
        )
    if (match := _DEAR.search(text)) and _GROUPED.search(text[: match.start()]):
        return Ending("sort", match[0], "", "highest" if match["dear"] else "lowest")
    if match := _FIRST.search(text):
        return Ending("sort", match[0], "", (match["word"] or match["way"] or match["alpha"]).lower())
    return None


def shown_by(
    frame: Frame, some: tuple[Ending, ...], along: Callable[[Frame, str], Frame | None] | None = None
) -> Frame | None:
    """Give a frame with its endings; None where one of them says nothing of such a frame.

    `along` sets a figure that is named beside those of a frame.
    """
    for one in some:
        if one.kind == "along":
            changed = along(frame, one.name) if along is not None else None
        else:
            changed = _WAYS[one.kind](frame, one)
        if changed is None:
            return None
        frame = changed
    return frame


def _shared(frame: Frame, one: Ending) -> Frame | None:
    """Each group's part of the total, or of the total of each group that was named: of one figure that adds up."""
    summed = len(frame.measures) == 1 and frame.measures[0].agg in ("rows", "sum", "distinct")
    if not summed or not frame.by or frame.transform or frame.pivot or frame.per or frame.having:
        return None
    if one.name:
        place = next((n for n, d in enumerate(frame.by) if stem(one.name) in _words(d)), None)
        if place is None or len(frame.by) < 2:
            return None
        by = (frame.by[place], *frame.by[:place], *frame.by[place + 1 :])
        return replace(frame, by=by, transform="share", flags=(*frame.flags, "within"))
    return replace(frame, transform="share", flags=(*frame.flags, BESIDE) if one.word else frame.flags)


def _of_all(frame: Frame, one: Ending) -> Frame | None:
    """How many of all are so: "cancelled orders by agent, in percent of all orders" is a rate of each agent's orders.

    Where nothing says how they are, each group's part of the total.
    """
    if (
        len(frame.measures) != 1
        or not frame.by
        or frame.transform
        or frame.pivot
        or frame.per
        or frame.having
    ):
        return None
    counted = frame.measures[0]
    nouns = {stem(word) for word in (*split_name(counted.anchor), *counted.said.lower().split())}
    if counted.agg not in ("rows", "sum", "distinct") or not {stem(w) for w in one.name.split()} <= nouns:
        return None
    so = [c for c in frame.where if c.op == "in" and not c.negated]
    if not so and not any(
        c.op in ("later", "exists", "missing", "filled", "any", "all") for c in frame.where
    ):
        return _shared(frame, replace(one, name=""))
    own = [c for c in so if all(not slot.path for slot in c.slots)]
    if len(own) != 1 or any(c.op == "later" for c in frame.where):
        return None
    rest = tuple(c for c in frame.where if c is not own[0])
    return replace(
        frame, measures=(share_of(replace(counted, where=(*counted.where, own[0])), counted),), where=rest
    )


def _sorted(frame: Frame, one: Ending) -> Frame | None:
    if one.word in _LASTING:
        return _sorted(frame, replace(one, word=_LASTING[one.word])) if _is_lasting(frame) else None
    if not frame.measures:
        return _list_sorted(frame, one)
    if not frame.by or not _can_be_sorted(frame):
        return None
    small = one.word in SMALL and not (one.word == "worst" and _is_bad(frame))
    ascending = one.word in ("ascending", "asc", "a-z") or small or one.word in _OLD
    descending = (
        one.word in ("descending", "desc", "z-a")
        or not ascending
        and bool(one.word)
        and one.word not in _ALPHA
    )
    if one.word in _NEW or one.word in _OLD:
        place = next((n for n, d in enumerate(frame.by) if d.grain), None)
        return replace(frame, order=Order(ascending, dimension=place)) if place is not None else None
    if one.word in _ALPHA:
        place = next((n for n, d in enumerate(frame.by) if not d.grain), None)
        return replace(frame, order=Order(True, dimension=place)) if place is not None else None
    if not one.name:
        return replace(frame, order=Order(ascending))
    words = {stem(word) for word in one.name.split()}
    if words & {stem("surname")}:
        words |= {stem("last")}
    for place, dimension in enumerate(frame.by):
        if len(dimension.shown) > 1 and (
            own := [slot for slot in dimension.shown if words & {*slot.field.words}]
        ):
            return replace(frame, order=Order(not descending, by=Expr("column", (own[-1],))))
        if words & _words(dimension):
            return replace(frame, order=Order(not descending, dimension=place))
    said = {stem(word) for measure in frame.measures[:1] for word in measure.said.lower().split()}
    expr = frame.measures[0].expr
    said |= {word for slot in (expr.slots if expr is not None else ()) for word in slot.field.words}
    if words & (said | _FIGURES):
        return replace(frame, order=Order(ascending))
    return None


def _is_lasting(frame: Frame) -> bool:
    """Whether the first figure is a length of time: between two times, or stored as one."""
    expr = frame.measures[0].expr if frame.measures else None
    return expr is not None and (
        expr.op in ("span", "age") or any(s.field.unit in SPANS.values() for s in expr.slots)
    )


def _list_sorted(frame: Frame, one: Ending) -> Frame | None:
    """A list in the order of a column that it shows, or that all its rows have; of people, "name" and "surname" are the last of their names."""
    if frame.limit is not None or frame.per or frame.distinct:
        return None
    if frame.order is not None and not one.name and one.word in (*LARGE, *SMALL):
        return frame if frame.order.ascending == (one.word in SMALL) else None
    words = (
        {stem(word) for word in one.name.split()}
        if one.name
        else {stem("name")}
        if one.word in _ALPHA
        else set()
    )
    if words & {stem("surname")}:
        words |= {stem("last")}
    descending = one.word in ("descending", "desc", "z-a", *_NEW)
    for slot in (*reversed(frame.columns), *frame.had):
        if words & {*map(stem, slot.field.words), slot.field.column.lower()}:
            by = _shown_for(slot, frame)
            columns = frame.columns if by in frame.columns else (*frame.columns, by)
            return replace(frame, columns=columns, order=Order(not descending, by=Expr("column", (by,))))
    return None if one.name or not one.word else _list_by_bound(frame, one)


def _shown_for(slot: Slot, frame: Frame) -> Slot:
    """A column, or of one that points at a row, the first one that the list shows of that row."""
    pointing = (slot.field.table, (slot.field.column,))
    for one in frame.columns if not slot.path else ():
        if len(one.path) == 1 and (one.path[0].source, one.path[0].columns) == pointing:
            return one
    return slot


def _list_by_bound(frame: Frame, one: Ending) -> Frame | None:
    """A list whose rows are bounded by a figure or lie in a period, the largest or the newest of these first, and that shown beside them."""
    timed = one.word in _NEW | _OLD
    bounds = [c for c in frame.where if c.op == ("period" if timed else "compare") and not c.negated]
    slots = {
        slot for c in bounds for slot in (c.slots if timed else c.expr.slots if c.expr is not None else ())
    }
    if len(slots) != 1 or any(c.expr is not None and c.expr.op != "column" for c in bounds):
        return None
    slot = slots.pop()
    columns = frame.columns if slot in frame.columns else (*frame.columns, slot)
    order = Order(one.word in SMALL | _OLD, by=Expr("column", (slot,)))
    return replace(frame, columns=columns, order=order)


def _topped(frame: Frame, one: Ending) -> Frame | None:
    """The first few groups of a figure; none of a frame that is sorted by something else."""
    if not frame.by or not frame.measures or one.count < 1 or not _can_be_sorted(frame):
        return None
    years = any(c.op == "any" and all(part.op == "period" for part in c.parts) for c in frame.where)
    if years and len(frame.by) > 1 and any(d.grain for d in frame.by):
        return None  # of groups in two years the first few are no first few rows
    ascending = one.word in SMALL
    if one.word in ("worst", "best") and _is_bad(frame):
        ascending = one.word == "best"
    if frame.order is not None and frame.order != Order(ascending):
        return None
    return replace(frame, order=Order(ascending), limit=one.count)


def _grown(frame: Frame, one: Ending) -> Frame | None:
    """A figure of each month, day or year with its change on the one before, in percent or as it is."""
    times = [d for d in frame.by if d.grain]
    alone = len(frame.measures) == 1 and len(times) == 1 and frame.formula is None
    if not alone or frame.transform or frame.pivot or frame.per or frame.having or frame.limit is not None:
        return None
    return replace(frame, transform=one.name) if one.word in ("", times[0].grain) else None


def _moved(frame: Frame, one: Ending) -> Frame | None:
    """Of changes those that fell or rose, the farthest first; the few that did so most, where a number is told."""
    if frame.transform != "between" or not frame.by or len(frame.measures) != 2:
        return None
    flags = tuple(flag for flag in frame.flags if flag not in MOVED)
    flags = flags if one.count else (*flags, one.word)
    return replace(frame, order=Order(one.word == "fell"), limit=one.count or None, flags=flags)


def worst_of_bad(frame: Frame, ranks: Sequence[str]) -> Frame:
    """The worst of a figure of which more is worse are the most: the worst months of costs. `ranks` are the words that rank."""
    worst = any(text.lower().split()[:1] == ["worst"] for text in ranks)
    order = frame.order
    if not worst or order is None or not order.ascending or order.by or order.dimension is not None:
        return frame
    return (
        replace(frame, order=replace(order, ascending=False)) if frame.measures and _is_bad(frame) else frame
    )


def _is_overdue(one: Condition) -> bool:
    """Whether rows are kept that should have been paid or done by now: their day is over, and that of the deed is missing."""
    ops = {part.op for part in one.parts}
    over = any(p.op == "period" and p.period is not None and p.period.first is None for p in one.parts)
    return one.op == "all" and not one.negated and "missing" in ops and over


def _is_bad(frame: Frame) -> bool:
    """Whether a figure is one of which more is worse: of what is late, cancelled, complained of."""
    said: set[str] = set()
    for one in frame.measures[:1]:
        for part in (one, one.over):
            if part is None:
                continue
            said |= {stem(word) for word in part.said.lower().split()} | {stem(part.anchor.lower())}
            if part.expr is not None and part.expr.op == "column":
                said |= {*part.expr.slots[0].field.words}
            inner = part.where if one.over is not None else (*part.where, *frame.where)
            if any(c.op == "later" and not c.negated and c.compare in ("", ">") for c in inner):
                return True
            if any(map(_is_overdue, inner)) or part.expr is not None and part.expr.op == "span":
                return True
            said |= {stem(w.lower()) for c in inner if c.op == "in" for v in c.values for w in v.split()}
    return bool(said & _BAD)


def _can_be_sorted(frame: Frame) -> bool:
    """Whether a frame's groups stand in an order of their own choice."""
    anchors = {measure.anchor for measure in frame.measures} if frame.formula is None else set()
    if frame.limit is not None or frame.pivot or frame.per or frame.with_empty or len(anchors) > 1:
        return False
    return frame.transform in _SORTABLE and all(measure.agg != "median" for measure in frame.measures)


def _beside_earlier(frame: Frame, one: Ending) -> Frame | None:
    return beside_earlier(frame, one.word)


def _skipped(frame: Frame, one: Ending) -> Frame | None:
    """The first few without the very first of them."""
    if frame.limit is None or frame.per or not 0 < one.count < frame.limit:
        return None
    return replace(frame, offset=frame.offset + one.count, limit=frame.limit - one.count)


def _how_many(frame: Frame, one: Ending) -> Frame | None:
    """How many groups a figure has; None of the first few, of which that was said, and of what is split two ways."""
    plain = frame.transform in _SORTABLE and not (
        frame.pivot or frame.per or frame.with_empty or frame.formula
    )
    if not plain or len(frame.by) != 1 or not frame.measures or frame.limit is not None:
        return None
    if len({measure.anchor for measure in frame.measures}) > 1:
        return None
    return replace(frame, transform="groups", order=None, flags=tuple(f for f in frame.flags if f != BESIDE))


_WAYS = {
    "skipped": _skipped,
    "groups": _how_many,
    "of all": _of_all,
    "earlier": _beside_earlier,
    "share": _shared,
    "sort": _sorted,
    "top": _topped,
    "moved": _moved,
    "grown": _grown,
}
_ALPHA = frozenset(
    {
        "alphabetically",
        "alphabetical",
        "alphabetical order",
        "in alphabetical order",
        "a to z",
        "from a to z",
        "a-z",
    }
)


def _words(dimension: Dimension) -> set[str]:
    """The name of a dimension: its grain, its own words, or its name."""
    said = {stem(word) for word in dimension.said.lower().split()}
    said |= {stem(dimension.grain)} if dimension.grain else {stem("name")}
    said |= {word for slot in dimension.shown for word in slot.field.words}
    return said | ({stem("date"), stem("time")} if dimension.grain else set())
