"""Words of the expressions and conditions of a statement; what has no words stays SQL between backticks.

Columns are named as their tables are: an alias is replaced by the table that it stands for, unless the table stands there twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from sqlglot import exp

from sqlagent.language.dates import shift
from sqlagent.sql.expressions import conjuncts, periods_said, straightened

_FIGURES: dict[type[exp.Expr], str] = {
    exp.Sum: "the sum of", exp.Avg: "the average of", exp.Min: "the least", exp.Max: "the greatest", exp.Median: "the median of",
    exp.Stddev: "the standard deviation of",
}  # fmt: skip
_SIGNS: dict[type[exp.Expr], str] = {
    exp.Add: "plus",
    exp.Sub: "minus",
    exp.Mul: "times",
    exp.Div: "divided by",
}
_COMPARED: dict[type[exp.Expr], tuple[str, str]] = {
    exp.EQ: ("is", "is"),
    exp.NEQ: ("is not", "is not"),
    exp.GT: ("is more than", "is after"),
    exp.GTE: ("is at least", "is on or after"),
    exp.LT: ("is less than", "is before"),
    exp.LTE: ("is at most", "is on or before"),
}
"""Words of comparisons: with anything, and with a day."""

_ONE_FORM: dict[type[exp.Expr], str] = {
    exp.Lower: "{} in small letters",
    exp.Upper: "{} in capitals",
    exp.Trim: "{} without spaces around it",
    exp.Length: "the length of {}",
    exp.Abs: "{} without its sign",
}
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Names:
    """What a column's table is called in words, by its alias; `is_one` where no table needs to be named."""

    tables: Mapping[str, str]
    dialect: str
    is_one: bool
    told: Callable[[exp.Expr], str]

    def column(self, node: exp.Column) -> str:
        """A column with its table, where there are several."""
        if isinstance(node.this, exp.Star):
            return f"every column of {self.tables.get(node.table.lower(), node.table)}"
        if not node.table or self.is_one and node.table.lower() in self.tables:
            return node.name
        return f"{self.tables.get(node.table.lower(), node.table)}.{node.name}"

    def quoted(self, node: exp.Expr) -> str:
        """A part as SQL."""
        return f"`{node.sql(dialect=self.dialect, comments=False, copy=True)}`"


def words(node: exp.Expr, names: Names) -> str:
    """Say an expression, on one line."""
    node = node.unnest()
    if isinstance(node, exp.Column):
        return names.column(node)
    if isinstance(node, exp.Literal):
        return f"‘{node.name}’" if node.is_string else node.name
    if isinstance(node, exp.Star) and not any(value for value in node.args.values()):
        return "every column"
    if isinstance(node, exp.Null):
        return "nothing"
    if isinstance(node, exp.Boolean):
        return "yes" if node.this else "no"
    if isinstance(node, exp.Placeholder | exp.Parameter):
        return f"the value :{node.name}"
    if isinstance(node, exp.Alias):
        return words(node.this, names)
    if isinstance(node, exp.Subquery | exp.Query):
        return f"({names.told(node)})"
    return _cut(node, names) or _figure(node, names) or _computed(node, names) or names.quoted(node)


def _cut(node: exp.Expr, names: Names) -> str:
    """A time cut to its month or the like; empty where it is not one."""
    said = periods_said(node.copy())
    if isinstance(said, exp.Var) and not isinstance(node, exp.Var):
        unit = said.name.split(" of ")[0]
        column = next(node.find_all(exp.Column))
        return f"{unit} of {names.column(column)}"
    if isinstance(node, exp.Extract) and isinstance(node.expression, exp.Column):
        return f"the {node.name.lower()} of {names.column(node.expression)}"
    if (
        isinstance(node, exp.Date | exp.TsOrDsToDate)
        and isinstance(node.this, exp.Column)
        and not node.expressions
    ):
        return f"the day of {names.column(node.this)}"
    return ""


def _figure(node: exp.Expr, names: Names) -> str:
    if isinstance(node, exp.Window):
        return _over(node, names)
    if isinstance(node, exp.Filter):
        inner = _figure(node.this, names)
        return f"{inner} where {condition(node.expression.this, names)}" if inner else ""
    if isinstance(node, exp.Count):
        one = node.this
        if node.expressions:
            return ""
        if one is None or isinstance(one, exp.Star | exp.Literal):
            return "the number of rows"
        if isinstance(one, exp.Distinct):
            if one.args.get("on"):
                return ""
            return f"the number of different {_joined([words(part, names) for part in one.expressions])}"
        return f"the number of rows with {words(one, names)}"
    said = _FIGURES.get(type(node))
    if said is None or len([value for value in node.args.values() if value]) != 1:
        return ""
    one = node.this
    if isinstance(one, exp.Distinct):
        return f"{said} different {words(one.expressions[0], names)}" if len(one.expressions) == 1 else ""
    return f"{said} {_inner(one, names)}"


