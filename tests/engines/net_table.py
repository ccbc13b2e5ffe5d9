"""Writes docs/read-only.md: what each lock says to each hostile statement, on real engines.

    .venv/bin/python -m tests.engines.net_table

The guard alone is asked, then the session alone is given the statement (the guard taken
away), then the database is looked at from behind.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlagent import guard
from sqlagent.errors import DatabaseError
from sqlagent.ports import SourceDatabase
from sqlagent.values import Limits, Refusal
from tests.engines.labs import LABS, Lab
from tests.engines.spark_lab import SparkLab

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "read-only.md"
CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases" / "hostile.jsonl").read_text().splitlines()
]

HEAD = """# Read-only, twice

Every statement meets two locks. The **guard** parses it and lets only what is on its lists through, saying
why not otherwise. The **session** is opened so that the database itself does not do it. Below is each hostile
statement of `tests/engines/cases/hostile.jsonl`, what the guard says to it, and what happened when it was sent
to a real engine *without* the guard, as a user who may write. After each, rows, tables, settings, users and
files were compared with before; `tests/engines/test_net.py` does the same with every run of the tests.

`no effect` in the third column means that the engine let it run: it changed nothing that outlived the session.

**Spark SQL has no read-only session.** What the third column shows for it is the adapter's own doing, and no lock of
the engine's: a query is sent in brackets, `( ... ) LIMIT n`, where Spark's grammar takes nothing but a query; settings
that read files or the server's environment from inside a query are switched off; and calls that would run a script
or Java are looked for by name. A function registered in the server under another name would be called. The same is
true of engines connected through SQLAlchemy: where the dialect has a read-only transaction it is opened (PostgreSQL,
MySQL and MariaDB, Oracle, CockroachDB); elsewhere a statement is only looked at for the words that write. For all of
these, **the guard and the privileges of the user are the only locks: connect as a user that may read and nothing else.**

What the session does not hold: SQLite and DuckDB run inside the worker, and one call of one of their built-in
functions cannot be broken off. `printf('%.*c', 2000000000, 'x')` in SQLite or `repeat('x', 3000000000)` in DuckDB
fail at the deadline like any other, but go on in a thread left behind until that call ends, seconds to a minute.

This file is written by `python -m tests.engines.net_table`.
"""


def write() -> None:
    """Ask both locks about every case and write the table."""
    parts = [HEAD]
    for _, kind in sorted({**LABS, "spark": SparkLab}.items()):
        lab = kind(Path(tempfile.mkdtemp()) / "lab")
        database = lab.connect()
        parts.append(
            f"\n## {database.check().server}\n\n| statement | why | the guard | the session |\n|---|---|---|---|\n"
        )
        parts += rows(lab, database)
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text("".join(parts))


def rows(lab: Lab, database: SourceDatabase) -> Iterator[str]:
    """One line of the table a case."""
    catalog = database.catalog()
    before = lab.state()
    for case in (case for case in CASES if case["engine"] == lab.engine):
        sql = case["sql"].replace("{watch}", str(lab.watch))
        verdict = guard.check(sql, catalog)
        said = verdict.why if isinstance(verdict, Refusal) else "passes"
        session = sent(database, sql).replace(str(lab.watch), "{watch}")
        if lab.state() != before:
            session = "**had an effect**"
        yield f"| {code(case['sql'])} | {case['why']} | {plain(said)} | {plain(session)} |\n"


def sent(database: SourceDatabase, sql: str) -> str:
    """Send a statement past the guard and tell what the session said."""
    try:
        database.execute(sql, Limits(seconds=0.5, rows=100))
    except DatabaseError as error:
        return error.failure.message
    return "no effect"


def code(sql: str) -> str:
    """Write SQL so that a table can hold it."""
    text = sql.replace("\0", "␀").replace("\n", "↵").replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def plain(text: Any) -> str:
    """Write a message so that a table can hold it, with nothing of this machine or hour in it."""
    line = re.sub(r"\s+", " ", str(text)).strip()
    return (
        line[:160].replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")
        if line != "**had an effect**"
        else line
    )


if __name__ == "__main__":
    write()
