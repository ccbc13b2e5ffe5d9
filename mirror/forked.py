"""Parts of Mirror as forks of one process that has all of it loaded: they start at once and share its memory.

A fork copies one thread. A lock that another thread held would stay locked in the copy for ever, so the parent has no
other thread: `preload` sees to it. After a start all parts take some 385 MB together, and took 915 as programs of their own
(`python -m tests.web.bench_memory`, 2026-11).
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterable
from importlib import import_module
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from pathlib import Path
from typing import TypeVar

from setproctitle import setproctitle

from mirror.processes import die_with_parent

# Numbers of options of `mallopt` (malloc.h): the heap that is given back, blocks of their own, number of heaps.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8


Answer = TypeVar("Answer")


class ThreadRunning(RuntimeError):
    """A thread runs beside the main one, so a fork would not be safe."""


def preload(modules: Iterable[str], *calls: Callable[[], object]) -> None:
    """Load modules and make calls whose outcome parts share.

    Raises: ThreadRunning where a thread runs afterwards.
    """
    for module in modules:
        import_module(module)
    for call in calls:
        call()
    if threads() > 1:
        raise ThreadRunning(
            "A library started a thread while it was loaded, and parts of Mirror are forks of a process without any. "
            "Is a tool that watches Python programs installed beside Mirror? Start it without that."
        )
    # Objects that are there before a fork are left alone by the collector, so that their pages stay shared.
    gc.collect()
    gc.freeze()
    # Libraries in C count at the end what the collector left, and complain.
    atexit.register(gc.unfreeze)


def apart(call: Callable[[], Answer]) -> Answer:
    """Make a call in a fork, and give what it gives: what it needed of memory goes with the fork.

    Raises: what the call raised, with its traceback as a note; RuntimeError where it was killed.
    """
    receiving, sending = Pipe(duplex=False)
    process = get_context("fork").Process(target=_answer, args=(call, sending, os.getpid()))
    process.start()
    sending.close()
    try:
        is_answer, said = receiving.recv()
    except EOFError:
        process.join()
        raise RuntimeError(f"A process of Mirror ended by itself ({process.exitcode}).") from None
    finally:
        process.terminate()
        process.join()
    if not is_answer:
        raise said
    answer: Answer = said
    return answer


def _answer(call: Callable[[], object], sending: Connection, parent: int) -> None:
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, signal.SIG_DFL)
    die_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
    try:
        said: tuple[bool, object] = (True, call())
    except BaseException as error:  # noqa: BLE001 - the parent raises it
        error.add_note("".join(traceback.format_exception(error)))
        said = (False, error)
    sending.send(said)


def threads() -> int:
    """Count the threads of this process, those of libraries in C included; 1 where the system does not tell."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else 1


def fork(name: str, run: Callable[[], object], log: Path | None, closes: Callable[[], object]) -> ForkProcess:
    """Start a part: `run` in a session of its own, with what it says in a file, or with None said where its parent does.

    `closes` gives up what the parent alone may hold. The part ends when the parent does.
    """
    process = get_context("fork").Process(target=_begin, args=(name, run, log, closes, os.getpid()))
    process.start()
    return process


def _begin(
    name: str, run: Callable[[], object], log: Path | None, closes: Callable[[], object], parent: int
) -> None:
    os.setsid()
    for sign in (signal.SIGTERM, signal.SIGINT):
        signal.signal(sign, signal.SIG_DFL)
    die_with_parent(signal.SIGTERM)
    if os.getppid() != parent:
        os._exit(1)
    closes()
    setproctitle(f"Mirror: {name}")
    if log is not None:
        _say_into(log)
    # A fork runs none of these by itself when it ends; those of the parent are not its own.
    atexit._clear()
    try:
        run()
    finally:
        atexit._run_exitfuncs()


def _say_into(log: Path) -> None:
    """Let what this process says end up in a file, and what it would read be nothing."""
    with log.open("ab") as out, open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - for as long as the process lives


def memory_trim() -> None:
    """Give memory that was used for a moment back: 96 MB more after every attack of the tests, 118 without (2026-11)."""
    if sys.platform == "linux":
        mallopt = ctypes.CDLL(None).mallopt
        for option, value in ((M_ARENA_MAX, 2), (M_MMAP_THRESHOLD, 131_072), (M_TRIM_THRESHOLD, 131_072)):
            mallopt(option, value)
