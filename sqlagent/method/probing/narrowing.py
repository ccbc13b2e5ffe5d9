"""How the rows of one candidate become fewer: what its tables hold, and what each join and condition leaves.

Decides which SELECT of a statement is followed and how it is counted; runs nothing. A statement of which no count would say
anything is not followed: tables without a join condition, no table at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import sqlglot
from sqlglot import exp

from sqlagent.sql.expressions import comparison, conjuncts, own_columns, straightened
from sqlagent.sql.literals import ODD
from sqlagent.values import Catalog, Execution, Narrowing, NarrowingStep

JOINS = 4
"""Joins counted one by one; a statement with more is not followed."""

CONDITIONS = 8
"""Conditions counted; those behind them are told by what all leave."""

COMMON = 5
"""Values told of the column that a condition is about."""

_FROM = "from_" if "from_" in exp.Select.arg_types else "from"
_WITH = "with_" if "with_" in exp.Select.arg_types else "with"

Ask = Callable[[Sequence[str]], Sequence[Execution | None]]
"""Runs statements; None for each that is beyond what may still be asked."""


@dataclass(slots=True)
class Walk:
    """One SELECT that is followed from its tables to its rows."""

    select: exp.Select
    catalog: Catalog
    with_: exp.Expr | None = None
    joins: list[exp.Join] = field(default_factory=list)
    conditions: list[exp.Expr] = field(default_factory=list)

    def narrowing(self, sql: str, ask: Ask, guessed: Sequence[str], has_values: bool) -> Narrowing | None:
        """Count step by step; None where not even the tables could be counted.

        With `has_values` also the values of the column whose condition leaves nothing, or else is about one of the
        `guessed` texts, among the rows left before it.
        """
        counted = ask([*self._tables(), *self._conditions()])
        rows = [_numbers(one) for one in counted]
        if not rows or rows[0] is None:
            return None
        steps = [NarrowingStep("table", self._from(), rows[0][0])]
        for join, execution, numbers in zip(self.joins, counted[1:], rows[1:], strict=False):
            steps.append(NarrowingStep("join", self._said(join), _first(numbers), fails=_fails(execution)))
        if self.conditions:
            steps += self._held(rows[-1]) if rows[-1] is not None else self._tried(ask)
        if self.select.args.get("group") and (steps[-1].left or 0) > 0:
            steps += self._grouped(ask)
        if (inside := self._inside(steps)) is not None:
            found = inside.narrowing(sql, ask, guessed, has_values)
            if found is not None and not any(step.fails for step in found.steps):
                within = tuple(replace(step, is_inside=True) for step in found.steps)
                return Narrowing(sql, (*steps, *within), found.column, found.among)
        at = self._looked_at(steps, guessed)
        column, among = self._among(at, ask) if has_values and at is not None else ("", ())
        return Narrowing(sql, tuple(steps), column, among)

    # ------------------------------------------------------------ statements

    def _sql(self, *shown: exp.Expr, joins: int | None = None, where: Sequence[exp.Expr] = ()) -> exp.Select:
        made = exp.select(*shown)
        made.set(_FROM, self.select.args[_FROM].copy())
        made.set("joins", [join.copy() for join in self.joins[:joins]])
        if self.with_ is not None:
            made.set(_WITH, self.with_.copy())
        return made.where(*(one.copy() for one in where)) if where else made

    def _text(self, made: exp.Expr) -> str:
        return made.sql(dialect=self.catalog.dialect or None)

    def _tables(self) -> Iterator[str]:
        for joins in range(len(self.joins) + 1):
            yield self._text(self._sql(_count(), joins=joins))

    def _conditions(self) -> Iterator[str]:
        """One statement for all conditions: of each, for how many rows it holds, and holds with those before it."""
        if self.conditions:
            alone = [_holding([one]) for one in self.conditions]
            left = [_holding(self.conditions[: n + 1]) for n in range(len(self.conditions))]
            yield self._text(self._sql(*alone, *left))

    def _held(self, numbers: Sequence[int]) -> Iterator[NarrowingStep]:
        many = len(self.conditions)
        for one, alone, left in zip(self.conditions, numbers[:many], numbers[many:], strict=True):
            yield NarrowingStep("condition", self._said(one), left, alone)

    def _tried(self, ask: Ask) -> Iterator[NarrowingStep]:
        """Conditions one after the other, where they could not be counted together: up to the first that does not run."""
        asked = [
            self._text(self._sql(_count(), where=self.conditions[: n + 1]))
            for n in range(len(self.conditions))
        ]
        for one, execution in zip(self.conditions, ask(asked), strict=True):
            numbers = _numbers(execution)
            yield NarrowingStep("condition", self._said(one), _first(numbers), fails=_fails(execution))
            if numbers is None:
                return

    def _grouped(self, ask: Ask) -> Iterator[NarrowingStep]:
        """The groups, and those that the condition on groups leaves."""
        having = self.select.args.get("having")
        asked = []
        for with_having in (False, True) if having else (False,):
            inner = self._sql(exp.alias_(exp.Literal.number(1), "one"), where=self.conditions)
            inner.set("group", self.select.args["group"].copy())
            if with_having and having:
                inner.set("having", having.copy())
            inner.set(_WITH, None)
            outer = exp.select(_count()).from_(inner.subquery("grouped"))
            if self.with_ is not None:
                outer.set(_WITH, self.with_.copy())
            asked.append(self._text(outer))
        kinds = (("groups", self.select.args["group"]), ("having", having.this if having else None))
        for (kind, tree), execution in zip(kinds, ask(asked), strict=False):
            numbers = _numbers(execution)
            if tree is not None:
                yield NarrowingStep(kind, self._said(tree), _first(numbers), fails=_fails(execution))

    def _inside(self, steps: Sequence[NarrowingStep]) -> Walk | None:
        """The innermost statement inside the condition that leaves nothing, where it stands by itself."""
        held = [step for step in steps if step.kind == "condition"]
        empty = next((at for at, step in enumerate(held) if step.left == 0), None)
        if empty is None:
            return None
        selects = [one for one in self.conditions[empty].find_all(exp.Select) if one is not self.select]
        inner = next(
            (one for one in selects if not any(other is not one for other in one.find_all(exp.Select))), None
        )
        return walk(self._text(inner), self.catalog) if inner is not None else None

    # ------------------------------------------------------------ the column looked at

    def _looked_at(self, steps: Sequence[NarrowingStep], guessed: Sequence[str]) -> int | None:
        """The condition that leaves nothing, else the first about a guessed text."""
        before = next((s.left for s in reversed(steps) if s.kind in ("table", "join")), 0)
        for at, step in enumerate(step for step in steps if step.kind == "condition"):
            if step.left == 0 and before:
                return at
            before = step.left
        texts = {text.casefold() for text in guessed}
        for at, one in enumerate(self.conditions):
            if any(
                literal.is_string and literal.name.casefold() in texts
                for literal in one.find_all(exp.Literal)
            ):
                return at
        return None

    def _among(self, at: int, ask: Ask) -> tuple[str, tuple[tuple[object, int], ...]]:
        """The most frequent values of a condition's column in the rows left before it."""
        found = comparison(straightened(self.conditions[at]))
        columns = list(own_columns(self.conditions[at]))
        if len({self._text(column) for column in columns}) != 1 or (
            found is None and not _is_like(self.conditions[at])
        ):
            return "", ()
        column = columns[0]
        made = self._sql(column.copy(), _count(), where=self.conditions[:at]).group_by(column.copy())
        made = made.order_by(exp.Ordered(this=_count(), desc=True)).limit(COMMON)
        (execution,) = ask([self._text(made)])
        if execution is None or execution.rows is None:
            return "", ()
        told = tuple((row[0], int(row[1])) for row in execution.rows.rows)
        return (self._said(column), told) if told else ("", ())

    def _from(self) -> str:
        return self._said(self.select.args[_FROM].this)

    def _said(self, tree: exp.Expr) -> str:
        return self._text(tree).strip()


