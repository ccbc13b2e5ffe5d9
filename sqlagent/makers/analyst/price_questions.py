"""Questions about what something costs, cost, and how its price changed, where a history of prices is kept.

They are read by their shape: what is asked of the price, of what, and when. Each comes with a plain question for the price by the
name of its column, whose frame `price_answers` turns into the one that was asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from sqlagent.catalog.semantics import Field, History, Thing
from sqlagent.catalog.semantics.words import PRICED
from sqlagent.language.words import plural_of, stem, tokenise
from sqlagent.makers.analyst.as_of import relations_of
from sqlagent.makers.analyst.minor_units import says_minor
from sqlagent.makers.analyst.periods import Period, find
from sqlagent.makers.analyst.source import Source

_HEADS = r"(?:prices?|costs?|rates?|fees?|tariffs?|charges?|wages?|salar(?:y|ies)|pay|rents?)"
_NOW = re.compile(
    rf",?\s*\b(?:right now|just now|as of now|for now|now|at the moment|at present|presently|currently|these days|nowadays|as things stand)\b|\bcurrent(?= (?:[a-z]+ ){{0,2}}{_HEADS}\b)|\btoday['’]s\b",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r",?\s*\b(?:on|at|in|during|for|by|effective|with effect from|over|back in|as of|as at)\s*$",
    re.IGNORECASE,
)
_TIMES = {
    "month": ("month", "monthli"), "year": ("year", "yearli", "annual", "annum"), "week": ("week", "weekli"), "day": ("day", "daili"),
    "hour": ("hour", "hourli"), "night": ("night", "nightli"),
}  # fmt: skip
_PER = re.compile(r"\s*(?:\b(?:per|a|each|every)|/)\s*(month|year|week|day|hour|night)\b", re.IGNORECASE)
_IDLE = frozenset({"list", "regular", "standard", "unit", "sales", "selling", "official"})
"""Words before "price" that say of none which one it is."""

_ANY_PRICE = frozenset(map(stem, ("price", "cost", "charge")))
"""Words for what something costs, whatever its column is called."""

_ADJECTIVE = (
    r"(?:monthly|yearly|annual|weekly|daily|hourly|nightly|list|retail|regular|standard|unit|sales|selling|official|"
    r"base|net|gross|purchase|wholesale)"
)
_UP = (
    r"(?:gone up|went up|go up|going up|risen|rose|rise|increased?|grown|grew|grow|climbed|changed?|moved?|gone down|went down|go down|"
    r"fallen|fell|fall|dropped|drop|decreased?|developed)"
)
_UPWARDS = r"(?:increase|rise|hike|jump|growth|change|raise)"
_PERCENT = r"(?:percentage|percent|per cent|%|relative|percentual)"
_SET = (
    r"(?:changed?|raised?|increased?|adjusted?|updated?|revised?|put up|gone? up|went up|moved?|lowered|cut)"
)
_ENDS = r"(?:,? (?:from|between) (?:its|their|the)? ?(?:very )?(?:first|earliest|oldest|initial) (?:F |one )?(?:and|to) (?:its |their |the )?(?:latest|last|newest|current|most recent)(?: F| one)?)"
_IN_PERCENT = r"(?:,? (?:in|as a) (?:percent|per cent|percentage|%)(?: terms)?)"
_COUNT = r"(?P<count>\d{1,3})"
_GREATEST = r"(?P<rank>biggest|largest|highest|greatest|steepest|strongest|most|smallest|lowest)"


def _compiled(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


_DEARER = re.compile(r"\b(?:more expensive|less expensive|dearer|pricier|cheaper)\b", re.IGNORECASE)
_CHANGES = _compiled(
    rf"^(?:by )?(?:how (?:much|many)|what)(?P<percent> {_PERCENT}(?: points)?)? (?:has|have|had|did|does|do) (?:the |our )?F (?:of|for) (?P<what>.+?) {_UP}(?P<ends>{_ENDS})?(?P<percent_2>{_IN_PERCENT})?$",
    rf"^(?:by )?(?:how (?:much|many)|what)(?P<percent> {_PERCENT})? (?:has|have|had|did|does|do) (?:the |our )?(?P<what>.+?)['’]s F {_UP}(?P<ends>{_ENDS})?(?P<percent_2>{_IN_PERCENT})?$",
    rf"^(?:by )?how much(?P<percent> {_PERCENT})? (?:more expensive|dearer|pricier) (?:has|have|did) (?P<what>.+?) (?:become|got|gotten|get|grown)(?P<percent_2>{_IN_PERCENT})?$",
    rf"^(?:what (?:is|was) )?(?:the )?(?P<percent>{_PERCENT} )?{_UPWARDS} (?:in|of) (?:the )?F (?:of|for) (?P<what>.+?)(?P<ends>{_ENDS})?(?P<percent_2>{_IN_PERCENT})?$",
    rf"^(?:what (?:is|was) )?(?:the )?(?P<percent>{_PERCENT} )?F {_UPWARDS}s? (?:of|for) (?P<what>.+?)(?P<ends>{_ENDS})?(?P<percent_2>{_IN_PERCENT})?$",
    rf"^(?:the )?(?P<percent>{_PERCENT} )?F {_UPWARDS}s? (?:by|per|for each|for every) (?P<by>.+?)(?P<ends>{_ENDS})?(?P<percent_2>{_IN_PERCENT})?$",
    rf"^(?:which|what) (?P<by>.+?) (?:had|has|have|saw|shows?|got) (?:the )?{_GREATEST} (?P<percent>{_PERCENT} )?F {_UPWARDS}(?P<ends>{_ENDS})?(?P<percent_2>{_IN_PERCENT})?$",
    rf"^(?:which|what) (?P<by>.+?) (?:had|has|have|saw|shows?|got) (?:the )?{_GREATEST} (?P<percent>{_PERCENT} )?{_UPWARDS} (?:in|of) (?:its |their |the )?F(?P<ends>{_ENDS})?(?P<percent_2>{_IN_PERCENT})?$",
    rf"^(?:(?:which|what) )?(?P<by>.+?)(?:['’]s|s['’])? F (?:has |have )?{_UP} (?:the )?(?P<rank>most|least)(?P<ends>{_ENDS})?(?P<percent>{_IN_PERCENT})?$",
    rf"^(?:which|what) (?P<by>.+?) (?:has |have )?(?:gone up|went up) (?:in F )?(?:the )?(?P<rank>most|least)(?: in F)?(?P<percent>{_IN_PERCENT})?$",
    r"^(?:(?:which|what) )?(?P<by>.+?) (?:that |which )?(?:have |has |had )?(?:got|gotten|become|became|went|gone) (?:(?P<rose>more expensive|dearer|pricier|up in F)|(?P<fell>cheaper|less expensive|down in F))$",
    r"^(?:(?:which|what|list|show) )?(?P<by>.+?) (?:whose|where(?: the)?) F (?:has |have |was |were )?(?:(?P<rose>went up|gone up|rose|risen|increased|grew|grown|raised)|(?P<fell>went down|gone down|fell|fallen|dropped|decreased|lowered|cut))$",
    rf"^(?:the )?top {_COUNT} (?P<by>.+?) (?:by|with) (?:the )?(?:{_GREATEST} )?(?P<percent>{_PERCENT} )?F {_UPWARDS}s?(?P<ends>{_ENDS})?(?P<percent_2>{_IN_PERCENT})?$",
)
_WHEN = _compiled(
    rf"^(?:when|(?:on|at|since) (?:what|which) (?:day|date)) (?:did|was|were|has|have|is) (?:the |our )?F(?: (?:of|for) (?P<what>.+?))? (?:been )?(?:last|most recently) {_SET}$",
    rf"^(?:when|(?:on|at|since) (?:what|which) (?:day|date)) (?:did|was|were|has|have|is) (?:the |our )?F(?: (?:of|for) (?P<what>.+?))? (?:been )?{_SET} (?:last|most recently|(?:for )?the last time)$",
    rf"^when did (?:we|they|you) (?:last|most recently) {_SET} (?:the |our )?F(?: (?:of|for) (?P<what>.+?))?$",
    rf"^when did (?:we|they|you) {_SET} (?:the |our )?F(?: (?:of|for) (?P<what>.+?))? (?:last|most recently|(?:for )?the last time)$",
    rf"^(?:when was |what was |date of |day of )?(?:the )?(?:date of (?:the )?)?(?:last|latest|most recent) (?:F {_UPWARDS}|change (?:in|of|to) (?:the )?F)(?: date)?(?: (?:of|for|by|per) (?P<what>.+?))?$",
)
_SINCE = _compiled(
    r"^since when (?:has|is|have|are) (?:the )?F (?:of|for) (?P<what>.+?) (?:been )?(?:valid|in force|in effect|effective|charged)$"
)
_HOW_OFTEN = _compiled(
    r"^how (?P<often>often|many times) (?:did|have|has|do) (?:we|they|you) (?:changed?|adjusted?|revised?|updated?) (?:the |our )?F(?: (?:of|for) (?P<what>.+?))?$",
    r"^how (?P<often>often|many times) (?:did|have|has|were|was) (?:the |our )?F(?: (?:of|for) (?P<what>.+?))? (?:been )?(?:changed?|adjusted?|revised?|updated?)$",
    r"^(?:how many|number of|count of|count) F (?:changes|adjustments|revisions|updates)(?: (?:were there|did we have|have there been|were made|did we make|happened))?(?: (?:of|for|to) (?P<what>.+?))?(?: (?:by|per|each|every) (?P<grain>month|quarter|year)| (?:by|per) (?P<by>.+?))?$",
)
_HISTORY = _compiled(
    r"^(?:the )?(?:F history|history of (?:the )?F|all F|F over time) (?:of|for) (?P<what>.+?)$",
    rf"^how (?:did|has|have) (?:the )?F (?:of|for) (?P<what>.+?) {_UP}(?: over (?:time|the years))?$",
    r"^(?:the )?F (?:of|for) (?P<what>.+?) over (?:time|the years)$",
)
_COSTS = re.compile(
    r"^(?:and )?(?:(?:what|how much) (?:do|does|did|would) (?P<what>.+?) costs?(?: us| me| you| them)?|how much (?:is|are|was|were) (?P<what_2>.+?)|what (?:do|did) (?:we|you) charge for (?P<what_3>.+?))(?P<per>\s+(?:per|a)\s+\w+)?$",
    re.IGNORECASE,
)
_ALL = re.compile(r"^(?:the |our |my )?(?:complete |full )?(?:F list|all (?:the |our )?F|F)$", re.IGNORECASE)
_BESIDE = re.compile(
    r"^(?:list |show |all |the |our )*(?P<what>[a-z][\w' -]*?)(?:,? and|,? with|,) (?:their|its|his|her) F$",
    re.IGNORECASE,
)
"""Things, each with its price: "lamps with their current price"."""
_EVERY = r"(?:of|for|per|by)\s+(?:(?:each|every|all|any|the|our|my|different|various|single|one|of)\s+)*"


@dataclass(frozen=True, slots=True)
class PriceQuestion:
    """Kinds of questions about a price: `bare` asks for the price itself, the `figure` of a history.

    `asked` is held, change, since, when, often or history. `starts` takes the beginning of `period`, `by_ends` the first and the latest
    price. `rank` orders things by their change, of which `count` are asked for; `moved` keeps those that rose or fell. `is_of_all` says
    that no thing is named, `is_minor` that the question speaks of cents, `doubt` what the price does not tell.
    """

    figure: Field
    bare: str
    asked: str
    period: Period | None = None
    starts: bool = False
    is_percent: bool = False
    by_ends: bool = False
    rank: str = ""
    count: int | None = None
    grain: str = ""
    moved: str = ""
    is_of_all: bool = False
    is_minor: bool = False
    doubt: str = ""

    @property
    def table(self) -> str:
        """The table of the history."""
        return self.figure.table


def price_questions(text: str, source: Source, today: date) -> Iterator[PriceQuestion]:
    """Give what a question may ask of the histories of a source, one for each figure that its words may name."""
    kept = [thing for thing in source.model.things.values() if thing.history is not None]
    if not kept:
        return
    body = text.strip().rstrip("?.! ")
    tokens = tokenise(body)
    found = find(tokens, today, source.model.calendar)
    if len(found) > 1:
        return
    period, starts = None, False
    if found:
        period = found[0].period
        begin, end = tokens[found[0].start].start, tokens[found[0].end - 1].end
        before = body[:begin]
        said = re.search(
            r"\b(?:at |by )?(?:the )?(?:beginning|start) of\s*$", before, re.IGNORECASE
        ) or re.match(r"(?:at )?(?:the )?(?:beginning|start)\b", body[begin:end], re.IGNORECASE)
        starts = said is not None
        if isinstance(said, re.Match) and said.string is before:
            before = before[: said.start()]
        body = f"{_LEADING.sub('', before)} {body[end:]}"
    body = re.sub(r"\s+", " ", _NOW.sub(" ", body)).strip(" ,")
    for thing in kept:
        assert thing.history is not None
        for name in thing.history.figures:
            figure = source.slot(thing.table, name).field
            for asked in _read(body, thing, thing.history, figure, source):
                if asked.asked == "held" and period is None and _stands_beside(figure, thing, source):
                    continue
                yield replace(asked, period=period, starts=starts, is_minor=says_minor(text))


def _read(
    body: str, thing: Thing, history: History, figure: Field, source: Source
) -> Iterator[PriceQuestion]:
    things = _things(thing, source)
    beside = {
        w for f in history.figures if f != figure.column for w in source.slot(thing.table, f).field.words
    }
    own = {*figure.words, *(() if beside else thing.noun)}
    about = {word for one in things for word in one.noun}
    body = _PER.sub(lambda m: "" if own & set(_TIMES[m[1].lower()]) else m[0], body)
    body = re.sub(r"\s+", " ", body).strip(" ,")
    short = _with_figure(body, figure, [thing, *things], own, about, beside)

    def question(asked: str, what: str | None, **more: object) -> PriceQuestion:
        return PriceQuestion(figure, _of(figure.said, what or "", things), asked, **more)  # type: ignore[arg-type]

    if costs := _COSTS.match(body):
        if stem("price") in beside or not _is_paid(figure, thing):
            return
        doubt = f"it is not kept what this costs {costs['per'].strip()}." if costs["per"] else ""
        yield question("held", costs["what"] or costs["what_2"] or costs["what_3"], doubt=doubt)
        return
    if short is None and not _DEARER.search(body):
        return
    short = short if short is not None else body
    for shape in _CHANGES:
        if found := shape.match(short):
            said = found.groupdict()
            what = said.get("what") or (f"each {said['by']}" if said.get("by") else "")
            percent = bool(said.get("percent") or said.get("percent_2"))
            rank, count = (said.get("rank") or "").lower(), said.get("count")
            yield question(
                "change", what, is_percent=percent, by_ends=bool(said.get("ends")),
                rank=rank or ("biggest" if count else ""), count=int(count) if count else None,
                moved=next((way for way in ("rose", "fell") if said.get(way)), ""),
            )  # fmt: skip
            return
    for asked, shapes in (("since", _SINCE), ("when", _WHEN), ("often", _HOW_OFTEN), ("history", _HISTORY)):
        for shape in shapes:
            if found := shape.match(short):
                said = found.groupdict()
                by = said.get("by") or ""
                what = said.get("what") or (f"each {by}" if by else "")
                yield question(
                    asked, what, grain=said.get("grain") or "", is_of_all=not what and bool(said.get("often"))
                )  # fmt: skip
                return
    if (beside_it := _BESIDE.match(short)) and (bare := _by_those(figure.said, beside_it["what"], things)):
        yield PriceQuestion(figure, bare, "held")
        return
    if _ALL.match(short):
        yield question("held", f"each {things[0].said}" if things else "")
        return
    worded = short.replace("F list", figure.said).replace(" F ", f" {figure.said} ")
    worded = re.sub(r"^F\b|\bF$", figure.said, worded)
    worded = re.sub(r"^(?:what (?:is|was|are|were)|what['’]s|show(?: me)?|give me|list|tell me) (?:the |our )?", "", worded, flags=re.IGNORECASE)  # fmt: skip
    at_end = re.match(rf"^(?P<what>.+) {re.escape(figure.said)}$", worded, re.IGNORECASE)
    if at_end and not re.search(r"\b(?:by|per|with|of|for|each|average|mean|median|total|sum|highest|lowest|most|least|max\w*|min\w*|cheapest)\b", at_end["what"], re.IGNORECASE):  # fmt: skip
        yield question("held", re.sub(r"['’]s$", "", at_end["what"]))
        return
    head, _, what = worded.partition(" of ")
    if not what:
        head, _, what = worded.partition(" for ")
    if head.lower() == figure.said.lower() and what:
        yield question("held", what)
        return
    yield PriceQuestion(figure, worded, "held")


def _things(thing: Thing, source: Source) -> list[Thing]:
    """The things that have the prices of a history."""
    found = [source.model.things[r.target] for r in relations_of(thing.table, source)]
    return sorted(found, key=lambda one: not set(one.noun) & set(thing.noun))


def _stands_beside(figure: Field, thing: Thing, source: Source) -> bool:
    """Whether what a history is of holds the figure of today itself: a product's price, beside the prices that it had."""
    heads = {*figure.words, *thing.noun} & PRICED
    return any(
        set(one.words) & heads for other in _things(thing, source)[:1] for one in source.measures(other.table)
    )


