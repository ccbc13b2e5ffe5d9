"""Words of the expressions and conditions of a statement; parts without words stay SQL between backticks.

Columns are named as their tables are: an alias is replaced by the table that it stands for, unless the table stands there twice.
"""

from __future__ import annotations

from calendar import month_name
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from sqlglot import exp

from sqlagent.language.dates import shift
from sqlagent.language.saying import all_of, day, in_a_row, in_commas, month_in_words, worded
from sqlagent.sql.expressions import conjuncts, periods_said, straightened
from sqlagent.telling.explaining.templates import (
    ALIKE,
    COMPARED,
    FIGURES,
    IS,
    IS_NOT,
    ONE_FORM,
    PERIODS,
    SIGNS,
)


@dataclass(frozen=True, slots=True)
class Names:
    """The tables' names in words, by alias; `is_one` where no table needs to be named."""

    tables: Mapping[str, str]
    dialect: str
    is_one: bool
    told: Callable[[exp.Expr], str]

    def column(self, node: exp.Column) -> str:
        """A column with its table, where there are several."""
        if isinstance(node.this, exp.Star):
            return worded("every column of {table}", table=self.tables.get(node.table.lower(), node.table))
        if not node.table or self.is_one and node.table.lower() in self.tables:
            return node.name
        return f"{self.tables.get(node.table.lower(), node.table)}.{node.name}"

    def quoted(self, node: exp.Expr) -> str:
        """A part as SQL between backticks, without its comments."""
        return f"`{node.sql(dialect=self.dialect, comments=False, copy=True)}`"


def words(node: exp.Expr, names: Names) -> str:
    """Say an expression, on one line."""
    node = node.unnest()
    if isinstance(node, exp.Column):
        return names.column(node)
    if isinstance(node, exp.Literal):
        return _quoted(node.name) if node.is_string else node.name
    if isinstance(node, exp.Star) and not any(value for value in node.args.values()):
        return worded("every column")
    if isinstance(node, exp.Null):
        return worded("nothing")
    if isinstance(node, exp.Boolean):
        return worded("yes") if node.this else worded("no")
    if isinstance(node, exp.Placeholder | exp.Parameter):
        return worded("the value :{name}", name=node.name)
    if isinstance(node, exp.Alias):
        return words(node.this, names)
    if isinstance(node, exp.Subquery | exp.Query):
        return in_a_row("(", names.told(node), ")")
    return _cut(node, names) or _figure(node, names) or _computed(node, names) or names.quoted(node)


def _cut(node: exp.Expr, names: Names) -> str:
    """A time cut to its month or the like; empty where it is not one."""
    said = periods_said(node.copy())
    if isinstance(said, exp.Var) and not isinstance(node, exp.Var):
        unit = said.name.split(" of ")[0].removeprefix("the ")
        return _period_of(unit, names.column(next(node.find_all(exp.Column))))
    if isinstance(node, exp.Extract) and isinstance(node.expression, exp.Column):
        return _period_of(node.name.lower(), names.column(node.expression))
    if (
        isinstance(node, exp.Date | exp.TsOrDsToDate)
        and isinstance(node.this, exp.Column)
        and not node.expressions
    ):
        return _period_of("day", names.column(node.this))
    return ""


def _period_of(unit: str, time: str) -> str:
    """A part of a time; a rare one, as the day of the week, by its name in SQL."""
    known = PERIODS.get(unit)
    return worded(known, time=time) if known else worded("the {unit} of {time}", unit=unit, time=time)


def _quoted(text: str) -> str:
    return worded("‘{text}’", text=text)


