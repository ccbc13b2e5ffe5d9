"""Memory of a fresh installation: `python -m tests.web.bench_memory [--seconds 300]`.

Starts Mirror in an empty folder, lets it idle, and prints megabytes of each process and of all together. Counted is `Pss` of
`smaps_rollup`: private pages, and each shared page divided by the processes that share it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import time
from pathlib import Path

from tests.processes import command
from tests.web.test_server import Running, free_port


class Alone(Running):
    """A started Mirror that shares no pages with the tests."""

    starts = staticmethod(subprocess.Popen)


def megabytes(pid: int) -> float:
    """Megabytes of a process; 0 when it is gone."""
    try:
        rolled = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    found = re.search(r"^Pss:\s+(\d+) kB", rolled, re.MULTILINE)
    return int(found.group(1)) / 1_000 if found else 0.0


def main() -> None:
    """Measure and print a line for each process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=300, help="how long it idles (default: 300)")
    wanted = parser.parse_args()
    os.environ["MIRROR_ENV_FILE"] = os.devnull
    with tempfile.TemporaryDirectory(prefix="mirror-bench-") as folder:
        began = time.monotonic()
        running = Alone(Path(folder) / "var", free_port())
        try:
            running.up()
            print(f"up after {time.monotonic() - began:.1f} s")
            time.sleep(wanted.seconds)
            pids = [running.process.pid, *sorted(running.children())]
            taken = {pid: megabytes(pid) for pid in pids}
            for pid in pids:
                words = command(pid).replace(b"\0", b" ").decode(errors="replace")
                print(f"{taken[pid]:8.1f} MB  {words.replace(str(Path.cwd()), '')[:110]}")
            print(f"{sum(taken.values()):8.1f} MB  in all, {len(pids)} processes")
        finally:
            running.stop()


if __name__ == "__main__":
    main()
