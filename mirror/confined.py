"""Run a function in a process of its own, within bounds of time, memory and disk.

Data of strangers (files, the answers of foreign servers) is read there: data made to exhaust memory or to crash its
reader ends that one call, in plain words, and nobody else's work.

The process is a fork of `sqlagent.forks`, as those are that run statements of files: it has the readers of files and
databases loaded, makes one call and ends. Each calling process starts its server once, and takes it along when it
ends. A call takes some 10 ms, the first of a process 0.5 s (measured 2026-11).
"""

from __future__ import annotations

import logging
import os
import pickle
import resource
import signal
import socket
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn, TypeVar

from setproctitle import setproctitle

from sqlagent.forks import frames
from sqlagent.forks.forking import Fork, Gone, Kept, Server
from sqlagent.forks.frames import Frame, Torn
from sqlagent.language.saying import number, worded, worded_count

log = logging.getLogger(__name__)

MEGABYTE = 1_000_000
# Seconds between two looks whether the call was cancelled.
ASK_SECONDS = 0.1
# A server that nobody called for this long ends, and gives 59 MB back; the next call starts another.
IDLE_SECONDS = 300.0
# How long a server may take to start (seconds), and how often one is looked for that is still there.
START_SECONDS = 15.0
TRIES = 2
# Children give way to what makes pages, by this much.
NICE = 5
DOOR, TITLED = "mirror.confined:call_do", "mirror.confined:titled"

Answer = TypeVar("Answer")

_called_off: ContextVar[Callable[[], bool]] = ContextVar("called_off", default=lambda: False)


class Why(StrEnum):
    """The end of a call that gave no answer."""

    TIME = "time"
    MEMORY = "memory"
    ANSWER = "answer"
    CRASH = "crash"
    STOPPED = "stopped"


class Unfinished(Exception):
    """A call was ended before it had an answer; `said` is fit to be shown."""

    def __init__(self, why: Why, said: str) -> None:
        super().__init__(said)
        self.why, self.said = why, said


class Broken(RuntimeError):
    """A function raised what nobody expected of it; the message says where, without what it was reading."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a call: seconds, memory, its answer, and any one file that it writes (megabytes)."""

    seconds: float
    megabytes: int
    answer_megabytes: int = 32
    file_megabytes: int = 0


# ---------------------------------------------------------------- who calls


def titled() -> None:
    """Call this process after what it does; its forks are called so too."""
    setproctitle("Mirror: reads files and databases")


def run(
    function: Callable[..., Answer],
    *args: Any,
    bounds: Bounds,
    tell: Callable[[str], None] | None = None,
) -> Answer:
    """Call a function of a module in a process of its own, and return its answer.

    Function, arguments and answer must be fit for pickle. With `tell` the function is given a `tell` too,
    whose words arrive here. It should return expected errors instead of raising them. Raises: Unfinished, also when
    it is called off (`called_off_when`); Broken when it raised.
    """
    call = pickle.dumps((bounds, function, args, tell is not None))
    for _ in range(TRIES):
        try:
            fork = _kept.server().fork()
        except (Gone, OSError) as error:
            log.warning("The server of confined calls is gone: %s", error)
            continue
        found = _Call(fork, bounds).answer(call, tell)
        if found is not None:
            answer: Answer = found[0]
            return answer
        _kept.lose(fork.server)
    raise Unfinished(Why.CRASH, worded("The process that reads it could not be started."))


@contextmanager
def called_off_when(is_over: Callable[[], bool]) -> Iterator[None]:
    """Have the calls of this block killed once `is_over` says so."""
    token = _called_off.set(is_over)
    try:
        yield
    finally:
        _called_off.reset(token)


def preload(*modules: str) -> None:
    """Have servers that are started from now on load these first."""
    _starting.modules += [name for name in modules if name not in _starting.modules]


@dataclass
class _Starting:
    """How servers of this process are started from now on."""

    modules: list[str]
    idle_seconds: float

    def __call__(self) -> Server:
        """Start one. The environment may name files that its children open: certificates, drivers' settings."""
        place = str(Path(__file__).resolve().parent.parent)
        return Server(
            DOOR,
            [*self.modules, TITLED],
            idle_seconds=self.idle_seconds,
            environment=os.environ,
            folder=place,
        )


_starting = _Starting([], IDLE_SECONDS)
_kept = Kept(_starting)


