"""The server of forks: forks children, watches their memory and time, ends them, tells how.

    python -m sqlagent.forks.server <descriptor> <idle seconds> <module:function> <module or module:function> ...

It is started by exec, has what its children need loaded and has called what is to be called once, and no thread, so that a fork takes a millisecond and is
safe. It speaks with the process that started it over a socket of packets, and ends with it. A child that is
over its memory or its time is killed by SIGKILL; its end is written to a pipe of its own.
"""

from __future__ import annotations

import array
import fcntl
import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlagent.forks.confining import anonymous_bytes, confine

# How often memory is looked at while something runs (seconds), and when it is near its limit or grows fast.
WATCH_EVERY, WATCH_CLOSELY = 0.05, 0.01
# Growth between two looks (bytes) that has the next one come sooner.
FAST_BYTES = 20_000_000
# How often the server looks whether its parent is still there (seconds); the socket tells sooner.
PARENT_EVERY = 5.0
FOLDER = "mirror-children-"
# A folder younger than this may be about to be locked by the server that made it (seconds).
YOUNG_SECONDS = 60.0

# The work of a child: given its channel, and a folder of its own that is not yet there. It does not return.
Door = Callable[[socket.socket, Path], object]


@dataclass
class Watched:
    """One child: its process, and what it may take while it runs something."""

    pid: int
    pidfd: int
    ends: int
    folder: Path
    is_busy: bool = False
    most: int = 0
    until: float = 0.0
    held: int = 0
    peak: int = 0
    why: str = ""


class Server:
    """Serves one process over `control` until that ends, or asks nothing for `idle_seconds` (0: for ever)."""

    def __init__(self, control: socket.socket, door: Door, folder: Path, idle_seconds: float) -> None:
        self._control, self._door, self._folder = control, door, folder
        self._idle_seconds, self._asked = idle_seconds, time.monotonic()
        self._parent = os.getppid()
        self._own = anonymous_bytes()
        self._children: dict[int, Watched] = {}
        self._by_pidfd: dict[int, int] = {}
        self._poll = select.poll()
        self._poll.register(control.fileno(), select.POLLIN)

    def serve(self) -> None:
        """Take what comes, look after the children, return when the parent is gone."""
        pause = PARENT_EVERY
        while os.getppid() == self._parent:
            found = self._poll.poll(pause * 1_000)
            for fileno, _ in found:
                if fileno != self._control.fileno():
                    self._bury(self._by_pidfd[fileno])
                elif not self._take():
                    return
            if not found and self._is_idle():
                return
            pause = self._look()

    def end(self) -> None:
        """Kill the children that are left, and wait for each."""
        for child in self._children.values():
            signal.pidfd_send_signal(child.pidfd, signal.SIGKILL)
        for number in list(self._children):
            self._bury(number)

    def _is_idle(self) -> bool:
        waited = time.monotonic() - self._asked
        return 0 < self._idle_seconds < waited and not self._children

    # ------------------------------------------------------------ what is asked

    def _take(self) -> bool:
        """Take one message; False when nobody sends any more."""
        data, ancillary, _, _ = self._control.recvmsg(4_096, socket.CMSG_SPACE(8))
        if not data:
            return False
        self._asked = time.monotonic()
        given = array.array("i")
        for level, kind, content in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                given.frombytes(content)
        said: dict[str, Any] = json.loads(data)
        number = said["child"]
        if said["do"] == "fork":
            self._fork(number, *given)
        elif child := self._children.get(number):
            self._told(child, said)
        return True

    def _told(self, child: Watched, said: dict[str, Any]) -> None:
        if said["do"] == "begin":
            child.is_busy, child.held, child.peak = True, 0, 0
            child.until = said["until"] if "until" in said else time.monotonic() + said["seconds"]
            child.most = said["most"] if "most" in said else self._own + said["more"]
        elif said["do"] == "end":
            child.is_busy = False
        elif said["do"] == "stop":
            child.until = min(child.until, said["until"])
        else:
            _kill(child, "left")

    def _fork(self, number: int, channel: int, ends: int) -> None:
        """Fork a child that serves `channel`; `ends` is where its end is written."""
        server = os.getpid()
        folder = self._folder / str(number)
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                confine(server)
                for child in self._children.values():
                    os.close(child.pidfd)
                    os.close(child.ends)
                os.close(ends)
                self._control.close()
                self._door(socket.socket(fileno=channel), folder)
            finally:
                os._exit(status)
        os.close(channel)
        pidfd = os.pidfd_open(pid)
        self._children[number] = Watched(pid, pidfd, ends, folder)
        self._by_pidfd[pidfd] = number
        self._poll.register(pidfd, select.POLLIN)

    # ------------------------------------------------------------ looking after them

    def _look(self) -> float:
        """Kill what is over its limits; tell when to look again (seconds)."""
        now = time.monotonic()
        pause = PARENT_EVERY
        for child in self._children.values():
            if not child.is_busy or child.why:
                continue
            before, child.held = child.held, _held(child)
            child.peak = max(child.peak, child.held)
            if child.held > child.most:
                _kill(child, "memory")
            elif now > child.until:
                _kill(child, "time")
            is_close = child.held > child.most // 2 or child.held - before > FAST_BYTES
            pause = min(pause, WATCH_CLOSELY if is_close else WATCH_EVERY)
        return pause

    def _bury(self, number: int) -> None:
        """Reap a child that has ended, remove what it spilled, and say how it ended."""
        child = self._children.pop(number)
        self._poll.unregister(child.pidfd)
        del self._by_pidfd[child.pidfd]
        _, status = os.waitpid(child.pid, 0)
        os.close(child.pidfd)
        code = os.waitstatus_to_exitcode(status)
        # One that crashed before it could be killed has crashed.
        why = child.why if code == -signal.SIGKILL else ""
        shutil.rmtree(child.folder, ignore_errors=True)
        told = {"code": code, "why": why, "peak": child.peak}
        with suppress(OSError):  # nobody wants to know
            os.write(child.ends, json.dumps(told).encode())
        os.close(child.ends)


