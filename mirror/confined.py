"""Run a function in a process of its own, within bounds of time, memory and disk.

What strangers send (files, the answers of foreign servers) is read there: what is made to take all memory or
to crash its reader ends that one call, in plain words, and nobody else's work.

A server with the libraries loaded is started once by each process that calls, and goes with it. It has one
thread, so that forking it is safe. For each call it forks a *keeper*, and that a child which does the work.
The keeper looks every 20 ms at the child's memory and at the clock and kills it when it has had enough. A
call takes some 10 ms, the first of a process 0.9 s (measured 2026-11).
"""

from __future__ import annotations

import atexit
import gc
import importlib
import logging
import os
import pickle
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import monotonic
from typing import Any, NoReturn, TypeVar

from mirror.processes import die_with_parent

log = logging.getLogger(__name__)

MEGABYTE = 1_000_000
# How often a keeper looks at its child: what fills memory as fast as it can (2 GB a second) gets 40 MB further.
LOOK_SECONDS = 0.02
# How often whoever waits looks whether it was called off.
ASK_SECONDS = 0.1
# A server that nobody called for this long ends, unless it was asked to stay; the next call starts another.
IDLE_SECONDS = 300.0
# Children give way to what makes pages, by this much.
NICE = 5
_PAGE = resource.getpagesize()

Answer = TypeVar("Answer")

_called_off: ContextVar[Callable[[], bool]] = ContextVar("called_off", default=lambda: False)


class Why(StrEnum):
    """What ended a call that gave no answer."""

    TIME = "time"
    MEMORY = "memory"
    ANSWER = "answer"
    CRASH = "crash"
    STOPPED = "stopped"


class Unfinished(Exception):
    """A call was ended before it had an answer; the message is fit to be shown."""

    def __init__(self, why: Why, message: str) -> None:
        super().__init__(message)
        self.why = why


class Broken(RuntimeError):
    """A function raised what nobody expected of it; the message says where, without what it was reading."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a call may take: seconds, memory, its answer, and any one file that it writes (megabytes)."""

    seconds: float
    megabytes: int
    answer_megabytes: int = 32
    file_megabytes: int = 0


# ---------------------------------------------------------------- who calls


def run(
    function: Callable[..., Answer],
    *args: Any,
    bounds: Bounds,
    tell: Callable[[str], None] | None = None,
) -> Answer:
    """Call a function of a module in a process of its own, and give what it gives.

    Function, arguments and answer must be what pickle takes. With `tell` the function is given a `tell` too,
    whose words arrive here. What it raises on purpose it should return instead. Raises: Unfinished, also when
    it is called off (`called_off_when`); Broken when it raised.
    """
    call = pickle.dumps((function, args, tell is not None))
    for is_last in (False, True):
        with closing(_Call(bounds)) as waiting:
            found = waiting.answer(call, tell)
            if found is not None:
                answer: Answer = found[0]
                return answer
        if is_last:
            break
        _server.forget()
    raise Unfinished(Why.CRASH, "The process that reads it could not be started.")


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
    _server.modules = (*_server.modules, *(name for name in modules if name not in _server.modules))


def stay_ready() -> None:
    """Start this process's server now and keep it, so that the first call is as fast as the others."""
    _server.idle_seconds = 0.0
    with suppress(OSError):
        _server.hand_over()


class _Server:
    """This process's server: started when it is first needed, and again when it is gone."""

    def __init__(self) -> None:
        self.modules: tuple[str, ...] = ()
        self.idle_seconds = IDLE_SECONDS
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def hand_over(self, *files: int) -> None:
        """Give it the ends of a call's connections. Raises: OSError."""
        with self._lock:
            if self._socket is None or self._owner != os.getpid():
                self._start()
            assert self._socket is not None
            if files:
                socket.send_fds(self._socket, [b"c"], list(files))

    def forget(self) -> None:
        """Start another one next time; this one is gone."""
        with self._lock:
            if self._socket is not None:
                self._socket.close()
            self._socket = None

    def _end(self) -> None:
        """Let it end, before this process does."""
        if self._owner != os.getpid() or self._process is None:
            return
        self.forget()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)

    def _start(self) -> None:
        if self._process is not None and self._owner == os.getpid():
            self._process.poll()
        elif self._owner == 0:
            atexit.register(self._end)
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-c", "from mirror.confined import main; main()"),
                    *(str(theirs.fileno()), str(self.idle_seconds), *self.modules),
                ],
                cwd=Path(__file__).resolve().parent.parent,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self._socket, self._owner = ours, os.getpid()


