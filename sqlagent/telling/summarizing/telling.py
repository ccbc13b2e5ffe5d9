"""Sentences from rows without an LLM: what is worth saying about their shape."""

from __future__ import annotations

import math
import re
from calendar import month_name
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

from sqlagent.rows.columns import Profile, Role, is_additive, number_of, order_key, profiles, wall_clock
from sqlagent.rows.percents import is_percent
from sqlagent.rows.sorting import Sorting, sorting_of
from sqlagent.rows.subject import in_two_periods, measures_first, ranked_by, times_along
from sqlagent.telling.summarizing.aggregates import averages_in, counts_in
from sqlagent.values import Cell, Chart, Kind, Rows

_TOP = re.compile(
    r"\b(?:top|best|first|last|bottom|worst|(?:two|three|four|five|six|seven|eight|nine|ten|\d+)\s+\w*(?:est|most|least))\b"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|twenty|\d{1,3})\b|\b\w{3,}est\b|\bmost\b|\bleast\b|\bfewest\b",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"\b(?:limit|fetch|top|qualify)\b", re.IGNORECASE)
_LIMITS = frozenset((5, 10, 15, 20, 25, 50, 100, 200, 500, 1_000))
_PERCENT = re.compile(r"percent|pct|share|ratio|rate|proportion", re.IGNORECASE)
_COUNTED = re.compile(r"^(?:number of )?(?:\w+[^\Ws]s|people|staff|children|men|women)$", re.IGNORECASE)
_SIGNS = re.compile(r"[/*+=()<>|\[\]{}?:]|\s-\s|\bcase\b", re.IGNORECASE)
"""What stands in expressions and in no name that people read."""
_YEAR = re.compile(r"(?:1[89]|20)\d\d(?:\.0)?")
_CONDITION = re.compile(r"\b(?:where|having|join|qualify)\b", re.IGNORECASE)
_NO_NOUN = re.compile(r"^(?:best|top|most|least|worst|highest|lowest)\b", re.IGNORECASE)
"""A figure that is named as what comes first in it: nothing has "the highest best sellers"."""
_DONE = re.compile(r"\w{3,}ed|sold|bought|lent|sent|paid|won|lost", re.IGNORECASE)
"""A figure that is named as what was done: there is the most returned, and no highest."""
_OF_EACH = re.compile(r"\b(?:each|every|per)\s+(?!of\b|one\b|the\b)([a-z]{3,}(?:-[a-z]+)*)\b", re.IGNORECASE)
_AVERAGED = re.compile(r"average|\bavg\b|\bmean\b|\bper\b|rate|ratio|share|percent|typical", re.IGNORECASE)
"""Names that say of themselves how a figure is reckoned."""
_MANY_DIGITS = 10_000

NAMED_TOGETHER = 3
"""Rows that share the first place and are still named."""


