"""The ten example questions answered without a language model on every engine, from a part of the shop.

Each engine holds the same rows and answers through the whole pipeline in its own dialect:
linking, sampling, the guard, the session, grouping and ranking.
"""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from mirror.sources.demo import SCHEMA, SHOP_QUESTIONS
from sqlagent.adapters import open_database
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.pipeline import answer
from sqlagent.ports import SourceDatabase
from sqlagent.values import Answer, Budget, Question
from tests import servers

TABLES = re.findall(r"CREATE TABLE (\w+)", SCHEMA)


def rows_of(part: Path, table: str) -> list[tuple[Any, ...]]:
    """The rows of a table, with its booleans as booleans."""
    with closing(sqlite3.connect(part)) as db:
        types = [column[2] for column in db.execute(f"PRAGMA table_info({table})")]
        rows = db.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()
    flags = [number for number, type_ in enumerate(types) if type_ == "BOOLEAN"]
    return [tuple(bool(cell) if n in flags else cell for n, cell in enumerate(row)) for row in rows]


def on_postgres(part: Path, folder: Path) -> SourceDatabase:
    return open_database("postgres", **postgres_shop(part, "shop"))


def on_sqlalchemy(part: Path, folder: Path) -> SourceDatabase:
    """PostgreSQL as the long tail is seen."""
    options = {"dialect": "postgresql+psycopg"}
    return open_database("sqlalchemy", **postgres_shop(part, "shop_alchemy"), options=options)


def postgres_shop(part: Path, name: str) -> dict[str, Any]:
    """Load the shop, and tell where it is."""
    server = servers.postgres_server()
    with closing(server.connect()) as db:
        db.execute(f"CREATE DATABASE {name}")
    with closing(server.connect(name)) as db:
        db.execute(SCHEMA)
        for table in TABLES:
            with db.cursor().copy(f"COPY {table} FROM STDIN") as copy:
                for row in rows_of(part, table):
                    copy.write_row(row)
        db.execute("ANALYZE")
    where = {"host": server.host, "port": server.port, "user": server.user, "password": servers.PASSWORD}
    return {**where, "database": name}


def on_mysql(part: Path, folder: Path) -> SourceDatabase:
    server = servers.mariadb_server()
    with closing(server.connect()) as db:
        db.cursor().execute("CREATE DATABASE shop")
    with closing(server.connect("shop")) as db:
        cursor = db.cursor()
        for statement in filter(str.strip, SCHEMA.split(";")):
            cursor.execute(statement)
        db.begin()
        for table in TABLES:
            rows = rows_of(part, table)
            cursor.executemany(f"INSERT INTO {table} VALUES ({', '.join(['%s'] * len(rows[0]))})", rows)
        db.commit()
    where = {"host": server.host, "port": server.port, "user": server.user, "password": servers.PASSWORD}
    return open_database("mysql", database="shop", **where)


def on_duckdb(part: Path, folder: Path) -> SourceDatabase:
    import duckdb
    import pyarrow

    path = folder / "shop.duckdb"
    # DuckDB checks a key against rows inserted before, and employees come with their managers.
    schema = SCHEMA.replace("manager_id INTEGER REFERENCES employees (id)", "manager_id INTEGER")
    with closing(duckdb.connect(str(path))) as db:
        db.execute(schema)
        for table in TABLES:
            rows = rows_of(part, table)
            columns = [pyarrow.array(column) for column in zip(*rows, strict=True)]
            names = [f"c{number}" for number in range(len(columns))]
            db.register("arrived", pyarrow.table(columns, names=names))
            db.execute(f"INSERT INTO {table} SELECT * FROM arrived")
            db.unregister("arrived")
    return open_database("duckdb", database=str(path))


ENGINES = {"postgres": on_postgres, "mysql": on_mysql, "duckdb": on_duckdb, "sqlalchemy": on_sqlalchemy}


PATIENT = Budget(seconds=110, statement_seconds=100)
"""A server that has just started on a busy machine may be slow; these tests check answers, not speed."""


def answers(database: SourceDatabase, questions: tuple[str, ...] = SHOP_QUESTIONS) -> dict[str, Answer]:
    """Answers of the pipeline to each question, without a language model."""
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database, seconds=PATIENT.seconds)
    return {
        question: list(
            answer(Question(question), database=database, catalog=catalog, index=index, budget=PATIENT)
        )[-1].answer
        for question in questions
    }


@pytest.fixture(scope="session")
def expected(part: Path) -> dict[str, Answer]:
    """The answers on SQLite; whether those are right is for the tests of the grammar to say."""
    return answers(open_database("sqlite", database=str(part)))


@pytest.mark.parametrize(
    "engine",
    # The same server by another driver is for the long run.
    [pytest.param(engine, marks=[pytest.mark.long] * (engine == "sqlalchemy")) for engine in sorted(ENGINES)],
)
def test_the_example_questions_are_answered_as_on_sqlite(
    engine: str, part: Path, expected: dict[str, Answer], tmp_path: Path
) -> None:
    for question, found in answers(ENGINES[engine](part, tmp_path)).items():
        assert found.rows is not None, (question, found.outcome, found.reason)
        assert found.rows.rows, (question, found.sql)
        known = expected[question].rows
        assert known is not None
        assert alike(found.rows.rows) == alike(known.rows), (question, found.sql)


def alike(rows: Any) -> list[list[str]]:
    """Rows as a bag, money to the cent, a month or year however it is written."""
    return sorted([plain(cell) for cell in row] for row in rows)


def plain(cell: Any) -> str:
    """Write a cell the same whatever the engine gave it as.

    Example:
        >>> plain(date(2025, 1, 1)), plain("2025-01"), plain("2025"), plain(2025), plain(7.1)
        ('2025-01', '2025-01', '2025-01', '2025-01', '7.10')
    """
    if isinstance(cell, (date, datetime)):
        return cell.strftime("%Y-%m")
    text = str(cell)
    if re.fullmatch(r"20\d\d(\.0*)?", text):
        return f"{text[:4]}-01"
    if re.fullmatch(r"20\d\d-\d\d(-01.*)?", text):
        return text[:7]
    try:
        return f"{float(text):.2f}"
    except ValueError:
        return text
