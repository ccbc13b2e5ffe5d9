"""The setting of a question: the source, the models, what a team knows, and how much all may cost."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event as Flag

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.guard import Policy
from sqlagent.method import execution
from sqlagent.method.metering import MeteredLlm
from sqlagent.ports import Database, Fetch
from sqlagent.values import Budget, Catalog, Knowledge, Limits, Rows


@dataclass(frozen=True, slots=True)
class Setting:
    """All that one question is answered with.

    `catalog` is the whole one, by which the guard goes; `known` and `index` lack what the owner hid. `llm` writes SQL,
    `ranker` compares and marks candidates in its place; without an `llm` the built-in makers answer. `cache` holds what SQL
    gave already, `fetch` stores the rows of an answer that were cut.
    """

    database: Database
    catalog: Catalog
    known: Catalog
    index: ValueIndex | None
    llm: MeteredLlm | None
    ranker: MeteredLlm | None
    knowledge: Knowledge
    budget: Budget
    privacy: str
    cancelled: Flag
    cache: execution.Cache | None
    policy: Policy | None
    fetch: Fetch | None

    def limits(self, rows: int, seconds: float | None = None) -> Limits:
        """Bound one statement: as the budget says, to so many rows, and to other seconds where they are given."""
        budget = self.budget
        most = budget.statement_seconds if seconds is None else seconds
        return Limits(most, rows, budget.cell_chars, budget.total_chars)

    @property
    def whole(self) -> Limits:
        """Bound SQL that is the answer at once: its first rows where `fetch` stores the others, else all of them."""
        return self.limits(self.budget.rows if self.fetch else self.budget.result_rows)

    def executor(
        self, limits: Limits, *, is_cached: bool = False, by: Catalog | None = None
    ) -> execution.Executor:
        """The guarded way to the database, within these limits; the guard goes by the whole catalog, or `by` another."""
        cache = self.cache if is_cached else None
        return execution.Executor(self.database, by or self.catalog, limits, cache=cache, policy=self.policy)

    def fetched(self, sql: str, rows: Rows) -> tuple[Rows, str]:
        """Store the rows of SQL that were cut, where somebody stores them; give them with what is to be said of it."""
        return self.fetch(sql, rows) if self.fetch and rows.truncated else (rows, "")