def _over(node: exp.Window, names: Names) -> str:
    """A figure over a window; empty where the window is more than groups and an order."""
    if any(node.args.get(key) for key in ("alias", "first", "spec")) or node.args.get("over") not in (
        None,
        "OVER",
    ):
        return ""
    inner = (
        "the row's place" if isinstance(node.this, exp.RowNumber)
        else "the rank" if isinstance(node.this, exp.Rank)
        else "the rank without gaps" if isinstance(node.this, exp.DenseRank)
        else _figure(node.this, names)
    )  # fmt: skip
    if not inner:
        return ""
    parts = node.args.get("partition_by") or []
    within = f"within each {_joined([words(one, names) for one in parts])}" if parts else "over all rows"
    order = node.args.get("order")
    if order is None:
        return f"{inner} {within}"
    along = ", then ".join(ordered(one, names) for one in order.expressions)
    so_far = "" if isinstance(node.this, exp.RowNumber | exp.Rank | exp.DenseRank) else ", up to each row,"
    return f"{inner}{so_far} {within} by {along}"


def _computed(node: exp.Expr, names: Names) -> str:
    if type(node) in _SIGNS:
        return f"{_inner(node.this, names)} {_SIGNS[type(node)]} {_inner(node.expression, names)}"
    if isinstance(node, exp.Neg):
        return (
            f"-{node.this.name}"
            if isinstance(node.this, exp.Literal)
            else f"minus {_inner(node.this, names)}"
        )
    if isinstance(node, exp.Round):
        places = node.args.get("decimals")
        if node.args.get("truncate"):
            return ""
        to = (
            ""
            if places is None
            else " to 1 place"
            if places.name == "1"
            else f" to {words(places, names)} places"
        )
        return f"{_inner(node.this, names)} rounded{to}"
    if isinstance(node, exp.Coalesce):
        rest = "".join(f", or {words(one, names)} where that is missing" for one in node.expressions)
        return words(node.this, names) + rest
    if isinstance(node, exp.Nullif):
        return f"{words(node.this, names)} (nothing where it is {words(node.expression, names)})"
    if isinstance(node, exp.Cast) and not node.args.get("format"):
        return f"{_inner(node.this, names)} as {node.to.sql(dialect=names.dialect).lower()}"
    form = _ONE_FORM.get(type(node))
    plain = form is not None and not any(
        value for key, value in node.args.items() if key not in ("this", "binary", "safe")
    )
    if form is not None and plain:
        return form.format(words(node.this, names))
    if isinstance(node, exp.DPipe | exp.Concat):
        parts = list(node.flatten()) if isinstance(node, exp.DPipe) else node.expressions
        return " followed by ".join(words(one, names) for one in parts)
    if isinstance(node, exp.Case):
        return _cases(node, names)
    if isinstance(node, exp.Predicate | exp.Not | exp.Connector):
        return f"whether {condition(node, names)}"
    return ""


def _cases(node: exp.Case, names: Names) -> str:
    of = f"{words(node.this, names)} is " if node.this is not None else ""
    said = []
    for one in node.args["ifs"]:
        met = f"{of}{words(one.this, names)}" if of else condition(one.this, names)
        said.append(f"{words(one.args['true'], names)} where {met}")
    rest = node.args.get("default")
    return "; ".join([*said, f"otherwise {words(rest, names) if rest is not None else 'nothing'}"])


def _inner(node: exp.Expr, names: Names) -> str:
    """An expression inside another one, in brackets where its words would run into those around it."""
    said = words(node, names)
    is_plain = isinstance(
        node.unnest(), exp.Column | exp.Literal | exp.AggFunc | exp.Query | exp.Subquery | exp.Placeholder
    )
    return said if is_plain or said.startswith("`") else f"({said})"


