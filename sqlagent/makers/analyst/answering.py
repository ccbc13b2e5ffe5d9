"""From a question to frames and SQL: read, sketch, frame, plan."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlagent.catalog.semantics import Kind
from sqlagent.language.not_understood import NOT_UNDERSTOOD
from sqlagent.language.saying import worded
from sqlagent.language.words import MAX_CHARS
from sqlagent.makers.analyst.all_of_them import each_left_out, rates_averaged, timed_deeds
from sqlagent.makers.analyst.alternatives import alternatives
from sqlagent.makers.analyst.among_themselves import among_themselves
from sqlagent.makers.analyst.any_row import any_row
from sqlagent.makers.analyst.averaged_counts import number_per_period, values_instead
from sqlagent.makers.analyst.beside import with_attribute, with_figure
from sqlagent.makers.analyst.both_asked import or_numbers
from sqlagent.makers.analyst.bounded_figures import bounded, bounded_figure
from sqlagent.makers.analyst.by_number import by_number
from sqlagent.makers.analyst.by_total import by_total
from sqlagent.makers.analyst.checking import UNMET, leaving_out
from sqlagent.makers.analyst.columns_lacked import columns_lacked
from sqlagent.makers.analyst.coming_back import by_what_happened
from sqlagent.makers.analyst.coming_due import coming
from sqlagent.makers.analyst.coming_off import not_taken_off
from sqlagent.makers.analyst.compounds import compounded
from sqlagent.makers.analyst.concentrations import concentrated, of_the_greatest
from sqlagent.makers.analyst.costing import by_price
from sqlagent.makers.analyst.counts_beside import counts_apart, with_count
from sqlagent.makers.analyst.currencies_asked import currency_of_bound, names_several, of_currency, of_rows_in
from sqlagent.makers.analyst.denial_last import denial_last
from sqlagent.makers.analyst.denied_partners import never_with
from sqlagent.makers.analyst.doers import who_did_most
from sqlagent.makers.analyst.done_by import done_by
from sqlagent.makers.analyst.each_period import each_period
from sqlagent.makers.analyst.echoing import as_typed, in_words, opened
from sqlagent.makers.analyst.either_clause import either_clauses
from sqlagent.makers.analyst.endings import LARGE, SMALL, Ending, endings, shown_by
from sqlagent.makers.analyst.enumerating import enumerated
from sqlagent.makers.analyst.equal_phrases import equal_phrases
from sqlagent.makers.analyst.first_deeds import first_of_each, only_first
from sqlagent.makers.analyst.frames import Frame, Order
from sqlagent.makers.analyst.framing import framed
from sqlagent.makers.analyst.having_one import having_one, or_nought
from sqlagent.makers.analyst.held_against import held_against
from sqlagent.makers.analyst.holding import holding
from sqlagent.makers.analyst.in_force import states_of_their_own
from sqlagent.makers.analyst.in_lists import listing, whole_lists
from sqlagent.makers.analyst.lengths import lengths
from sqlagent.makers.analyst.letters import letters
from sqlagent.makers.analyst.linked_by_deeds import linked_by_deeds
from sqlagent.makers.analyst.longest_to import longest_to
from sqlagent.makers.analyst.minor_units import amounts_read, without_currency
from sqlagent.makers.analyst.money_beside import money_beside
from sqlagent.makers.analyst.money_deeds import amount_of_deed
from sqlagent.makers.analyst.nouns_modified import nouns_modified
from sqlagent.makers.analyst.number_of_each import number_of_each
from sqlagent.makers.analyst.numbers_listed import number_of_all, numbers_listed
from sqlagent.makers.analyst.numbers_named import numbers_named
from sqlagent.makers.analyst.off_rows_said import brought_back
from sqlagent.makers.analyst.older import older
from sqlagent.makers.analyst.oldest_undone import oldest_undone
from sqlagent.makers.analyst.open_longer import open_longer
from sqlagent.makers.analyst.other_wordings import other_wordings
from sqlagent.makers.analyst.overdue import overdue_of
from sqlagent.makers.analyst.overdue_deeds import overdue_deed
from sqlagent.makers.analyst.own_ends import with_own_ends
from sqlagent.makers.analyst.own_kind import of_own_kind
from sqlagent.makers.analyst.own_roles import with_own_roles
from sqlagent.makers.analyst.owning import named, owned
from sqlagent.makers.analyst.phrasing import condensed
from sqlagent.makers.analyst.place_of_deed import place_of_deed
from sqlagent.makers.analyst.plainer import plainer
from sqlagent.makers.analyst.planning import Planner
from sqlagent.makers.analyst.price_answers import answers
from sqlagent.makers.analyst.price_questions import price_questions
from sqlagent.makers.analyst.ranges import both_ends
from sqlagent.makers.analyst.ranks_moved import group_last, rank_last, ranked_figure, rows_with, selling
from sqlagent.makers.analyst.ratings import rated
from sqlagent.makers.analyst.reading import Reading, is_noun_unknown, read
from sqlagent.makers.analyst.reads import reads_left, sharing
from sqlagent.makers.analyst.reordering import reordering
from sqlagent.makers.analyst.rises_and_falls import reworded
from sqlagent.makers.analyst.rows import Fault, NoPlan
from sqlagent.makers.analyst.rows_called import rows_called
from sqlagent.makers.analyst.run_out import run_out
from sqlagent.makers.analyst.said_of_rows import not_sold
from sqlagent.makers.analyst.said_otherwise import said_otherwise
from sqlagent.makers.analyst.same_roles import same_roles
from sqlagent.makers.analyst.shares_had import share_of_all, share_that_has, share_undergone
from sqlagent.makers.analyst.sketching import sketch
from sqlagent.makers.analyst.sorted_groups import of_one_sort, of_shown_groups
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.spelling import unslipped
from sqlagent.makers.analyst.states_denied import states_denied
from sqlagent.makers.analyst.tails import shaped, untailed
from sqlagent.makers.analyst.those_above import those_above
from sqlagent.makers.analyst.time_spent import time_spent
from sqlagent.makers.analyst.unequal import unequal
from sqlagent.makers.analyst.unfolding import NOTHING_TOLD, Told, followed, unfolded
from sqlagent.makers.analyst.values_named import values_named
from sqlagent.makers.analyst.voids import counting
from sqlagent.makers.analyst.worths import worths
from sqlagent.makers.analyst.zeros import zeros

_FORMULA = re.compile(r"\([^()]*[/=][^()]*\)")
"""A formula in brackets explains a word and is none of the question's own."""