_server = _Server()


class _Call:
    """One call as its caller sees it: two connections to a keeper and its child."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self._control, self._theirs = socket.socketpair()
        self._answer, self._writes = socket.socketpair()

    def close(self) -> None:
        """Let go; a child that still works is killed by its keeper then."""
        for end in (self._control, self._theirs, self._answer, self._writes):
            end.close()

    def answer(self, call: bytes, tell: Callable[[str], None] | None) -> tuple[Any] | None:
        """Wait for the answer, in a tuple; None when there was no server. Raises: Unfinished, Broken."""
        try:
            _server.hand_over(self._theirs.fileno(), self._writes.fileno())
            self._theirs.close()
            self._writes.close()
            _send(self._control, pickle.dumps(self._bounds))
            _send(self._control, call)
        except OSError as error:
            log.warning("The server of confined calls is gone: %s", error)
            return None
        for kind, value in self._frames(_called_off.get()):
            if kind == "told" and tell is not None:
                tell(str(value))
            elif kind == "done":
                return (value,)
            elif kind == "memory":
                raise self._unfinished(Why.MEMORY)
            elif kind == "broke":
                raise Broken(value)
        self._without()
        return None

    def _frames(self, is_over: Callable[[], bool]) -> Iterator[tuple[str, Any]]:
        """What the child says, until it has nothing more to say."""
        held, most = bytearray(), self._bounds.answer_megabytes * MEGABYTE
        said = 0
        while True:
            if is_over():
                raise self._unfinished(Why.STOPPED)
            if not _is_readable(self._answer, ASK_SECONDS):
                continue
            part = self._answer.recv(1 << 20)
            if not part:
                return
            said += len(part)
            if said > most:
                raise self._unfinished(Why.ANSWER)
            held += part
            while len(held) >= 8 and len(held) >= 8 + (size := struct.unpack_from("<Q", held)[0]):
                frame = pickle.loads(bytes(held[8 : 8 + size]))  # noqa: S301 - of a process of our own
                del held[: 8 + size]
                yield frame

    def _without(self) -> None:
        """Say how a child ended that gave no answer; nothing is said when there was none. Raises: Unfinished."""
        self._control.settimeout(5)
        try:
            how = self._control.recv(64).decode()
        except OSError:
            how = ""
        if not how:
            return
        if how in (Why.TIME, Why.MEMORY, Why.STOPPED):
            raise self._unfinished(Why(how))
        raise Unfinished(Why.CRASH, f"The process that read it ended by itself ({how}).")

    def _unfinished(self, why: Why) -> Unfinished:
        return Unfinished(
            why,
            {
                Why.TIME: f"It took longer than {self._bounds.seconds:g} second{'s' * (self._bounds.seconds != 1)} and was ended.",
                Why.MEMORY: f"It took more than {self._bounds.megabytes:,} MB of memory and was ended.",
                Why.ANSWER: f"It holds more than {self._bounds.answer_megabytes:,} MB of names and descriptions.",
                Why.STOPPED: "It was stopped.",
                Why.CRASH: "It crashed.",
            }[why],
        )


def _is_readable(end: socket.socket, seconds: float) -> bool:
    poll = select.poll()
    poll.register(end, select.POLLIN)
    return bool(poll.poll(seconds * 1_000))


def _send(end: socket.socket, data: bytes) -> None:
    end.sendall(struct.pack("<Q", len(data)) + data)


def _receive(end: socket.socket) -> bytes:
    """Read what `_send` sent. Raises: EOFError."""
    return _exactly(end, struct.unpack("<Q", _exactly(end, 8))[0])


def _exactly(end: socket.socket, size: int) -> bytes:
    held = bytearray()
    while len(held) < size:
        part = end.recv(min(size - len(held), 1 << 20))
        if not part:
            raise EOFError
        held += part
    return bytes(held)


# ---------------------------------------------------------------- the server, its keepers and their children


def _serve(listening: socket.socket, idle_seconds: float) -> None:
    """Fork a keeper for each call until whoever calls is gone, or calls no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # keepers report to who called, not to us
    while not idle_seconds or _is_readable(listening, idle_seconds):
        data, files, _, _ = socket.recv_fds(listening, 1, 2)
        if not data:
            return
        if len(files) == 2 and os.fork() == 0:
            listening.close()
            try:
                _keep(socket.socket(fileno=files[0]), socket.socket(fileno=files[1]))
            finally:
                os._exit(1)
        for file in files:
            os.close(file)


