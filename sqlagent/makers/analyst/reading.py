"""A question as a row of items: operators, periods, grains, numbers and mentions; each word in at most one.

The cheapest way to cut the question is taken: long names before short ones, the source's own
names before general words, and words that nothing explains last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import pairwise

from sqlagent.language.dates import GRAINS
from sqlagent.language.lexicon import DEMONYMS, MONTHS, NUMBER_WORDS
from sqlagent.language.words import Token, fold, stem, tokenise
from sqlagent.makers.analyst import clocks, periods
from sqlagent.makers.analyst.deeds import DEEDS, is_deed, undone
from sqlagent.makers.analyst.lexicon import (
    CONCEPTS,
    DESCRIBING,
    DOINGS,
    GLUE,
    NOUN_PHRASES,
    OPERATORS,
    STATE_WORDS,
    UNIT_WORDS,
    WEAK_GLUE,
)
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.phrasing import prepared
from sqlagent.makers.analyst.starts import PERSONS
from sqlagent.makers.analyst.targets import Target, is_time
from sqlagent.makers.analyst.vocabulary import Vocabulary

DIGITS = 15
"""Characters of a number from which on it is none that anybody asks for, and no number of a computer exactly."""

LONGEST = 5
"""Words of one mention, at most."""

GRAIN_PHRASES = {
    "day of the week": "weekday", "day of week": "weekday", "weekday": "weekday", "weekdays": "weekday", "hour of the day": "hour", "hour of day": "hour",
    "hour": "hour", "hourly": "hour", "time of day": "hour", "month of the year": "month of year", "calendar month": "month of year", "month of year": "month of year", "quarter of the year": "quarter of year",
    **{word: grain for word, grain in GRAINS.items() if not word.endswith("s")}, "days": "day", "weeks": "week", "months": "month", "quarters": "quarter", "years": "year",
    **{f"{said} {grain}{end}": f"fiscal {grain}" for said in ("fiscal", "financial") for grain in ("year", "quarter") for end in ("", "s")}, "fy": "fiscal year",
}  # fmt: skip
_TELLING = 4
"""Letters from which on a word that says little is looked for among the states of the rows beside it: live, open."""
_AT = frozenset({"at", "in", "of", "on", "to", "for", "from", "by", "with", "the"})
"""Words after a name that are none of it."""
_BEFORE_NOUNS = frozenset(
    {"a", "the", "each", "per", "by", "no", "any", "every", "first", "last", "latest", "next", "of", "one"}
)
_OWNED = frozenset({"their", "its", "his", "her", "the", "a", "an", "own", "each", "per", "by"})
"""Words before a noun."""
ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5, "2nd": 2, "3rd": 3, "4th": 4, "5th": 5}
_OWN_FIGURE = frozenset({"their", "its", "his", "her", "our", "current", "latest"})
"""Words before a figure that is stored of each thing."""
_PREPOSITIONS = frozenset({"of", "and", "or"})
_STATES = frozenset(
    {
        "weekday",
        "clock",
        "late",
        "current",
        "past",
        "running",
        "missing",
        "new",
        "on time",
        "share",
        "tenure",
        "age",
    }
)
"""Operators that a stored value of the same words may outdo."""


@dataclass(frozen=True, slots=True)
class Item:
    """One piece of a question: tokens `start` to `end` (exclusive) and what they are.

    `owner` is the thing that a mention was said to be of ("depot of the vehicle"), `way` the direction before it (from, to).
    """

    kind: str
    start: int
    end: int
    text: str
    op: str = ""
    detail: str = ""
    number: float = 0.0
    grain: str = ""
    period: Period | None = None
    targets: tuple[Target, ...] = ()
    owner: tuple[Target, ...] = ()
    way: str = ""


@dataclass(frozen=True, slots=True)
class Reading:
    """A question cut into items, with what was mended (as typed, as read) and the words nothing explains.

    `asked` are those of them that stand where the thing asked for does, `figures` those that stand where a figure does.
    """

    items: tuple[Item, ...]
    mended: tuple[tuple[str, str], ...] = ()
    unknown: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    glued: frozenset[str] = frozenset()
    figures: tuple[str, ...] = ()


SAME = 0.1
"""Cost below which words are the very name of what is stored."""


def read(text: str, vocabulary: Vocabulary, today: date) -> Reading:
    """Cut a question into items."""
    tokens = tokenise(prepared(text, vocabulary))
    items = _cut(tokens, vocabulary, today)
    mended: list[tuple[str, str]] = []
    for item in items:
        if better := _meant_by(item, tokens, vocabulary):
            mended.append((tokens[item.start].low, better))
            tokens = _respelled(tokens, item.start, better)
    if mended:
        items = _cut(tokens, vocabulary, today)
    items = _with_states(
        _with_deeds(_named_by_words(_dated_deeds(items, vocabulary), vocabulary)), vocabulary
    )
    items = _totals_shown(_late_rather(items, vocabulary), vocabulary)
    items = _with_shared_heads(_with_rival_values(items, tokens, vocabulary), tokens, vocabulary)
    items = _denied(items, vocabulary)
    mended += [(item.text, item.detail) for item in items if item.kind == "period" and item.detail]
    unknown = tuple(item.text for item in items if item.kind == "unknown")
    asked = tuple(item.text for item in asked_for(items) if item.kind == "unknown")
    kept = tuple(
        item
        for place, item in enumerate(items)
        if item.kind != "glue"
        or item.text == ":"
        or place
        and items[place - 1].op in ("start", "end", "contain")
        or _is_amount_of(items, place)
    )
    glued = frozenset(stem(item.text.lower()) for item in items if item.kind == "glue")
    return Reading(kept, tuple(mended), unknown, asked, glued)


def _meant_by(item: Item, tokens: Sequence[Token], vocabulary: Vocabulary) -> str:
    """The word that an item was misspelt from; empty where it stays as typed."""
    low = tokens[item.start].low
    if tokens[item.start].kind != "word" or low in DEEDS:
        return ""
    if item.kind == "mention":
        return vocabulary.slip_of(low) if item.end - item.start == 1 else ""
    better = vocabulary.mended(low) if item.kind == "unknown" else ""
    if not better or better == low:  # "revenu" has the very stem, and names nothing
        return ""
    is_form = low.startswith(better) or better.startswith(low)
    general = better in OPERATORS or better in NUMBER_WORDS
    if general and (len(low) < 5 or is_form):
        return ""  # "nice" is no nine, "large" not larger than anything, and what is shown is none to show
    if not general and not _says_more(better, tokens, vocabulary):
        return ""  # a word that names nothing here is no better than the one that was typed
    if sorted(low) != sorted(better):
        if better in OPERATORS and len(low) == len(better):
            return ""  # a letter that is another one makes another word: whales are no whole
        if better in GLUE | WEAK_GLUE and len(low) < 6 and not is_form:
            return ""  # what is short is no sort: a word that says something is not read as one that says nothing
    return better


def _respelled(tokens: Sequence[Token], at: int, word: str) -> tuple[Token, ...]:
    """The tokens with another word in place of one."""
    new = replace(tokens[at], text=word, low=fold(word), stem=stem(fold(word)))
    return (*tokens[:at], new, *tokens[at + 1 :])


def _is_amount_of(items: Sequence[Item], place: int) -> bool:
    """Whether a word that says little elsewhere is the amount of something: "amount of unpaid invoices", "invoice amount"."""
    if items[place].text.lower() not in ("amount", "amounts", "value"):
        return False
    before, after = items[place - 1] if place else None, items[place + 1] if place + 1 < len(items) else None
    behind = before is not None and before.kind == "mention" and before.targets[0].kind == "thing"
    return behind or after is not None and after.op == "of"


def _says_more(word: str, tokens: Sequence[Token], vocabulary: Vocabulary) -> bool:
    """Whether a word names something here, or a time or people, or is part of a phrase whose other words stand here too."""
    if word in MONTHS or word in DEMONYMS or word in GLUE or vocabulary.targets([word]):
        return True
    others = {token.low for token in tokens}
    phrases = (phrase.split() for phrase in (*OPERATORS, *CONCEPTS, *GRAIN_PHRASES))
    return any(word in phrase and others.issuperset(w for w in phrase if w != word) for phrase in phrases)


def asked_for(items: Sequence[Item]) -> list[Item]:
    """The items that stand where the thing asked for does: before the first group, restriction or denial."""
    first = next((i.start for i in items if i.op in ("by", "rel", "not", "except", "more") and i.start), None)
    return [item for item in items if first is None or item.start < first]


def is_noun_unknown(reading: Reading) -> bool:
    """Whether the one unknown word is the noun that is asked for: "customer satisfaction by depot", "gender split of our members".

    A verb is none: which customers complained asks for customers.
    """
    place = next((n for n, item in enumerate(reading.items) if item.kind == "unknown"), None)
    if place is None or reading.items[place].text.lower().endswith(("ed", "ing")):
        return False
    before = reading.items[place - 1] if place else None
    after = reading.items[place + 1] if place + 1 < len(reading.items) else None
    if after is not None and after.op == "distribution":
        return before is None
    named = before is not None and before.kind == "mention" and before.end == reading.items[place].start
    return named and (after is None or after.op in ("by", "of"))


def _late_rather(items: Sequence[Item], vocabulary: Vocabulary) -> list[Item]:
    """Read "late" as not done in time, unless the question names the rows that store a shift or a slot of that name, or point at a state of it."""
    out = list(items)
    for place, item in enumerate(items):
        best = item.targets[0] if item.targets else None
        if item.text.lower() not in ("late", "overdue") or best is None or best.kind != "value":
            continue
        others = {t.table for one in items if one is not item for t in one.targets[:2]}
        others |= {listed[1].table for t in others if (listed := vocabulary.listed_state(t)) is not None}
        if best.table not in others and others:
            op, detail = OPERATORS[item.text.lower()]
            out[place] = replace(item, kind="op", op=op, detail=detail, targets=())
    return out


def _totals_shown(items: Sequence[Item], vocabulary: Vocabulary) -> list[Item]:
    """ "List invoices with their date and total": a column of that name is shown; nothing is added up."""
    out = list(items)
    shown = next((n for n, item in enumerate(items) if item.op == "with"), len(out))
    for place in range(shown + 1, len(out)):
        item, follows = out[place], out[place + 1 : place + 2]
        if item.op != "agg" or item.detail != "sum" or any(one.op != "and" for one in follows):
            continue
        named = tuple(
            t for t in vocabulary.targets([item.text.lower()]) if t.kind == "field" and t.cost < SAME
        )
        if named:
            out[place] = replace(item, kind="mention", op="", detail="", targets=named)
    return out


def _named_by_words(items: Sequence[Item], vocabulary: Vocabulary) -> list[Item]:
    """ "Members on plus tariff": a word of asking is a stored name where the noun of what bears it follows."""
    out = list(items)
    for place, (item, noun) in enumerate(pairwise(items)):
        if item.op != "with" or item.end != noun.start or noun.kind != "mention" or " " in item.text:
            continue
        tables = {target.table for target in noun.targets[:2]}
        own = tuple(
            target
            for target in vocabulary.targets([item.text.lower()])
            if target.kind == "value" and target.table in tables and target.cost < SAME
        )
        if own:
            out[place] = replace(item, kind="mention", op="", detail="", targets=own)
    return out


def _dated_deeds(items: Sequence[Item], vocabulary: Vocabulary) -> list[Item]:
    """ "Shipments booked in 2025": a participle before a period is the time of that name, whatever state has become of the rows since.

    "How many visits are booked" asks for the state, where no time follows.
    """
    out = list(items)
    for place, item in enumerate(items):
        if item.kind != "mention" or not item.text.lower().endswith("ed"):
            continue
        after, before = items[place + 1 : place + 3], items[place - 1] if place else None
        times = [t for t in item.targets if is_time(t, vocabulary.model)]
        states = [t for t in item.targets if t.kind == "value"]
        if not times or not states or not {t.table for t in states} <= {t.table for t in times}:
            continue
        rest = tuple(t for t in item.targets if t not in times and t.kind != "value")
        least = min(t.cost for t in item.targets)
        if after and (after[0].kind == "period" or after[0].op == "of" and after[-1].kind == "period"):
            out[place] = replace(item, targets=(replace(times[0], cost=least), *times[1:], *rest))
        elif before is not None and before.kind == "glue" and before.text.lower() in ("are", "is"):
            dearer = (replace(t, cost=t.cost + _RATHER) for t in times)
            out[place] = replace(item, targets=(replace(states[0], cost=least), *states[1:], *rest, *dearer))
    return out


_RATHER = 0.2
"""Cost of meaning the time of a deed where rows are said to be in a state."""


def _with_deeds(items: Sequence[Item]) -> list[Item]:
    """ "most borrowed": by how often it was done, whatever column there be."""
    out: list[Item] = []
    for item in items:
        before = out[-1] if out else None
        if (
            before is not None
            and before.op == "rank"
            and before.text.lower() in ("most", "least")
            and before.end == item.start
            and item.kind in ("glue", "unknown")
            and item.text.lower() in DEEDS
        ):
            out[-1] = replace(before, end=item.end, text=f"{before.text} {item.text}")
        else:
            out.append(item)
    return out


def _with_states(items: Sequence[Item], vocabulary: Vocabulary) -> list[Item]:
    """ "done lessons", "lessons done": a word that says little elsewhere is the state of the rows beside it, where theirs bears it."""
    out = list(items)
    for place, item in enumerate(items):
        if item.kind == "glue" and item.text.lower() == "spend" and _is_spent(items, place, vocabulary):
            out[place] = replace(item, kind="mention", targets=vocabulary.targets(["spending"]))
        if item.kind == "glue" and _ends_a_span(items, place):
            ends = tuple(
                t for t in vocabulary.targets([item.text.lower()]) if t.kind == "field" and t.cost < 0.3
            )
            out[place] = replace(item, kind="mention", targets=ends) if ends else item
        if item.kind == "glue" and _is_compared(items, place):
            found = vocabulary.targets([item.text.lower()])
            out[place] = replace(item, kind="mention" if found else "unknown", targets=found)
        if item.kind not in ("glue", "unknown") or (
            item.text.lower() not in STATE_WORDS and len(item.text) < _TELLING
        ):
            continue
        beside = [
            i
            for i in items[max(0, place - 1) : place + 2]
            if i.kind == "mention" and (i.start == item.end or i.end == item.start)
        ]
        beside += _alternatives(items, place)
        things = (next((t for t in i.targets[:4] if t.kind == "thing"), None) for i in beside)
        tables = {thing.table for thing in things if thing is not None}
        own = tuple(t for table in tables for t in vocabulary.of_state(table, item.text.lower()))
        if own:
            out[place] = replace(item, kind="mention", targets=own)
    return out


_POINTING = frozenset({"it", "that", "this", "one", "ones", "them", "data", "figures", "results"})
"""Words that stand for what was said before, and are no figure themselves."""


def _is_compared(items: Sequence[Item], place: int) -> bool:
    """Whether a word stands right before "vs": "spend vs revenue" holds two figures against each other."""
    after = items[place + 1] if place + 1 < len(items) else None
    return after is not None and after.op == "vs" and items[place].text.lower() not in _POINTING


def _alternatives(items: Sequence[Item], place: int) -> list[Item]:
    """The things that a state beside "or", or behind "only", may be of: "done or open lessons", "lessons of Ada, only done"."""
    before, behind = (items[n] if 0 <= n < len(items) else None for n in (place - 1, place + 1))
    is_one = any(one is not None and one.op == "or" for one in (before, behind))
    is_last = before is not None and before.op == "only" and behind is None
    named = [i for i in items if i.kind == "mention" and i.targets[0].kind == "thing"]
    return named if is_one or is_last else []


def _ends_a_span(items: Sequence[Item], place: int) -> bool:
    """Whether a word says what a length of time runs to: "days from applied to done"."""
    before = items[place - 1] if place else None
    to = before is not None and before.text.lower() == "to" and any(i.op == "span" for i in items[:place])
    return to and items[place].text.lower() in DOINGS


def _is_spent(items: Sequence[Item], place: int, vocabulary: Vocabulary) -> bool:
    """Whether "spend" is a noun right behind that of what happens: "repair spend", not "customers spend"."""
    before = items[place - 1] if place else None
    if before is not None and before.op == "agg":
        return True
    if (
        before is None
        or before.kind != "mention"
        or before.end != items[place].start
        or before.text.endswith("s")
    ):
        return False
    best = before.targets[0]
    return best.kind == "thing" and not set(vocabulary.model.things[best.table].noun) & PERSONS


def _with_rival_values(items: list[Item], tokens: Sequence[Token], vocabulary: Vocabulary) -> list[Item]:
    """ "business or enterprise": a word that says little elsewhere is a value beside another one of its column."""
    said = {item.start: item for item in items}
    out = list(items)
    for place, joint in enumerate(items):
        if joint.op not in ("or", "and", "vs") or not 0 < place < len(items) - 1:
            continue
        for at, beside in ((place - 1, place + 1), (place + 1, place - 1)):
            one, other = items[at], items[beside]
            if said[one.start] is one and (same := _of_the_same_column(one, other)):
                out[at] = replace(one, targets=same)
                continue
            if one.kind not in ("glue", "unknown") or other.kind != "mention" or one.end - one.start != 1:
                continue
            columns = {(t.table, t.column) for t in other.targets if t.kind == "value" and t.cost < 0.2}
            found = vocabulary.targets([tokens[one.start].low])
            own = tuple(t for t in found if t.kind == "value" and (t.table, t.column) in columns)
            if own and said[one.start] is one:
                out[at] = replace(one, kind="mention", targets=own)
    return out


def _of_the_same_column(one: Item, other: Item) -> tuple[Target, ...]:
    """ "Web and store revenue": a word that is a stored value of the column of which the other is one, whatever else bears it; else nothing."""
    best = other.targets[0] if other.kind == "mention" and other.targets else None
    if best is None or best.kind != "value" or best.cost >= 0.2 or one.kind != "mention":
        return ()
    if one.targets and one.targets[0].kind == "value":
        return ()
    return tuple(
        t
        for t in one.targets
        if (t.kind, t.table, t.column) == ("value", best.table, best.column)
        and t.value.lower() == one.text.lower()
    )


def _with_shared_heads(items: list[Item], tokens: Sequence[Token], vocabulary: Vocabulary) -> list[Item]:
    """ "planned vs actual cost": the first word shares the noun of the second one, where the source has a column of both."""
    out = list(items)
    for place in range(len(items) - 2):
        one, joint, other = items[place : place + 3]
        if joint.op not in ("and", "vs", "or") or one.kind not in ("mention", "unknown"):
            continue
        if other.kind != "mention" or other.end - other.start < 2 or one.end - one.start != 1:
            continue
        if stem(tokens[one.start].low) == stem(tokens[other.start].low):
            continue  # "repairs and repair cost": how many, and what they cost
        head = tokens[other.end - 1]
        shared = vocabulary.targets([tokens[one.start].low, head.low])
        own = [t.cost for t in one.targets if t.kind == "field"]
        if shared and shared[0].kind == "field" and shared[0].cost < min([0.25, *own]):
            out[place] = replace(one, kind="mention", text=f"{one.text} {head.text}", targets=shared)
    return out


def _denied(items: Sequence[Item], vocabulary: Vocabulary) -> list[Item]:
    """Read a verb right after a negation as denied: "never performed", "not used", "unsold"."""
    out: list[Item] = []
    denied = ""
    for place, item in enumerate(items):
        low = item.text.lower()
        if item.kind == "unknown" and low in DEEDS and not denied and _is_beside(items, place, vocabulary):
            item = replace(
                item, kind="glue"
            )  # what was done with a thing that is named says no more than its rows do
        if item.kind == "unknown" and (deed := undone(low)):
            out.append(replace(item, kind="op", op="not", detail="one"))
            states = tuple(t for t in vocabulary.targets([deed]) if t.kind == "value" and t.cost < 0.2)
            verb = replace(item, kind="mention", targets=states) if states else replace(item, kind="verb")
            out.append(replace(verb, text=deed))
            continue
        if (
            item.kind == "unknown"
            and low.endswith("est")
            and any(i.op == "rank" and i.start > item.start for i in items)
        ):
            item = replace(item, kind="glue")  # "thirstiest vehicles: most liters" says itself what it means
        if item.op == "not":
            denied = low
        elif denied and item.kind in ("glue", "unknown") and is_deed(low, denied):
            is_said = item.kind == "unknown" or low in _MEANT
            item, denied = replace(item, kind="verb", detail="unknown" if is_said else ""), ""
        elif item.kind != "glue":
            denied = ""
        out.append(item)
    return out


_MEANT = frozenset({"contacted", "registered", "linked", "attached", "associated", "entered"})
"""Participles that say little of what was, and something of what was not."""

_STAGES = frozenset(
    {"shipped", "delivered", "received", "scheduled", "reserved", "assigned", "moved", "handled", "served"}
)
"""Participles that tell a stage of what they stand before: not every order is a shipped one."""


def _is_beside(items: Sequence[Item], place: int, vocabulary: Vocabulary) -> bool:
    """Whether a verb stands by what it was done with: people do things themselves, so of them something is left unsaid."""
    before = next((i for i in reversed(items[:place]) if i.kind != "glue"), None)
    after = next((i for i in items[place + 1 :] if i.kind != "glue"), None)
    low = items[place].text.lower()
    if low in _STAGES and after is not None and after.start == items[place].end and after.targets:
        return after.targets[0].kind not in ("thing", "concept")
    if after is not None and after.kind == "mention" or before is not None and before.op == "count":
        return True
    if before is None or before.kind != "mention" or after is not None and after.kind == "number":
        return False
    done = vocabulary.model.things.get(before.targets[0].table)
    return done is not None and not set(done.noun) & PERSONS


def _cut(tokens: Sequence[Token], vocabulary: Vocabulary, today: date) -> list[Item]:
    fixed = {
        found.start: found
        for found in periods.find(tokens, today, vocabulary.model.calendar)
        if not _is_stored(tokens[found.start : found.end], vocabulary)
    }
    inside = {n for found in fixed.values() for n in range(found.start, found.end)}
    hours = {found.start: found for found in clocks.find(tokens)}
    hours = {at: found for at, found in hours.items() if inside.isdisjoint(range(at, found.end))}
    inside |= {n for found in hours.values() for n in range(found.start, found.end)}
    size = len(tokens)
    best: list[tuple[float, int, Item | None]] = [(0.0, -1, None), *((1e9, -1, None) for _ in range(size))]
    for at in range(size):
        so_far = best[at][0]
        if so_far >= 1e9:
            continue
        if at in fixed:
            found = fixed[at]
            text = " ".join(t.text for t in tokens[found.start : found.end])
            _better(
                best,
                found.end,
                so_far,
                at,
                Item("period", at, found.end, text, period=found.period, detail=found.meant),
            )
            continue
        if at in hours:
            clock = hours[at]
            text = " ".join(t.text for t in tokens[at : clock.end])
            spans = Item("op", at, clock.end, text, op="clock", detail=clock.detail)
            _better(best, clock.end, so_far, at, spans)
            continue
        if at in inside:
            continue
        whole = " ".join(t.low for t in tokens[at : at + 2]) in NOUN_PHRASES
        for end in range(at + 2 if whole else at + 1, min(size, at + 6) + 1):
            if any(n in inside for n in range(at, end)):
                break
            for cost, item in _options(tokens, at, end, vocabulary):
                _better(best, end, so_far + cost, at, item)
    out: list[Item] = []
    at = size
    while at > 0:
        _, back, chosen = best[at]
        if chosen is not None:
            out.append(chosen)
        at = back
    return out[::-1]


def _is_stored(tokens: Sequence[Token], vocabulary: Vocabulary) -> bool:
    """Whether words for a time are a name that the source keeps: the service that is called "next day"."""
    lows = [token.low for token in tokens]
    worded = len(lows) > 1 and all(low.isalpha() for low in lows)
    return worded and any(t.kind == "value" and t.cost < SAME for t in vocabulary.targets(lows))


def _better(best: list[tuple[float, int, Item | None]], end: int, cost: float, back: int, item: Item) -> None:
    if cost < best[end][0] - 1e-9:
        best[end] = (cost, back, item)


def _options(tokens: Sequence[Token], at: int, end: int, vocabulary: Vocabulary) -> list[tuple[float, Item]]:
    some = tokens[at:end]
    text = " ".join(t.text for t in some)
    lows = [t.low for t in some]
    phrase = " ".join(lows)
    out: list[tuple[float, Item]] = []
    if phrase in OPERATORS and not (lows[-1] in _DELAYS and vocabulary.stores(lows[-1])):
        op, detail = OPERATORS[phrase]
        cost = 0.05 if op in _PREPOSITIONS or len(some) > 2 else 0.22 if op in _STATES else 0.12
        out.append((cost, Item("op", at, end, text, op=op, detail=detail)))
    if phrase in GRAIN_PHRASES:
        own = vocabulary.targets(lows)
        out.append((0.13, Item("grain", at, end, text, grain=GRAIN_PHRASES[phrase], targets=own)))
    if len(some) == 1:
        out += _single(some[0], at, end, text)
        if out and out[-1][1].kind == "unit":
            cost, item = out[-1]
            out[-1] = (cost, replace(item, targets=vocabulary.targets(lows)))
    if (
        len(some) <= LONGEST
        and all(t.kind in ("word", "quoted", "number") or t.low == "%" and len(some) > 1 for t in some)
        and any(t.kind != "number" for t in some)
    ):
        targets = vocabulary.targets(lows, some[0].kind == "quoted")
        if _holds_lateness(lows, tokens[at - 1].low if at else ""):
            targets = tuple(t for t in targets if t.kind == "value" and t.cost < 0.1)
        if OPERATORS.get(phrase, ("",))[0] == "on time":  # a day called "hired on" is no "on time"
            targets = tuple(t for t in targets if t.cost < _VERY_NAME)
        if len(some) > 1 and lows[-1] in _AT:
            targets = tuple(
                t for t in targets if t.kind not in ("thing", "field") or t.column.lower().endswith(lows[-1])
            )
        if any(t.text.isupper() and vocabulary.is_code(t.text) for t in some):
            targets = tuple(t for t in targets if t.kind == "value")
        if phrase in _OFFERED:  # what is on sale was not sold
            targets = tuple(t for t in targets if t.kind in ("field", "value") and t.cost < 0.2)
        if len(some) > 1 and lows[0] == "total" and targets:
            targets = _with_whole(targets, vocabulary.targets(lows[1:]))
        if targets:
            cost = 0.1 + 0.6 * targets[0].cost
            if phrase in GRAIN_PHRASES:
                cost += 0.1
            elif lows[0] in GLUE and at and tokens[at - 1].low in _OWNED | {"who"} and _is_role(targets[0]):
                cost -= 0.05  # "their lead" is a noun, and "who leads" asks for it, though to lead somewhere says little
            elif lows[0] in GLUE and at and tokens[at - 1].low in _GROUPS and targets[0].cost < 0.05:
                cost -= 0.05  # by make, per run: what groups are made of is named
            elif lows[0] in GLUE and _is_enumerated(tokens, at, end) and targets[0].cost < 0.05:
                cost -= 0.05  # with plate, make and model
            elif phrase == "rate" and at and tokens[at - 1].low in _OWN_FIGURE and targets[0].cost < 0.05:
                cost -= 0.05  # their current rate is what is called so, and no share
            elif phrase == "show" and at and tokens[at - 1].low in _BEFORE_NOUNS:
                cost -= 0.08  # after an article it is what is seen, not a wish to see
            elif (
                lows[0] in GLUE
                and lows[0].endswith("s")
                and any(t.kind == "thing" and t.cost < 0.1 for t in targets)
            ):
                cost -= 0.08  # leads are rows of that name, though to lead somewhere says little
            elif phrase in GLUE and _is_said_as_stored(some[0], at, targets[0]):
                cost = min(
                    cost - 0.05, 0.07
                )  # cheaper than saying little: business customers are some of them
            elif len(some) == 1 and (lows[0] in GLUE or phrase in OPERATORS) and not vocabulary.is_told(lows):
                cost += 0.06 if targets[0].cost < 0.12 else 0.2
            elif targets[0].kind == "field" and _is_small(tokens, at, end):
                cost += 0.2
            out.append((cost, Item("mention", at, end, text, targets=targets)))
        elif phrase in _OFFERED:
            out.append((0.1, Item("unknown", at, end, text)))
        elif phrase in NOUN_PHRASES:
            out.append((1.3, Item("unknown", at, end, text)))
        elif some[0].kind == "quoted" and len(some) == 1:
            out.append((0.2, Item("text", at, end, some[0].text)))
    return out


_DELAYS = frozenset({"delay", "delays"})
"""Words for a duration that may be stored as a figure."""

_VERY_NAME = 0.05
"""Cost below which words are the very name of something."""

_OFFERED = frozenset({"on sale", "on offer", "for sale"})
_GROUPS = frozenset({"by", "per", "each", "which"})
"""Words before what groups are made of, or what is asked for."""


_JOINTS = frozenset({",", "and", "&", "with", "plus"})
"""Signs before and behind a name in a row of names."""


def _is_enumerated(tokens: Sequence[Token], at: int, end: int) -> bool:
    """Whether words stand alone between two of what joins names, or at the end behind one."""
    behind = tokens[end].low if end < len(tokens) else ","
    return at > 0 and tokens[at - 1].low in _JOINTS and behind in _JOINTS


def _is_said_as_stored(token: Token, at: int, target: Target) -> bool:
    """Whether a word that says little elsewhere is a stored value: one that describes, or with its capital inside a question."""
    if target.kind != "value" or target.cost > 0.1:
        return False
    return token.low in DESCRIBING or at > 0 and token.text[:1].isupper() and token.text == target.value


def _is_role(target: Target) -> bool:
    """Whether a word names what a row points at: its lead, its owner."""
    return target.kind == "relation" and target.cost < 0.05


def _holds_lateness(lows: Sequence[str], before: str) -> bool:
    """Whether words say "on time" or "late" beside something else, which is then none of a name."""
    return OPERATORS.get(f"{before} {lows[0]}", ("",))[0] == "on time" or any(
        OPERATORS.get(" ".join(lows[first:last]), ("",))[0] in ("on time", "late")
        for first in range(len(lows))
        for last in range(first + 1, len(lows) + 1)
        if last - first < len(lows)
    )


def _with_whole(targets: tuple[Target, ...], others: Sequence[Target]) -> tuple[Target, ...]:
    """ "total amount" is a column of that name, or another table's amount added up."""
    more = [replace(t, cost=t.cost + 0.12) for t in others if t.kind == "field"]
    known = {(t.table, t.column) for t in targets}
    return tuple(
        sorted(
            [*targets, *(t for t in more if (t.table, t.column) not in known)],
            key=lambda target: target.cost,
        )
    )