def summarize(
    question: str,
    rows: Rows,
    chart: Chart | None = None,
    *,
    sql: str = "",
    meant: Collection[str] = (),
    only_notable: bool = False,
) -> str:
    """Say in one or two plain sentences what the rows answer.

    Every number said is in the rows or computed from them (`verify` of the result finds
    nothing). Never claims a share of the whole when the rows are cut or only the top of it: as
    the question or the SQL says, or, without SQL, when sorted rows are as many as limits are. Speaks of the
    measure that is drawn, else of the one that `sqlagent.rows.subject.measures_first` gives. With `only_notable` rows
    of which nothing stands out give no sentence: lists, and figures that are the same everywhere or at the top.

    Example:
        >>> summarize("revenue by country", Rows(("country", "revenue"), (("Germany", 6), ("France", 3), ("Spain", 1))))
        'Germany has the highest revenue, 6, 60 % of the total; France follows with 3.'
        >>> summarize("how many?", Rows(("count(*)",), ((1234,),)))
        'The count is 1,234.'
        >>> both = ((2025, "web", 100), (2025, "store", 60), (2026, "web", 118), (2026, "store", 54))
        >>> summarize("revenue by channel", Rows(("year", "channel", "revenue"), both))
        'Revenue by channel: web rose from 100 in 2025 to 118 in 2026, up 18 %; store fell from 60 to 54, down 10 %.'
    """
    if not rows.columns:
        return "The statement returned no columns."
    if not rows.rows:
        return (
            "No rows: nothing matches these conditions." if not sql or _CONDITION.search(sql) else "No rows."
        )
    averages = averages_in(sql)
    columns = [_averaged(_timed(rows, c), averages) for c in profiles(rows)]
    measures = [c for c in columns if c.role == Role.MEASURE and c.nulls < len(rows.rows)]
    times = list(times_along(question, columns, len(rows.rows)))
    labels = [c for c in columns if c.role == Role.CATEGORY]
    percents = frozenset(c.name for c in columns if c.role == Role.MEASURE and is_percent(c.name, sql))
    sorting, counts = sorting_of(sql), counts_in(sql)
    if len(rows.rows) == 1:
        return _first(rows, columns, percents, sorting, counts) or _one(rows, columns, percents)
    measures = list(measures_first(question, measures, sql=sql, meant=meant)) or measures
    if only_notable and not _stands_out(question, rows, measures, [*labels, *times], chart):
        return ""
    ranked = ranked_by(sql, measures)
    along = next((t for t in times if t.distinct == len(rows.rows)), None)
    if along is not None and measures and ranked is None:
        return _series(rows, along, _measure(measures, chart), percents)
    if (
        len(times) == len(labels) == 1
        and measures
        and times[0].distinct == 2
        and (told := _compared(rows, times[0], labels[0], _measure(measures, chart), percents))
    ):
        return told
    if len(labels) == 1 and labels[0].distinct == len(rows.rows) and (both := in_two_periods(measures)):
        return _between(rows, labels[0], both, percents) or _listed(rows, columns)
    if told := _of_each(question, rows, columns, percents, sorting):
        return told
    single = [c for c in labels if c.distinct == len(rows.rows)]
    named = [*(single or [*labels, *times]), *(c for c in columns if c.role == Role.KEY)]
    if measures and named:
        measure = _measure(measures, chart)
        adds_up = is_additive(measure.name) and measure.name not in averages and measure.name not in percents
        whole = _is_whole(question, rows, sql, measure)
        return _ranked(
            _way(question, rows, measure, sorting), whole, rows, measure, named, percents, adds_up, counts
        )
    numbers = [c for c in columns if c.role == Role.MEASURE and c.nulls < len(rows.rows)]
    if numbers and len(numbers) == len(columns):
        return _numbers(rows, numbers)
    return _listed(rows, columns)


def _stands_out(
    question: str, rows: Rows, measures: Sequence[Profile], named: Sequence[Profile], chart: Chart | None
) -> bool:
    """Whether one row, or a few, can be told from the others: by a figure that is not the same for most, and a name."""
    if not measures or not named:
        return False
    place = _measure(measures, chart).index
    numbers = [number for row in rows.rows if (number := number_of(row[place])) is not None]
    if len(set(numbers)) < 2:
        return False
    # A series goes somewhere, whatever is at its top.
    is_low = numbers == sorted(numbers) and _asks_low(question)
    first = min(numbers) if is_low else max(numbers)
    return any(c.role == Role.TIME for c in named) or numbers.count(first) <= NAMED_TOGETHER


def _said(column: Profile) -> str:
    """A column's name in words; of an expression its value, as nobody reads "the highest n/cid"."""
    return "value" if _SIGNS.search(column.words) else column.words


def _timed(rows: Rows, column: Profile) -> Profile:
    """A column of years that are stored as text or number is a time where its name says so."""
    if column.role == Role.TIME or _lower(column.words).split()[-1:] not in (["year"], ["years"]):
        return column
    cells = [row[column.index] for row in rows.rows if row[column.index] is not None]
    years = bool(cells) and all(_YEAR.fullmatch(str(cell)) for cell in cells)
    return replace(column, role=Role.TIME) if years else column