def _figure(node: exp.Expr, names: Names) -> str:
    if isinstance(node, exp.Window):
        return _over(node, names)
    if isinstance(node, exp.Filter):
        inner = _figure(node.this, names)
        return (
            worded("{value} where {condition}", value=inner, condition=condition(node.expression.this, names))
            if inner
            else ""
        )
    if isinstance(node, exp.Count):
        one = node.this
        if node.expressions:
            return ""
        if one is None or isinstance(one, exp.Star | exp.Literal):
            return worded("the number of rows")
        if isinstance(one, exp.Distinct):
            if one.args.get("on"):
                return ""
            return worded(
                "the number of different {values}",
                values=all_of([words(part, names) for part in one.expressions]),
            )
        return worded("the number of rows with {value}", value=words(one, names))
    said = FIGURES.get(type(node))
    if said is None or len([value for value in node.args.values() if value]) != 1:
        return ""
    one = node.this
    if isinstance(one, exp.Distinct):
        if len(one.expressions) != 1:
            return ""
        return worded(said, value=worded("different {values}", values=words(one.expressions[0], names)))
    return worded(said, value=_inner(one, names))


def _over(node: exp.Window, names: Names) -> str:
    """A figure over a window; empty where the window is more than groups and an order."""
    if any(node.args.get(key) for key in ("alias", "first", "spec")) or node.args.get("over") not in (
        None,
        "OVER",
    ):
        return ""
    inner = (
        worded("the row's place") if isinstance(node.this, exp.RowNumber)
        else worded("the rank") if isinstance(node.this, exp.Rank)
        else worded("the rank without gaps") if isinstance(node.this, exp.DenseRank)
        else _figure(node.this, names)
    )  # fmt: skip
    if not inner:
        return ""
    parts = node.args.get("partition_by") or []
    within = (
        worded("within each {group}", group=all_of([words(one, names) for one in parts]))
        if parts
        else worded("over all rows")
    )
    order = node.args.get("order")
    if order is None:
        return in_a_row(inner, " ", within)
    along = in_commas([ordered(one, names) for one in order.expressions], worded(", then "))
    if isinstance(node.this, exp.RowNumber | exp.Rank | exp.DenseRank):
        return worded("{value} {within} by {order}", value=inner, within=within, order=along)
    return worded("{value}, up to each row, {within} by {order}", value=inner, within=within, order=along)


def _computed(node: exp.Expr, names: Names) -> str:
    if type(node) in SIGNS:
        return worded(SIGNS[type(node)], one=_inner(node.this, names), other=_inner(node.expression, names))
    if isinstance(node, exp.Neg):
        return (
            f"-{node.this.name}"
            if isinstance(node.this, exp.Literal)
            else worded("minus {value}", value=_inner(node.this, names))
        )
    if isinstance(node, exp.Round):
        places = node.args.get("decimals")
        if node.args.get("truncate"):
            return ""
        value = _inner(node.this, names)
        if places is None:
            return worded("{value} rounded", value=value)
        if places.name == "1":
            return worded("{value} rounded to 1 place", value=value)
        return worded("{value} rounded to {places} places", value=value, places=words(places, names))
    if isinstance(node, exp.Coalesce):
        rest = [
            worded(", or {value} where that is missing", value=words(one, names)) for one in node.expressions
        ]
        return in_a_row(words(node.this, names), *rest)
    if isinstance(node, exp.Nullif):
        return worded(
            "{value} (nothing where it is {other})",
            value=words(node.this, names),
            other=words(node.expression, names),
        )
    if isinstance(node, exp.Cast) and not node.args.get("format"):
        kind = node.to.sql(dialect=names.dialect).lower()
        return worded("{value} as {type}", value=_inner(node.this, names), type=kind)
    form = ONE_FORM.get(type(node))
    plain = form is not None and not any(
        value for key, value in node.args.items() if key not in ("this", "binary", "safe")
    )
    if form is not None and plain:
        return worded(form, value=words(node.this, names))
    if isinstance(node, exp.DPipe | exp.Concat):
        parts = list(node.flatten()) if isinstance(node, exp.DPipe) else node.expressions
        return in_commas([words(one, names) for one in parts], worded(" followed by "))
    if isinstance(node, exp.Case):
        return _cases(node, names)
    if isinstance(node, exp.Predicate | exp.Not | exp.Connector):
        return worded("whether {condition}", condition=condition(node, names))
    return ""


