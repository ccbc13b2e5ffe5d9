"""Mentions, numbers, periods and grains: which part of the sketch each goes to.

Each function takes in the item at which the walk stands; `sketcher` says which one takes what.
"""

from __future__ import annotations

from sqlagent.language.words import stem
from sqlagent.makers.analyst.deeds import HAPPENINGS
from sqlagent.makers.analyst.lexicon import UNIT_WORDS
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching.asking import PERCENTS
from sqlagent.makers.analyst.sketching.parts import Ask
from sqlagent.makers.analyst.sketching.walk import Walk
from sqlagent.makers.analyst.targets import GIVEN

LEVELS = frozenset(
    stem(word)
    for word in ["rent", "fee", "salary", "wage", "pay", "premium", "rate", "price", "subscription"]
)
"""Amounts that are stored as what falls due each month or year."""


def skip(walk: Walk, item: Item) -> None:
    if item.kind == "plus" and walk.clause is not None and walk.clause.numbers and not walk.clause.compare:
        walk.clause.compare = ">="


def mention(walk: Walk, item: Item) -> None:
    out = walk.out
    best = item.targets[0]
    before = walk.before()
    if (
        item.text.lower() in ("name", "title", "description", "subject", "names")
        and before is not None
        and before.text.lower() == "in"
    ) and _in_name(walk, item):
        return
    if walk.section == "by count":
        out.counts = item
        walk.section = "mods"
        return
    if len(walk.listed_numbers) > 1 and out.asks and walk.section == "head" and best.kind == "thing":
        out.counts = item
        return
    if (
        walk.clause is not None and walk.section == "clause" and walk.clause.like and not walk.clause.pattern
    ) and (best.kind != "field" or walk.clause.mentions):
        walk.clause.pattern = item.text
        return
    if out.span and walk.section in ("head", "span"):
        out.span_parts.append(item)
        return
    if walk.section == "clause" and walk.clause is not None:
        if walk.clause.than or walk.clause.compare and "than" in walk.clause.opener:
            walk.clause.than.append(item)
            return
        if walk.number is not None and not walk.clause.numbers:
            nxt = walk.before()
            if nxt is not None and nxt.kind in ("number", "plus"):
                walk.clause.numbers.append(walk.number)
                walk.clause.compare = walk.clause.compare or (">=" if nxt.kind == "plus" else "=")
                walk.number = None
        denied = (
            walk.clause.mentions[0].targets[0].kind if walk.clause.mentions and walk.clause.negated else ""
        )
        if denied == "value" and best.kind == "value" and before is not None and before.op == "of":
            out.main.mentions.append(item)
            return
        walk.clause.mentions.append(item)
        if walk.clause.numbers or walk.clause.compare:
            walk.clause.after_compare.append(item)
        if walk.clause.numbers and item.text.lower().split()[0] in PERCENTS:
            walk.clause.percent = True  # "over 10 % discount"
        return
    if walk.section in ("by", "per") and _qualifies(walk, item):
        return
    if walk.section == "by":
        nxt = walk.next()
        noun = (
            nxt is not None
            and nxt.kind == "mention"
            and nxt.start == item.end
            and nxt.targets[0].kind == "thing"
        )
        if best.kind == "value" and (noun or not any(t.kind != "value" for t in item.targets)):
            out.main.mentions.append(item)
            if (
                nxt is not None
                and nxt.kind == "mention"
                and nxt.start == item.end
                and nxt.targets[0].kind != "value"
            ):
                return
        else:
            out.by.append(item)
        walk.section = "after by"
        return
    if walk.section == "per":
        out.per.append(item)
        walk.section = "mods"
        return
    if walk.section == "pivot":
        out.pivot.append(item)
        walk.section = "mods"
        return
    if walk.section == "columns":
        out.columns.append(item)
        return
    is_figure = best.kind != "value" or best.column.startswith(GIVEN) and not _stands_before_noun(walk, item)
    if walk.section == "rank by" and out.rank is not None and out.rank.by is None and is_figure:
        out.rank.by = item
        walk.section = "mods"
        return
    after_comma = before is not None and before.op == "and" and (before.text == "," or _ends_row(walk))
    if walk.section == "mods" and after_comma and out.asks and best.kind in ("field", "concept"):
        _asked(walk, item)
        return
    if walk.section in ("mods", "after by", "rank by"):
        out.main.mentions.append(item)
        return
    _asked(walk, item)


