"""Permissions of Mirror's files: its own user alone may read them.

Every process sets the umask when it reads the settings; the next `script/server` closes files that an earlier start
left open. A file for others to fetch (`machine_mode`) gets the permissions of the machine's own umask.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

# Rights of the group and of others: none.
OTHERS = 0o077
# The variable that tells processes we start which umask was there before ours.
BEFORE = "MIRROR_UMASK_BEFORE"


def umask_set() -> None:
    """Let files made from now on be readable by this user alone."""
    os.environ.setdefault(BEFORE, oct(os.umask(OTHERS)))


def machine_mode(path: Path) -> None:
    """Give a file or folder the permissions it would have without our umask, where the disk knows any."""
    before = int(os.environ.get(BEFORE, oct(OTHERS)), 8)
    with suppress(OSError):
        path.chmod((0o777 if path.is_dir() else 0o666) & ~before)


def too_open(folder: Path) -> Iterator[Path]:
    """Everything in a folder, and itself, that others may read, write or enter. Links are not followed."""
    if _is_open(folder):
        yield folder
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = Path(place, name)
            if _is_open(path):
                yield path


def tighten(folder: Path) -> tuple[int, list[Path]]:
    """Take from others what they may do in a folder. Return how much was closed, and what could not be."""
    closed, left = 0, []
    for path in too_open(folder):
        try:
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~OTHERS)
            closed += 1
        except FileNotFoundError:
            continue
        except OSError:
            left.append(path)
    return closed, left


def _is_open(path: Path) -> bool:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return False
    return not stat.S_ISLNK(mode) and bool(mode & OTHERS)