def _cases(node: exp.Case, names: Names) -> str:
    of = words(node.this, names) if node.this is not None else ""
    said: list[str] = []
    for one in node.args["ifs"]:
        met = worded(IS, one=of, other=words(one.this, names)) if of else condition(one.this, names)
        said.append(worded("{value} where {condition}", value=words(one.args["true"], names), condition=met))
    rest = node.args.get("default")
    said.append(
        worded("otherwise {value}", value=words(rest, names) if rest is not None else worded("nothing"))
    )
    return in_commas(said, "; ")


def _inner(node: exp.Expr, names: Names) -> str:
    """An expression inside another one, in brackets where its words would run into those around it."""
    said = words(node, names)
    is_plain = isinstance(
        node.unnest(), exp.Column | exp.Literal | exp.AggFunc | exp.Query | exp.Subquery | exp.Placeholder
    )
    return said if is_plain or said.startswith("`") else in_a_row("(", said, ")")


def ordered(one: exp.Expr, names: Names) -> str:
    """Say one part of an order."""
    if not isinstance(one, exp.Ordered) or one.args.get("with_fill"):
        return names.quoted(one)
    value = words(one.this, names)
    said = (
        worded("{value}, descending", value=value)
        if one.args.get("desc")
        else worded("{value}, ascending", value=value)
    )
    text = one.sql(dialect=names.dialect).upper()
    if text.endswith("NULLS LAST"):
        return worded("{order} with missing ones last", order=said)
    return worded("{order} with missing ones first", order=said) if text.endswith("NULLS FIRST") else said


# ---------------------------------------------------------------- conditions


def conditions(node: exp.Expr, names: Names) -> Iterator[str]:
    """Say each condition that AND joins; the two ends of a period are said as one."""
    parts = [straightened(one) for one in conjuncts(node)]
    at = 0
    while at < len(parts):
        both = _period(parts[at], parts[at + 1], names) if at + 1 < len(parts) else ""
        yield both or condition(parts[at], names)
        at += 2 if both else 1


def condition(node: exp.Expr, names: Names) -> str:
    """Say a condition, on one line."""
    node = straightened(node.unnest())
    if isinstance(node, exp.And):
        return in_commas([_held(one) for one in conditions(node, names)], worded(" and "))
    if isinstance(node, exp.Or):
        ways = in_commas([_held(condition(one, names)) for one in node.flatten()], worded(" or "))
        return worded("either {ways}", ways=ways)
    if type(node) in COMPARED and not isinstance(node.expression, exp.Any | exp.All):
        plain, dated = COMPARED[type(node)]
        by_day = _day(node.expression) is not None
        left, right = words(node.this, names), _day_or_words(node.expression, names)
        return worded(dated if by_day else plain, one=left, other=right)
    if isinstance(node, exp.Not):
        return _denied(node.this.unnest(), names)
    return _held_by(node, names, False) or names.quoted(node)


def _denied(node: exp.Expr, names: Names) -> str:
    return _held_by(node, names, True) or worded(
        "it is not so that {condition}", condition=_held(condition(node, names))
    )


def _held_by(node: exp.Expr, names: Names, no: bool) -> str:
    """Conditions that NOT stands inside of, or does not."""
    if isinstance(node, exp.Is):
        left, right = words(node.this, names), node.expression
        if not isinstance(right, exp.Null):
            return worded(IS_NOT if no else IS, one=left, other=words(right, names))
        return (
            worded("{value} is not missing", value=left) if no else worded("{value} is missing", value=left)
        )
    if isinstance(node, exp.In):
        return _among(node, names, no)
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        low, high = (_day_or_words(node.args[key], names) for key in ("low", "high"))
        places = {"value": words(node.this, names), "low": low, "high": high}
        if no:
            return worded("{value} is not from {low} to {high}, both included", **places)
        return worded("{value} is from {low} to {high}, both included", **places)
    if isinstance(node, exp.Like | exp.ILike) and isinstance(node.expression, exp.Literal):
        return _alike(node, names, no)
    if isinstance(node, exp.Exists):
        rows = words(node.this, names)
        return (
            worded("there is no row in {rows}", rows=rows)
            if no
            else worded("there is a row in {rows}", rows=rows)
        )
    if isinstance(node, exp.Column | exp.Boolean):
        flag = words(node, names)
        return worded("{flag} is not true", flag=flag) if no else worded("{flag} is true", flag=flag)
    return ""


