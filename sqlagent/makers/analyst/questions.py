"""Example questions of a source, made from its semantic model: a total by a dimension, the top few, a trend, a share ...

Decides what is worth asking, and offers a question only when the analyst reads it as the very frame it was made for, with
no word left out, and the guard passes its SQL. Runs no statement. Values are named of categories alone, never of persons.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from weakref import WeakKeyDictionary

from sqlagent.catalog.semantics import Field, Form, Kind, Role, Thing
from sqlagent.catalog.semantics.words import CATEGORICAL, GEOGRAPHY, KEYS
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import plural_of, singular, stem
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.concepts.meant import summed
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Measure
from sqlagent.makers.analyst.sampler import analyse
from sqlagent.makers.analyst.source import Source, source_of
from sqlagent.values import Catalog, ColumnRef, LinkedSchema, Outcome, Question

TRIES = 60
"""Questions read for one source at most: each takes some milliseconds, more where there are a thousand tables."""

GROUPS = range(2, 31)
"""Different values of a dimension that people take in at a glance."""

ANCHORS = 3
"""Tables whose figures are asked about, the one with the most rows first."""

NEAR_ENOUGH = 0.3
"""Cost up to which a business word surely has its role here."""

_GEOGRAPHY = frozenset(stem(word) for word in GEOGRAPHY)
_NAMEABLE = _GEOGRAPHY | frozenset(
    stem(word)
    for word in [
        "type",
        "category",
        "kind",
        "class",
        "tier",
        "level",
        "segment",
        "status",
        "channel",
        "method",
        "mode",
        "priority",
        "severity",
        "device",
        "medium",
        "brand",
        "industry",
        "sector",
    ]
)
"""Columns whose values are named in a question; what else sorts rows (a team, a plan, a code) may bear a person's name."""

_PARTS = frozenset({"header", "head", "line", "lines", "detail", "details", "item", "items"})
_SAID = re.compile(r"(?=.*[aeiouy])[a-z]{3,}")
_SMALL = frozenset({"of", "to", "in", "on", "at", "by", "no"})
_TIMES = (Form.DAY, Form.MOMENT, Form.TEXT_DAY, Form.TEXT_MOMENT, Form.NUMBER_DAY, Form.TEXT_NUMBER_DAY)

Check = Callable[[Frame], bool]

Passes = Callable[[str], bool]
"""Whether the guard lets a statement run."""

_kept: WeakKeyDictionary[Source, dict[tuple[int, Hashable], tuple[str, ...]]] = WeakKeyDictionary()


def example_questions(
    catalog: Catalog, index: ValueIndex | None, passes: Passes, limit: int = 10, policy: Hashable = None
) -> tuple[str, ...]:
    """Give up to `limit` questions of different families that the analyst answers; empty where the model has nothing to ask.

    Kept as long as the source's model is, for each `policy` that `passes` stands for, so asking again costs nothing; the
    first time takes a tenth of a second.
    """
    if not any(table.columns for table in catalog.tables):
        return ()
    source = source_of(catalog, index)
    kept = _kept.setdefault(source, {})
    if (limit, policy) not in kept:
        kept[limit, policy] = Making(source, catalog, index, passes).questions(limit)
    return kept[limit, policy]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A question, and what the frame must be that it is read as. `uses` are dimensions it would use up."""

    text: str
    checks: tuple[Check, ...]
    uses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Group:
    """Something to group by: how it is said, the column that is shown, the thing it is of."""

    said: str
    shown: Field
    table: str

    def is_in(self, dimensions: Sequence[Dimension]) -> bool:
        """Whether a frame groups by this alone."""
        return len(dimensions) == 1 and not dimensions[0].grain and dimensions[0].shown[0].field == self.shown


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of one table's rows: how it is said, and what is computed."""

    said: str
    measure: Measure

    def is_first(self, frame: Frame) -> bool:
        """Whether a frame shows this figure alone."""
        return len(frame.measures) == 1 and _same(frame.measures[0], self.measure)


