"""The `Llm` port over any OpenAI-compatible server: OpenAI, vLLM, Ollama, llama.cpp and others.

Decides how a call is made, retried, ended early and counted, and what its failures are
called. What is asked and what a reply means is left to the stages.
"""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from threading import Event as Flag
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
from openai.types.chat import ChatCompletion

from sqlagent.errors import Cancelled, LlmError, LlmRateLimited, LlmRejected, LlmUnreachable
from sqlagent.values import LlmReply, LlmRequest, Usage

POLL_SECONDS = 0.05
"""How soon a cancelled call is noticed; the web's watcher itself looks every 250 ms."""

NO_LIMIT = "no limit"
"""Marks a server that is asked without any limit of tokens."""

WORDS_CHARS = 300
"""How much of a server's own error text is passed on: enough to act on, short enough to show."""


@cache
def _certificates() -> ssl.SSLContext:
    """Read the system's certificates once: 20 ms that every client would spend again."""
    return ssl.create_default_context()


class _Line:
    """One client with its one connection, so that ending a call ends nobody else's."""

    def __init__(self, base_url: str, api_key: str, timeout: float, max_retries: int) -> None:
        self._stream: Any = None
        self._http = httpx2.Client(
            verify=_certificates(),
            timeout=timeout,
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1),
            event_hooks={"request": [self._watch]},
            follow_redirects=True,
        )
        self.client = openai.OpenAI(
            base_url=base_url,
            api_key=api_key or "none",
            timeout=timeout,
            max_retries=max_retries,
            http_client=self._http,
        )

    def _watch(self, request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, "trace": self._traced}

    def _traced(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._stream = info.get("return_value")

    def hang_up(self) -> None:
        """End the call in flight. Closing alone leaves a blocked read waiting; a shutdown wakes it."""
        with suppress(OSError, AttributeError):
            self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        with suppress(RuntimeError, OSError):
            self._http.close()


class OpenAiLlm:
    """A model behind an OpenAI-compatible server.

    429, 5xx and broken connections are retried `max_retries` times with the library's
    exponential backoff, a `retry-after` heeded. A call never takes longer than `timeout`
    seconds, retries included, even when a server dribbles bytes; so silence is not asked twice.
    An empty `api_key` is fine for servers that ask for none. Nothing raised holds the key.
    """

    def __init__(
        self, *, base_url: str, model: str, api_key: str = "", timeout: float = 120.0, max_retries: int = 2
    ) -> None:
        if not model.strip():
            raise LlmRejected("No language model is named. Set LLM_MODEL to the name your server uses.")
        if urlsplit(base_url).scheme not in ("http", "https") or not urlsplit(base_url).hostname:
            raise LlmRejected("LLM_BASE_URL must be an address such as http://localhost:11434/v1.")
        if not api_key.isascii() or not api_key.isprintable():
            raise LlmRejected("LLM_API_KEY holds a line break or a character that no key has. Copy it again.")
        self._base_url, self._model, self._key = base_url, model, api_key
        self._timeout, self._retries = timeout, max_retries
        self._lock = threading.Lock()
        self._idle: list[_Line] = []
        self._usage = Usage()
        self._unwelcome: set[str] = set()
        self._closed = False

    @property
    def name(self) -> str:
        """The model's name, as shown to people."""
        return self._model

    @property
    def usage(self) -> Usage:
        """What all calls so far cost together; failed calls count as calls."""
        with self._lock:
            return self._usage

    def close(self) -> None:
        """Give idle connections back. Idempotent; calls in flight finish."""
        with self._lock:
            lines, self._idle, self._closed = self._idle, [], True
        for line in lines:
            line.hang_up()

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask once and wait; a cancelled call hangs up within about 50 ms.

        Token figures are the server's; where it gives none they are estimated at four
        characters a token.

        Raises: Cancelled, LlmUnreachable, LlmRateLimited, LlmRejected, LlmError.
        """
        if cancelled is not None and cancelled.is_set():
            raise Cancelled("The run was stopped.")
        begun = time.monotonic()
        try:
            completion = self._converse(request, cancelled)
            text = _text_of(completion)
        except LlmError:
            self._count(Usage(calls=1, seconds=time.monotonic() - begun))
            raise
        usage = _usage_of(completion, request, text, time.monotonic() - begun)
        self._count(usage)
        return LlmReply(text, usage)

    def _count(self, usage: Usage) -> None:
        with self._lock:
            self._usage = self._usage + usage

    def _converse(self, request: LlmRequest, cancelled: Flag | None) -> object:
        """Call; where a server will not have one of our settings, call again without it."""
        while True:
            settings = self._settings(request)
            result = self._call(settings, cancelled)
            if not isinstance(result, Exception):
                return result
            unwelcome = _unwelcome(result, settings)
            if not unwelcome:
                # raised outside any except block: no chained error can carry the server's raw words
                raise self._named(result)
            with self._lock:
                self._unwelcome.add(unwelcome)

    def _settings(self, request: LlmRequest) -> dict[str, Any]:
        settings: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.text} for m in request.messages],
            "temperature": request.temperature,
            "max_tokens": request.max_tokens,
        }
        if request.seed is not None:
            settings["seed"] = request.seed
        with self._lock:
            unwelcome = set(self._unwelcome)
        if "max_tokens" in unwelcome and NO_LIMIT not in unwelcome:
            settings["max_completion_tokens"] = settings["max_tokens"]
        if NO_LIMIT in unwelcome:
            unwelcome.add("max_tokens")
        return {name: value for name, value in settings.items() if name not in unwelcome}

    def _call(self, settings: dict[str, Any], cancelled: Flag | None) -> object:
        """Call on a thread of its own, so that waiting can end before the server does; give errors as values."""
        line = self._take()
        box: list[object] = []
        done = threading.Event()

        def work() -> None:
            try:
                box.append(line.client.chat.completions.create(**settings))
            except (openai.OpenAIError, httpx2.HTTPError, ValueError, RuntimeError) as error:
                box.append(error)
            finally:
                done.set()

        threading.Thread(target=work, name="llm-call", daemon=True).start()
        deadline = time.monotonic() + self._timeout
        while not done.wait(POLL_SECONDS):
            if cancelled is not None and cancelled.is_set():
                line.hang_up()
                raise Cancelled("The run was stopped.")
            if time.monotonic() > deadline:
                line.hang_up()
                raise self._late()
        self._put_back(line)
        return box[0] if box else LlmError("The call to the language model broke off.")

    def _take(self) -> _Line:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return _Line(self._base_url, self._key, self._timeout, self._retries)

    def _put_back(self, line: _Line) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(line)
                return
        line.hang_up()

    def _late(self) -> LlmUnreachable:
        return LlmUnreachable(
            f"The language model at {self._host} gave no reply within {self._timeout:g} seconds. "
            "It may be overloaded; try again, or raise LLM_TIMEOUT."
        )

    @property
    def _host(self) -> str:
        return urlsplit(self._base_url).netloc.rpartition("@")[2]

    def _named(self, error: Exception) -> LlmError:
        """Give a failure its name in our tree and plain words, never the key."""
        if isinstance(error, LlmError):
            return error
        said = self._said(error)
        where = f"The language model at {self._host}"
        if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
            return self._late()
        if isinstance(error, openai.APIConnectionError | httpx2.HTTPError):
            cause = self._clean(str(error.__cause__ or error))
            return LlmUnreachable(f"{where} could not be reached ({cause}). Is the server running?")
        if isinstance(error, openai.RateLimitError):
            return LlmRateLimited(f"{where} is handling too many requests or the quota is used up. {said}")
        if isinstance(error, openai.AuthenticationError | openai.PermissionDeniedError):
            return LlmRejected(f"{where} did not accept the key. Check LLM_API_KEY. {said}")
        if isinstance(error, openai.NotFoundError):
            return LlmRejected(
                f"{where} knows no model called {self._model}, or has no such address. "
                f"Check LLM_MODEL and LLM_BASE_URL. {said}"
            )
        if isinstance(error, openai.APIStatusError) and error.status_code < 500:
            return LlmRejected(f"{where} refused the request ({error.status_code}). {said}")
        if isinstance(error, openai.APIStatusError):
            return LlmError(f"{where} failed ({error.status_code}) and retries did not help. {said}")
        return LlmError(f"{where} replied with something that is no chat completion.")

    def _said(self, error: Exception) -> str:
        body = getattr(error, "body", None)
        said = body.get("message", "") if isinstance(body, dict) else ""
        return f"It said: {self._clean(str(said))}" if said else ""

    def _clean(self, text: str) -> str:
        if self._key:
            text = text.replace(self._key, "***")
        text = " ".join(text.split())
        return text if len(text) <= WORDS_CHARS else text[: WORDS_CHARS - 1] + "…"


def _unwelcome(error: Exception, settings: Mapping[str, Any]) -> str:
    """Name the setting a server will not have, or nothing.

    vLLM refuses a prompt that fits when prompt and `max_tokens` together do not ("maximum context
    length is 8192 tokens. However, you requested ..."): then no limit is named at all.

    Seen with reasoning models: "Unsupported parameter: 'max_tokens' is not supported with this
    model. Use 'max_completion_tokens' instead." and the like for `temperature` and `seed`.
    """
    text = str(error).lower()
    limits = {"max_tokens", "max_completion_tokens"} & settings.keys()
    if isinstance(error, openai.BadRequestError) and limits and "context length" in text:
        return NO_LIMIT
    if not isinstance(error, openai.BadRequestError) or not any(
        word in text for word in ("unsupported", "not support", "unrecognized", "not permitted")
    ):
        return ""
    named = getattr(error, "param", None)
    for setting in ("max_tokens", "temperature", "seed"):
        if setting in settings and (named == setting or f"'{setting}'" in text or f"`{setting}`" in text):
            return setting
    return ""


def _text_of(completion: object) -> str:
    """Read the first choice. Raises: LlmError for what is no chat completion."""
    choices = completion.choices if isinstance(completion, ChatCompletion) else None
    if not choices:
        raise LlmError("The language model replied with something that is no chat completion.")
    content = getattr(choices[0].message, "content", None)
    if not content and choices[0].finish_reason == "length":
        raise LlmError("The language model used up its tokens before it came to an answer.")
    return content if isinstance(content, str) else ""


def _usage_of(completion: object, request: LlmRequest, text: str, seconds: float) -> Usage:
    usage = getattr(completion, "usage", None)
    prompt = getattr(usage, "prompt_tokens", None)
    reply = getattr(usage, "completion_tokens", None)
    if not isinstance(prompt, int):
        prompt = sum(len(message.text) for message in request.messages) // 4
    return Usage(1, prompt, reply if isinstance(reply, int) else len(text) // 4, seconds)