def _averaged(column: Profile, averages: Collection[str]) -> Profile:
    """A column that the SQL averages is called so, where its name does not say it: "The average age is 51.1"."""
    if column.name not in averages or column.role != Role.MEASURE or _AVERAGED.search(column.words):
        return column
    return replace(column, called=f"Average {_lower(column.words)}")


def _measure(measures: Sequence[Profile], chart: Chart | None) -> Profile:
    """Take the measure that is drawn, so that chart and sentence speak of the same one."""
    drawn = [m for m in measures if chart is not None and m.name in chart.y]
    return drawn[0] if drawn else measures[0]


# ---------------------------------------------------------------- shapes of rows


def _one(rows: Rows, columns: Sequence[Profile], percents: frozenset[str]) -> str:
    row = rows.rows[0]
    if all(cell is None for cell in row):
        return "There is no value: the one row found is empty (NULL)."
    if len(columns) == 1:
        words, value = _said(columns[0]), f"{_cell(row[0], columns[0])}{_unit(columns[0], percents)}"
        heads = words, words.partition(" per ")[0]
        if any(_COUNTED.search(head.rpartition(" ")[2]) for head in heads):
            return f"{_upper(words)}: {value}."
        return f"The {_lower(words)} is {value}."
    said = [(c, row[c.index]) for c in columns if row[c.index] is not None and c.kind != Kind.BINARY][:4]
    label = next((pair for pair in said if pair[0].role in (Role.CATEGORY, Role.TIME)), None)
    rest = [pair for pair in said if pair is not label and (pair[0].role != Role.KEY or label is None)]
    facts = _join([f"{_lower(_said(c))} {_cell(cell, c)}{_unit(c, percents)}" for c, cell in rest])
    if label is None:
        return f"One row: {facts}."
    return f"{_upper(_cell(label[1], label[0]))}{': ' + facts if facts else ''}."


def _series(rows: Rows, when: Profile, measure: Profile, percents: frozenset[str]) -> str:
    """Say where a series began, ended and peaked."""
    points = [
        (row[when.index], row[measure.index])
        for row in sorted(rows.rows, key=lambda r: order_key(r[when.index]))
        if row[when.index] is not None and number_of(row[measure.index]) is not None
    ]
    if len(points) < 2:
        return _listed(rows, (when, measure))
    (first_at, first), (last_at, last) = points[0], points[-1]
    change = _sub(last, first)
    name, unit = _upper(_lower(_said(measure))), _unit(measure, percents)
    way = "rose" if change > 0 else "fell"
    if change == 0:
        text = f"{name} began and ended at {_number(first)}{unit} ({_cell(first_at, when)} to {_cell(last_at, when)})"
    else:
        percent = _points(change) if unit else _percent_change(first, last)
        by = f", {percent}" if percent else ""
        text = (
            f"{name} {way} from {_number(first)}{unit} in {_cell(first_at, when)} to {_number(last)}{unit} "
            f"in {_cell(last_at, when)}{by}"
        )
    peak_at, peak = max(points, key=lambda p: _size(p[1]))
    low_at, low = min(points, key=lambda p: _size(p[1]))
    extra = []
    if len(points) > 2 and peak_at not in (first_at, last_at):
        extra.append(f"it peaked at {_number(peak)}{unit} in {_cell(peak_at, when)}")
    if len(points) > 2 and low_at not in (first_at, last_at) and low != peak:
        extra.append(f"its lowest was {_number(low)}{unit} in {_cell(low_at, when)}")
    return f"{text}{'; ' + ' and '.join(extra) if extra else ''}.{_cut(rows)}"


