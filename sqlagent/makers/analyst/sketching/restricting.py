"""Operators that restrict: without, except, more than, between, above average, current, late.

Each function takes in the item at which the walk stands; `sketcher` says which one takes what.
"""

from __future__ import annotations

from sqlagent.makers.analyst.deeds import DEEDS
from sqlagent.makers.analyst.lexicon import PARTICIPLES, UNIT_WORDS
from sqlagent.makers.analyst.reading import Item
from sqlagent.makers.analyst.sketching.parts import Clause
from sqlagent.makers.analyst.sketching.walk import Walk

_OF_THEIRS = frozenset({"older", "younger", "cheaper", "pricier", "expensive"})
"""Adjectives that compare something of the very noun before them: an age, a price."""


_IN = frozenset({"in", "on", "under"})
"""Words between things and the deed that is done to them: in repair, on hire."""


def not_(walk: Walk, item: Item) -> None:
    if item.detail == "one" and _of_next(walk, "not", False):
        return
    if walk.section == "clause" and walk.clause is not None and walk.clause.is_empty:
        walk.clause.negated = True
        return
    if walk.section == "head" and item.text.lower().startswith("who") and not walk.out.asks:
        walk.out.who = walk.out.listing = True  # "who never ordered" lists people
    if item.text.lower() == "nothing" and walk.section == "clause" and _is_of_verb(walk):
        assert walk.clause is not None
        walk.clause.negated = True
        return
    walk.clause = None
    clause = walk.open("not")
    clause.negated = True
    clause.aside = item.text.lower() == "without"


def _is_of_verb(walk: Walk) -> bool:
    """Whether "nothing" denies the verb right before it: "ordered nothing this year"."""
    before = walk.before()
    return (
        walk.clause is not None
        and before is not None
        and walk.clause.mentions[-1:] == [before]
        and before.text.lower().endswith("ed")
    )


def except_(walk: Walk, item: Item) -> None:
    if item.detail == "one" and _of_next(walk, "except", True):
        return
    walk.clause = None
    clause = walk.open("except")
    clause.negated = clause.excepted = clause.aside = True


def _of_next(walk: Walk, opener: str, excepted: bool) -> bool:
    """A prefix denies the one word it is written with: "non-electric cars", "unused rooms"; False where none follows."""
    nxt = walk.next()
    if nxt is None or nxt.kind not in ("verb", "mention"):
        return False
    clause = Clause(opener, negated=True, excepted=excepted)
    if nxt.kind == "verb":
        clause.verb = nxt.text
    else:
        clause.mentions.append(nxt)
    walk.out.clauses.append(clause)
    walk.at += 1
    return True


def verb(walk: Walk, item: Item) -> None:
    """A verb that is denied; one that means something of its own is not understood beside what it is said of, nor by itself.

    A deed that never happened may be the only one that happens to those it is said of: that is the draft then, which names the verb. A state that
    rows are not in is none of their events.
    """
    clause = walk.clause
    if walk.section != "clause" or clause is None or not clause.negated:
        return
    clause.verb = item.text
    if item.detail != "unknown" or item.text.lower() in DEEDS:
        return
    walk.out.unknown = (*walk.out.unknown, item.text)
    nxt = walk.next()
    if nxt is not None and nxt.kind in ("mention", "unknown"):
        clause.verb = ""
    elif not any(one.op == "not" and "never" in one.text.lower() for one in walk.items[: walk.at]):
        clause.verb = ""
        if not clause.mentions and not clause.periods:
            walk.out.clauses = [one for one in walk.out.clauses if one is not clause]
            walk.clause, walk.section = None, "mods"


def missing(walk: Walk, item: Item) -> None:
    before = walk.before()
    clause = walk.here if walk.section == "clause" else walk.open("missing")
    clause.missing = True
    if before is not None and before.kind == "mention" and clause is not walk.here:
        clause.mentions.append(before)


def more(walk: Walk, item: Item) -> None:
    nxt = walk.next()
    if nxt is not None and nxt.kind == "period":
        walk.out.vs = True
        return
    if nxt is not None and nxt.kind == "mention" and nxt.targets[0].kind == "value":
        return
    clause = (
        walk.clause
        if walk.section == "clause" and walk.clause is not None and not walk.clause.compare
        else None
    )
    if clause is None:
        clause = _open_with_verb(
            walk,
        )
    clause.compare = item.detail
    clause.said = item.text.lower()


def _open_with_verb(walk: Walk) -> Clause:
    """Open a comparison; a column named right before it is what is compared ("priced between", "answered within")."""
    clause = walk.open("more")
    before, asks = walk.before(), walk.out.asks
    if (deed := _deed_for(walk)) is not None:
        if deed in walk.out.main.mentions:
            walk.out.main.mentions.remove(deed)
        else:
            asks.pop()
        clause.mentions.append(deed)
        return clause
    following = walk.items[walk.at + 1 : walk.at + 3]
    if (
        before is not None
        and before in walk.out.main.mentions
        and any(t.kind == "field" for t in before.targets)
        and len(following) == 2
        and following[0].kind == "number"
        and following[1].text.lower() in UNIT_WORDS
    ):
        walk.out.main.mentions.remove(before)
        clause.mentions.append(before)
    adjective = bool(_OF_THEIRS & set(walk.items[walk.at].text.lower().split()))
    if (
        adjective
        and before is not None
        and before.kind == "mention"
        and before not in clause.mentions
        and before.targets[0].kind == "thing"
        and not any(ask.item is before for ask in asks)
    ):
        clause.mentions.append(before)  # "revenue from customers older than 60": the age is theirs
    if (
        before is not None
        and before.kind == "mention"
        and len(asks) > 1
        and asks[-1].item is before
        and before.targets[0].kind in ("field", "relation")
    ):
        asks.pop()
        clause.mentions.append(before)
    return clause


