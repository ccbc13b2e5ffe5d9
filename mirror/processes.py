"""Small facts about operating system processes, used by the worker and by `script/serve.py`."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(sign: signal.Signals = signal.SIGKILL) -> None:
    """Ask Linux to send this process `sign` when its parent ends. Elsewhere, do nothing."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(sign))
