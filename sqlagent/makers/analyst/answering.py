"""From a question to frames and SQL: read, sketch, resolve, plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlagent.catalog.semantics import Kind
from sqlagent.makers.analyst.among_themselves import among_themselves
from sqlagent.makers.analyst.beside import with_attribute, with_figure
from sqlagent.makers.analyst.bounded_figures import bounded, bounded_figure
from sqlagent.makers.analyst.checking import UNMET, checked, contradicts
from sqlagent.makers.analyst.churning import churned_in
from sqlagent.makers.analyst.coming_back import by_what_happened
from sqlagent.makers.analyst.compounds import compounded
from sqlagent.makers.analyst.concentrations import concentrated, of_the_greatest
from sqlagent.makers.analyst.denial_last import denial_last
from sqlagent.makers.analyst.denied_groups import denied_of_groups
from sqlagent.makers.analyst.doers import who_did_most
from sqlagent.makers.analyst.echoing import as_typed, in_words, opened
from sqlagent.makers.analyst.endings import LARGE, SMALL, Ending, endings, shown_by, worst_of_bad
from sqlagent.makers.analyst.enumerating import enumerated
from sqlagent.makers.analyst.filled_shares import share_that_has, shares_that_lack
from sqlagent.makers.analyst.first_deeds import first_of_each, only_first
from sqlagent.makers.analyst.frames import Frame, Order
from sqlagent.makers.analyst.happening import in_the_deed
from sqlagent.makers.analyst.holding import holding
from sqlagent.makers.analyst.implied import (
    dated_alike,
    figures_once,
    listed_where_lacking,
    of_one_deed,
    of_sums,
    reasons_counted,
    summed_or_counted,
    sums_paid,
    values_ranked,
)
from sqlagent.makers.analyst.lengths import lengths
from sqlagent.makers.analyst.minor_units import (
    amounts_read,
    in_minor_units,
    in_whole_units,
    without_currency,
)
from sqlagent.makers.analyst.noun_parts import of_the_noun
from sqlagent.makers.analyst.own_groups import in_its_group
from sqlagent.makers.analyst.owning import named, owned, rival_columns, rival_ways
from sqlagent.makers.analyst.phrasing import condensed
from sqlagent.makers.analyst.plainer import plainer
from sqlagent.makers.analyst.planning import Planner
from sqlagent.makers.analyst.positions import at_its_place, longest_first
from sqlagent.makers.analyst.reading import Reading, is_noun_unknown, read
from sqlagent.makers.analyst.resolving import resolve
from sqlagent.makers.analyst.retiming import as_it_stands, in_their_term, when_it_would_have_been
from sqlagent.makers.analyst.rises_and_falls import reworded
from sqlagent.makers.analyst.rows import NoPlan
from sqlagent.makers.analyst.sketching import sketch
from sqlagent.makers.analyst.sorted_groups import of_one_sort, of_shown_groups
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.tails import shaped, untailed
from sqlagent.makers.analyst.time_spent import time_spent
from sqlagent.makers.analyst.undone import as_done
from sqlagent.makers.analyst.unequal import unequal
from sqlagent.makers.analyst.unfolding import NOTHING_TOLD, Told, followed, unfolded
from sqlagent.makers.analyst.unlikely import unlikely
from sqlagent.makers.analyst.values_beside import values_beside
from sqlagent.makers.analyst.voids import without_voids
from sqlagent.makers.analyst.worths import worths

_FORMULA = re.compile(r"\([^()]*[/=][^()]*\)")
"""A formula in brackets explains a word and is none of the question's own."""

_LEFT_OUT = re.compile(
    r"(?<=[,;(])\s*([^,;()]+?)\s+(?:are |is |were |was |being )?(?:not counted|not included|not considered|excluded|left out|taken out|filtered out|removed|ignored|skipped|aside|out)(?=\s*(?:[,;.?!)]|$))",
    re.IGNORECASE,
)
"""What is left out, said behind its name: ", cancelled ones not counted"."""

_HOW_MANY_EACH = re.compile(
    r"^(?:the |list |show )?((?!how |which |what )[\w' -]{3,40}?)(?:,| and|, and)? how many (?:of each|each|times each)\s*[?.]?$",
    re.IGNORECASE,
)
"""A column's values with how many rows have each: "cancel reasons, how many each"."""

NOT_UNDERSTOOD = re.compile(r"\s*\(not understood: ([^()]*)\)\s*$")
"""Follow-ups of a question that nothing could be made of; they stay with it, so that none is dropped unsaid."""

DRAFT = 0.5
"""Cost from which on a frame is a draft, though all its words are used."""

STALE = timedelta(days=62)
"""Data that end longer ago than this are looked at as of their last day."""


@dataclass(frozen=True, slots=True)
class Understood:
    """One frame with its SQL; `follows` are the clauses of a hint that it takes as they say, `doubt` what a hint leaves open."""

    frame: Frame
    sql: str
    follows: frozenset[str] = frozenset()
    doubt: str = ""


