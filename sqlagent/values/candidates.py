"""Candidates and what became of them: rows or a failure, their groups, their order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlagent.values.source import Kind

Cell = Any
"""One stored value as a driver returns it: None, bool, int, float, Decimal, str, bytes,
date, datetime, time, timedelta, UUID, list or dict."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One SQL text sampled for a question.

    `family` names how it was made (a prompt family, or `grammar`) and is for the reader of
    a run: nothing that selects looks at it. `score` is its maker's own log-score, if any;
    `notes` explain it in words ("'heaviest' -> ORDER BY weight DESC LIMIT 1"). `weight` is
    what its vote counts: 1 for an independent draw; the members of a beam, which differ by
    construction, carry their share of the beam's probability times a pool's size. `written` is
    a language model's own text where `sql` had stored spellings put in: what it may see again.
    `title` says in a few words what its rows are, where the maker knows. `frame` is the reading that the SQL was
    written from, as JSON of its maker's own, where there is one; `parts` tell it in words, each with its kind
    ("by", "by region"), so that two of one maker can be told apart. `llm` is the language model that wrote it, if one did.
    """

    sql: str
    family: str = ""
    round: int = 0
    score: float | None = None
    notes: tuple[str, ...] = ()
    weight: float = 1.0
    written: str = ""
    title: str = ""
    frame: str = ""
    parts: tuple[tuple[str, str], ...] = ()
    llm: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a statement: column names, cells, and whether more were left behind.

    `kinds` has one entry a column where the driver tells the type, else it is empty.
    `truncated` is about rows; `cut_cells` counts cells longer than `Limits.cell_chars`, which
    end in `…` in place of the rest.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool = False
    seconds: float = 0.0
    kinds: tuple[Kind, ...] = ()
    cut_cells: int = 0


class FailureKind(StrEnum):
    """Why a statement gave no rows."""

    REFUSED = "refused"
    ERROR = "error"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    LOST = "lost"


OWN_WORDS = "own"
"""The `code` of a failure whose message nothing stored can have come into."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A statement that gave no rows, in the words of the guard or the database.

    `position` is the 0-based character offset in the SQL, when known; `advice` says what to do.
    `code` is the driver's own class of fault (a SQLSTATE, a number, a name), `OWN_WORDS` where
    the message was written here about the SQL alone, and empty where neither is known.
    """

    kind: FailureKind
    message: str
    position: int | None = None
    advice: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Execution:
    """A candidate and what happened to it. `sql` is the text that ran (mended, if it was)."""

    candidate: Candidate
    result: Rows | Failure
    sql: str

    @property
    def rows(self) -> Rows | None:
        """The rows, or None when it failed."""
        return self.result if isinstance(self.result, Rows) else None

    @property
    def failure(self) -> Failure | None:
        """The failure, or None when it returned."""
        return self.result if isinstance(self.result, Failure) else None

    @property
    def frame(self) -> str:
        """The candidate's frame; empty where another text ran than was written from it."""
        return self.candidate.frame if self.sql == self.candidate.sql else ""

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """The candidate's reading in words; empty where another text ran than was written from it."""
        return self.candidate.parts if self.sql == self.candidate.sql else ()

    @property
    def status(self) -> str:
        """`ok`, `empty`, `all_null`, `truncated`, or the failure's kind."""
        if isinstance(self.result, Failure):
            return str(self.result.kind)
        if not self.result.rows:
            return "empty"
        if all(cell is None for row in self.result.rows for cell in row):
            return "all_null"
        return "truncated" if self.result.truncated else "ok"


@dataclass(frozen=True, slots=True)
class ExecutionGroup:
    """Executions with one fingerprint: the same answer, said in different SQL. Never empty.

    A group joined of several presentations of one answer has these in `variants`, the one to show first; fingerprint,
    rows and status are that one's, and its members come first.
    """

    fingerprint: str
    members: tuple[Execution, ...]
    variants: tuple[ExecutionGroup, ...] = ()

    @property
    def shown(self) -> tuple[Execution, ...]:
        """The members whose rows are shown."""
        return self.variants[0].members if self.variants else self.members

    @property
    def fingerprints(self) -> frozenset[str]:
        """The fingerprints of every presentation."""
        return frozenset(variant.fingerprint for variant in self.variants) | {self.fingerprint}

    @property
    def size(self) -> int:
        """How many candidates gave this answer."""
        return len(self.members)

    @property
    def weight(self) -> float:
        """The weight of its members' votes together; equal to `size` for independent draws."""
        return sum(member.candidate.weight for member in self.members)

    @property
    def rows(self) -> Rows:
        """The rows of the first member (all members' rows are the same answer, in the form that is shown)."""
        rows = self.members[0].rows
        assert rows is not None
        return rows

    @property
    def status(self) -> str:
        """`ok`, `empty`, `all_null` or `truncated`."""
        return self.members[0].status


