"""Definitions of a hint, as slots, conditions and joins of a question: its words mean that and nothing else.

Decides which tokens a definition takes and which slot it becomes. Where names do not tell which of several columns is
meant, each becomes a reading of its own. A definition whose words the question does not say is not used.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from sqlagent.catalog import hints
from sqlagent.catalog.hints.placing import place, place_text, trimmed
from sqlagent.catalog.hints.terms import Definition, Formula, Hint, Meaning, Test, Way
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.lexicon import STOP_WORDS, words_of
from sqlagent.language.mentions import Target
from sqlagent.language.words import Token, name_words, stem
from sqlagent.makers.grammar.composing import tied
from sqlagent.makers.grammar.features import slot_kind
from sqlagent.makers.grammar.reading import Reading, Slot, base_adjective
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.tree import Col, Computed, Cond, Query, Term, Via, base
from sqlagent.makers.grammar.weighing import asks_groups
from sqlagent.values import ColumnRef

READINGS = 3
"""Choices among meanings that are looked at."""

_CUES = words_of(
    """average averag avg mean total sum overall maximum max minimum min highest lowest largest biggest smallest most least
    top number count amount many much"""
)
_COMPARING = words_of(
    "over above under below more less greater fewer higher lower least most between exceeding"
)
_SMALL = frozenset({"of", "with", "a", "an", "the", "than", "at", "from", "is", "are"})
_NEGATIONS = frozenset({"not", "no", "without", "never", "except", "excluding", "neither", "nor", "non"})
_FIGURES = frozenset(
    {"percentage", "percent", "ratio", "difference", "proportion", "rate", "average", "share"}
)
_COLUMN_SUMMED = re.compile(r"\b(?:SUM|AVG|MIN|MAX)\(|COUNT\((?!CASE|\*)")
"""Aggregates of a column in a formula, whose rows are those of the column's table."""
_UNNAMED = frozenset({"calculation", "formula", "result", "answer"})
"""Phrases that say of a formula no more than that it is one."""


@dataclass(frozen=True, slots=True)
class Defined:
    """One choice of meanings: slots, conditions that hold whatever else is read, joins, columns to prefer, a formula.

    `hold` are the comparisons behind `slots` and `given`; `used` are the definitions that took part.
    """

    slots: tuple[Slot, ...] = ()
    given: tuple[tuple[Cond, ...], ...] = ()
    ways: tuple[Via, ...] = ()
    preferred: frozenset[ColumnRef] = frozenset()
    formula: Computed | None = None
    used: tuple[Definition, ...] = ()


@dataclass(frozen=True, slots=True)
class _Placed:
    definition: Definition
    start: int
    end: int


def define(text: str, tokens: Sequence[Token], schema: Schema, index: ValueIndex | None) -> list[Defined]:
    """Read a hint and find its words in a question; empty where it defines none of them."""
    if not text.strip():
        return []
    placed = _placed(hints.read(text, schema.catalog, index), tokens, schema)
    options = [one.definition.meanings for one in placed]
    choices = sorted(islice(product(*options), 60), key=_spread)[:READINGS]
    made = [_Definer(tokens, schema, placed, choice).defined() for choice in choices]
    return [one for one in made if one.used]


def _spread(choice: Sequence[Meaning]) -> int:
    """How many tables a choice takes: definitions of one question go together."""
    return len(frozenset().union(*(one.tables() for one in choice)))


def _placed(hint: Hint, tokens: Sequence[Token], schema: Schema) -> list[_Placed]:
    """Definitions with the tokens they take, each token in at most one; longer ones first."""
    stems = {key: frozenset(stem(w) for w in name_words(t.name)) for key, t in schema.tables.items()}
    nouns = frozenset(next(iter(own)) for own in stems.values() if len(own) == 1)
    found: list[_Placed] = []
    for one in hint.definitions:
        said = _said(one, tokens)
        if not said:
            continue
        if not one.phrase:
            said = tuple(range(_begin(one, said[0], tokens, schema), said[-1] + 1))
        span = said[0], said[-1] + 1
        own = frozenset[str]().union(*(stems[t] for m in one.meanings for t in m.tables()))
        if one.meanings[0].formula is None:
            span = trimmed(said, tokens, nouns, own if one.meanings[0].tests else frozenset())
        if _is_plain(one) or not _is_denied(span, tokens):
            found.append(_Placed(one, *span))
    out: list[_Placed] = []
    for here in sorted(found, key=lambda p: p.start - p.end):
        if all(here.end <= other.start or other.end <= here.start for other in out):
            out.append(here)
    return sorted(out, key=lambda p: p.start)


