"""Sends statements written to kill, fill or hold past the guard, and watches what becomes of the machine.

    .venv/bin/python -m tests.engines.killing --seconds 5 --megabytes 1000

Cases are lines of `cases/killers.jsonl`: *crash* ends its process by a signal, *fill* takes memory, *hold* is
one call that asks nobody whether it should stop. The tests send each with small limits; this command with any.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from sqlagent.errors import DatabaseError
from sqlagent.ports import SourceDatabase
from sqlagent.values import Failure, Limits
from tests.engines.file_labs import DuckdbLab, SqliteLab
from tests.processes import below, command, parent, seconds_used

CASES = [
    json.loads(line) for line in (Path(__file__).parent / "cases" / "killers.jsonl").read_text().splitlines()
]
ATTACKS = Path(__file__).parent / "cases" / "attacks"
LABS = {"sqlite": SqliteLab, "duckdb": DuckdbLab}
PAGE = os.sysconf("SC_PAGE_SIZE")


def left_to_limits(engine: str) -> list[str]:
    """The attacks that the guard lets through, since what they do is a matter for deadlines and memory."""
    lines = (ATTACKS / f"{engine}.jsonl").read_text("utf-8").splitlines()
    return [case["sql"] for case in map(json.loads, lines) if case.get("passes") == "limits"]


@dataclass
class Outcome:
    """End of a statement: its failure, its seconds, and the growth of all processes in bytes."""

    failure: Failure | None
    seconds: float
    grown: int


def servers() -> list[int]:
    """The servers of forks of this process."""
    return [
        pid
        for pid in below(os.getpid())
        if b"Mirror: statements of" in command(pid) and parent(pid) == os.getpid()
    ]


def children() -> list[int]:
    """The children that run statements of this process now, or wait for one."""
    return [child for server in servers() for child in below(server)]


class Working:
    """Tells whether the child of a database works on a statement by now. It is there before, as its start takes a processor too."""

    def __init__(self, database: SourceDatabase) -> None:
        database.execute("SELECT 1", Limits())
        self._before = {child: seconds_used(child) for child in children()}

    def __call__(self) -> bool:
        return any(seconds_used(child) - before > 0.1 for child, before in self._before.items())


def held() -> int:
    """Bytes that this process and all below it hold in memory, what is no file's."""
    total = 0
    for pid in (os.getpid(), *children()):
        try:
            _, resident, shared, *_ = map(int, Path(f"/proc/{pid}/statm").read_text().split())
        except (OSError, ValueError):
            continue
        total += (resident - shared) * PAGE
    return total


def send(database: SourceDatabase, sql: str, limits: Limits) -> Outcome:
    """Send one statement and watch the memory of everything below this process meanwhile."""
    is_over = threading.Event()
    before = peak = held()

    def watch() -> None:
        nonlocal peak
        while not is_over.wait(0.02):
            peak = max(peak, held())

    watching = threading.Thread(target=watch)
    watching.start()
    started = time.monotonic()
    failure = None
    try:
        database.execute(sql, limits)
    except DatabaseError as error:
        failure = error.failure
    seconds = time.monotonic() - started
    is_over.set()
    watching.join()
    return Outcome(failure, seconds, peak - before)


def main() -> None:
    """Send all of them and print what became of each."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--megabytes", type=int, default=1_000)
    asked = parser.parse_args()
    memory = asked.megabytes * 1_000_000
    limits = Limits(asked.seconds, 1_000, memory=memory)
    databases = {name: lab(Path(tempfile.mkdtemp()) / "lab").connect() for name, lab in LABS.items()}
    late, over = 0.0, 0
    for case in CASES:
        outcome = send(databases[case["engine"]], case["sql"], limits)
        late, over = max(late, outcome.seconds - limits.seconds), max(over, outcome.grown - memory)
        said = outcome.failure.message[:90] if outcome.failure else "it ran"
        print(
            f"{outcome.seconds:6.2f} s {outcome.grown / 1e6:6.0f} MB  {case['engine']:6} {case['sql'][:60]:60} {said}"
        )
    time.sleep(max(0.0, 3))
    print(
        f"{len(CASES)} statements; {late:.2f} s after the limit at most, {over / 1e6:.0f} MB above it at most"
    )


if __name__ == "__main__":
    main()
