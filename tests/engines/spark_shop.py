"""The shop in Spark: each table a Parquet file, as a lake would hold it, behind a name in the metastore."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pyarrow
import pyarrow.parquet

from tests.servers import SparkServer

# Those that the questions are about.
TABLES = ("categories", "products", "customers", "orders", "order_lines")
# SQLite's declared types as Spark's.
TYPES = ((r"VARCHAR\(\d+\)", "string"), (r"INTEGER", "int"), (r"DECIMAL\((\d+), (\d+)\)", r"decimal(\1,\2)"))


def make_shop(server: SparkServer, part: Path) -> str:
    """Put some tables of a shop's SQLite file into a namespace of their own; give its name."""
    folder = server.folder / "lake"
    folder.mkdir()
    with (
        closing(sqlite3.connect(part)) as db,
        closing(server.connect()) as spark,
        closing(spark.cursor()) as cursor,
    ):
        cursor.execute("CREATE DATABASE shop")
        for table in TABLES:
            columns = [(row[1], spark_type(row[2])) for row in db.execute(f"PRAGMA table_info({table})")]
            rows = db.execute(f"SELECT * FROM {table}").fetchall()
            place = folder / table
            place.mkdir()
            _write(place / "part.parquet", columns, rows)
            place.chmod(0o755)  # the server runs as another user, and files of Mirror are its own alone
            (place / "part.parquet").chmod(0o644)
            listed = ", ".join(f"{name} {type_}" for name, type_ in columns)
            cursor.execute(f"CREATE TABLE shop.{table} ({listed}) USING parquet LOCATION '{place}'")
    folder.chmod(0o755)
    return "shop"


def spark_type(declared: str) -> str:
    """Say a type of the shop's as Spark does.

    Example:
        >>> spark_type("DECIMAL(10, 2)"), spark_type("DATE")
        ('decimal(10,2)', 'date')
    """
    for pattern, said in TYPES:
        declared = re.sub(pattern, said, declared)
    return declared.lower()


def _write(path: Path, columns: list[tuple[str, str]], rows: list[tuple[object, ...]]) -> None:
    arrays = []
    for number, (_, type_) in enumerate(columns):
        texts = pyarrow.array(
            [None if row[number] is None else str(row[number]) for row in rows], pyarrow.string()
        )
        arrays.append(texts.cast(_arrow(type_)))
    pyarrow.parquet.write_table(pyarrow.table(arrays, names=[name for name, _ in columns]), path)


def _arrow(type_: str) -> pyarrow.DataType:
    if found := re.fullmatch(r"decimal\((\d+),(\d+)\)", type_):
        return pyarrow.decimal128(int(found[1]), int(found[2]))
    known = {
        "int": pyarrow.int32(),
        "date": pyarrow.date32(),
        "timestamp": pyarrow.timestamp("us"),
        "boolean": pyarrow.bool_(),
    }
    return known.get(type_, pyarrow.string())
