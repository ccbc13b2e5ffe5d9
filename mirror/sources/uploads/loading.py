"""Load staged tables into a DuckDB file with the types that were chosen, or say which cells do not fit."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import duckdb

from mirror.sources.uploads.cell_lists import CELL, LISTED_ROWS, cells_asked, cells_list
from mirror.sources.uploads.plans import ColumnPlan, TablePlan
from mirror.sources.uploads.staging import CONFIG
from mirror.sources.uploads.types import (
    DECIMAL_DIGITS,
    KINDS,
    NATIVE,
    digit_counts,
    literal,
    misfits,
    quoted,
    trimmed,
    value_text,
)
from mirror.sources.uploads.wording import figure
from sqlagent.language.saying import in_commas, in_quotes, worded

# A table of more columns is made by one thread, as each holds a part of every column: 1.2 GB for 1,000 (measured 2026-11).
WIDE = 200
# Cells named of a column that do not fit.
NAMED = 3


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a table was not loaded, in words; `column` is empty when it is about the whole table."""

    table: str
    column: str
    message: str


class LoadError(ValueError):
    """Tables were not loaded, and nothing was changed; `problems` says why, one by one."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(" ".join(problem.message for problem in problems))
        self.problems = problems


def load(target: Path, tables: Sequence[tuple[Path, TablePlan]], earlier: Path | None = None) -> None:
    """Write a new DuckDB file with these tables of these staging files, beside those of an earlier one.

    The file appears whole or not at all. Raises: LoadError.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="load-", dir=target.parent) as folder:
        aside = Path(folder) / target.name
        if problems := write_tables(aside, tables, earlier):
            raise LoadError(problems)
        os.replace(aside, target)


def write_tables(
    aside: Path, tables: Sequence[tuple[Path, TablePlan]], earlier: Path | None
) -> list[Problem]:
    """Write the file that `load` puts in its place, and say why it is none; no problem: it is one."""
    if earlier is not None:
        shutil.copyfile(earlier, aside)
    problems: list[Problem] = []
    with closing(duckdb.connect(str(aside), config=CONFIG)) as db:
        taken = {
            name.casefold() for (name,) in db.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        }
        for staged, table in tables:
            if table.name.casefold() in taken:
                problems.append(
                    Problem(
                        table.name,
                        "",
                        worded("There is a table {table} already. Choose another name.", table=table.name),
                    )
                )
                continue
            taken.add(table.name.casefold())
            db.execute(f"ATTACH {literal(str(staged))} AS staged (READ_ONLY)")
            problems += _load_table(db, table)
            db.execute("DETACH staged")
        db.execute("CHECKPOINT")
    return problems


def _load_table(db: duckdb.DuckDBPyConnection, table: TablePlan) -> list[Problem]:
    where = f"FROM staged.{table.staged} WHERE row > {table.header_row}"
    columns = [column for column in table.columns if column.is_kept]
    if not columns:
        return [
            Problem(
                table.name,
                "",
                worded("{table}: keep at least one column, or leave the table out.", table=table.name),
            )
        ]
    problems, parts = [], []
    looked = _looked(db, table, columns, where)
    for column in columns:
        part, problem = _column(db, table, column, looked.get(column.staged, _NOTHING), where)
        parts.append(f"{part} AS {quoted(column.name)}")
        if problem:
            problems.append(Problem(table.name, column.name, problem))
    if not problems:
        db.execute(f"SET threads = {1 if len(columns) > WIDE else CONFIG['threads']}")
        db.execute(f"CREATE TABLE {quoted(table.name)} AS SELECT {', '.join(parts)} {where} ORDER BY row")
    return problems


@dataclass(frozen=True, slots=True)
class _Look:
    """All cells of a column at a look: how many do not fit its type; of those that do the most digits, and how many are too wide."""

    missed: int = 0
    before: int = 1
    after: int = 0
    wide: int = 0


_NOTHING = _Look()


