"""Following a run as it goes on: how often the store is looked at, and a server-sent event as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from django.db import close_old_connections

# How often the store is looked at, and how often a silent stream says that it lives.
POLL_SECONDS = 0.15
ALIVE_SECONDS = 10.0
ALIVE = ": still here\n\n"

T = TypeVar("T")


async def store_read(read: Callable[..., T], *args: Any) -> T:
    """Read from the store in a thread of a shared few and give the connection back: a stream is long."""

    def once() -> T:
        try:
            return read(*args)
        finally:
            close_old_connections()

    return await sync_to_async(once, thread_sensitive=False)()


def message(event: str, mark: str, text: str) -> str:
    """One server-sent event.

    Example:
        >>> message("steps", "running-1-2", "<p>one</p>\\n<p>two</p>")
        'id: running-1-2\\nevent: steps\\ndata: <p>one</p>\\ndata: <p>two</p>\\n\\n'
    """
    lines = "".join(f"data: {line}\n" for line in text.splitlines() or [""])
    return f"id: {mark}\nevent: {event}\n{lines}\n"