def _begin(one: Definition, first: int, tokens: Sequence[Token], schema: Schema) -> int:
    """Where a bare condition begins whose literal is said: at the words that compare with it or name its column."""
    columns = {t.column for m in one.meanings for clause in m.tests for t in clause}
    for at in range(first - 1, -1, -1):
        named = (schema.naming.items[n] for n in schema.naming.matches(tokens[at].stem))
        says = any(i.column is not None and ColumnRef(i.table.key, i.column.name) in columns for i in named)
        if says or tokens[at].low in _COMPARING:
            first = at
        elif tokens[at].low not in _SMALL:
            break
    return first


def _said(one: Definition, tokens: Sequence[Token]) -> tuple[int, ...]:
    """The tokens that say a definition's phrase, else the literals of its conditions."""
    if one.phrase and (said := place(one.phrase, tokens)):
        return said
    if one.meanings[0].formula is not None:
        figures = tuple(n for n, t in enumerate(tokens) if t.low in _FIGURES)
        return figures[:1] if one.phrase.lower() in _UNNAMED else ()
    texts = [v for clause in one.meanings[0].tests for test in clause for v in test.values]
    spans = [place_text(str(v).strip("%"), tokens) for v in texts]
    return tuple(sorted({n for span in spans for n in span})) if all(spans) else ()


def _is_plain(one: Definition) -> bool:
    """Whether a definition says that one column equals one text: the grammar knows how that is denied."""
    return all(_plain(m) is not None for m in one.meanings)


def _plain(meaning: Meaning) -> Test | None:
    if (
        meaning.shown
        or meaning.ways
        or meaning.formula
        or len(meaning.tests) != 1
        or len(meaning.tests[0]) != 1
    ):
        return None
    test = meaning.tests[0][0]
    return test if test.op == "=" and test.values and isinstance(test.values[0], str) else None


def _is_denied(span: tuple[int, int], tokens: Sequence[Token]) -> bool:
    """Whether a word right before says no to what a definition means."""
    return bool(_NEGATIONS & {w for t in tokens[max(0, span[0] - 3) : span[0]] for w in (t.low, t.stem)})


