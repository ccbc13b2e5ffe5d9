"""What flows through the pipeline: plain, frozen values with no client or connection inside.

Stages take these and return these. Nothing here knows a vendor, a web framework or how
any of it is decided; gold SQL has no place in any of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Cell = Any
"""One stored value as a driver returns it: None, bool, int, float, Decimal, str, bytes,
date, datetime, time, timedelta, UUID, list or dict."""


# ---------------------------------------------------------------- what is asked


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier question of the same thread and the SQL that answered it."""

    question: str
    sql: str


@dataclass(frozen=True, slots=True)
class Question:
    """What the person typed, as a value.

    `text` is the stand-alone form that every stage reads. `typed` is what was typed when
    that differs (a follow-up that was rewritten); `hint` is knowledge given with it.
    """

    text: str
    hint: str = ""
    typed: str = ""


# ---------------------------------------------------------------- the source


class Kind(StrEnum):
    """What a column holds, whatever its dialect calls the type."""

    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    DATETIME = "datetime"
    TIME = "time"
    BOOLEAN = "boolean"
    BINARY = "binary"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Column:
    """A column as the database tells it; `type` is the database's own word."""

    name: str
    type: str = ""
    kind: Kind = Kind.OTHER
    nullable: bool = True
    comment: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """Columns of one table that point at columns of another (or the same)."""

    columns: tuple[str, ...]
    table: str
    referenced: tuple[str, ...]
    schema: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table or view. `schema` is its namespace, empty in the default one."""

    name: str
    columns: tuple[Column, ...]
    schema: str = ""
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    comment: str = ""
    row_estimate: int | None = None
    is_view: bool = False

    def column(self, name: str) -> Column | None:
        """Find a column by name, letter case ignored."""
        low = name.lower()
        return next((c for c in self.columns if c.name.lower() == low), None)

    @property
    def key(self) -> str:
        """The name that is unique in its catalog: `schema.name`, or `name` in the default schema."""
        return f"{self.schema}.{self.name}" if self.schema else self.name


@dataclass(frozen=True, slots=True)
class Catalog:
    """Tables, columns, keys and comments as the database tells them.

    `dialect` is sqlglot's name of the SQL spoken (`sqlite`, `postgres`, `mysql`, `duckdb`).
    `version` changes whenever the tables do. `default_schema` is what the namespace of tables
    with an empty `schema` is called (`public`, or the database's name in MySQL), when known.
    `routines` are names of functions, operators, and types with code, that somebody made there, and of types that somebody
    made a cast to. `types` are types somebody made that only hold values; `fields` are the names of their parts. `called` are
    functions of the server that read or act and may be called by a name behind a dot, as PostgreSQL does. `planned` are tables (`key`) whose
    definition calls somebody's functions when a statement is planned. Of
    the others, written as columns have them, `checked` are domains whose checks call somebody's functions when a value
    is made, and `acting` are types that call them when values are compared or cast too; `table.*` is the type of a
    table's rows. `unseen` says, in words, what calls somebody's functions where no name tells. With `exact_names`, tables Orders and orders are two.
    """

    dialect: str
    tables: tuple[Table, ...]
    version: str = ""
    default_schema: str = ""
    routines: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()
    acting: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()
    planned: tuple[str, ...] = ()
    called: tuple[str, ...] = ()
    exact_names: bool = False

    def table(self, name: str, schema: str = "") -> Table | None:
        """Find a table by name (and schema), letter case ignored."""
        low, sch = name.lower(), schema.lower()
        for t in self.tables:
            if t.name.lower() == low and (not sch or t.schema.lower() == sch):
                return t
        return None


@dataclass(frozen=True, slots=True)
class ColumnRef:
    """A column named from outside its table; `table` is the table's `key`."""

    table: str
    column: str


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """A stored value that words of the question resemble. `score` runs from 0 to 1 (exact)."""

    words: str
    column: ColumnRef
    value: str
    score: float


@dataclass(frozen=True, slots=True)
class Link:
    """Words of the question (characters `start` to `end` of its text) and what they name.

    `target` is a table's key when `column` is empty.
    """

    start: int
    end: int
    words: str
    table: str
    column: str = ""
    value: str = ""
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class LinkedSchema:
    """The part of the catalog a question is about. Keys are always kept.

    `catalog` holds the chosen tables only; `full` is the whole. `unlinked` are the content
    words of the question that found nothing.
    """

    catalog: Catalog
    full: Catalog
    links: tuple[Link, ...] = ()
    values: tuple[ValueMatch, ...] = ()
    unlinked: tuple[str, ...] = ()


class Severity(StrEnum):
    """How far a power goes beyond reading.

    `SEVERE` changes stored data, runs programs, opens files, makes users, or undoes the other locks. `NOTABLE`
    may become that, or reads what is nobody's business. `MILD` fills disks and sessions.
    """

    SEVERE = "severe"
    NOTABLE = "notable"
    MILD = "mild"


@dataclass(frozen=True, slots=True)
class Power:
    """One thing the user of a source may do beyond reading.

    `code` is one of `SEVERITIES`; `words` say it plainly, without a capital or full stop
    ("write to 3 tables in schema public").
    """

    code: str
    words: str

    @property
    def severity(self) -> Severity:
        """How far it goes; one that nobody has weighed counts as severe."""
        return SEVERITIES.get(self.code, Severity.SEVERE)


SEVERITIES: dict[str, Severity] = {
    **dict.fromkeys(
        (
            *("superuser", "server_files", "programs", "write_all_data", "create_roles", "replication"),
            *(
                "write",
                "own",
                "change_tables",
                "grant",
                "administer",
                "dangerous_functions",
                "password_hashes",
            ),
        ),
        Severity.SEVERE,
    ),
    **dict.fromkeys(
        (
            *("signal", "bypass_row_security", "create_databases", "create", "sequences", "become"),
            *("definer_functions", "routines", "lock_tables", "other_statements", "unknown"),
        ),
        Severity.NOTABLE,
    ),
    **dict.fromkeys(
        ("temporary", "large_objects", "own_sessions", "file_writable", "server_facts"), Severity.MILD
    ),
}
"""The one place that decides how severe a power is."""

PASSWORD_HERE = "choose-a-long-one"
"""Stands in `ReaderStep.sql` where the new user's password goes."""


@dataclass(frozen=True, slots=True)
class ReaderStep:
    """Statements for an administrator of the database that make, or complete, a user that only reads.

    `title` says what they do; `note` what to look at before. `is_for_everybody`: they take from all users of the
    database what everybody has, so that somebody may have to be given it back.
    """

    title: str
    sql: str
    note: str = ""
    is_for_everybody: bool = False


@dataclass(frozen=True, slots=True)
class Check:
    """What a connection test found out about a source.

    `server` is its name and version, `user` who we are there. `powers` are what this user could do beyond
    reading if it were not for our read-only session, severest first; `reader` are the statements that make a
    user without them (empty: there is nothing to mend, or no such statements are known). `advice` is what to do
    about it. `is_guard_alone` says that the engine has no read-only session: the guard and the user's own
    privileges are the locks.
    """

    server: str
    user: str = ""
    powers: tuple[Power, ...] = ()
    reader: tuple[ReaderStep, ...] = ()
    advice: str = ""
    seconds: float = 0.0
    is_guard_alone: bool = False

    @property
    def writable(self) -> tuple[str, ...]:
        """What this user could change, in words; what is mild is left out."""
        return tuple(power.words for power in self.powers if power.severity is not Severity.MILD)

    @property
    def advice_sql(self) -> str:
        """The statements that make a user which can only read, as one text."""
        return "\n".join(step.sql for step in self.reader)


# ---------------------------------------------------------------- candidates and what became of them


@dataclass(frozen=True, slots=True)
class Candidate:
    """One SQL text sampled for a question.

    `family` names how it was made (a prompt family, or `grammar`) and is for the reader of
    a run: nothing that selects looks at it. `score` is its maker's own log-score, if any;
    `notes` explain it in words ("'heaviest' -> ORDER BY weight DESC LIMIT 1"). `weight` is
    what its vote counts: 1 for an independent draw; the members of a beam, which differ by
    construction, carry their share of the beam's probability times a pool's size. `written` is
    a language model's own text where `sql` had stored spellings put in: what it may see again.
    """

    sql: str
    family: str = ""
    round: int = 0
    score: float | None = None
    notes: tuple[str, ...] = ()
    weight: float = 1.0
    written: str = ""


@dataclass(frozen=True, slots=True)
class Rows:
    """What a statement returned: column names, rows, and whether more were left behind.

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
    """A statement that gave no rows, in the words of whoever stopped it.

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
    """Executions with one fingerprint: the same answer, said in different SQL. Never empty."""

    fingerprint: str
    members: tuple[Execution, ...]

    @property
    def size(self) -> int:
        """How many candidates gave this answer."""
        return len(self.members)

    @property
    def weight(self) -> float:
        """What its members' votes count together; equal to `size` for independent draws."""
        return sum(member.candidate.weight for member in self.members)

    @property
    def rows(self) -> Rows:
        """The rows of the first member (all members' rows are the same answer)."""
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
    """

    accepted: bool
    reason: str
    unmet: tuple[str, ...] = ()
    answerable: bool = True
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A group shown to a person as one way to understand the question."""

    sql: str
    difference: str
    rows: Rows
    size: int


# ---------------------------------------------------------------- the answer


class Outcome(StrEnum):
    """How a run ended."""

    ANSWERED = "answered"
    AMBIGUOUS = "ambiguous"
    UNANSWERABLE = "unanswerable"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a run: outcome, reason in words, and what was found.

    `sql` and `rows` are present for *answered* and *ambiguous* (the likeliest reading).
    `confidence` is the calibrated probability, 0 to 1, that the SQL is right;
    `size` of `pool` attempts agree. `sent` is exactly what the language model was sent.
    """

    outcome: Outcome
    question: Question
    reason: str = ""
    sql: str = ""
    rows: Rows | None = None
    confidence: float = 0.0
    size: int = 0
    pool: int = 0
    readings: tuple[Reading, ...] = ()
    notes: tuple[str, ...] = ()
    usage: Usage = Usage()
    sent: tuple[LlmRequest, ...] = ()


# ---------------------------------------------------------------- what it may cost


@dataclass(frozen=True, slots=True)
class Limits:
    """What one statement may take: seconds, rows kept, characters of one cell and of all cells, memory.

    Reaching `total_chars` ends the rows as reaching `rows` does. `memory` (bytes) is what the engine may
    take where it runs on this machine (SQLite, DuckDB), None what the database was opened with; a statement
    that needs more fails.
    """

    seconds: float = 30.0
    rows: int = 10_000
    cell_chars: int = 100_000
    total_chars: int = 200_000_000
    memory: int | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """What one question may cost.

    Sizes from R3-SQL as untrained systems measured them: waves of 4 up to 8, 16 when hard;
    one resampling round. `rows` caps candidates; a winner that was cut runs once more up to
    `result_rows`. `drafts` of the built-in generator are shown to an LLM as hints.
    """

    samples: int = 8
    wave: int = 4
    rounds: int = 1
    calls: int = 40
    tokens: int = 400_000
    seconds: float = 120.0
    statement_seconds: float = 30.0
    rows: int = 10_000
    result_rows: int = 1_000_000
    cell_chars: int = 100_000
    total_chars: int = 200_000_000
    mode: str = "fast"
    drafts: int = 0


# ---------------------------------------------------------------- what the guard says


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


# ---------------------------------------------------------------- drawn and told


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as data: what is drawn from which columns. Never code.

    `mark` is one of `bar`, `line`, `area`, `scatter`, `pie`, `histogram`, `number` or `none`.
    `x`, `y` and `series` are column names; `aggregate` is `none`, `sum`, `mean`, `count`,
    `min` or `max`.
    """

    mark: str
    x: str = ""
    y: tuple[str, ...] = ()
    series: str = ""
    aggregate: str = "none"
    title: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class LlmMessage:
    """One message to a language model; `role` is `system`, `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """Everything that makes a call: messages and how to sample. `purpose` names the stage for logs."""

    messages: tuple[LlmMessage, ...]
    temperature: float = 0.0
    max_tokens: int = 2_000
    seed: int | None = None
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class LlmReply:
    """What came back, and what it cost."""

    text: str
    usage: Usage = field(default_factory=Usage)