def ordered(one: exp.Expr, names: Names) -> str:
    """Say one part of an order."""
    if not isinstance(one, exp.Ordered) or one.args.get("with_fill"):
        return names.quoted(one)
    said = f"{words(one.this, names)}, {'descending' if one.args.get('desc') else 'ascending'}"
    text = one.sql(dialect=names.dialect).upper()
    if text.endswith("NULLS LAST"):
        return f"{said} with missing ones last"
    return f"{said} with missing ones first" if text.endswith("NULLS FIRST") else said


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
        return " and ".join(_held(one) for one in [*conditions(node, names)])
    if isinstance(node, exp.Or):
        return "either " + " or ".join(_held(condition(one, names)) for one in node.flatten())
    if type(node) in _COMPARED and not isinstance(node.expression, exp.Any | exp.All):
        plain, dated = _COMPARED[type(node)]
        by_day = _day(node.expression) is not None
        return (
            f"{words(node.this, names)} {dated if by_day else plain} {_day_or_words(node.expression, names)}"
        )
    if isinstance(node, exp.Not):
        return _denied(node.this.unnest(), names)
    return _held_by(node, names, "") or names.quoted(node)


def _denied(node: exp.Expr, names: Names) -> str:
    return _held_by(node, names, "not ") or f"it is not so that {_held(condition(node, names))}"


def _held_by(node: exp.Expr, names: Names, no: str) -> str:
    """Conditions that NOT stands inside of, or does not."""
    if isinstance(node, exp.Is):
        what = node.expression
        is_ = "is not" if no else "is"
        if isinstance(what, exp.Null):
            return f"{words(node.this, names)} {is_} missing"
        return f"{words(node.this, names)} {is_} {words(what, names)}"
    if isinstance(node, exp.In):
        query = node.args.get("query")
        left = f"{words(node.this, names)} is {no}"
        if query is not None:
            return f"{left}among {words(query, names)}"
        if not node.expressions:
            return ""
        values = [words(one, names) for one in node.expressions]
        return left + (values[0] if len(values) == 1 else f"one of {', '.join(values)}")
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        low, high = (_day_or_words(node.args[key], names) for key in ("low", "high"))
        return f"{words(node.this, names)} is {no}from {low} to {high}, both included"
    if isinstance(node, exp.Like | exp.ILike) and isinstance(node.expression, exp.Literal):
        return _alike(node, names, no)
    if isinstance(node, exp.Exists):
        return f"there is {'no' if no else 'a'} row in {words(node.this, names)}"
    if isinstance(node, exp.Column | exp.Boolean):
        return f"{words(node, names)} is {no}true"
    return ""


def _alike(node: exp.Expr, names: Names, no: str) -> str:
    text = node.expression.name
    bare = text.strip("%")
    does = "does not" if no else ""
    if "%" in bare or "_" in bare or not bare:
        return f"{words(node.this, names)} is {no}like the pattern ‘{text}’"
    if text == bare:
        verb = "equal" if no else "equals"
    elif text.startswith("%") and text.endswith("%"):
        verb = "contain" if no else "contains"
    elif text.endswith("%"):
        verb = "begin with" if no else "begins with"
    else:
        verb = "end with" if no else "ends with"
    case = ", in any letter case" if isinstance(node, exp.ILike) else ""
    return " ".join(part for part in (words(node.this, names), does, verb, f"‘{bare}’{case}") if part)


def _period(one: exp.Expr, two: exp.Expr, names: Names) -> str:
    """ "ordered_on is in 2025", of its two ends; empty where they are no whole period."""
    if isinstance(one, exp.LT) and isinstance(two, exp.GTE):
        one, two = two, one
    if not (isinstance(one, exp.GTE) and isinstance(two, exp.LT)) or one.this != two.this:
        return ""
    first, until = _day(one.expression), _day(two.expression)
    if first is None or until is None or first >= until:
        return ""
    when = f"from {first.isoformat()} up to, and without, {until.isoformat()}"
    if first.day == 1 and until == shift(first, "month", 1):
        when = f"in {_MONTHS[first.month - 1]} {first.year}"
    elif first.day == 1 and first.month % 3 == 1 and until == shift(first, "quarter", 1):
        when = f"in quarter {first.month // 3 + 1} of {first.year}"
    elif (first.month, first.day) == (until.month, until.day) == (1, 1):
        last = until.year - 1
        when = f"in {first.year}" if last == first.year else f"in {first.year} to {last}"
    return f"{words(one.this, names)} is {when}"


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
    day = _day(node)
    return day.isoformat() if day is not None else _inner(node, names)


def _held(said: str) -> str:
    """A condition between others, in brackets where it is made of several."""
    return f"({said})" if said.startswith("either ") or " and " in said and not said.startswith("`") else said


def _joined(parts: Sequence[str]) -> str:
    """
    Example:
        >>> _joined(["a", "b", "c"])
        'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
