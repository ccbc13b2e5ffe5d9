"""Other measures: summed up in another way, another figure of the same event, or how many rows there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Kind
from sqlagent.language.saying import template, worded
from sqlagent.language.words import plural_of, singular, stem
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.chips.settling import settled
from sqlagent.makers.analyst.chips.values import REMOVE, Option, Part
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.frames import OFF, Expr, Frame, Measure, Slot
from sqlagent.makers.analyst.source import Source

_AGGREGATES = {
    "sum": template("total {figure}"),
    "avg": template("average {figure}"),
    "median": template("median {figure}"),
    "max": template("largest {figure}"),
    "min": template("smallest {figure}"),
}
_SUMMED = tuple(one.removesuffix("{figure}") for one in _AGGREGATES.values())
_CONCEPTS = (
    "revenue", "cost", "spend", "margin", "margin rate", "order value", "units", "units per order", "orders", "collected",
    "outstanding", "return rate", "cancellation rate", "conversion rate", "utilisation", "churn rate",
)  # fmt: skip
"""Business words offered where the event has them."""

NEAR = 0.4
"""Cost up to which a business word surely has its role in an event."""


def measure_parts(frame: Frame, source: Source) -> Iterator[Part]:
    """Give a chip for each figure; one for both where a figure is compared with itself."""
    measures = frame.measures
    if frame.transform == "between" and len({(m.agg, m.expr, m.anchor) for m in measures}) == 1:
        when = _when(measures[0])
        bare = replace(measures[0], said=measures[0].said.removesuffix(when).strip())
        plain = replace(frame, measures=(bare, *measures[1:]))
        options = tuple(_compared(plain, option) for option in _options(plain, 0, source))
        words = telling.measure(replace(bare, where=()))
        yield Part("measure:0", "measure", "", words, options)
        return
    if frame.formula is not None:
        yield Part("measure:0", "measure", "", telling.explained(frame.formula), ())
        return
    is_one_table = len({m.anchor for m in measures}) == 1
    for place, one in enumerate(measures):
        options = tuple(_options(frame, place, source)) if is_one_table else ()
        said = (
            one
            if is_one_table
            else replace(
                one, where=tuple(c for c in one.where if c.op != "period" and not c.said.startswith(OFF))
            )
        )
        words = telling.measure(said)
        yield Part(f"measure:{place}", "measure", "", words, (*options, *_removed(frame, place)))


def _options(frame: Frame, place: int, source: Source) -> Iterator[Option]:
    old = frame.measures[place]
    for words, key, group, measure in _others(old, source):
        new = replace(measure, where=old.where) if not measure.where else measure
        measures = (*frame.measures[:place], new, *frame.measures[place + 1 :])
        order = replace(frame.order, by=None, measure=None) if frame.order is not None else None
        changed = settled(replace(frame, measures=measures, order=order))
        yield Option(
            words, key, group, changed, worded("{words} instead of {old}", words=words, old=_short(old))
        )


def _others(old: Measure, source: Source) -> Iterator[tuple[str, str, str, Measure]]:
    """The measures that may stand in for one: words, key, heading, measure."""
    if old.agg in _AGGREGATES and old.expr is not None:
        base = _base(old)
        for agg, form in _AGGREGATES.items():
            if agg != old.agg and (agg != "sum" or _adds_up(old.expr)):
                yield worded(form, figure=base), f"agg:{agg}", "Summed up as", replace(old, agg=agg)
    seen = {(old.agg, old.expr)}
    thing = source.model.things[old.anchor]
    for concept in _CONCEPTS:
        found = next((m for m in meant(source, concept) if m.measure.anchor == old.anchor), None)
        if (
            found is None
            or found.cost > NEAR
            or found.where
            or (found.measure.agg, found.measure.expr) in seen
        ):
            continue
        if found.measure.agg != "ratio":
            seen.add((found.measure.agg, found.measure.expr))
        elif concept == old.said:
            continue
        yield concept, f"concept:{concept}", "Another figure", replace(found.measure, said=concept)
    for one in source.measures(old.anchor):
        agg = one.aggregate or "sum"
        expr = Expr("column", (Slot(one),))
        if (agg, expr) not in seen and old.expr != expr:
            made = Measure(agg, old.anchor, expr, said=one.said, unit=one.unit)
            summed = worded(_AGGREGATES.get(agg, f"{agg} {{figure}}"), figure=one.said)
            yield summed, f"field:{one.column}", "Another figure", made
    if old.agg != "rows" and thing.kind is not Kind.LINES:
        rows = Measure("rows", old.anchor, said=plural_of(singular(thing.said)))
        yield worded("number of {figure}", figure=rows.said), "rows", "How many", rows
    for relation in source.graph.out[old.anchor]:
        pointing = source.model.field(old.anchor, relation.columns[0])
        target = source.model.things[relation.target]
        if pointing is None or len(relation.columns) > 1 or target.kind in (Kind.DATES, Kind.CODES):
            continue
        expr = Expr("column", (Slot(pointing),))
        if ("distinct", expr) not in seen:
            said = " ".join((*_role(pointing.said, target.said), plural_of(singular(target.said))))
            made = Measure("distinct", old.anchor, expr, said=said)
            yield (
                worded("number of different {name}", name=said),
                f"distinct:{pointing.column}",
                "How many",
                made,
            )


def _role(pointing: str, target: str) -> tuple[str, ...]:
    """The words that a column that points adds to the name of its target: the manager of employees."""
    own = {stem(word) for word in (*target.split(), "id", "key", "code", "number", "no", "fk")}
    return tuple(word for word in pointing.split() if stem(word) not in own)


def _removed(frame: Frame, place: int) -> Iterator[Option]:
    """A frame without one of its figures; of figures of two tables the other one's rows are gone through."""
    measures = (*frame.measures[:place], *frame.measures[place + 1 :])
    if not measures:
        return
    left = replace(frame, measures=measures, transform="", scale=0.0)
    if len({m.anchor for m in frame.measures}) > 1:
        if len(measures) > 1:
            return
        kept = measures[0]
        number = 1 - place
        by = tuple(
            replace(d, shown=(d.keys[number],), keys=(), op="") if d.op == "several" else d for d in frame.by
        )
        left = replace(left, anchor=kept.anchor, measures=(replace(kept, where=()),), by=by, where=kept.where)
    said = worded("{words} removed", words=_short(frame.measures[place]))
    yield Option("Remove this figure", REMOVE, "", settled(left), said)


