"""Writes docs/read-only.md: what each lock says to each hostile statement, on real engines.

    .venv/bin/python -m tests.engines.net_table
    .venv/bin/python -m tests.engines.net_table --engine postgres

Each lock is tried alone. Statements that pass the guard run on a connection that may write. The session gets
every statement without the guard, as users who may write and as a superuser. The read-only user that the source's
page describes gets it by the plain driver. After each, another connection inspects the database. With
`--engine` only that engine is tried, and the text about the others stays.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlagent import guard
from sqlagent.errors import DatabaseError
from sqlagent.values import Limits, Refusal
from tests.engines.clickhouse_lab import ClickhouseLab
from tests.engines.labs import LABS, OWN_PASSWORD, Alone, Lab
from tests.engines.spark_lab import SparkLab

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "read-only.md"
CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases" / "hostile.jsonl").read_text().splitlines()
]
EVERY: dict[str, type[Lab]] = {**LABS, "clickhouse": ClickhouseLab, "spark": SparkLab}
SECONDS = 0.5
# Statements between two looks from behind; when something changed, they are tried again one by one.
AT_ONCE = 20
EFFECT = "**had an effect**"
LOCKS = ("guard", "session", "user")

HEAD = """# Read-only, three times

Every statement meets three locks, and each has to hold when the others fail. The **guard** parses it and lets
only what is on its lists through, saying why not otherwise. The **session** is opened so that the database itself
does not do it. The **user** that a source's page tells to make may do nothing but read. Below is each hostile
statement of `tests/engines/cases/hostile.jsonl`, and what each lock *alone* did to it on a real engine:

- *the guard*: what it says; what it lets through was run on a connection that may write.
- *the session*: the statement was sent without the guard, as a user who may write and as a superuser where there is
  one; what the superuser was told stands here.
- *the user*: made by the very statements that the page shows, signed in with the plain driver (psycopg, PyMySQL), each
  statement committed at once: no guard, no session of Mirror's.

After each, rows, tables, settings, users, files and other open sessions were compared with before;
`tests/engines/test_net.py` does the same with every run of the tests. `no effect` means that the engine let it run:
it changed nothing that outlived the session. `runs, until it is ended` means that only a deadline stops it.

{counts}

## What holds, and what does not

**PostgreSQL.** A superuser's powers are set aside by `SET ROLE pg_read_all_data`, and a statement can take them back:
`set_config('role', 'none', ...)`. PostgreSQL has no setting that keeps a session from that, nor does `SET SESSION
AUTHORIZATION`. So in a superuser's session the server is asked first how it reads the statement (`debug_print_rewritten`,
told to the session and not to the server's log), and a statement whose tree holds a function that acts is not run:
comments, quotes and notations are behind it there. Before version 14 there is no such role, and a superuser stays one.
Functions that are called inside others are not in the tree. Every role may end other sessions *of its own role*, and
no session can be kept from that: the page's second step takes `pg_terminate_backend` from everybody, and Mirror's role
should be Mirror's alone. A role that has switched its read-only default off, which takes a statement of its own, may
change its own settings and password; Mirror sends one statement a session. PostgreSQL's own functions come before others' of the same name and the same arguments
(`search_path`); others' with arguments that fit better are for the guard.

