"""Guess from all rows of a staged table what its columns are: names, types and examples."""

from __future__ import annotations

import re

import duckdb

from mirror.sources.uploads.cell_lists import CELL, LISTED_ROWS, cells_asked, cells_list
from mirror.sources.uploads.headings import asked
from mirror.sources.uploads.plans import ColumnPlan, TablePlan, distinct, names_in_line
from mirror.sources.uploads.types import (
    DECIMAL_DIGITS,
    KINDS,
    THOUSANDS_OR_DECIMALS,
    UNCLEAR_DATE,
    digit_counts,
    matches,
    misfits,
    trimmed,
)
from sqlagent.language.saying import worded

# Rows from which the types to try are taken, a few of them first; then every row has its say.
FIRST_ROWS, SAMPLE_ROWS = 20, 2_000
EXAMPLE_ROWS, EXAMPLE_CHARS = 5, 60
PERHAPS_DATES = worded("Perhaps dates: choose whether day or month comes first.")
PERHAPS_THOUSANDS = worded(
    "Perhaps points between thousands: choose “Decimal number: 1.234,56” to read 2.132 as two thousand."
)
# Columns looked at in one statement: 1,000 at once took 2 GB of memory (measured 2026-11).
GUESSED_AT_ONCE = 50


def table_guess(db: duckdb.DuckDBPyConnection, table: TablePlan) -> None:
    """Give a staged table its columns with names, types and examples, and what is asked about them; its headings are in `header_row`."""
    names: list[str] = []
    if table.has_rows_above:
        width = len(db.execute(f"DESCRIBE {table.staged}").fetchall()) - 1
        heads = db.execute(f"SELECT * FROM {table.staged} WHERE row = ?", [table.header_row]).fetchone()  # noqa: S608
        names = [cell or "" for cell in heads[1:]] if heads else [""] * width
        table.columns = [
            ColumnPlan(name, "", f"c{n}") for n, name in enumerate(distinct(names_in_line(names)))
        ]
    table.asked = asked(db, table, names)
    where = f"FROM {table.staged} WHERE row > {table.header_row}"
    table.row_count = db.execute(f"SELECT count(*) {where}").fetchall()[0][0]
    _guess_kinds(db, table, where)
    if not table.is_typed:
        _tell_thousands(db, table, where)
    staged = ", ".join(f"left(CAST({column.staged} AS VARCHAR), {EXAMPLE_CHARS})" for column in table.columns)
    rows = db.execute(f"SELECT row, {staged} {where} ORDER BY row LIMIT {EXAMPLE_ROWS}").fetchall()
    table.example_rows = [row[0] for row in rows]
    for place, column in enumerate(table.columns, 1):
        column.examples = [row[place] for row in rows]


def _guess_kinds(db: duckdb.DuckDBPyConnection, table: TablePlan, where: str) -> None:
    """Give each column the first kind that all of its cells fit. Candidates come from a sample."""
    if table.row_count <= LISTED_ROWS:
        _guess_listed(db, table, where)
        return
    texts = {place for place, row in table.texts if row > table.header_row}
    waiting: dict[int, list[str]] = {}
    staged = ", ".join(f"CAST({column.staged} AS VARCHAR)" for column in table.columns)
    first = db.execute(f"SELECT {staged} {where} LIMIT {FIRST_ROWS}").fetchall()
    for place, column in enumerate(table.columns):
        if column.native:
            continue
        sample = f"FROM (SELECT {column.staged} {where} LIMIT {SAMPLE_ROWS})"  # of all columns: 40 ms for one of 1,000
        kinds = [code for code in KINDS if not (place in texts and KINDS[code].is_number)]
        kinds = _possible(kinds, [row[place] for row in first])
        fits = _fitting(db, column.staged, kinds, sample) if len(kinds) > 1 else ["text"]
        waiting[place] = fits
        if fits == ["text"] and "date_dmy" in kinds and not _misses(db, column.staged, "date_dmy", sample):
            column.note = PERHAPS_DATES
    while waiting:  # one look at all rows for the first candidate of each of some columns that have none yet
        some = list(waiting.items())[:GUESSED_AT_ONCE]
        checks = ", ".join(
            f"count(*) FILTER ({misfits(kinds[0], table.columns[place].staged, is_guess=True)}), "
            f"coalesce(bool_or({_shown(kinds[0], table.columns[place].staged)}), false), "
            f"{_digits(kinds[0], table.columns[place].staged)}"
            for place, kinds in some
        )
        found = db.execute(f"SELECT {checks} {where}").fetchall()[0]
        for number, (place, kinds) in enumerate(some):
            missed, is_shown, digits = found[3 * number : 3 * number + 3]
            if kinds[0] == "text" or (not missed and is_shown and (digits or 0) <= DECIMAL_DIGITS):
                table.columns[place].kind = kinds[0]
                del waiting[place]
            else:
                waiting[place] = kinds[1:]


