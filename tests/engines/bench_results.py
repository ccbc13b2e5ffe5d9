"""Measures what issue 4 asks of results: `python -m tests.engines.bench_results`, or some of its parts.

    python -m tests.engines.bench_results results --rows 1000000 --turns 5
    python -m tests.engines.bench_results csv catalog cancel pages

`results`: rows of eight columns from PostgreSQL into a stored result, against psycopg's text `fetchall()`.
`csv`: the lines of a CSV file as PostgreSQL writes them, against `psql \\copy`. `catalog`: 500 tables introspected.
`cancel`: from `cancel` to a statement gone, on each engine. `pages`: a stored result paged, sorted and filtered.

Ways are compared in one run, turn by turn, each in a process of its own, by the median. Memory is the peak of a
process less what it held when all was imported and set up. Processor seconds are shown beside those of the clock:
they say what a machine that does other things too hides. Every bound is issue 4's or 6's.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from tests.server_processes import program
from tests.servers import PASSWORD, PostgresServer

PARTS = ("results", "csv", "catalog", "cancel", "pages")
SQL = "SELECT * FROM facts"
TABLE = """
CREATE TABLE facts AS
SELECT i::int AS id,
       i * 7919::bigint AS code,
       'customer number ' || i::bigint * 7919 % 100003 AS customer,
       CASE WHEN i % 5 = 0 THEN NULL WHEN i % 97 = 0 THEN '' WHEN i % 89 = 0 THEN '=1+1' ELSE 'a note, "' || i % 1000 || '"' END AS note,
       sin(i) * 1e6 AS score,
       (i * 7919::bigint % 100000000 / 100.0)::numeric(12,2) AS amount,
       timestamp '2020-01-01' + i * interval '37.123456 seconds' AS moment,
       i % 3 = 0 AS is_paid
FROM generate_series(1, {rows}) AS i
"""


# ---------------------------------------------------------------- ways, each in a process of its own


def opened(port: int) -> Any:
    from sqlagent.adapters import open_database

    return open_database(
        "postgres", host="127.0.0.1", port=port, database="postgres", user="owner", password=PASSWORD
    )


def way_fetchall(port: int, folder: Path) -> Callable[[], int]:
    import psycopg

    def work() -> int:
        with psycopg.connect(
            host="127.0.0.1", port=port, dbname="postgres", user="owner", password=PASSWORD
        ) as db:
            return len(db.execute(SQL).fetchall())

    return work


def way_stored(port: int, folder: Path) -> Callable[[], int]:
    source, database = store(), opened(port)
    from mirror.results.services import result_receive
    from sqlagent.values import Limits

    warm(database)

    def work() -> int:
        with database.stream(SQL, Limits(600, 10_000_000, total_chars=10**10)) as stream:
            result = result_receive(source, stream)
        (folder / "result").write_text(str(result.pk))
        return int(result.row_count)

    return work


def way_csv(port: int, folder: Path) -> Callable[[], int]:
    from mirror.exports.defusing import LIVE, PLAIN_NUMBER
    from sqlagent.values import Limits

    database = opened(port)
    warm(database)

    def work() -> int:
        limits = Limits(3_600, 10**9)
        with database.stream_csv(SQL, limits, live=LIVE, plain=PLAIN_NUMBER) as lines:
            with (folder / "lines.csv").open("wb") as file:
                file.write((",".join(lines.columns) + "\n").encode())
                file.writelines(lines)
            return int(lines.row_count)

    return work


def way_psql(port: int, folder: Path) -> Callable[[], int]:
    psql = Path(program("postgres")).with_name("psql")
    copy = rf"\copy ({SQL}) TO '{folder / 'psql.csv'}' CSV HEADER"
    command = [
        *(str(psql), "-X", "-q", "-h", "127.0.0.1", "-p", str(port), "-U", "owner", "-d", "postgres", "-c"),
        copy,
    ]

    def work() -> int:
        subprocess.run(command, env={**os.environ, "PGPASSWORD": PASSWORD}, check=True)
        return 0

    return work


def way_catalog(port: int, folder: Path) -> Callable[[], int]:
    database = opened(port)
    warm(database)
    return lambda: sum(table.name.startswith("table_") for table in database.catalog().tables)


WAYS = {
    "fetchall": way_fetchall,
    "stored": way_stored,
    "csv": way_csv,
    "psql": way_psql,
    "catalog": way_catalog,
}


def warm(database: Any) -> None:
    """Load what is loaded on first use, so that it counts as idle."""
    from sqlagent.ports import ColumnStream
    from sqlagent.values import Limits

    with database.stream("SELECT 1", Limits()) as stream:
        assert isinstance(stream, ColumnStream)
        list(stream.column_batches())


def store() -> Any:
    """Set Django up on the store of this bench; its one source."""
    import django

    django.setup()
    from mirror.sources.models import Source

    return Source.objects.get(name="bench")


def memory(name: str) -> float:
    """A line of this process's status, in MB."""
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) / 1024


