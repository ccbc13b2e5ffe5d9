"""Stage a file's cells as text in DuckDB, and guess from all of them what the columns are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from mirror.sources.uploads import file_rows
from mirror.sources.uploads.bounds import (
    BATCH_CELLS,
    BATCH_CHARS,
    BATCH_ROWS,
    CELL_CHARS,
    FOOTER_BYTES,
    GROUP_BYTES,
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_ROWS,
    TEXT_BYTES,
    UPLOAD_COLUMNS,
    UPLOAD_TABLES,
)
from mirror.sources.uploads.cell_lists import CELL, LISTED_ROWS, cells_asked, cells_list
from mirror.sources.uploads.declared_keys import keys_staged
from mirror.sources.uploads.file_rows import NoTable, RawTable
from mirror.sources.uploads.headings import asked, header_row
from mirror.sources.uploads.plans import ColumnPlan, FilePlan, TablePlan, distinct, table_name
from mirror.sources.uploads.sqlite_tables import sqlite_sheets
from mirror.sources.uploads.types import (
    KINDS,
    NATIVE,
    UNCLEAR_DATE,
    literal,
    matches,
    misfits,
    quoted,
    trimmed,
    value_text,
)
from mirror.sources.uploads.wording import figure
from sqlagent.errors import without_folders
from sqlagent.language.saying import spaced, worded, worded_count

DAMAGED_PARQUET = worded(
    "This Parquet file cannot be read: it is damaged or not whole. Write it again, or save it as CSV."
)
# Rows from which the types to try are taken, a few of them first; then every row has its say.
FIRST_ROWS, SAMPLE_ROWS = 20, 2_000
EXAMPLE_ROWS, EXAMPLE_CHARS = 5, 60
NAME_CHARS = 100
DECIMAL_DIGITS = 38
PERHAPS_DATES = worded("Perhaps dates: choose whether day or month comes first.")
# Columns looked at in one statement: 1,000 at once took 2 GB of memory (measured 2026-11).
GUESSED_AT_ONCE = 50
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
    """Read a file into its staging file and guess its tables; what is wrong with it is in `error`.

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
        plan.format = file_rows.format_of(source, plan.name)
        with closing(duckdb.connect(str(staged), config=CONFIG)) as db:
            if plan.format == "parquet":
                plan.tables = [_stage_parquet(db, source, plan.name)]
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
                table.name = name
                _guess(db, table)
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
        _guess(db, table)


def _sheets(plan: FilePlan, source: Path) -> Iterator[RawTable]:
    if plan.format == "xlsx":
        yield from file_rows.xlsx_sheets(source, plan.name)
        return
    if plan.format == "sqlite":
        yield from sqlite_sheets(source, plan.notes)
        return
    plan.encoding = plan.encoding or file_rows.encoding_of(source)
    if plan.format == "jsonl":
        yield file_rows.jsonl_sheet(source, plan.name, plan.encoding)
        return
    plan.delimiter = plan.delimiter or file_rows.delimiter_of(source, plan.encoding)
    yield file_rows.csv_sheet(source, plan.name, plan.encoding, plan.delimiter)


# ---------------------------------------------------------------- staging


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
            ColumnPlan(name, "", f"c{n}") for n, name in enumerate(distinct(_names(sheet.names)))
        ]
    else:
        table.header_row = header_row(db, table.staged)
    plan.tables.append(table)
    return table


def _batches(rows: Iterator[file_rows.Row]) -> Iterator[list[file_rows.Row]]:
    """Gather rows, no more than a batch may hold, and keep them within the bounds of a table. Raises: NoTable."""
    batch: list[file_rows.Row] = []
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
            _count_check(count, width)
            yield batch
            batch, chars = [], 0
    _count_check(count, width)
    if batch:
        yield batch


def _count_check(rows: int, columns: int) -> None:
    """Refuse a table of too many rows or cells. Raises: NoTable."""
    if rows > MAX_ROWS:
        raise NoTable(worded("It has more than {most} rows, the limit for a table.", most=figure(MAX_ROWS)))
    if rows * columns > MAX_CELLS:
        raise NoTable(worded("It has more than {most} cells, the limit for a table.", most=figure(MAX_CELLS)))


def _insert(db: duckdb.DuckDBPyConnection, table: str, batch: list[file_rows.Row], width: int) -> None:
    padded = [cells + [None] * (width - len(cells)) for _, cells in batch]
    columns = {"row": pa.array([number for number, _ in batch], pa.int64())}
    for place, values in enumerate(zip(*padded, strict=True)):
        columns[f"c{place}"] = pa.array(values, pa.string())
    db.register("batch", pa.table(columns))
    db.execute(f"INSERT INTO {table} SELECT * FROM batch")  # noqa: S608 - our own name
    db.unregister("batch")


