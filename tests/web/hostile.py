"""Functions that do what a reader of hostile files might be made to do; run by the tests of `mirror.confined`."""

from __future__ import annotations

import ctypes
import os
import tempfile
import time
from pathlib import Path


def double(value, tell=None):
    if tell is not None:
        tell("half")
        tell("done")
    return os.getpid(), value * 2


def eat() -> None:
    held = []
    while True:
        held.append(bytearray(10_000_000))


def eat_at_once() -> None:
    bytearray(10**12)


def eat_and_tell(seen: str) -> None:
    """Hold more and more, and write down how much in megabytes."""
    held: list[bytearray] = []
    with open(seen, "w") as file:
        while True:
            held.append(bytearray(b"x") * 5_000_000)
            file.seek(0)
            file.write(str(5 * len(held)))
            file.flush()


def sleep() -> None:
    time.sleep(60)


def sleep_on(*given) -> None:
    sleep()


def note_and_sleep(path: str) -> None:
    aside = Path(f"{path}.part")
    aside.write_text(str(os.getpid()))
    aside.replace(path)
    time.sleep(60)


def crash_beside_a_file(path: str) -> None:
    """Crash after a temporary file was made, and write down where."""
    descriptor, name = tempfile.mkstemp()
    os.write(descriptor, b"x" * 1_000)
    Path(path).write_text(name)
    crash()


def spin() -> None:
    while True:
        pass


def crash() -> None:
    ctypes.string_at(0)


def crash_on(*_) -> None:
    crash()


def leave() -> None:
    os._exit(7)


def talk() -> bytes:
    return b"x" * 20_000_000


def fail(cell: str) -> None:
    raise ValueError(f"not a number: {cell}")


def no_plan(*_, tell=None):
    return 1 / 0


def write(path: str) -> str:
    try:
        with open(path, "wb") as file:
            for _ in range(10):
                file.write(b"x" * 1_000_000)
                file.flush()
    except OSError as error:
        return str(error)
    return "all of it"


def server_of() -> int:
    """The server of this process."""
    return os.getppid()


def threads_of_server() -> int:
    """How many threads the process has that forks this one."""
    return len(list(Path(f"/proc/{os.getppid()}/task").iterdir()))
