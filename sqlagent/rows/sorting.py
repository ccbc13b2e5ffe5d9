"""How a statement sorts its rows: by which column of the result, which way, cut after how many, within which groups."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError


@dataclass(frozen=True, slots=True)
class Sorting:
    """The first column that rows are sorted by, in small letters, or their places within `groups` are.

    `limit` is the number of rows kept, of each group where there are groups; 0: all, or it cannot be told. `skipped`: some before them are left out; of
    groups the one row at the place `limit` is kept then.
    """

    by: str
    falling: bool
    limit: int = 0
    skipped: bool = False
    groups: tuple[str, ...] = ()


def sorting_of(sql: str) -> Sorting | None:
    """Read how a statement sorts its rows; None where it does not, or cannot be read.

    Example:
        >>> sorting_of("SELECT city, SUM(x) AS total FROM t GROUP BY city ORDER BY SUM(x) DESC LIMIT 3")
        Sorting(by='total', falling=True, limit=3, skipped=False, groups=())
        >>> inner = "SELECT kind, price, RANK() OVER (PARTITION BY kind ORDER BY price) AS place FROM t"
        >>> sorting_of(f"SELECT kind, price FROM ({inner}) AS r WHERE place <= 1 ORDER BY kind")
        Sorting(by='price', falling=False, limit=1, skipped=False, groups=('kind',))
    """
    try:
        query = parse_one(sql) if sql else None
    except (SqlglotError, RecursionError):
        return None
    if not isinstance(query, exp.Query):
        return None
    if (placed := _placed(query)) is not None:
        return placed
    order = query.args.get("order")
    if order is None:
        return None
    first = order.expressions[0]
    by = _column(query, first.this)
    limit = query.args.get("limit")
    most = _whole(limit.expression if isinstance(limit, exp.Limit) else limit and limit.args.get("count"))
    return (
        Sorting(by, bool(first.args.get("desc")), most, query.args.get("offset") is not None) if by else None
    )


def is_part(sql: str, count: int) -> bool:
    """Whether so many rows are a part of what a statement would give without its LIMIT or OFFSET; false where it cannot be read.

    Example:
        >>> is_part("SELECT city FROM t LIMIT 3", 3), is_part("SELECT city FROM t LIMIT 3", 2)
        (True, False)
    """
    try:
        query = parse_one(sql) if sql else None
    except (SqlglotError, RecursionError):
        return False
    if not isinstance(query, exp.Query):
        return False
    limit = query.args.get("limit")
    most = _whole(limit.expression if isinstance(limit, exp.Limit) else limit and limit.args.get("count"))
    return query.args.get("offset") is not None or 0 < most <= count


def with_limit(sql: str, most: int, dialect: str) -> str:
    """Write a statement with another LIMIT; empty where it cannot be read.

    Example:
        >>> with_limit("SELECT city FROM t ORDER BY city LIMIT 3", 5, "sqlite")
        'SELECT city FROM t ORDER BY city LIMIT 5'
    """
    try:
        query = parse_one(sql, dialect=dialect)
    except (SqlglotError, RecursionError):
        return ""
    return query.limit(most).sql(dialect) if isinstance(query, exp.Query) else ""


def _placed(query: exp.Query) -> Sorting | None:
    """Rows kept by their place within groups, as a window counts it."""
    where, source = query.args.get("where"), query.args.get("from_") or query.args.get("from")
    inner = source.this.this if source is not None and isinstance(source.this, exp.Subquery) else None
    if where is None or not isinstance(inner, exp.Select):
        return None
    for one in inner.selects:
        window = one.unalias()
        if not (
            isinstance(window, exp.Window) and window.args.get("partition_by") and window.args.get("order")
        ):
            continue
        kept = next(
            (
                found
                for found in where.find_all(exp.LTE, exp.EQ)
                if isinstance(found.this, exp.Column) and found.this.name == one.alias_or_name
            ),
            None,
        )
        first = window.args["order"].expressions[0]
        by = _column(inner, first.this)
        if kept is None or not by:
            continue
        shown = {one.alias_or_name.lower() for one in query.selects}
        names = (_column(inner, part) for part in window.args["partition_by"])
        groups = tuple(name for name in names if name in shown)
        most = _whole(kept.expression)
        return Sorting(by, bool(first.args.get("desc")), most, isinstance(kept, exp.EQ) and most > 1, groups)
    return None


def _column(query: exp.Query, by: exp.Expr) -> str:
    """The column of the result that an expression is, in small letters; empty where it is none."""
    for place, one in enumerate(query.selects, 1):
        is_place = isinstance(by, exp.Literal) and not by.is_string and by.this == str(place)
        if is_place or one.unalias() == by or isinstance(by, exp.Column) and one.alias_or_name == by.name:
            return one.alias_or_name.lower()
    return ""


def _whole(number: exp.Expr | None) -> int:
    is_whole = isinstance(number, exp.Literal) and not number.is_string and number.this.isdigit()
    return int(number.this) if is_whole and number is not None else 0
