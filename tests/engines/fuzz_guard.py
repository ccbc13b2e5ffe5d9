"""Looks for a write that guard and session both let through, with mutated SQL on real engines.

    .venv/bin/python -m tests.engines.fuzz_guard --engine postgres --minutes 15 --seed 7

Statements of the guard's and the session's cases are mutated; what the guard passes is run by the
adapter as a user who may write, and the database is looked at from behind. Two things are
reported: an effect (there must be none), and a statement that the guard passed and only the
session refused (the guard's lists are then too wide). Not part of the tests: it runs as long as asked.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sqlagent import guard
from sqlagent.errors import DatabaseError
from sqlagent.guard import Passed
from sqlagent.values import Limits
from tests.engines.labs import LABS, Lab

TESTS = Path(__file__).resolve().parents[1]
LIMITS = Limits(seconds=0.3, rows=50, cell_chars=1_000)
LOOK_EVERY = 40
HELD = re.compile(r"read[- ]only|not a read|not authorized|several|permission denied", re.IGNORECASE)
PIECE = re.compile(r"\w+|\s+|[^\w\s]")
TABLES = (
    "CREATE TABLE members (id int, name varchar(40), joined_on date, email varchar(40))",
    "CREATE TABLE books (id int, title varchar(80), genre varchar(20), shelf varchar(20), price decimal(8, 2), "
    "published timestamp, details {json}, labels {list}, info varchar(20))",
    "CREATE TABLE loans (id int, member_id int, book_id int, lent_on timestamp, returned_on timestamp, "
    "fine decimal(8, 2), status varchar(10))",
    "CREATE TABLE shelves (id int, parent_id int, title varchar(20))",
    "INSERT INTO books (id, title, price) VALUES (1, 'x', 2)",
    "INSERT INTO members (id, name) VALUES (1, 'a'), (2, 'b')",
)
TYPES = {
    "sqlite": ("text", "text"),
    "postgres": ("jsonb", "text[]"),
    "mysql": ("json", "text"),
    "duckdb": ("json", "varchar[]"),
}


@dataclass
class Found:
    """What a run of the fuzz came upon."""

    tried: int = 0
    passed: int = 0
    answered: int = 0
    effects: list[str] = field(default_factory=list)
    held: dict[str, str] = field(default_factory=dict)


def texts(engine: str) -> list[str]:
    """Gather the statements of an engine's cases."""
    own = (TESTS / "agent" / "cases" / "guard" / f"{engine}.jsonl").read_text("utf-8").splitlines()
    hostile = (TESTS / "engines" / "cases" / "hostile.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line)["sql"] for line in own]
    return found + [case["sql"] for case in map(json.loads, hostile) if case["engine"] == engine]


def mutants(engine: str, chance: random.Random) -> Iterator[str]:
    """Mutate statements without end: pieces taken out, put in, or grafted from another statement."""
    known = texts(engine)
    pieces = sorted({piece for text in known for piece in PIECE.findall(text)})
    while True:
        parts = PIECE.findall(chance.choice(known))
        for _ in range(chance.randint(1, 4)):
            at = chance.randint(0, len(parts))
            kind = chance.random()
            if kind < 0.3 and parts:
                del parts[min(at, len(parts) - 1)]
            elif kind < 0.6:
                parts.insert(at, chance.choice(pieces))
            else:
                other = chance.choice(known)
                start = chance.randint(0, len(other))
                parts.insert(at, other[start : start + chance.randint(1, 50)])
        yield "".join(parts)


def prepare(lab: Lab) -> None:
    """Give the lab the tables that the guard's cases are about."""
    json_type, list_type = TYPES[lab.engine]
    for statement in TABLES:
        lab.look(statement.replace("{json}", json_type).replace("{list}", list_type))


def fuzz(lab: Lab, seconds: float, seed: int) -> Found:
    """Run what passes for some time, looking at the database from behind now and then."""
    prepare(lab)
    database = lab.connect()
    catalog = database.catalog()
    before, found, recent = lab.state(), Found(), []
    until = time.monotonic() + seconds
    for sql in mutants(lab.engine, random.Random(seed)):
        if time.monotonic() > until:
            break
        found.tried += 1
        verdict = guard.check(sql.replace("{watch}", str(lab.watch)), catalog)
        if not isinstance(verdict, Passed):
            continue
        found.passed += 1
        recent.append(verdict.sql)
        try:
            database.execute(verdict.sql, LIMITS)
            found.answered += 1
        except DatabaseError as error:
            if HELD.search(error.failure.message):
                found.held.setdefault(error.failure.message[:80], verdict.sql)
        if len(recent) >= LOOK_EVERY:
            found.effects += [] if lab.state() == before else recent
            recent, before = [], lab.state()
    found.effects += [] if lab.state() == before else recent
    database.close()
    return found


def main() -> None:
    """Fuzz the engines asked for and print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=[*sorted(LABS), "all"], default="all")
    parser.add_argument("--minutes", type=float, default=1.0, help="for each engine")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for engine in sorted(LABS) if asked.engine == "all" else [asked.engine]:
        found = fuzz(LABS[engine](Path(tempfile.mkdtemp()) / "lab"), asked.minutes * 60, asked.seed)
        print(
            f"{engine}: {found.tried} tried, {found.passed} passed the guard, {found.answered} returned rows"
        )
        for message, sql in found.held.items():
            print(f"  held by the session alone: {sql!r}: {message}")
        for sql in found.effects:
            print(f"  AN EFFECT, by one of: {sql!r}")


if __name__ == "__main__":
    main()
