"""A source as it is known: its tables, and what of them a question is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from sqlagent.values.corrections import Corrections
from sqlagent.values.knowledge import Knowledge


class Kind(StrEnum):
    """The content of a column, whatever its dialect calls the type."""

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
    """A column as the database tells it; `type` is the database's own word.

    `has_all_examples` says that `examples` are all different values of the rows that were looked at: of the whole
    column where `is_read_whole`, else of those that `Table.seen` tells of.
    """

    name: str
    type: str = ""
    kind: Kind = Kind.OTHER
    nullable: bool = True
    comment: str = ""
    examples: tuple[str, ...] = ()
    has_all_examples: bool = False
    is_read_whole: bool = False


class Seen(StrEnum):
    """Which rows of a table were looked at for example values."""

    UNASKED = ""
    UNREAD = "unread"
    EMPTY = "empty"
    FIRST = "first"
    WHOLE = "whole"


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
    seen: Seen = Seen.UNASKED

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
    `corrections` is what the owner of the source says of them; it travels with the catalog and is no part of its `version`.
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
    corrections: Corrections = ()

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


class StoredTexts(list[str]):
    """Different stored texts of a column; `is_whole` unless only its first rows were looked at.

    Example:
        >>> StoredTexts(["Oslo"], is_whole=False).is_whole
        False
    """

    def __init__(self, texts: Iterable[str] = (), *, is_whole: bool = True) -> None:
        super().__init__(texts)
        self.is_whole = is_whole


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
class CodeLabel:
    """A code that a column holds and its label, from the table of codes of this key or, without one, from the owner or a comment."""

    column: ColumnRef
    code: str
    label: str
    table: str = ""


@dataclass(frozen=True, slots=True)
class LinkedSchema:
    """The part of the catalog a question is about. Keys are always kept.

    `catalog` holds the chosen tables only; `full` is the whole. `unlinked` are the content
    words of the question that found nothing. `codes` are the codes whose labels a prompt tells. `is_trimmed` says that
    a prompt with all of `catalog` did not fit a language model, so that no prompt shows more than it. `knowledge` is what a prompt tells
    of what the team knows.
    """

    catalog: Catalog
    full: Catalog
    links: tuple[Link, ...] = ()
    values: tuple[ValueMatch, ...] = ()
    unlinked: tuple[str, ...] = ()
    codes: tuple[CodeLabel, ...] = ()
    is_trimmed: bool = False
    knowledge: Knowledge = Knowledge()
