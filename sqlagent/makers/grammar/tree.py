"""The tree that the grammar composes: one SELECT, before any dialect.

Plain values. A column belongs to an instance of a table: its key, or `key#2` when the same
table stands in the statement twice. `rendering` turns a tree into sqlglot's expressions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Col:
    """A column of a table instance."""

    table: str
    name: str


@dataclass(frozen=True, slots=True)
class Computed:
    """A formula over all rows. `sql` names its columns `c0`, `c1`, ... in the order of `cols`."""

    sql: str
    cols: tuple[Col, ...]


@dataclass(frozen=True, slots=True)
class Term:
    """A column, an aggregate over one, or COUNT(*) (no column).

    `agg` is empty, `count`, `sum`, `avg`, `min` or `max`; `part` a period (`year`, `month`, ...) a date is
    cut to; with `other`, the two columns are joined by `op` (`*`, `-`, `/`, `+`) first. `computed` stands instead of all.
    """

    agg: str = ""
    col: Col | None = None
    distinct: bool = False
    part: str = ""
    op: str = ""
    other: Col | None = None
    computed: Computed | None = None

    @property
    def plain(self) -> bool:
        """Whether it is no aggregate."""
        return not self.agg and self.computed is None


def term_of(col: Col, agg: str = "", distinct: bool = False, part: str = "") -> Term:
    """A term over a column; one named `a*b` is the product of two.

    Example:
        >>> term_of(Col("line", "quantity*price"), "sum").other
        Col(table='line', name='price')
    """
    first, times, second = col.name.partition("*")
    if not times:
        return Term(agg, col, distinct, part)
    return Term(agg, Col(col.table, first), distinct, "", "*", Col(col.table, second))


Value = str | int | float | None


@dataclass(frozen=True, slots=True)
class Cond:
    """One comparison. `op` is =, !=, <, >, <=, >=, like, not like, between, in, not in, null or not null.

    `values` are literals (two for between); `query` stands instead for a nested SELECT; `right` for a
    column on the other side.
    """

    term: Term
    op: str
    values: tuple[Value, ...] = ()
    query: Query | None = None
    right: Col | None = None


@dataclass(frozen=True, slots=True)
class Order:
    """One ORDER BY term."""

    term: Term
    desc: bool = False


@dataclass(frozen=True, slots=True)
class Via:
    """A join that is forced to take these columns, between two table instances."""

    source: str
    column: str
    target: str
    referenced: str


@dataclass(frozen=True, slots=True)
class Query:
    """One SELECT. `where` is a conjunction of disjunctions. No terms in `select` means `*`."""

    select: tuple[Term, ...]
    tables: tuple[str, ...] = ()
    where: tuple[tuple[Cond, ...], ...] = ()
    group: tuple[Term, ...] = ()
    having: tuple[Cond, ...] = ()
    order: tuple[Order, ...] = ()
    limit: int | None = None
    distinct: bool = False
    compound: str = ""
    second: Query | None = None
    via: tuple[Via, ...] = ()

    def terms(self) -> Iterator[Term]:
        """Every term of this SELECT, nested ones left out."""
        yield from self.select
        for clause in self.where:
            for cond in clause:
                yield cond.term
                if cond.right is not None:
                    yield Term(col=cond.right)
        yield from self.group
        for cond in self.having:
            yield cond.term
        for order in self.order:
            yield order.term

    def instances(self) -> tuple[str, ...]:
        """The table instances this SELECT needs, in order of first need."""
        out: dict[str, None] = dict.fromkeys(self.tables)
        for term in self.terms():
            for col in (term.col, term.other, *(term.computed.cols if term.computed is not None else ())):
                if col is not None:
                    out.setdefault(col.table)
        for via in self.via:
            out.setdefault(via.source)
            out.setdefault(via.target)
        return tuple(out)


def base(instance: str) -> str:
    """The table's key of an instance.

    Example:
        >>> base("employee#2")
        'employee'
    """
    return instance.rsplit("#", 1)[0] if instance[-2:-1] == "#" else instance
