"""Facts and plans of an uploaded file, as data for JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any

from mirror.stored_words import sayings_of
from sqlagent.language.saying import Saying

NAME_CHARS = 100


@dataclass(slots=True)
class ColumnPlan:
    """One column: `staged` is where its text lies, `native` its type in a file that has types."""

    name: str
    kind: str
    staged: str
    native: str = ""
    is_kept: bool = True
    note: str = ""
    examples: list[str | None] = field(default_factory=list)


@dataclass(slots=True)
class TablePlan:
    """One table of a file. `header_row` is the row its headings are in, 0 when it has none.

    `texts` are pairs: a column, and the last row in which it holds what the file says is text.
    `primary` and `foreign` are the keys that the file declares (see declared_keys), by where columns and tables are staged.
    `is_typed` where the file tells numbers from texts; a CSV file does not.
    `is_lenient` leaves cells empty that do not fit the type of their column. `asked` are questions to the uploader: about unclear headings, and about hidden sheets.
    """

    name: str
    staged: str
    title: str = ""
    header_row: int = 0
    has_rows_above: bool = True
    row_count: int = 0
    texts: list[list[int]] = field(default_factory=list)
    columns: list[ColumnPlan] = field(default_factory=list)
    example_rows: list[int] = field(default_factory=list)
    is_kept: bool = True
    is_typed: bool = True
    is_lenient: bool = False
    is_hidden: bool = False
    asked: list[str] = field(default_factory=list)
    primary: list[str] = field(default_factory=list)
    foreign: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class FilePlan:
    """One file as it was uploaded, and its tables; `error` says why it has none."""

    name: str
    path: str
    size: int
    format: str = ""
    delimiter: str = ""
    encoding: str = ""
    staged: str = ""
    tables: list[TablePlan] = field(default_factory=list)
    error: str = ""
    notes: list[str] = field(default_factory=list)

    def texts(self) -> Iterator[str]:
        """List its texts for the uploader: error and notes, and those of its tables and columns."""
        yield self.error
        yield from self.notes
        for table in self.tables:
            yield from table.asked
            yield from (column.note for column in table.columns)

    def to_json(self) -> dict[str, Any]:
        """Write a plan for JSON, with the parts of its texts; `from_json` gives the same plan back."""
        return {**asdict(self), "saying": sayings_of(self.texts())}

    @classmethod
    def from_json(cls, kept: dict[str, Any]) -> FilePlan:
        """Read the plan that `to_json` wrote."""
        fields = {name: value for name, value in kept.items() if name != "saying"}
        parts = kept.get("saying") or {}

        def again(text: str) -> str:
            return Saying.of(parts[text]) if text in parts else text

        def column(given: dict[str, Any]) -> ColumnPlan:
            return ColumnPlan(**{**given, "note": again(given["note"])})

        tables = [
            TablePlan(
                **{
                    **table,
                    "columns": [column(one) for one in table["columns"]],
                    "asked": [again(text) for text in table["asked"]],
                }
            )
            for table in kept["tables"]
        ]
        notes = [again(text) for text in kept["notes"]]
        return cls(**{**fields, "tables": tables, "error": again(kept["error"]), "notes": notes})


def table_name(title: str) -> str:
    """Make a table's name out of a file's or a sheet's: short, lower case, no spaces.

    Example:
        >>> table_name("Orders 2026 (final).csv"), table_name("2026.xlsx"), table_name("Über")
        ('orders_2026_final', 't_2026', 'über')
    """
    stem = re.sub(
        r"\.(csv|tsv|txt|xlsx|xlsm|parquet|pq|jsonl|ndjson|json|sqlite3?|db3?)$",
        "",
        PurePath(title).name,
        flags=re.I,
    )
    name = re.sub(r"\W+", "_", stem.lower()).strip("_")[:60]
    return f"t_{name}" if not name or name[0].isdigit() else name


def distinct(names: list[str]) -> list[str]:
    """The names, each once whatever its letter case: a later one gets a number.

    Example:
        >>> distinct(["id", "ID", "", "id"])
        ['id', 'ID_2', 'column_3', 'id_3']
    """
    taken: set[str] = set()
    found = []
    for number, name in enumerate(names, 1):
        name = wanted = name or f"column_{number}"
        count = 1
        while name.casefold() in taken:
            count += 1
            name = f"{wanted}_{count}"
        taken.add(name.casefold())
        found.append(name)
    return found


def names_in_line(names: list[str]) -> list[str]:
    """The names of columns, each in one line and not too long."""
    return [" ".join(name.split())[:NAME_CHARS] for name in names]