@dataclass(slots=True)
class _Definer:
    """Makes slots of placed definitions with their meanings chosen."""

    tokens: Sequence[Token]
    schema: Schema
    placed: Sequence[_Placed]
    choice: Sequence[Meaning]
    slots: list[Slot] = field(default_factory=list)
    given: list[tuple[Cond, ...]] = field(default_factory=list)
    ways: dict[Via, None] = field(default_factory=dict)
    preferred: set[ColumnRef] = field(default_factory=set)

    def defined(self) -> Defined:
        """Take the definitions one by one; those inside of a formula are its own and no conditions beside it."""
        formula = next(
            (m.formula for m in self.choice if m.formula is not None and m.formula.is_figure), None
        )
        inside = frozenset(formula.tests) if formula is not None else frozenset()
        used = []
        for here, meaning in zip(self.placed, self.choice, strict=True):
            if meaning.formula is not None:
                if meaning.formula is formula:
                    used.append(here.definition)
                continue
            if _said_tests(meaning) & inside:
                self._instances(here, meaning)  # the way that its words tell is the formula's too
                self.slots.append(Slot("given", here.start, here.end, text=self._text(here), defined=True))
            else:
                self._take(here, meaning)
            used.append(here.definition)
        computed = self._computed(formula) if formula is not None else None
        return Defined(
            tuple(self.slots), tuple(dict.fromkeys(self.given)), tuple(self.ways), frozenset(self.preferred), computed, tuple(used)
        )  # fmt: skip

    def _computed(self, formula: Formula) -> Computed:
        """A formula over the instances of tables that the definitions reach."""
        reached = {base(via.target): via.target for via in self.ways}
        return Computed(formula.sql, tuple(_col(ref, reached) for ref in formula.columns))

    def _take(self, here: _Placed, meaning: Meaning) -> None:
        instances = self._instances(here, meaning)
        if (test := _plain(meaning)) is not None and not instances:
            target = Target(test.column.table, test.column.column, str(test.values[0]), 1.0)
            self.slots.append(
                Slot("value", here.start, here.end, (target,), text=self._text(here), defined=True)
            )
            return
        self.given += [tuple(_cond(t, instances) for t in clause) for clause in meaning.tests]
        if not meaning.shown:
            self.slots.append(Slot("given", here.start, here.end, text=self._text(here), defined=True))
        elif meaning.agg:
            self._aggregate(here, meaning, instances)
        else:
            targets = tuple(Target(instances.get(r.table, r.table), r.column) for r in meaning.shown)
            targets = (*self._owner(here, meaning), *targets)
            for slot in [Slot("name", here.start, here.end, targets, text=self._text(here), defined=True)]:
                self.slots.append(slot)

    def _text(self, here: _Placed) -> str:
        return " ".join(t.text for t in self.tokens[here.start : here.end])

    def _owner(self, here: _Placed, meaning: Meaning) -> tuple[Target, ...]:
        """The table itself, where its noun is said to mean one of its columns ("guests refers to guest_name")."""
        ref = meaning.shown[0]
        noun = {stem(w) for w in name_words(self.schema.tables[ref.table].name)}
        said = {t.stem for t in self.tokens[here.start : here.end] if t.low not in STOP_WORDS}
        return (Target(ref.table),) if ref.column and said == noun else ()

    def _instances(self, here: _Placed, meaning: Meaning) -> dict[str, str]:
        """The instance of a table that a definition reaches, where there are several ways to it."""
        out: dict[str, str] = {}
        ways = list(meaning.ways)
        told = {way.target.table for way in ways}
        for ref in (*(t.column for clause in meaning.tests for t in clause), *meaning.shown):
            if ref.table not in told and (way := self._named_way(here, ref.table)) is not None:
                ways.append(way)
                told.add(ref.table)
        for way in ways:
            if len(self._edges(way.target.table, way.source.table)) > 1:
                out[way.target.table] = self._instance(way)
        return out

    def _edges(self, target: str, source: str = "") -> list[Way]:
        return [
            Way(ColumnRef(e.source, e.columns[0]), ColumnRef(e.target, e.referenced[0]))
            for e in self.schema.graph.edges
            if e.target == target and len(e.columns) == 1 and source in ("", e.source)
        ]

    def _named_way(self, here: _Placed, table: str) -> Way | None:
        """The only one of several keys to a table whose own words the phrase says ("billing city")."""
        said = {t.stem for t in self.tokens[here.start : here.end]}
        plain = {stem(w) for w in name_words(table.rpartition(".")[2])} | {"id"}
        edges = self._edges(table)
        fit = [e for e in edges if said & ({stem(w) for w in name_words(e.source.column)} - plain)]
        return fit[0] if len(fit) == 1 and len(self._edges(table, fit[0].source.table)) > 1 else None

    def _instance(self, way: Way) -> str:
        for via in self.ways:
            if (via.source, via.column, via.referenced) == (
                way.source.table,
                way.source.column,
                way.target.column,
            ):
                return via.target
        number = 2 + sum(via.target.startswith(f"{way.target.table}#") for via in self.ways)
        target = f"{way.target.table}#{min(number, 9)}"
        self.ways[Via(way.source.table, way.source.column, target, way.target.column)] = None
        return target

    def _aggregate(self, here: _Placed, meaning: Meaning, instances: dict[str, str]) -> None:
        """Words of computing stay what they are; the others name the column, and an adjective measures it."""
        ref = meaning.shown[-1]
        target = Target(instances.get(ref.table, ref.table), ref.column)
        self.preferred.add(ref)
        rest: list[int] = []
        for n in range(here.start, here.end):
            token = self.tokens[n]
            base, form = base_adjective(token.low)
            ends = meaning.agg in ("min", "max") and (form == "most" or token.low.endswith("est"))
            if token.low in _CUES or token.stem in _CUES:
                continue
            if ends and base or ends and not rest:
                sign = "up" if meaning.agg == "max" else "down"
                self.slots.append(
                    Slot("adjective", n, n + 1, (target,), text=token.low, form=f"most:{sign}", defined=True)
                )
            elif token.low not in STOP_WORDS:
                rest.append(n)
        if not rest:
            return
        measured = any(s.kind == "adjective" and here.start <= s.start < here.end for s in self.slots)
        shown = meaning.shown[0] if len(meaning.shown) > 1 else None
        if measured and shown is None:
            return
        named = Target(instances.get(shown.table, shown.table), shown.column) if shown is not None else target
        text = " ".join(self.tokens[n].text for n in rest)
        self.slots.append(Slot("name", rest[0], rest[-1] + 1, (named,), text=text, defined=True))


