"""Operators of what is asked for: lists, counts, aggregates, ranks, groups, shares, changes.

Each function takes in the item at which the walk stands; `sketcher` says which one takes what.
"""

from __future__ import annotations

from itertools import pairwise

from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching import restricting
from sqlagent.makers.analyst.sketching.parts import Ask, Rank
from sqlagent.makers.analyst.sketching.walk import Walk

PERCENTS = frozenset({"%", "percent", "per cent", "pct"})

_ENDS = {"old": "min", "new": "max"}
"""Both ends of times, where both are asked for."""


def list_(walk: Walk, item: Item) -> None:
    if walk.section == "columns":
        return  # "with the name of their lead"
    rel(walk, item)


def there(walk: Walk, item: Item) -> None:
    """ "are there any open claims": shown rather than counted, so that one sees whether and which."""
    if walk.section == "head" and not walk.out.asks:
        walk.out.listing = True


def rel(walk: Walk, item: Item) -> None:
    out = walk.out
    low = item.text.lower()
    if not out.asks and out.rank is None and not out.main.mentions and walk.section == "head":
        out.listing = True
        out.who = out.who or low.startswith("who")
        return
    out.described = out.described or low.startswith(("that ", "who ", "which "))
    if low == "with" and walk.follows("period"):
        return
    if low.startswith("who") and walk.came("and") and (not out.clauses or out.clauses[-1].opener != "who"):
        walk.open("and who")
        return
    walk.open("with" if low in ("with", "having") else "who")


def count(walk: Walk, item: Item) -> None:
    out = walk.out
    if walk.section == "by" and not item.text.lower().startswith("how"):
        walk.section = "by count"
        return
    out.counting = True
    before, after = walk.before(), walk.next()
    if walk.enumerated and out.asks and (after is None or after.op == "and"):
        first = out.asks[0]  # a number of nothing else is how many there are of what was asked for
        first.aggs = (*first.aggs, "count") if "count" not in first.aggs else first.aggs
        return
    if (
        before is not None
        and before.kind == "mention"
        and out.asks
        and out.asks[-1].item is before
        and not item.text.lower().startswith(("how", "number of", "the number"))
    ):
        out.asks[-1].aggs = (*out.asks[-1].aggs, "count")
        return
    if walk.section == "clause" and out.asks:
        out.asks[0].aggs = ("count",)
        walk.open("who")
        walk.clause = None
        walk.section = "head" if not out.asks else "clause"
        walk.open("who")
        return
    if walk.aggs == ["avg"]:
        out.average = True
        walk.aggs = []
    if item.text.lower() in ("how many times", "how often"):
        out.asks.append(Ask(None, ("count",)))
        walk.open("times")
        return
    walk.aggs = ["count"]
    if out.rank is not None and out.rank.target is not None and out.rank.by is None:
        walk.section = "rank by"


def figures(walk: Walk, item: Item) -> None:
    """The words that follow are asked for, whatever stood before: "by method: number and amount"."""
    if item.detail == "both":
        if walk.out.asks:
            walk.out.asks[0].aggs = ("count", "sum")
        else:
            walk.aggs = ["count", "sum"]
        return
    walk.section, walk.clause = "head", None
    walk.enumerated = True


def much(walk: Walk, item: Item) -> None:
    nxt = walk.next()
    if (
        walk.out.asks
        and walk.out.asks[-1].aggs == ("count",)
        and walk.came("and")
        and (nxt is None or nxt.op == "rel")
    ):
        walk.out.asks[-1].aggs = ("count", "sum")  # "how many refunds and how much money is that"
        return
    walk.aggs = ["sum"]
    walk.out.much = True
    walk.out.earned = "money" in item.text.lower() or item.text.lower().startswith("what")


def agg(walk: Walk, item: Item) -> None:
    if walk.section in ("mods", "after by") and walk.out.asks and walk.next() is None:
        return
    if (
        item.detail == "avg"
        and walk.section == "clause"
        and walk.clause is not None
        and walk.clause.compare
        and not walk.clause.numbers
    ):
        walk.clause.average = True
        return
    if walk.section == "clause" and walk.clause is not None and item.detail in ("avg", "sum", "min", "max"):
        walk.clause.agg = item.detail
        return
    if item.detail == "avg" and walk.came("than"):
        restricting.average(walk, item)
        return
    if walk.section == "after by" and walk.follows("mention") or walk.section == "mods" and walk.came("and"):
        walk.section = "head"
    if walk.section == "rank by":
        walk.out.asks.append(Ask(None, (item.detail,)))
        return
    walk.aggs.append(item.detail)


