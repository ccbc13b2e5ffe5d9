"""Joins groups that a person would call the same answer, and chooses which presentation of it is shown.

One answer are results that differ in the order of columns, in a label beside the key that is shown, in the labels of
periods, in percent against a fraction, or in cents against units where the column says cents. Cells are equal by the
one rule of `rows.cells`, never nearly. Where it is not certain, groups stay apart: a false join hides the right answer,
a split costs a call. Strict groups are `grouping`'s; the paper's mode and every figure of quality keep to them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice, permutations

from sqlglot import exp

from sqlagent.catalog.lookup import Lookup, lookup
from sqlagent.language.words import stem
from sqlagent.method.features.asking import asked
from sqlagent.method.features.naming import mention_order
from sqlagent.rows.cells import cell_key
from sqlagent.rows.columns import Role, profiles
from sqlagent.rows.period_labels import Period, periods, same
from sqlagent.sql.clauses import Clauses, read
from sqlagent.values import Cell, ExecutionGroup, LinkedSchema, Question

ROWS = 2_000
"""Longer results are not compared: their strict groups stand."""

TRIED = 200
"""Ways of pairing columns that are tried."""

EXTRA = 2
"""Label columns by which one presentation may be wider than another."""

_NAMING = frozenset(map(stem, ("name", "title", "label", "surname", "forename", "description")))
_WHICH = frozenset(map(stem, ("first", "last", "full", "display", "short", "long")))
_CENTS = re.compile(r"(?:^|_|\b)cents?(?:$|_|\b)", re.IGNORECASE)
_PERCENT = re.compile(r"\bpercent|%|\bpct\b", re.IGNORECASE)
_SHARE = re.compile(r"\b(?:percent\w*|pct|shares?|rates?|ratios?|proportions?|fractions?)\b|%", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Column:
    """One column of a result, with what its SQL takes it from: `source` is `table.column`, empty for an expression."""

    name: str
    source: str
    is_label: bool
    is_number: bool
    cells: tuple[Cell, ...]
    keys: tuple[str, ...]
    periods: tuple[Period, ...] | None


@dataclass(frozen=True, slots=True)
class _Result:
    """A group as it is compared."""

    group: ExecutionGroup
    clauses: Clauses
    columns: tuple[_Column, ...]
    scales: bool


Pair = tuple[Sequence[str], Sequence[str]]


def joined(
    question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup], ordered: bool
) -> tuple[ExecutionGroup, ...]:
    """Join groups that are one answer in several presentations; largest first, ties in the order given.

    A joined group keeps its parts in `variants`, the one to show first. `ordered` says that the order of rows counts.
    """
    if len(groups) < 2:
        return tuple(groups)
    names = lookup(linked.full)
    lengths = Counter(len(group.rows.rows) for group in groups)
    results = [
        _result(group, linked, names) if lengths[len(group.rows.rows)] > 1 else None for group in groups
    ]
    parts: list[list[int]] = []
    for i, mine in enumerate(results):
        near = [
            part
            for part in parts
            if any(
                (theirs := results[j]) and mine and _is_same(question, names, mine, theirs, ordered)
                for j in part
            )
        ]
        parts = [part for part in parts if part not in near] + [[*(j for part in near for j in part), i]]
    found = [
        _one(question, names, [groups[i] for i in sorted(part)], [results[i] for i in sorted(part)])
        for part in parts
    ]
    first = {id(group): min(part) for group, part in zip(found, parts, strict=True)}
    return tuple(sorted(found, key=lambda group: (-group.size, first[id(group)])))


def _result(group: ExecutionGroup, linked: LinkedSchema, names: Lookup) -> _Result | None:
    rows = group.rows
    clauses = read(group.members[0].sql, linked.full)
    if group.status != "ok" or len(rows.rows) > ROWS or clauses is None or not rows.columns:
        return None
    if len(clauses.select_columns) != len(rows.columns) or len(set(clauses.select)) != len(rows.columns):
        return None
    columns = []
    for found, (function, source), text in zip(
        profiles(rows), clauses.select_columns, clauses.select, strict=True
    ):
        cells = tuple(row[found.index] for row in rows.rows)
        is_plain = not function and text.lower().replace('"', "") == source
        columns.append(
            _Column(
                name=found.name.lower(),
                source=source if is_plain and names.column(source) else "",
                is_label=found.role in (Role.CATEGORY, Role.KEY) or (is_plain and _is_key(names, source)),
                is_number=found.role is Role.MEASURE,
                cells=cells,
                keys=tuple(map(cell_key, cells)),
                periods=periods(f"{found.name} {text}", cells),
            )
        )
    return _Result(group, clauses, tuple(columns), clauses.tree.find(exp.Div) is not None)


def _is_same(question: Question, names: Lookup, one: _Result, other: _Result, ordered: bool) -> bool:
    """Say whether two results are one answer, the one with fewer columns within the other."""
    few, many = sorted((one, other), key=lambda result: len(result.columns))
    if len(few.group.rows.rows) != len(many.group.rows.rows) or len(many.columns) - len(few.columns) > EXTRA:
        return False
    return any(
        _rows([pair[0] for pair in pairs], ordered) == _rows([pair[1] for pair in pairs], ordered)
        and _labels_fit(names, many, places)
        for places, pairs in _pairings(question, names, few, many)
    )


def _rows(columns: Sequence[Sequence[str]], ordered: bool) -> object:
    rows = list(zip(*columns, strict=True))
    return rows if ordered else Counter(rows)


def _pairings(
    question: Question, names: Lookup, few: _Result, many: _Result
) -> Iterator[tuple[tuple[int, ...], list[Pair]]]:
    """Give the ways to pair each column of one result with one of the other, with the keys to compare."""
    known = {
        (i, j): _pair(question, names, few, many, i, j)
        for i in range(len(few.columns))
        for j in range(len(many.columns))
    }
    for places in islice(permutations(range(len(many.columns)), len(few.columns)), TRIED):
        pairs = [pair for i, j in enumerate(places) if (pair := known[i, j]) is not None]
        if len(pairs) == len(places) and _is_told_apart(few, many, places):
            yield places, pairs


def _is_told_apart(few: _Result, many: _Result, places: Sequence[int]) -> bool:
    """Whether columns of one kind keep their order, or their names say which is which."""
    for kind in (True, False):
        mine = [(i, j) for i, j in enumerate(places) if few.columns[i].is_number is kind]
        if [j for _, j in mine] != sorted(j for _, j in mine) and any(
            few.columns[i].name != many.columns[j].name for i, j in mine
        ):
            return False
    return True


def _pair(question: Question, names: Lookup, few: _Result, many: _Result, i: int, j: int) -> Pair | None:
    """Give the keys of two columns under which they hold the same values; None where they do not."""
    mine, theirs = few.columns[i], many.columns[j]
    if Counter(mine.keys) == Counter(theirs.keys):
        return mine.keys, theirs.keys
    if mine.periods and theirs.periods:
        found = same(mine.periods, theirs.periods)
        return found if found and Counter(found[0]) == Counter(found[1]) else None
    is_scaled = (_SHARE.search(question.text) and few.scales and many.scales) or _is_cents(
        names, few, many, i, j
    )
    if mine.is_number and theirs.is_number and is_scaled:
        for one, other, turned in ((mine, theirs, False), (theirs, mine, True)):
            scaled = _hundredfold(one.cells)
            if scaled is not None and Counter(scaled) == Counter(other.keys):
                return (other.keys, scaled) if turned else (scaled, other.keys)
    return None


def _hundredfold(cells: Sequence[Cell]) -> tuple[str, ...] | None:
    try:
        return tuple("-" if cell is None else cell_key(Decimal(str(cell)) * 100) for cell in cells)
    except ArithmeticError:
        return None


def _is_cents(names: Lookup, few: _Result, many: _Result, i: int, j: int) -> bool:
    """Whether both show the same column, which says that it holds cents, and one of them divides it by 100."""
    one, other = few.clauses.select_columns[i], many.clauses.select_columns[j]
    column = names.column(one[1])
    if one != other or column is None or not (_CENTS.search(column.name) or _CENTS.search(column.comment)):
        return False
    divides = [
        bool(re.search(r"/ *100\b|\* *0\.01\b", r.clauses.select[k])) for r, k in ((few, i), (many, j))
    ]
    return divides[0] != divides[1]


def _labels_fit(names: Lookup, many: _Result, places: Sequence[int]) -> bool:
    """Whether every column beyond those shown by both labels one of these: one label a key, one key a label."""
    extra = [column for j, column in enumerate(many.columns) if j not in places]
    if not extra:
        return True
    shown = [many.columns[j] for j in places if many.columns[j].is_label]
    ends: set[str] = set()
    for column in extra:
        labelled = [
            other for other in shown if column.is_label and _labels(names, column.source, other.source)
        ]
        if not labelled:
            return False
        ends.update(other.source for other in labelled)
    keys = list(zip(*(column.keys for column in shown if column.source in ends), strict=True))
    labels = list(zip(*(column.keys for column in extra), strict=True))
    return len(set(keys)) == len(set(labels)) == len(set(zip(keys, labels, strict=True)))


def _labels(names: Lookup, one: str, other: str) -> bool:
    """Whether one column is a key and the other names the same thing, by the table or a foreign key."""
    if not one or not other:
        return False
    if frozenset((one, other)) in names.foreign:
        return True
    for key, label in ((one, other), (other, one)):
        if not _is_key(names, key) or not _names_its_own(names, label):
            continue
        table = label.partition(".")[0]
        if key.partition(".")[0] == table and key not in names.pointing:
            return True
        if any(
            key in pair and any(end != key and end.partition(".")[0] == table for end in pair)
            for pair in names.foreign
        ):
            return True
    return False


def _is_key(names: Lookup, source: str) -> bool:
    table, _, column = source.partition(".")
    known = names.tables.get(table)
    declared = known is not None and [name.lower() for name in known.primary_key] == [column]
    return declared or (
        column in names.columns.get(table, ()) and _own(names, source) <= {"id", "code", "key"}
    )


def _names_its_own(names: Lookup, source: str) -> bool:
    """Whether a column names the rows of its table (`name`, `customer_name`), and not something else of them."""
    own = _own(names, source)
    return bool(own & _NAMING) and own <= _NAMING | _WHICH


def _own(names: Lookup, source: str) -> set[str]:
    """The stems of a column's name that its table's name lacks."""
    return set(names.stems(source)) - set(names.stems(source.partition(".")[0]))


# ---------------------------------------------------------------- which one is shown


def _one(
    question: Question, names: Lookup, groups: Sequence[ExecutionGroup], results: Sequence[_Result | None]
) -> ExecutionGroup:
    """Make one group of several, that which fits the question best first."""
    if len(groups) == 1:
        return groups[0]
    worths = [_worth(question, names, result) for result in results if result is not None]
    order = sorted(range(len(groups)), key=lambda n: (tuple(-part for part in worths[n]), n))
    variants = tuple(groups[n] for n in order)
    members = tuple(member for variant in variants for member in variant.members)
    return replace(variants[0], members=members, variants=variants)


def _worth(question: Question, names: Lookup, result: _Result) -> tuple[float, ...]:
    """How well a presentation fits the question; the first difference decides, more is better."""
    ask = asked(question.text, question.hint)
    keys = sum(bool(column.source) and _is_key(names, column.source) for column in result.columns)
    labels = sum(column.is_label for column in result.columns) - keys
    size = sum(
        float(abs(c)) for column in result.columns if column.is_number for c in column.cells if c is not None
    )
    is_large = bool(_PERCENT.search(question.text)) or bool(_CENTS.search(question.text))
    plain, mixed = mention_order(ask, result.clauses, names)
    is_scaled = result.scales or any(_CENTS.search(text) for text in result.clauses.select)
    return (
        (size if is_large else -size) if is_scaled else 0.0,
        float(bool(labels)) if not ask.wants("ids") else float(bool(keys)),
        float(-labels if ask.wants("ids") and not ask.wants("names") else 0) - keys * (not ask.wants("ids")),
        plain + mixed,
        float(result.group.size),
        float(any(column.periods and column.periods[0].year for column in result.columns)),
    )