def _stage_parquet(db: duckdb.DuckDBPyConnection, source: Path, name: str) -> TablePlan:
    _footer_check(source)
    read = f"read_parquet({literal(str(source))})"
    described = db.execute(f"DESCRIBE SELECT * FROM {read}").fetchall()  # noqa: S608 - a quoted path
    if len(described) > MAX_COLUMNS:
        raise NoTable(
            worded(
                "It has {count} columns; the limit is {most}.",
                count=figure(len(described)),
                most=figure(MAX_COLUMNS),
            )
        )
    rows, groups = db.execute(
        "SELECT (SELECT sum(num_rows) FROM parquet_file_metadata(?)), (SELECT max(bytes) FROM ("
        "SELECT sum(total_uncompressed_size) AS bytes FROM parquet_metadata(?) GROUP BY row_group_id))",
        [str(source), str(source)],
    ).fetchall()[0]
    _count_check(rows or 0, len(described))
    if (groups or 0) > GROUP_BYTES:
        raise NoTable(
            worded(
                "A row group unpacks to more than {most} MB, the limit.",
                most=figure(GROUP_BYTES // 1000000),
            )
        )
    lengths = {"VARCHAR": "strlen", "BLOB": "octet_length"}
    texts = [
        f"sum({lengths[str(row[1])]}({quoted(str(row[0]))}))" for row in described if str(row[1]) in lengths
    ]
    if texts:
        found = db.execute(f"SELECT {', '.join(texts)} FROM {read}").fetchall()[0]  # noqa: S608 - quoted names
        if sum(filter(None, found)) > TEXT_BYTES:
            raise NoTable(
                worded(
                    "Its texts unpack to more than {most} MB, the limit.",
                    most=figure(TEXT_BYTES // 1000000),
                )
            )
    names = distinct(_names([str(row[0]) for row in described]))
    columns = [ColumnPlan(names[n], NATIVE, f"c{n}", native=str(row[1])) for n, row in enumerate(described)]
    renamed = ", ".join(f"c{n}" for n in range(len(columns)))
    db.execute(
        f"CREATE TABLE t0 AS SELECT row_number() OVER () AS row, * FROM {read} AS r({renamed})"  # noqa: S608
    )
    count = db.execute("SELECT count(*) FROM t0").fetchall()[0][0]
    return TablePlan(table_name(name), "t0", name, has_rows_above=False, row_count=count, columns=columns)


def _footer_check(source: Path) -> None:
    """Refuse a Parquet file that says more about itself than is read whole. Raises: NoTable."""
    with source.open("rb") as file:
        file.seek(-min(8, source.stat().st_size), 2)
        end = file.read(8)
    size = int.from_bytes(end[:4], "little")
    if end[4:] != b"PAR1":
        return
    if size > source.stat().st_size:
        raise NoTable(DAMAGED_PARQUET)
    if size > FOOTER_BYTES:
        raise NoTable(
            worded(
                "Its footer has {size} MB; the limit is {most} MB.",
                size=figure(size // 1_000_000),
                most=figure(FOOTER_BYTES // 1_000_000),
            )
        )


# ---------------------------------------------------------------- guessing


def _names(names: list[str]) -> list[str]:
    return [" ".join(name.split())[:NAME_CHARS] for name in names]


def _guess(db: duckdb.DuckDBPyConnection, table: TablePlan) -> None:
    names: list[str] = []
    if table.has_rows_above:
        width = len(db.execute(f"DESCRIBE {table.staged}").fetchall()) - 1
        heads = db.execute(f"SELECT * FROM {table.staged} WHERE row = ?", [table.header_row]).fetchone()  # noqa: S608
        names = [cell or "" for cell in heads[1:]] if heads else [""] * width
        table.columns = [ColumnPlan(name, "", f"c{n}") for n, name in enumerate(distinct(_names(names)))]
    table.asked = asked(db, table, names)
    where = f"FROM {table.staged} WHERE row > {table.header_row}"
    table.row_count = db.execute(f"SELECT count(*) {where}").fetchall()[0][0]
    _guess_kinds(db, table, where)
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


def digit_counts(code: str, column: str) -> tuple[str, str]:
    """How many digits a cell has before and after its point."""
    text = value_text(KINDS[code], column)
    return (
        f"length(ltrim(split_part({text}, '.', 1), '+-'))",
        f"length(split_part({text}, '.', 2))",
    )
