"""Threads for calls of programs, which keep their connection of the store from one call to the next.

Opening the store anew took a quarter of a call of the API (29 November 2026, `python -m tests.web.bench_api`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import count
from typing import TypeVar

from django.db import close_old_connections, connections

T = TypeVar("T")

# Calls that are answered at once; agents wait for answers in some of them. So many threads at most keep a connection.
THREADS, KEPT = 64, 8
# How long a connection is kept (seconds). One that fails or is not whole any more goes at once.
SECONDS = 60


class StoreThreads:
    """A bounded number of threads. A call gets a copy of the caller's context, and leaves no transaction behind."""

    def __init__(self) -> None:
        self._numbers = count()
        self._threads = ThreadPoolExecutor(THREADS, "store", self._begin)

    async def do(self, act: Callable[..., T], *args: object) -> T:
        """Call in a thread what reads or writes the store."""
        context = copy_context()
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, lambda: context.run(_called, act, *args)
        )

    def end(self) -> None:
        """End the threads, and their connections with them."""
        self._threads.shutdown()

    def _begin(self) -> None:
        """Say of this thread's connections how long they are kept; a pool of Django's own keeps them by itself."""
        if next(self._numbers) >= KEPT:
            return
        for alias in connections:
            connection = connections[alias]
            if not connection.settings_dict["OPTIONS"].get("pool"):
                kept = {"CONN_MAX_AGE": SECONDS, "CONN_HEALTH_CHECKS": True}
                connection.settings_dict = {**connection.settings_dict, **kept}


def _called(act: Callable[..., T], *args: object) -> T:
    close_old_connections()  # one that waited for this call may be too old by now
    try:
        return act(*args)
    finally:
        close_old_connections()
