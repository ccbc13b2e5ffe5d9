"""The values of a semantic model: plain and frozen. Words are stems, in the order of the name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from sqlagent.values import Calendar


class Kind(StrEnum):
    """The kind of a table's rows."""

    THING = "thing"
    EVENT = "event"
    LINES = "lines"
    HISTORY = "history"
    DATES = "dates"
    CODES = "codes"


class Role(StrEnum):
    """The purpose of a column."""

    KEY = "key"
    FOREIGN = "foreign"
    MEASURE = "measure"
    DIMENSION = "dimension"
    TIME = "time"
    FLAG = "flag"
    TEXT = "text"


class Form(StrEnum):
    """How a column writes a time down."""

    DAY = "day"
    MOMENT = "moment"
    TEXT_DAY = "text day"
    TEXT_MOMENT = "text moment"
    TEXT_MONTH = "text month"
    NUMBER_DAY = "number day"
    TEXT_NUMBER_DAY = "text number day"
    NUMBER_MONTH = "number month"
    SECONDS = "seconds"
    MILLISECONDS = "milliseconds"
    YEAR = "year"


DAYS = frozenset({Form.DAY, Form.TEXT_DAY, Form.NUMBER_DAY, Form.TEXT_NUMBER_DAY})
"""Forms that tell the day and no hour."""

DATED = DAYS | {Form.MOMENT, Form.TEXT_MOMENT}
"""Forms that tell the day."""


@dataclass(frozen=True, slots=True)
class Codes:
    """Codes of a column and their labels, and where these stand: `kind_column = kind` in a table of several lists."""

    table: str
    code_column: str
    label_column: str
    pairs: tuple[tuple[str, str], ...]
    kind_column: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One column: its words, what it is for, and what that takes.

    `aggregate` is how a measure is summed up by default (`sum`, `avg`); `unit` is `money`, `percent`, `count`,
    `hours` and the like. `yes` and `no` are a flag's literals as SQL. `few` says that few values
    stand beside many rows; `is_number` and `is_whole` are about stored cells. `also` are other names that the
    owner gave, `absent` the number that stands for no day, `labels` what the owner, or a comment of the column, calls stored codes.
    `separator` says that each cell is a list, and how its `entries` are told apart (`entries`). `gap` is how many days lie between two
    of a time's values on average.
    """

    table: str
    column: str
    words: tuple[str, ...]
    said: str
    role: Role
    aggregate: str = ""
    unit: str = ""
    form: Form | None = None
    yes: str = ""
    no: str = ""
    codes: Codes | None = None
    few: bool = False
    is_number: bool = False
    is_whole: bool = False
    filled: float = 1.0
    low: str = ""
    high: str = ""
    also: tuple[str, ...] = ()
    labels: tuple[tuple[str, str], ...] = ()
    absent: str = ""
    separator: str = ""
    entries: tuple[str, ...] = ()
    gap: float = 0.0

    @property
    def code_labels(self) -> tuple[tuple[str, str], ...]:
        """All stored codes that have labels, with these: those of the list, then those given beside it."""
        listed = self.codes.pairs if self.codes is not None else ()
        known = {code for code, _ in listed}
        return (*listed, *(pair for pair in self.labels if pair[0] not in known))


@dataclass(frozen=True, slots=True)
class Relation:
    """Columns of `source` that point at one row of `target`; `words` are what the pointing is called (manager, from)."""

    source: str
    columns: tuple[str, ...]
    target: str
    referenced: tuple[str, ...]
    words: tuple[str, ...] = ()
    found: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """Figures that hold for a time: from the day in `begins` on, of what the columns `of` say.

    A row holds up to the day in `ends`, that day included where `is_last_day`, not included where that is false; None says
    that the data do not tell. Without `ends` it holds until the next row of the same begins. `figures` are its measures.
    """

    begins: str
    ends: str
    of: tuple[str, ...]
    figures: tuple[str, ...]
    is_last_day: bool | None = None


@dataclass(frozen=True, slots=True)
class Thing:
    """One table: what its rows are called, how one is told from another and shown, and its times.

    `noun` are the stems of its name, `said` its name in words (singular). `begins` and `ends` are the
    columns between which a row is current; `state` holds its status, `clock` a time of day. `other_time` is meant nearly as well as the default one.
    `also` are other nouns that the owner gave, `history` tells what of it holds for a time.
    """

    table: str
    kind: Kind
    noun: tuple[str, ...]
    said: str
    key: tuple[str, ...]
    display: tuple[str, ...]
    default_time: str = ""
    other_time: str = ""
    begins: str = ""
    ends: str = ""
    state: str = ""
    rows: int = 0
    also: tuple[str, ...] = ()
    clock: str = ""
    history: History | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A source as people speak of it. `newest` is its last day with data, as ISO text; empty when not known."""

    dialect: str
    things: Mapping[str, Thing]
    fields: Mapping[str, tuple[Field, ...]]
    relations: tuple[Relation, ...]
    newest: str = ""
    schemas: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    calendar: Calendar = Calendar()

    def field(self, table: str, column: str) -> Field | None:
        """Find a column, letter case ignored."""
        low = column.lower()
        return next((f for f in self.fields.get(table, ()) if f.column.lower() == low), None)

    def of_role(self, table: str, role: Role) -> tuple[Field, ...]:
        """The columns of a table that are for one purpose, in their order."""
        return tuple(f for f in self.fields.get(table, ()) if f.role is role)

    def plain(self) -> dict[str, Any]:
        """Give the model as plain data, for JSON."""
        return {
            "things": [asdict(thing) for thing in self.things.values()],
            "fields": [asdict(one) for fields in self.fields.values() for one in fields],
            "relations": [asdict(relation) for relation in self.relations],
            "newest": self.newest,
            "calendar": asdict(self.calendar),
        }
