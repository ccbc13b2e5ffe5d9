"""Facts of processes from the system: the children of a process, their commands, their resources."""

from __future__ import annotations

import os
from pathlib import Path


def below(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have, and so on."""
    found = []
    try:
        tasks = list(Path(f"/proc/{pid}/task").glob("*/children"))
    except OSError:  # it has just ended
        return []
    for task in tasks:
        try:
            children = [int(child) for child in task.read_text().split()]
        except OSError:
            continue
        for child in children:
            found += [child, *below(child)]
    return found


def command(pid: int) -> bytes:
    """The command line of a process; nothing when it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def parent(pid: int) -> int:
    """The parent of a process; 0 when it is gone."""
    fields = _fields(pid)
    return int(fields[1]) if fields else 0


def runs(pid: int) -> bool:
    """Whether a process has not ended: one that has, and whose parent has not asked for its code yet, does not run."""
    fields = _fields(pid)
    return bool(fields) and fields[0] not in "ZX"


def seconds_used(pid: int) -> float:
    """Seconds of a processor that a process has taken; 0 when it is gone."""
    fields = _fields(pid)
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if fields else 0.0


def _fields(pid: int) -> list[str]:
    """Fields after the name in a process's line: its state, its parent and so on."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []
