"""The ways in which a question may be worded with a change made, likely ones first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import split_name, stem
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.beside import before
from sqlagent.makers.analyst.changing.intents import Intent, swapped_for
from sqlagent.makers.analyst.changing.parts import Part
from sqlagent.makers.analyst.changing.wordings import (
    DENIED,
    Stretch,
    Typed,
    Wording,
    about_of,
    tidy,
    without,
    wordings,
)
from sqlagent.makers.analyst.endings import endings
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.reading import Item, prepared, read
from sqlagent.makers.analyst.source import Source

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_PART = re.compile(
    r"^(?:(?:in|for|during)\s+)?(?:q[1-4]|h[12]|[a-z]+ (?:half|quarter)|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
_IN = re.compile(r"^(?:in|for|during)\s+", re.IGNORECASE)
_GROUP = re.compile(r"^(?:by|per|for each|each|every)\s+", re.IGNORECASE)
_FIGURES = frozenset(
    map(stem, ["the", "a", "count", "number", "total", "amount", "figure", "measure", "sum", "value"])
)
"""Words for whatever figure was asked for."""
_COMPARISON = frozenset(map(stem, ["comparison", "compare", "vs", "versus"]))
_LITTLE = frozenset({"by", "per", "the", "one", stem("ones")})
_FILTERS = frozenset(map(stem, ["filter", "filters", "condition", "restriction", "limit", "it", "that"])) - {
    stem("limit")
}
_ENDINGS = {
    "share": frozenset(map(stem, ["share", "shares", "percent", "percentage", "proportion"])),
    "sort": frozenset(map(stem, ["sort", "sorting", "order", "ordering"])),
    "top": frozenset(map(stem, ["top", "limit", "ranking", "bottom"])),
    "of all": frozenset(map(stem, ["share", "percent", "percentage", "rate"])),
    "earlier": _COMPARISON | frozenset(map(stem, ["previous", "earlier", "before"])),
    "along": frozenset(),
}
"""Words that name an ending, by its kind."""
_OPPOSITE = {
    "top": "bottom", "bottom": "top", "highest": "lowest", "lowest": "highest", "largest": "smallest", "smallest": "largest", "biggest": "smallest",
    "best": "worst", "worst": "best", "most": "least", "least": "most", "newest": "oldest", "oldest": "newest", "latest": "earliest",
    "earliest": "latest", "fewest": "most", "ascending": "descending", "descending": "ascending", "asc": "desc", "desc": "asc",
}  # fmt: skip
_COUNT = re.compile(
    r"^(?:(?:the )?(?:number|count) of|how many|count)\s+(?:of\s+)?(?:the\s+)?", re.IGNORECASE
)
_LIST = re.compile(r"^(?:which|list|show|the|all|names of)\s+(?:all\s+)?(?:the\s+)?", re.IGNORECASE)
_ASKS = re.compile(r"^(?:what|how|which|who|whom|where|when|why|did|does|do|is|are|they|it)\b", re.IGNORECASE)
_BEFORE = re.compile(r"the (year|quarter|month|week|period) before")
ROUND = "the other way round"
"""What is typed to turn an order, in one form."""
_STUTTER = re.compile(r"\b(by|per|in|for) (?:by|per|in|for)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it stands: its words without its endings, those, its frame, what can be replaced of it, and whether the analyst answers it."""

    text: str
    ending: str
    frame: Frame
    held: frozenset[Part]
    stretches: list[Stretch]
    speaks: bool


def proposed(
    typed: str, meant: Intent, asked: Asked, source: Source, today: date
) -> Iterator[tuple[Wording, Intent]]:
    """Give the wordings of a change, each once, with what was meant by it."""
    seen = {(asked.text + asked.ending).lower()}
    for wording, way in _all(typed, meant, asked, source, today):
        whole = wording if wording.way == "ending" else replace(wording, text=wording.text + asked.ending)
        if whole.text.lower() not in seen and not _STUTTER.search(whole.text):
            seen.add(whole.text.lower())
            yield whole, way