def distinct(walk: Walk, item: Item) -> None:
    walk.distinct = True


def rank(walk: Walk, item: Item) -> None:
    out = walk.out
    nxt, after = walk.next(), walk.next(2)
    both = nxt is not None and nxt.op == "and" and after is not None and after.op in ("rank", "agg")
    if (
        item.detail in ("desc", "asc")
        and (both or walk.aggs and walk.aggs[-1] in ("min", "max", "avg"))
        and out.rank is None
    ):
        walk.aggs.append("max" if item.detail == "desc" else "min")
        return
    ends = both and after is not None and {item.detail, after.detail} == {"old", "new"}
    if out.rank is None and (ends or item.detail in _ENDS and walk.aggs and walk.aggs[-1] in _ENDS.values()):
        walk.aggs.append(_ENDS[item.detail])  # "first and last shipment date"
        out.ends = True
        return
    if (
        item.text.lower() in ("last", "first")
        and out.question != "when"
        and out.asks
        and nxt is not None
        and nxt.kind == "mention"
        and walk.section == "clause"
    ):
        if walk.clause is not None:
            walk.clause.edge = item.detail
        return
    is_of_clause = (
        bool(out.asks) and walk.section == "clause" and walk.came("rel") and walk.follows("mention")
    )
    if item.detail in ("new", "old") and is_of_clause and walk.clause is not None:
        walk.clause.edge = item.detail  # "whose most recent order"
        return
    if out.rank is not None:
        if out.rank.count is None and nxt is not None and nxt.kind == "number":
            return
        if item.text.lower() == "first" and out.rank.kind in ("dear", "cheap", "long", "short"):
            out.rank.every = out.rank.count is None  # "most expensive first" leaves none out
            return
        out.rank.kind = (
            item.detail
            if out.rank.kind in ("desc", "asc") and item.detail not in ("desc", "asc")
            else out.rank.kind
        )
        return
    if item.text.lower() in ("last", "recent", "first") and walk.section not in ("head",):
        if out.question == "when" and (walk.section == "after by" or item.text.lower() != "recent"):
            out.rank, walk.section = Rank(item.detail), "head"
        return
    out.rank_text = item.text.lower()
    out.rank = Rank(item.detail, int(walk.number) if walk.number else None, walk.ordinal)
    walk.number, walk.ordinal = None, 0
    if walk.section in ("clause", "mods", "after by") and not out.rank.count:
        if walk.clause is not None and walk.clause.is_empty and walk.clause in out.clauses:
            out.clauses.remove(walk.clause)
            walk.clause = None
        if nxt is not None and nxt.kind != "number":
            walk.section = "rank by"
    elif walk.section in ("clause", "mods", "after by"):
        walk.section = "mods"


def rankall(walk: Walk, item: Item) -> None:
    if walk.out.rank is None:
        walk.out.rank = Rank(item.detail or "desc", every=True)
        if walk.out.asks:
            walk.out.rank.target = walk.out.asks[0].item
            walk.section = "rank by"


def by(walk: Walk, item: Item) -> None:
    out = walk.out
    low = item.text.lower()
    if low == "by" and _denies_next(walk):
        return
    out.per_word = "per" if low == "per" else out.per_word
    out.by_word = low
    rank = out.rank
    if (
        walk.section == "after by"
        and out.per_word
        and low in ("for each", "for every", "in each", "at each", "of each")
    ):
        out.nested = True
    if (
        rank is not None
        and low == "by"
        and rank.by is None
        and rank.target is not None
        or (
            rank is not None
            and rank.by is None
            and rank.target is None
            and low == "by"
            and walk.section == "head"
        )
    ):
        walk.section = "rank by"
    elif rank is not None and (rank.target is not None or rank.by is not None and out.asks) and low != "by":
        walk.section = "per"
    elif walk.section == "columns":
        walk.section = "by"
    else:
        walk.section = "by"
    walk.clause = None


def _denies_next(walk: Walk) -> bool:
    """Whether "by" stands between a denial and the name that it denies: "repaired by Ada but not by Bo"."""
    clause, nxt = walk.clause, walk.next()
    is_denied = walk.section == "clause" and clause is not None and clause.negated and not clause.mentions
    return (
        is_denied
        and walk.came("not")
        and nxt is not None
        and nxt.kind == "mention"
        and nxt.targets[0].kind == "value"
    )


