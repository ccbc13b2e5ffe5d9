"""Bodies and answers of calls of the API. The names are those that docs/openapi.json tells."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Field, Schema
from pydantic import ConfigDict, field_validator

from mirror.storable import storable


class Sent(Schema):
    """The body of a call: names that are not known are told."""

    model_config = ConfigDict(extra="forbid")

    @field_validator("*")
    @classmethod
    def _kept_whole(cls, value: Any) -> Any:
        for text in _texts(value):
            if text != storable(text):
                raise ValueError("It holds a character that cannot be stored: NUL, or half of one.")
        return value


def _texts(value: Any) -> list[str]:
    """The texts in a value and in what it holds."""
    if isinstance(value, dict):
        return [text for pair in value.items() for text in pair]
    return [value] if isinstance(value, str) else []


class Question(Sent):
    """A question to a source."""

    source: str = Field(description="The source's name.", max_length=60)
    question: str = Field(description="The question in plain words.")
    hint: str = Field("", description="What its words mean.")
    after: int | None = Field(None, description="The run that this is a follow-up of, on the same source.")


class Statement(Sent):
    """One SQL statement to run on a source."""

    source: str = Field(description="The source's name.", max_length=60)
    sql: str = Field(description="One statement that reads; `:name` is a parameter.")
    arguments: dict[str, str] = Field({}, description="Values of its parameters, as text.")


class Arguments(Sent):
    """Values for the parameters of saved SQL."""

    arguments: dict[str, str] = Field({}, description="Values as text; one that is left out is its default.")


class ProblemTold(Schema):
    """Why a call was not done (RFC 9457)."""

    type: str = Field(description="`urn:mirror:problem:` and a code.")
    title: str
    status: int
    detail: str = ""
    errors: list[dict[str, str]] = Field([], description="What is wrong with which part of what was sent.")


class SourceTold(Schema):
    """A source one may ask."""

    name: str
    engine: str
    description: str
    privacy: str = Field(description="What of it may enter a prompt: schema, masked or rows.")
    is_sample: bool
    catalog_at: datetime | None = Field(description="When its tables were last read.")
    catalog: str = Field(description="Where its tables are told.")


class ColumnTold(Schema):
    """A column of a table."""

    name: str
    type: str
    kind: str
    nullable: bool
    comment: str


class KeyTold(Schema):
    """Columns that point at another table."""

    columns: list[str]
    table: str
    referenced: list[str]


class TableTold(Schema):
    """A table of a source."""

    name: str = Field(description="With its schema where it has one.")
    is_view: bool
    comment: str
    row_count: int | None = Field(description="As far as the database knows.")
    primary_key: list[str]
    foreign_keys: list[KeyTold]
    columns: list[ColumnTold]


class ResultColumn(Schema):
    """A column of rows."""

    name: str
    kind: str


class FailureTold(Schema):
    """Why SQL gave no rows."""

    kind: str = Field(description="refused, error, timeout, cancelled, lost or unkept.")
    message: str
    advice: str
    position: int | None = Field(description="Where in the SQL, counted from 0.")


class VersionTold(Schema):
    """One SQL of a run and what it gave."""

    id: int
    url: str
    run: int
    number: int
    origin: str = Field(description="answer, edit, reading, saved or change.")
    status: str = Field(description="queued, running or done.")
    sql: str
    arguments: dict[str, Any]
    title: str
    departs: str = Field(
        description="How its SQL departs from the question of its run: edited SQL, or what was changed in words."
    )
    sentence: str
    columns: list[ResultColumn]
    row_count: int | None
    truncated: bool = Field(description="There were more rows than are kept.")
    seconds: float | None
    rows: str | None = Field(description="Where its rows are, as long as they are kept.")
    expires_at: datetime | None
    failure: FailureTold | None


class Agreement(Schema):
    """How many attempts gave the answer."""

    size: int
    pool: int


class ReadingTold(Schema):
    """Another way to understand the question."""

    index: int
    difference: str
    agreement: int
    sql: str
    columns: list[str]
    rows: list[list[Any]] = Field(description="Its first rows; none without the scope “rows”.")
    row_count: int


class RunTold(Schema):
    """A question and what became of it."""

    id: int
    url: str
    events: str
    page: str = Field(description="The page that people see.")
    source: str
    asked: str
    question: str = Field(description="As it was read: a follow-up's stand-alone form.")
    hint: str
    status: str = Field(description="queued, running or done.")
    outcome: str = Field(description="answered, ambiguous, unanswerable or failed; empty until it is done.")
    reason: str
    confidence: float | None = Field(description="How likely the answer is right, 0 to 1.")
    agreement: Agreement | None
    sentence: str
    notes: list[str]
    readings: list[ReadingTold]
    version: VersionTold | None = Field(description="The SQL that is shown now.")
    created_at: datetime
    ended_at: datetime | None


class ParameterTold(Schema):
    """A parameter of saved SQL."""

    name: str
    kind: str
    label: str
    default: str


class SavedTold(Schema):
    """SQL that somebody kept."""

    id: int
    url: str
    name: str
    description: str
    question: str
    source: str
    owner: str
    sql: str
    parameters: list[ParameterTold]
    verified_by: str
    verified_at: datetime | None
    draft: str = Field(description="Why it may well not be what was meant; empty where nothing says so.")
    problem: str = Field(description="Why it no longer runs; empty where it does.")
    updated_at: datetime


class ReportTold(Schema):
    """A report."""

    id: int
    url: str
    runs: str
    title: str
    note: str
    owner: str
    formats: list[str]
    next_at: datetime | None
    zone: str
    is_paused: bool
    paused_why: str
    parts: list[str]


class FileTold(Schema):
    """A file that a run of a report made."""

    id: int
    url: str
    name: str
    format: str
    row_count: int
    size: int
    expires_at: datetime


class ReportRunTold(Schema):
    """One making of a report."""

    id: int
    url: str
    report: int
    cause: str
    scheduled_for: datetime | None
    status: str = Field(description="queued, running or done.")
    outcome: str = Field(description="made, nothing, skipped or failed; empty until it is done.")
    reason: str
    created_at: datetime
    ended_at: datetime | None
    files: list[FileTold]


class Page(Schema):
    """Some of a list."""

    total: int
    next: str | None = Field(description="Where the list goes on.")


class Sources(Page):
    """Some sources."""

    items: list[SourceTold]


class Tables(Page):
    """Some tables of a source."""

    items: list[TableTold]


class Runs(Page):
    """Some runs, the newest first."""

    items: list[RunTold]


class SavedPage(Page):
    """Some saved SQL."""

    items: list[SavedTold]


class Reports(Page):
    """Some reports."""

    items: list[ReportTold]


class ReportRuns(Page):
    """Some runs of a report, the newest first."""

    items: list[ReportRunTold]


class TokenTold(Schema):
    """The person of a token and its rights."""

    person: str
    token: str
    scopes: list[Literal["read", "ask", "sql", "rows", "saved", "reports"]]
    sources: list[str] | None = Field(description="The sources it is limited to; null: all of its person.")
    expires_at: datetime
