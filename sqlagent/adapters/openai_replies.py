"""The text and the cost of a chat completion, in the shapes of several servers.

Decides where text, probabilities and counts stand. Thoughts that come in fields of their own (`reasoning_content`,
`reasoning`, parts of type `thinking`) are never text; those inside the text are the readers' business.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import exp
from typing import Any

from sqlagent.errors import LlmError
from sqlagent.values import LlmRequest, Usage

NO_COMPLETION = "The language model replied with something that is no chat completion."


def text_of(completion: Any) -> str:
    """Read the text of the first choice. Raises: LlmError for what is no chat completion, or has thoughts alone."""
    choice = _choice(completion)
    message = choice.get("message")
    message = message if isinstance(message, dict) else {}
    text = _joined(message.get("content")) or _said(choice.get("text"))
    if text.strip():
        return text
    if refusal := _said(message.get("refusal")):
        raise LlmError(f"The language model declined to reply: {' '.join(refusal.split())[:200]}")
    finish = choice.get("finish_reason")
    if finish == "length":
        raise LlmError("The language model used up its tokens before it came to an answer.")
    if finish == "content_filter":
        raise LlmError("A filter of the language model's server held the reply back.")
    if message.get("reasoning_content") or message.get("reasoning"):
        raise LlmError("The language model thought and gave no answer.")
    return text


CHARS = 4
"""Characters of a token, where tokens are estimated."""


def prompt_estimate(request: LlmRequest) -> int:
    """Estimate the tokens of a prompt from its characters."""
    return sum(len(message.text) for message in request.messages) // CHARS


def usage_of(completion: Any, request: LlmRequest, text: str, seconds: float) -> Usage:
    """Read what a call cost; tokens that the server does not count are estimated at four characters each."""
    usage = completion.get("usage") if isinstance(completion, dict) else None
    usage = usage if isinstance(usage, dict) else {}
    prompt, reply = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    estimated = 0
    if prompt is None:
        estimated += (prompt := prompt_estimate(request))
    if reply is None:
        estimated += (reply := len(text) // CHARS)
    details = usage.get("prompt_tokens_details")
    told = (
        details.get("cached_tokens") if isinstance(details, dict) else None,
        usage.get("prompt_cache_hit_tokens"),  # DeepSeek
        usage.get("cache_read_input_tokens"),  # gateways to Anthropic
    )
    cached = next((count for one in told if (count := _count(one)) is not None), 0)
    return Usage(1, prompt, reply, seconds, min(cached, prompt), estimated_tokens=estimated)


def chances_of(completion: Any, words: tuple[str, ...]) -> dict[str, float]:
    """Read how probable each of some words was where the reply first says one of them; empty where that is not told.

    Example:
        >>> top = [{"token": " Yes", "logprob": -0.1054}, {"token": "no", "logprob": -2.3026}]
        >>> place = {"token": "Yes", "logprob": -0.1054, "top_logprobs": top}
        >>> found = chances_of({"choices": [{"logprobs": {"content": [place]}}]}, ("yes", "no"))
        >>> {word: round(chance, 2) for word, chance in found.items()}
        {'yes': 0.9, 'no': 0.1}
    """
    logprobs = _choice(completion).get("logprobs")
    places = logprobs.get("content") if isinstance(logprobs, dict) else None
    for place in _objects(places):
        found: dict[str, float] = {}
        for one in _objects(place.get("top_logprobs")) or [place]:
            word, logprob = _bare(one.get("token")), one.get("logprob")
            if word in words and isinstance(logprob, int | float) and logprob <= 0:
                found[word] = min(1.0, found.get(word, 0.0) + exp(logprob))
        if _bare(place.get("token")) in words and found:
            return {word: found.get(word, 0.0) for word in words}
    return {}


def error_in(completion: Any) -> Any:
    """Give the error that came in place of a completion, under whatever status; None where there is none."""
    if isinstance(completion, list) and len(completion) == 1:
        completion = completion[0]
    if not isinstance(completion, Mapping) or completion.get("choices"):
        return None
    return completion.get("error") or None


def _choice(completion: Any) -> dict[str, Any]:
    choices = completion.get("choices") if isinstance(completion, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise LlmError(NO_COMPLETION)
    return choices[0]


def _joined(content: Any) -> str:
    """Join content that may be a list of parts, without those that are thoughts."""
    if not isinstance(content, list):
        return _said(content)
    parts = [part if isinstance(part, dict) else {"text": part} for part in content]
    kept = (_said(part.get("text")) for part in parts if part.get("type", "text") in ("text", "output_text"))
    return "".join(kept)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _said(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _bare(token: Any) -> str:
    return _said(token).strip(" \t\n\"'*._`▁Ġ").lower()


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