_LEFT_OUT = re.compile(
    r"(?<=[,;(])\s*([^,;()]+?)\s+(?:are |is |were |was |being )?(?:not counted|not included|not considered|excluded|left out|taken out|filtered out|removed|ignored|skipped|aside|out)(?=\s*(?:[,;.?!)]|$))",
    re.IGNORECASE,
)
"""Omitted rows, said behind a name: ", cancelled ones not counted"."""

_HOW_MANY_EACH = re.compile(
    r"^(?:the |list |show )?((?!how |which |what )[\w' -]{3,40}?)(?:,| and|, and)? how many (?:of each|each|times each)\s*[?.]?$",
    re.IGNORECASE,
)
"""A column's values with how many rows have each: "cancel reasons, how many each"."""

MOST_MENTIONS = 16
"""Names of a source in a question at most: each is held against each. Of 406 questions of five sets none has more than seven."""

UNREAD = worded("it is so long, or can be worded in so many ways, that not all of them were read.")
"""Doubt of a question for which there were too few reads."""

UNWRITTEN = worded("a likelier reading could not be written as SQL.")
"""Doubt of a frame behind one that an error of ours kept from being written."""

DRAFT = 0.5
"""Cost from which on a frame is a draft, though all its words are used."""

BETTER = 0.15
"""Cost by which another order of words is cheaper than one that was understood, too, to be taken instead."""

STALE = timedelta(days=62)
"""Data that end longer ago than this are looked at as of their last day."""


@dataclass(frozen=True, slots=True)
class Understood:
    """One frame with its SQL; `follows` are the clauses of a hint that it takes as they say, `doubt` says why it is a draft all the same."""

    frame: Frame
    sql: str
    follows: frozenset[str] = frozenset()
    doubt: str = ""


Meanings = tuple[Reading, list[Understood]]
"""A question as it was read, and what it may mean, likeliest first."""


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