def _held(child: Watched) -> int:
    try:
        return anonymous_bytes(child.pid)
    except (OSError, ValueError):  # it has just ended
        return 0


def _kill(child: Watched, why: str) -> None:
    child.why = child.why or why
    signal.pidfd_send_signal(child.pidfd, signal.SIGKILL)


def folder_made() -> tuple[Path, int]:
    """Make a folder for what children spill, locked while this process lives; remove those of the dead."""
    made = Path(tempfile.mkdtemp(prefix=FOLDER))
    lock = os.open(made, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    for other in made.parent.glob(f"{FOLDER}*"):
        try:
            theirs = os.open(other, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:  # somebody else's
            continue
        try:
            if time.time() - os.fstat(theirs).st_mtime < YOUNG_SECONDS:
                continue
            fcntl.flock(theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(other, ignore_errors=True)
        except OSError:
            continue
        finally:
            os.close(theirs)
    return made, lock


def door_named(name: str) -> Door:
    """Give the function that "module:function" names. Raises: ImportError, AttributeError."""
    module, _, function = name.partition(":")
    found: Door = getattr(importlib.import_module(module), function)
    return found


def _prepare(name: str) -> None:
    """Load a module; "module:function" is called besides. Raises: ImportError, AttributeError."""
    module, _, function = name.partition(":")
    loaded = importlib.import_module(module)
    if function:
        getattr(loaded, function)()


def main() -> None:
    """Serve the process at the other end of the socket whose descriptor is given."""
    descriptor, idle_seconds, door, *modules = sys.argv[1:]
    control = socket.socket(fileno=int(descriptor))
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    opened = door_named(door)
    for name in modules:
        _prepare(name)
    # So far our parent could read why we do not start. Nobody reads the output of a crashing child.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    gc.collect()
    gc.freeze()
    folder, _ = folder_made()
    server = Server(control, opened, folder, float(idle_seconds))
    try:
        server.serve()
    finally:
        server.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
    # A driver's own clean-up has nothing to clean: it never opened anything.
    os._exit(0)
