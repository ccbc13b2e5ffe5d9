"""From a sketch to its frames: resolved, mended until each says what the question means, and multiplied where more may be meant."""

from __future__ import annotations

from datetime import date

from sqlagent.makers.analyst.all_or_any import all_or_any
from sqlagent.makers.analyst.as_of import held_then, single_prices
from sqlagent.makers.analyst.bounds_shown import bounds_shown
from sqlagent.makers.analyst.checking import checked
from sqlagent.makers.analyst.churning import churned_in
from sqlagent.makers.analyst.come_to_pass import come_to_pass
from sqlagent.makers.analyst.contradicting import contradicts
from sqlagent.makers.analyst.counts_and_shares import rows_of_one_value
from sqlagent.makers.analyst.deed_said import of_the_deed_said
from sqlagent.makers.analyst.denied_groups import denied_of_groups
from sqlagent.makers.analyst.each_thing import each_thing
from sqlagent.makers.analyst.ended_in import ended_in
from sqlagent.makers.analyst.endings import worst_of_bad
from sqlagent.makers.analyst.expired import as_expired
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.gross_amounts import whole_amounts
from sqlagent.makers.analyst.happening import in_the_deed
from sqlagent.makers.analyst.held_today import ended_by_today, held_today, or_without_end
from sqlagent.makers.analyst.implied import (
    counted_as_said,
    dated_alike,
    figures_once,
    in_each_period,
    listed_where_lacking,
    of_one_deed,
    of_sums,
    summed_or_counted,
    values_ranked,
)
from sqlagent.makers.analyst.in_force import in_force, on_that_day
from sqlagent.makers.analyst.in_lists import any_of_them
from sqlagent.makers.analyst.later_states import or_later
from sqlagent.makers.analyst.links_counted import links_counted
from sqlagent.makers.analyst.minor_units import in_minor_units
from sqlagent.makers.analyst.money_deeds import sums_paid
from sqlagent.makers.analyst.nearer_roles import nearer_roles
from sqlagent.makers.analyst.never_paid import without_settled
from sqlagent.makers.analyst.noun_parts import of_the_noun
from sqlagent.makers.analyst.of_each_row import of_each_row
from sqlagent.makers.analyst.open_or_never import on_now, open_or_never
from sqlagent.makers.analyst.open_still import open_still
from sqlagent.makers.analyst.own_groups import in_its_group
from sqlagent.makers.analyst.owning import rival_columns, rival_ways
from sqlagent.makers.analyst.pairs_listed import pairs_listed
from sqlagent.makers.analyst.parts_of_wholes import parts_of_wholes
from sqlagent.makers.analyst.pointing_at import by_pointing
from sqlagent.makers.analyst.positions import at_its_place, longest_first, rows_by_time
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.reasons import reasons_counted, shares_of_why
from sqlagent.makers.analyst.resolving import resolve
from sqlagent.makers.analyst.retiming import as_it_stands, in_their_term, when_it_would_have_been
from sqlagent.makers.analyst.said_of_rows import only_with_their_day
from sqlagent.makers.analyst.shares_had import shares_that_lack
from sqlagent.makers.analyst.shares_summed import discounts_given
from sqlagent.makers.analyst.sketching import Sketch
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.undone import as_done
from sqlagent.makers.analyst.unlikely import unlikely
from sqlagent.makers.analyst.valid_until import valid_until
from sqlagent.makers.analyst.values_beside import values_beside
from sqlagent.makers.analyst.voids import without_voids
from sqlagent.makers.analyst.with_none import with_none


def framed(drawn: Sketch, reading: Reading, typed: Reading, source: Source, today: date) -> list[Frame]:
    """Give the frames of a sketch, each mended until it says what the question means; `typed` is the reading with the verbs of lists.

    Each mend sees the frame as the ones before left it, and leaves alone what it is not about. `checked` and `unlikely` come late: a
    mend before `checked` is held against the question, one behind it is not. Frames are multiplied last.
    """
    frames = resolve(drawn, source, today)
    frames += [other for first in frames[:1] for other in rival_ways(first, source, reading.items)]
    frames += [other for first in frames[:1] for other in rival_columns(first, reading.items, source)]
    # what is meant: deeds and their times, figures, units, places, states, shares, prices as of a day
    frames = [in_the_deed(one, reading, source) for one in frames]
    frames = [only_with_their_day(on_now(one, reading, source), reading) for one in frames]
    frames = [
        come_to_pass(held_today(one, reading, source.model, today), reading, source, today) for one in frames
    ]
    frames = [in_force(valid_until(one, reading, source, today), reading, source, today) for one in frames]
    frames = [on_that_day(of_each_row(one, reading, source), reading, source) for one in frames]
    frames = [each_thing(one, reading, source) for one in frames]
    frames = [dated_alike(reasons_counted(one), reading, source) for one in frames]
    frames = [as_done(denied_of_groups(one, reading, source), reading, source) for one in frames]
    frames = [in_its_group(of_sums(one), source) for one in frames]
    frames = [sums_paid(of_one_deed(figures_once(one)), reading, source) for one in frames]
    frames = [counted_as_said(one, reading, source) for one in frames]
    frames = [open_still(in_each_period(one, reading)) for one in frames]
    frames = [
        at_its_place(longest_first(in_minor_units(one, reading), reading, source), reading) for one in frames
    ]
    frames = [with_none(rows_by_time(one, reading, source)) for one in frames]
    ranks = [item.text for item in reading.items if item.op == "rank"]
    frames = [when_it_would_have_been(worst_of_bad(one, ranks), source) for one in frames]
    frames = [as_it_stands(churned_in(values_ranked(one), source), source) for one in frames]
    frames = [shares_of_why(rows_of_one_value(one)) for one in frames]
    frames = [whole_amounts(discounts_given(one, source), reading, source) for one in frames]
    frames = [values_beside(ended_in(bounds_shown(one, reading), reading, source), reading) for one in frames]
    frames = [held_then(one, reading, source, today) for one in frames]
    frames = [links_counted(as_expired(one, reading, source, today), reading, source) for one in frames]
    frames = [pairs_listed(one, reading, source) for one in frames]
    # what is left out
    frames = [checked(one, reading, drawn, source) for one in frames if not contradicts(one)]
    frames = [
        single_prices(shares_that_lack(ended_by_today(one, reading, source.model, today)), source)
        for one in frames
    ]
    frames = [in_their_term(of_the_noun(one, reading, source), source, today) for one in frames]
    frames = of_the_deed_said([unlikely(one, reading, source) for one in frames], reading, source)
    frames = [nearer_roles(by_pointing(one, source), reading, source) for one in frames]
    # what may be meant as well
    frames = [kept for one in frames for kept in parts_of_wholes(one, reading, source)]
    frames = [kept for one in frames for kept in listed_where_lacking(one, reading, source)]
    frames = [kept for one in frames for kept in open_or_never(one, reading, source)]
    frames = [kept for one in frames for kept in or_without_end(one, reading, today)]
    frames = [kept for one in frames for kept in summed_or_counted(one, reading, source)]
    frames = [kept for one in frames for kept in without_settled(one, reading, source)]
    frames = [kept for one in frames for kept in without_voids(one, reading, source)]
    frames = [kept for one in frames for kept in any_of_them(one, typed)]
    frames = [kept for one in frames for kept in all_or_any(one, typed)]
    frames = [kept for one in frames for kept in or_later(one, reading, source)]
    return [one for one in frames if not contradicts(one)]
