"""Stage the tables of a file as text in DuckDB, and have guessed from all of it what the columns are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from mirror.sources.uploads.bounds import (
    BATCH_CELLS,
    BATCH_CHARS,
    BATCH_ROWS,
    CELL_CHARS,
    MAX_COLUMNS,
    UPLOAD_COLUMNS,
    UPLOAD_TABLES,
)
from mirror.sources.uploads.column_guessing import table_guess
from mirror.sources.uploads.declared_keys import keys_staged
from mirror.sources.uploads.file_formats import format_of
from mirror.sources.uploads.headings import header_row
from mirror.sources.uploads.parquet_tables import DAMAGED_PARQUET, parquet_table
from mirror.sources.uploads.plans import ColumnPlan, FilePlan, TablePlan, distinct, names_in_line, table_name
from mirror.sources.uploads.raw_tables import NoTable, RawTable, Row, table_size_check
from mirror.sources.uploads.sqlite_tables import sqlite_sheets
from mirror.sources.uploads.text_files import csv_sheet, delimiter_of, encoding_of, jsonl_sheet
from mirror.sources.uploads.wording import figure
from mirror.sources.uploads.workbooks import xlsx_sheets
from sqlagent.errors import without_folders
from sqlagent.language.saying import spaced, worded, worded_count

# Tables that cannot be read, each of which is told by name.
LEFT_OUT_TOLD = 20
CONFIG: dict[str, Any] = {
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "python_enable_replacements": "false",
    # Data that memory has no room for goes to disk beside the staging file, and goes with it.
    "memory_limit": "800MB",
    "max_temp_directory_size": "1GB",
    # Each thread holds a part of every column.
    "threads": "2",
}


def plan_file(plan: FilePlan, folder: Path, tell: Callable[[int], None] | None = None) -> None:
    """Read a file into its staging file and guess its tables; its fault is in `error`.

    Encoding and delimiter are guessed where the plan has none. `tell` is given the rows read so far,
    again and again. 200,000 rows of eight columns of CSV (17 MB) take 1.8 s of CPU and 200 MB of
    memory, loading them 1.1 s (measured 2026-11).
    """
    source = folder / plan.path
    plan.tables, plan.error, plan.notes = [], "", []
    plan.staged = f"{plan.path}.duckdb"
    staged = folder / plan.staged
    staged.unlink(missing_ok=True)
    left_out: list[str] = []
    try:
        plan.format = format_of(source, plan.name)
        with closing(duckdb.connect(str(staged), config=CONFIG)) as db:
            if plan.format == "parquet":
                plan.tables = [parquet_table(db, source, plan.name)]
            else:
                keys = []
                for sheet in _sheets(plan, source):
                    table = _staged_or_noted(db, plan, sheet, left_out, tell)
                    if table is not None and sheet.keys is not None:
                        keys.append((table, sheet.keys))
                    if len(plan.tables) > UPLOAD_TABLES:
                        raise NoTable(
                            worded(
                                "It has more than {most} tables, the limit for a file.",
                                most=figure(UPLOAD_TABLES),
                            )
                        )
                keys_staged(keys)
            for table, name in zip(plan.tables, distinct([one.name for one in plan.tables]), strict=True):
                table.name, table.is_typed = name, plan.format != "csv"
                table_guess(db, table)
        if (columns := sum(len(table.columns) for table in plan.tables)) > UPLOAD_COLUMNS:
            raise NoTable(
                worded(
                    "Its tables have {columns} columns together; the limit for one upload is {most}. Upload fewer sheets at once.",
                    columns=figure(columns),
                    most=figure(UPLOAD_COLUMNS),
                )
            )
        if not plan.tables and left_out:
            raise NoTable(spaced(*left_out[:LEFT_OUT_TOLD]))
        if not plan.tables:
            raise NoTable(worded("There is no table in it: no row holds anything."))
    except NoTable as error:
        plan.tables, plan.error = [], error.said
    # An error is fatal to DuckDB where it cannot write when memory ends.
    except (duckdb.OutOfMemoryException, duckdb.FatalException):
        plan.tables, plan.error = (
            [],
            worded(
                "It takes more than {memory} of memory. Upload a part of it.", memory=CONFIG["memory_limit"]
            ),
        )
    except duckdb.Error as error:
        plan.tables, plan.error = [], _said(plan.format, error)


def _said(format: str, error: duckdb.Error) -> str:
    """The fault of a file, without the place where it lies here."""
    if format == "parquet":
        return DAMAGED_PARQUET
    said = without_folders(str(error).splitlines()[0])
    return worded("This cannot be read: {reason}", reason=said)


def plan_table(staged: Path, table: TablePlan) -> None:
    """Guess names and types anew, after the row of the headings was changed."""
    with closing(duckdb.connect(str(staged), config=CONFIG)) as db:
        table_guess(db, table)


def _sheets(plan: FilePlan, source: Path) -> Iterator[RawTable]:
    if plan.format == "xlsx":
        yield from xlsx_sheets(source, plan.name)
        return
    if plan.format == "sqlite":
        yield from sqlite_sheets(source, plan.notes)
        return
    plan.encoding = plan.encoding or encoding_of(source)
    if plan.format == "jsonl":
        yield jsonl_sheet(source, plan.name, plan.encoding)
        return
    plan.delimiter = plan.delimiter or delimiter_of(source, plan.encoding)
    yield csv_sheet(source, plan.name, plan.encoding, plan.delimiter)


def _staged_or_noted(
    db: duckdb.DuckDBPyConnection,
    plan: FilePlan,
    sheet: RawTable,
    left_out: list[str],
    tell: Callable[[int], None] | None,
) -> TablePlan | None:
    """Stage a table. One of a SQLite file that cannot be read is left out, with the reason in the notes and in `left_out`; the others come."""
    try:
        if sheet.problem:
            raise NoTable(sheet.problem)
        return _stage_sheet(db, plan, sheet, tell)
    except NoTable as error:
        if plan.format != "sqlite":
            raise
        db.execute(f"DROP TABLE IF EXISTS t{len(plan.tables)}")
        left_out.append(error.said)
        if len(left_out) <= LEFT_OUT_TOLD:
            plan.notes.append(
                worded("The table “{table}” is left out. {why}", table=sheet.title, why=error.said)
            )
        else:
            plan.notes[-1] = worded(
                "{count} more tables are left out, “{table}” last. {why}",
                count=figure(len(left_out) - LEFT_OUT_TOLD + 1),
                table=sheet.title,
                why=error.said,
            )
        return None


def _stage_sheet(
    db: duckdb.DuckDBPyConnection, plan: FilePlan, sheet: RawTable, tell: Callable[[int], None] | None
) -> TablePlan | None:
    table = TablePlan(table_name(sheet.title), f"t{len(plan.tables)}", sheet.title)
    width, count = 0, 0
    for batch in _batches(sheet.rows):
        widest = max(len(cells) for _, cells in batch)
        if not width:
            columns = "".join(f", c{place} VARCHAR" for place in range(widest))
            db.execute(f"CREATE TABLE {table.staged} (row BIGINT{columns})")
            width = widest
        for place in range(width, widest):
            db.execute(f"ALTER TABLE {table.staged} ADD COLUMN c{place} VARCHAR")
        width = max(width, widest)
        _insert(db, table.staged, batch, width)
        count += len(batch)
        if tell is not None:
            tell(count)
    if sheet.errors:
        plan.notes.append(
            worded_count(
                "{sheet}: {count} cell holds an error such as #N/A. It stays empty.",
                "{sheet}: {count} cells hold an error such as #N/A. They stay empty.",
                sheet.errors,
                sheet=sheet.title,
                count=figure(sheet.errors),
            )
        )
    if sheet.binary:
        plan.notes.append(
            worded_count(
                "{sheet}: {count} cell holds bytes that are no text. It stays empty.",
                "{sheet}: {count} cells hold bytes that are no text. They stay empty.",
                sheet.binary,
                sheet=sheet.title,
                count=figure(sheet.binary),
            )
        )
    if not count:
        return None
    table.row_count = count
    table.is_hidden, table.is_kept = sheet.is_hidden, not sheet.is_hidden
    table.texts = [list(pair) for pair in sheet.texts.items()]
    if sheet.names is not None:
        table.has_rows_above = False
        table.columns = [
            ColumnPlan(name, "", f"c{n}") for n, name in enumerate(distinct(names_in_line(sheet.names)))
        ]
    else:
        table.header_row = header_row(db, table.staged)
    plan.tables.append(table)
    return table


def _batches(rows: Iterator[Row]) -> Iterator[list[Row]]:
    """Gather rows, no more than a batch may hold, and keep them within the bounds of a table. Raises: NoTable."""
    batch: list[Row] = []
    count = width = chars = 0
    for number, cells in rows:
        if len(cells) > MAX_COLUMNS:
            raise NoTable(
                worded(
                    "A row has {count} cells; the limit is {most} columns.",
                    count=figure(len(cells)),
                    most=figure(MAX_COLUMNS),
                )
            )
        size = sum(map(len, filter(None, cells)))
        if size > CELL_CHARS and max(map(len, filter(None, cells))) > CELL_CHARS:
            raise NoTable(
                worded(
                    "A cell in row {number} is longer than {most} characters, the limit.",
                    number=figure(number),
                    most=figure(CELL_CHARS),
                )
            )
        width = max(width, len(cells))
        chars += size
        batch.append((number, cells))
        count += 1
        if len(batch) == BATCH_ROWS or len(batch) * width >= BATCH_CELLS or chars >= BATCH_CHARS:
            table_size_check(count, width)
            yield batch
            batch, chars = [], 0
    table_size_check(count, width)
    if batch:
        yield batch


def _insert(db: duckdb.DuckDBPyConnection, table: str, batch: list[Row], width: int) -> None:
    padded = [cells + [None] * (width - len(cells)) for _, cells in batch]
    columns = {"row": pa.array([number for number, _ in batch], pa.int64())}
    for place, values in enumerate(zip(*padded, strict=True)):
        columns[f"c{place}"] = pa.array(values, pa.string())
    db.register("batch", pa.table(columns))
    db.execute(f"INSERT INTO {table} SELECT * FROM batch")  # noqa: S608 - our own name
    db.unregister("batch")