def _is_small(tokens: Sequence[Token], at: int, end: int) -> bool:
    """Whether a name of several words is said like a verb: "visits came from" rather than "by came from"."""
    before = tokens[at - 1].low if at else ""
    if end - at < 2 or before in _GROUPS:
        return False
    return all(t.low in GLUE or t.low in OPERATORS for t in tokens[at:end])


def _single(token: Token, at: int, end: int, text: str) -> list[tuple[float, Item]]:
    low = token.low
    if token.kind == "number" and len(low) > DIGITS:
        return [(1.3, Item("unknown", at, end, text))]
    if token.kind == "number":
        return [(0.1, Item("number", at, end, text, number=float(low)))]
    if low in NUMBER_WORDS:
        return [(0.11, Item("number", at, end, text, number=float(NUMBER_WORDS[low])))]
    if 1 < len(low) <= DIGITS and low[:-1].isdecimal() and low[-1] in "km":
        return [
            (0.1, Item("number", at, end, text, number=float(low[:-1]) * (1e3 if low[-1] == "k" else 1e6)))
        ]
    if low in ORDINALS:
        return [(0.2, Item("ordinal", at, end, text, number=float(ORDINALS[low])))]
    if low in UNIT_WORDS:
        return [(0.25, Item("unit", at, end, text))]
    if low in WEAK_GLUE:
        return [(0.3, Item("glue", at, end, text))]
    if low in GLUE or token.kind == "mark":
        if low in OPERATORS:
            return []
        return [(0.08, Item("glue" if low != "+" else "plus", at, end, text))]
    return [(1.3, Item("unknown", at, end, text))]