def _tell_thousands(db: duckdb.DuckDBPyConnection, table: TablePlan, where: str) -> None:
    """Read 2.132 as two thousand where another column of the table has decimal commas; note that it may be, where none has."""
    decimals = [column for column in table.columns if column.kind == "decimal" and not column.native]
    has_commas = any(column.kind == "decimal_comma" for column in table.columns)
    for start in range(0, len(decimals), GUESSED_AT_ONCE):
        some = decimals[start : start + GUESSED_AT_ONCE]
        fits = ", ".join(
            f"bool_and(coalesce({matches(THOUSANDS_OR_DECIMALS, column.staged)}, true))" for column in some
        )
        for column, is_unclear in zip(some, db.execute(f"SELECT {fits} {where}").fetchall()[0], strict=True):
            if is_unclear and has_commas:
                column.kind = "decimal_comma"
            elif is_unclear:
                column.note = PERHAPS_THOUSANDS


def _guess_listed(db: duckdb.DuckDBPyConnection, table: TablePlan, where: str) -> None:
    """The same for a table of few rows, all of whose cells are looked at: a kind at a time, of all columns that may be of it."""
    waiting = {column.staged: column for column in table.columns if not column.native}
    cells_list(db, list(waiting), where)
    texts = {table.columns[place].staged for place, row in table.texts if row > table.header_row}
    first = cells_asked(db, waiting, [f"list({CELL})[:{FIRST_ROWS}]"])
    possible = {
        name: _possible([code for code in KINDS if not (name in texts and KINDS[code].is_number)], found)
        for name, (found,) in first.items()
    }
    for code in KINDS:
        some = [name for name, kinds in possible.items() if name in waiting and code in kinds]
        if code == "text" or not some:
            continue
        fits = f"count({trimmed(CELL)}), count(*) FILTER ({misfits(code, CELL, is_guess=True)})"
        shown = f"coalesce(bool_or({_shown(code, CELL)}), false)"
        for name, (full, missed, is_shown, digits) in cells_asked(
            db, some, [fits, shown, _digits(code, CELL) if KINDS[code].type == "DECIMAL" else "0"]
        ).items():
            if full and not missed and is_shown and (digits or 0) <= DECIMAL_DIGITS:
                waiting.pop(name).kind = code
    unclear = [name for name in waiting if UNCLEAR_DATE[0] in possible.get(name, ())]
    either = f"count({trimmed(CELL)}), count(*) FILTER ({misfits(UNCLEAR_DATE[0], CELL)})"
    for name, (full, missed) in cells_asked(db, unclear, [either]).items():
        if full and not missed:
            waiting[name].note = PERHAPS_DATES
    for column in waiting.values():
        column.kind = "text"


def _possible(kinds: list[str], cells: list[str | None]) -> list[str]:
    """The kinds that some cells allow, without asking the database: 12 ms a column. `text` is always one."""
    texts = {text for cell in cells if cell and (text := cell.strip(" \t\n\r\u00a0"))}
    return [
        code
        for code in kinds
        if code == "text" or all(re.fullmatch(KINDS[code].guessed, text) for text in texts)
    ]


def _fitting(db: duckdb.DuckDBPyConnection, column: str, kinds: list[str], sample: str) -> list[str]:
    """The kinds that the sample allows, `text` last; only that for a column with nothing in it."""
    checks = ", ".join(f"count(*) FILTER ({misfits(code, column, is_guess=True)})" for code in kinds)
    found = db.execute(f"SELECT count({trimmed(column)}), {checks} {sample}").fetchall()[0]
    if not found[0]:
        return ["text"]
    fits = [code for code, missed in zip(kinds, found[1:], strict=True) if not missed]
    if all(code in fits for code in UNCLEAR_DATE):
        shown = ", ".join(f"coalesce(bool_or({_shown(code, column)}), false)" for code in UNCLEAR_DATE)
        is_shown = db.execute(f"SELECT {shown} {sample}").fetchall()[0]
        if not any(is_shown):
            return ["text"]
    return fits


def _misses(db: duckdb.DuckDBPyConnection, column: str, code: str, sample: str) -> bool:
    found = db.execute(
        f"SELECT count({trimmed(column)}), count(*) FILTER ({misfits(code, column)}) {sample}"
    ).fetchall()[0]
    return bool(not found[0] or found[1])


def _shown(code: str, column: str) -> str:
    return matches(KINDS[code].shown, column) if KINDS[code].shown else "true"


def _digits(code: str, column: str) -> str:
    """The most digits that a decimal column needs, before and after the point together."""
    if KINDS[code].type != "DECIMAL":
        return "0"
    before, after = digit_counts(code, column)
    return f"coalesce(max({before}), 0) + coalesce(max({after}), 0)"
