"""Wordings of a change by its words: like takes the place of like, or stands beside it, or behind the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.figures import figure_of
from sqlagent.makers.analyst.changing.instead import ANEW, asked_anew, placed_instead
from sqlagent.makers.analyst.changing.intents import Intent
from sqlagent.makers.analyst.changing.listing import COUNT
from sqlagent.makers.analyst.changing.nouns import in_full
from sqlagent.makers.analyst.changing.removing import is_named_by, one_of_two
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
from sqlagent.makers.analyst.phrasing import prepared
from sqlagent.makers.analyst.reading import Item, read
from sqlagent.makers.analyst.source import Source

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_PART = re.compile(
    r"^(?:(?:in|for|during)\s+)?(?:q[1-4]|h[12]|[a-z]+ (?:half|quarter)|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)",
    re.IGNORECASE,
)
_OF_IT = re.compile(r" of (?:the|that|this) year$", re.IGNORECASE)
_IN = re.compile(r"^(?:in|for|during)\s+", re.IGNORECASE)
_ASKS = re.compile(r"^(?:what|how|which|who|whom|where|when|why|did|does|do|is|are|they|it)\b", re.IGNORECASE)
_WHO = re.compile(r"\w (?:who|that|which|whose)\b", re.IGNORECASE)
_STATED = re.compile(r"\b(?:is|are|was|were) (?=not\b|never\b|still\b|\w+ed\b)", re.IGNORECASE)
_WITH = re.compile(r"^with (?:the )?", re.IGNORECASE)
_RANKED_BY = re.compile(r"^(?P<rank>(?:the )?\w+(?: \w+)?) by (?P<name>[\w' -]+)$", re.IGNORECASE)
_FEW = re.compile(r"^(?:the )?(?:top|best|worst|bottom|highest|lowest|largest|smallest) \d+ ", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ReadChange:
    """A change whose words were read: what is meant by it, the items that it has, and the parts that these are."""

    meant: Intent
    items: tuple[Item, ...]
    made_of: Typed
    asked: Asked
    source: Source

    @classmethod
    def of(cls, meant: Intent, asked: Asked, source: Source, today: date) -> ReadChange:
        """Read the words of a change; things that were there before, and are there again, are groups."""
        items = read(prepared(meant.text, source.vocabulary), source.vocabulary, today).items
        if meant.back and not _is_figure(items, source) and all(item.kind == "mention" for item in items):
            meant = replace(meant, text=f"by {meant.text}")
            items = read(prepared(meant.text, source.vocabulary), source.vocabulary, today).items
        return cls(meant, items, _made_of(items), asked, source)

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of parts that it can take the place of."""
        return self.made_of.kinds

    def with_figure(self) -> ReadChange:
        """The change as one that asks for a figure, where its words name one alone, or a thing to be added."""
        meant = self.meant
        if meant.way not in ("", "swap", "add") or self.kinds != {"mention"} or _WHO.search(meant.text):
            return self
        first = next(iter(self.items), None)
        if first is None or not (first.targets or first.op in ("count", "agg")):
            return self
        is_thing = meant.way == "add" and bool(first.targets) and first.targets[0].kind == "thing"
        if not (is_thing or _is_figure(self.items, self.source)):
            return self
        return replace(self, meant=replace(meant, figure=True))


def by_words(typed: str, change: ReadChange) -> Iterator[tuple[Wording, Intent]]:
    """Give the wordings of a change by its words, likely ones first."""
    asked = change.asked
    yield from placed_instead(change.meant, asked)
    if found := ANEW.match(" ".join(typed.split()).strip(" ?.!,")):
        yield from asked_anew(found["figure"], change.meant, asked)
    change = change.with_figure()
    meant = change.meant
    if meant.way in ("narrow", "swap") and change.kinds == {"period"}:
        yield from one_of_two(meant.text, asked)
    in_place = wordings(asked.text, asked.stretches, meant.text, change.made_of)
    yield from ((one, meant) for one in _one_by_one(change, list(in_place)))


def _one_by_one(change: ReadChange, in_place: list[Wording]) -> Iterator[Wording]:
    """The wordings of a change that is meant as it was read; `in_place` are those where like takes the place of like."""
    meant, asked = change.meant, change.asked
    yield from _timed(meant.text, change.items, asked)
    if meant.way == "swap":
        yield from _swapping(change, in_place)
    if meant.way == "add":
        yield from _adding(change, in_place)
    yield from _with_a_figure(change)
    if change.made_of.trails and meant.way != "add":
        yield from _turned_around(meant.text, asked)
    if "by" in change.kinds:
        yield from _ranked_instead(meant.text, asked)
    if "rank" in change.kinds:
        yield from _ranked(meant.text, asked)
    if "mention" in change.kinds and meant.way not in ("add", "compare") and not change.made_of.trails:
        yield from _restricted(meant.text, asked)
    yield from _placed(change, in_place)
    if meant.way != "swap":
        yield from in_full(meant.text, asked)


def _swapping(change: ReadChange, in_place: Iterable[Wording]) -> Iterator[Wording]:
    """Like in the place of like alone; a figure in the place of a count: "revenue instead" after "how many orders"."""
    meant, asked = change.meant, change.asked
    yield from (one for one in in_place if one.way == "replaced")
    if meant.figure and (rows := COUNT.sub("", asked.text)) != asked.text:
        yield Wording(tidy(f"{meant.text} of {_STATED.sub('', rows)}"), "before", "mention")


def _adding(change: ReadChange, in_place: Iterable[Wording]) -> Iterator[Wording]:
    """Like beside like, and a figure beside those that are shown."""
    meant = change.meant
    yield from (one for one in in_place if one.way == "beside")
    is_named = bool(change.kinds & {"mention", "agg"}) and not change.made_of.trails
    if is_named and not _ASKS.match(meant.text):
        yield change.asked.beside(meant.text)


def _with_a_figure(change: ReadChange) -> Iterator[Wording]:
    """ "With the margin": a figure beside those that are shown."""
    items, text = change.items, change.meant.text
    is_beside = items[1:] and (items[0].op == "with" or _WITH.match(text))
    if is_beside and _is_figure(items[1:], change.source):
        yield change.asked.beside(_WITH.sub("", text))


def _restricted(text: str, asked: Asked) -> Iterator[Wording]:
    """The question for a value or a thing; before what it denies, so that this is not denied too."""
    if denied := DENIED.search(asked.text):
        at = denied.start()
        yield Wording(tidy(f"{asked.text[:at]} for {text}{asked.text[at:]}"), "behind")
    yield Wording(tidy(f"{asked.text} for {text}"), "behind")


def _placed(change: ReadChange, in_place: Iterable[Wording]) -> Iterator[Wording]:
    """Like in the place of like, or beside it; a value that narrows stands beside none, but as one of two."""
    beside_values = change.meant.way != "narrow" or not change.made_of.about
    for one in in_place:
        if beside_values or one.way != "beside" or one.kind != "mention" or " or " in one.text:
            yield one


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