def _all(
    typed: str, meant: Intent, asked: Asked, source: Source, today: date
) -> Iterator[tuple[Wording, Intent]]:
    if rest := swapped_for(typed):
        yield from _swapped(rest, asked)
        return
    if meant.way == "gone":
        yield from _gone(meant, asked)
        return
    if meant.way in ("count", "list"):
        yield from _told_or_listed(meant, asked)
        return
    if meant.text == ROUND:
        yield from ((one, meant) for one in _turned(asked))
        return
    if (period := _the_one_before(meant.text, asked)) is not None:
        yield from ((one, meant) for one in _another_period(period, asked))
        return
    if meant.old:
        yield from ((one, meant) for one in _in_place_of(meant.old, meant.text, asked))
        return
    if (ending := _ending(meant, asked)) is not None:
        yield Wording(asked.text + ending, "ending"), meant
        if meant.way in ("sort", "compare"):
            return
    items = read(prepared(meant.text, source.vocabulary), source.vocabulary, today).items
    if meant.back and not _is_figure(items, source) and all(item.kind == "mention" for item in items):
        meant = replace(meant, text=f"by {meant.text}")
        items = read(prepared(meant.text, source.vocabulary), source.vocabulary, today).items
    made_of = _made_of(items)
    named_first = bool(items) and (bool(items[0].targets) or items[0].op in ("count", "agg"))
    if (
        named_first
        and made_of.kinds == {"mention"}
        and meant.way in ("", "swap", "add")
        and _is_figure(items, source)
    ):
        meant = replace(meant, figure=True)
    if meant.way in ("narrow", "swap") and made_of.kinds == {"period"}:
        yield from _one_of_two(meant.text, asked)
    yield from ((one, meant) for one in _timed(meant.text, items, asked))
    in_place = [*wordings(asked.text, asked.stretches, meant.text, made_of)]
    if meant.way == "swap":
        yield from ((one, meant) for one in in_place if one.way == "replaced")
    if meant.way == "add":
        yield from ((one, meant) for one in in_place if one.way == "beside")
        if "mention" in made_of.kinds and not made_of.trails and not _ASKS.match(meant.text):
            along = f", with {meant.text} alongside"
            yield Wording(asked.text + asked.ending + along, "ending", "along"), meant
    if made_of.trails and meant.way != "add":
        yield from ((one, meant) for one in _turned_around(meant.text, asked))
    if "by" in made_of.kinds:
        yield from ((one, meant) for one in _ranked_instead(meant.text, asked))
    if "rank" in made_of.kinds:
        yield from ((one, meant) for one in _ranked(meant.text, asked))
    if "mention" in made_of.kinds and meant.way != "add" and not made_of.trails:
        if denied := DENIED.search(asked.text):
            at = denied.start()
            yield Wording(tidy(f"{asked.text[:at]} for {meant.text}{asked.text[at:]}"), "behind"), meant
        yield Wording(tidy(f"{asked.text} for {meant.text}"), "behind"), meant
    yield from ((one, meant) for one in in_place)