def _keep(control: socket.socket, writes: socket.socket) -> NoReturn:
    """Start the child of one call, keep it within its bounds, and say how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        bounds: Bounds = pickle.loads(_receive(control))  # noqa: S301 - of who started us
        call = _receive(control)
    except (EOFError, OSError):
        os._exit(0)
    child = os.fork()
    if child == 0:
        control.close()
        try:
            _work(writes, bounds, call)
        finally:
            os._exit(1)
    writes.close()
    how = _watched(child, bounds, control)
    with suppress(OSError):
        control.sendall(how.encode())
    os._exit(0)


def _watched(child: int, bounds: Bounds, control: socket.socket) -> str:
    """Wait for a child; kill it when it takes too much or nobody waits any more."""
    until, most = monotonic() + bounds.seconds, bounds.megabytes * MEGABYTE
    while True:
        is_let_go = _is_readable(control, LOOK_SECONDS)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return signal.Signals(-code).name if code < 0 else f"exit status {code}"
        why = ""
        if is_let_go:
            why = Why.STOPPED
        elif _resident(child) > most:
            why = Why.MEMORY
        elif monotonic() > until:
            why = Why.TIME
        if why:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return why


def _resident(pid: int) -> int:
    """Bytes of memory that a process holds; 0 when it is gone or the system does not tell."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _work(writes: socket.socket, bounds: Bounds, call: bytes) -> NoReturn:
    """Do what was asked for, say what came of it, and end."""
    die_with_parent()
    _limit(bounds)
    try:
        function, args, tells = pickle.loads(call)  # noqa: S301 - of who started us
        how = {"tell": lambda words: _say(writes, "told", words)} if tells else {}
        _say(writes, "done", function(*args, **how))
    except MemoryError:
        _say(writes, "memory", None)
    except BrokenPipeError:
        os._exit(0)
    except BaseException as error:  # noqa: BLE001 - nobody above would see it; the caller raises it
        where = "".join(traceback.format_tb(error.__traceback__)[-4:])
        _say(writes, "broke", f"{type(error).__name__} at\n{where}")
    os._exit(0)


def _limit(bounds: Bounds) -> None:
    """Have the kernel hold the bounds too, and choose this process first when the machine has no memory left."""
    quiet = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):  # what a library prints may hold what it reads
        os.dup2(quiet, stream)
    warnings.simplefilter("ignore")
    os.nice(NICE)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    data = 2 * bounds.megabytes * MEGABYTE + 500 * MEGABYTE  # reserved is more than used
    seconds = int(bounds.seconds) + 5
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, data),
        (resource.RLIMIT_FSIZE, bounds.file_megabytes * MEGABYTE),
        (resource.RLIMIT_CPU, seconds * (os.cpu_count() or 1)),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(what, (most, most))


def _say(writes: socket.socket, kind: str, value: Any) -> None:
    _send(writes, pickle.dumps((kind, value)))


def main() -> None:
    """Be the server, told by its arguments the number of its socket, when to end, and what to load."""
    number, idle, *modules = sys.argv[1:]
    for name in modules:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    with socket.socket(fileno=int(number)) as listening:
        _serve(listening, float(idle))
    os._exit(0)  # what libraries do at the end of a process is for nobody, and some complain then