def _ends_row(walk: Walk) -> bool:
    """Whether the mention before "and" was asked for behind a comma: "with plate, make and model"."""
    earlier = walk.items[max(walk.at - 3, 0) : walk.at - 1]
    asked = walk.out.asks[-1].item if walk.out.asks else None
    return len(earlier) == 2 and earlier[0].text == "," and earlier[1] is asked


def _stands_before_noun(walk: Walk, item: Item) -> bool:
    """Whether a noun follows right away, which the word then restricts: "heavy products"."""
    nxt = walk.next()
    return nxt is not None and nxt.kind == "mention" and nxt.start == item.end


def pair(walk: Walk, item: Item) -> None:
    """Two columns that differ restrict whatever they stand in."""
    walk.here.pairs.append(item)
    nxt = walk.next()
    if nxt is not None and (nxt.kind == "mention" or nxt.op == "list"):
        walk.section, walk.clause = "columns", None  # ": contract, name of the holder"


def _qualifies(walk: Walk, item: Item) -> bool:
    """Whether a word after "each" restricts the noun right behind it: "of each KEY segment customer" is per customer."""
    nxt = walk.next()
    if nxt is None or nxt.kind != "mention" or nxt.start != item.end:
        return False
    best, own = nxt.targets[0], item.targets[0]
    if own.kind == "value" and (best.kind == "thing" or best.kind == "field" and best.column == own.column):
        walk.out.main.mentions.append(item)
        return True
    before = walk.before()
    said = before is not None and before.kind == "mention" and before.end == item.start
    if said and own.kind == "field" and best.kind == "thing" and before in walk.out.main.mentions:
        walk.passed.append(item)
        return True
    return False


def _in_name(walk: Walk, item: Item) -> bool:
    """ "with tent in the name": a part of a text rather than a value."""
    held = (
        walk.clause.mentions
        if walk.section == "clause" and walk.clause is not None
        else walk.out.main.mentions
    )
    word = held.pop().text if held else next(iter(reversed(walk.out.unknown)), "")
    if not word:
        return False
    walk.out.unknown = tuple(w for w in walk.out.unknown if w != word)
    clause = walk.clause if walk.section == "clause" and walk.clause is not None else walk.open("like")
    clause.like, clause.pattern = "contain", word
    clause.mentions.append(item)
    return True


def glue(walk: Walk, item: Item) -> None:
    if walk.clause is not None and walk.clause.like and not walk.clause.pattern:
        walk.clause.pattern = item.text


def _asked(walk: Walk, item: Item) -> None:
    out = walk.out
    best = item.targets[0]
    rank = out.rank
    if rank is not None and rank.target is None and rank.by is None and best.kind != "value":
        if out.asks or (out.who and best.kind not in ("thing", "relation")):
            rank.by = item
        else:
            rank.target = item
        return
    if (
        best.kind == "value"
        and not walk.aggs
        and (out.asks or out.main.mentions or not _is_several(item) or _is_paired(walk))
        and not any(t.kind in ("thing",) and t.cost < 0.2 for t in item.targets)
    ):
        out.main.mentions.append(item)
        return
    out.asks.append(Ask(item, tuple(walk.aggs), walk.distinct, _is_joined(walk)))
    walk.aggs, walk.distinct = [], False


def _is_joined(walk: Walk) -> bool:
    """Whether a mention stands beside the one before: "revenue and number of orders"; a comma says so only of a count."""
    at = walk.at - 1
    while at > 0 and walk.items[at].op in ("count", "agg", "distinct", "of"):
        at -= 1
    said = walk.items[at].text.lower() if at >= 0 and walk.items[at].op == "and" else ""
    return said in ("and", "&", "as well as", "plus") or said == "," and "count" in walk.aggs


def _is_paired(walk: Walk) -> bool:
    """Whether what stands here is one of two or more: upgrades vs downgrades."""
    nxt = walk.next()
    return nxt is not None and nxt.op in ("vs", "and", "or")


