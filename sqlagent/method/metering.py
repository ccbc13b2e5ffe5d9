"""Counts what an LLM costs a question, and stops it at the budget.

One meter stands before the LLM for the whole run, so that every stage's calls are counted
in the same place and none can spend what is not there.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from threading import Event as Flag
from threading import Lock
from time import monotonic

from sqlagent.errors import BudgetSpent, Cancelled, LlmError
from sqlagent.ports import Llm
from sqlagent.values import Budget, LlmReply, LlmRequest, Usage


@dataclass(slots=True)
class Spent:
    """The cost of a question so far; `refused` counts the calls that the budget did not allow."""

    usage: Usage = field(default_factory=Usage)
    sent: list[LlmRequest] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    refused: int = 0
    began: float = field(default_factory=monotonic)
    lock: Lock = field(default_factory=Lock)


class MeteredLlm:
    """An Llm that counts: `usage` grows with every call, also with those in vain, `sent` keeps what left the house, `notes` what replies noted.

    Raises `BudgetSpent` instead of calling once the calls, tokens or money of the budget are used; calls on their way
    are finished. No call waits for another try beyond the question's time. With `beside`, the calls of another
    model count together with those of that meter.
    """

    def __init__(self, llm: Llm, budget: Budget, *, beside: MeteredLlm | None = None) -> None:
        self._llm, self._budget = llm, budget
        self._spent: Spent = beside._spent if beside is not None else Spent()

    @property
    def name(self) -> str:
        """The model's name."""
        return self._llm.name

    @property
    def usage(self) -> Usage:
        """The cost of all calls so far: calls, tokens and money."""
        return self._spent.usage

    @property
    def sent(self) -> list[LlmRequest]:
        """The requests made, in order."""
        return self._spent.sent

    @property
    def notes(self) -> list[str]:
        """The notes of replies, each once."""
        return self._spent.notes

    @property
    def faults(self) -> list[str]:
        """Why calls failed, each reason once, in words for who runs the servers: they may name addresses."""
        return self._spent.faults

    def _fault_keep(self, error: LlmError) -> None:
        """Keep why a call failed."""
        with self._spent.lock:
            if str(error) not in self._spent.faults:
                self._spent.faults.append(str(error))

    @property
    def is_spent(self) -> bool:
        """Whether a call was refused for want of budget."""
        return self._spent.refused > 0

    @property
    def told(self) -> str:
        """The cause of a spent budget, in words; empty while there is some left.

        Example:
            >>> from sqlagent.testing import ScriptedLlm
            >>> MeteredLlm(ScriptedLlm("x"), Budget(tokens=0)).told
            'The budget of this question for the language model is used up (0 of 0 tokens).'
        """
        spent, budget = self._spent, self._budget
        tokens = spent.usage.prompt_tokens + spent.usage.completion_tokens
        if len(spent.sent) >= budget.calls:
            used = f"{len(spent.sent):,} of {budget.calls:,} calls"
        elif tokens >= budget.tokens:
            used = f"{tokens:,} of {budget.tokens:,} tokens"
        elif budget.money is not None and spent.usage.money >= budget.money:
            used = f"{spent.usage.money:.4g} of {budget.money:.4g} in money"
        else:
            return ""
        return f"The budget of this question for the language model is used up ({used})."

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask once, within the budget. Raises: BudgetSpent, LlmError, Cancelled."""
        spent = self._spent
        with spent.lock:
            if told := self.told:
                spent.refused += 1
                raise BudgetSpent(told)
            spent.sent.append(request)
        patience = max(0.0, self._budget.seconds - (monotonic() - spent.began))
        try:
            reply = self._llm.complete(replace(request, patience=patience), cancelled)
        except (LlmError, Cancelled) as error:
            with spent.lock:
                spent.usage += error.usage
            if isinstance(error, LlmError):
                self._fault_keep(error)
            raise
        with spent.lock:
            spent.usage += reply.usage
            if reply.note and reply.note not in spent.notes:
                spent.notes.append(reply.note)
        return reply
