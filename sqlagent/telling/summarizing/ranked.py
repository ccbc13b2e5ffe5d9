"""Sentences of rows in an order: who comes first, with what share, and who follows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from decimal import Decimal

from sqlagent.language.saying import (
    Saying,
    all_of,
    begun_large,
    in_a_row,
    in_commas,
    lower_first,
    name,
    number,
    template,
    worded,
    worded_count,
)
from sqlagent.rows.columns import Profile, Role, number_of
from sqlagent.rows.sorting import Sorting, is_part
from sqlagent.telling.summarizing.phrases import (
    COUNTED,
    SIGNS,
    cell_said,
    column_said,
    cut_said,
    figure_said,
    listed,
    number_said,
    percent_said,
    row_said,
    size_of,
    within,
)
from sqlagent.values import Cell, Rows

_TOP = re.compile(
    r"\b(?:top|best|first|last|bottom|worst|(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s+\w*(?:est|most|least))\b"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|twenty|\d{1,3})\b|\b\w{3,}est\b|\bmost\b|\bleast\b|\bfewest\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\b(?:limit|fetch|top|qualify)\b", re.IGNORECASE)
_LIMITS = frozenset((5, 10, 15, 20, 25, 50, 100, 200, 500, 1_000))
_PERCENT = re.compile(r"percent|pct|share|ratio|rate|proportion", re.IGNORECASE)
_NO_NOUN = re.compile(r"^(?:best|top|most|least|worst|highest|lowest)\b", re.IGNORECASE)
"""A figure that is named as what comes first in it: nothing has "the highest best sellers"."""
_DONE = re.compile(r"\w{3,}ed|sold|bought|lent|sent|paid|won|lost", re.IGNORECASE)
"""A figure that is named as what was done: there is the most returned, and no highest."""
_OF_EACH = re.compile(r"\b(?:each|every|per)\s+(?!of\b|one\b|the\b)([a-z]{3,}(?:-[a-z]+)*)\b", re.IGNORECASE)

NAMED_TOGETHER = 3
"""Rows that share the first place and are still named."""


def first_told(
    rows: Rows,
    columns: Sequence[Profile],
    percents: frozenset[str],
    sorting: Sorting | None,
    counts: frozenset[str],
) -> str:
    """Say that the one row comes first by its figure, where it was kept of others for that; "" of any other row."""
    if sorting is None or sorting.limit != 1 or sorting.skipped or sorting.groups or len(columns) != 2:
        return ""
    measure = next((c for c in columns if c.role == Role.MEASURE and c.name.lower() == sorting.by), None)
    label = next((c for c in columns if c.role in (Role.CATEGORY, Role.TIME)), None)
    row = rows.rows[0]
    if measure is None or label is None or row[label.index] is None or number_of(row[measure.index]) is None:
        return ""
    value = figure_said(row[measure.index], measure.name in percents)
    return in_a_row(
        begun_large(_leads(row_said(row, [label]), measure, value, not sorting.falling, counts)), "."
    )


_NTH = {
    True: {
        2: template("The second highest {name} of each {group} goes from {low} to {high}."),
        3: template("The third highest {name} of each {group} goes from {low} to {high}."),
    },
    False: {
        2: template("The second lowest {name} of each {group} goes from {low} to {high}."),
        3: template("The third lowest {name} of each {group} goes from {low} to {high}."),
    },
}
"""Sentences of one place in each group, by whether the highest comes first and by the place."""

_AT_PLACE = template("In place {place} of each {group}, {name} goes from {low} to {high}.")


def each_told(
    question: str,
    rows: Rows,
    columns: Sequence[Profile],
    percents: frozenset[str],
    sorting: Sorting | None,
) -> str:
    """Say how far the figures of groups reach, where only the first of each group is kept, or that at another place; "" of other rows."""
    if sorting is None or len(sorting.groups) != 1 or rows.truncated or sorting.limit != 1 and not sorting.skipped:  # fmt: skip
        return ""
    measure = next((c for c in columns if c.role == Role.MEASURE and c.name.lower() == sorting.by), None)
    group = next((c for c in columns if c.name.lower() == sorting.groups[0]), None)
    if measure is None or group is None:
        return ""
    entries = sorted(
        (row for row in rows.rows if number_of(row[measure.index]) is not None),
        key=lambda row: size_of(row[measure.index]),
    )
    if len(entries) < 2 or number_of(entries[0][measure.index]) == number_of(entries[-1][measure.index]):
        return ""
    named = [group, *(c for c in columns if c.role in (Role.CATEGORY, Role.KEY) and c is not group)]
    unit = measure.name in percents
    low, high = (
        worded("{value} ({name})", value=figure_said(row[measure.index], unit), name=_both(row, named))
        for row in (entries[0], entries[-1])
    )
    asked = _OF_EACH.search(question)
    each = (
        asked[1].lower()
        if asked
        else worded("group")
        if group.words.lower() in ("name", "title")
        else within(group)
    )
    told = {"name": within(measure), "group": each, "low": low, "high": high}
    if sorting.skipped:
        nth = _NTH[sorting.falling].get(sorting.limit)
        return worded(nth, **told) if nth is not None else worded(_AT_PLACE, place=sorting.limit, **told)
    if sorting.falling:
        return worded("The highest {name} of each {group} goes from {low} to {high}.", **told)
    return worded("The lowest {name} of each {group} goes from {low} to {high}.", **told)


def _both(row: tuple[Cell, ...], named: Sequence[Profile]) -> str:
    """A group and who is first in it: Books, Learn to Draw."""
    found = [cell_said(row[c.index], c) for c in named if row[c.index] is not None][:2]
    return in_commas(found) if found else worded("without a name")


def wants_low(question: str, rows: Rows, measure: Profile, sorting: Sorting | None) -> bool:
    """Whether the lowest figures were asked for: the statement sorts by them so, else the question says so of rising rows."""
    if sorting is not None and sorting.by == measure.name.lower():
        return not sorting.falling
    cells = [row[measure.index] for row in rows.rows if number_of(row[measure.index]) is not None]
    rising = all(size_of(a) <= size_of(b) for a, b in zip(cells, cells[1:], strict=False))
    return rising and asks_low(question)


def _leads(called: str, measure: Profile, value: str, low: bool, counts: frozenset[str]) -> Saying:
    """Sentence of the first place and its figure: "Oslo has the fewest orders, 5"."""
    of = lower_first(column_said(measure))
    told = {"name": called, "value": value}
    if _NO_NOUN.search(of):
        if low:
            return worded("{name} comes last with {value}", **told)
        return worded("{name} leads with {value}", **told)
    if measure.name in counts or COUNTED.search(of) or _DONE.fullmatch(of):
        bare = name(of.removeprefix("number of ")) if of.startswith("number of ") else within(measure)
        if low:
            return worded("{name} has the fewest {figure}, {value}", figure=bare, **told)
        return worded("{name} has the most {figure}, {value}", figure=bare, **told)
    if low:
        return worded("{name} has the lowest {figure}, {value}", figure=within(measure), **told)
    return worded("{name} has the highest {figure}, {value}", figure=within(measure), **told)


def ranked_told(
    low: bool,
    whole: bool,
    rows: Rows,
    measure: Profile,
    named: Sequence[Profile],
    percents: frozenset[str],
    adds_up: bool,
    counts: frozenset[str],
    of_shown: bool = False,
) -> str:
    """Say who leads `of_shown` rows, with what share where the rows are the whole and their figures add up, and who follows."""
    entries = [(row, row[measure.index]) for row in rows.rows if number_of(row[measure.index]) is not None]
    if len(entries) < 2:
        return listed(rows, (*named, measure))
    entries.sort(key=lambda e: size_of(e[1]), reverse=not low)
    lead, second = entries[0], entries[1]
    ties = [e for e in entries if number_of(e[1]) == number_of(lead[1])]
    unit = measure.name in percents
    shown = (
        worded_count(
            "Of the {count} row shown, ",
            "Of the {count} rows shown, ",
            len(rows.rows),
            count=number(f"{len(rows.rows):,}"),
        )
        if of_shown
        else ""
    )
    value = figure_said(lead[1], unit)
    if len(ties) == len(entries):
        same = worded(
            "All {count} rows have the same {figure}, {value}.",
            count=number(f"{len(entries):,}"),
            figure=within(measure),
            value=value,
        )
        return in_a_row(same, cut_said(rows))
    if len(ties) > 1:
        names = [row_said(e[0], named) for e in ties]
        return in_a_row(shown, _tied(low, measure, names, value, begins=not of_shown), cut_said(rows))
    share = _share(whole and adds_up, measure, [e[1] for e in entries], lead[1])
    leads = _leads(row_said(lead[0], named), measure, value, low, counts)
    follows = worded(
        "; {name} follows with {value}", name=row_said(second[0], named), value=figure_said(second[1], unit)
    )
    total = _together(whole or not adds_up, rows, [e[1] for e in entries])
    return in_a_row(
        shown, leads if of_shown else begun_large(leads), share, follows, total, ".", cut_said(rows)
    )


def _tied(low: bool, measure: Profile, names: Sequence[str], value: str, *, begins: bool) -> str:
    """Say which rows share the first or the last place; a few by name, more by their number."""
    of = lower_first(column_said(measure))
    who = (
        all_of(names)
        if len(names) <= NAMED_TOGETHER
        else worded_count("{count} row", "{count} rows", len(names), count=number(f"{len(names):,}"))
    )
    told = {"names": begun_large(who) if begins else who, "value": value}
    if _NO_NOUN.search(of) or _DONE.fullmatch(of):
        if low:
            return worded("{names} share the last place with {value}.", **told)
        return worded("{names} share the first place with {value}.", **told)
    if low:
        return worded("{names} share the lowest {figure}, {value}.", figure=within(measure), **told)
    return worded("{names} share the highest {figure}, {value}.", figure=within(measure), **told)


def is_of_shown(rows: Rows, measure: Profile, low: bool, sorting: Sorting | None, sql: str) -> bool:
    """Whether a LIMIT took some rows and not those at this end of the figure: the sentence then says so."""
    if sorting is not None and sorting.groups and sorting.skipped:
        return True
    is_end = sorting is not None and sorting.by == measure.name.lower() and sorting.falling is not low
    return not (is_end and sorting is not None and not sorting.skipped) and is_part(sql, len(rows.rows))


def _share(whole: bool, measure: Profile, cells: Sequence[Cell], lead: Cell) -> str:
    """Say the leader's share of the total, only where the rows are the whole and can be added up."""
    numbers = [size_of(c) for c in cells]
    total = math.fsum(numbers)
    if not whole or SIGNS.search(measure.words) or min(numbers) < 0 or total <= 0:
        return ""
    if _PERCENT.search(measure.name):
        return ""
    return worded(", {share} of the total", share=percent_said(size_of(lead) / total))


def _together(whole: bool, rows: Rows, cells: Sequence[Cell]) -> str:
    """Say what some rows of a whole make together."""
    if whole or rows.truncated or len(cells) > 20:
        return ""
    total = sum((Decimal(str(c)) for c in cells), Decimal(0))
    return worded_count(
        ". The {count} together make {total}",
        ". The {count} together make {total}",
        len(cells),
        count=str(len(cells)),
        total=number_said(total),
    )


def is_whole(question: str, rows: Rows, sql: str, measure: Profile) -> bool:
    """Say whether the rows are all there are, so that shares of their total may be told."""
    if rows.truncated or _TOP.search(question) or _LIMIT.search(sql):
        return False
    sizes = [size_of(row[measure.index]) for row in rows.rows]
    is_sorted = sizes in (sorted(sizes), sorted(sizes, reverse=True))
    return bool(sql) or not (is_sorted and len(rows.rows) in _LIMITS)


def asks_low(question: str) -> bool:
    """Say whether a question asks for the lowest figures."""
    return bool(
        re.search(
            r"\b(?:lowest|least|fewest|smallest|worst|bottom|cheapest|shortest|youngest|lightest)\b",
            question,
            re.I,
        )
    )