@dataclass(frozen=True, slots=True)
class RankedGroup:
    """A group with its place and what put it there.

    `list_wins` is r_list, the number of groups decisively beaten; `utility` is r_point,
    size times the best reciprocal pointwise rank; `representative` is its best member.
    `chance` is a judge's own probability that this of the groups is right, where it gives one.
    """

    group: ExecutionGroup
    representative: Execution
    score: float
    list_wins: int = 0
    utility: float = 0.0
    reasons: tuple[str, ...] = ()
    chance: float | None = None


@dataclass(frozen=True, slots=True)
class Ranking:
    """Groups, best first. `swap_consistency` is None where no judge was asked."""

    groups: tuple[RankedGroup, ...]
    pool: int
    judged: bool = False
    swap_consistency: float | None = None
    tied: bool = False

    @property
    def total(self) -> float:
        """Weight of the whole pool: its groups', and 1 for each execution that joined none."""
        joined = sum(ranked.group.size for ranked in self.groups)
        return sum(ranked.group.weight for ranked in self.groups) + self.pool - joined

    @property
    def top_share(self) -> float:
        """Weight of the winning group out of the whole pool; 0 without groups."""
        return self.groups[0].group.weight / self.total if self.groups and self.total else 0.0


@dataclass(frozen=True, slots=True)
class Verdict:
    """The auditor's word on a pool: does it likely hold the right SQL, and what is unmet?

    `answerable` is False where the auditor says that the schema holds no such facts at all.
    `complaints` are those of `unmet` that are words of a database about statements that failed.
    `has_no_data` says that the right SQL is there and gives no rows because there are none. `is_disputed` says that the
    auditor misses nothing, and the pool is sent back because two results stand against each other.
    """

    accepted: bool
    reason: str
    unmet: tuple[str, ...] = ()
    answerable: bool = True
    complaints: tuple[str, ...] = ()
    has_no_data: bool = False
    is_disputed: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A small statement's finding on one point in which candidates differ: a condition, or a column, of one table.

    `rows` are the table's. A condition `holds` for some of them; a column is `filled` in some, with so many `different`
    values, of which `common` are the most frequent with their counts (empty where values were not asked for).
    Of two points beside each other, one of either candidate, `against` is the second: two conditions hold in `both` rows, two
    columns are equal in them; in `only` rows the first holds or is filled alone, in `other` the second, in the rest of the filled ones two columns differ.
    """

    sql: str
    table: str
    rows: int
    holds: int | None = None
    filled: int = 0
    different: int = 0
    common: tuple[tuple[Cell, int], ...] = ()
    against: str = ""
    both: int = 0
    only: int = 0
    other: int = 0
    unequal: int = 0


@dataclass(frozen=True, slots=True)
class NarrowingStep:
    """A part of a candidate and the rows `left` after it; None where they were not counted, which `fails` where it does not run.

    `kind` is `table`, `join`, `condition`, `groups` or `having`. A condition holds for `alone` of the joined rows by itself.
    With `is_inside` it is a part of the statement inside the condition that leaves nothing.
    """

    kind: str
    sql: str
    left: int | None
    alone: int | None = None
    fails: bool = False
    is_inside: bool = False


@dataclass(frozen=True, slots=True)
class Narrowing:
    """How the rows of one candidate become fewer, step by step.

    `among` are the most frequent values, with their counts, of the `column` whose condition is in doubt, in the rows left
    before it; empty where values were not asked for.
    """

    sql: str
    steps: tuple[NarrowingStep, ...]
    column: str = ""
    among: tuple[tuple[Cell, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A group shown to a person as one way to understand the question; `frame` is that of its candidate."""

    sql: str
    difference: str
    rows: Rows
    size: int
    frame: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a statement may not run: what was found, why it is refused, and what to do instead.

    `position` is the 0-based character offset in the SQL. For an unknown name `kind` is
    `table` or `column`, `name` is the name as written and `nearest` the real names that
    resemble it, best first; `kind` is otherwise empty.
    """

    what: str
    why: str
    advice: str
    position: int | None = None
    kind: str = ""
    name: str = ""
    nearest: tuple[str, ...] = ()
