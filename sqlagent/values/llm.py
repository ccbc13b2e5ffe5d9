"""Messages to a language model, and its replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """The cost of an answer.

    `cached_tokens` are those of `prompt_tokens` that the server read from its cache, as far as it tells; `money` is in
    the currency of the prices it was reckoned with. `estimated_tokens` are those of both kinds that no server counted, at four characters each:
    what it does not tell, and prompts of calls that came to nothing though the server may have read them.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    cached_tokens: int = 0
    money: float = 0.0
    estimated_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
            self.cached_tokens + other.cached_tokens,
            self.money + other.money,
            self.estimated_tokens + other.estimated_tokens,
        )


@dataclass(frozen=True, slots=True)
class Prices:
    """The cost of a million tokens of a model: of prompts, of prompts read from its cache, of replies."""

    prompt: float = 0.0
    cached: float = 0.0
    reply: float = 0.0

    @classmethod
    def read(cls, text: str) -> Prices:
        """Read "prompt, reply" or "prompt, cached prompt, reply"; nothing costs nothing. Raises: ValueError.

        Example:
            >>> Prices.read("2.5, 10"), Prices.read("3, 0.3, 15").cached, Prices.read("")
            (Prices(prompt=2.5, cached=2.5, reply=10.0), 0.3, Prices(prompt=0.0, cached=0.0, reply=0.0))
        """
        if not text.strip():
            return cls()
        figures = [float(part) for part in text.split(",")]
        if len(figures) not in (2, 3) or not all(0 <= figure < float("inf") for figure in figures):
            raise ValueError("Prices are two or three numbers, none below 0.")
        return cls(figures[0], figures[-2], figures[-1])

    def of(self, usage: Usage) -> float:
        """Reckon what tokens cost.

        Example:
            >>> Prices(2.0, 1.0, 10.0).of(Usage(1, 1_000_000, 100_000, cached_tokens=500_000))
            2.5
        """
        fresh = usage.prompt_tokens - usage.cached_tokens
        paid = fresh * self.prompt + usage.cached_tokens * self.cached + usage.completion_tokens * self.reply
        return paid / 1_000_000


@dataclass(frozen=True, slots=True)
class LlmMessage:
    """One message to a language model; `role` is `system`, `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """Everything that makes a call: messages and how to sample. `purpose` names the stage for logs.

    `schema` is the JSON schema that the reply should follow, where the server can see to it; whether it did is not
    known. Of the words in `choices` the reply should tell how probable each was as its first. `patience` is how many
    seconds may be waited for another try; None leaves it to the adapter.
    """

    messages: tuple[LlmMessage, ...]
    temperature: float = 0.0
    max_tokens: int = 2_000
    seed: int | None = None
    purpose: str = ""
    schema: Mapping[str, Any] | None = None
    choices: tuple[str, ...] = ()
    patience: float | None = None


@dataclass(frozen=True, slots=True)
class LlmReply:
    """The reply, and what it cost; `note` is what the reader of the run should know of how it came.

    `llm` is the name of the model that replied: of several, not always the first one's. `chances` are the probabilities of the request's `choices`; empty where the server told none.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    note: str = ""
    chances: Mapping[str, float] = field(default_factory=dict)
    llm: str = ""
