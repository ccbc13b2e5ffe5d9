"""The ways in which a question may be worded with a change made, likely ones first."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from sqlagent.language.words import stem
from sqlagent.makers.analyst.changing.intents import Intent, swapped_for
from sqlagent.makers.analyst.changing.parts import Part
from sqlagent.makers.analyst.changing.wordings import (
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
    if meant.old:
        yield from ((one, meant) for one in _in_place_of(meant.old, meant.text, asked))
        return
    if (ending := _ending(meant, asked)) is not None:
        yield Wording(asked.text + ending, "ending"), meant
        if meant.way == "sort":
            return
    items = read(prepared(meant.text, source.vocabulary), source.vocabulary, today).items
    made_of = _made_of(items)
    yield from ((one, meant) for one in _timed(meant.text, items, asked))
    in_place = [*wordings(asked.text, asked.stretches, meant.text, made_of)]
    if meant.way == "swap":
        yield from ((one, meant) for one in in_place if one.way == "replaced")
    if meant.way == "add":
        yield from ((one, meant) for one in in_place if one.way == "beside")
    if "by" in made_of.kinds:
        yield from ((one, meant) for one in _ranked_instead(meant.text, asked))
    if "rank" in made_of.kinds:
        yield from ((one, meant) for one in _ranked(meant.text, asked))
    if "mention" in made_of.kinds and meant.way != "add" and not made_of.trails:
        yield Wording(tidy(f"{asked.text} for {meant.text}"), "behind"), meant
    yield from ((one, meant) for one in in_place)


def _gone(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """What is to go may be an ending, a stretch that was named, or, where nothing of it is there, rows to be left out."""
    if asked.ending:
        yield Wording(asked.text, "ending"), meant
    words = {stem(word.lower()) for word in re.findall(r"\w+", meant.text)}
    named = [one for one in asked.stretches if _names(one.text, meant.text) or words & one.about]
    if words & _COMPARISON:
        named = [one for one in asked.stretches if one.kind == "vs"]
    if meant.is_time:
        named = [one for one in asked.stretches if one.kind == "period"] + named
    for one in named:
        yield Wording(without(asked.text, one), "gone", one.kind), meant
    if not named:
        rest = Intent(f"without {meant.text}", "add")
        yield Wording(tidy(f"{asked.text} {rest.text}"), "behind"), rest


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
    kept = [one for one in endings(f"figures by group{asked.ending}")[1] if one.kind != typed[0].kind]
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
    return {stem(word.lower()) for word in old.split()} <= _FIGURES


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
