"""Expressions of a statement under canonical names: their text, their conditions, their columns.

Helps `clauses` take statements apart; decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

_NEGATED: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.EQ: exp.NEQ,
    exp.NEQ: exp.EQ,
    exp.GT: exp.LTE,
    exp.LTE: exp.GT,
    exp.LT: exp.GTE,
    exp.GTE: exp.LT,
}
_FLIPPED: dict[type[exp.Expr], type[exp.Binary]] = {
    exp.GT: exp.LT,
    exp.LT: exp.GT,
    exp.GTE: exp.LTE,
    exp.LTE: exp.GTE,
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
}


_PERIODS = frozenset({"year", "quarter", "month", "week", "day", "hour"})
_FORMATS = {
    "%Y": "year",
    "%Y-%m": "month",
    "%Y-%m-%d": "day",
    "%Y-%W": "week",
    "%G-%v": "week",
    "%G-%V": "week",
    "%H": "hour",
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of a column with literals: `column` is `table.column`, `op` sqlglot's node name."""

    column: str
    op: str
    values: tuple[str, ...]
    is_text: bool
    function: str = ""


def sums_rows(node: exp.Expr) -> bool:
    """Whether an expression sums rows up, other than over a window or in a statement of its own."""
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, exp.AggFunc):
            return True
        if not isinstance(here, exp.Window | exp.Query):
            stack.extend(here.iter_expressions())
    return False


def sources(select: exp.Select) -> Iterator[exp.Expr]:
    """List the tables of a SELECT, and the statements in their place, in the order in which it names them."""
    from_ = select.args.get("from_")
    if from_ is not None:
        yield from_.this
    for join in select.args.get("joins") or []:
        yield join.this


def own_columns(node: exp.Expr) -> Iterator[exp.Column]:
    """List the columns of an expression, not those of a statement inside it."""
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, exp.Column):
            yield here
        elif not isinstance(here, exp.Query):
            stack.extend(here.iter_expressions())


def column_name(column: exp.Column) -> str:
    """Name a canonical column as `table.column`, whichever of its table's aliases it came by."""
    table = column.table.partition("#")[0]
    return f"{table}.{column.name.lower()}" if table else column.name.lower()


def canonical_text(node: exp.Expr) -> str:
    """Write a canonical node as SQL, the same text for the same meaning where that is plain."""
    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        quote = '"' if "#" in node.table else ""
        return f"{quote}{node.table}{quote}.{node.name}" if node.table else node.name
    return node.sql(dialect="sqlite", normalize_functions="upper", comments=False, copy=False)


def periods_said(node: exp.Expr) -> exp.Expr:
    """Put words where a date is cut to a period: "the month of orders.ordered_at".

    Knows the forms that the built-in generator writes for each dialect, as SQLite's SQL writes
    them. Other expressions stay as they are.

    Example:
        >>> import sqlglot
        >>> cut = sqlglot.parse_one("STRFTIME('%Y-%m', sale.sold_on) = '2024-01'", dialect="sqlite")
        >>> canonical_text(periods_said(cut))
        "the month of sale.sold_on = '2024-01'"
    """
    return node.transform(_said, copy=True)


def _said(node: exp.Expr) -> exp.Expr:
    period = _period(node)
    columns = {canonical_text(column) for column in own_columns(node)} if period else set()
    return exp.Var(this=f"the {period} of {columns.pop()}") if len(columns) == 1 else node


def _period(node: exp.Expr) -> str:
    if isinstance(node, exp.TimeToStr):
        return _FORMATS.get(node.text("format"), "")
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc):
        unit = node.text("unit").lower()
        return unit if unit in _PERIODS else ""
    if isinstance(node, exp.DPipe) and isinstance(node.this, exp.DPipe):
        return "quarter" if node.this.text("expression") == "-Q" else ""
    return type(node).__name__.lower() if isinstance(node, exp.Year | exp.Quarter) else ""


def conjuncts(node: exp.Expr) -> Iterator[exp.Expr]:
    """List the conditions that AND joins, parentheses taken off."""
    node = node.unnest()
    if isinstance(node, exp.And):
        yield from conjuncts(node.this)
        yield from conjuncts(node.expression)
    else:
        yield node


def straightened(node: exp.Expr) -> exp.Expr:
    """Put a comparison's column on the left and take NOT into it; others pass through."""
    if isinstance(node, exp.Not) and type(node.this.unnest()) in _NEGATED:
        inner = node.this.unnest()
        node = _NEGATED[type(inner)](this=inner.this.copy(), expression=inner.expression.copy())
    if (
        type(node) in _FLIPPED
        and isinstance(node.this, exp.Literal)
        and isinstance(node.expression, exp.Column)
    ):
        return _FLIPPED[type(node)](this=node.expression.copy(), expression=node.this.copy())
    return node


def leaves(node: exp.Expr) -> Iterator[exp.Expr]:
    """List the comparisons that AND, OR and NOT hold together."""
    node = node.unnest()
    if isinstance(node, exp.And | exp.Or):
        yield from leaves(node.this)
        yield from leaves(node.expression)
    elif isinstance(node, exp.Not) and not isinstance(node.this.unnest(), exp.Query | exp.Exists):
        yield from leaves(node.this)
    else:
        yield node


def comparison(node: exp.Expr) -> Condition | None:
    """Read a comparison of a column with literals; None for anything else."""
    if not isinstance(node, exp.Binary | exp.In | exp.Between | exp.Is):
        return None
    left = node.this
    columns = list(own_columns(left))
    if not columns:
        return None
    if isinstance(node, exp.In):
        right = list(node.expressions)
    elif isinstance(node, exp.Between):
        right = [node.args["low"], node.args["high"]]
    else:
        right = [node.expression]
    literals = [found for item in right if (found := _literal(item)) is not None]
    if len(literals) != len(right) or not literals:
        return None
    function = "" if isinstance(left, exp.Column) else type(left).__name__.lower()
    is_text = any(isinstance(item, exp.Literal) and item.is_string for item in right)
    return Condition(column_name(columns[0]), type(node).__name__, tuple(literals), is_text, function)


def _literal(node: exp.Expr) -> str | None:
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        return "-" + node.this.name
    if isinstance(node, exp.Literal):
        return node.name
    if isinstance(node, exp.Null):
        return "NULL"
    return None