def walk(sql: str, catalog: Catalog) -> Walk | None:
    """Take a statement apart to follow its rows; None where that would say nothing. Never raises.

    Of a set operation its first part is followed, and where all rows come from a statement inside, that one.
    """
    try:
        tree = sqlglot.parse_one(sql, dialect=catalog.dialect or None)
        select, with_ = _core(tree)
    except ODD:
        return None
    if select is None or not isinstance(select.args.get(_FROM), exp.From):
        return None
    joins = list(select.args.get("joins") or ())
    if len(joins) > JOINS or any(not (join.args.get("on") or join.args.get("using")) for join in joins):
        return None
    if select.args.get("laterals") or select.args.get("pivots"):
        return None
    where = select.args.get("where")
    conditions = list(conjuncts(where.this))[:CONDITIONS] if where else []
    return Walk(select, catalog, with_, joins, conditions)


def _core(tree: exp.Expr) -> tuple[exp.Select | None, exp.Expr | None]:
    """The SELECT to follow, with the statements named before it."""
    with_ = tree.args.get(_WITH)
    for _ in range(8):
        if isinstance(tree, exp.SetOperation | exp.Subquery):
            tree = tree.this
            continue
        if not isinstance(tree, exp.Select):
            return None, None
        source = tree.args.get(_FROM)
        if source is None or tree.args.get("joins") or tree.args.get("where"):
            return tree, with_
        if isinstance(source.this, exp.Subquery):
            tree = source.this.this
            continue
        named = {cte.alias.lower(): cte.this for cte in with_.expressions} if with_ is not None else {}
        inner = named.get(source.this.name.lower()) if isinstance(source.this, exp.Table) else None
        if inner is None or with_ is not None and with_.args.get("recursive"):
            return tree, with_
        tree = inner
    return None, None


def _is_like(node: exp.Expr) -> bool:
    return isinstance(node.unnest(), exp.Like | exp.ILike)


def _count() -> exp.Expr:
    return exp.Count(this=exp.Star())


def _holding(conditions: Sequence[exp.Expr]) -> exp.Expr:
    return exp.Sum(this=exp.Case().when(exp.and_(*(one.copy() for one in conditions)), 1).else_(0))


def _numbers(execution: Execution | None) -> list[int] | None:
    """The counts that a statement gave; None where it gave none."""
    rows = execution.rows.rows if execution is not None and execution.rows is not None else ()
    try:
        return [int(cell or 0) for cell in rows[0]] if rows else None
    except (TypeError, ValueError):
        return None


def _first(numbers: Sequence[int] | None) -> int | None:
    return numbers[0] if numbers else None


def _fails(execution: Execution | None) -> bool:
    """Whether the database or the guard refused a statement; one that took too long is only not counted."""
    return execution is not None and execution.status in ("error", "refused")