def _is_several(item: Item) -> bool:
    """Whether a value is said in the plural, which makes it the name of its rows: no shows, vans."""
    said, value = item.text.lower(), item.targets[0].value.lower()
    return said.endswith("s") and not said.endswith("ss") and not value.endswith("s")


def number(walk: Walk, item: Item) -> None:
    before, nxt = walk.before(), walk.next()
    if walk.section == "by" and walk.came("by") and nxt is not None and nxt.kind == "mention":
        walk.out.scale = item.number
        return
    if walk.section == "clause" and walk.clause is not None and (walk.clause.compare or walk.clause.like):
        walk.clause.numbers.append(item.number)
        walk.clause.bare = (
            nxt is None
            or nxt.kind in ("period", "op")
            and nxt.op != "times"
            and not (nxt.op == "of" and nxt.text.lower() == "of")
        )
        return
    if (
        nxt is not None
        and nxt.kind == "op"
        and nxt.op == "moving"
        or nxt is not None
        and nxt.kind in ("grain", "unit")
        and walk.is_moving()
    ):
        walk.out.window = int(item.number)
        return
    if nxt is not None and nxt.kind == "plus":
        clause = walk.open("more")
        clause.compare = ">="
        clause.numbers.append(item.number)
        return
    after = walk.next(2)
    if nxt is not None and nxt.op == "or" and after is not None and after.op == "comparative":
        held = walk.clause if walk.section == "clause" and before is not None and before.op == "of" else None
        bounded = held is not None and held.mentions and not held.compare and not held.numbers
        clause = held if held is not None and bounded else walk.open("more")
        clause.compare = ">=" if after.detail == ">" else "<="
        clause.numbers.append(item.number)
        walk.at += 2
        return
    if (
        walk.out.bucket == 0.0
        and before is not None
        and before.op == "of"
        and nxt is not None
        and nxt.kind in ("unit", "grain")
        and walk.section in ("after by", "mods")
    ) and (any(i.kind == "age" for i in walk.out.by) or nxt.kind == "unit"):
        walk.out.bucket = item.number
        walk.at += 1
        return
    if (
        walk.out.rank is not None
        and walk.out.rank.count is None
        and walk.out.rank.nth == 0
        and walk.section != "clause"
    ):
        walk.out.rank.count = int(item.number)
        return
    if (
        walk.section == "clause"
        and walk.clause is not None
        and nxt is not None
        and nxt.kind in ("mention", "unit", "op")
        and (nxt.kind != "op" or nxt.op == "times")
    ):
        walk.clause.numbers.append(item.number)
        walk.clause.compare = walk.clause.compare or "="
        return
    walk.number = item.number
    walk.listed_numbers.append(item.number)


def ordinal(walk: Walk, item: Item) -> None:
    walk.ordinal = int(item.number)


def period(walk: Walk, item: Item) -> None:
    assert item.period is not None
    walk.here.periods.append(item.period)
    if walk.section == "by":
        walk.section = "after by"


def grain(walk: Walk, item: Item) -> None:
    out = walk.out
    if item.text.lower() in UNIT_WORDS and item.text.lower().endswith("s"):
        if walk.section == "clause" and walk.clause is not None and walk.clause.numbers:
            walk.clause.unit = item.text.lower()
            return
        before = walk.before()
        counted = before is None or before.kind == "op" and before.op in ("count", "agg", "of")
        if counted and (any(i.op == "span" for i in walk.items) or _is_told_in(walk)):
            out.unit = item.text.lower()
            return
    if (
        (
            item.targets
            and item.text.lower().endswith("s")
            and item.targets[0].cost < 0.4
            and walk.section in ("head", "clause")
            and not out.window
        )
        and (walk.section == "clause" or out.rank is None)
        and not out.span
        and not out.age
    ):
        mention(walk, item)
        return
    if _is_level(walk, item):
        walk.passed.append(item)
        return
    if _is_sort(walk, item):
        mention(walk, item)
        return
    if out.window and walk.is_moving() and walk.section == "head":
        if not any(i.kind == "grain" for i in out.by):
            out.by.append(item)
        return
    if walk.section == "clause" and walk.clause is not None and walk.clause.same:
        walk.clause.grains.append(item.grain)
        return
    if (
        out.rank is not None
        and out.rank.target is None
        and walk.section == "head"
        and not out.asks
        and not out.who
    ):
        out.rank.target = item
        walk.section = "mods"
        return
    if walk.section == "clause" and walk.clause is not None:
        walk.clause.grains.append(item.grain)
        return
    if walk.section == "per":
        out.per.append(item)
    elif out.span and item.text.endswith("s") or (out.age or out.tenure) and walk.section != "by":
        out.unit = item.text
    else:
        out.by.append(item)
    if walk.section in ("by", "per"):
        walk.section = "after by"