def today_of(source: Source, clock: date | None = None) -> date:
    """The day that "last month" counts from: as the source's owner told, else the clock's, or the last day with data where that is long ago.

    Without a `clock` it is that of the source's time zone.
    """
    clock = clock or _clock_of(source)
    told = source.model.calendar.today
    if not source.model.newest or told == "clock":
        return clock
    try:
        newest = date.fromisoformat(source.model.newest)
    except ValueError:
        return clock
    return newest if told == "data" or newest < clock - STALE else clock


def _clock_of(source: Source) -> date:
    """The day it is now where the source is."""
    zone = source.model.calendar.zone
    try:
        return datetime.now(ZoneInfo(zone)).date() if zone else date.today()
    except (ZoneInfoNotFoundError, ValueError):
        return date.today()


_PER = re.compile(r"\bper(?=\s+\S+(?:\s+\S+){0,2}$)", re.IGNORECASE)
"""The last "per" of a question, before the noun that it ends with."""


def understand(
    text: str, source: Source, today: date, told: Told = NOTHING_TOLD
) -> tuple[Reading, list[Understood]]:
    """Give what a question may mean here, likeliest first, each SQL once.

    The reading's `asked` are left only where nothing else is asked for: then the source cannot tell. `told` is what a hint
    defined besides in this source.
    """
    if left := NOT_UNDERSTOOD.search(text):
        reading, made = understand(text[: left.start()], source, today, told)
        return reading, [_lacking(one, tuple(left[1].split("; "))) for one in made]
    text = _LEFT_OUT.sub(r" excluding \1", _FORMULA.sub(" ", condensed(text)))
    text = _HOW_MANY_EACH.sub(r"count by \1", text)
    if (anew := _worded_anew(text, source, today, told)) is not None:
        return anew
    body, ending = endings(text)
    if ending:
        reading, bare = _understood(body, source, today, told)
        shown = [_shown_by(one, ending, source, today) for one in bare]
        if (not shown or shown[0] is None) and any(one.kind == "top" for one in ending) and _PER.search(body):
            # no quotient has a top ten
            reading, bare = _understood(_PER.sub("by", body), source, today, told)
            shown = [_shown_by(one, ending, source, today) for one in bare]
        if shown and shown[0] is not None:
            return reading, [one for one in shown if one is not None]
        if any(one.kind == "of all" for one in ending):
            reading, whole = _understood(text, source, today, told)
            said = tuple(one.text.strip(" ,") for one in ending if one.kind == "of all")
            return reading, [_lacking(one, said) if one.frame.transform == "share" else one for one in whole]
        if alone := tuple(one.name for one in ending if one.kind == "along"):
            return reading, [_lacking(one, alone) for one in bare]
    return _understood(text, source, today, told)


_WORDINGS = (denial_last, among_themselves, by_what_happened, who_did_most, time_spent, share_that_has)
"""What words a question anew by what its source knows; each gives nothing for questions of another kind."""


def _worded_anew(
    text: str, source: Source, today: date, told: Told
) -> tuple[Reading, list[Understood]] | None:
    """What a question means in other words, where these are understood whole: rises and falls, tails, first events, plainer words, concentrations."""
    for wording in reworded(text):
        reading, made = understand(wording, source, today, told)
        frame = made[0].frame if made else None
        if frame is not None and frame.transform == "between" and not frame.unused and frame.cost < DRAFT:
            return reading, made
    for wording, lists in untailed(text):
        reading, made = understand(wording, source, today, told)
        first = _as(made[0], shaped(made[0].frame, lists, wording), source) if made else None
        if first is not None and first.frame.cost < DRAFT:
            return reading, [first, *made[1:]]
    if first_ones := first_of_each(text):
        reading, bare = _understood(first_ones.counted, source, today, told)
        if kept := _all_as(bare, lambda frame: only_first(frame, first_ones.thing, source), source):
            return reading, kept
    others = (word(text, source) for word in _WORDINGS)
    for wording in (*plainer(text), *filter(None, others)):
        reading, made = understand(wording, source, today, told)
        if made and not made[0].frame.unused and made[0].frame.cost < DRAFT and not reading.asked:
            return reading, made
    bare_text, currency = without_currency(text)
    if bare_text:
        reading, made = understand(bare_text, source, today, told)
        if kept := _all_as(made, lambda frame: in_whole_units(frame, currency), source, is_whole=False):
            return reading, kept
    if (bound := bounded_figure(text)) is not None:
        reading, bare = _understood(bound.text, source, today, told)
        if kept := _all_as(bare, lambda frame: bounded(frame, bound), source):
            return reading, kept
    if found := concentrated(text):
        reading, bare = _understood(found[0], source, today, told)
        if kept := _all_as(bare, lambda frame: of_the_greatest(frame, found[1]), source):
            return reading, kept
    return None


def _all_as(
    made: Sequence[Understood],
    change: Callable[[Frame], Frame | None],
    source: Source,
    *,
    is_whole: bool = True,
) -> list[Understood]:
    """What was understood with each frame changed; nothing where the first one cannot be, or leaves words out where `is_whole` forbids that."""
    changed = [_as(one, change(one.frame), source) for one in made]
    if not changed or changed[0] is None or is_whole and made[0].frame.unused:
        return []
    return [one for one in changed if one is not None]


