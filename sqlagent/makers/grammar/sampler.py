"""The built-in generator behind the `Sampler` port: a beam of candidates without any LLM.

Decides how many readings are looked at and what is said of each; the reading itself is
`searching`, its SQL `composing` and `rendering`.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from threading import Event as Flag
from threading import Lock

from sqlagent.catalog.keys import catalog_key
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import Cancelled
from sqlagent.language.wording import asks_order
from sqlagent.language.words import tokenise
from sqlagent.makers.grammar.hinted import Defined, define, figured, preferring
from sqlagent.makers.grammar.notes import notes
from sqlagent.makers.grammar.reading import DATED, Reading, read
from sqlagent.makers.grammar.rendering import NoJoin, Renderer
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.scoring import weights
from sqlagent.makers.grammar.searching import Width, search
from sqlagent.makers.grammar.tree import Order, Query, base
from sqlagent.makers.grammar.weighing import Found
from sqlagent.sql.formatting import formatted
from sqlagent.values import Candidate, Catalog, ColumnRef, LinkedSchema, Question

NARROW = Width()
WIDE = Width(frames=12, roles=30, picks=10, loss=11.0)
"""Searched in resampling rounds, and when the narrow search composes nothing."""

TOLD = 3.0
"""How much more probable, as a logarithm, a formula that a hint spells out is than what the words alone say."""

BEAM = 8
"""Candidates of one pool; a beam's votes add up to this many."""

_schemas: OrderedDict[Hashable, tuple[ValueIndex | None, Schema]] = OrderedDict()
_lock = Lock()


def schema_of(catalog: Catalog, index: ValueIndex | None = None) -> Schema:
    """Give the catalog prepared for the grammar; the last 8 are kept: one of 10,000 columns takes 18 MB."""
    index = index.base if index is not None else None
    key = (catalog_key(catalog), id(index))
    with _lock:
        if key in _schemas:
            _schemas.move_to_end(key)
            return _schemas[key][1]
    made = Schema(catalog, index.flags() if index is not None else None)
    with _lock:
        _schemas[key] = (index, made)
        while len(_schemas) > 8:
            _schemas.popitem(last=False)
    return made


class GrammarSampler:
    """Makes candidates from the words of the question alone: no LLM, no network, no statement run."""

    def __init__(self, index: ValueIndex | None = None) -> None:
        self.index = index
        self._beams: OrderedDict[Hashable, list[Candidate]] = OrderedDict()

    def sample(
        self,
        question: Question,
        linked: LinkedSchema,
        *,
        count: int,
        start: int = 0,
        round: int = 0,
        feedback: Sequence[str] = (),
        cancelled: Flag | None = None,
    ) -> Iterator[Candidate]:
        """Yield up to `count` distinct candidates, best first, continuing the beam after `start`.

        A later round searches wider and goes on where the beam stands. Nothing is yielded for a
        question whose words find nothing. Raises: Cancelled.
        """
        beam = self._beam(question, linked, wide=round > 0)
        for candidate in beam[start : start + count]:
            if cancelled is not None and cancelled.is_set():
                raise Cancelled("stopped")
            yield replace(candidate, round=round)

    def _beam(self, question: Question, linked: LinkedSchema, wide: bool) -> list[Candidate]:
        key = (question.text, question.hint, catalog_key(linked.catalog), wide)
        if key in self._beams:
            return self._beams[key]
        schema = schema_of(linked.catalog, self.index)
        beam = candidates(question, schema, self.index, NARROW)
        if wide or not beam:
            known = {c.sql for c in beam}
            beam = beam + [c for c in candidates(question, schema, self.index, WIDE) if c.sql not in known]
        self._beams[key] = beam = weighed(beam)
        while len(self._beams) > 64:
            self._beams.popitem(last=False)
        return beam


def weighed(beam: Sequence[Candidate]) -> list[Candidate]:
    """Give a beam's members their votes: the probability of each among the first `BEAM`, times `BEAM`.

    Example:
        >>> [round(c.weight, 2) for c in weighed([Candidate("a", score=0.0), Candidate("b", score=-2.0)])]
        [7.05, 0.95]
    """
    odds = [math.exp((c.score or 0.0) - (beam[0].score or 0.0)) for c in beam]
    total = sum(odds[:BEAM])
    return [replace(c, weight=BEAM * o / total) for c, o in zip(beam, odds, strict=True)]


def candidates(
    question: Question, schema: Schema, index: ValueIndex | None, width: Width, limit: int = 24
) -> list[Candidate]:
    """Read a question and write its best trees as SQL of the catalog's dialect, each text once."""
    defined = define(question.hint, tokenise(question.text), schema, index) or [Defined()]
    readings = [_read(question.text, one, schema, index) for one in defined]
    renderer = Renderer(schema.graph, schema.catalog.dialect)
    out: dict[str, Candidate] = {}
    worded = index.worded() if index is not None else frozenset()
    asking = [r for r in readings if any(slot.kind in ("name", "value", "hint", "given") for slot in r.slots)]
    searched = [(one, found) for one in asking for found in search(one, schema, weights(), width)]
    best = max((found.score for _, found in searched), default=0.0)
    for reading, one in zip(readings, defined, strict=True):
        if (query := figured(reading, one, schema)) is not None and (sql := _written(renderer, query)):
            laid_out = formatted(sql, schema.catalog.dialect) or sql
            out[sql] = Candidate(
                laid_out, "grammar", 0, round(best + TOLD, 4), ("computed as the hint says",)
            )
    if len(asking) > 1:
        searched.sort(key=lambda pair: -pair[1].score)
    for reading, found in searched:
        if not _adds_up(found.query, schema, worded):
            continue
        if not asks_order(question.text):
            found = replace(found, query=_in_time(found.query))
        sql = _written(renderer, found.query)
        if sql and sql not in out:
            laid_out = formatted(sql, schema.catalog.dialect) or sql
            out[sql] = _candidate(laid_out, found, reading)
        if len(out) >= limit:
            break
    return list(out.values())


def _read(text: str, one: Defined, schema: Schema, index: ValueIndex | None) -> Reading:
    """Read a question with one choice among the meanings that its hint gives to words."""
    reading = read(text, schema.naming, index, one.slots)
    slots = tuple(preferring(reading.slots, one.preferred))
    return replace(reading, slots=slots, given=one.given, ways=one.ways)


def _adds_up(query: Query, schema: Schema, worded: frozenset[ColumnRef]) -> bool:
    """Whether all that is summed or averaged can be: no words, and no dates."""
    for term in (*query.select, *(o.term for o in query.order), *(c.term for c in query.having)):
        if term.agg not in ("sum", "avg") or term.col is None:
            continue
        table = base(term.col.table)
        column = schema.column(table, term.col.name)
        if ColumnRef(table, term.col.name) in worded or (column is not None and column.kind in DATED):
            return False
    return True


def _in_time(query: Query) -> Query:
    """Put the rows of a series in the order of time, where nobody asked for another."""
    period = next((term for term in query.group if term.part), None)
    if period is None or query.limit is not None or query.second is not None:
        return query
    return replace(query, order=(Order(period),))


def _written(renderer: Renderer, query: Query) -> str:
    try:
        return renderer.sql(query)
    except NoJoin:
        return ""


def _candidate(sql: str, found: Found, reading: Reading) -> Candidate:
    return Candidate(sql, "grammar", 0, round(found.score, 4), notes(found, reading))
