"""Measure exports through the command, each in a process of its own: `python -m tests.exports.bench`.

5,000,000 rows of eight columns from a real PostgreSQL to CSV, Parquet and JSON lines, and 200,000 to XLSX.
CSV is compared with `psql \\copy` of the same rows to a file on the same disk, turn by turn, the best of each.
Memory is the peak of the process less that of one which exports a single row. `--rows` measures less.
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
from pathlib import Path

from tests.servers import PASSWORD, PostgresServer, _program

ROOT = Path(__file__).resolve().parents[2]
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

    def run(self, *words: str) -> tuple[str, float, int]:
        """Run a command: what it said, the seconds it took, and its peak memory in bytes."""
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
        return text, seconds, used.ru_maxrss * 1024

    def export(self, format: str, sql: str) -> tuple[float, float, int, int]:
        """Export: the seconds of the export and of the whole process, its peak memory, bytes written."""
        out = self.folder / f"out.{format}"
        text, seconds, peak = self.run(
            "export", "--source", "bench", "--sql", sql, "--out", str(out), "--overwrite", "--quiet"
        )
        own = float(re.findall(r"in ([\d.]+) s\.", text)[0])
        return own, seconds, peak, out.stat().st_size


def copied(server: PostgresServer, folder: Path) -> float:
    """Seconds that psql takes to copy the table to a file."""
    began = time.monotonic()
    subprocess.run(
        [
            *(str(Path(_program("postgres")).with_name("psql")), "-X", "-q", "-h", server.host),
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
    options = parser.parse_args()
    server = PostgresServer()
    folder = Path(tempfile.mkdtemp(prefix="mirror-bench-"))
    try:
        server.start()
        with server.connect() as connection:
            connection.execute(TABLE.format(rows=options.rows))
        shell = Shell(folder, server)
        measure(shell, server, folder, options.turns)
    finally:
        server.remove()
        shutil.rmtree(folder, ignore_errors=True)


def measure(shell: Shell, server: PostgresServer, folder: Path, turns: int) -> None:
    everything = "SELECT * FROM facts"
    psql, csv = [], []
    for _ in range(turns):
        psql.append(copied(server, folder))
        csv.append(shell.export("csv", everything))
    best = min(psql)
    own, whole, _, size = min(csv)
    idle = shell.export("csv", "SELECT 1 AS one")[2]
    peak = max(run[2] for run in csv)
    print(f"psql \\copy: {best:.1f} s")
    print(
        f"csv: {own:.1f} s ({whole:.1f} s with the start of the process), {best / own:.2f} x psql's rate "
        f"({best / whole:.2f} x), {size / 1e6:,.0f} MB written, {(peak - idle) / 1e6:,.0f} MB over idle"
    )
    for format, sql in (
        ("parquet", everything),
        ("jsonl", everything),
        ("xlsx", f"{everything} LIMIT 200000"),
    ):
        idle = shell.export(format, "SELECT 1 AS one")[2]
        own, whole, peak, size = shell.export(format, sql)
        print(
            f"{format}: {own:.1f} s ({whole:.1f} s), {size / 1e6:,.0f} MB written, "
            f"{(peak - idle) / 1e6:,.0f} MB over idle ({idle / 1e6:,.0f} MB)"
        )


if __name__ == "__main__":
    main()
