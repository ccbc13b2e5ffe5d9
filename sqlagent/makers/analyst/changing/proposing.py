"""The ways in which a question may be worded with a change made, likely ones first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from sqlagent.catalog.semantics import Role
from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.beside import period_before
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.figures import (
    averaged,
    each_of,
    figure_of,
    moneyed,
    overall,
    summed,
    tallied,
)
from sqlagent.makers.analyst.changing.instead import (
    ANEW,
    asked_anew,
    in_place_of,
    placed_instead,
    swapped,
)
from sqlagent.makers.analyst.changing.intending import swapped_for
from sqlagent.makers.analyst.changing.intents import ROUND, TOTAL, Intent
from sqlagent.makers.analyst.changing.listing import COUNT, LIST, counted_or_listed
from sqlagent.makers.analyst.changing.nouns import in_full
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
    GROUP,
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
_VERSUS_YEAR = re.compile(r"vs (?:the year )?(?P<year>(?:19|20)\d\d)")
_PART = re.compile(
    r"^(?:(?:in|for|during)\s+)?(?:q[1-4]|h[12]|[a-z]+ (?:half|quarter)|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
_OF_IT = re.compile(r" of (?:the|that|this) year$", re.IGNORECASE)
_IN = re.compile(r"^(?:in|for|during)\s+", re.IGNORECASE)
_ASKS = re.compile(r"^(?:what|how|which|who|whom|where|when|why|did|does|do|is|are|they|it)\b", re.IGNORECASE)
_BEFORE = re.compile(r"the (year|quarter|month|week|period) before")
_WHO = re.compile(r"\w (?:who|that|which|whose)\b", re.IGNORECASE)
_STATED = re.compile(r"\b(?:is|are|was|were) (?=not\b|never\b|still\b|\w+ed\b)", re.IGNORECASE)
_IS_THAT = re.compile(r"\b(?:is|are|was|were) (?:that|it|this|those|these|they)$", re.IGNORECASE)
_WITH = re.compile(r"^with (?:the )?", re.IGNORECASE)
_RANKED_BY = re.compile(r"^(?P<rank>(?:the )?\w+(?: \w+)?) by (?P<name>[\w' -]+)$", re.IGNORECASE)
_FEW = re.compile(r"^(?:the )?(?:top|best|worst|bottom|highest|lowest|largest|smallest) \d+ ", re.IGNORECASE)
_TOP = re.compile(r"(?:the )?(?:top|first) (?P<count>\w+)", re.IGNORECASE)
_TO_AND_FRO = re.compile(
    r"\b(?:to (?:to|from|in|out of)|into (?:from|to)|from (?:to|from|into))\b", re.IGNORECASE
)
_TAIL = re.compile(r"(?P<head>[^:;]{6,}?)(?P<tail>\s*(?:\s[-–—]|:|;)\s+[^:;]+)$")
_STUTTER = re.compile(
    r"\b(by|per|in|for|since|during|from|on) (?:by|per|in|for|since|during|from|on)\b", re.IGNORECASE
)


_OF_FIGURES = {"each": each_of, "summed": summed, "overall": overall, "tallied": tallied}
"""Ways of a change that make another figure of the one that was asked for."""


def proposed(
    typed: str, meant: Intent, asked: Asked, source: Source, today: date
) -> Iterator[tuple[Wording, Intent]]:
    """Give the wordings of a change, each once, with what was meant by it; of a list with its columns named behind a mark, those before the mark first."""
    seen: set[str] = set()
    for head, tail in (*_headed(asked), (asked, "")):
        for wording, way in _each_once(typed, meant, head, source, today):
            text = wording.text
            if tail and wording.way == "ending" and text.startswith(head.text):
                text = head.text + tail + text[len(head.text) :]
            elif tail and wording.way not in ("counted", "anew") and wording.kind != "columns":
                place = (
                    len(text) - len(head.ending) if head.ending and text.endswith(head.ending) else len(text)
                )
                text = text[:place] + tail + text[place:]
            if text.lower() not in seen:
                seen.add(text.lower())
                yield replace(wording, text=text), way


def _headed(asked: Asked) -> Iterator[tuple[Asked, str]]:
    """A list without the columns that are named behind a mark, and those: "orders not paid" and ": number, client"."""
    found = _TAIL.match(asked.text)
    if found is not None and not asked.frame.measures:
        head = found["head"]
        within = [one for one in asked.stretches if one.end <= len(head)]
        yield replace(asked, text=head, stretches=within), found["tail"]


def _each_once(
    typed: str, meant: Intent, asked: Asked, source: Source, today: date
) -> Iterator[tuple[Wording, Intent]]:
    seen = set() if meant.way in ("list", "each") else {(asked.text + asked.ending).lower()}
    for wording, way in _all(typed, meant, asked, source, today):
        if wording.way == "replaced":  # "in" 2025 gives way to "in 2024"
            wording = replace(wording, text=_STUTTER.sub(lambda two: two[0].split()[1], wording.text))
        ending = asked.ending
        if wording.way == "counted":  # a count has no column beside it
            ending = "".join(one.text for one in asked.endings if one.kind != "along")
        whole = wording if wording.way in ("ending", "anew") else replace(wording, text=wording.text + ending)
        stutters = _STUTTER.search(whole.text) and not _STUTTER.search(meant.text)
        stutters = stutters or bool(_TO_AND_FRO.search(whole.text))
        if whole.text.lower() not in seen and not stutters:
            seen.add(whole.text.lower())
            yield whole, way


def _all(
    typed: str, meant: Intent, asked: Asked, source: Source, today: date
) -> Iterator[tuple[Wording, Intent]]:
    if rest := swapped_for(typed):
        yield from swapped(rest, asked)
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
    if meant.way == "moneyed":
        yield from moneyed(meant, asked, source)
        return
    if meant.way == "tallied" and not asked.frame.measures:
        rows = LIST.sub("", asked.text)
        yield from (
            (
                Wording(tidy(f"{lead} {rows} {meant.text}"), "counted"),
                replace(meant, way="count", figure=False),
            )
            for lead in ("number of", "how many")
        )
        return
    if meant.way in _OF_FIGURES:
        yield from _OF_FIGURES[meant.way](meant, asked)
        return
    if meant.way == "averaged":
        yield from averaged(meant, asked, source)
        return
    if meant.way in ("count", "list"):
        yield from counted_or_listed(meant, asked)
        return
    if meant.text == ROUND:
        yield from ((one, meant) for one in turned(asked))
        return
    if (period := _the_one_before(meant.text, asked)) is not None:
        yield from ((one, meant) for one in _another_period(period, asked))
        return
    if _is_year_before(meant.text, asked):
        yield (
            Wording(f"{asked.text}{asked.ending}, compared with the year before", "ending", "earlier"),
            meant,
        )
    if meant.figure and _groups_counted(meant.text, asked):
        yield Wording(f"{asked.text}{asked.ending}, how many groups", "ending", "groups"), meant
        return
    if meant.figure and asked.frame.limit is not None and _IS_THAT.search(typed.strip(" ?.!")):
        name = COUNT.sub("number of ", meant.text)
        yield Wording(f"{asked.text}{asked.ending}, with {name} alongside", "ending", "along"), meant
    if meant.old:
        yield from ((one, meant) for one in in_place_of(meant.old, meant.text, asked))
        return
    if (fewer := _fewer(meant.text, asked)) is not None:
        yield fewer, meant
    if (ending := _ending(meant, asked)) is not None:
        yield Wording(asked.text + ending, "ending"), meant
        if meant.way in ("sort", "compare"):
            return
    items = read(prepared(meant.text, source.vocabulary), source.vocabulary, today).items
    if meant.back and not _is_figure(items, source) and all(item.kind == "mention" for item in items):
        meant = replace(meant, text=f"by {meant.text}")
        items = read(prepared(meant.text, source.vocabulary), source.vocabulary, today).items
    made_of = _made_of(items)
    yield from placed_instead(meant, asked)
    if found := ANEW.match(" ".join(typed.split()).strip(" ?.!,")):
        yield from asked_anew(found["figure"], meant, asked)
    named_first = bool(items) and (bool(items[0].targets) or items[0].op in ("count", "agg"))
    if (
        named_first
        and made_of.kinds == {"mention"}
        and not _WHO.search(meant.text)
        and meant.way in ("", "swap", "add")
        and (_is_figure(items, source) or meant.way == "add" and items[0].targets[0].kind == "thing")
    ):
        meant = replace(meant, figure=True)
    if meant.way in ("narrow", "swap") and made_of.kinds == {"period"}:
        yield from one_of_two(meant.text, asked)
    yield from ((one, meant) for one in _timed(meant.text, items, asked))
    in_place = [*wordings(asked.text, asked.stretches, meant.text, made_of)]
    if meant.way == "swap":
        yield from ((one, meant) for one in in_place if one.way == "replaced")
        if meant.figure and (rows := COUNT.sub("", asked.text)) != asked.text:
            yield Wording(tidy(f"{meant.text} of {_STATED.sub('', rows)}"), "before", "mention"), meant
    if meant.way == "add":
        yield from ((one, meant) for one in in_place if one.way == "beside")
        if made_of.kinds & {"mention", "agg"} and not made_of.trails and not _ASKS.match(meant.text):
            along = f", with {meant.text} alongside"
            yield Wording(asked.text + asked.ending + along, "ending", "along"), meant
    is_beside = items[1:] and (items[0].op == "with" or _WITH.match(meant.text))
    if is_beside and _is_figure(items[1:], source):
        name = _WITH.sub("", meant.text)
        yield Wording(f"{asked.text}{asked.ending}, with {name} alongside", "ending", "along"), meant
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
    if meant.way != "swap":
        yield from ((one, meant) for one in in_full(meant.text, asked))


def _fewer(text: str, asked: Asked) -> Wording | None:
    """Another number of rows in the place of the one that the question has: "top 3" after "which 10 members have the most"."""
    found = _TOP.fullmatch(text)
    limit = str(asked.frame.limit)
    places = [one for one in re.finditer(r"\b\d+\b", asked.text) if one[0] == limit]
    if found is None or asked.frame.limit is None or len(places) != 1:
        return None
    count = NUMBER_WORDS.get(found["count"].lower(), found["count"])
    made = f"{asked.text[: places[0].start()]}{count}{asked.text[places[0].end() :]}"
    return Wording(tidy(made), "replaced", "rank", limit) if str(count).isdigit() else None


def _first_of(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """ "Which city has the most": the first of the groups that are shown, or of these in the place of those."""
    kept = "".join(one.text for one in asked.endings if one.kind not in ("top", "sort"))
    for one in asked.stretches:
        if one.kind == "by":
            if not is_named_by(GROUP.sub("", one.text), meant.old):
                text = tidy(f"{asked.text[: one.start]}by {meant.old}{asked.text[one.end :]}")
                yield Wording(f"{text}{kept}, {meant.text}", "ending", "top"), meant
            else:
                yield Wording(f"{asked.text}{kept}, {meant.text}", "ending", "top"), meant
            return
    counted = asked.text if asked.frame.measures else f"number of {LIST.sub('', asked.text)}"
    yield Wording(tidy(f"{counted} by {meant.old}") + f"{kept}, {meant.text}", "ending", "top"), meant


def _groups_counted(text: str, asked: Asked) -> bool:
    """Whether words count the groups that are shown: "how many clients is that" of figures per client."""
    noun = COUNT.sub("", text)
    if any(one.kind == "rank" for one in asked.stretches):
        return False
    groups = [one for one in asked.stretches if one.kind == "by"]
    counted = any(
        is_named_by(one.text, noun)
        for one in asked.stretches
        if one.kind == "mention" and not any(g.start <= one.start < g.end for g in groups)
    )
    return (
        noun != text and len(groups) == 1 and is_named_by(GROUP.sub("", groups[0].text), noun) and not counted
    )


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


def _is_year_before(text: str, asked: Asked) -> bool:
    """Whether figures by month or quarter of one year are to be compared with the year before it: each month with the same one."""
    found = _VERSUS_YEAR.fullmatch(text)
    years = [_YEAR.findall(one.text) for one in asked.stretches if one.kind == "period"]
    grains = {one.grain for one in asked.frame.by}
    return (
        found is not None
        and len(years) == 1
        and years[0] == [str(int(found["year"]) + 1)]
        and bool(grains & {"month", "quarter"})
        and not any(one.kind == "earlier" for one in asked.endings)
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
            group = GROUP.sub("", one.text)
            by = _RANKED_BY.match(text)
            if by:
                yield from _ranked_by(by["rank"], group, by["name"], rest, asked)
                return
            ranked = text if stems_in(group) <= stems_in(text) else f"{text} {group}"
            yield Wording(f"{ranked} by {rest}", "behind")
            if ranked == text and (few := _FEW.match(text)) and is_named_by(text[few.end() :], group):
                kept = "".join(each.text for each in asked.endings if each.kind not in ("top", "sort"))
                yield Wording(f"{asked.text}{kept}, {few[0].strip()}", "ending", "top")


def _ranked_by(rank: str, group: str, name: str, rest: str, asked: Asked) -> Iterator[Wording]:
    """A ranking by a figure that is named, with the one that was asked for beside it."""
    figure = figure_of(asked)
    at = rest.lower().find(figure.text.lower()) if figure is not None else -1
    if figure is None or at < 0:
        return
    made = tidy(f"{rank} {group} by {name} {rest[:at]}{rest[at + len(figure.text) :]}")
    others = [one.text for one in asked.endings if one.kind == "along" and not is_named_by(one.name, name)]
    kept = "".join(one.text for one in asked.endings if one.kind not in ("along", "top", "sort"))
    yield Wording(f"{made}{kept}, with {figure.text} alongside{''.join(others)}", "ending", "top")


def _ranked_instead(text: str, asked: Asked) -> Iterator[Wording]:
    """Another thing in the place of the one that is ranked: "by month" after "top 3 categories by revenue"."""
    for rank, ranked in zip(asked.stretches, asked.stretches[1:], strict=False):
        if rank.kind == "rank" and ranked.kind in ("mention", "grain"):
            made = asked.text[: ranked.start] + GROUP.sub("", text) + asked.text[ranked.end :]
            yield Wording(tidy(made), "replaced", ranked.kind, ranked.text)


def _ending(meant: Intent, asked: Asked) -> str | None:
    """The endings of a question with the one that was typed, in the place of one of its kind; None where none was typed."""
    rest, typed = endings(f"figures by group, {meant.text}")
    if not typed or rest.strip(" ,") != "figures by group":
        return None  # "without returns, dearest first" is more than an ending
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
            made = f"{_OF_IT.sub('', _IN.sub('', text))} {years[0]}"
        else:
            continue
        yield Wording(tidy(asked.text[: one.start] + made + asked.text[one.end :]), "replaced", one.kind)


def _made_of(items: tuple[Item, ...]) -> Typed:
    """The parts of a typed change: like takes the place of like."""
    first = items[0] if items else None
    kinds = {item.kind for item in items if item.kind in ("mention", "period", "text")}
    if first is not None and (first.op == "by" or first.kind == "grain"):
        kinds = {"by", "grain"}
    if first is not None and first.op in ("rank", "agg", "share", "more", "weekday"):
        of_figure = first.op == "agg" and len(items) > 1 and items[1].kind == "mention"
        kinds = {"mention"} if of_figure else {first.op}
    trails = first is not None and first.op in ("not", "except", "rel", "with", "where")
    return Typed(frozenset(kinds), frozenset().union(*map(about_of, items)), trails)
