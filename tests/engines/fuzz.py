"""Looks for a write: made and mutated SQL against each lock alone, effects looked at from behind.

    .venv/bin/python -m tests.engines.fuzz --minutes 60

Texts that pass the *guard* run on a connection that may write; every text is also sent
through the *session* without the guard. A change of rows, tables, settings, users
or files is a finding. Half the texts are calls of functions that the guard lists, the other
half are its cases and the hostile statements, cut, doubled and grafted. A seed gives the same
texts again.
"""

from __future__ import annotations

import argparse
import contextlib
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
from sqlagent.guard.lists import lists
from sqlagent.values import Limits
from tests.engines.lab import Lab
from tests.engines.labs import LABS
from tests.engines.spark_lab import SparkLab

HERE = Path(__file__).parent
GUARD_CASES = HERE.parent / "agent" / "cases" / "guard"
# Names of the guard's cases, and those of the labs that stand for them.
STAND_INS = {
    "books": "orders",
    "loans": "order_lines",
    "members": "customers",
    "member_id": "customer_id",
    "title": "name",
}
ARGUMENTS = (
    *(
        "",
        "1",
        "'a'",
        "name",
        "id",
        "NULL",
        "1, 2",
        "'a', 'b'",
        "name, 1",
        "name, 'a'",
        "'a', 1, 2",
        "'a', 'b', 'c'",
    ),
    *(
        "born",
        "seen",
        "born, 1",
        "'day', seen",
        "'%Y', seen",
        "seen, '%Y'",
        "'[1]'",
        "'{}', '$.a'",
        "*",
        "id, name",
    ),
    *(
        "1.5",
        "-1, 0",
        "seen, seen",
        "photo",
        "DISTINCT name",
        "1, 2, 3, 4",
        "'pg_class'",
        "'customers'",
        "true",
    ),
)
STATEMENT_SECONDS = 0.5
EVERY: dict[str, type[Lab]] = {**LABS, "spark": SparkLab}


@dataclass
class Findings:
    """Counts and findings of a run."""

    engine: str
    texts: int = 0
    passed: int = 0
    ran: int = 0
    effects: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        effects = "".join(f"\n  {lock} let this have an effect: {sql}" for lock, sql in self.effects)
        return (
            f"{self.engine}: {self.texts:,} texts, {self.passed:,} passed the guard, "
            f"{self.ran:,} of those ran with write access, {len(self.effects)} effects{effects}"
        )


def texts(engine: str, seed: int) -> Iterator[str]:
    """Make texts for ever: first each listed function once, then calls and mutations in turn."""
    chance = random.Random(seed)
    functions = sorted(lists(engine).functions)
    for name in functions:
        yield call(name, chance)
    cases = [json.loads(line) for line in (HERE / "cases" / "hostile.jsonl").read_text().splitlines()]
    known = [case["sql"] for case in cases if case["engine"] == engine]
    for line in (GUARD_CASES / f"{engine}.jsonl").read_text().splitlines():
        known.append(re.sub(r"\w+", lambda word: STAND_INS.get(word[0], word[0]), json.loads(line)["sql"]))
    pieces = sorted({piece for sql in known for piece in split(sql)})
    while True:
        yield call(chance.choice(functions), chance)
        yield mutated(chance.choice(known), known, pieces, chance)


def call(name: str, chance: random.Random) -> str:
    """Call a function with some arguments, in one of the places where a function may stand."""
    called = f"{name}({chance.choice(ARGUMENTS)})"
    return chance.choice(
        (
            f"SELECT {called} FROM customers",
            f"SELECT name FROM customers WHERE {called} IS NOT NULL",
            f"SELECT * FROM {called}",
            f"SELECT id, {called} OVER (ORDER BY id) FROM customers",
            f"SELECT COUNT(*) FROM customers GROUP BY {called}",
        )
    )


def mutated(sql: str, known: list[str], pieces: list[str], chance: random.Random) -> str:
    """Take pieces out of a text, put some in, or graft a part of another text."""
    parts = split(sql)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(parts))
        change = chance.random()
        if change < 0.35 and parts:
            del parts[min(at, len(parts) - 1)]
        elif change < 0.7:
            parts.insert(at, chance.choice(pieces))
        else:
            other = chance.choice(known)
            start = chance.randint(0, len(other))
            parts.insert(at, other[start : start + chance.randint(0, 40)])
    return "".join(parts)


def split(sql: str) -> list[str]:
    return re.findall(r"\w+|\s+|[^\w\s]", sql)


def search(
    engine: str, folder: Path, seed: int, *, seconds: float, at_most: int = 10**9, few: int = 40
) -> Findings:
    """Try texts for so long or so many, and tell what was found."""
    found = Findings(engine)
    shut, wide = EVERY[engine](folder / "shut"), EVERY[engine](folder / "wide")
    database = shut.connect()
    catalog = database.catalog()
    source = texts(engine, seed)
    until = time.monotonic() + seconds
    while time.monotonic() < until and found.texts < at_most:
        batch = [next(source) for _ in range(few)]
        found.texts += len(batch)
        through = [sql for sql in batch if isinstance(guard.check(sql, catalog), guard.Passed)]
        found.passed += len(through)
        before = wide.state()
        for sql in through:
            found.ran += wide.attempt(placed(sql, wide), STATEMENT_SECONDS)
        if wide.state() != before:
            found.effects += [("the guard", sql) for sql in guilty(wide, through)]
        before = shut.state()
        for sql in batch:
            with contextlib.suppress(DatabaseError):
                database.execute(placed(sql, shut), Limits(STATEMENT_SECONDS, rows=50))
        if shut.state() != before:
            found.effects.append(("the session", f"one of {batch}"))
    return found


def placed(sql: str, lab: Lab) -> str:
    return sql.replace("{watch}", str(lab.watch)).replace("archive.", f"{lab.archive}.")


def guilty(lab: Lab, batch: list[str]) -> list[str]:
    """Send a batch again one by one, and keep what changes something again."""
    found = []
    for sql in batch:
        before = lab.state()
        lab.attempt(placed(sql, lab), STATEMENT_SECONDS)
        if lab.state() != before:
            found.append(sql)
    return found or [f"one of {batch}, once"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60, help="for all engines together")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--engine", choices=sorted(EVERY), action="append")
    options = parser.parse_args()
    engines = options.engine or sorted(EVERY)
    print(f"seed {options.seed}")
    for engine in engines:
        seconds = options.minutes * 60 / len(engines)
        print(search(engine, Path(tempfile.mkdtemp()), options.seed, seconds=seconds), flush=True)


if __name__ == "__main__":
    main()
