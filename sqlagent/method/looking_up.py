"""Words of a question looked up in the source itself, in columns whose values are not read yet.

Decides which words, in which columns, and how much that may cost; every statement runs as candidates do, through the guard. Leaves what a value that was found means to those who read the question.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from threading import Event as Flag
from time import monotonic
from typing import Protocol

from sqlglot import exp

from sqlagent.catalog.value_index import ValueIndex, normal
from sqlagent.catalog.value_reading import unread
from sqlagent.language.cues import CUE_WORDS
from sqlagent.language.lexicon import COMMAND_WORDS, DEMONYMS, MONTHS, STOP_WORDS
from sqlagent.language.saying import all_of, number, worded, worded_count
from sqlagent.language.words import Token, tokenise
from sqlagent.values import Candidate, Catalog, ColumnRef, Execution, Kind, LinkedSchema, Question, Table

STATEMENTS = 12
"""Statements one question may cost for this, each over one table."""

SECONDS = 4.0
"""Seconds for all of them together; the last one may take `STATEMENT_SECONDS` longer."""

WAVE = 4
"""Statements at once; where all words are found no further ones are run."""

STATEMENT_SECONDS = 2.0
"""The limits of one of them: a million rows take a tenth of it."""

COLUMNS = 8
"""Columns of a table looked through at once."""

FOLDED_ROWS = 100_000
"""Rows up to which letter case is folded in the database; of larger tables the usual spellings are looked for."""

PHRASES, LONGEST = 24, 4
"""Stretches of words that are looked for, and words of the longest."""

ROWS = 50
"""Values kept of one statement."""

VERY_NAME = 0.99
"""Score from which words are a table's or a column's name, and no value."""

_SMALL = STOP_WORDS | COMMAND_WORDS | CUE_WORDS | MONTHS.keys()


class Runs(Protocol):
    """Runs candidates through the guard."""

    def run(self, candidates: Sequence[Candidate], *, cancelled: Flag | None = None) -> Iterator[Execution]:
        """Yield one execution a candidate, in the order given."""
        ...


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The outcome of looking words up.

    `index` knows what was found beside what was read. `found` tells where words were found though its values are not
    read, `open` the likely columns of which that is not known: neither read nor looked through. `missing` counts columns
    that are not read, out of `total`.
    """

    index: ValueIndex | None
    found: tuple[tuple[ColumnRef, str], ...] = ()
    open: tuple[ColumnRef, ...] = ()
    missing: int = 0
    total: int = 0
    named: frozenset[str] = field(default_factory=frozenset)

    def told(self) -> str:
        """Say which columns are not read, naming the likely ones; empty where none matters."""
        if self.open:
            names = [f"{ref.table}.{ref.column}" for ref in self.open[:3]]
            more = len(self.open) - len(names)
            if more:
                return worded_count(
                    "The values of {names} and {count} more columns are not read yet.",
                    "The values of {names} and {count} more columns are not read yet.",
                    more,
                    names=", ".join(names),
                    count=str(more),
                )
            return worded("The values of {names} are not read yet.", names=all_of(names))
        if self.missing:
            return worded(
                "The values of {count} of {all} columns are not read yet.",
                count=number(f"{self.missing:,}"),
                all=number(f"{self.total:,}"),
            )
        return ""


def look_up(
    question: Question,
    linked: LinkedSchema,
    index: ValueIndex | None,
    executor: Runs,
    *,
    cancelled: Flag | None = None,
) -> LookedUp:
    """Look for a question's words in likely columns that are not read, or not whole.

    The tables that the question names come first, then those they point at, then the rest. Costs nothing where all is
    read and all words are known; else at most `STATEMENTS` statements and about `SECONDS`. Raises: Cancelled.
    """
    if index is None or index.progress is None:
        return LookedUp(index)
    catalog = linked.full
    missing = unread(catalog, index.columns())
    words = _phrases(question.text, linked)
    parts = index.progress.parts if linked.unlinked else frozenset()
    distances = _distances(catalog, linked, index)
    named = frozenset(table for table, far in distances.items() if far == 0)
    known = LookedUp(index, missing=len(missing), total=len(missing) + len(index.columns()), named=named)
    if not words or not (missing or parts):
        return known
    order = {unit.ref: number for number, unit in enumerate(index.progress.left) if unit.what == "values"}
    likely = sorted(
        (ref for ref in {*missing, *parts} if linked.unlinked or ref.table in distances),
        key=lambda ref: (distances.get(ref.table, 9), ref in parts, order.get(ref, len(order)), ref.table, ref.column),
    )  # fmt: skip
    found: dict[tuple[ColumnRef, str], None] = {}
    settled: set[ColumnRef] = set()
    unknown = {normal(word) for word in linked.unlinked}
    looks, until = list(_looks(catalog, likely, words))[:STATEMENTS], monotonic() + SECONDS
    while looks and monotonic() < until:
        wave, looks = looks[:WAVE], looks[WAVE:]
        running = executor.run([Candidate(sql, "lookup") for _, sql in wave], cancelled=cancelled)
        for (columns, _), ran in zip(wave, running, strict=True):
            if ran.rows is None:
                continue
            settled.update(columns)
            for row in ran.rows.rows:
                for ref, cell in zip(columns, row, strict=True):
                    if cell is not None and normal(str(cell)) in words:
                        found[ref, str(cell)] = None
        said = {word for _, text in found for word in normal(text).split()}
        if looks and unknown <= said and distances.get(looks[0][0][0].table, 9) > 0:
            break
    near = [ref for ref in likely if ref not in settled and distances.get(ref.table, 9) < 2]
    return LookedUp(
        index.beside(found) if found else index,
        tuple(one for one in found if one[0] in set(missing)),
        tuple(ref for ref in near if ref in set(missing)),
        known.missing,
        known.total,
        named,
    )


