"""Pools of executions made by hand, and judges that say what a test tells them to."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlagent.errors import LlmError
from sqlagent.method.grouping import group_by_execution
from sqlagent.values import (
    Candidate,
    Catalog,
    Column,
    Execution,
    ExecutionGroup,
    Failure,
    FailureKind,
    ForeignKey,
    Kind,
    LinkedSchema,
    Question,
    Rows,
    Table,
    Verdict,
)


def columns(*names: str, kind: Kind = Kind.TEXT) -> tuple[Column, ...]:
    return tuple(Column(name, kind=Kind.INTEGER if name.endswith("id") else kind) for name in names)


SHOP = Catalog(
    "sqlite",
    (
        Table("customers", columns("id", "name", "region"), primary_key=("id",)),
        Table("stores", columns("id", "name", "region"), primary_key=("id",)),
        Table(
            "orders",
            (*columns("id", "customer_id", "store_id", "status"), Column("total", kind=Kind.NUMBER)),
            primary_key=("id",),
            foreign_keys=(
                ForeignKey(("customer_id",), "customers", ("id",)),
                ForeignKey(("store_id",), "stores", ("id",)),
            ),
        ),
        Table(
            "returns",
            (Column("order_id", kind=Kind.INTEGER), Column("refund", kind=Kind.NUMBER)),
            foreign_keys=(ForeignKey(("order_id",), "orders", ("id",)),),
        ),
    ),
)
LINKED = LinkedSchema(SHOP, SHOP)
QUESTION = Question("Which region brings what?")


def rows(*cells: tuple[object, ...]) -> Rows:
    return Rows(tuple(f"c{i}" for i in range(len(cells[0]) if cells else 1)), cells)


def ran(sql: str, result: Rows | Failure, weight: float = 1.0) -> Execution:
    return Execution(Candidate(sql, weight=weight), result, sql)


def failed(message: str = "no such column: x", kind: FailureKind = FailureKind.ERROR) -> Execution:
    return ran("SELECT x", Failure(kind, message))


def pool_of(*sizes: int, empty: Sequence[int] = ()) -> list[Execution]:
    """A pool with one result a size; those numbered in `empty` came back empty."""
    return [
        ran(f"SELECT {group} -- {member}", rows() if group in empty else rows((group,)))
        for group, size in enumerate(sizes)
        for member in range(size)
    ]


def groups_of(*sizes: int, empty: Sequence[int] = ()) -> tuple[ExecutionGroup, ...]:
    return group_by_execution(pool_of(*sizes, empty=empty), ordered=False)


def number_of(group: ExecutionGroup) -> int:
    """Which of `pool_of`'s groups this is."""
    return int(group.members[0].sql.split()[1])


class TellingJudge:
    """A judge that likes groups by their number, best first, and counts what it is asked.

    `order` may replace the listwise verdict by a function of the numbers shown; with `error` set,
    every question is met with it.
    """

    def __init__(
        self,
        *liked: int,
        order: Callable[[list[int]], Sequence[int]] | None = None,
        error: LlmError | None = None,
        verdict: Verdict | None = None,
        prefers: Callable[[int, int], float] | None = None,
    ) -> None:
        self.liked = liked
        self._order, self._error, self._prefers = order, error, prefers
        self._verdict = verdict or Verdict(True, "fine")
        self.orders = self.pairs = self.audits = 0

    def _place(self, number: int) -> int:
        return self.liked.index(number) if number in self.liked else len(self.liked)

    def utilities(
        self, question: Question, linked: LinkedSchema, executions: Sequence[Execution]
    ) -> Sequence[float]:
        return [0.0] * len(executions)

    def order(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> Sequence[int]:
        self.orders += 1
        if self._error:
            raise self._error
        numbers = [number_of(group) for group in groups]
        if self._order:
            return self._order(numbers)
        return sorted(range(len(groups)), key=lambda i: self._place(numbers[i]))

    def prefers(
        self, question: Question, linked: LinkedSchema, first: ExecutionGroup, second: ExecutionGroup
    ) -> float:
        self.pairs += 1
        if self._error:
            raise self._error
        one, two = number_of(first), number_of(second)
        if self._prefers:
            return self._prefers(one, two)
        return (
            0.9
            if self._place(one) < self._place(two)
            else 0.1
            if self._place(one) > self._place(two)
            else 0.5
        )

    def audit(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> Verdict:
        self.audits += 1
        if self._error:
            raise self._error
        return self._verdict