def understand(text: str, source: Source, today: date, told: Told = NOTHING_TOLD) -> Meanings:
    """Give what a question may mean here, likeliest first, each SQL once.

    The reading's `asked` are left only where nothing else is asked for: then the source cannot tell. `told` is what a hint
    defined besides in this source. Where its words are worded anew more often than there are reads (`reads`), the best of what
    was read stands, as a draft.
    """
    with sharing() as reads:
        was_short, reads.is_short = reads.is_short, False
        text, slips = unslipped(text, source.vocabulary.knows)
        reading, made = _understand(text, source, today, told)
        if slips:
            reading = replace(reading, mended=(*slips, *reading.mended))
        if reads.is_short:
            made = [replace(one, doubt=one.doubt or UNREAD) for one in made]
        reads.is_short |= was_short
        return reading, made


def _understand(text: str, source: Source, today: date, told: Told, deep: int = 0) -> Meanings:
    """`understand`, of a question that was worded anew `deep` times, each wording once; from `_DEEPEST` on it is taken as it stands."""
    found: dict[Hashable, Meanings | None] = reads_left().found
    key = (text, id(source), today, id(told))
    if key not in found:
        found[key] = None
        found[key] = _understand_anew(text, source, today, told, deep)
    made = found[key]
    return made if made is not None else _understood(text, source, today, told)


def _understand_anew(text: str, source: Source, today: date, told: Told, deep: int) -> Meanings:
    if left := NOT_UNDERSTOOD.search(text):
        reading, made = _understand(text[: left.start()], source, today, told, deep)
        return reading, [_lacking(one, tuple(left[1].split("; "))) for one in made]
    text = letters(equal_phrases(condensed(text[:MAX_CHARS])), source)
    if NOT_UNDERSTOOD.search(text):
        return _understand(text, source, today, told, deep)
    text = _LEFT_OUT.sub(r" excluding \1", _FORMULA.sub(" ", text))
    if (brought := brought_back(text)) is not None:
        reading, made = _understand(brought.text, source, today, told, deep)
        words = brought.words
        kept = _all_as(made, lambda frame: counting(frame, words, source), source, is_whole=False)
        if kept:
            first: dict[str, Understood] = {}
            for one in kept:
                first.setdefault(one.sql, one)
            return reading, list(first.values())
    text = linked_by_deeds(open_longer(text, source) or text, source)
    text = coming(older(_HOW_MANY_EACH.sub(r"count by \1", text), source, today), today)
    text = rank_last(group_last(text), source, today)
    if (deed := overdue_deed(text, source, today)) is not None:
        reading, bare = _understand(deed.text, source, today, told, deep + 1)
        if kept := _all_as(bare, lambda frame: deed.frame(frame, source), source, is_whole=False):
            return reading, kept
    text = states_denied(run_out(text, source, today) or text, source)
    if deep < _DEEPEST:
        with reads_left().keeping(text):
            anew = _worded_anew(text, source, today, told, deep + 1)
        if anew is not None:
            return anew
    reading, made = _with_endings(text, source, today, told)
    if not made and deep < _DEEPEST and (wording := ranked_figure(text, source) or rows_with(text)):
        anew = _understand(wording, source, today, told, deep + 1)
        if anew[1] and _is_whole(anew[1][0].frame):
            return anew
    if deep < _DEEPEST:
        return _better_said(text, (reading, made), source, today, told, deep + 1)
    return reading, made


_WHICH = re.compile(r"(?:which|who)\b(?! of\b)", re.IGNORECASE)
"""Words that ask for rows, which no single figure tells."""


def _better_said(text: str, stands: Meanings, source: Source, today: date, told: Told, deep: int) -> Meanings:
    """The meanings of the first other order of a question's words that uses them all and is cheaper than as it `stands`."""
    reading, made = stands
    bound = made[0].frame.cost - BETTER if made and not reading.asked else UNMET
    if bound <= 0:
        return stands
    for wording in said_otherwise(text):
        anew = _understand(wording, source, today, told, deep)
        first = anew[1][0].frame if anew[1] and not anew[0].asked else None
        is_bare = first is not None and not first.by and not first.columns and bool(_WHICH.match(text))
        if first is not None and not first.unused and first.cost < bound and not is_bare:
            return anew
    return stands


def _with_endings(text: str, source: Source, today: date, told: Told) -> Meanings:
    """The meanings of a question as it stands, its endings cut off and made a part of its frames."""
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


_DEEPEST = 5
"""How often a question is worded anew at most: two wordings may each give the other."""