def doubts(looked: LookedUp, linked: LinkedSchema, sql: str, unused: Sequence[str] = ()) -> str:
    """Say why SQL may leave out a word that is a stored value nobody has read; empty where nothing speaks for it.

    So it is with a word that found nothing, or is among those a reading leaves `unused`, while columns are not read; and with one that was found elsewhere only, while
    likely columns of the very tables that are asked about are neither read nor looked through.
    """
    low = sql.lower()
    if looked.missing and any(word.lower() not in low for word in (*linked.unlinked, *unused)):
        return looked.told()
    tables = {match.column.table for match in linked.values}
    is_elsewhere = bool(tables) and not tables & looked.named
    if is_elsewhere and any(ref.table in looked.named for ref in looked.open):
        return looked.told()
    return ""


def _phrases(text: str, linked: LinkedSchema) -> dict[str, tuple[str, ...]]:
    """Stretches of words that may be stored values, folded, with the spellings to look for."""
    names = [(one.start, one.end) for one in linked.links if not one.value and one.score >= VERY_NAME]
    tokens = tokenise(text)
    out: dict[str, tuple[str, ...]] = {}

    def is_new(token: Token) -> bool:
        if token.kind == "quoted":
            return True
        is_named = any(start <= token.start and token.end <= end for start, end in names)
        return token.kind == "word" and len(token.low) > 1 and token.low not in _SMALL and not is_named

    for start, first in enumerate(tokens):
        for end in range(start + 1, min(len(tokens), start + LONGEST) + 1):
            last = tokens[end - 1]
            if last.kind not in ("word", "quoted", "number"):
                break
            is_small = {first.low, last.low} & _SMALL and end - start > 1
            if is_small or not any(map(is_new, tokens[start:end])) or len(out) >= PHRASES:
                continue
            typed = text[first.start : last.end].strip("\"'“”‘’")
            for key, spelled in _spellings(typed, first.low if end == start + 1 else ""):
                out.setdefault(key, spelled)
    return out


def _spellings(typed: str, low: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Words as they are looked up, with how they may be stored: as typed, and in the usual letter cases."""
    others = [other.title() for other in DEMONYMS.get(low, "").split("|") if len(other) > 2]
    single = [typed[:-1]] if low.endswith("s") and len(low) > 3 else []
    for one in (typed, *single, *others):
        key = normal(one)
        if key:
            yield key, tuple(dict.fromkeys((one, one.lower(), one.upper(), one.title(), one.capitalize())))


def _distances(catalog: Catalog, linked: LinkedSchema, index: ValueIndex) -> dict[str, int]:
    """Tables that the question names (0), those they point at (1), and those these point at (2)."""
    named = [one for one in linked.links if not one.value]
    tables = {one.table for one in named if not one.column and one.score >= 0.9}
    tables = tables or {one.table for one in named}
    points: dict[str, set[str]] = {}
    for table in catalog.tables:
        for key in table.foreign_keys:
            other = catalog.table(key.table, key.schema or table.schema)
            if other is not None:
                points.setdefault(table.key, set()).add(other.key)
    for found in index.facts.keys:
        points.setdefault(found.table, set()).add(found.target)
    out = dict.fromkeys(tables, 0)
    for far in (1, 2):
        for name in [one for one, near in out.items() if near == far - 1]:
            for pointed in points.get(name, ()):
                out.setdefault(pointed, far)
    return out


def _looks(
    catalog: Catalog, likely: Sequence[ColumnRef], words: dict[str, tuple[str, ...]]
) -> Iterator[tuple[list[ColumnRef], str]]:
    """Statements over one table each, with the columns they look through."""
    tables = {table.key: table for table in catalog.tables}
    grouped: dict[str, list[ColumnRef]] = {}
    for ref in likely:
        grouped.setdefault(ref.table, []).append(ref)
    for name, refs in grouped.items():
        table = tables[name]
        texts = [
            ref for ref in refs if (column := table.column(ref.column)) and column.kind is not Kind.BOOLEAN
        ]
        for at in range(0, len(texts), COLUMNS):
            columns = texts[at : at + COLUMNS]
            yield columns, _sql(catalog, table, columns, words)


def _sql(
    catalog: Catalog, table: Table, columns: Sequence[ColumnRef], words: dict[str, tuple[str, ...]]
) -> str:
    """The different values of some columns that are among the words."""
    is_folded = table.row_estimate is not None and table.row_estimate <= FOLDED_ROWS
    spelled = {s.lower() if is_folded else s for spellings in words.values() for s in spellings}
    literals = [exp.Literal.string(one) for one in sorted(spelled)]
    picked: list[exp.Expr] = []
    conditions: list[exp.In] = []
    for place, ref in enumerate(columns):
        column = table.column(ref.column)
        name: exp.Expression = exp.column(exp.to_identifier(ref.column, quoted=True))
        if column is not None and column.kind is Kind.OTHER:
            name = exp.cast(name, "text")
        is_said = exp.In(
            this=exp.Lower(this=name.copy()) if is_folded else name.copy(),
            expressions=[one.copy() for one in literals],
        )
        conditions.append(is_said)
        case = exp.Case(ifs=[exp.If(this=is_said.copy(), true=name.copy())])
        picked.append(exp.alias_(case, f"value_{place + 1}", quoted=False))
    source = exp.table_(
        exp.to_identifier(table.name, quoted=True),
        db=exp.to_identifier(table.schema, quoted=True) if table.schema else None,
    )
    asked = exp.select(*picked).distinct().from_(source).where(exp.or_(*conditions)).limit(ROWS)
    return asked.sql(catalog.dialect or None)