def _deed_for(walk: Walk) -> Item | None:
    """The deed before a length of time, whose rows it is of: "vans hired for more than 10 days", "vans in repair for over 4 days"."""
    behind, items = walk.items[walk.at + 1 : walk.at + 3], walk.items[: walk.at]
    if len(behind) != 2 or behind[0].kind != "number" or behind[1].text.lower() not in UNIT_WORDS:
        return None
    if items and items[-1].text.lower() == "for":
        items = items[:-1]
    deed, lead = items[-1] if items else None, items[-2] if len(items) > 1 else None
    asks = walk.out.asks
    is_asked = len(asks) > 1 and asks[-1].item is deed
    if deed is None or not (is_asked or deed in walk.out.main.mentions):
        return None
    is_participle = deed.text.lower().endswith("ed") or deed.text.lower() in PARTICIPLES
    is_state = lead is not None and lead.op == "of" and lead.text.lower() in _IN
    is_told = any(target.kind in ("thing", "field") for target in deed.targets)
    return deed if is_told and (is_participle or is_state) else None


def comparative(walk: Walk, item: Item) -> None:
    if any(i.op in ("than", "average", "below average") for i in walk.items[walk.at :]):
        clause = (
            walk.clause
            if walk.section == "clause" and walk.clause is not None and not walk.clause.compare
            else walk.open("more")
        )
        clause.compare = item.detail
        clause.said = item.text.lower()


def than(walk: Walk, item: Item) -> None:
    if walk.clause is not None:
        walk.clause.opener += " than"


def between(walk: Walk, item: Item) -> None:
    if walk.out.span:
        walk.section = "span"
        return
    clause = (
        walk.clause
        if walk.section == "clause" and walk.clause is not None and not walk.clause.compare
        else _open_with_verb(
            walk,
        )
    )
    clause.compare = "between"


def current(walk: Walk, item: Item) -> None:
    nxt = walk.next()
    if item.text.lower() == "still" and nxt is not None and nxt.kind == "mention" and _is_past(nxt):
        return
    walk.here.current = True


def _is_past(item: Item) -> bool:
    """Whether a mention is a verb of the past, which "still" says nothing of: "still ordered in 2025"."""
    best = item.targets[0]
    return item.text.lower().endswith("ed") and best.kind != "value" and best.label != "un"


def past(walk: Walk, item: Item) -> None:
    walk.here.past = True


def or_(walk: Walk, item: Item) -> None:
    walk.here.either = True
    if _parts_values_of_one_column(walk):
        walk.here.alike = True
    else:
        walk.here.apart = True


def _parts_values_of_one_column(walk: Walk) -> bool:
    """Whether "or" stands between two values of one column: "done repairs of Gull or of Hera"."""
    before, behind = walk.before(), walk.next()
    if behind is not None and behind.op in ("of", "in"):
        behind = walk.next(2)
    sides = [one.targets[0] for one in (before, behind) if one is not None and one.targets]
    columns = {(t.table, t.column) for t in sides if t.kind == "value"}
    return len(sides) == 2 and len(columns) == 1 and all(t.kind == "value" for t in sides)


def either(walk: Walk, item: Item) -> None:
    walk.here.either = True


def both(walk: Walk, item: Item) -> None:
    walk.here.both = True


def same(walk: Walk, item: Item) -> None:
    walk.here.same = True


def average(walk: Walk, item: Item) -> None:
    clause = (
        walk.clause
        if walk.section == "clause" and walk.clause is not None
        else _open_with_verb(
            walk,
        )
    )
    clause.average = True
    clause.compare = clause.compare or ("<" if item.op == "below average" else ">")
    nxt = walk.next()
    if (
        nxt is not None
        and nxt.kind == "mention"
        and item.text.lower().startswith(("than", "over the", "more than"))
    ):
        walk.at += 1
        walk.passed.append(nxt)


def like(walk: Walk, item: Item) -> None:
    clause = (
        walk.clause
        if walk.section == "clause" and walk.clause is not None and not walk.clause.like
        else walk.open("like")
    )
    clause.like = item.op
    clause.loose = item.text.lower() in ("contain", "contains", "containing")


def times(walk: Walk, item: Item) -> None:
    walk.here.times = True


def late(walk: Walk, item: Item) -> None:
    walk.here.late = "overdue" if item.text.lower() in ("overdue", "past due") else "late"


def on_time(walk: Walk, item: Item) -> None:
    walk.here.late = "on time"


def clock(walk: Walk, item: Item) -> None:
    """A part of the day: "after 6pm", "in the morning"."""
    if walk.section in ("by", "per") and walk.clause is None:
        walk.section = "mods"
    walk.here.clocks.append(item.detail)


def weekday(walk: Walk, item: Item) -> None:
    """Days of the week, Monday as 0: "on weekends", "on Mondays and Tuesdays"."""
    held = walk.here
    if walk.section in ("by", "per") and walk.clause is None:
        walk.section = "mods"
    held.days = "".join(sorted({*held.days, *item.detail}))