_WORDINGS = (
    by_price,
    by_total,
    number_per_period,
    number_of_each,
    denial_last,
    among_themselves,
    by_what_happened,
    who_did_most,
    time_spent,
    share_of_all,
    share_that_has,
    share_undergone,
    overdue_of,
    both_ends,
    amount_of_deed,
    never_with,
    rated,
    selling,
    reordering,
    same_roles,
)
"""Ways to word a question anew by what its source knows; each gives nothing for questions of another kind."""


def _worded_anew(text: str, source: Source, today: date, told: Told, deep: int) -> Meanings | None:
    """Meanings of a rewording that is understood whole; None where there is none.

    The first such rewording is taken, in this order: prices that hold for a time, rises and falls, tails, first events, what
    was not done for longest, figures of each period, rows by rows of their own table, rows called by a key of it, plainer words and those that the source knows, amounts without their
    currency, bounded figures, concentrations. `deep` says how often the question was reworded, this time included.
    """
    if (priced := _priced(text, source, today, told)) is not None:
        return priced
    for wording in reworded(text):
        reading, made = _understand(wording, source, today, told, deep)
        frame = made[0].frame if made else None
        if frame is not None and frame.transform == "between" and _is_whole(frame):
            return reading, made
    for wording, lists in untailed(text):
        reading, made = _understand(wording, source, today, told, deep)
        first = _as(made[0], shaped(made[0].frame, lists, wording), source) if made else None
        if first is not None and first.frame.cost < DRAFT:
            return reading, [first, *made[1:]]
    if first_ones := first_of_each(text):
        reading, bare = _understood(first_ones.counted, source, today, told)
        if kept := _all_as(bare, lambda frame: only_first(frame, first_ones.thing, source), source):
            return reading, kept
    if (undone := oldest_undone(text, source)) is not None:
        reading, bare = _understood(undone.text, source, today, told)
        ways = [_as(one, frame, source) for one in bare[:1] for frame in undone.frames(one.frame, source)]
        undones = [one for one in ways if one is not None]
        if undones and _is_whole(undones[0].frame):
            return reading, undones
    if wording := each_period(text):
        reading, made = _understand(wording, source, today, told, deep)
        frame = made[0].frame if made else None
        if frame is not None and frame.measures and not frame.transform and _is_whole(frame):
            return reading, made
    if (kind := of_own_kind(text, source)) is not None:
        reading, bare = _understood(kind.text, source, today, told)
        meant = [one for one in bare if kind.frame(one.frame, source) is not None][:1]
        if kept := _all_as(meant, lambda frame: kind.frame(frame, source), source):
            return reading, kept
    if (above := those_above(text, source)) is not None:
        reading, bare = _understood(above.text, source, today, told)
        meant = [one for one in bare if above.frame(one.frame, source) is not None][:1]
        if kept := _all_as(meant, lambda frame: above.frame(frame, source), source):
            return reading, kept
    if (called := rows_called(text, source)) is not None:
        reading, bare = _understand(called.text, source, today, told, deep)
        if kept := _all_as(bare, called.frame, source):
            return reading, kept
    if (listed := numbers_listed(text, source)) is not None:
        reading, bare = _understand(listed.text, source, today, told, deep)
        meant = [one for one in bare if listed.frame(one.frame) is not None][:1]
        if not reading.asked and (kept := _all_as(meant, listed.frame, source)):
            return reading, kept
    others = (word(text, source) for word in _WORDINGS)
    for wording in (*plainer(text), *longest_to(text), *filter(None, others), *other_wordings(text)):
        reading, made = _understand(wording, source, today, told, deep)
        if made and _is_whole(made[0].frame) and not reading.asked:
            return reading, made
    if not names_several(text, source):
        bare_text, currency = without_currency(text)
        if bare_text:
            reading, made = _understand(bare_text, source, today, told, deep)
            if kept := _all_as(
                made, lambda frame: of_currency(frame, currency, source), source, is_whole=False
            ):
                return reading, kept
        bare_bound, unit = currency_of_bound(text, source)
        if bare_bound:
            reading, made = _understand(bare_bound, source, today, told, deep)
            if kept := _all_as(made, lambda frame: of_rows_in(frame, unit, source), source, is_whole=False):
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


