"""Measure exports through the command, each in a process of its own: `python -m tests.exports.bench`.

5,000,000 rows of eight columns from a real PostgreSQL to CSV, Parquet and JSON lines, and 200,000 to XLSX.
CSV is compared with `psql \\copy` of the same rows to a file on the same disk, turn by turn, the best of each.
Memory is the peak of the process less that of one which exports a single row. Then images of a chart, by each
renderer. `--rows` and `--formats` measure less.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

from tests.server_processes import program
from tests.servers import PASSWORD, PostgresServer

ROOT = Path(__file__).resolve().parents[2]
EVERYTHING = "SELECT * FROM facts"
TABLE = """
CREATE TABLE facts AS
SELECT n AS id,
       'customer ' || n % 9973 AS customer,
       round((random() * 1000)::numeric, 2) AS amount,
       random() AS score,
       date '2020-01-01' + n % 2000 AS day,
       timestamp '2020-01-01' + n * interval '1 second' AS moment,
       n % 3 = 0 AS is_paid,
       CASE WHEN n % 7 > 0 THEN (ARRAY['shipped', '=1+1', 'on its way, late', 'Łódź "centrum"'])[1 + n % 4] END AS note
FROM generate_series(1, {rows}) AS n
"""


@dataclass(frozen=True, slots=True)
class Used:
    """Cost of an export: its own seconds, those of its process, seconds of CPU, peak memory, bytes written."""

    own: float
    whole: float
    cpu: float
    peak: int
    size: int

    def words(self, idle: int) -> str:
        return (
            f"{self.own:.1f} s ({self.whole:.1f} s with the start of the process, {self.cpu:.1f} s of CPU), "
            f"{self.size / 1e6:,.0f} MB written, {(self.peak - idle) / 1e6:,.0f} MB over idle"
        )


class Shell:
    """Runs `manage.py` with a store of its own."""

    def __init__(self, folder: Path, server: PostgresServer) -> None:
        self.folder = folder
        self.environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "mirror.settings",
            "MIRROR_VAR_DIR": str(folder / "var"),
            "MIRROR_ENV_FILE": os.devnull,
            "SOURCE_PASSWORD": PASSWORD,
        }
        make = "from mirror.people.services import first_admin; first_admin()"
        self.run("migrate", "-v0")
        self.run("shell", "-v0", "-c", make)
        self.run(
            *("connect", "bench", "--engine", "postgres", "--host", server.host),
            *("--port", str(server.port), "--database", "postgres", "--user", server.user),
        )

    def run(self, *words: str) -> tuple[str, Used]:
        """Run a command: what it said, and what it took."""
        began = time.monotonic()
        said = (self.folder / "said").open("w+b")
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), *words], env=self.environment, stdout=said, stderr=said
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.monotonic() - began
        text = (self.folder / "said").read_text()
        if process.returncode:
            raise SystemExit(f"{' '.join(words)} failed:\n{text}")
        return text, Used(seconds, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, 0)

    def export(self, format: str, sql: str) -> Used:
        """Export, and say what it took."""
        out = self.folder / f"out.{format}"
        text, used = self.run(
            "export", "--source", "bench", "--sql", sql, "--out", str(out), "--overwrite", "--quiet"
        )
        own = float(re.findall(r"in ([\d.]+) s\.", text)[0])
        return replace(used, own=own, size=out.stat().st_size)


def copied(server: PostgresServer, folder: Path) -> float:
    """Seconds that psql takes to copy the table to a file."""
    began = time.monotonic()
    subprocess.run(
        [
            *(str(Path(program("postgres")).with_name("psql")), "-X", "-q", "-h", server.host),
            *("-p", str(server.port), "-U", server.user, "-d", "postgres"),
            *("-c", rf"\copy (SELECT * FROM facts) TO '{folder / 'psql.csv'}' CSV HEADER"),
        ],
        env={**os.environ, "PGPASSWORD": PASSWORD},
        check=True,
    )
    return time.monotonic() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--formats", default="csv,parquet,jsonl,xlsx,charts")
    options = parser.parse_args()
    formats = options.formats.split(",")
    server = PostgresServer()
    folder = Path(tempfile.mkdtemp(prefix="mirror-bench-"))
    try:
        server.start()
        with server.connect() as connection:
            connection.execute(TABLE.format(rows=options.rows))
        shell = Shell(folder, server)
        if "csv" in formats:
            beside_psql(shell, server, folder, options.turns)
        for format in (name for name in ("parquet", "jsonl", "xlsx") if name in formats):
            idle = shell.export(format, "SELECT 1 AS one").peak
            used = shell.export(format, f"{EVERYTHING} LIMIT 200000" if format == "xlsx" else EVERYTHING)
            print(f"{format}: {used.words(idle)}", flush=True)
    finally:
        server.remove()
        shutil.rmtree(folder, ignore_errors=True)
    if "charts" in formats:
        charts()


def beside_psql(shell: Shell, server: PostgresServer, folder: Path, turns: int) -> None:
    """CSV and psql, turn by turn."""
    psql, csv = [], []
    for _ in range(turns):
        psql.append(copied(server, folder))
        csv.append(shell.export("csv", EVERYTHING))
    best, used = min(psql), min(csv, key=lambda one: one.own)
    idle = shell.export("csv", "SELECT 1 AS one").peak
    print(f"psql \\copy: {best:.1f} s")
    print(
        f"csv: {used.words(idle)}; {best / used.own:.2f} x psql's rate ({best / used.whole:.2f} x)",
        flush=True,
    )


def charts() -> None:
    """Images of charts by each renderer, once it is up."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from django.conf import settings

    from mirror.exports.images import chart_image
    from tests.exports.test_images import CHARTS

    for how in ("plotly", "simple"):
        settings.CHART_IMAGES = how
        began = time.monotonic()
        chart_image(CHARTS["bars"][1], CHARTS["bars"][0])
        first = time.monotonic() - began
        began, cpu = time.monotonic(), time.process_time()
        for rows, chart in CHARTS.values():
            assert chart_image(chart, rows)
        each = 1_000 * (time.monotonic() - began) / len(CHARTS)
        own = 1_000 * (time.process_time() - cpu) / len(CHARTS)
        print(
            f"chart by {how}: {each:.0f} ms each ({own:.0f} ms of our CPU), the first {first:.1f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
