"""The ways in which a question may be worded with a change made, likely ones first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.beside import period_before
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.intents import ROUND, TOTAL, Intent, swapped_for
from sqlagent.makers.analyst.changing.removing import (
    gone,
    in_total,
    is_named_by,
    moved,
    one_of_figures,
    one_of_two,
    turned,
)
from sqlagent.makers.analyst.changing.wordings import (
    DENIED,
    Stretch,
    Typed,
    Wording,
    about_of,
    stems_in,
    tidy,
    wordings,
)
from sqlagent.makers.analyst.endings import endings
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.phrasing import prepared
from sqlagent.makers.analyst.reading import Item, read
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
_COUNT = re.compile(
    r"^(?:(?:the )?(?:number|count) of|how many|count)\s+(?:of\s+)?(?:the\s+)?", re.IGNORECASE
)
_LIST = re.compile(r"^(?:which|list|show|the|all|names of)\s+(?:all\s+)?(?:the\s+)?", re.IGNORECASE)
_ASKS = re.compile(r"^(?:what|how|which|who|whom|where|when|why|did|does|do|is|are|they|it)\b", re.IGNORECASE)
_BEFORE = re.compile(r"the (year|quarter|month|week|period) before")
_STUTTER = re.compile(
    r"\b(by|per|in|for|since|during|from|on) (?:by|per|in|for|since|during|from|on)\b", re.IGNORECASE
)


def proposed(
    typed: str, meant: Intent, asked: Asked, source: Source, today: date
) -> Iterator[tuple[Wording, Intent]]:
    """Give the wordings of a change, each once, with what was meant by it."""
    seen = {(asked.text + asked.ending).lower()}
    for wording, way in _all(typed, meant, asked, source, today):
        if wording.way == "replaced":  # "in" 2025 gives way to "in 2024"
            wording = replace(wording, text=_STUTTER.sub(lambda two: two[0].split()[1], wording.text))
        ending = asked.ending
        if wording.way == "counted":  # a count has no column beside it
            ending = "".join(one.text for one in asked.endings if one.kind != "along")
        whole = wording if wording.way == "ending" else replace(wording, text=wording.text + ending)
        if whole.text.lower() not in seen and not _STUTTER.search(whole.text):
            seen.add(whole.text.lower())
            yield whole, way


def _all(
    typed: str, meant: Intent, asked: Asked, source: Source, today: date
) -> Iterator[tuple[Wording, Intent]]:
    if rest := swapped_for(typed):
        yield from _swapped(rest, asked)
        return
    if meant.way in ("gone", "narrow"):
        yield from one_of_figures(meant, asked)
    if meant.way == "gone":
        yield from gone(meant, asked)
        return
    if meant.way == "extreme":
        yield from _first_of(meant, asked)
        return
    if meant.way == "moved":
        yield from ((one, meant) for one in moved(meant.text, asked))
        return
    if meant.way == "beside":
        yield Wording(f"{asked.text}{asked.ending}, with {meant.text} alongside", "ending", "along"), meant
        return
    if meant.text == TOTAL:
        yield from in_total(asked)
        return
    if meant.way in ("count", "list"):
        yield from _counted_or_listed(meant, asked)
        return
    if meant.text == ROUND:
        yield from ((one, meant) for one in turned(asked))
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
        yield from one_of_two(meant.text, asked)
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
    if "mention" in made_of.kinds and meant.way not in ("add", "compare") and not made_of.trails:
        if denied := DENIED.search(asked.text):
            at = denied.start()
            yield Wording(tidy(f"{asked.text[:at]} for {meant.text}{asked.text[at:]}"), "behind"), meant
        yield Wording(tidy(f"{asked.text} for {meant.text}"), "behind"), meant
    beside_values = meant.way != "narrow" or not made_of.about
    yield from (
        (one, meant)
        for one in in_place
        if beside_values or one.way != "beside" or one.kind != "mention" or " or " in one.text
    )


def _first_of(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """ "Which city has the most": the first of the groups that are shown, or of these in the place of those."""
    kept = "".join(one.text for one in asked.endings if one.kind not in ("top", "sort"))
    for one in asked.stretches:
        if one.kind == "by":
            if not is_named_by(_GROUP.sub("", one.text), meant.old):
                text = tidy(f"{asked.text[: one.start]}by {meant.old}{asked.text[one.end :]}")
                yield Wording(f"{text}{kept}, {meant.text}", "ending", "top"), meant
            else:
                yield Wording(f"{asked.text}{kept}, {meant.text}", "ending", "top"), meant
            return
    counted = asked.text if asked.frame.measures else f"number of {_LIST.sub('', asked.text)}"
    yield Wording(tidy(f"{counted} by {meant.old}") + f"{kept}, {meant.text}", "ending", "top"), meant


def _counted_or_listed(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
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
        if not meant.text:
            yield Wording(f"{asked.text}{asked.ending}, how many groups", "ending", "groups"), meant
        return
    ways = (
        [""]
        if not meant.text
        else [f" {meant.text}", f" for {meant.text}", f", {meant.text}", f" with {meant.text}"]
    )
    if asked.frame.measures:
        bases, meant = [asked.text], replace(meant, way="narrow")
    else:
        bases = [f"{lead} {_LIST.sub('', asked.text)}" for lead in ("number of", "how many")]
    for text in (f"{base}{way}" for base in bases for way in ways):
        yield Wording(tidy(text), "counted"), meant


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
    return period_before(periods[0], found[1]) if len(periods) == 1 else None


def _another_period(period: Period, asked: Asked) -> Iterator[Wording]:
    """Another period in the place of the one that was asked for."""
    for one in asked.stretches:
        if one.kind == "period":
            made = asked.text[: one.start] + telling.period(period) + asked.text[one.end :]
            yield Wording(tidy(made), "replaced", "period", one.text)


def _turned_around(text: str, asked: Asked) -> Iterator[Wording]:
    """A clause in the place of a word that it holds: "without warranty" after "for warranty jobs"."""
    words = stems_in(text)
    for one in asked.stretches:
        if one.kind in ("mention", "text") and stems_in(one.text) <= words:
            yield Wording(
                tidy(f"{asked.text[: one.start]}{asked.text[one.end :]} {text}"), "turned", one.kind, one.text
            )


def _ranked(text: str, asked: Asked) -> Iterator[Wording]:
    """Groups become a ranking: "top 3" after "revenue by region"."""
    for one in asked.stretches:
        if one.kind == "by":
            rest = tidy(asked.text[: one.start] + asked.text[one.end :])
            group = _GROUP.sub("", one.text)
            ranked = text if stems_in(group) <= stems_in(text) else f"{text} {group}"
            yield Wording(f"{ranked} by {rest}", "behind")


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
    # the first few have an order of their own
    replaced = {"top", "sort"} if typed[0].kind == "top" else {typed[0].kind}
    kept = [one for one in asked.endings if one.kind not in replaced]
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
    found = [one for one in asked.stretches if is_named_by(one.text, old)]
    if not found and _is_any_figure(old):
        found = [one for one in asked.stretches if one.kind in ("mention", "agg") and not one.about][:1]
    return sorted(found, key=lambda one: one.start - one.end)


def _is_any_figure(old: str) -> bool:
    """Whether words mean whatever figure was asked for: "the count", "the number"."""
    words = {stem(word.lower()) for word in old.split()}
    return words <= _FIGURES and bool(words - {"the", "a"})


def _made_of(items: tuple[Item, ...]) -> Typed:
    """What was typed is made of: like takes the place of like."""
    first = items[0] if items else None
    kinds = {item.kind for item in items if item.kind in ("mention", "period", "text")}
    if first is not None and (first.op == "by" or first.kind == "grain"):
        kinds = {"by", "grain"}
    if first is not None and first.op in ("rank", "agg", "share", "more", "weekday"):
        of_figure = first.op == "agg" and len(items) > 1 and items[1].kind == "mention"
        kinds = {"mention"} if of_figure else {first.op}
    trails = first is not None and first.op in ("not", "except", "rel", "with", "where")
    return Typed(frozenset(kinds), frozenset().union(*map(about_of, items)), trails)
