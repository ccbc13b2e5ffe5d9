"""Stage a Parquet file, whose columns have types already, within bounds that are read from what it says of itself."""

from __future__ import annotations

from pathlib import Path

import duckdb

from mirror.sources.uploads.bounds import FOOTER_BYTES, GROUP_BYTES, MAX_COLUMNS, TEXT_BYTES
from mirror.sources.uploads.plans import ColumnPlan, TablePlan, distinct, names_in_line, table_name
from mirror.sources.uploads.raw_tables import NoTable, table_size_check
from mirror.sources.uploads.types import NATIVE, literal, quoted
from mirror.sources.uploads.wording import figure
from sqlagent.language.saying import worded

DAMAGED_PARQUET = worded(
    "This Parquet file cannot be read: it is damaged or not whole. Write it again, or save it as CSV."
)


def parquet_table(db: duckdb.DuckDBPyConnection, source: Path, name: str) -> TablePlan:
    """Stage the table of a Parquet file as `t0`. Raises: NoTable."""
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
    table_size_check(rows or 0, len(described))
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
    names = distinct(names_in_line([str(row[0]) for row in described]))
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