def _with_figure(
    body: str, figure: Field, things: list[Thing], own: set[str], about: set[str], beside: set[str]
) -> str | None:
    """The question with F for the price; None where it names none that the figure may be.

    `things` are its history and what that is of; `own` are the stems by which the figure is called, `about` those of what it is
    of, `beside` those of the history's other figures.
    """
    known = own | about
    named = re.escape(figure.said)
    nouns = "|".join(re.escape(word) for one in things for word in one.said.split())
    before = rf"(?:{_ADJECTIVE}|(?:{nouns})s?)"
    phrase = re.compile(rf"\b(?:{named}s?|(?:{before}\s+)*{_HEADS})\b(?!['’])", re.IGNORECASE)
    met = False

    def put(match: re.Match[str]) -> str:
        nonlocal met
        words = [stem(word) for word in match[0].lower().split()]
        alike = {other for some in _TIMES.values() if set(some) & known for other in some}
        loose = words[-1] in _ANY_PRICE and words[-1] not in beside and _is_paid(figure, things[0])
        fits = words[-1] in own or loose
        if match[0].lower().rstrip("s") == figure.said.lower().rstrip("s"):
            fits = True
        elif not all(w in known or w in alike or w in map(stem, _IDLE) for w in words[:-1]):
            fits = False
        met = met or fits
        return "F" if fits else match[0]

    short = phrase.sub(put, body)
    return short if met else None