def _compared(frame: Frame, option: Option) -> Option:
    """The same choice for a figure that is compared with itself in another period."""
    new = option.frame.measures[0]
    measures = []
    for old in frame.measures:
        measures.append(replace(new, where=old.where, said=f"{new.said} {_when(old)}".strip()))
    said = worded("{words} instead of {old}", words=option.words, old=_short(frame.measures[0]))
    return replace(option, frame=replace(frame, measures=tuple(measures)), said=said)


def _when(one: Measure) -> str:
    """The period that a figure is of, in words."""
    return next((telling.period(c.period) for c in one.where if c.period is not None), "")


def _adds_up(expr: Expr) -> bool:
    """Whether a sum of it makes sense: amounts and durations do, prices and rates do not."""
    if expr.op != "column":
        return expr.op not in ("age", "margin rate", "flag")
    return expr.slots[0].field.aggregate == "sum"


def _base(one: Measure) -> str:
    """The base of a figure, without how it is summed up."""
    said = one.said or (telling.expression(one.expr) if one.expr is not None else "")
    for begun in (*_SUMMED, "avg ", "mean ", "least ", "greatest ", "highest ", "lowest ", "sum of "):
        said = said.removeprefix(begun) if said.startswith(begun) else said
    return said


def _short(one: Measure) -> str:
    """A figure in few words, for telling that it was changed."""
    if one.agg in ("ratio", "formula"):
        return one.said or worded("the {kind}", kind=one.agg)
    if one.agg in ("rows", "distinct"):
        return worded("number of {figure}", figure=one.said) if one.said else worded("the number of rows")
    return _base(one) if one.agg == "sum" else worded(_AGGREGATES[one.agg], figure=_base(one))