def _compared(rows: Rows, when: Profile, label: Profile, measure: Profile, percents: frozenset[str]) -> str:
    """Say how each value of a label changed between two times, the largest changes first; "" where one stands twice."""
    found: dict[Cell, dict[Cell, Cell]] = {}
    for row in rows.rows:
        of = found.setdefault(row[label.index], {})
        if row[when.index] is None or row[when.index] in of:
            return ""
        of[row[when.index]] = row[measure.index]
    first, last = sorted({time for of in found.values() for time in of}, key=order_key)
    both = [
        (name, of[first], of[last])
        for name, of in found.items()
        if name is not None and number_of(of.get(first)) is not None and number_of(of.get(last)) is not None
    ]
    if not both or rows.truncated:
        return ""
    times = (_cell(first, when), _cell(last, when))
    return _changes(both, label, _said(measure), _unit(measure, percents), times)


def _between(
    rows: Rows, label: Profile, of: tuple[tuple[str, Profile], tuple[str, Profile]], percents: frozenset[str]
) -> str:
    """The same of a figure that stands in a column for each of two periods."""
    (first, before), (last, now) = of
    both = [
        (row[label.index], row[before.index], row[now.index])
        for row in rows.rows
        if row[label.index] is not None
        and number_of(row[before.index]) is not None
        and number_of(row[now.index]) is not None
    ]
    if not both or rows.truncated:
        return ""
    measure = _said(now)
    measure = measure[: -len(last)].strip() if measure.lower().endswith(last.lower()) else measure
    return _changes(both, label, measure, _unit(now, percents), (first, last))


def _changes(
    both: list[tuple[Cell, Cell, Cell]], label: Profile, measure: str, unit: str, times: tuple[str, str]
) -> str:
    both = sorted(both, key=lambda one: -abs(_sub(one[2], one[1])))
    said = [
        _moved(_cell(name, label), a, b, unit, times if n == 0 else None)
        for n, (name, a, b) in enumerate(both[:3])
    ]
    lead = " changed most" if len(both) > 3 else ""
    return f"{_upper(_lower(measure))} by {_lower(_said(label))}{lead}: {'; '.join(said)}."


def _moved(name: str, first: Cell, last: Cell, unit: str, times: tuple[str, str] | None) -> str:
    """How one value went: web rose from 1.03 M in 2025 to 1.22 M in 2026, up 18 %."""
    change = _sub(last, first)
    at = (f" in {times[0]}", f" in {times[1]}") if times else ("", "")
    if change == 0:
        return f"{name} stayed at {_number(last)}{unit}" + (
            f" from {times[0]} to {times[1]}" if times else ""
        )
    percent = _points(change) if unit else _percent_change(first, last)
    way = "rose" if change > 0 else "fell"
    by = f", {percent}" if percent else ""
    return f"{name} {way} from {_number(first)}{unit}{at[0]} to {_number(last)}{unit}{at[1]}{by}"