def _is_paid(figure: Field, thing: Thing) -> bool:
    """Whether a figure is what something costs: no wage and no percentage."""
    wages = {stem(word) for word in ("wage", "salary", "pay", "payroll", "compensation")}
    return figure.unit != "percent" and not wages & {*figure.words, *thing.noun}


def _by_those(said: str, what: str, things: list[Thing]) -> str:
    """The question for a price of each of some things, of those alone that the words before their noun tell; empty where it is none of theirs."""
    words = what.split()
    for one in things:
        at = next((n for n, word in enumerate(words) if stem(word.lower()) == one.noun[-1]), None)
        if at is not None:
            before = words[max(0, at + 1 - len(one.noun)) :] == words
            return " ".join([said, "by", one.said, *(words[at + 1 :] if before else ["of", *words])])
    return ""


def _of(said: str, what: str, things: list[Thing]) -> str:
    """The question for a price of something; of all things of a kind one by one."""
    if not what:
        return said
    for one in things:
        nouns = {w for noun in (one.said, *one.also) for w in (noun.lower(), plural_of(noun.lower()))}
        nouns |= {stem(noun.split()[-1]) for noun in nouns}
        bare = re.sub(rf"^{_EVERY}", "", f"of {what.lower()}")
        if bare in nouns or stem(bare) in nouns:
            return f"{said} by {one.said}"
    return f"{said} of {re.sub(r'^(?:the|our|an?) ', '', what, flags=re.IGNORECASE)}"