def go(name: str, port: int, folder: Path) -> None:
    """Go one way and print what it took as JSON."""
    work = WAYS[name](port, folder)
    idle = memory("VmRSS")
    began, spent = time.perf_counter(), time.process_time()
    rows = work()
    taken = {"seconds": time.perf_counter() - began, "processor": time.process_time() - spent}
    print(json.dumps({**taken, "memory": max(0.0, memory("VmHWM") - idle), "rows": rows}))


# ---------------------------------------------------------------- comparing


class Bench:
    """A server, a store and a folder for as long as this runs."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="mirror-bench-"))
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "mirror.settings",
            "MIRROR_VAR_DIR": str(self.folder / "var"),
            "MIRROR_ENV_FILE": os.devnull,
        }
        self.server = PostgresServer()
        self.server.start()
        self._rows = 0

    def close(self) -> None:
        self.server.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    def fill(self, rows: int) -> None:
        """Have the table hold so many rows."""
        if rows != self._rows:
            with self.server.connect() as db:
                db.execute("DROP TABLE IF EXISTS facts")
                db.execute(TABLE.format(rows=rows))
                db.execute("VACUUM ANALYZE facts")
            self._rows = rows

    def make_store(self) -> None:
        """Make the store and its source."""
        if (self.folder / "var").exists():
            return
        code = (
            "from mirror.people.models import User; from mirror.sources.models import Source;"
            "Source.objects.create(name='bench', engine='postgres', owner=User.objects.create(username='bench'))"
        )
        for words in (("migrate", "-v0"), ("shell", "-v0", "-c", code)):
            subprocess.run([sys.executable, "manage.py", *words], env=self.environment, check=True)

    def went(self, way: str) -> dict[str, float]:
        """Go one way in a process of its own."""
        words = ("-m", "tests.engines.bench_results", "--way", way, "--port", str(self.server.port))
        before = self._served()
        done = subprocess.run(
            [sys.executable, *words, "--folder", str(self.folder)],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"{way} failed:\n{done.stderr}")
        return {**json.loads(done.stdout.splitlines()[-1]), "served": self._served() - before}

    def _served(self) -> float:
        """Processor seconds of the server's sessions that have ended."""
        fields = Path(f"/proc/{self.server._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def compared(self, ways: tuple[str, ...], turns: int) -> dict[str, list[dict[str, float]]]:
        """Go several ways turn by turn; the first turn is not counted, it fills caches."""
        went: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
        for turn in range(turns + 1):
            for way in ways:
                taken = self.went(way)
                if turn:
                    went[way].append(taken)
        return went


def middle(taken: list[dict[str, float]], what: str) -> float:
    return median(one[what] for one in taken)


def results(bench: Bench, options: argparse.Namespace) -> None:
    bench.fill(options.rows)
    bench.make_store()
    went = bench.compared(("fetchall", "stored"), options.turns)
    for way, taken in went.items():
        print(
            f"  {way}: {middle(taken, 'seconds'):.2f} s, {middle(taken, 'processor'):.2f} s of a processor "
            f"and {middle(taken, 'served'):.2f} s of the server's, "
            f"{middle(taken, 'memory'):.0f} MB over idle, {taken[0]['rows']:,} rows"
        )
    plain, ours = went["fetchall"], went["stored"]
    pairs = [b["seconds"] / a["seconds"] for a, b in zip(plain, ours, strict=True)]
    say("time against fetchall()", median(pairs), 0.8, "x", f"turns {min(pairs):.2f} to {max(pairs):.2f}")
    say("memory against fetchall()", middle(ours, "memory") / middle(plain, "memory"), 0.15, "x")


def csv(bench: Bench, options: argparse.Namespace) -> None:
    bench.fill(options.csv_rows)
    went = bench.compared(("psql", "csv"), options.turns)
    plain, ours = went["psql"], went["csv"]
    size = (bench.folder / "lines.csv").stat().st_size / 1e6
    print(
        f"  psql: {middle(plain, 'seconds'):.2f} s; csv: {middle(ours, 'seconds'):.2f} s, "
        f"{ours[0]['rows']:,.0f} rows, {size:,.0f} MB"
    )
    pairs = [b["seconds"] / a["seconds"] for a, b in zip(plain, ours, strict=True)]
    say("time against psql \\copy", median(pairs), 2.0, "x", f"{1 / median(pairs):.2f} x its rate")
    say("memory over idle", middle(ours, "memory"), 150, "MB")


def catalog(bench: Bench, options: argparse.Namespace) -> None:
    with bench.server.connect() as db:
        for number in range(500):
            parent = f"REFERENCES table_{number - 1}" if number else ""
            db.execute(
                f"CREATE TABLE table_{number} (id int PRIMARY KEY, parent int {parent}, name text NOT NULL, note varchar(80),"
                "amount numeric(12,2), day date, moment timestamptz, is_paid bool)"
            )
    taken = [bench.went("catalog") for _ in range(options.turns)]
    assert all(one["rows"] == 500 for one in taken)
    say("500 tables introspected", max(one["seconds"] for one in taken), 5.0, "s", "the slowest turn")


def cancel(bench: Bench, options: argparse.Namespace) -> None:
    from tests.engines.labs import LABS

    for engine in ("sqlite", "postgres", "mysql", "duckdb"):
        lab = LABS[engine](bench.folder / f"lab{engine}")
        waits = sorted(_cancelled(lab) for _ in range(options.cancels))
        say(f"cancel to gone on {engine}, p95", _p95(waits), 1.0, "s", f"median {median(waits):.3f} s")


def _cancelled(lab: Any) -> float:
    """Seconds from `cancel` to a statement that neither the server lists nor a thread waits for."""
    from sqlagent.errors import StatementFailed
    from sqlagent.values import Limits

    database, mark, ended = lab.connect(), lab.endless[-30:], threading.Event()

    def run() -> None:
        try:
            database.execute(lab.endless, Limits(60))
        except StatementFailed:
            ended.set()

    thread = threading.Thread(target=run)
    thread.start()
    while lab.has_server and lab.in_flight(mark) != 1:
        time.sleep(0.01)
    time.sleep(0.3)
    began = time.perf_counter()
    stopper = threading.Thread(target=database.cancel)
    stopper.start()
    while lab.has_server and lab.in_flight(mark):
        time.sleep(0.002)
    assert ended.wait(10)
    seconds = time.perf_counter() - began
    stopper.join()
    thread.join()
    return seconds


def pages(bench: Bench, options: argparse.Namespace) -> None:
    bench.fill(options.rows)
    bench.make_store()
    bench.went("stored")
    taken = json.loads(
        subprocess.run(
            [sys.executable, "-m", "tests.engines.bench_results", "--way", "pages", "--folder", bench.folder],
            env=bench.environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.splitlines()[-1]
    )
    for kind, some in taken.items():
        clock, processor = (_p95(list(column)) * 1e3 for column in zip(*some, strict=True))
        print(f"  {kind}: p95 {clock:.0f} ms, {processor:.0f} ms of a processor, of {len(some)}")
    every = [seconds for kind in taken.values() for seconds, _ in kind]
    say("page, sort or filter, p95", _p95(every) * 1e3, 300, "ms")


def go_pages(folder: Path) -> None:
    """Page, sort and filter the stored result and print the seconds each took as JSON."""
    store()
    from mirror.results.models import StoredResult
    from mirror.results.rows import Sort, rows_page

    result = StoredResult.objects.get(pk=(folder / "result").read_text())
    rows = result.row_count
    filters = ["> 500000", "= 7919", "number 77", "null", "> 500000", "10..20", ">= 2020-06-01", "= true"]
    calls: dict[str, list[Callable[[], Any]]] = {
        "page": [lambda at=at: rows_page(result, rows * at // 20) for at in range(20)],
        "sort": [
            lambda n=n, down=down: rows_page(result, 100, sort=Sort(n, down))
            for n in range(8)
            for down in (0, 1)
        ],
        "filter": [
            lambda n=n, text=text: rows_page(result, filters={n: text}) for n, text in enumerate(filters)
        ],
        "sort and filter": [
            lambda n=n: rows_page(result, 50, sort=Sort(7 - n), filters={n: filters[n]}) for n in range(8)
        ],
    }
    rows_page(result)
    print(
        json.dumps({kind: [_timed(call) for call in some for _ in range(3)] for kind, some in calls.items()})
    )


def _timed(call: Callable[[], Any]) -> tuple[float, float]:
    """Seconds by the clock and of a processor."""
    began, spent = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - began, time.process_time() - spent


def _p95(values: list[float]) -> float:
    return sorted(values)[max(0, -(-len(values) * 95 // 100) - 1)]


def say(what: str, is_: float, must: float, unit: str, more: str = "") -> None:
    """Print a figure beside its bound."""
    held = "held" if is_ <= must else "NOT HELD"
    print(
        f"{what}: {is_:.3g} {unit} (at most {must:g} {unit}: {held}){', ' + more if more else ''}", flush=True
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="which to measure; all unless given")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--csv-rows", type=int, default=5_000_000)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--cancels", type=int, default=20)
    for inner in ("--way", "--port", "--folder"):
        parser.add_argument(inner, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.way == "pages":
        go_pages(Path(options.folder))
        return
    if options.way:
        go(options.way, int(options.port), Path(options.folder))
        return
    bench = Bench()
    try:
        for part in options.parts or PARTS:
            print(f"{part}:", flush=True)
            globals()[part](bench, options)
    finally:
        bench.close()


if __name__ == "__main__":
    main()
