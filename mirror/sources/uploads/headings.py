"""The row of headings of a staged table, and the questions that it leaves open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import duckdb

from mirror.sources.uploads.plans import TablePlan
from mirror.sources.uploads.wording import figure
from sqlagent.language.saying import all_of, in_commas, in_quotes, worded, worded_count

# Rows in which headings are looked for: reports have a title above them.
HEADING_ROWS = 20
# Names that are told of those that stand twice.
NAMED = 5


def header_row(db: duckdb.DuckDBPyConnection, table: str) -> int:
    """The row whose cells are headings: as wide as the others, all text; else 0. A text may stand twice in it, unless it is a value below."""
    rows = _first_rows(db, table)
    filled = [sum(cell is not None for cell in row[1:]) for row in rows]
    for place, (row, count) in enumerate(zip(rows, filled, strict=True)):
        if count < sorted(filled)[len(filled) // 2] * 0.8:
            continue  # a title above the table
        if not _is_plain(row):
            return 0
        values = {_key(cell) for below in rows[place + 1 :] for cell in below[1:] if cell}
        return 0 if any(_key(text) in values for text in _repeated(row[1:])) else int(row[0])
    return 0


def _first_rows(db: duckdb.DuckDBPyConnection, table: str) -> list[tuple[Any, ...]]:
    return db.execute(f"SELECT * FROM {table} ORDER BY row LIMIT {HEADING_ROWS}").fetchall()  # noqa: S608


def _is_plain(row: Sequence[Any]) -> bool:
    """Whether no cell of a row, which begins with its number, begins with a digit."""
    return not any(cell.strip()[:1].isdigit() for cell in row[1:] if cell)


def _repeated(cells: Sequence[str | None]) -> list[str]:
    """The texts that stand more than once, whatever their letter case, as they stand first."""
    texts = [" ".join(cell.split()) for cell in cells if cell and cell.strip()]
    counts = Counter(map(_key, texts))
    first = {_key(text): text for text in reversed(texts)}
    return [first[key] for key in dict.fromkeys(map(_key, texts)) if counts[key] > 1]


def _key(text: str) -> str:
    """The same for texts that differ in letter case or spaces alone."""
    return " ".join(text.split()).casefold()


def asked(db: duckdb.DuckDBPyConnection, table: TablePlan, heads: Sequence[str | None]) -> list[str]:
    """List the questions about a table: names that stand twice, a row that may be headings, a sheet that is hidden."""
    said: list[str] = []
    if table.is_hidden:
        said.append(
            worded(
                "This sheet is hidden in the workbook. It is left out unless you choose to make a table of it."
            )
        )
    if twice := _repeated(heads):
        names = [in_quotes(name) for name in twice[:NAMED]]
        more = len(twice) - NAMED
        said.append(
            worded_count(
                "{names} stands more than once in the headings, row {row}. The later columns have a number behind their "
                "name here: rename them, or leave them out. If that row holds no headings, write 0 above and read the file again.",
                "{names} stand more than once in the headings, row {row}. The later columns have a number behind their "
                "name here: rename them, or leave them out. If that row holds no headings, write 0 above and read the file again.",
                len(twice),
                names=all_of(names)
                if more <= 0
                else worded("{names} and {count} more", names=in_commas(names), count=figure(more)),
                row=figure(table.header_row),
            )
        )
    elif table.has_rows_above and not table.header_row:
        row = next(iter(_first_rows(db, table.staged)), None)
        if row is not None and _is_plain(row) and (twice := _repeated(row[1:])):
            said.append(
                worded(
                    "Row {row} is not taken for headings: {name} stands there twice. If it holds the headings, write "
                    "{row} above and read the file again.",
                    row=figure(row[0]),
                    name=in_quotes(twice[0]),
                )
            )
    return said