def _looked(
    db: duckdb.DuckDBPyConnection, table: TablePlan, columns: Sequence[ColumnPlan], where: str
) -> dict[str, _Look]:
    """Look at all cells of the columns that are of a type; of a table with few rows at all columns of a type at once."""
    typed = [column for column in columns if not column.native and column.kind not in ("text", NATIVE)]
    found: dict[str, _Look] = {}
    if table.row_count > LISTED_ROWS:
        for column in typed:
            asked = db.execute(f"SELECT {', '.join(_asked(column.kind, column.staged))} {where}").fetchall()
            found[column.staged] = _Look(*asked[0])
        return found
    cells_list(db, [column.staged for column in typed], where)
    for kind in dict.fromkeys(column.kind for column in typed):
        some = [column.staged for column in typed if column.kind == kind]
        found |= {name: _Look(*asked) for name, asked in cells_asked(db, some, _asked(kind, CELL)).items()}
    return found


def _asked(kind: str, column: str) -> list[str]:
    """Give the expressions over all cells of a column, in the order of `_Look`."""
    misfit = misfits(kind, column)
    asked = [f"count(*) FILTER ({misfit})"]
    if KINDS[kind].type == "DECIMAL":
        digits = digit_counts(kind, column)
        most = [f"max({count}) FILTER (NOT ({misfit}))" for count in digits]
        asked += [f"coalesce({most[0]}, 1)", f"coalesce({most[1]}, 0)"]
    elif kind == "integer":
        cast = f"TRY_CAST({value_text(KINDS[kind], column)} AS BIGINT)"
        is_wide = f"NOT ({misfit}) AND {trimmed(column)} IS NOT NULL AND {cast} IS NULL"
        asked += ["1", "0", f"count(*) FILTER ({is_wide})"]
    return asked


def _column(
    db: duckdb.DuckDBPyConnection, table: TablePlan, column: ColumnPlan, look: _Look, where: str
) -> tuple[str, str]:
    """The expression of a column, and why it cannot be loaded (or nothing)."""
    if column.native:
        is_text = column.kind == "text" and column.native != "VARCHAR"
        return (f"CAST({column.staged} AS VARCHAR)" if is_text else column.staged), ""
    if column.kind in ("text", NATIVE):
        return column.staged, ""
    kind = KINDS[column.kind]
    misfit = misfits(column.kind, column.staged)
    problem: str = ""
    if look.missed and not table.is_lenient:
        problem = _misfit_words(db, column, look.missed, where)
    type_ = kind.type
    if type_ == "DECIMAL":
        whole, part = look.before, look.after
        if whole + part > DECIMAL_DIGITS:
            problem = problem or (
                worded(
                    "{column} needs {count} digits; a decimal has at most {most}. Choose a floating-point number or text.",
                    column=column.name,
                    count=figure(whole + part),
                    most=figure(DECIMAL_DIGITS),
                )
            )
            part = 0
        type_ = f"DECIMAL({min(max(18, whole + part), DECIMAL_DIGITS)}, {part})"
    elif column.kind == "integer":
        type_ = "HUGEINT" if look.wide else "BIGINT"
    value = f"TRY_CAST({value_text(kind, column.staged)} AS {type_})"
    return f"CASE WHEN {misfit} THEN NULL ELSE {value} END" if look.missed else value, problem


def _misfit_words(db: duckdb.DuckDBPyConnection, column: ColumnPlan, count: int, where: str) -> str:
    misfit = misfits(column.kind, column.staged)
    rows = db.execute(
        f"SELECT row, left({column.staged}, 40) {where} AND {misfit} ORDER BY row LIMIT {NAMED}"
    ).fetchall()
    cells: str = in_commas(
        [worded("row {row} holds {text}", row=figure(row), text=in_quotes(text)) for row, text in rows]
    )
    if count > len(rows):
        cells = worded("{names} and {count} more", names=cells, count=figure(count - len(rows)))
    return worded(
        "Not every cell of {column} is of the type {type}: {cells}.",
        column=column.name,
        type=in_quotes(worded(KINDS[column.kind].label)),
        cells=cells,
    )