def _among(node: exp.In, names: Names, no: bool) -> str:
    left, query = words(node.this, names), node.args.get("query")
    if query is not None:
        rows = words(query, names)
        return (
            worded("{value} is not among {rows}", value=left, rows=rows)
            if no
            else worded("{value} is among {rows}", value=left, rows=rows)
        )
    values = [words(one, names) for one in node.expressions]
    if len(values) < 2:
        return worded(IS_NOT if no else IS, one=left, other=values[0]) if values else ""
    listed = in_commas(values)
    return (
        worded("{value} is not one of {values}", value=left, values=listed)
        if no
        else worded("{value} is one of {values}", value=left, values=listed)
    )


def _alike(node: exp.Expr, names: Names, no: bool) -> str:
    text = node.expression.name
    bare = text.strip("%")
    is_odd = "%" in bare or "_" in bare or not bare
    way = (
        "pattern" if is_odd
        else "whole" if text == bare
        else "inside" if text.startswith("%") and text.endswith("%")
        else "begin" if text.endswith("%")
        else "end"
    )  # fmt: skip
    said = worded(ALIKE[way][no], text=words(node.this, names), part=_quoted(text if is_odd else bare))
    return (
        worded("{condition}, in any letter case", condition=said)
        if isinstance(node, exp.ILike) and not is_odd
        else said
    )


def _period(one: exp.Expr, two: exp.Expr, names: Names) -> str:
    """ "ordered_on is in 2025", of its two ends; empty where they are no whole period."""
    if isinstance(one, exp.LT) and isinstance(two, exp.GTE):
        one, two = two, one
    if not (isinstance(one, exp.GTE) and isinstance(two, exp.LT)) or one.this != two.this:
        return ""
    first, until = _day(one.expression), _day(two.expression)
    if first is None or until is None or first >= until:
        return ""
    value, year = words(one.this, names), str(first.year)
    if first.day == 1 and until == shift(first, "month", 1):
        month = month_in_words(month_name[first.month])
        return worded("{value} is in {month} {year}", value=value, month=month, year=year)
    if first.day == 1 and first.month % 3 == 1 and until == shift(first, "quarter", 1):
        quarter = str(first.month // 3 + 1)
        return worded("{value} is in quarter {quarter} of {year}", value=value, quarter=quarter, year=year)
    if (first.month, first.day) == (until.month, until.day) == (1, 1):
        last = str(until.year - 1)
        if last == year:
            return worded("{value} is in {year}", value=value, year=year)
        return worded("{value} is in {year} to {last}", value=value, year=year, last=last)
    return worded(
        "{value} is from {first} up to, and without, {until}", value=value, first=day(first), until=day(until)
    )


def _day(node: exp.Expr) -> date | None:
    """The day of a literal, also of one that is made a date."""
    while isinstance(node, exp.Cast | exp.Date | exp.TsOrDsToDate | exp.Paren) and node.this is not None:
        node = node.this
    if not isinstance(node, exp.Literal) or not node.is_string:
        return None
    try:
        return date.fromisoformat(node.name)
    except ValueError:
        return None


def _day_or_words(node: exp.Expr, names: Names) -> str:
    found = _day(node)
    return day(found) if found is not None else _inner(node, names)


def _held(said: str) -> str:
    """A condition between others, in brackets where it is made of several."""
    is_several = said.startswith("either ") or " and " in said and not said.startswith("`")
    return in_a_row("(", said, ")") if is_several else said
