"""Wishes for time: a period on the one column of times, and figures for each day, week, month, quarter or year."""

from __future__ import annotations

import re
from datetime import date

from sqlglot import exp

from sqlagent.catalog.semantics import Field, Form
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import tokenise
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.dialects import WRITTEN, has_days, has_hours
from sqlagent.makers.analyst.periods import find
from sqlagent.makers.rewriting.layout import Layout
from sqlagent.makers.rewriting.naming import Known, Named
from sqlagent.makers.rewriting.reaching import by_joins, timed
from sqlagent.makers.rewriting.values import Fulfilled, Refused, fulfilled

_I = re.IGNORECASE
_ONLY = re.compile(r"^(?:(?:only|just|in|for|during|from|of|limit(?: it)? to|the year|year)\s+)+", _I)
_NOT = re.compile(
    r"^(?:(?:without|excluding|exclude|except(?: for)?|not(?: in)?|leave out)\s+)(?:the\s+)?", _I
)
_ALWAYS = re.compile(
    r"(?:for |over )?(?:all|any|every)(?: the)? (?:time|times|years|months|dates|periods?|days)|any time|the whole (?:time|period)|(?:no|without|remove|drop)(?: the)? (?:period|date filter|date|time filter|time)(?: filter| condition)?",
    _I,
)
_GRAIN = re.compile(
    r"(?:add |with |show )?(?:(?:broken |split )?(?:down |up )?(?:by|per|for each|each|every)|group(?:ed)? by) (?:the )?(?P<grain>day|week|month|quarter|year|weekday|day of the week|hour)s?|(?P<ly>daily|weekly|monthly|quarterly|yearly|annually|hourly)",
    _I,
)
_LY = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
    "hourly": "hour",
}
_UNWRITTEN = Refused("How this engine writes times is not known here without a language model.")


def in_period(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Only the rows of a period, or all but those; a period that stands there on the same column gives way."""
    if _ALWAYS.fullmatch(wish):
        time = named.time()
        if isinstance(time, str):
            return Refused(time)
        left = _without(named, time)
        return (
            Refused(f"No condition of this statement is a period of {time.sql}.")
            if left is None
            else (left, f"for all times of {time.sql}")
        )
    is_not = _NOT.match(wish)
    rest = _NOT.sub("", wish) if is_not else _ONLY.sub("", wish)
    tokens = tokenise(rest)
    found = find(tokens, today, named.source.model.calendar)
    if len(found) != 1 or found[0].start != 0 or found[0].end != len(tokens) or found[0].period.at:
        return None
    period = found[0].period
    when = timed(named)
    if isinstance(when, Refused):
        return when
    named, time = when
    if named.source.model.dialect not in WRITTEN:
        return _UNWRITTEN
    within = named.dialect.within(time.sql, time.field.form, period)
    said = telling.period(period)
    others = ", ".join(one.sql for one in named.times if one.sql != time.sql)
    beside = f", not by {others}" if others else ""
    if is_not:
        return fulfilled(
            named.layout.with_condition("where", f"NOT ({within})"),
            f"not {said}, by {time.sql}{beside}{by_joins(time)}{named.effects(time)}",
        )
    base = _without(named, time)
    instead = " in place of the period that stood there" if base is not None else ""
    return fulfilled(
        (base or named.layout).with_condition("where", within),
        f"only {said}, by {time.sql}{beside}{instead}{by_joins(time)}{named.effects(time)}",
    )


def _without(named: Named, time: Known) -> Layout | None:
    """The statement without its periods of a column; None where it has none."""
    parts = named.layout.conditions("where")
    gone = [number for number, (_, _, one) in enumerate(parts) if _is_period(one, time, named)]
    return named.layout.without_conditions("where", gone) if gone else None


def _is_period(node: exp.Expr, time: Known, named: Named) -> bool:
    if not isinstance(
        node, exp.GT | exp.GTE | exp.LT | exp.LTE | exp.EQ | exp.Between | exp.In | exp.Like | exp.Not
    ):
        return False
    return named.is_of(time, node) and node.find(exp.Query) is None


def per_grain(wish: str, named: Named, today: date, index: ValueIndex | None) -> Fulfilled:
    """Figures for each month and the like; another grain of the same column gives way."""
    found = _GRAIN.fullmatch(wish)
    if found is None:
        return None
    grain = _LY.get((found["ly"] or "").lower(), "") or found["grain"].lower().replace(
        "day of the week", "weekday"
    )
    when = timed(named)
    if isinstance(when, Refused):
        return when
    named, time = when
    if named.source.model.dialect not in WRITTEN:
        return _UNWRITTEN
    if why := _too_fine(grain, time.field):
        return Refused(why)
    if not named.is_grouped or not named.outputs:
        return Refused(
            f"This statement sums nothing up, so it has no figure for each {grain}. Add a figure such as COUNT(*) first."
        )
    made, name = named.dialect.grain(time.sql, time.field.form, grain), named.dialect.quoted(grain)
    layout: Layout | None = named.layout
    old = [one for one in named.outputs if not one.is_figure and named.is_of(time, one.tree)]
    if old:
        return _regrained(
            named, old[0].number, made, name, f"per {grain} of {time.sql} in place of {old[0].said}"
        )
    numbers = any(isinstance(one, exp.Literal) for one in _sorts(named))
    figures = [one.number for one in named.outputs if one.is_figure]
    layout = named.layout.with_item(
        "expressions", f"{made} AS {name}", None if numbers or not figures else figures[0]
    )
    layout = layout and layout.with_item("group", made)
    said = f"per {grain} of {time.sql}{by_joins(time)}"
    if layout is not None and "order" not in layout.places:
        layout = layout.with_clause("order", name)
        said += ", in the order of time"
    if "limit" in named.layout.places:
        said += "; the limit now counts these rows"
    return fulfilled(layout, said + named.apart)


def _too_fine(grain: str, field: Field) -> str:
    is_coarse = grain in ("day", "week", "weekday") and not has_days(field.form)
    is_coarse = (
        is_coarse
        or grain == "hour"
        and not has_hours(field.form)
        or field.form is Form.YEAR
        and grain != "year"
    )
    return f"{field.column} does not tell the {grain}." if is_coarse else ""


def _sorts(named: Named) -> list[exp.Expr]:
    group, order = named.layout.tree.args.get("group"), named.layout.tree.args.get("order")
    return [
        *(group.expressions if group else ()),
        *(one.this for one in (order.expressions if order else ())),
    ]


def _regrained(named: Named, number: int, made: str, name: str, said: str) -> Fulfilled:
    """The statement with another grain in the place of one, wherever that one is named."""
    old = named.outputs[number]
    layout: Layout | None = named.layout.with_swapped("expressions", number, f"{made} AS {name}")
    for clause in ("group", "order"):
        trees = named.layout.tree.args.get(clause)
        for place, one in enumerate(trees.expressions if trees is not None else ()):
            inner = one.this if isinstance(one, exp.Ordered) else one
            is_named = (
                isinstance(inner, exp.Column) and not inner.table and inner.name.lower() == old.name.lower()
            )
            if layout is not None and (is_named or inner == old.tree):
                down = (
                    f" {layout.cased('DESC')}"
                    if isinstance(one, exp.Ordered) and one.args.get("desc")
                    else ""
                )
                layout = layout.with_swapped(clause, place, (name if clause == "order" else made) + down)
    return fulfilled(layout, said)