def _first(
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
    value = f"{_number(row[measure.index])}{_unit(measure, percents)}"
    return f"{_upper(_leads(_name(row, [label]), measure, value, not sorting.falling, counts))}."


def _of_each(
    question: str,
    rows: Rows,
    columns: Sequence[Profile],
    percents: frozenset[str],
    sorting: Sorting | None,
) -> str:
    """Say how far the first figures of groups reach, where only the first of each group is kept; "" of other rows."""
    if sorting is None or sorting.limit != 1 or sorting.skipped or len(sorting.groups) != 1 or rows.truncated:
        return ""
    measure = next((c for c in columns if c.role == Role.MEASURE and c.name.lower() == sorting.by), None)
    group = next((c for c in columns if c.name.lower() == sorting.groups[0]), None)
    if measure is None or group is None:
        return ""
    entries = sorted(
        (row for row in rows.rows if number_of(row[measure.index]) is not None),
        key=lambda row: _size(row[measure.index]),
    )
    if len(entries) < 2 or number_of(entries[0][measure.index]) == number_of(entries[-1][measure.index]):
        return ""
    named = [group, *(c for c in columns if c.role in (Role.CATEGORY, Role.KEY) and c is not group)]
    unit = _unit(measure, percents)
    low, high = (
        f"{_number(row[measure.index])}{unit} ({_both(row, named)})" for row in (entries[0], entries[-1])
    )
    asked = _OF_EACH.search(question)
    each = (
        asked[1].lower()
        if asked
        else "group"
        if group.words.lower() in ("name", "title")
        else _lower(group.words)
    )
    way = "highest" if sorting.falling else "lowest"
    return f"The {way} {_lower(_said(measure))} of each {each} goes from {low} to {high}."


def _both(row: tuple[Cell, ...], named: Sequence[Profile]) -> str:
    """A group and who is first in it: Books, Learn to Draw."""
    return (
        ", ".join([_cell(row[c.index], c) for c in named if row[c.index] is not None][:2]) or "without a name"
    )


def _way(question: str, rows: Rows, measure: Profile, sorting: Sorting | None) -> bool:
    """Whether the lowest figures were asked for: the statement sorts by them so, else the question says so of rising rows."""
    if sorting is not None and sorting.by == measure.name.lower():
        return not sorting.falling
    cells = [row[measure.index] for row in rows.rows if number_of(row[measure.index]) is not None]
    rising = all(_size(a) <= _size(b) for a, b in zip(cells, cells[1:], strict=False))
    return rising and _asks_low(question)


def _leads(name: str, measure: Profile, value: str, low: bool, counts: frozenset[str]) -> str:
    """Who comes first, by which figure: "Oslo has the fewest orders, 5"."""
    of = _lower(_said(measure))
    if _NO_NOUN.search(of):
        return f"{name} {'comes last' if low else 'leads'} with {value}"
    many = measure.name in counts or _COUNTED.search(of) or _DONE.fullmatch(of)
    most = ("the fewest" if low else "the most") if many else ("the lowest" if low else "the highest")
    of = of.removeprefix("number of ") if many else of
    return f"{name} has {most} {of}, {value}"


def _ranked(
    low: bool,
    whole: bool,
    rows: Rows,
    measure: Profile,
    named: Sequence[Profile],
    percents: frozenset[str],
    adds_up: bool,
    counts: frozenset[str],
) -> str:
    """Say who leads, with what share where the rows are the whole and their figures add up, and who follows."""
    entries = [(row, row[measure.index]) for row in rows.rows if number_of(row[measure.index]) is not None]
    if len(entries) < 2:
        return _listed(rows, (*named, measure))
    entries.sort(key=lambda e: _size(e[1]), reverse=not low)
    lead, second = entries[0], entries[1]
    ties = [e for e in entries if number_of(e[1]) == number_of(lead[1])]
    of, unit = _lower(_said(measure)), _unit(measure, percents)
    name = _name(lead[0], named)
    if len(ties) == len(entries):
        return f"All {len(entries):,} rows have the same {of}, {_number(lead[1])}{unit}.{_cut(rows)}"
    if len(ties) > 1:
        names = (
            _join([_name(e[0], named) for e in ties])
            if len(ties) <= NAMED_TOGETHER
            else f"{len(ties):,} rows"
        )
        if _NO_NOUN.search(of) or _DONE.fullmatch(of):
            return f"{_upper(names)} share the {'last' if low else 'first'} place with {_number(lead[1])}{unit}.{_cut(rows)}"
        return f"{_upper(names)} share the {'lowest' if low else 'highest'} {of}, {_number(lead[1])}{unit}.{_cut(rows)}"
    share = _share(whole and adds_up, measure, [e[1] for e in entries], lead[1])
    text = f"{_upper(_leads(name, measure, f'{_number(lead[1])}{unit}', low, counts))}{share}"
    follows = f"; {_name(second[0], named)} follows with {_number(second[1])}{unit}"
    total = _together(whole or not adds_up, rows, [e[1] for e in entries])
    return f"{text}{follows}{total}.{_cut(rows)}"


def _numbers(rows: Rows, measures: Sequence[Profile]) -> str:
    """Say how far numbers without names reach."""
    spans = []
    for measure in measures[:3]:
        cells = [row[measure.index] for row in rows.rows if number_of(row[measure.index]) is not None]
        if not cells:
            continue
        low = min(cells, key=lambda c: _size(c))
        high = max(cells, key=lambda c: _size(c))
        reach = f"from {_number(low)} to {_number(high)}" if low != high else f"always {_number(low)}"
        spans.append(f"{_lower(_said(measure))} {reach}")
    return f"{_count(rows)}: {_join(spans)}.{_cut(rows)}"


def _listed(rows: Rows, columns: Sequence[Profile]) -> str:
    """Say how many rows there are and name a few of them."""
    label = next((c for c in columns if c.role == Role.CATEGORY), columns[0])
    cells = list(
        dict.fromkeys(_cell(r[label.index], label) for r in rows.rows[:200] if r[label.index] is not None)
    )
    count = _count(rows)
    if not cells:
        return f"{count}."
    if len(cells) == 1 and len(rows.rows) > 1:
        return f"{count}, all with {_lower(_said(label))} {cells[0]}."
    shown = cells[:3]
    if len(cells) <= 3 and len(rows.rows) == len(cells):
        return f"{count}: {_join(shown)}."
    return f"{count}, beginning with {_join(shown)}."


# ---------------------------------------------------------------- parts of sentences


def _share(whole: bool, measure: Profile, cells: Sequence[Cell], lead: Cell) -> str:
    """Say the leader's share of the total, only where the rows are the whole and can be added up."""
    numbers = [_size(c) for c in cells]
    total = math.fsum(numbers)
    if not whole or _SIGNS.search(measure.words) or min(numbers) < 0 or total <= 0:
        return ""
    if _PERCENT.search(measure.name):
        return ""
    return f", {_percent(_size(lead) / total)} of the total"


def _together(whole: bool, rows: Rows, cells: Sequence[Cell]) -> str:
    """Say what some rows of a whole make together."""
    if whole or rows.truncated or len(cells) > 20:
        return ""
    total = sum((Decimal(str(c)) for c in cells), Decimal(0))
    return f". The {len(cells)} together make {_number(total)}"


def _is_whole(question: str, rows: Rows, sql: str, measure: Profile) -> bool:
    if rows.truncated or _TOP.search(question) or _LIMIT.search(sql):
        return False
    sizes = [_size(row[measure.index]) for row in rows.rows]
    is_sorted = sizes in (sorted(sizes), sorted(sizes, reverse=True))
    return bool(sql) or not (is_sorted and len(rows.rows) in _LIMITS)


def _asks_low(question: str) -> bool:
    return bool(
        re.search(
            r"\b(?:lowest|least|fewest|smallest|worst|bottom|cheapest|shortest|youngest|lightest)\b",
            question,
            re.I,
        )
    )


def _name(row: tuple[Cell, ...], named: Sequence[Profile]) -> str:
    parts = [_cell(row[c.index], c) for c in named if row[c.index] is not None and c.role != Role.KEY][:2]
    if not parts:
        parts = [f"{_lower(_said(c))} {_cell(row[c.index], c)}" for c in named if row[c.index] is not None][
            :1
        ]
    if not parts:
        return "the row without a name"
    return f"{parts[0]} ({parts[1]})" if len(parts) > 1 else parts[0]


def _cell(cell: Cell, column: Profile) -> str:
    if cell is None:
        return "none"
    if isinstance(cell, (int, float, Decimal)) and not isinstance(cell, bool) and number_of(cell) is None:
        return "a number too large to say"
    if isinstance(cell, int) and 1 <= cell <= 12 and _lower(column.words) == "month of year":
        return month_name[cell]
    if column.role == Role.TIME or column.role == Role.KEY or column.ordered:
        if isinstance(cell, datetime):
            at = wall_clock(cell)
            return (
                at.date().isoformat() if at.time().isoformat() == "00:00:00" else at.isoformat(" ", "minutes")
            )
        if isinstance(cell, float) and cell.is_integer() and abs(cell) < 1e15:
            return str(int(cell))
        return cell.isoformat() if isinstance(cell, date) else str(cell)
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, (int, float, Decimal)):
        return _number(cell)
    text = " ".join(str(cell).split())
    return text if len(text) <= 60 else text[:59].rstrip() + "…"


