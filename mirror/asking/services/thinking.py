"""A language model that is waited for without a turn: meanwhile others may work on the source."""

from __future__ import annotations

import threading
from threading import Event as Flag
from typing import TYPE_CHECKING

from django.db import connection

from mirror.work.turns import turn_enter, turn_leave

if TYPE_CHECKING:
    from mirror.work.leases import Lease
    from sqlagent.ports import Llm
    from sqlagent.values import LlmReply, LlmRequest


class ThinkingLlm:
    """A language model for one run: while it is asked the run leaves its turn, and takes it again with the last reply.

    A run that thinks costs threads, and two short writes each time it begins to. Raises: LeaseLost.
    """

    def __init__(self, llm: Llm, lease: Lease, cancelled: Flag) -> None:
        self._llm, self._lease, self._cancelled = llm, lease, cancelled
        self._asked, self._lock = 0, threading.Lock()
        self._home = threading.get_ident()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.name

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask as the model itself does, without a turn."""
        self._begin()
        try:
            return self._llm.complete(request, cancelled)
        finally:
            self._end()

    def _begin(self) -> None:
        with self._lock:
            self._asked += 1
            if self._asked == 1:
                turn_leave(self._lease, is_thinking=True)
                self._go()

    def _end(self) -> None:
        with self._lock:
            self._asked -= 1
            if not self._asked:
                turn_enter(self._lease, self._cancelled, is_thinking=False)
                self._go()

    def _go(self) -> None:
        """Give back the connection of a thread that ends with this call."""
        if threading.get_ident() != self._home:
            connection.close()