def _gone(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """What is to go may be an ending, a stretch that was named, or, where nothing of it is there, rows to be left out."""
    words = {stem(word.lower()) for word in re.findall(r"\w+", meant.text)}
    ends = endings(f"figures by group{asked.ending}")[1]
    held = sum(part.kind == "where" for part in asked.held)
    ranked = any(one.kind == "by" and _names(one.text, meant.text) for one in asked.stretches)
    for place, one in enumerate(ends):
        if (
            words & _ENDINGS[one.kind]
            or one.kind == "top"
            and meant.every
            and not meant.is_time
            and (ranked or not held)
        ):
            kept = "".join(other.text for n, other in enumerate(ends) if n != place)
            yield Wording(asked.text + kept, "ending", one.kind), meant
    named = [one for one in asked.stretches if _is_named(one, meant, words)]
    if words & _COMPARISON:
        named = [one for one in asked.stretches if one.kind == "vs"]
    if meant.is_time:
        named = [one for one in asked.stretches if one.kind == "period"] + named
    if words <= _FILTERS:
        named = [one for one in asked.stretches if one.about or one.kind == "period"]
    if not named and (meant.every or meant.once) and held == 1 and (meant.once or _is_of_all(words, asked)):
        named = [one for one in asked.stretches if one.kind in ("mention", "text")]
    for one in _joined(named, asked):
        if one.kind == "mention":
            listed = re.compile(rf"\b{re.escape(one.text)}\s+and\s+", re.IGNORECASE)
            yield Wording(tidy(listed.sub("", asked.text)), "gone", one.kind), meant
        kind = replace(meant, text="period") if one.kind == "period" else meant
        yield Wording(without(asked.text, one), "gone", one.kind), kind
    if not named and not (meant.once or meant.every or words <= _FILTERS):
        rest = Intent(f"without {meant.text}", "add")
        yield Wording(tidy(f"{asked.text} {rest.text}"), "behind"), rest


def _one_of_two(text: str, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """One of two periods that were compared, alone."""
    meant = Intent("comparison", "gone")
    for one in asked.stretches:
        if one.kind == "vs":
            rest = without(asked.text, one)
            if one.text.lower().endswith(text.lower()):
                before = [each for each in asked.stretches if each.kind == "period" and each.end <= one.start]
                rest = tidy(rest[: before[-1].start] + text + rest[before[-1].end :]) if before else ""
            if text.lower() in rest.lower():
                yield Wording(rest, "gone", "vs"), meant


def _is_of_all(words: set[str], asked: Asked) -> bool:
    """Whether words mean all that there is of what is asked for: everything, or its own noun."""
    table = {stem(word) for word in split_name(asked.frame.anchor)}
    said = {stem(w) for m in asked.frame.measures for w in m.said.lower().split()}
    return words <= {stem("everything")} | table | said


def _is_named(one: Stretch, meant: Intent, words: set[str]) -> bool:
    """Whether a stretch is what is to go. All of a kind again means its values and never the groups of it."""
    if words & one.about:
        return True
    said = {stem(word.lower()) for word in re.findall(r"\w+", one.text)} - _LITTLE
    named = words - _LITTLE
    if meant.once and one.kind != "by":
        return bool(_rests(said) & _rests(named))
    if one.kind == "by":
        return bool(named) and not meant.every and named == said
    return bool(named) and (named <= said or meant.every and said <= named)


def _rests(words: set[str]) -> set[str]:
    """Words without what denies them, for what was left out by its opposite: online and offline."""
    return {re.sub(r"^(?:non|off|on|un|in)(?=\w{4})", "", word) for word in words}


def _joined(named: list[Stretch], asked: Asked) -> list[Stretch]:
    """Stretches that stand in one list of values as one, the whole list first."""
    out: list[Stretch] = []
    values = sorted((one for one in named if one.about), key=lambda one: one.start)
    for first in values:
        last = first
        for other in values:
            between = asked.text[last.end : other.start].strip(" ,").lower()
            if other.start >= last.end and between in ("", "or", "and"):
                last = other
        if last is not first:
            out.append(
                Stretch("mention", first.start, last.end, asked.text[first.start : last.end], first.about)
            )
    return [*out, *named]


def _turned(asked: Asked) -> Iterator[Wording]:
    """The other end first: of a ranking its opposite, else the smallest first."""
    for one in asked.stretches:
        if one.kind == "rank" and (found := re.match(r"\w+", one.text)):
            other = _OPPOSITE.get(found[0].lower())
            if other is not None:
                made = asked.text[: one.start] + other + one.text[found.end() :] + asked.text[one.end :]
                yield Wording(tidy(made) + asked.ending, "ending", "rank")
    ends = endings(f"figures by group{asked.ending}")[1]
    for place, one in enumerate(ends):
        word = re.search(r"\w+", one.text)
        other = _OPPOSITE.get(one.word) if one.kind in ("top", "sort") else None
        if other is not None and word is not None:
            text = re.sub(rf"\b{re.escape(one.word)}\b", other, one.text, count=1, flags=re.IGNORECASE)
            kept = "".join(text if n == place else each.text for n, each in enumerate(ends))
            yield Wording(asked.text + kept, "ending", one.kind)
            return
        if one.kind == "sort":
            kept = "".join(
                f", sorted by {one.name} descending" if n == place else each.text
                for n, each in enumerate(ends)
            )
            yield Wording(asked.text + kept, "ending", one.kind)
            return
    ascending = asked.frame.order is not None and asked.frame.order.ascending
    if asked.frame.limit is None:
        timed = bool(asked.frame.by) and bool(asked.frame.by[0].grain) and asked.frame.order is None
        last = "newest" if timed else "largest" if ascending else "smallest"
        yield Wording(f"{asked.text}{asked.ending}, {last} first", "ending", "sort")


def _told_or_listed(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """How many of what was listed, or a list of what was counted; of figures, those that are so besides."""
    counted = _COUNT.sub("", asked.text)
    if meant.way == "list":
        if not asked.frame.measures:
            yield Wording(asked.text + asked.ending, "same", "list"), meant
        elif not asked.frame.by and counted != asked.text:
            yield from (
                (Wording(f"{lead} {counted}", "ending", "list"), meant)
                for lead in ("list", "which", "names of")
            )
        return
    if asked.frame.by:
        return
    ways = (
        [""]
        if not meant.text
        else [f" {meant.text}", f" for {meant.text}", f", {meant.text}", f" with {meant.text}"]
    )
    narrowed = meant if not asked.frame.measures else replace(meant, way="narrow")
    for lead in ("number of", "how many"):
        listed = _LIST.sub("", asked.text)
        for way in ways:
            text = f"{lead} {listed}{way}" if not asked.frame.measures else f"{asked.text}{way}"
            yield Wording(tidy(text), "counted"), narrowed


def _is_figure(items: tuple[Item, ...], source: Source) -> bool:
    """Whether words name a figure first: a business word or a column that is summed up."""
    first = next((item.targets[0] for item in items if item.targets), None)
    if first is None:
        return any(item.op == "count" for item in items)
    field = source.model.field(first.table, first.column) if first.kind == "field" else None
    return (
        first.kind == "concept"
        or items[0].op in ("count", "agg")
        or field is not None
        and field.role is Role.MEASURE
    )


def _the_one_before(text: str, asked: Asked) -> Period | None:
    """The period before the one that was asked for, where that is what was typed."""
    found = _BEFORE.fullmatch(text)
    if found is None:
        return None
    dated = [
        c.period for c in asked.frame.where if c.op == "period" and c.period is not None and not c.negated
    ]
    inner = {
        c.period for m in asked.frame.measures for c in m.where if c.op == "period" and c.period is not None
    }
    periods = dated or list(inner)
    return before(periods[0], found[1]) if len(periods) == 1 else None


def _another_period(period: Period, asked: Asked) -> Iterator[Wording]:
    """Another period in the place of the one that was asked for."""
    for one in asked.stretches:
        if one.kind == "period":
            made = asked.text[: one.start] + telling.period(period) + asked.text[one.end :]
            yield Wording(tidy(made), "replaced", "period", one.text)


def _turned_around(text: str, asked: Asked) -> Iterator[Wording]:
    """A clause in the place of a word that it holds: "without warranty" after "for warranty jobs"."""
    words = {stem(word.lower()) for word in re.findall(r"\w+", text)}
    for one in asked.stretches:
        if (
            one.kind in ("mention", "text")
            and {stem(w.lower()) for w in re.findall(r"\w+", one.text)} <= words
        ):
            yield Wording(
                tidy(f"{asked.text[: one.start]}{asked.text[one.end :]} {text}"), "turned", one.kind, one.text
            )


def _ranked(text: str, asked: Asked) -> Iterator[Wording]:
    """Groups become a ranking: "top 3" after "revenue by region"."""
    for one in asked.stretches:
        if one.kind == "by":
            rest = tidy(asked.text[: one.start] + asked.text[one.end :])
            yield Wording(f"{text} {_GROUP.sub('', one.text)} by {rest}", "behind")


def _ranked_instead(text: str, asked: Asked) -> Iterator[Wording]:
    """Another thing in the place of the one that is ranked: "by month" after "top 3 categories by revenue"."""
    for rank, ranked in zip(asked.stretches, asked.stretches[1:], strict=False):
        if rank.kind == "rank" and ranked.kind in ("mention", "grain"):
            made = asked.text[: ranked.start] + _GROUP.sub("", text) + asked.text[ranked.end :]
            yield Wording(tidy(made), "replaced", ranked.kind, ranked.text)


def _ending(meant: Intent, asked: Asked) -> str | None:
    """The endings of a question with the one that was typed, in the place of one of its kind; None where none was typed."""
    typed = endings(f"figures by group, {meant.text}")[1]
    if not typed:
        return None
    gone = (
        {typed[0].kind, "sort"} if typed[0].kind == "top" else {typed[0].kind}
    )  # the first few have an order
    kept = [one for one in endings(f"figures by group{asked.ending}")[1] if one.kind not in gone]
    said = [one.text.strip(" ,") for one in (*kept, *typed)]
    said = [
        "as a share of the total" if one.kind == "share" and not one.name else text
        for one, text in zip((*kept, *typed), said, strict=True)
    ]
    return "".join(f", {text}" for text in said)


def _timed(text: str, items: tuple[Item, ...], asked: Asked) -> Iterator[Wording]:
    """A month in the year that was asked for, or another year of the same month."""
    if len(items) > 2 or not any(item.kind == "period" for item in items):
        return
    for one in asked.stretches:
        years = _YEAR.findall(one.text)
        if one.kind != "period" or len(years) != 1:
            continue
        if _YEAR.fullmatch(text) and one.text != years[0]:
            made = one.text.replace(years[0], text)
        elif not _YEAR.search(text) and _PART.search(text):
            made = f"{_IN.sub('', text)} {years[0]}"
        else:
            continue
        yield Wording(tidy(asked.text[: one.start] + made + asked.text[one.end :]), "replaced", one.kind)


def _swapped(rest: str, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """ "instead of revenue the number of orders": the old is what the question before has of it."""
    words = rest.split()
    for cut in range(1, len(words)):
        old, new = " ".join(words[:cut]), " ".join(words[cut:])
        new = re.sub(r"^(?:the|show|use)\s+", "", new, flags=re.IGNORECASE)
        yield from ((one, Intent(new, "swap", old)) for one in _in_place_of(old, new, asked))


def _in_place_of(old: str, new: str, asked: Asked) -> Iterator[Wording]:
    """Put words in the place of those that were named."""
    if _is_any_figure(old):
        lead = f"{new} of " if new.lower().split()[:1] != ["number"] else f"{new} of the "
        yield Wording(tidy(f"{lead}{asked.text}"), "before", "mention")
    for one in _meant_by(old, asked):
        text = new if one.kind == "by" else _GROUP.sub("", new)
        made = asked.text[: one.start] + text + asked.text[one.end :]
        yield Wording(tidy(made), "replaced", one.kind, one.text)


def _meant_by(old: str, asked: Asked) -> list[Stretch]:
    """The stretches that words name, longest first; "the count" and "the number" name the figure that was asked for."""
    found = [one for one in asked.stretches if _names(one.text, old)]
    if not found and _is_any_figure(old):
        found = [one for one in asked.stretches if one.kind in ("mention", "agg") and not one.about][:1]
    return sorted(found, key=lambda one: one.start - one.end)


def _is_any_figure(old: str) -> bool:
    """Whether words mean whatever figure was asked for: "the count", "the number"."""
    words = {stem(word.lower()) for word in old.split()}
    return words <= _FIGURES and bool(words - {"the", "a"})


def _names(text: str, words: str) -> bool:
    """Whether a stretch holds the words that were named, or the other way round; small words aside."""
    one = {stem(word.lower()) for word in re.findall(r"\w+", text)} - {"by", "per", "the"}
    other = {stem(word.lower()) for word in re.findall(r"\w+", words)} - {"by", "per", "the"}
    return bool(other) and (other <= one or one <= other) and bool(one)


def _made_of(items: tuple[Item, ...]) -> Typed:
    """What was typed is made of: like takes the place of like."""
    first = items[0] if items else None
    kinds = {item.kind for item in items if item.kind in ("mention", "period", "text")}
    if first is not None and (first.op == "by" or first.kind == "grain"):
        kinds = {"by", "grain"}
    if first is not None and first.op in ("rank", "agg", "share", "more"):
        kinds = {first.op}
    trails = first is not None and first.op in ("not", "except", "rel", "with", "where")
    return Typed(frozenset(kinds), frozenset().union(*map(about_of, items)), trails)