def _number(cell: Cell) -> str:
    """Say a number for reading: grouped; large ones in M or billions with two decimals."""
    if number_of(cell) is None:
        return "a number too large to say"
    number = Decimal(str(cell)) if not isinstance(cell, Decimal) else cell
    size = abs(number)
    for limit, unit in ((Decimal(10) ** 9, "billion"), (Decimal(10) ** 6, "M")):
        if size >= limit and size < Decimal(10) ** 13:
            return f"{_trim(f'{_round(number / limit, 2):,f}')} {unit}"
    if number == number.to_integral_value():
        return f"{int(number):,}"
    if size >= _MANY_DIGITS:
        return f"{_round(number, 0):,f}"
    digits = 2 if size >= 1 else min(10, 2 - number.adjusted())
    return _trim(f"{_round(number, digits):,f}")


def _round(number: Decimal, digits: int) -> Decimal:
    return number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _percent(part: float) -> str:
    percent = part * 100
    return f"{percent:.0f} %" if percent >= 10 or percent == round(percent) else f"{percent:.1f} %"


def _percent_change(first: Cell, last: Cell) -> str:
    start, end = number_of(first), number_of(last)
    if start is None or end is None or start <= 0 or end < 0:
        return ""
    change = (end - start) / start
    if abs(change) >= 9.995:
        return ""
    return f"{'up' if change > 0 else 'down'} {_percent(abs(change))}"


