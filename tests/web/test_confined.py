"""A call in a process of its own is ended by its bounds, and ends nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest

from mirror import confined
from mirror.confined import Bounds, Broken, Unfinished, Why
from tests.processes import parent
from tests.web import hostile

ROOT = Path(__file__).resolve().parents[2]
SMALL = Bounds(seconds=5, megabytes=200)


def ended(function, *args, bounds: Bounds = SMALL, **how) -> Unfinished:
    with pytest.raises(Unfinished) as caught:
        confined.run(function, *args, bounds=bounds, **how)
    return caught.value


def is_gone(pid: int, seconds: float = 2.0) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


def test_a_function_gives_its_answer_from_another_process():
    told: list[str] = []
    pid, doubled = confined.run(hostile.double, [1, 2], bounds=SMALL, tell=told.append)
    assert doubled == [1, 2, 1, 2]
    assert told == ["half", "done"]
    assert pid != os.getpid()
    began = time.monotonic()
    for _ in range(10):
        confined.run(hostile.double, 2, bounds=SMALL)
    assert time.monotonic() - began < 3, "the server is up by now"


@pytest.mark.parametrize(
    ("function", "bounds", "why", "said"),
    [
        (hostile.eat, SMALL, Why.MEMORY, "more than 200 MB of memory"),
        (hostile.eat_at_once, SMALL, Why.MEMORY, "more than 200 MB of memory"),
        (hostile.sleep, Bounds(0.3, 200), Why.TIME, "longer than 0.3 seconds"),
        (hostile.spin, Bounds(1, 200), Why.TIME, "longer than 1 second"),
        (hostile.crash, SMALL, Why.CRASH, "SIGSEGV"),
        (hostile.leave, SMALL, Why.CRASH, "exit status 7"),
        (hostile.talk, Bounds(5, 200, answer_megabytes=1), Why.ANSWER, "more than 1 MB"),
    ],
)
def test_what_takes_too_much_is_ended_and_said_and_the_next_call_works(function, bounds, why, said):
    error = ended(function, bounds=bounds)
    assert (error.why, said in str(error)) == (why, True), error
    assert confined.run(hostile.double, 1, bounds=SMALL)[1] == 2


def test_memory_is_let_go_before_it_is_much_more_than_allowed(tmp_path):
    seen = tmp_path / "most"
    ended(hostile.eat_and_tell, str(seen), bounds=Bounds(5, 200, file_megabytes=1))
    assert int(seen.read_text()) < 300, "megabytes that were held last"


def test_files_are_written_no_larger_than_allowed(tmp_path):
    wrote = confined.run(hostile.write, str(tmp_path / "big"), bounds=Bounds(5, 200, file_megabytes=3))
    assert "too large" in wrote
    assert (tmp_path / "big").stat().st_size == 3_000_000


def test_temporary_files_go_with_who_made_them(tmp_path):
    noted = tmp_path / "name"
    error = ended(hostile.crash_beside_a_file, str(noted), bounds=Bounds(5, 200, file_megabytes=1))
    assert error.why is Why.CRASH
    assert not Path(noted.read_text()).exists()


def test_what_was_called_off_is_killed_at_once():
    began = time.monotonic()
    with confined.called_off_when(lambda: time.monotonic() - began > 0.3):
        error = ended(hostile.sleep)
    assert error.why is Why.STOPPED
    assert time.monotonic() - began < 2


def test_an_error_nobody_expected_says_where_and_not_what_was_read():
    with pytest.raises(Broken) as caught:
        confined.run(hostile.fail, "a secret cell", bounds=SMALL)
    assert "ValueError" in str(caught.value)
    assert "hostile.py" in str(caught.value)
    assert "a secret cell" not in str(caught.value)


def test_many_calls_at_once_keep_to_themselves():
    found: dict[int, list[int]] = {}

    def call(number: int) -> None:
        found[number] = confined.run(hostile.double, [number], bounds=SMALL)[1]

    threads = [Thread(target=call, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: [number, number] for number in range(8)}


def test_a_server_that_was_killed_is_started_again():
    parent = confined.run(hostile.server_of, bounds=SMALL)
    assert parent != os.getpid()
    os.kill(parent, signal.SIGKILL)
    assert is_gone(parent)
    assert confined.run(hostile.double, 1, bounds=SMALL)[1] == 2


def test_what_forks_has_one_thread_whatever_it_has_loaded():
    """A lock that another thread held would be held for ever in the child."""
    assert "sqlagent.adapters.duckdb_engine" in confined._starting.modules
    assert confined.run(hostile.threads_of_server, bounds=SMALL) == 1


WAITS = """
from mirror import confined
from tests.web import hostile
confined.run(hostile.note_and_sleep, {noted!r}, bounds=confined.Bounds(60, 200, file_megabytes=1))
"""


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_a_child_and_its_server_end_with_whoever_waits_for_it(tmp_path, sign):
    noted = tmp_path / "pid"
    waiting = subprocess.Popen([sys.executable, "-c", WAITS.format(noted=str(noted))], cwd=ROOT)
    until = time.monotonic() + 10
    while not noted.is_file() and time.monotonic() < until:
        time.sleep(0.02)
    child = int(noted.read_text())
    server = parent(child)
    waiting.send_signal(sign)
    waiting.wait()
    assert is_gone(child)
    assert is_gone(server)