class Making:
    """Questions worth asking of a source, table by table; `left` is how many questions are still read."""

    def __init__(self, source: Source, catalog: Catalog, index: ValueIndex | None, passes: Passes) -> None:
        self.source = source
        self.model = source.model
        self.index = index
        self.catalog = catalog
        self.passes = passes
        self.used: Counter[str] = Counter()
        self.left = TRIES

    def questions(self, limit: int) -> tuple[str, ...]:
        """The first question of each family that holds, table by table."""
        out: dict[str, None] = {}
        asked: set[str] = set()
        for anchor in self._anchors():
            figure = self._figure(anchor)
            if figure is None:
                continue
            for family in FAMILIES:
                if len(out) >= limit:
                    return tuple(out)
                if family.__name__ in asked:
                    continue
                found = next((p for p in family(self, anchor, figure) if self._holds(p)), None)
                if found is not None and found.text not in out:
                    out[found.text] = None
                    asked.add(family.__name__)
                    self.used.update(found.uses)
        return tuple(out)

    def _holds(self, proposal: Proposal) -> bool:
        """Whether the analyst reads a question as it is meant, and would run it."""
        return self._understood(proposal) is not None

    def _understood(self, proposal: Proposal) -> tuple[Frame, str] | None:
        """The frame and the SQL of a question that the analyst reads as it is meant, and would run."""
        if self.left <= 0:
            return None
        self.left -= 1
        linked = LinkedSchema(self.catalog, self.catalog)
        analysis = analyse(Question(proposal.text), linked, self.index)
        if not analysis.speaks or analysis.outcome()[0] is not Outcome.ANSWERED or analysis.reading.mended:
            return None
        if not all(check(analysis.frames[0].frame) for check in proposal.checks):
            return None
        sql = analysis.candidates[0].sql
        return (analysis.frames[0].frame, sql) if self.passes(sql) else None

    # ------------------------------------------------------------ what there is to ask about

    def _anchors(self) -> list[Thing]:
        """Tables whose rows are worth summing up: the selling event first, then events, then things, by their rows."""
        revenue = meant(self.source, "revenue")
        first = revenue[0].measure.anchor if revenue and revenue[0].cost < NEAR_ENOUGH else ""
        things = [
            t for t in self.model.things.values() if t.kind not in (Kind.CODES, Kind.DATES, Kind.HISTORY)
        ]
        happens = {Kind.EVENT: 0, Kind.LINES: 1}
        things.sort(key=lambda t: (t.table != first, happens.get(t.kind, 2), -t.rows, t.table))
        return things[:ANCHORS]

    def _figure(self, anchor: Thing) -> Figure | None:
        """The figure that sums up the rows of a table: revenue, else another total, else how many there are."""
        for one in meant(self.source, "revenue"):
            if one.measure.anchor == anchor.table and one.cost < NEAR_ENOUGH:
                return Figure("revenue", one.measure)
        return self._counted(anchor)

    def _counted(self, thing: Thing) -> Figure | None:
        said = self._plural(thing)
        return Figure(said, Measure("rows", thing.table)) if said else None

    def _plural(self, thing: Thing) -> str:
        """The plural of a thing; empty where its name is no word that people say."""
        words = [w for w in thing.said.split() if w not in _PARTS] or thing.said.split()
        last = words[-1]
        if not all(map(_is_said, words)):
            return ""
        if thing.kind in (Kind.EVENT, Kind.LINES) and len(words) > 1 and plural_of(words[0]) == words[0]:
            words = words[1:]
        return " ".join([*words[:-1], last if last.endswith("s") else plural_of(last)])

    def _groups(self, table: str) -> list[_Group]:
        """The groups of a table's rows, those not used so far and those nearest first."""
        found: list[tuple[tuple[int, int, int], _Group]] = []
        for other, paths in self.source.graph.up(table).items():
            thing = self.model.things[other]
            if not paths or len(paths[0]) > 2 or thing.kind in (Kind.DATES, Kind.CODES):
                continue
            for one in self.model.of_role(other, Role.DIMENSION):
                if one.separator:
                    continue
                said = _bare(one.said)
                is_name = thing.kind is Kind.THING and one.column in thing.display
                if is_name and len(thing.display) == 1 and thing.rows in GROUPS and other != table:
                    said = singular(thing.said)
                elif is_name or self.source.is_personal(one) and not set(one.words) & _sorting():
                    continue
                if not all(map(_is_said, said.split())) or self._distinct(one) not in GROUPS:
                    continue
                plain = 0 if set(one.words) & _sorting() or one.codes is not None else 1
                found.append(
                    ((self.used[one.table + one.column], plain, len(paths[0])), _Group(said, one, other))
                )
        return [group for _, group in sorted(found, key=lambda pair: pair[0])][:5]

    def _distinct(self, one: Field) -> int:
        """How many different values a column holds; without statistics what its name suggests."""
        facts = self.index.facts.tables.get(one.table) if self.index is not None else None
        known = facts.columns.get(one.column) if facts is not None else None
        if known is not None:
            return known.distinct
        return 2 if set(one.words) & _sorting() else 0

    def _named(self, table: str) -> list[tuple[str, Thing]]:
        """Things with names that a table's rows belong to and that are too many to group by."""
        out = []
        for other, paths in self.source.graph.up(table).items():
            thing = self.model.things[other]
            said = self._plural(thing)
            if (
                other != table
                and paths
                and said
                and thing.kind is Kind.THING
                and thing.display
                and thing.rows > 5
            ):
                out.append((len(paths[0]), said, thing))
        return [(said, thing) for _, said, thing in sorted(out, key=lambda one: (one[0], one[1]))][:4]

    def _heads(self, anchor: Thing) -> list[str]:
        """The events that a table's rows are lines of."""
        up = self.source.graph.up(anchor.table)
        return [t for t, paths in up.items() if paths and self.model.things[t].kind is Kind.EVENT]

    def _year(self, table: str) -> int | None:
        """The last full year that a table's rows tell of, else the last one begun."""
        time = self.source.time_of(table)
        if time is None or time.field.form not in _TIMES:
            return None
        low, high = (re.sub(r"\D", "", end)[:8] for end in (time.field.low, time.field.high))
        newest = re.sub(r"\D", "", self.model.newest)
        high = min(high, newest) if newest else high
        if (
            len(high) < 8
            or len(low) < 8
            or self.model.things[time.field.table].kind is Kind.DATES
            and not newest
        ):
            return None
        year, month = int(high[:4]), int(high[4:6])
        return year - 1 if month < 12 and int(low[:4]) < year else year

    def _years(self, table: str) -> int:
        """In how many years a table's rows began."""
        time, year = self.source.time_of(table), self._year(table)
        return year - int(time.field.low[:4]) + 1 if time is not None and year is not None else 0

    # ------------------------------------------------------------ families

    def total(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """A figure by a dimension in a period."""
        year = self._year(anchor.table)
        for group in self._groups(anchor.table):
            yield self._by(figure, group, f"{_upper(figure.said)} by {group.said}", year)

    def top(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """The five things with the highest figure."""
        for said, thing in self._named(anchor.table):
            by = figure.said if figure.measure.agg != "rows" else f"number of {figure.said}"
            checks = (figure.is_first, _by_thing(thing), _limit(5), _where(0))
            yield Proposal(f"Top 5 {said} by {by}", checks, (thing.table,))

    def trend(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """A figure month by month."""
        year = self._year(anchor.table)
        if year is not None:
            text = f"{_upper(figure.said)} by month, {year}"
            yield Proposal(text, (figure.is_first, _grain("month"), _in_year(year), _where(1)))

    def share(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """Each group's share of the whole."""
        for group in self._groups(anchor.table):
            found = self._by(figure, group, f"Share of {figure.said} by {group.said}", None)
            yield Proposal(found.text, (*found.checks, _transform("share")), found.uses)

    def without(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """Things to which nothing happened."""
        year = self._year(anchor.table)
        tables = frozenset({anchor.table, *self._heads(anchor)})
        events = dict.fromkeys((self._plural(anchor), self._plural(anchor).rpartition(" ")[2]))
        for said, thing in sorted(self._named(anchor.table), key=lambda one: -one[1].rows):
            for event in filter(None, events):
                checks = (_without(thing.table, tables), _where(1))
                for when in ([f" in {year}"] if year is not None else []) + [""]:
                    yield Proposal(f"{_upper(said)} without {event}{when}", checks)

    def counted(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """How many things there are of each kind."""
        things = [thing for _, thing in self._named(anchor.table)]
        for thing in [*things, anchor]:
            count = self._counted(thing)
            if count is None:
                continue
            for group in self._groups(thing.table):
                yield self._by(count, group, f"Number of {count.said} by {group.said}", None)

    def average(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """An average by a dimension: of orders, else of a column that is averaged."""
        year = self._year(anchor.table)
        worth = next((m for m in meant(self.source, "order value") if m.cost < NEAR_ENOUGH), None)
        if worth is not None and worth.measure.anchor == anchor.table:
            value = Figure("average order value", worth.measure)
            for group in self._groups(anchor.table)[:2]:
                yield self._by(value, group, f"Average order value by {group.said}", year)
        for one in self._measures(anchor.table):
            expr = Measure("avg", anchor.table, summed(one).expr)
            for group in self._groups(anchor.table)[:2]:
                for said in _without_unit(one.said):
                    yield self._by(Figure(one.said, expr), group, f"Average {said} by {group.said}", None)

    def growth(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """How a figure changed from one year to the next."""
        year = self._year(anchor.table)
        if year is None or self._years(anchor.table) < 2:
            return
        for group in self._groups(anchor.table):
            text = f"{_upper(figure.said)} growth {year} vs {year - 1} by {group.said}"
            checks = (_between(figure, year), lambda f, g=group: g.is_in(f.by), _where(0))
            yield Proposal(text, checks, (group.table + group.shown.column,))

    def best_of_each(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """The three best things within each of their kinds."""
        for said, thing in self._named(anchor.table):
            for group in self._groups(thing.table):
                text = f"Top 3 {said} in each {group.said} by {figure.said}"
                checks = (
                    figure.is_first,
                    _by_thing(thing),
                    _limit(3),
                    _where(0),
                    lambda f, g=group: g.is_in(f.per),
                )
                yield Proposal(text, checks, (group.table + group.shown.column,))

    def running(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """A running total over the months of a year."""
        year = self._year(anchor.table)
        if year is not None:
            text = f"Running total of {figure.said} by month, {year}"
            checks = (figure.is_first, _grain("month"), _in_year(year), _where(1), _transform("running"))
            yield Proposal(text, checks)

    def compared(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """Two categories side by side."""
        for group in self._groups(anchor.table):
            values = self._values(group.shown)
            if len(values) < 2:
                continue
            text = f"{_upper(figure.said)}: {values[0]} vs {values[1]}"
            yield self._by(figure, group, text, None, extra=(_named_values(group.shown, values[:2]),))

    def margin(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """The rest after costs."""
        year = self._year(anchor.table)
        for one in meant(self.source, "margin")[:1]:
            if one.cost < NEAR_ENOUGH and one.measure.anchor == anchor.table:
                for group in self._groups(anchor.table):
                    yield self._by(Figure("margin", one.measure), group, f"Margin by {group.said}", year)

    def events(self, anchor: Thing, figure: Figure) -> Iterator[Proposal]:
        """On which days of the week things happen."""
        count = self._counted(anchor)
        if count is not None and self._year(anchor.table) is not None:
            checks = (count.is_first, _grain("weekday"), _where(0))
            yield Proposal(f"Number of {count.said} by weekday", checks)

    # ------------------------------------------------------------ parts of proposals

    def _by(
        self, figure: Figure, group: _Group, text: str, year: int | None, extra: tuple[Check, ...] = ()
    ) -> Proposal:
        """A figure by a dimension, in a year where one is given."""
        checks: list[Check] = [figure.is_first, lambda frame: group.is_in(frame.by), *extra]
        checks.append(_where((year is not None) + len(extra)))
        if year is not None:
            checks.append(_in_year(year))
        text = text if year is None else f"{text}, {year}"
        return Proposal(text, tuple(checks), (group.table + group.shown.column,))

    def _measures(self, table: str) -> list[Field]:
        """Columns worth averaging, those that are never added up first."""
        found = [
            one
            for one in self.source.measures(table)
            if not set(one.words) & KEYS and all(map(_is_said, one.said.split()))
        ]
        return sorted(found, key=lambda one: one.aggregate != "avg")[:3]

    def _values(self, one: Field) -> list[str]:
        """Values of a category that may be named, in their stored order; none of what could be a person's."""
        if self.source.is_personal(one) or not set(one.words) & _NAMEABLE or one.is_number:
            return []
        if one.separator:
            return []
        if one.codes is not None:
            texts: Sequence[str] = [label for _, label in one.codes.pairs]
        else:
            known = dict(one.labels)
            texts = self.index.texts_of(ColumnRef(one.table, one.column)) if self.index is not None else ()
            texts = [known.get(text, text) for text in texts]
        plain = [t for t in texts if len(t) <= 24 and t.replace(" ", "").isalpha()]
        return plain[:2] if len(plain) == len(texts) else []


FAMILIES = (
    Making.total, Making.top, Making.trend, Making.share, Making.without, Making.counted, Making.average,
    Making.growth, Making.best_of_each, Making.compared, Making.margin, Making.running, Making.events,
)  # fmt: skip


# ---------------------------------------------------------------- what a frame must be


def _same(one: Measure, other: Measure) -> bool:
    """Whether two measures compute the same, whatever they are called."""
    if (one.agg, one.anchor, one.expr, one.where, one.percent) != (
        other.agg,
        other.anchor,
        other.expr,
        other.where,
        other.percent,
    ):
        return False
    pairs = ((one.over, other.over), (one.under, other.under))
    return all((a is None) == (b is None) and (a is None or b is None or _same(a, b)) for a, b in pairs)


def _by_thing(thing: Thing) -> Check:
    def check(frame: Frame) -> bool:
        shown = frame.by[0].shown[0].field if len(frame.by) == 1 else None
        return shown is not None and (shown.table, shown.column) == (thing.table, thing.display[0])

    return check


def _grain(grain: str) -> Check:
    return lambda frame: len(frame.by) == 1 and frame.by[0].grain == grain


def _limit(limit: int) -> Check:
    return lambda frame: frame.limit == limit and not frame.offset


def _transform(name: str) -> Check:
    return lambda frame: frame.transform == name


def _where(count: int) -> Check:
    return lambda frame: len(frame.where) == count and not frame.having


def _is_year(condition: Condition, year: int) -> bool:
    period = condition.period
    return period is not None and (period.first, period.until) == (date(year, 1, 1), date(year + 1, 1, 1))


def _in_year(year: int) -> Check:
    return lambda frame: any(_is_year(condition, year) for condition in frame.where)


def _without(thing: str, events: Collection[str]) -> Check:
    def check(frame: Frame) -> bool:
        if frame.anchor != thing or frame.measures:
            return False
        return any(c.op == "exists" and c.negated and c.child in events for c in frame.where)

    return check


def _between(figure: Figure, year: int) -> Check:
    def check(frame: Frame) -> bool:
        if frame.transform != "between" or len(frame.measures) != 2:
            return False
        pairs = zip(frame.measures, (year - 1, year), strict=True)
        return all(
            m.expr == figure.measure.expr
            and m.agg == figure.measure.agg
            and any(_is_year(c, y) for c in m.where)
            for m, y in pairs
        )

    return check


def _named_values(one: Field, values: Sequence[str]) -> Check:
    labels = dict(one.codes.pairs if one.codes is not None else one.labels)

    def check(frame: Frame) -> bool:
        return any(
            c.op == "in" and c.slots[0].field == one and {labels.get(v, v) for v in c.values} == set(values)
            for c in frame.where
        )

    return check


# ---------------------------------------------------------------- words


def _sorting() -> frozenset[str]:
    """Stems of columns that sort rows into kinds or places."""
    return CATEGORICAL | _GEOGRAPHY


_CURRENCY = re.compile(
    r"eur|usd|gbp|chf|sek|nok|dkk|pln|czk|huf|jpy|cny|inr|aud|cad|nzd|brl|mxn|zar|sgd|hkd", re.IGNORECASE
)
_UNIT = re.compile(
    r"m?g|kg|lbs?|oz|t|[kcm]?m|mi|ft|[mc]?l|sqm|m[23]|ha|k?wh?|mw|[gm]b|secs?|mins?|hrs?|pct|percent",
    re.IGNORECASE,
)
"""Units that names of columns end in."""


def _is_said(word: str) -> bool:
    """Whether a word of a name is one that people say: "eu" and "xyz" are not."""
    return word in _SMALL or bool(_SAID.fullmatch(word))


def _bare(said: str) -> str:
    """A column's words without what names it as a column.

    Example:
        >>> _bare("category name"), _bare("priority code"), _bare("code")
        ('category', 'priority', 'code')
    """
    words = said.split()
    while len(words) > 1 and words[-1] in ("name", "code", "key", "label", "id"):
        words.pop()
    return " ".join(words)


def _without_unit(said: str) -> tuple[str, ...]:
    """A column's words as people say them, likely ways first: a unit at the end of its name goes, or stands in brackets.

    Example:
        >>> _without_unit("fee eur"), _without_unit("weight kg"), _without_unit("fee")
        (('fee', 'fee (EUR)'), ('weight', 'weight (kg)'), ('fee',))
    """
    what, _, unit = said.rpartition(" ")
    is_money = bool(_CURRENCY.fullmatch(unit))
    if not what or not (is_money or _UNIT.fullmatch(unit)):
        return (said,)
    return what, f"{what} ({unit.upper() if is_money else unit})"


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
