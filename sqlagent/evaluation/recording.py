"""Keeps what a language model was asked and replied during one question, as the lines of a run hold it.

Decides the form of an exchange in a run's line (docs/traces.md); `traces` decides the use of runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from threading import Event as Flag
from threading import Lock
from typing import Any

from sqlagent.ports import Llm
from sqlagent.values import LlmReply, LlmRequest


class RecordingLlm:
    """An Llm that keeps every exchange, in the order in which replies came."""

    def __init__(self, llm: Llm) -> None:
        self._llm, self._lock = llm, Lock()
        self.kept: list[tuple[LlmRequest, LlmReply]] = []

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.name

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask once and keep what was said. Raises: LlmError, Cancelled."""
        reply = self._llm.complete(request, cancelled)
        with self._lock:
            self.kept.append((request, reply))
        return reply


def exchanges(kept: Sequence[tuple[LlmRequest, LlmReply]]) -> dict[str, Any]:
    """Give exchanges as data: each system message once, each exchange with the number of its own.

    Example:
        >>> exchanges([])
        {'systems': [], 'exchanges': []}
    """
    systems: list[str] = []
    found: list[dict[str, Any]] = []
    for request, reply in kept:
        system = "\n\n".join(message.text for message in request.messages if message.role == "system")
        if system not in systems:
            systems.append(system)
        found.append(
            {
                "purpose": request.purpose,
                "system": systems.index(system),
                "user": "\n\n".join(m.text for m in request.messages if m.role != "system"),
                "temperature": request.temperature,
                "seed": request.seed,
                "reply": reply.text,
                "prompt_tokens": reply.usage.prompt_tokens,
                "completion_tokens": reply.usage.completion_tokens,
            }
        )
    return {"systems": systems, "exchanges": found}
