"""A second language model for the calls that the first one fails.

Decides which faults go to the second and for how long the first is left alone. Retries of one server are its adapter's.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event as Flag
from threading import Lock

from sqlagent.errors import OF_SERVER, Cancelled, LlmDenied, LlmError, LlmRejected
from sqlagent.ports import Llm
from sqlagent.values import LlmReply, LlmRequest

REST_SECONDS = 60.0
"""How long a server that failed is not asked again: every call to it may cost a whole time-out."""

MOST_RESTING = 500
"""Servers that are remembered at once; beyond them the one that rests longest already is forgotten."""


class Rests:
    """Servers that failed of late, by a key, with why in a few words. Threads may share it; it stays small."""

    def __init__(
        self,
        seconds: float = REST_SECONDS,
        most: int = MOST_RESTING,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds, self._most, self._clock = seconds, most, clock
        self._lock, self._until = Lock(), dict[str, tuple[float, str]]()

    def begin(self, key: str, why: str) -> None:
        """Leave a server alone from now on, for as long as rests last, and remember why."""
        with self._lock:
            self._until.pop(key, None)
            self._until[key] = (self._clock() + self._seconds, why)
            while len(self._until) > self._most:
                del self._until[next(iter(self._until))]

    def why(self, key: str) -> str | None:
        """Say why a server is left alone; None where it is not."""
        with self._lock:
            until, why = self._until.get(key, (0.0, ""))
            if self._clock() < until:
                return why
            self._until.pop(key, None)
            return None


class FallbackLlm:
    """An Llm that asks `second` where `first` is silent, busy or broken, or refuses every request; its name is the first's.

    A single request that `first` refuses, for its size or its form, is raised. Where both fail, the first one's
    error is raised; the second one's, while the first is left alone. A reply of the second one says
    so in its `note`. The costs of both add up. `second` may fall back itself.

    The first is left alone for `rest` seconds. With `rests`, which others share, so is the server called `key` by all of them: but
    only for a failure of its own, not for one that may lie in the request.
    """

    def __init__(
        self,
        first: Llm,
        second: Llm,
        *,
        rest: float = REST_SECONDS,
        rests: Rests | None = None,
        key: str = "",
    ) -> None:
        self._first, self._second, self._key = first, second, key
        self._own, self._shared = Rests(rest), rests

    @property
    def name(self) -> str:
        """The first model's name."""
        return self._first.name

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask the first, and the second where that fails. Raises: LlmError, Cancelled."""
        if (why := self._resting()) is not None:
            return self._of_second(request, cancelled, why)
        try:
            return self._first.complete(request, cancelled)
        except LlmError as error:
            if isinstance(error, LlmRejected) and not isinstance(error, LlmDenied):
                raise
            failed = error
        why = failed.short if isinstance(failed, LlmDenied) else ""
        self._own.begin("", why)
        if self._shared is not None and isinstance(failed, OF_SERVER):
            self._shared.begin(self._key, why)
        try:
            reply = self._of_second(request, cancelled, why)
        except LlmError as error:
            failed.usage += error.usage
            raise failed from None
        except Cancelled as error:
            error.usage += failed.usage
            raise
        return replace(reply, usage=reply.usage + failed.usage)

    def _resting(self) -> str | None:
        own = self._own.why("")
        return self._shared.why(self._key) if own is None and self._shared is not None else own

    def _of_second(self, request: LlmRequest, cancelled: Flag | None, why: str) -> LlmReply:
        reply = self._second.complete(request, cancelled)
        who = reply.llm or self._second.name
        because = f" ({why})" if why else ""
        return replace(reply, note=f"{self._first.name} failed{because}, so {who} was asked instead.")