**MySQL and MariaDB.** A read-only transaction stops writes to tables and nothing else, so that the session also looks at
the statement's words. Every user of MariaDB may change its own password, read-only or not; MySQL asks for the
current one first (`PASSWORD REQUIRE CURRENT`, which the page's statement sets).

**SQLite and DuckDB** have no users: whoever opens the file may do what the process may, so there is no third column. Their
sessions open the file read-only. Each statement runs in a process of its own kind: a child that a server of forks
made, with nothing of the environment's secrets and no file but the source's. One call of a built-in function cannot be broken
off in either engine, so a child that is still busy 0.3 s after its deadline or a Stop is killed, and so is one that holds
more memory than the statement may take (2 GB unless the source says otherwise, looked at every 50 ms, 10 ms near the limit).
A crash is that statement's failure and nobody else's. The guard refuses what is seen to be long, and leaves the rest to these limits:
rows without end, lists of lists, texts that an aggregate made long. `tests/engines/test_children.py` sends forty statements written to crash, fill and hold, and the
attacks marked `limits`: each ended within 3 s of its deadline and less than 300 MB above its memory, and no other process with it. `python -m
tests.engines.killing` sends the forty with any limits. A child does not bound its rights on files: it runs as the user Mirror runs as, so a hole in SQLite
or DuckDB that runs code would run with Mirror's rights on files.

A server that does not end a statement (PostgreSQL and MySQL ask themselves between steps, and `array_fill` or `locate` over
megabytes is one step) is hung up on 0.7 s after the deadline or Stop. The statement goes on there until the server next asks.

**ClickHouse** is sent `readonly = 1` with each statement, and takes no setting that a statement sets. In that mode it
writes nothing and opens no file or address, with one exception that was found here: `sqlite('file', ...)` makes its file before the
mode is asked about (26.9), so the adapter refuses that name. `tests/engines/test_clickhouse.py` sends its hostile statements past the guard
and 823 attacks through it, to the engine as a library; users of a server were not there to be tried
([connectors](connectors.md)).

**Spark SQL has no read-only session, and by itself no users.** The column shows the adapter's own checks for it, and no
lock of the engine's: a query is sent in brackets, `( ... ) LIMIT n`, where Spark's grammar takes nothing but a query; settings
that read files or the server's environment from inside a query are switched off; and calls that would run a script
or Java are looked for by name. A function registered in the server under another name would be called. The same is
true of engines connected through SQLAlchemy: where the dialect has a read-only transaction it is opened (PostgreSQL,
MySQL and MariaDB, Oracle, CockroachDB); elsewhere a statement is only looked at for the words that write. For all of
these, **the guard and the privileges of the user are the only locks: connect as a user that may read and nothing else.**

Statements by people who had not seen the guard, `tests/engines/cases/attacks`: PostgreSQL 911, MariaDB 847, DuckDB 898, SQLite 582. They are sent
on servers where functions are planted that bear the engine's names and write when they are called. With the guard alone and a user who may do
everything: 0 effects (`tests/engines/test_attacks.py`, with every run of the tests). A further 212 reach what somebody made and SQL calls unseen:
operators, casts and orders of types, definitions of tables, macros behind words, rows behind a dot, names that a text, a keyword or another case stands for. Each is planted by itself,
seen to work from behind, and refused (`cases/plants.jsonl`, `tests/engines/test_plants.py`). A view, a row policy,
a generated column or a foreign table that calls something does so for whoever may read it: that is its owner's doing. A superuser of PostgreSQL can
change what a listed name means: members of an extension, bodies of its own SQL functions, its catalog itself. Through SQLAlchemy nothing is known
of what somebody made: there the user's privileges are the lock.

Which columns may be read is for the engine's privileges, and not for the guard. It refuses a name that certainly stands for no column of the catalog,
so that a slip is told with the names that were meant. Columns that the catalog does not list and the user may read (an invisible column of MariaDB, a hidden one of
a virtual table of SQLite, one that was added since the catalog was read) can be told where names are not written or not followed to one table: `*`,
NATURAL JOIN, `COLUMNS('...')` and `#9` of DuckDB, lists of columns behind an alias, and names next to a function or a subquery whose columns are not
known. A user who shall not see a column needs a view without it, or privileges on the other columns.

This file is written by `python -m tests.engines.net_table`.
"""


@dataclass
class Tried:
    """Results of one engine: its name and version, one word for each case and lock, and effects by lock."""

    server: str
    lab: Lab
    said: dict[str, list[str]] = field(default_factory=dict)
    effects: Counter[str] = field(default_factory=Counter)

    def lines(self, cases: list[dict[str, str]]) -> Iterator[str]:
        """The part of the document about this engine."""
        yield f"\n## {self.server}\n\n{counted(self, len(cases))}\n\n"
        if own := self.said["user"].count(OWN_PASSWORD):
            yield f"Besides, {own} of them changed the user's own password.\n\n"
        if self.lab.no_user:
            yield f"There is no third column: {self.lab.no_user}.\n\n"
        yield "| statement | why | the guard | the session | the user |\n|---|---|---|---|---|\n"
        for number, case in enumerate(cases):
            told = " | ".join(plain(self.said[lock][number]) for lock in LOCKS)
            yield f"| {code(case['sql'])} | {case['why']} | {told} |\n"


def counted(tried: Tried, cases: int) -> str:
    """Count the effects of each lock alone."""
    user = "-" if tried.lab.no_user else str(tried.effects["user"])
    return (
        f"Of {cases} statements had an effect: {tried.effects['guard']} with the guard alone, "
        f"{tried.effects['session']} with the session alone, {user} with the user alone."
    )


def tried(lab: Lab, cases: list[dict[str, str]]) -> Tried:
    """Try each lock of an engine alone with each of its cases."""
    database = lab.connect()
    found = Tried(database.check().server, lab)
    texts = [case["sql"].replace("{watch}", str(lab.watch)) for case in cases]
    catalog = database.catalog()
    verdicts = [guard.check(text, catalog) for text in texts]

    def guarded(number: int) -> str:
        verdict = verdicts[number]
        if isinstance(verdict, Refusal):
            return verdict.why
        lab.attempt(verdict.sql, SECONDS)
        return "passes"

    found.said["guard"], found.effects["guard"] = each(lab, range(len(texts)), guarded)
    for _, door in lab.doors().items():  # the strongest comes last, and its words are shown
        words, effects = each(lab, texts, lambda text, door=door: sent(door, text))
        kept = found.said.get("session", words)
        found.said["session"] = [
            EFFECT if before == EFFECT else word for before, word in zip(kept, words, strict=True)
        ]
        found.effects["session"] = found.said["session"].count(EFFECT)
    if lab.no_user:
        found.said["user"] = ["-"] * len(texts)
        return found
    with lab.alone() as alone:
        found.said["user"], found.effects["user"] = each(lab, texts, lambda text: sent_alone(alone, text))
    return found


def each(lab: Lab, cases: Iterable[Any], send: Callable[[Any], str]) -> tuple[list[str], int]:
    """Send every case; give what was said to each, and how many had an effect."""
    every, words = list(cases), []
    before = lab.state()
    for start in range(0, len(every), AT_ONCE):
        few = every[start : start + AT_ONCE]
        said = [send(case) for case in few]
        after = lab.state()
        if after != before:
            for number, case in enumerate(few):
                before = lab.state()
                said[number] = send(case)
                said[number] = EFFECT if lab.state() != before else said[number]
            if EFFECT not in said:  # it has one but once
                said = [EFFECT for _ in said]
            after = lab.state()
        words += said
        before = after
    return [word.replace(str(lab.watch), "{watch}") for word in words], words.count(EFFECT)


def sent(database: Any, sql: str) -> str:
    """Send a statement past the guard and tell what the session said."""
    try:
        database.execute(sql, Limits(seconds=SECONDS, rows=100))
    except DatabaseError as error:
        return str(error.failure.message)
    return "no effect"


def sent_alone(alone: Alone, sql: str) -> str:
    """Send a statement past guard and session; one that ends another session has an effect."""
    said = alone.send(sql, SECONDS)
    return said if alone.is_whole() else EFFECT


def code(sql: str) -> str:
    """Write SQL so that a table can hold it."""
    text = sql.replace("\0", "␀").replace("\n", "↵").replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`"


def plain(text: Any) -> str:
    """Write a message so that a table can hold it, with nothing of this machine or hour in it."""
    if text == EFFECT:
        return str(text)
    line = re.sub(r"\s+", " ", str(text)).strip()
    return line[:160].replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def write(engines: Iterable[str]) -> None:
    """Try the locks of these engines and write the document; its parts about others stay."""
    parts = kept_parts()
    for engine in engines:
        cases = [case for case in CASES if case["engine"] == engine]
        found = tried(EVERY[engine](Path(tempfile.mkdtemp()) / "lab"), cases)
        parts[engine] = "".join(found.lines(cases))
        print(f"{found.server}: {counted(found, len(cases))}", flush=True)
    lines = [
        f"| {title} | {counts[0]} | {counts[1]} | {counts[2]} | {counts[3]} |"
        for title, counts in (
            (title_of(part), re.findall(r"Of (\d+) .*?: (\S+) with .*?, (\S+) with .*?, (\S+) with", part)[0])
            for _, part in sorted(parts.items())
        )
    ]
    counts = "\n".join(
        [
            "| effects | statements | the guard alone | the session alone | the user alone |",
            "|---|--:|--:|--:|--:|",
            *lines,
        ]
    )
    TABLE.write_text(HEAD.replace("{counts}", counts) + "".join(part for _, part in sorted(parts.items())))


def title_of(part: str) -> str:
    return part.split("\n")[1].removeprefix("## ")


def kept_parts() -> dict[str, str]:
    """Parts of the document so far, by engine."""
    names = {
        "ClickHouse": "clickhouse",
        "DuckDB": "duckdb",
        "MariaDB": "mysql",
        "PostgreSQL": "postgres",
        "Spark": "spark",
        "SQLite": "sqlite",
    }
    text = TABLE.read_text() if TABLE.is_file() else ""
    found = re.findall(r"\n## (?:\w+)[^\n]* \d.*?(?=\n## |\Z)", text, re.DOTALL)
    return {names[part.split()[1]]: part for part in found if "| the user |" in part}


def main() -> None:
    """Write the document."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=sorted(EVERY), action="append", help="this one alone")
    write(parser.parse_args().engine or sorted(EVERY))


if __name__ == "__main__":
    main()
