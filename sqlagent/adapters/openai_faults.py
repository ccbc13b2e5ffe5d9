"""The error with a call: whether another try may help and when, and which setting a server will not have.

Servers say the same in many shapes; here are those of OpenAI, Azure, vLLM, Ollama, llama.cpp's server, LM Studio,
DeepSeek, Mistral, and of the doors that Anthropic and Gemini keep for this protocol.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
"""Statuses after which the same call may succeed; 529 is Anthropic's word for overloaded, 52x are Cloudflare's."""

_BUSY = frozenset({503, 529})
"""Statuses with which servers say that they did not begin."""

_REFUSING = frozenset({400, 404, 415, 422, 500, 501})
"""Statuses with which servers refuse a setting; older servers answer a grammar they cannot read with 500."""

_NOT_HAD = (
    "unsupported", "not support", "unrecognized", "not permitted", "unknown name", "unknown parameter", "cannot find field",
    "extra_forbidden", "unexpected", "not allowed", "not available", "unavailable", "too large", "valid range", "only the default",
    "invalid", "not implemented", "must be",
)  # fmt: skip
"""How servers say that they will not have a setting, in lower case."""

_TOO_LONG = (
    "context length", "context_length_exceeded", "context size", "exceed_context_size", "context window", "prompt is too long",
    "input token count", "maximum context", "context the overflows", "too large for model",
)  # fmt: skip
"""How servers say that a prompt does not fit, in lower case; "context the overflows" is LM Studio's own grammar."""

_FORMATS = (
    "response_format",
    "json_schema",
    "json_object",
    "response_schema",
    "grammar",
    "guided",
    "structured output",
)
"""Servers' words for the form of a reply when they refuse it, in lower case."""

_SETTINGS = (
    "max_completion_tokens",
    "max_tokens",
    "temperature",
    "seed",
    "stream_options",
    "top_logprobs",
    "logprobs",
)
"""Settings that a call can do without."""

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds waited before the second try and at most, where the server names no time; each wait doubles."""

LOADING_WAIT = 2.0
"""Seconds between looks at a server that is still loading its model."""


class InBody(Exception):
    """An error that came as the body of a reply that was called a success."""

    def __init__(self, body: Any) -> None:
        super().__init__(str(body))
        self.body = body
        code = body.get("code") if isinstance(body, Mapping) else None
        self.status_code = code if isinstance(code, int) and 400 <= code < 600 else 500


def words_of(body: Any) -> str:
    """Read what an error body says, in whichever shape.

    Example:
        >>> words_of({"message": "busy"}), words_of("model not found"), words_of([{"error": {"message": "no"}}])
        ('busy', 'model not found', 'no')
        >>> words_of({"object": "error", "message": {"detail": [{"loc": ["body", "seed"], "msg": "not permitted"}]}})
        'seed: not permitted'
    """
    if isinstance(body, str):
        return body
    if isinstance(body, list):
        return "; ".join(filter(None, map(words_of, body[:4])))
    if not isinstance(body, Mapping):
        return ""
    place, said = body.get("loc"), body.get("msg")
    if isinstance(place, list) and place and isinstance(said, str):
        return f"{place[-1]}: {said}"
    found = (
        words_of(body[name]) for name in ("message", "error", "detail", "msg", "title") if body.get(name)
    )
    return next(filter(None, found), "")


def is_too_long(error: Exception) -> bool:
    """Tell whether a prompt was refused for its length."""
    status, text = _status(error), _text(error)
    return status == 413 or (status in _REFUSING and any(words in text for words in _TOO_LONG))


def may_pass(error: Exception) -> bool:
    """Tell whether the same call may succeed later: not where a quota is used up, and not after silence."""
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return False
    if isinstance(error, openai.APIConnectionError | httpx2.HTTPError):
        return True
    if is_too_long(error) or _header(error, "x-should-retry") == "false":
        return False
    return _status(error) in _PASSING and "insufficient_quota" not in _text(error)


def may_be_billed(error: Exception) -> bool:
    """Tell whether a server may ask for money for a call that was sent and failed so: it read the prompt, or may have.

    Calls that it refused or was too busy for cost nothing.
    """
    status = _status(error)
    return not status or (status >= 500 and status not in _BUSY)


def is_loading(error: Exception) -> bool:
    """Tell whether a server says that it still loads its model, as llama.cpp's does."""
    return _status(error) == 503 and "loading" in _text(error)


def asked_to_wait(error: Exception) -> float | None:
    """Read how many seconds a server asks to be left alone: in seconds, milliseconds or until a date; None where it does not say."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        said = _header(error, name).strip()
        if re.fullmatch(r"\d{1,12}(?:\.\d+)?", said):
            return float(said) * unit
    try:
        return max(0.0, parsedate_to_datetime(_header(error, "retry-after")).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None


def usual_wait(tries: int) -> float:
    """How many seconds to wait after so many tries, a little less at random, so that callers do not come all at once."""
    wait = min(FIRST_WAIT * 2.0 ** min(tries, 10), LONGEST_WAIT)
    return float(wait * (1 - 0.25 * random.random()))  # noqa: S311 - no secret hangs on it


def unwelcome(error: Exception, settings: Mapping[str, Any]) -> str:
    """Name the setting that a server will not have, `json_schema` or `json_object` for a form of reply; or nothing.

    OpenAI's reasoning models: "Unsupported parameter: 'max_tokens' is not supported with this model. Use
    'max_completion_tokens' instead." DeepSeek: "This response_format type is unavailable now". LM Studio:
    "'response_format.type' must be 'json_schema' or 'text'". Gemini: 'Unknown name "seed": Cannot find field.'
    """
    text = _text(error)
    if _status(error) not in _REFUSING or is_too_long(error):
        return ""
    param = str(getattr(error, "param", None) or "")
    form = settings.get("response_format")
    if form and (param.startswith("response_format") or any(word in text for word in _FORMATS)):
        return str(form["type"])
    if _status(error) == 500 or not any(words in text for words in _NOT_HAD):
        return ""
    sent = [name for name in _SETTINGS if name in settings]
    named = [name for name in sent if name == param] or [
        name for name in sent if re.search(rf"(?<!\w){name}(?!\w)", text)
    ]
    return named[0] if named else ""


def _status(error: Exception) -> int:
    return int(getattr(error, "status_code", 0) or 0)


def _text(error: Exception) -> str:
    """All that a server said, in lower case: the library's own words leave out bodies that are lists."""
    return f"{error} {getattr(error, 'body', '')}".lower()


def _header(error: Exception, name: str) -> str:
    response = getattr(error, "response", None)
    return str(response.headers.get(name, "")) if response is not None else ""
