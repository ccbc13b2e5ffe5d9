"""What is said to a language model, and what it says."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Usage:
    """What an answer cost."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True)
class LlmMessage:
    """One message to a language model; `role` is `system`, `user` or `assistant`."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class LlmRequest:
    """Everything that makes a call: messages and how to sample. `purpose` names the stage for logs."""

    messages: tuple[LlmMessage, ...]
    temperature: float = 0.0
    max_tokens: int = 2_000
    seed: int | None = None
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class LlmReply:
    """What came back, and what it cost; `note` is what the reader of the run should know of how it came."""

    text: str
    usage: Usage = field(default_factory=Usage)
    note: str = ""
