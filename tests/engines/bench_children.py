"""Measures what running statements in children costs, beside opening the file in this process.

    .venv/bin/python -m tests.engines.bench_children

Small statements: milliseconds added, p50 and p95, with a child at hand and with one that is forked. Many
rows: how much longer they take, by row and by column. Then the server's start.
"""

from __future__ import annotations

import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb

from sqlagent.adapters import open_database
from sqlagent.adapters.children import lending
from sqlagent.adapters.children.database import STATEMENT_MEMORY
from sqlagent.adapters.children.engines import engine_named
from sqlagent.adapters.columnar import ColumnarRowing
from sqlagent.adapters.flights import Flight
from sqlagent.ports import ColumnStream
from sqlagent.values import Limits
from tests.engines.killing import children

TIMES = 200
ROWS = 300_000
ALL = Limits(120, 10**7, total_chars=10**10)
MADE_OF = {
    "sqlite": f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS}) SELECT i, 'name ' || i AS name, i * 1.5 AS price FROM n",
    "duckdb": f"SELECT range AS i, 'name ' || range AS name, range * 1.5 AS price FROM range({ROWS})",
}


def main() -> None:
    """Print the figures of both engines."""
    folder = Path(tempfile.mkdtemp())
    for engine in ("sqlite", "duckdb"):
        path = folder / f"rows.{engine}"
        connected: Any = sqlite3.connect(path) if engine == "sqlite" else duckdb.connect(str(path))
        with closing(connected) as db:
            db.execute(f"CREATE TABLE t AS {MADE_OF[engine]}")
        measure(engine, path, folder)


def measure(engine: str, path: Path, folder: Path) -> None:
    """Print the figures of one engine."""
    here = engine_named(engine)(path, STATEMENT_MEMORY, folder / "spill")
    database: Any = open_database(engine, database=str(path))
    first = spent(lambda: database.execute("SELECT 1", ALL))

    def in_process() -> None:
        flight = Flight(30)
        with here.session(flight, "SELECT * FROM t LIMIT 20", ALL) as rowing:
            list(rowing)

    def in_child() -> None:
        database.execute("SELECT * FROM t LIMIT 20", ALL)

    def without_idle() -> None:
        """End the idle children, and let them: they give much memory back."""
        lending.stable.drop_idle()
        while children():
            time.sleep(0.01)

    in_process(), in_child()
    base, warm, cold, unprepared = [], [], [], []
    for _ in range(TIMES):  # in turns, so that what else the machine does is shared fairly
        base.append(spent(in_process))
        warm.append(spent(in_child))
    as_it_is, bare = lending.stable, servers_unprepared()
    for stable, figures in ((as_it_is, cold), (bare, unprepared)) * (TIMES // 4):
        lending.stable = stable
        stable.server(engine)
        without_idle()
        figures.append(spent(in_child))
        without_idle()
    lending.stable = as_it_is
    print(f"{engine}: first statement of a process {first:.0f} ms")
    of_each = {
        "in this process": base,
        "in a child": warm,
        "in a new child": cold,
        "the same, of a server that only loaded the driver": unprepared,
    }
    for name, figures in of_each.items():
        added = statistics.median(figures) - statistics.median(base), p95(figures) - p95(base)
        print(
            f"  p50 {statistics.median(figures):6.2f} ms   p95 {p95(figures):6.2f} ms   "
            f"added {added[0]:6.2f} and {added[1]:6.2f} ms   {name}"
        )

    def rows_here() -> None:
        with here.session(Flight(120), "SELECT * FROM t", ALL) as rowing:
            for _ in rowing:
                pass

    def rows_there() -> None:
        with database.stream("SELECT * FROM t", ALL) as stream:
            for _ in stream:
                pass

    ratio(f"{ROWS} rows", rows_here, rows_there)

    def columns_here() -> None:
        with here.session(Flight(120), "SELECT * FROM t", ALL) as rowing:
            assert isinstance(rowing, ColumnarRowing)
            for _ in rowing.column_batches():
                pass

    def columns_there() -> None:
        with database.stream("SELECT * FROM t", ALL) as stream:
            assert isinstance(stream, ColumnStream)
            for _ in stream.column_batches():
                pass

    if engine == "duckdb":
        ratio(f"{ROWS} rows by column", columns_here, columns_there)


def servers_unprepared() -> lending.Stable:
    """Give servers as they would be if they loaded the drivers and called nothing of them."""
    prepared = dict(lending.DOORS)
    for name, (door, modules) in prepared.items():
        lending.DOORS[name] = door, tuple(module.partition(":")[0] for module in modules)
    try:
        return lending.Stable()
    finally:
        lending.DOORS.update(prepared)


def ratio(what: str, here: Callable[[], None], there: Callable[[], None]) -> None:
    """Print how much longer the second takes than the first, the best of five each."""
    pairs = [(spent(here), spent(there)) for _ in range(5)]
    first, second = (min(column) for column in zip(*pairs, strict=True))
    print(f"  {what}: {first:.0f} ms in this process, {second:.0f} ms in a child, {second / first:.2f} times")


def p95(figures: list[float]) -> float:
    """Tell the figure that 95 of 100 do not exceed."""
    return sorted(figures)[int(len(figures) * 0.95)]


def spent(work: Callable[[], object]) -> float:
    """Do it and tell the milliseconds it took."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1_000


if __name__ == "__main__":
    main()
