"""The wordings of a question with its figure made another one: on average for each, summed up, of all groups, counted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import plural_of, split_name, stem
from sqlagent.makers.analyst.changing.asked import Asked
from sqlagent.makers.analyst.changing.intents import Intent
from sqlagent.makers.analyst.changing.removing import in_total, is_named_by
from sqlagent.makers.analyst.changing.wordings import Stretch, Wording, tidy, without
from sqlagent.makers.analyst.concepts import sold_in
from sqlagent.makers.analyst.source import Source

ANY_FIGURE = frozenset(
    map(stem, ["the", "a", "count", "number", "total", "amount", "figure", "measure", "sum", "value"])
)
"""Words for whatever figure was asked for."""
_KINDS = frozenset(
    map(
        stem,
        ["money", "euro", "euros", "dollars", "cash", "price", "revenue", "quantity", "volume", "units", "pieces", "items", "rows"],
    )
)  # fmt: skip
"""Words for a figure of some kind, whatever it is called."""
_EVENTS = re.compile(
    r"^(?:(?:the )?(?:number|count) of |how many )(?:events?|cases?|times|entries|records?|rows?|occurrences?|instances?|lines?)$",
    re.IGNORECASE,
)
_LIST = re.compile(
    r"^(?:which|list|show|the|all|names of|give me|what)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?", re.IGNORECASE
)
_COUNT = re.compile(r"^(?:(?:the )?(?:number|count) of|how many) (?:the )?", re.IGNORECASE)
_THERE = re.compile(
    r" (?:(?:are|is|were|was) there|do we have|did we have|have we(?: got)?|exist)\b(?: (?:in total|altogether|now|right now|at the moment))?",
    re.IGNORECASE,
)
_ARE = re.compile(
    r"^(?P<noun>(?:(?!(?:that|who|which|by|per|in|of|for|from|with|without)\b)[\w-]+ ){1,3}?)(?P<are>are|is|were|was|have|has|had) (?!there\b|we\b)",
    re.IGNORECASE,
)
_AGGREGATE = re.compile(r"^(?:the )?(?:total|sum of|average|mean|avg)\s+(?:the )?", re.IGNORECASE)
_LEADS = re.compile(
    r"\b(?:(?:number|count|sum) of|how many|how much|total|the total) (?:the )?", re.IGNORECASE
)
_SUMMED = re.compile(r"^(?:the )?(?:total |sum of )?(?:amount|total|sum|value) of (?:the )?", re.IGNORECASE)
_SUMS = ("total of", "amount of", "revenue of")


def is_any_figure(words: str) -> bool:
    """Whether words mean whatever figure was asked for.

    Example:
        >>> is_any_figure("the count"), is_any_figure("the"), is_any_figure("refunds")
        (True, False, False)
    """
    stems = {stem(word.lower()) for word in words.split()}
    return stems <= ANY_FIGURE and bool(stems - {"the", "a"})


def figure_named(old: str, asked: Asked) -> list[Stretch]:
    """The figure that was asked for, where words name a part of it or its kind: "hours" of "downtime hours", "money"."""
    figure = figure_of(asked)
    if figure is None:
        return []
    if at := re.search(rf"(?<!\w){re.escape(old)}(?!\w)", asked.text, re.IGNORECASE):
        start, end = min(figure.start, at.start()), max(figure.end, at.end())
        between = [one for one in asked.stretches if one != figure and start <= one.start < end]
        if all(figure.start <= one.start < figure.end for one in between):
            return [Stretch("mention", start, end, asked.text[start:end])]
    stems = {stem(word.lower()) for word in old.split()}
    return [figure] if stems <= ANY_FIGURE | _KINDS and stems - {"the", "a"} else []


def figure_of(asked: Asked) -> Stretch | None:
    """The words of the figure: the first that names no stored value, of a ranking what it is ranked by."""
    if not asked.frame.measures:
        return None
    begun = 0
    if any(one.kind == "rank" for one in asked.stretches):
        begun = next((one.start for one in asked.stretches if one.kind == "by"), 0)
    found = [
        one
        for one in asked.stretches
        if one.kind == "mention" and one.start >= begun and (not one.about or one.is_thing)
    ]
    first = min((one.start for one in found), default=0)
    return max((one for one in found if one.start == first), key=lambda one: one.end, default=None)


def counted(new: str, asked: Asked) -> Iterator[str]:
    """A figure as it was typed; of "events" and "cases" as the number of what was asked for, too."""
    yield new
    if _EVENTS.match(new):
        *words, noun = split_name(asked.frame.anchor)
        yield f"number of {' '.join((*words, plural_of(noun))).lower()}"


def rows_of(asked: Asked) -> str:
    """The rows that were counted or listed, as words: "open bills" of "how many open bills are there"."""
    text = next((one.text for one, _ in in_total(asked)), asked.text) if asked.frame.by else asked.text
    return _as_rows(text)


def _as_rows(text: str) -> str:
    rows = tidy(_THERE.sub("", _LIST.sub("", _COUNT.sub("", text))))
    return tidy(_ARE.sub(r"\g<noun>that \g<are> ", rows))


def moneyed(meant: Intent, asked: Asked, source: Source) -> Iterator[tuple[Wording, Intent]]:
    """The money of what was counted or listed, that which these rows store first: "and how much is that in total" after "how many open bills are there"."""
    rows = _as_rows(asked.text)
    kind = meant.text.lower()
    own = [
        field.said
        for field in source.model.fields.get(asked.frame.anchor, ())
        if field.unit == "money" and field.role is Role.MEASURE
    ]
    names = (
        [f"{kind} amount", kind]
        if kind
        else ["total amount", "amount", *own, "total value", "revenue", "cost"]
    )
    for name in dict.fromkeys(names):
        lead = name if name.startswith("total") else f"total {name}"
        yield Wording(tidy(f"{lead} of {rows}"), "before", "mention"), replace(meant, way="swap")


def each_of(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """The figure on average for each of what is named: "average passengers per trip by route" after "passengers by route"."""
    figure = figure_of(asked)
    if figure is None:
        return
    text = asked.text
    name = _AGGREGATE.sub("", figure.text)
    own = _is_of_rows(meant.text, asked)
    if own and asked.frame.measures[0].agg not in ("sum", "avg"):
        return  # of a number of rows there is one each
    for group in asked.stretches:
        if group.kind == "by" and is_named_by(group.text, meant.text) and group.start >= figure.end:
            text = without(text[: group.end], group) + text[group.end :]
            yield (
                Wording(
                    tidy(
                        f"{text[: figure.start]}average {name} per {meant.text}{text[figure.end :]}{asked.ending}"
                    ),
                    "ending",
                ),
                meant,
            )
            return
    for made in (f"average {name} per {meant.text}", f"{name} per {meant.text}"):
        yield (
            Wording(
                tidy(text[: figure.start] + made + text[figure.end :]), "replaced", "mention", figure.text
            ),
            meant,
        )
    if own:
        begun = next(
            (lead.start() for lead in _LEADS.finditer(text) if lead.end() == figure.start), figure.start
        )
        yield (
            Wording(tidy(f"{text[:begun]}average {name}{text[figure.end :]}") + asked.ending, "ending"),
            meant,
        )


def _is_of_rows(noun: str, asked: Asked) -> bool:
    """Whether a noun is that of the rows that are gone through, of which there is one each."""
    *_, own = split_name(asked.frame.anchor)
    return stem(noun.lower()) == stem(own.lower())


def averaged(meant: Intent, asked: Asked, source: Source) -> Iterator[tuple[Wording, Intent]]:
    """The average of the same figure for each row of it; of what is sold, its orders and its revenue, the average order value."""
    figure = figure_of(asked)
    if figure is None:
        return
    first = asked.frame.measures[0]
    names = [] if first.agg in ("rows", "distinct") else [f"average {_AGGREGATE.sub('', figure.text)}"]
    if first.anchor in sold_in(source):
        names.append("average order value")
    begun = next(
        (lead.start() for lead in _LEADS.finditer(asked.text) if lead.end() == figure.start), figure.start
    )
    for name in names:
        text = asked.text[:begun] + name + asked.text[figure.end :]
        yield Wording(tidy(text) + asked.ending, "ending"), meant


def summed(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """The sum for each named group of rows that were listed or counted."""
    kept = "".join(one.text for one in asked.endings if one.kind not in ("along", "sort"))
    rows = _LIST.sub("", _COUNT.sub("", asked.text))
    for lead in _SUMS:
        yield Wording(tidy(f"{lead} {rows} {meant.text}") + kept, "ending"), meant
    if meant.old:
        yield Wording(f"{asked.text} {meant.old}{asked.ending}", "ending"), replace(meant, way="")


def tallied(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """The number of rows that were summed up, each group of them: "how many were there each month" after "amount of refunds by month"."""
    figure = figure_of(asked) or next((one for one in asked.stretches if one.kind == "mention"), None)
    if figure is None:
        return
    held = any(one.kind == "by" and is_named_by(one.text, meant.text) for one in asked.stretches)
    grouped = "" if held else f" {meant.text}"
    if found := _SUMMED.match(asked.text):
        yield (
            Wording(
                tidy(f"number of {asked.text[found.end() :]}{grouped}"), "replaced", "mention", figure.text
            ),
            meant,
        )
    *words, noun = split_name(asked.frame.anchor)
    rows = f"number of {' '.join((*words, plural_of(noun))).lower()}"
    text = asked.text[: figure.start] + rows + asked.text[figure.end :]
    yield Wording(tidy(f"{text}{grouped}"), "replaced", "mention", figure.text), meant


def overall(meant: Intent, asked: Asked) -> Iterator[tuple[Wording, Intent]]:
    """Another figure of all groups together."""
    figure = figure_of(asked)
    if figure is None:
        return
    for whole, way in in_total(asked):
        at = whole.text.lower().find(figure.text.lower())
        if at >= 0:
            made = whole.text[:at] + meant.text + whole.text[at + len(figure.text) :]
            yield replace(whole, text=tidy(made), kind="overall"), way