def of(walk: Walk, item: Item) -> None:
    if (
        walk.section == "head"
        and (walk.out.asks or walk.out.rank is not None and walk.out.rank.target is not None)
        or walk.section == "rank by"
        and walk.out.rank is not None
        and walk.out.rank.by is not None
        or walk.section in ("after by", "columns")
    ):
        walk.section = "mods"


def and_(walk: Walk, item: Item) -> None:
    nxt = walk.next()
    if walk.section == "after by" and item.text != ";":
        walk.section = (
            "by"
            if nxt is not None and nxt.kind in ("mention", "grain") and not _starts_over(walk, nxt, item)
            else "mods"
        )
    elif (
        walk.section == "clause" and item.text == "," and walk.clause is not None and not walk.clause.is_empty
    ) and (
        nxt is not None and (nxt.kind == "mention" or nxt.op == "current") and (walk.out.asks or walk.out.who)
    ):
        walk.section = "mods"


def _starts_over(walk: Walk, nxt: Item, here: Item) -> bool:
    """Whether what follows a comma is no further dimension but a restriction: ", deliveries that arrived"."""
    after = walk.next(2)
    if here.text == "," and after is not None and after.op == "rel" and nxt.kind == "mention":
        return nxt.targets[0].kind in ("thing", "concept")
    return (
        here.text == ","
        and nxt.kind == "mention"
        and nxt.targets[0].kind == "value"
        or _followed_by_value(walk, nxt, here)
    )


def _followed_by_value(walk: Walk, nxt: Item, here: Item) -> bool:
    after = walk.next(2)
    return (
        here.text == ","
        and nxt.kind == "mention"
        and after is not None
        and after.kind == "mention"
        and after.targets[0].kind == "field"
    )


def with_(walk: Walk, item: Item) -> None:
    nxt = walk.next()
    if nxt is not None and nxt.op in ("rank", "more", "not"):
        rel(walk, item)
    elif walk.out.asks:
        walk.section = "columns"


def vs(walk: Walk, item: Item) -> None:
    walk.out.vs = True
    if walk.section == "head" and item.text.lower() == "compare":
        return


def share(walk: Walk, item: Item) -> None:
    if _is_of_bound(walk, item) and walk.clause is not None:
        walk.clause.percent, walk.clause.bare = True, False
        walk.out.percents.append(item)
        return
    walk.out.share = True
    walk.out.share_at = item.start
    walk.out.share_between = (
        bool(walk.out.asks) and walk.follows("mention") and item.text.lower().endswith("of")
    )
    before = walk.before()
    nxt = walk.next()
    walk.out.of_all = any(
        one.op == "all" and noun.kind == "mention"
        for one, noun in pairwise(walk.items[walk.at + 1 : walk.at + 4])
    )
    if _is_of_all(walk):
        walk.out.late_share, walk.out.share_between = True, False
        return
    adjective = nxt is not None and nxt.kind == "mention" and nxt.targets[0].kind == "value"
    if adjective or _is_adjective(walk) or _becomes(walk) or _is_done_by(walk):
        walk.out.late_share = True
    if (
        before is not None
        and before.kind == "mention"
        and not item.text.lower().startswith(("%", "what", "percent of"))
    ):
        walk.out.late_share = True


def _is_of_bound(walk: Walk, item: Item) -> bool:
    """Whether percent is the unit of a bound: "discount over 10 %", but not "more than 10 % of revenue"."""
    held = walk.clause if walk.section == "clause" else None
    before, nxt = walk.before(), walk.next()
    is_bound = held is not None and bool(held.compare and held.numbers) and before is not None
    return (
        is_bound
        and before is not None
        and before.kind == "number"
        and item.text.lower() in PERCENTS
        and (nxt is None or nxt.op != "of")
    )


def _is_adjective(walk: Walk) -> bool:
    """Whether what follows may be a value right before a thing's noun: "share of paid invoices"."""
    word, noun = walk.next(), walk.next(2)
    if word is None or noun is None or noun.kind != "mention" or noun.start != word.end:
        return False
    things = {t.table for t in noun.targets[:1] if t.kind == "thing"}
    return any(t.kind == "value" and t.table in things and t.cost < 0.2 for t in word.targets)


