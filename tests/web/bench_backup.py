"""Memory and time of a backup and its restore: `python -m tests.web.bench_backup [--runs 10000] [--gigabytes 5]`.

Makes one installation of 100 runs and 50 MB of results, and one of the size asked for, backs each up, restores it into an empty
folder, and compares every row and every file. Exit code 1 where something is lost, or where the large one takes over 1.2 times
the memory of the small one.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.test_imports import ROOT
from tests.web.test_backup import Installation

SMALL_RUNS, SMALL_BYTES = 100, 50_000_000
MOST = 1.2
ROWS = """
import datetime, uuid
from django.utils import timezone
from mirror.asking.models import Run, Step, Thread, Version
from mirror.people.models import User
from mirror.results.models import StoredResult
from mirror.sources.models import Source
owner = User.objects.create(username="ann")
shop = Source.objects.create(owner=owner, name="shop", engine="sqlite", database="shop.sqlite3")
late = timezone.now() + datetime.timedelta(days=30)
thread = Thread.objects.create(owner=owner, source=shop, title="Revenue")
for first in range(0, {runs}, 500):
    numbers = range(first, min({runs}, first + 500))
    runs = Run.objects.bulk_create(Run(thread=thread, question=f"Revenue of region {{n}}", status="done", outcome="answered",
        notes=["Understood as revenue."] * 5) for n in numbers)
    results = StoredResult.objects.bulk_create(StoredResult(id=uuid.UUID(int=n), source=shop, owner=owner, expires_at=late,
        file=f"results/2026/11/29/{{n}}.parquet", columns=[], row_count=10, size={size}) for n in numbers)
    Version.objects.bulk_create(Version(run=run, number=1, origin="answer", sql="SELECT 1", result=result, status="done")
        for run, result in zip(runs, results))
    Step.objects.bulk_create(Step(run=run, number=n, kind="executed", data={{"sql": "SELECT " + "x" * 500}})
        for run in runs for n in range(1, 9))
"""


def made(folder: Path, runs: int, size: int) -> Installation:
    """An installation with so many runs, each with eight steps and a result whose file has `size` bytes."""
    installation = Installation(folder)
    folder.mkdir(parents=True)
    installation.said("migrate", "-v", "0")
    installation.shell(ROWS.format(runs=runs, size=size))
    results = folder / "media" / "results" / "2026" / "11" / "29"
    results.mkdir(parents=True)
    noise = os.urandom(size)
    for number in range(runs):
        (results / f"{number}.parquet").write_bytes(number.to_bytes(8) + noise[8:])
    return installation


def taken(installation: Installation, *words: str) -> tuple[float, float]:
    """Run a command in a process of its own; the megabytes it took at most, and its seconds."""
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, "manage.py", *words],
        cwd=ROOT,
        env=installation.environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"manage.py {words[0]} ended with {process.returncode}")
    return usage.ru_maxrss / 1_000, time.monotonic() - began


def digests(folder: Path) -> dict[str, str]:
    """Digests of stored files, by their place."""
    return {
        str(path.relative_to(folder)): hashlib.blake2b(path.read_bytes()).hexdigest()
        for path in (folder / "media").rglob("*")
        if path.is_file()
    }


def measure(folder: Path, runs: int, size: int) -> tuple[bool, dict[str, float]]:
    """Back up and restore; say whether all is there again, and the memory of each."""
    before = made(folder / "before", runs, size)
    file = folder / "mirror.tar"
    memory = {}
    memory["backup"], seconds = taken(before, "backup", str(file))
    print(
        f"{runs:7,} runs, {runs * size / 1e9:.2f} GB: backup  {memory['backup']:5.0f} MB {seconds:6.1f} s",
        flush=True,
    )
    after = Installation(folder / "after")
    memory["restore"], seconds = taken(after, "restore", str(file))
    file.unlink()
    print(
        f"{runs:7,} runs, {runs * size / 1e9:.2f} GB: restore {memory['restore']:5.0f} MB {seconds:6.1f} s",
        flush=True,
    )
    rows = before.rows()
    is_whole = rows == after.rows() and len(rows["asking_run"]) == runs
    is_whole = is_whole and digests(before.folder) == digests(after.folder)
    print("nothing lost: every row and file compared" if is_whole else "rows or files differ", flush=True)
    return is_whole, memory


def main() -> None:
    """Measure a small and a large installation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--gigabytes", type=float, default=5.0)
    parser.add_argument("--folder", type=Path, help="where some four times as much fits (default: temporary)")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mirror-bench-", dir=wanted.folder) as name:
        folder = Path(name)
        small_whole, small = measure(folder / "small", SMALL_RUNS, SMALL_BYTES // SMALL_RUNS)
        whole, large = measure(folder / "large", wanted.runs, int(wanted.gigabytes * 1e9) // wanted.runs)
    ratios = {name: large[name] / small[name] for name in small}
    print(
        "memory of the large over the small: "
        + ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
    )
    sys.exit(not (whole and small_whole and max(ratios.values()) <= MOST))


if __name__ == "__main__":
    main()
