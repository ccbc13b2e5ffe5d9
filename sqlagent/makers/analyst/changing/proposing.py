"""The ways in which a question may be worded with a change made, likely ones first."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable, Iterator
from dataclasses import replace
from datetime import date

from sqlagent.language.lexicon import NUMBER_WORDS
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.beside import period_before
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.figures import (
    averaged,
    each_of,
    moneyed,
    overall,
    summed,
    tallied,
)
from sqlagent.makers.analyst.changing.instead import (
    in_place_of,
    swapped,
)
from sqlagent.makers.analyst.changing.intending import swapped_for
from sqlagent.makers.analyst.changing.intents import ROUND, TOTAL, Intent
from sqlagent.makers.analyst.changing.listing import COUNT, LIST, counted_or_listed
from sqlagent.makers.analyst.changing.read_changes import ReadChange, by_words
from sqlagent.makers.analyst.changing.removing import (
    gone,
    in_total,
    is_named_by,
    moved,
    one_of_figures,
    turned,
)
from sqlagent.makers.analyst.changing.wordings import (
    GROUP,
    Wording,
    tidy,
)
from sqlagent.makers.analyst.endings import endings
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.source import Source

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_VERSUS_YEAR = re.compile(r"vs (?:the year )?(?P<year>(?:19|20)\d\d)")
_BEFORE = re.compile(r"the (year|quarter|month|week|period) before")
_IS_THAT = re.compile(r"\b(?:is|are|was|were) (?:that|it|this|those|these|they)$", re.IGNORECASE)
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
    """Give the wordings, likely ones first: of what is meant in one way alone, as an ending, and by the words that were typed."""
    if rest := swapped_for(typed):
        yield from swapped(rest, asked)
        return
    if meant.way in ("gone", "narrow"):
        yield from one_of_figures(meant, asked)
    alone = _of_one_way(meant, asked, source)
    if alone is not None:
        yield from alone
        return
    if (yield from _as_ending(typed, meant, asked)):
        return
    yield from by_words(typed, ReadChange.of(meant, asked, source, today))


def _of_one_way(meant: Intent, asked: Asked, source: Source) -> Iterator[tuple[Wording, Intent]] | None:
    """The wordings of a change that can be meant in one way alone; None where its words are to be read."""
    if meant.way == "gone":
        return gone(meant, asked)
    if meant.way == "extreme":
        return _first_of(meant, asked)
    if meant.way == "moved":
        return _meaning(meant, moved(meant.text, asked))
    if meant.way == "beside":
        return _meaning(meant, [asked.beside(meant.text)])
    if meant.text == TOTAL:
        return in_total(asked)
    if meant.way == "moneyed":
        return moneyed(meant, asked, source)
    if meant.way == "tallied" and not asked.frame.measures:
        return _listed_tallied(meant, asked)
    if meant.way in _OF_FIGURES:
        return _OF_FIGURES[meant.way](meant, asked)
    if meant.way == "averaged":
        return averaged(meant, asked, source)
    if meant.way in ("count", "list"):
        return counted_or_listed(meant, asked)
    if meant.text == ROUND:
        return _meaning(meant, turned(asked))
    period = _the_one_before(meant.text, asked)
    return _meaning(meant, _another_period(period, asked)) if period is not None else None


def _as_ending(typed: str, meant: Intent, asked: Asked) -> Generator[tuple[Wording, Intent], None, bool]:
    """Give the wordings that need no reading: endings, another number of rows, and what stands for what was said to go.

    Returns whether nothing else can be meant.
    """
    if _is_year_before(meant.text, asked):
        compared = f"{asked.text}{asked.ending}, compared with the year before"
        yield Wording(compared, "ending", "earlier"), meant
    if meant.figure and _groups_counted(meant.text, asked):
        yield Wording(f"{asked.text}{asked.ending}, how many groups", "ending", "groups"), meant
        return True
    if meant.figure and asked.frame.limit is not None and _IS_THAT.search(typed.strip(" ?.!")):
        yield asked.beside(COUNT.sub("number of ", meant.text)), meant
    if meant.old:
        yield from _meaning(meant, in_place_of(meant.old, meant.text, asked))
        return True
    if (fewer := _fewer(meant.text, asked)) is not None:
        yield fewer, meant
    ending = _ending(meant, asked)
    if ending is not None:
        yield Wording(asked.text + ending, "ending"), meant
    return ending is not None and meant.way in ("sort", "compare")


def _meaning(meant: Intent, worded: Iterable[Wording]) -> Iterator[tuple[Wording, Intent]]:
    """Wordings that all mean the same."""
    return ((one, meant) for one in worded)


def _listed_tallied(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """The number of rows of a list that are so: "how many of them paid" after "orders in May"."""
    rows = LIST.sub("", asked.text)
    for lead in ("number of", "how many"):
        counted = Wording(tidy(f"{lead} {rows} {meant.text}"), "counted")
        yield counted, replace(meant, way="count", figure=False)


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