def changed_since(name: str, before: Cell, now: Cell, when: str, *, sql: str = "") -> str:
    """Say how one figure changed since an earlier moment, `when` in words; empty where one of the two is no number.

    Example:
        >>> changed_since("revenue", 698423, 720523.17, "on 2 November 2026")
        'up 3.2 % from 698,423 on 2 November 2026'
        >>> changed_since("orders", 5, 5, "on 2 November 2026"), changed_since("profit", -5, 3, "in May")
        ('the same as on 2 November 2026', 'up 8 from -5 in May')
    """
    if number_of(before) is None or number_of(now) is None:
        return ""
    change = Decimal(str(now)) - Decimal(str(before))
    if not change:
        return f"the same as {when}"
    in_percent = is_percent(name, sql)
    share = _points(float(change)) if in_percent else _percent_change(before, now)
    unit = " %" if in_percent else ""
    # A change of less than a thousandth is told as it is: "up 0.0 %" tells none.
    is_told = in_percent or abs(change) * 2_000 >= abs(Decimal(str(before)))
    by = share if share and is_told else f"{'up' if change > 0 else 'down'} {_number(abs(change))}"
    return f"{by} from {_number(before)}{unit} {when}"


def _unit(measure: Profile, percents: frozenset[str]) -> str:
    return " %" if measure.name in percents else ""


def _points(change: float) -> str:
    """A change of a percentage: a difference in points, as percent of percent misleads."""
    points = _number(round(abs(change), 2) or abs(change))
    return f"{'up' if change > 0 else 'down'} {points} point{'' if points == '1' else 's'}"


def _size(cell: Cell) -> float:
    return number_of(cell) or 0.0


def _sub(last: Cell, first: Cell) -> float:
    return _size(last) - _size(first)


def _count(rows: Rows) -> str:
    return f"{'More than ' if rows.truncated else ''}{len(rows.rows):,} rows"


def _cut(rows: Rows) -> str:
    return f" Only the first {len(rows.rows):,} rows were read." if rows.truncated else ""


def _join(parts: Sequence[str]) -> str:
    return ", ".join(parts) if len(parts) < 2 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _lower(words: str) -> str:
    return words if len(words) > 1 and words[1].isupper() else words[:1].lower() + words[1:]


def _upper(words: str) -> str:
    return words[:1].upper() + words[1:]