def _lacking(one: Understood, words: tuple[str, ...]) -> Understood:
    """A frame that leaves some words out, and costs as much."""
    unused = (*one.frame.unused, *words)
    return replace(one, frame=replace(one.frame, unused=unused, cost=round(one.frame.cost + UNMET, 4)))


def _shown_by(one: Understood, ending: tuple[Ending, ...], source: Source, today: date) -> Understood | None:
    """A frame with its endings, and its SQL; None where one of them says nothing of it."""

    def along(frame: Frame, name: str) -> Frame | None:
        """Set a figure beside that is understood as a whole by itself."""
        if (shown := with_attribute(frame, name, source)) is not None:
            return shown
        found = _understood(name, source, today, NOTHING_TOLD)[1]
        first = found[0].frame if found else None
        if first is None or first.unused or first.cost >= DRAFT:
            return None
        return with_figure(frame, first, source)

    return _as(one, shown_by(_each(one.frame, ending, source), ending, along), source)


def _as(one: Understood, frame: Frame | None, source: Source) -> Understood | None:
    """What was understood with another frame, and its SQL; None where there is no frame, or no SQL of it."""
    try:
        return replace(one, frame=frame, sql=Planner(source.model).sql(frame)) if frame is not None else None
    except NoPlan:
        return None


def _each(frame: Frame, ending: tuple[Ending, ...], source: Source) -> Frame:
    """ "Product prices, highest first" lists each product with its price: one number has no order."""
    sorts = [one for one in ending if one.kind == "sort" and not one.name and one.word in (*LARGE, *SMALL)]
    only = frame.measures[0] if len(frame.measures) == 1 else None
    if not sorts or frame.by or frame.transform or only is None or only.expr is None or only.where:
        return frame
    thing, slots = source.model.things[frame.anchor], only.expr.slots
    if only.expr.op != "column" or slots[0].path or thing.kind is not Kind.THING or not thing.display:
        return frame
    columns = (*(source.slot(frame.anchor, name) for name in thing.display), slots[0])
    order = Order(sorts[-1].word in SMALL, by=only.expr)
    return replace(frame, measures=(), columns=columns, order=order)


def _understood(text: str, source: Source, today: date, told: Told) -> tuple[Reading, list[Understood]]:
    """Read, sketch, resolve and plan a question without endings."""
    reading = read(text, source.vocabulary, today)
    reading = lengths(owned(compounded(worths(reading, source), source.vocabulary), source), source)
    reading = of_shown_groups(of_one_sort(amounts_read(reading), source), source)
    reading = holding(unequal(enumerated(reading, source.model), source.model), source)
    planner = Planner(source.model)
    out: dict[str, Understood] = {}
    drawn = sketch(reading)
    asks_something = (
        any(ask.item is not None for ask in drawn.asks)
        or drawn.rank is not None
        and drawn.rank.target is not None
    )
    if (
        len(reading.asked) == 1
        and not reading.figures
        and (asks_something or drawn.span)
        and not is_noun_unknown(reading)
    ):
        reading = replace(reading, asked=())
    known = opened(reading)
    frames = resolve(drawn, source, today)
    frames += [other for first in frames[:1] for other in rival_ways(first, source)]
    frames += [other for first in frames[:1] for other in rival_columns(first, reading.items, source)]
    frames = [in_the_deed(one, reading, source) for one in frames]
    frames = [dated_alike(reasons_counted(one), reading, source) for one in frames]
    frames = [as_done(denied_of_groups(one, reading, source), reading, source) for one in frames]
    frames = [in_its_group(of_sums(one), source) for one in frames]
    frames = [sums_paid(of_one_deed(figures_once(one)), reading, source) for one in frames]
    frames = [
        at_its_place(longest_first(in_minor_units(one, reading), reading, source), reading) for one in frames
    ]
    ranks = [item.text for item in reading.items if item.op == "rank"]
    frames = [when_it_would_have_been(worst_of_bad(one, ranks), source) for one in frames]
    frames = [as_it_stands(churned_in(values_ranked(one), source), source) for one in frames]
    frames = [values_beside(one, reading) for one in frames]
    frames = [checked(one, reading, drawn, source) for one in frames if not contradicts(one)]
    frames = [shares_that_lack(one) for one in frames]
    frames = [in_their_term(of_the_noun(one, reading, source), source, today) for one in frames]
    frames = [unlikely(one, reading, source) for one in frames]
    frames = [kept for one in frames for kept in listed_where_lacking(one, reading, source)]
    frames = [kept for one in frames for kept in summed_or_counted(one, reading, source)]
    frames = [kept for one in frames for kept in without_voids(one, reading, source)]
    ops = frozenset(item.op for item in reading.items)
    for frame in sorted(frames, key=lambda one: one.cost):
        try:
            whole, doubt = unfolded(
                as_typed(in_words(named(frame, source), known), reading), told, source, ops
            )
            sql = planner.sql(whole)
        except NoPlan:
            continue
        out.setdefault(sql, Understood(whole, sql, followed(frame, told), doubt))
    return reading, sorted(out.values(), key=lambda one: one.frame.cost)