def _priced(text: str, source: Source, today: date, told: Told) -> Meanings | None:
    """The meanings of a question about prices that hold for a time, where it is understood whole; of two histories both."""
    found: list[tuple[Reading, Understood]] = []
    for question in price_questions(text, source, today):
        body, ending = endings(question.bare)
        reading, made = _understood(body, source, today, told)
        shown = _shown_by(made[0], ending, source, today) if made and ending else made[0] if made else None
        if shown is None or not _is_whole(shown.frame) or reading.asked or reading.unknown:
            continue
        for frame, doubt in answers(shown.frame, question, source, today):
            if (one := _as(shown, frame, source)) is not None:
                found.append((reading, replace(one, doubt=doubt or one.doubt)))
    found.sort(key=lambda one: one[1].frame.cost)
    return (found[0][0], [one for _, one in found]) if found else None


def _is_whole(frame: Frame) -> bool:
    """Whether a frame leaves no word out and is no draft."""
    return not frame.unused and frame.cost < DRAFT


def _all_as(
    made: Sequence[Understood],
    change: Callable[[Frame], Frame | None],
    source: Source,
    *,
    is_whole: bool = True,
) -> list[Understood]:
    """All readings with each frame changed; nothing where the first one cannot be, or leaves words out where `is_whole` forbids that."""
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
        return with_figure(frame, first, source) if first is not None and _is_whole(first) else None

    return _as(one, shown_by(_each(one.frame, ending, source), ending, along), source)


def _as(one: Understood, frame: Frame | None, source: Source) -> Understood | None:
    """A reading with another frame, and its SQL; None where there is no frame, or no SQL of it."""
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


def _understood(text: str, source: Source, today: date, told: Told) -> Meanings:
    """Read, sketch, resolve and plan a question without endings, each text once; nothing where too few reads are left."""
    reads, key = reads_left(), ("as it stands", text, id(source), today, id(told))
    if key not in reads.found:
        reads.found[key] = _planned(text, source, today, told) if reads.takes(text) else _NOTHING
    made: Meanings = reads.found[key]
    return made


_NOTHING: Meanings = (Reading(()), [])


def _planned(text: str, source: Source, today: date, told: Told) -> Meanings:
    """The meanings of `_understood`, read anew."""
    reading = not_sold(alternatives(read(text, source.vocabulary, today)), source)
    reading = states_of_their_own(reading, source)
    reading = with_own_ends(with_own_roles(reading, source), source)
    if sum(item.kind == "mention" for item in reading.items) > MOST_MENTIONS:
        reads_left().is_short = True
        return _NOTHING
    reading = values_named(nouns_modified(compounded(worths(reading, source), source.vocabulary), source))
    reading = columns_lacked(
        lengths(done_by(owned(numbers_named(reading, source), source), source), source), source
    )
    reading = of_shown_groups(of_one_sort(amounts_read(reading), source), source)
    typed, reading = reading, listing(reading, source)
    reading = held_against(unequal(enumerated(reading, source.model), source.model), source.model)
    reading = holding(reading, source)
    reading, counted = counts_apart(reading, source.model)
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
    frames = framed(drawn, reading, typed, source, today)
    frames = [with_count(one, counted, source.model) for one in frames]
    frames = [money_beside(one, reading, source) for one in frames]
    frames = [leaving_out(one, values_instead(one, text, source)) for one in frames]
    frames = [leaving_out(one, number_of_all(one, text, source)) for one in frames]
    frames = [leaving_out(one, each_left_out(reading, source)) for one in frames]
    frames = [leaving_out(one, timed_deeds(one, text, reading, source)) for one in frames]
    frames = [leaving_out(one, rates_averaged(one, reading, source)) for one in frames]
    frames = [
        any_row(having_one(zeros(one, reading), text, reading, source), text, reading) for one in frames
    ]
    frames = either_clauses([place_of_deed(one, reading, source) for one in frames], reading, source)
    ops = frozenset(item.op for item in reading.items)
    faults = 0
    for frame in sorted(frames, key=lambda one: one.cost):
        try:
            whole, doubt = unfolded(
                as_typed(in_words(named(frame, source), known), reading), told, source, ops
            )
            whole, untaken = not_taken_off(whole, source)
            sql = planner.sql(whole)
        except NoPlan as refusal:
            faults += isinstance(refusal, Fault)
            continue
        doubt = doubt or untaken or whole_lists(whole) or by_number(whole, reading, source)
        doubt = doubt or or_nought(whole, text, reading) or or_numbers(whole, reading)
        doubt = doubt or (UNWRITTEN if faults else "")
        out.setdefault(sql, Understood(whole, sql, followed(frame, told), doubt))
    reads_left().faults += faults
    return reading, sorted(out.values(), key=lambda one: one.frame.cost)
