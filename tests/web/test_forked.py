"""Parts as forks: what a fork keeps of its parent, what it does not, and when none is made."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# A parent that holds a lock, forks a part and says what came of it.
PARENT = """
import atexit, fcntl, os, sys, time
from pathlib import Path
from mirror.forked import fork

folder = Path(sys.argv[1])
lock = (folder / "lock").open("w")
fcntl.flock(lock, fcntl.LOCK_EX)
atexit.register(lambda: print("the parent's own", flush=True))

def part():
    atexit.register(lambda: print("tidied", flush=True))
    print("begun", os.getsid(0) == os.getpid(), lock.closed, repr(sys.stdin.read()), flush=True)
    print(open("/proc/self/cmdline").read().strip("\\0"), flush=True)
    if sys.argv[2] == "stays":
        time.sleep(60)
    if sys.argv[2] == "breaks":
        raise ValueError("it broke")

process = fork("some part", part, folder / "part.log", lock.close)
print(process.pid, flush=True)
if sys.argv[2] == "stays":
    time.sleep(60)
process.join()
print(process.exitcode, flush=True)
"""
THREADED = """
import threading, time
from mirror.forked import preload
preload(["django", "pyarrow", "numpy", "duckdb"], lambda: print("alone", flush=True))
preload([], threading.Thread(target=time.sleep, args=(30,), daemon=True).start)
"""


def parent(folder: Path, how: str) -> subprocess.Popen[str]:
    """Start a parent whose part ends, breaks or stays."""
    command = [sys.executable, "-c", PARENT, str(folder), how]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_part_has_a_session_a_log_and_a_title_of_its_own_and_not_the_parent_s_lock(tmp_path):
    said, errors = parent(tmp_path, "ends").communicate(timeout=60)
    assert errors == ""
    assert said.splitlines()[1:] == ["0", "the parent's own"]
    log = (tmp_path / "part.log").read_text().splitlines()
    assert log == ["begun True True ''", "Mirror: some part", "tidied"]


def test_a_part_that_breaks_says_so_in_its_log_and_tidies(tmp_path):
    said, errors = parent(tmp_path, "breaks").communicate(timeout=60)
    assert errors == ""
    assert said.splitlines()[1] == "1"
    log = (tmp_path / "part.log").read_text()
    assert "ValueError: it broke" in log
    assert "tidied" in log
    assert "the parent's own" not in log


def test_a_part_ends_with_its_parent(tmp_path):
    running = parent(tmp_path, "stays")
    assert running.stdout is not None
    part = int(running.stdout.readline())
    running.kill()
    running.communicate()
    until = time.monotonic() + 30
    while Path(f"/proc/{part}").exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not Path(f"/proc/{part}").exists()


def test_nothing_is_forked_where_a_library_has_started_a_thread():
    from sqlagent.forks.forking import THREADLESS

    done = subprocess.run(
        [sys.executable, "-c", THREADED],
        cwd=ROOT,
        env={**os.environ, **THREADLESS},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout == "alone\n"
    assert "A library started a thread while it was loaded" in done.stderr
    assert done.returncode == 1


APART = """
import os, sys
from mirror.forked import apart

def held():
    return len(bytearray(80_000_000)), os.getpid()

def fails():
    raise SystemExit("said to people")

def dies():
    os.kill(os.getpid(), 9)

size, pid = apart(held)
print(size, pid != os.getpid(), flush=True)
for call in (fails, dies):
    try:
        apart(call)
    except BaseException as error:
        print(type(error).__name__, error, "in fails" in "".join(getattr(error, "__notes__", [])), flush=True)
try:
    os.waitpid(-1, 0)
except ChildProcessError:
    print("none is left", flush=True)
"""


def test_a_call_apart_gives_its_answer_or_its_error_and_leaves_no_process():
    found = subprocess.run(
        [sys.executable, "-c", APART], cwd=ROOT, capture_output=True, text=True, timeout=60
    )
    assert found.stdout.splitlines() == [
        "80000000 True",
        "SystemExit said to people True",
        "RuntimeError A process of Mirror ended by itself (-9). False",
        "none is left",
    ], found.stderr