def _said_tests(meaning: Meaning) -> set[Test]:
    """The comparisons of a meaning; one with what a key points at is one with the key too."""
    tests = {test for clause in meaning.tests for test in clause}
    keys = {replace(t, column=way.source) for t in tests for way in meaning.ways if way.target == t.column}
    return tests | keys


def figured(reading: Reading, one: Defined, schema: Schema) -> Query | None:
    """The one figure that a formula gives over the rows that the rest of the question speaks of.

    None where a number, a text, a period, a column or a group is left that the formula says nothing of. One that counts conditions counts the
    rows of the tables that the question names.
    """
    if one.formula is None or any(
        slot.kind in ("number", "text", "period", "grain") for slot in reading.slots
    ):
        return None
    inside = {(col.table, col.name) for col in one.formula.cols}
    columns = [s.columns() for s in reading.slots if s.kind == "name" and slot_kind(s) == "column"]
    if asks_groups(reading.signs) or not all(inside & {(t.table, t.column) for t in c} for c in columns):
        return None
    equal: dict[Col, list[Cond]] = {}
    for slot in reading.slots:
        target = slot.targets[0] if slot.targets else None
        if (
            slot.kind == "value"
            and target is not None
            and (slot.defined or (target.table, target.column) not in inside)
        ):
            col = Col(target.table, target.column)
            equal.setdefault(col, []).append(Cond(Term(col=col), "=", (target.value,)))
    where = (*(tuple(conds) for conds in equal.values()), *reading.given)
    named = [s.targets[0].table for s in reading.slots if s.kind == "name" and slot_kind(s) == "table"]
    tables = tuple(dict.fromkeys(named)) if _COLUMN_SUMMED.search(one.formula.sql) is None else ()
    return tied(Query(select=(Term(computed=one.formula),), tables=tables, where=where), reading.ways)


def _cond(test: Test, instances: dict[str, str]) -> Cond:
    col = _col(test.column, instances)
    right = _col(test.other, instances) if test.other is not None else None
    return Cond(Term(col=col), test.op, test.values, right=right)


def _col(ref: ColumnRef, instances: dict[str, str]) -> Col:
    return Col(instances.get(ref.table, ref.table), ref.column)


def preferring(slots: Sequence[Slot], preferred: frozenset[ColumnRef]) -> Iterator[Slot]:
    """Slots that may name a preferred column name it alone."""
    for slot in slots:
        own = tuple(t for t in slot.targets if ColumnRef(t.table, t.column) in preferred)
        is_open = own and slot.kind in ("name", "adjective", "hint") and not slot.defined
        yield replace(slot, targets=own) if is_open else slot
