"""The things asked of the outside, and the parts of the method that have several makers.

`Database` and `Llm` are spoken by `adapters`; `Sampler` and `Judge` each have a maker that
asks an LLM and one that does not, so that the pipeline is one code path.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from threading import Event as Flag
from typing import Protocol, runtime_checkable

from sqlagent.values import (
    Candidate,
    Catalog,
    Cell,
    Check,
    Execution,
    ExecutionGroup,
    Kind,
    Limits,
    LinkedSchema,
    LlmReply,
    LlmRequest,
    Question,
    Rows,
    Verdict,
)


@runtime_checkable
class Database(Protocol):
    """One source, opened read-only. Methods may be called from several threads at once."""

    @property
    def dialect(self) -> str:
        """sqlglot's name of the SQL it speaks."""
        ...

    def catalog(self) -> Catalog:
        """Read tables, columns, keys and comments. Raises: DatabaseError."""
        ...

    def execute(self, sql: str, limits: Limits) -> Rows:
        """Run one statement in a read-only session and keep at most `limits.rows` rows.

        One row more is fetched, so that a cut result is known to be cut. Raises:
        StatementFailed (its `failure.kind` tells error, timeout or cancelled), Unreachable.
        """
        ...

    def values(self, table: str, column: str, limit: int, schema: str = "") -> Iterable[str]:
        """List distinct stored texts of a column, most frequent first where that is cheap.

        `StoredTexts` say whether the whole column was looked at; of others that is taken for granted. Raises: DatabaseError.
        """
        ...

    def cancel(self) -> None:
        """End every statement this object has in flight, in the database itself."""
        ...

    def close(self) -> None:
        """Give back what was opened. Idempotent."""
        ...


class RowStream(Protocol):
    """Rows on their way: iterating gives batches of them, at most `Limits.rows` in all.

    `truncated` and `cut_cells` are what they are in `Rows`, and final once iteration ended.
    """

    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    truncated: bool
    cut_cells: int

    def __iter__(self) -> Iterator[list[tuple[Cell, ...]]]:
        """Yield batches of rows. Raises: StatementFailed, Unreachable."""
        ...


@runtime_checkable
class SourceDatabase(Database, Protocol):
    """An adapter's offers beyond answering: a connection test, and rows in constant memory."""

    def check(self) -> Check:
        """Connect, tell server and version, and what this user could write. Raises: Unreachable."""
        ...

    def stream(self, sql: str, limits: Limits) -> AbstractContextManager[RowStream]:
        """Run one statement as `execute` does and hand its rows over in batches.

        Leaving the context ends the statement. Raises: StatementFailed, Unreachable.
        """
        ...


@runtime_checkable
class ColumnStream(RowStream, Protocol):
    """Rows on their way that also come by column, for those who store or write them by the million."""

    def column_batches(self) -> Iterator[Sequence[Iterable[Cell]]]:
        """Yield batches instead of iterating: of each, one sequence of cells a column.

        A sequence is a list of cells, or an Arrow array (pyarrow) that stands for exactly the
        cells iterating gives: int64, float64, bool, string, date32, time64[us], timestamp[us],
        timestamp[us, UTC], decimal128(38, s) whose every cell has s digits after the point, and
        the extension `sqlagent.uuid` of string.
        The same limits hold. Raises: StatementFailed, Unreachable.
        """
        ...


class CsvLines(Protocol):
    """The lines of a CSV file on their way, without the one of names.

    All but `columns` and `kinds` are final once iteration ended.
    """

    columns: tuple[str, ...]
    kinds: tuple[Kind, ...]
    row_count: int
    truncated: bool
    cut_cells: int

    def __iter__(self) -> Iterator[bytes]:
        """Yield whole lines, about a megabyte at a time. Raises: StatementFailed, Unreachable."""
        ...


@runtime_checkable
class CsvStreaming(Protocol):
    """A source that writes CSV itself, several times as fast as rows can be written here."""

    def stream_csv(
        self, sql: str, limits: Limits, *, live: str, plain: str
    ) -> AbstractContextManager[CsvLines | None]:
        """Run one statement as `stream` does and hand it over as lines of CSV (UTF-8, LF).

        None says that this statement cannot go this way (a type whose text is not what
        `execute` gives, such as an array or JSON; an EXPLAIN): stream its rows instead; it has not run.

        NULL is nothing and an empty text `""`; every text stands in quotes; booleans are
        true and false; numbers and times are as the source writes them. A text that the pattern
        `live` finds at its beginning and `plain` does not match as a whole gets an apostrophe
        before it, and so does a time that is `-infinity`; nothing else does, and no text that
        begins with an ASCII letter or digit. Both patterns are read by the source: keep to what
        Python's `re` and PostgreSQL read alike. Long texts are cut as in rows;
        `limits.total_chars` is not looked at, as nothing is held. Raises: StatementFailed,
        Unreachable.
        """
        ...


@runtime_checkable
class Llm(Protocol):
    """A language model. `complete` may be called from several threads at once."""

    @property
    def name(self) -> str:
        """The model's name, as shown to people."""
        ...

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask once and wait. Retries are the adapter's business. Raises: LlmError, Cancelled."""
        ...


class Fetch(Protocol):
    """Fetches all rows of an answer of which only the first were looked at, for who keeps rows elsewhere."""

    def __call__(self, sql: str, rows: Rows) -> tuple[Rows, str]:
        """Run the SQL once more; give the rows that the answer tells of, and a note where that failed."""
        ...


class Sampler(Protocol):
    """Makes candidates: prompts to an LLM, or the built-in generator."""

    def sample(
        self,
        question: Question,
        linked: LinkedSchema,
        *,
        count: int,
        start: int = 0,
        round: int = 0,
        feedback: Sequence[str] = (),
        families: Sequence[str] = (),
        cancelled: Flag | None = None,
    ) -> Iterator[Candidate]:
        """Yield up to `count` candidates as they come. Raises: LlmError, Cancelled.

        `start` is how many were sampled before in this run (waves continue, they do not
        repeat); `feedback` holds the requirements found unmet. `families` are the families of
        prompts that the wave leads with, in place of those whose turn it is; a maker without prompts has none.
        """
        ...


class Judge(Protocol):
    """Says which executions and groups answer better, and audits a pool."""

    def utilities(
        self, question: Question, linked: LinkedSchema, executions: Sequence[Execution]
    ) -> Sequence[float]:
        """Score each execution by itself, higher is better (pointwise)."""
        ...

    def order(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> Sequence[int]:
        """Order groups best first, as indices, looking at them in the order given (listwise)."""
        ...

    def prefers(
        self,
        question: Question,
        linked: LinkedSchema,
        first: ExecutionGroup,
        second: ExecutionGroup,
    ) -> float:
        """Probability that `first` answers better than `second`, shown in this order (pairwise)."""
        ...

    def audit(self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]) -> Verdict:
        """Say whether the pool likely holds the right SQL and which requirements are unmet."""
        ...


@runtime_checkable
class Estimating(Protocol):
    """A judge that also says how probable each group is."""

    def chances(
        self, question: Question, linked: LinkedSchema, groups: Sequence[ExecutionGroup]
    ) -> Sequence[float]:
        """Probability of each group to be the right one, if one of them is."""
        ...