def _becomes(walk: Walk) -> bool:
    """Whether a state stands behind the noun: "what % of leads end up won", "share of quotes accepted"."""
    noun, word = walk.next(), walk.next(2)
    if noun is None or word is None or noun.kind != "mention" or word.kind != "mention":
        return False
    things = {t.table for t in noun.targets if t.kind == "thing" and t.cost < 0.1}
    best = word.targets[0]
    return best.kind == "value" and best.table in things and best.cost < 0.1


def _is_done_by(walk: Walk) -> bool:
    """Whether a value stands behind "by", before the groups: "share of orders paid by card, by country"."""
    items = walk.items[walk.at :]
    bys = [n for n, item in enumerate(items[:-1]) if item.op == "by"]
    if len(bys) < 2:
        return False
    said = items[bys[0] + 1]
    return said.kind == "mention" and said.targets[0].kind == "value"


def _is_of_all(walk: Walk) -> bool:
    """ "late orders in % of all orders": the same thing is said again, so what was said of it first is its share."""
    ahead = [item for item in walk.items[walk.at + 1 : walk.at + 4] if item.op not in ("all", "of")]
    asked = walk.out.asks[-1].item if walk.out.asks else None
    again = ahead[0] if ahead else None
    if (
        asked is None
        or again is None
        or again.kind != "mention"
        or not (walk.out.main.mentions or walk.out.asks[1:])
    ):
        return False
    if again.targets[0] != asked.targets[0] or again.targets[0].kind != "thing":
        return False
    walk.passed.append(again)
    walk.at = next(n for n, item in enumerate(walk.items) if item is again)
    return True


def ratio(walk: Walk, item: Item) -> None:
    walk.out.ratio = True


def rate(walk: Walk, item: Item) -> None:
    walk.out.rate = True


def growth(walk: Walk, item: Item) -> None:
    low = item.text.lower()
    percent = low.startswith(("growth", "grow", "grew", "yoy", "y/y", "year over", "year on", "percent"))
    walk.out.transform = "growth" if percent or walk.out.transform == "growth" else "change"
    if low.startswith(("mom", "m/m", "month")):
        walk.out.transform = "growth"
        walk.out.trend = True
    if low in ("change", "change of", "change in"):
        walk.out.transform = "change"
    if walk.out.asks and walk.section == "head" and walk.out.rank is None:
        return


def running(walk: Walk, item: Item) -> None:
    nxt = walk.next()
    if (
        item.text.lower() == "running"
        and nxt is not None
        and nxt.kind == "mention"
        and (nxt.targets[0].kind == "thing" or nxt.targets[0].kind == "value" and walk.section == "clause")
    ):
        walk.here.current = True
        return
    walk.out.transform = "running"


def moving(walk: Walk, item: Item) -> None:
    walk.out.transform = "moving"


def zero(walk: Walk, item: Item) -> None:
    walk.out.with_empty = True


def distribution(walk: Walk, item: Item) -> None:
    walk.out.distribution = True


def trend(walk: Walk, item: Item) -> None:
    walk.out.trend = True


def pivot(walk: Walk, item: Item) -> None:
    walk.section = "pivot"


def span(walk: Walk, item: Item) -> None:
    """How long something takes; a unit that was said before the words for it is its own. Behind a bound it restricts."""
    words = item.text.lower().split()
    said = next((w for w in words if w in ("days", "hours", "minutes", "weeks", "months")), "")
    clause = walk.clause
    if clause is not None and walk.section == "clause" and clause.numbers and clause.compare:
        clause.unit, clause.span = said or clause.unit or "days", item.text.lower()
        return
    walk.out.span = said or walk.out.span or "days"
    walk.out.span_text = f"{walk.out.span_text} {item.text.lower()}".strip()
    if item.text.lower().endswith(" from") or item.text.lower().endswith("between"):
        walk.section = "span"


def age(walk: Walk, item: Item) -> None:
    if walk.section == "by":
        walk.out.by.append(Item("age", item.start, item.end, item.text))
        walk.section = "after by"
        return
    walk.out.age = True


def tenure(walk: Walk, item: Item) -> None:
    walk.out.tenure = True
    if "years" in item.text:
        walk.out.unit = "years"


def new(walk: Walk, item: Item) -> None:
    walk.out.new = True


def when(walk: Walk, item: Item) -> None:
    walk.out.question = "when"
    walk.out.listing = True


def why(walk: Walk, item: Item) -> None:
    walk.out.question = "why"


def where(walk: Walk, item: Item) -> None:
    walk.out.question = "where"
    walk.out.listing = True