class _Call:
    """One call as its caller sees it."""

    def __init__(self, fork: Fork, bounds: Bounds) -> None:
        self._fork, self._bounds = fork, bounds
        self._said = 0
        self._until = monotonic() + bounds.seconds + START_SECONDS

    def answer(self, call: bytes, tell: Callable[[str], None] | None) -> tuple[Any] | None:
        """Wait for the answer, in a tuple; None when nothing was begun. Raises: Unfinished, Broken."""
        try:
            self._fork.begin(seconds=self._bounds.seconds, most=self._bounds.megabytes * MEGABYTE)
            self._fork.send(Frame.ASK, call)
            while (said := self._next())[0] is Frame.TOLD:
                if tell is not None:
                    tell(str(said[1]))
        except (Gone, Torn, OSError) as error:
            self._without(error)
            return None
        finally:
            if self._fork.is_open:
                self._fork.end()
        frame, value = said
        if frame is Frame.FAILED:
            raise self._unfinished(Why.MEMORY)
        if frame is Frame.BROKEN:
            raise Broken(value)
        return (value,)

    def _next(self) -> tuple[Frame, Any]:
        """Wait for what the child says next. Raises: Unfinished, Torn, OSError."""
        self._look()
        try:
            left = self._bounds.answer_megabytes * MEGABYTE - self._said
            frame, data = self._fork.receive(self._look, ASK_SECONDS, left)
        except OverflowError:
            raise self._unfinished(Why.ANSWER) from None
        self._said += len(data)
        return frame, pickle.loads(data)  # noqa: S301 - of a process of our own

    def _look(self) -> None:
        if _called_off.get()():
            raise self._unfinished(Why.STOPPED)
        if monotonic() > self._until:  # its server ends it in time; this is for a server that does not
            raise self._unfinished(Why.TIME)

    def _without(self, error: Exception) -> None:
        """Say how a child ended that gave no answer; nothing is said when there was none. Raises: Unfinished."""
        told = self._fork.end()
        if not told:
            words = "" if self._fork.server.has_served else self._fork.server.last_words()
            log.warning("The server of confined calls is gone: %s", words or error)
            return
        if told["why"] in (Why.TIME, Why.MEMORY):
            raise self._unfinished(Why(told["why"])) from None
        code = told["code"]
        how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
        raise Unfinished(
            Why.CRASH, worded("The process that read it ended by itself ({how}).", how=how)
        ) from None

    def _unfinished(self, why: Why) -> Unfinished:
        most = self._bounds
        said = {
            Why.TIME: worded_count(
                "It took longer than {seconds} second and was ended.",
                "It took longer than {seconds} seconds and was ended.",
                1 if most.seconds == 1 else 2,
                seconds=number(f"{most.seconds:g}"),
            ),
            Why.MEMORY: worded(
                "It took more than {megabytes} MB of memory and was ended.",
                megabytes=number(f"{most.megabytes:,}"),
            ),
            Why.ANSWER: worded(
                "It holds more than {megabytes} MB of names and descriptions.",
                megabytes=number(f"{most.answer_megabytes:,}"),
            ),
            Why.STOPPED: worded("It was stopped."),
            Why.CRASH: worded("It crashed."),
        }
        return Unfinished(why, said[why])


# ---------------------------------------------------------------- the child


def call_do(channel: socket.socket, folder: Path) -> NoReturn:
    """Do what is asked, say what came of it, and end. `folder`, where files go that nobody named, goes with it."""
    folder.mkdir(mode=0o700)
    tempfile.tempdir = str(folder)
    try:
        _, call = frames.receive(channel)
        bounds, function, args, tells = frames.trusted(call)
        _limit(bounds)
        how = {"tell": lambda words: _say(channel, Frame.TOLD, words)} if tells else {}
        _say(channel, Frame.DONE, function(*args, **how))
    except MemoryError:
        _say(channel, Frame.FAILED, None)
    except (BrokenPipeError, Torn):
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - nobody above would see it; the caller raises it
        where = "".join(traceback.format_tb(error.__traceback__)[-4:])
        _say(channel, Frame.BROKEN, f"{type(error).__name__} at\n{where}")
    os._exit(0)


def _limit(bounds: Bounds) -> None:
    """Have the kernel hold the bounds too."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what a library prints may hold what it reads
        os.dup2(quiet, stream)
    warnings.simplefilter("ignore")
    os.nice(NICE)
    data = 2 * bounds.megabytes * MEGABYTE + 500 * MEGABYTE  # reserved is more than used
    seconds = int(bounds.seconds) + 5
    for what, most in (
        (resource.RLIMIT_DATA, data),
        (resource.RLIMIT_FSIZE, bounds.file_megabytes * MEGABYTE),
        (resource.RLIMIT_CPU, seconds * (os.cpu_count() or 1)),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


def _say(channel: socket.socket, frame: Frame, value: Any) -> None:
    frames.send(channel, frame, pickle.dumps(value))
