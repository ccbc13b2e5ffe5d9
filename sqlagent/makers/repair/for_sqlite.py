"""Functions of other dialects as SQLite says them, where the transpiler has no answer.

SQLite keeps dates as texts and has few functions; most SQL that fails there asks for parts of
dates. Numbers beside the formats are those of strftime.
"""

from __future__ import annotations

from sqlglot import exp

_PARTS = {
    "year": "%Y", "month": "%m", "day": "%d", "dayofmonth": "%d", "hour": "%H", "minute": "%M",
    "second": "%S", "dow": "%w", "dayofweek": "%w", "doy": "%j", "dayofyear": "%j", "week": "%W", "epoch": "%s",
}  # fmt: skip
_TRUNC = {
    "year": "%Y-01-01", "month": "%Y-%m-01", "day": "%Y-%m-%d", "hour": "%Y-%m-%d %H:00:00",
    "minute": "%Y-%m-%d %H:%M:00",
}  # fmt: skip
_NOW = {"now", "getdate", "sysdate", "localtimestamp", "systimestamp"}
_TYPED: dict[type[exp.Expr], str] = {exp.Year: "year", exp.Month: "month", exp.Day: "day", exp.DayOfMonth: "day", exp.Hour: "hour",
          exp.Minute: "minute", exp.Second: "second", exp.DayOfYear: "doy", exp.Quarter: "quarter"}  # fmt: skip


def for_sqlite(node: exp.Expr) -> exp.Expr:
    """Rewrite one node; the children are visited by `Expr.transform`.

    Example:
        >>> import sqlglot
        >>> sqlglot.parse_one("SELECT YEAR(born)", read="mysql").transform(for_sqlite).sql("sqlite")
        "SELECT CAST(STRFTIME('%Y', born) AS INTEGER)"
    """
    typed = _TYPED.get(type(node))
    if typed:
        return _part(typed, node.this) or node
    if isinstance(node, exp.DayOfWeek):
        found = _part("dow", node.this)
        return exp.Add(this=found, expression=exp.Literal.number(1)) if found is not None else node
    if isinstance(node, exp.Extract):
        return _part(node.name, node.expression) or node
    if isinstance(node, (exp.DateTrunc, exp.TimestampTrunc)):
        shape = _TRUNC.get(node.text("unit").lower())
        return _call("STRFTIME", exp.Literal.string(shape), _plain(node.this)) if shape else node
    if isinstance(node, exp.Left):
        return _call("SUBSTR", node.this, exp.Literal.number(1), node.expression)
    if isinstance(node, exp.Right):
        return _call("SUBSTR", node.this, exp.Neg(this=node.expression))
    if isinstance(node, (exp.Sub, exp.Add, exp.DateSub, exp.DateAdd)):
        return _shifted(node) or node
    if isinstance(node, exp.TimestampDiff) and node.text("unit").lower() == "day":
        days = exp.Sub(this=_call("JULIANDAY", node.this), expression=_call("JULIANDAY", node.expression))
        return exp.cast(exp.Paren(this=days), "integer")
    if isinstance(node, exp.Anonymous):
        return _anonymous(node) or node
    return node


def _anonymous(node: exp.Anonymous) -> exp.Expr | None:
    name = node.name.lower()
    if name in _NOW and not node.expressions:
        return _call("DATETIME", exp.Literal.string("now"))
    if name in ("date_part", "datepart") and len(node.expressions) == 2:
        return _part(node.expressions[0].name, node.expressions[1])
    return None


def _part(unit: str, of: exp.Expr) -> exp.Expr | None:
    if unit.lower() == "quarter":
        month = exp.cast(_call("STRFTIME", exp.Literal.string("%m"), _plain(of)), "integer")
        total = exp.Paren(this=exp.Add(this=month, expression=exp.Literal.number(2)))
        return exp.Div(this=total, expression=exp.Literal.number(3))
    shape = _PARTS.get(unit.lower())
    if shape is None:
        return None
    return exp.cast(_call("STRFTIME", exp.Literal.string(shape), _plain(of)), "integer")


def _shifted(node: exp.Expr) -> exp.Expr | None:
    """Say `date - INTERVAL '3 months'` as DATE(date, '-3 months')."""
    interval = node.expression
    if isinstance(node, exp.Sub | exp.Add) and not isinstance(interval, exp.Interval):
        return None
    amount = interval.this if isinstance(interval, exp.Interval) else interval
    unit = interval.text("unit") if isinstance(interval, exp.Interval) else node.text("unit")
    if not isinstance(amount, exp.Literal) or not unit:
        return None
    sign = "-" if isinstance(node, exp.Sub | exp.DateSub) else "+"
    unit = unit.lower().rstrip("s")
    number, unit = (int(amount.name) * 7, "day") if unit == "week" else (amount.name, unit)
    of = _plain(node.this)
    timed = unit in ("hour", "minute", "second") or (isinstance(of, exp.Anonymous) and of.name == "DATETIME")
    if isinstance(of, (exp.CurrentDate, exp.CurrentTimestamp)) or (
        isinstance(of, exp.Anonymous) and of.name == "DATETIME"
    ):
        of = exp.Literal.string("now")
    return _call("DATETIME" if timed else "DATE", of, exp.Literal.string(f"{sign}{number} {unit}s"))


def _plain(node: exp.Expr) -> exp.Expr:
    """Take away the casts to dates that the parser adds."""
    while isinstance(node, (exp.TsOrDsToDate, exp.Cast)):
        node = node.this
    return node


def _call(name: str, *arguments: exp.Expr) -> exp.Expr:
    return exp.Anonymous(this=name, expressions=[a.copy() for a in arguments])
