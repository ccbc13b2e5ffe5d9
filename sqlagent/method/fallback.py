"""A second language model for the calls that the first one fails.

Decides which faults go to the second and for how long the first is left alone. Retries of one server are its adapter's.
"""

from __future__ import annotations

import time
from dataclasses import replace
from threading import Event as Flag
from threading import Lock

from sqlagent.errors import Cancelled, LlmError, LlmRejected
from sqlagent.ports import Llm
from sqlagent.values import LlmReply, LlmRequest

REST_SECONDS = 60.0
"""How long a server that failed is not asked again: every call to it may cost a whole time-out."""


class FallbackLlm:
    """An Llm that asks `second` where `first` is silent, busy or broken; its name is the first's.

    A request or a key that `first` refuses is a mistake to be mended, and is raised. Where both fail, the first one's
    error is raised; the second one's, while the first is left alone for `rest` seconds. A reply of the second one says
    so in its `note`. What both cost counts together. `second` may fall back itself.
    """

    def __init__(self, first: Llm, second: Llm, *, rest: float = REST_SECONDS) -> None:
        self._first, self._second, self._rest = first, second, rest
        self._lock, self._until = Lock(), 0.0

    @property
    def name(self) -> str:
        """The first model's name."""
        return self._first.name

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask the first, and the second where that fails. Raises: LlmError, Cancelled."""
        with self._lock:
            is_resting = time.monotonic() < self._until
        if is_resting:
            return self._of_second(request, cancelled)
        try:
            return self._first.complete(request, cancelled)
        except LlmRejected:
            raise
        except LlmError as error:
            failed = error
        with self._lock:
            self._until = time.monotonic() + self._rest
        try:
            reply = self._of_second(request, cancelled)
        except LlmError as error:
            failed.usage += error.usage
            raise failed from None
        except Cancelled as error:
            error.usage += failed.usage
            raise
        return replace(reply, usage=reply.usage + failed.usage)

    def _of_second(self, request: LlmRequest, cancelled: Flag | None) -> LlmReply:
        reply = self._second.complete(request, cancelled)
        who = reply.llm or self._second.name
        return replace(reply, note=f"{self._first.name} failed, so {who} was asked instead.")