_HOW_OFTEN = frozenset({"monthly", "weekly", "daily", "yearly", "annual", "annually", "hourly", "quarterly"})
"""Adjectives that say how often something falls due."""


def _is_sort(walk: Walk, item: Item) -> bool:
    """Whether "annual" is a stored kind of the rows that it stands before: annual contracts among monthly ones."""
    nxt = walk.next()
    if nxt is None or nxt.kind != "mention" or nxt.start != item.end or walk.section in ("by", "per"):
        return False
    tables = {target.table for target in nxt.targets[:3] if target.kind == "thing"}
    stored = [t for t in item.targets[:2] if t.kind == "value" and t.cost <= 0.1 and t.table in tables]
    return bool(stored) and item.text.lower() in _HOW_OFTEN


def _is_level(walk: Walk, item: Item) -> bool:
    """Whether "monthly" tells only how often a stored rent or fee falls due: "median monthly rent per city" has no months."""
    nxt = walk.next()
    return (
        item.text.lower() in _HOW_OFTEN
        and nxt is not None
        and nxt.kind == "mention"
        and stem(nxt.text.lower().split()[-1]) in LEVELS
        and nxt.targets[0].kind == "field"
        and any(i.op == "by" for i in walk.items)
    )


_LASTING = frozenset({"time", "times", "duration", "durations", "length", "delay", "wait", "turnaround"})
"""Nouns of lengths of time, which are told in a unit: "payment time in days"."""


def _is_told_in(walk: Walk) -> bool:
    """Whether a unit stands behind "in" and a noun of lengths of time."""
    noun = walk.items[walk.at - 2] if walk.at > 1 else None
    return noun is not None and walk.items[walk.at - 1].text.lower() == "in" and noun.text.lower().split()[-1] in _LASTING  # fmt: skip


def unit(walk: Walk, item: Item) -> None:
    if walk.section == "clause" and walk.clause is not None and walk.clause.numbers:
        walk.clause.unit = item.text.lower()
    elif walk.ordinal == 0 and item.text.lower() == "second":
        walk.ordinal = 2
    elif _is_figure(walk, item):
        mention(walk, item)
    elif not walk.out.bucket:
        walk.out.unit = item.text.lower()


def _is_figure(walk: Walk, item: Item) -> bool:
    """Whether a unit of time is the figure asked for: "hours per role" of hours worked."""
    before, nxt = walk.before(), walk.next()
    kept = any(target.kind == "field" and target.cost < 0.4 for target in item.targets[:1])
    first = before is None or before.op == "agg" and before.start == 0
    return kept and first and (nxt is None or nxt.kind == "period" or nxt.op == "by")


def text(walk: Walk, item: Item) -> None:
    walk.here.pattern, walk.here.loose = item.text, False
    walk.here.like = walk.here.like or "contain"


def unknown(walk: Walk, item: Item) -> None:
    low = item.text.lower()
    if low in ("after", "before") and walk.clause is not None and walk.clause.unit:
        walk.clause.way = low
        walk.out.unknown = tuple(w for w in walk.out.unknown if w != item.text)
        return
    before = walk.before()
    if (
        before is not None
        and before.kind == "mention"
        and before.targets[0].kind == "thing"
        and before.end == item.start
        and stem(item.text.lower()) in HAPPENINGS
    ):
        walk.out.unknown = tuple(w for w in walk.out.unknown if w != item.text)
        return
    if walk.clause is not None and walk.clause.like and not walk.clause.pattern:
        walk.clause.pattern = item.text
        walk.out.unknown = tuple(w for w in walk.out.unknown if w != item.text)
