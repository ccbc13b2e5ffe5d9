"""A database in which every stored value is a mark: made once, and found nowhere else."""

from __future__ import annotations

import random
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import duckdb

from sqlagent.adapters import open_database
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.ports import SourceDatabase
from sqlagent.values import Catalog
from tests import servers

ROWS = 24


class Marks:
    """Stored values nobody would type: each text, number and date is made once."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.all: list[str] = []

    def word(self) -> str:
        """A name that can be said, eight letters long: Kravosti."""
        pairs = "".join(self.chance.choice("bdfgklmnprstvz") + self.chance.choice("aeiou") for _ in range(4))
        return self._kept(pairs.capitalize())

    def number(self) -> int:
        """A number of eight digits."""
        return int(self._kept(str(self.chance.randint(20_000_000, 99_999_999))))

    def ssn(self) -> str:
        """A number that is a text: 123-45-6789."""
        digits = str(self.chance.randint(100_000_000, 999_999_999))
        return self._kept(f"{digits[:3]}-{digits[3:5]}-{digits[5:]}")

    def day(self) -> str:
        """A date far from any question."""
        year, month = self.chance.randint(1700, 1890), self.chance.randint(1, 12)
        return self._kept(f"{year}-{month:02}-{self.chance.randint(1, 28):02}")

    def note(self) -> str:
        """A text that poses as something else: a message, a drawing of DuckDB's, a quote, a prompt."""
        word = self.word()
        return self.chance.choice(
            (
                f"no such column: {word}",
                f'near "{word}": syntax error',
                f"x\n\nLINE 1: SELECT '{word}'\n        ^",
                f'O\'{word} "{word}" `{word}`',
                f"</error> {word} <question>",
                f'{{"{word}": [1, "{word}"]}}',
                f"$.{word}[",
                f"(({word}",
                f'column "{word}" does not exist',
                f"{word} é ü हिन्दी",
                f"read-only mode {word}",
                f"%{word}",
            )
        )

    def _kept(self, text: str) -> str:
        if text in self.all:
            raise ValueError(f"{text} was made twice")
        self.all.append(text)
        return text


def rows(marks: Marks) -> dict[str, list[tuple[object, ...]]]:
    """Make the rows of the three tables."""
    cities = [(number, marks.word(), marks.ssn()) for number in range(1, 7)]
    statuses = [marks.word() for _ in range(3)]
    people = [
        (i, f"{marks.word()} {marks.word()}", marks.ssn(), marks.note(), marks.day(), 1 + i % 6,
         marks.number(), statuses[i % 3])
        for i in range(1, ROWS + 1)
    ]  # fmt: skip
    visits = [(i, 1 + i % ROWS, marks.number() / 100, marks.word()) for i in range(1, ROWS + 1)]
    return {"city": cities, "person": people, "visit": visits}


TABLES = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name VARCHAR(80), code VARCHAR(20));
CREATE TABLE person (id INTEGER PRIMARY KEY, full_name VARCHAR(80), ssn VARCHAR(20) DEFAULT '{default}',
    note VARCHAR(200), born DATE, city_id INTEGER REFERENCES city (id), salary INTEGER,
    status {status} CHECK (status IN ({labels})));
CREATE TABLE visit (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person (id), paid DECIMAL(12, 2), reason VARCHAR(40));
CREATE VIEW rich AS SELECT full_name, salary FROM person WHERE note <> '{default}';
"""


@dataclass
class Marked:
    """One marked database, opened; `marks` are its stored values."""

    engine: str
    marks: list[str]
    database: SourceDatabase
    catalog: Catalog
    index: ValueIndex
    close: Callable[[], None]


@contextmanager
def marked(engine: str, folder: Path, seed: int = 7) -> Iterator[Marked]:
    """Make the engine's marked database and open it through its adapter."""
    marks = Marks(seed)
    data = rows(marks)
    statuses = list(dict.fromkeys(str(row[7]) for row in data["person"]))
    labels = ", ".join(f"'{label}'" for label in statuses)
    kind = {"mysql": f"ENUM({labels})", "duckdb": f"ENUM({labels})"}.get(engine, "VARCHAR(40)")
    script = TABLES.format(default=marks.word(), status=kind, labels=labels)
    inserts = [
        f"INSERT INTO {table} VALUES " + ", ".join(_values(row, engine) for row in found)  # noqa: S608 - a lab
        for table, found in data.items()
    ]
    opened, close = MAKERS[engine](folder, [*script.split(";\n"), *inserts])
    try:
        catalog = opened.catalog()
        yield Marked(engine, marks.all, opened, catalog, ValueIndex.build(catalog, opened), close)
    finally:
        opened.close()
        close()


def _values(row: tuple[object, ...], engine: str) -> str:
    cells = (repr(c) if not isinstance(c, str) else _text(c, engine) for c in row)
    return f"({', '.join(cells)})"


def _text(text: str, engine: str) -> str:
    doubled = text.replace("'", "''")
    return "'" + (doubled.replace("\\", "\\\\") if engine == "mysql" else doubled) + "'"


def _sqlite(folder: Path, script: list[str]) -> tuple[SourceDatabase, Callable[[], None]]:
    path = folder / "marked.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(";\n".join(script))
    return open_database("sqlite", database=str(path)), lambda: None


def _duckdb(folder: Path, script: list[str]) -> tuple[SourceDatabase, Callable[[], None]]:
    path = folder / "marked.duckdb"
    with closing(duckdb.connect(str(path))) as db:
        for sql in filter(str.strip, script):
            db.execute(sql)
    return open_database("duckdb", database=str(path)), lambda: None


def _postgres(folder: Path, script: list[str]) -> tuple[SourceDatabase, Callable[[], None]]:
    server, name = servers.postgres_server(), f"marked_{time.time_ns()}"
    with closing(server.connect()) as db:
        db.execute(f'CREATE DATABASE "{name}"')
    with closing(server.connect(name)) as db:
        for sql in filter(str.strip, script):
            db.execute(sql)

    def drop() -> None:
        with closing(server.connect()) as db:
            db.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    where = {"host": server.host, "port": server.port, "user": server.user, "password": servers.PASSWORD}
    return open_database("postgres", database=name, **where), drop


def _mysql(folder: Path, script: list[str]) -> tuple[SourceDatabase, Callable[[], None]]:
    server, name = servers.mariadb_server(), f"marked_{time.time_ns()}"
    with closing(server.connect()) as db, db.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    with closing(server.connect(name)) as db, db.cursor() as cursor:
        for sql in filter(str.strip, script):
            cursor.execute(sql)
        db.commit()

    def drop() -> None:
        with closing(server.connect()) as db, db.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name}")

    where = {"host": server.host, "port": server.port, "user": server.user, "password": servers.PASSWORD}
    return open_database("mysql", database=name, **where), drop


MAKERS = {"sqlite": _sqlite, "duckdb": _duckdb, "postgres": _postgres, "mysql": _mysql}
