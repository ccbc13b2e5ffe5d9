"""The answer: what it is, what it cost, how it is drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from sqlagent.values.asked import Question
from sqlagent.values.candidates import Reading, Rows
from sqlagent.values.knowledge import UsedTerm, VerifiedAnswer, Vouched
from sqlagent.values.llm import LlmRequest, Usage


class Outcome(StrEnum):
    """How a run ended."""

    ANSWERED = "answered"
    AMBIGUOUS = "ambiguous"
    UNANSWERABLE = "unanswerable"
    FAILED = "failed"


class Why(StrEnum):
    """Reasons of an outcome that a page knows a way on for; others are told by their words alone."""

    UNSURE = "unsure"
    LANGUAGE = "language"
    TIED = "tied"


@dataclass(frozen=True, slots=True)
class Answer:
    """The end of a run: outcome, reason in words, and what was found.

    `why` is the reason as a code, one of `Why`: *unsure* where a reading may well be meant otherwise, *language* where the question is in
    another one, *tied* where several readings are as likely; empty for every other reason.

    `sql` and `rows` are present for *answered* and *ambiguous* (the likeliest reading).
    `confidence` is the calibrated probability, 0 to 1, that the SQL is right;
    `size` of `pool` attempts agree. `sent` is exactly what the language model was sent. `title` says
    in a few words what the rows are, where their maker knows; `frame` is what the SQL was written from, as its candidate's. `unused_hint` are the parts of the
    question's hint that the answer does without, as they were typed. `terms` are the source's terms that its words say; `vouched` is
    the verified answer that it is the template of, `near` are others that are alike and did not answer it.
    `llm` is the language model that wrote its SQL, or that gave none; empty where none was asked or another maker wrote it.
    `without_llm` says that a language model was asked in vain, so that another maker wrote it; `faults` are the failures of its calls in
    words for who runs its server, and may name addresses.
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
    title: str = ""
    frame: str = ""
    unused_hint: tuple[str, ...] = ()
    terms: tuple[UsedTerm, ...] = ()
    vouched: Vouched | None = None
    near: tuple[VerifiedAnswer, ...] = ()
    llm: str = ""
    why: str = ""
    without_llm: str = ""
    faults: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ColumnFormat:
    """How the values of the columns of one name are shown, as a person chose it.

    `style` is empty for as they are, `number`, `currency`, `percent` (0.12 is 12%), `points` (12 is 12%) or the name
    of a form of dates. `decimals` is None for as many as suit; `unit` is a currency. With `bar` each value has a bar of its length.
    """

    column: str
    style: str = ""
    decimals: int | None = None
    grouped: bool = True
    unit: str = ""
    bar: bool = False

    @classmethod
    def read(cls, kept: Any) -> tuple[Self, ...]:
        """Read formats that were kept as JSON; those of another form are left out."""
        known = (one for one in kept if isinstance(one, Mapping)) if isinstance(kept, list | tuple) else ()
        fields = cls.__slots__
        return tuple(
            cls(**{name: value for name, value in one.items() if name in fields})
            for one in known
            if isinstance(one.get("column"), str)
        )


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as data: what is drawn from which columns. Never code.

    `mark` is one of `bar`, `line`, `area`, `combo`, `scatter`, `pie`, `histogram`, `box`, `heatmap`,
    `map`, `number` or `none`. `x`, `y` and `series` are column names; `aggregate` is `none`, `sum`, `mean`,
    `count`, `min` or `max`. `stack` says how several series stand (`group`, `stack`, `share`, `small` for a
    small chart each, or as suits them), `sort` in which order categories (`value`, `-value`, `name`, or as suits them),
    `scale` is `log` or even, `line` a number to draw a line at. `chosen` by a person. `formats` are those of its columns. `percents` are
    columns of percentages, which say so where no format was chosen.
    """

    mark: str
    x: str = ""
    y: tuple[str, ...] = ()
    series: str = ""
    aggregate: str = "none"
    title: str = ""
    note: str = ""
    stack: str = ""
    sort: str = ""
    scale: str = ""
    line: str = ""
    x_title: str = ""
    y_title: str = ""
    chosen: bool = False
    formats: tuple[ColumnFormat, ...] = ()
    percents: tuple[str, ...] = ()

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> Self:
        """Read a chart that was kept as JSON, which may tell more."""
        known = {name: value for name, value in kept.items() if name in cls.__slots__}
        return cls(
            **{
                **known,
                "y": tuple(known.get("y", ())),
                "formats": ColumnFormat.read(known.get("formats")),
                "percents": tuple(map(str, known.get("percents") or ())),
            }
        )
