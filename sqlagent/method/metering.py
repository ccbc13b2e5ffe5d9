"""Counts what an LLM costs a question, and stops it at the budget.

One meter stands before the LLM for the whole run, so that every stage's calls are counted
in the same place and none can spend what is not there.
"""

from __future__ import annotations

from threading import Event as Flag
from threading import Lock

from sqlagent.errors import LlmError
from sqlagent.ports import Llm
from sqlagent.values import Budget, LlmReply, LlmRequest, Usage


class BudgetSpent(LlmError):
    """The question has used the calls or tokens it may cost."""


class MeteredLlm:
    """An Llm that counts: `usage` grows with every call, `sent` keeps what left the house, `notes` what replies noted.

    Raises `BudgetSpent` instead of calling once `budget.calls` or `budget.tokens` are used.
    """

    def __init__(self, llm: Llm, budget: Budget) -> None:
        self._llm, self._budget, self._lock = llm, budget, Lock()
        self.usage = Usage()
        self.sent: list[LlmRequest] = []
        self.notes: list[str] = []

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.name

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask once, within the budget. Raises: BudgetSpent, LlmError, Cancelled."""
        with self._lock:
            tokens = self.usage.prompt_tokens + self.usage.completion_tokens
            if len(self.sent) >= self._budget.calls or tokens >= self._budget.tokens:
                raise BudgetSpent("The budget of this question for the language model is used up.")
            self.sent.append(request)
        reply = self._llm.complete(request, cancelled)
        with self._lock:
            self.usage += reply.usage
            if reply.note and reply.note not in self.notes:
                self.notes.append(reply.note)
        return reply
