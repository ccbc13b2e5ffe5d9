"""Limits of a forked process: acts that are closed to it, and its memory."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from pathlib import Path

# The size of any one file that a child writes (bytes), unless it is bounded further.
FILE_BYTES = 10_000_000_000

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38


def anonymous_bytes(pid: int | str = "self") -> int:
    """Tell the resident memory of a process that is no file's. Raises: OSError when it is gone."""
    with open(f"/proc/{pid}/statm", "rb") as file:
        _, resident, shared, *_ = map(int, file.read().split())
    return (resident - shared) * resource.getpagesize()


def confine(server: int) -> None:
    """End with the server, be the first to go when memory is short, leave no core, gain no rights."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if os.getppid() != server:
        os._exit(0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    if most == resource.RLIM_INFINITY or most > FILE_BYTES:
        resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    try:
        Path("/proc/self/oom_score_adj").write_text("1000")
    except OSError:  # not ours to say in some containers
        return
