"""The `Llm` port over any OpenAI-compatible server: OpenAI, vLLM, Ollama, llama.cpp and others.

Decides how a call is made, retried, ended early and counted, and the kinds of its failures. Prompts and the meaning of
replies are left to the stages.
"""

from __future__ import annotations

import threading
import time
from contextvars import copy_context
from dataclasses import dataclass
from threading import Event as Flag
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai

from sqlagent.adapters import openai_faults as faults
from sqlagent.adapters.openai_line import Line
from sqlagent.adapters.openai_replies import (
    NO_COMPLETION,
    chances_of,
    error_in,
    prompt_estimate,
    text_of,
    usage_of,
)
from sqlagent.adapters.openai_stream import BrokenOff
from sqlagent.errors import (
    OF_SERVER,
    Cancelled,
    LlmBroken,
    LlmDenied,
    LlmError,
    LlmRateLimited,
    LlmRejected,
    LlmTooLong,
    LlmUnreachable,
)
from sqlagent.values import LlmReply, LlmRequest, Prices, Usage

POLL_SECONDS = 0.05
"""How soon a cancelled call is noticed; the web's watcher itself looks every 250 ms."""

STALL_SECONDS = 30.0
"""Seconds without a word in the middle of a streamed reply after which it is given up."""

WORDS_CHARS = 300
"""How much of a server's own error text is passed on: enough to act on, short enough to show."""

NO_LIMIT = "no limit"
"""Marks a call that is made without any limit of tokens."""

LIMITS = ("max_tokens", "max_completion_tokens")
"""Servers' names of the limit of a reply, in the order in which they are tried."""

FORMS = ("json_schema", "json_object")
"""Forms of a reply that servers see to, in the order in which they are tried."""

_unwelcome: dict[tuple[str, str], set[str]] = {}
"""Settings that a model of a server will not have, as long as this process lives: each refusal is a call."""

_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Told:
    """The names of address, model and key in a message about a model."""

    url: str
    model: str
    key: str


OF_SETTINGS = Told("LLM_BASE_URL", "LLM_MODEL", "LLM_API_KEY")


class OpenAiLlm:
    """A model behind an OpenAI-compatible server.

    429, 5xx and broken connections are tried again `max_retries` times: after the time that the server names
    (`Retry-After` in seconds or as a date), else after half a second, doubled each time. A server that says that it is
    loading its model is asked until it has. No wait goes beyond `timeout` or the request's `patience`. A call never
    takes longer than `timeout` seconds, retries included, even when a server dribbles bytes; so silence is not asked
    twice. With `stream` a reply comes word by word, and one that stops for `stall` seconds is given up.
    An empty `api_key` is fine for servers that ask for none. Nothing raised holds the key. `label` is what people know the
    model by, where that is not its name; `told` says where what is wrong can be mended. Without `follows` nothing is sent to where a server says that it moved.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        api_key: str = "",
        timeout: float = 120.0,
        max_retries: int = 2,
        stream: bool = False,
        stall: float = STALL_SECONDS,
        prices: Prices | None = None,
        label: str = "",
        told: Told = OF_SETTINGS,
        follows: bool = True,
    ) -> None:
        if not model.strip():
            raise LlmRejected(f"No language model is named. Set {told.model} to the name your server uses.")
        if urlsplit(base_url).scheme not in ("http", "https") or not urlsplit(base_url).hostname:
            raise LlmRejected(f"{told.url} must be an address such as http://localhost:11434/v1.")
        if not api_key.isascii() or not api_key.isprintable():
            raise LlmRejected(f"{told.key} holds a line break or a character that no key has. Copy it again.")
        self._base_url, self._model, self._key = base_url, model, api_key
        self._label, self._told, self._follows = label, told, follows
        self._timeout, self._retries = timeout, max_retries
        self._stream, self._stall, self._prices = stream, stall, prices or Prices()
        self._lock = threading.Lock()
        self._idle: list[Line] = []
        self._usage = Usage()
        self._trouble: str | None = None
        self._closed = False

    @property
    def name(self) -> str:
        """The model's name, as shown to people."""
        return self._label or self._model

    @property
    def usage(self) -> Usage:
        """The cost of all calls so far; failed and stopped calls count as calls, and their prompts where a server may bill them."""
        with self._lock:
            return self._usage

    @property
    def trouble(self) -> str | None:
        """Why the server or its settings failed the last call that tells of them; empty where it replied, None before."""
        with self._lock:
            return self._trouble

    def close(self) -> None:
        """Give idle connections back. Idempotent; calls in flight finish."""
        with self._lock:
            lines, self._idle, self._closed = self._idle, [], True
        for line in lines:
            line.hang_up()

    def complete(self, request: LlmRequest, cancelled: Flag | None = None) -> LlmReply:
        """Ask once and wait; a cancelled call hangs up within about 50 ms.

        Token figures are the server's; where it gives none they are estimated at four
        characters a token. So are prompts that were sent in vain, unless the server refused them; an error tells by its
        `usage` what the call cost.

        Raises: Cancelled, LlmUnreachable, LlmRateLimited, LlmTooLong, LlmRejected, LlmError.
        """
        if cancelled is not None and cancelled.is_set():
            raise Cancelled("The run was stopped.")
        begun, in_vain = time.monotonic(), list[Exception]()
        cost = Usage(calls=1)
        try:
            completion = self._converse(request, cancelled, in_vain)
            cost = usage_of(completion, request, "", 0.0)
            text = text_of(completion)
        except (LlmError, Cancelled) as error:
            usage = self._counted(cost, request, len(in_vain), time.monotonic() - begun)
            error.usage = usage if usage.prompt_tokens else Usage()
            if isinstance(error, OF_SERVER):
                self._keep_trouble(str(error))
            raise
        self._keep_trouble("")
        cost = usage_of(completion, request, text, 0.0)
        usage = self._counted(cost, request, len(in_vain), time.monotonic() - begun)
        return LlmReply(text, usage, chances=chances_of(completion, request.choices), llm=self.name)

    def _keep_trouble(self, words: str) -> None:
        with self._lock:
            self._trouble = words

    def _counted(self, cost: Usage, request: LlmRequest, in_vain: int, seconds: float) -> Usage:
        """Count a call with the prompts that were sent in vain for it, and its price."""
        lost = in_vain * prompt_estimate(request)
        usage = cost + Usage(prompt_tokens=lost, estimated_tokens=lost, seconds=seconds)
        usage += Usage(money=self._prices.of(usage))
        with self._lock:
            self._usage = self._usage + usage
        return usage

    # ------------------------------------------------------------ trying

    def _converse(self, request: LlmRequest, cancelled: Flag | None, in_vain: list[Exception]) -> Any:
        """Call; call again without a setting that the server will not have, and once more where it may help.

        Failures for which the server may ask for money are put into `in_vain`.
        """
        begun = time.monotonic()
        deadline, tries, left_out = begun + self._timeout, 0, set[str]()
        latest = deadline if request.patience is None else min(deadline, begun + request.patience)
        while True:
            settings = self._settings(request, left_out)
            result, is_sent = self._call(settings, deadline, cancelled, in_vain)
            if not isinstance(result, Exception):
                return result
            if faults.is_too_long(result) and any(limit in settings for limit in LIMITS):
                # vLLM refuses a prompt that fits where prompt and limit together do not
                left_out.add(NO_LIMIT)
                continue
            if refused := faults.unwelcome(result, settings):
                with _lock:
                    _unwelcome.setdefault((self._base_url, self._model), set()).add(refused)
                left_out.add(refused)
                continue
            if is_sent and faults.may_be_billed(result):
                in_vain.append(result)
            wait = self._wait(result, tries)
            if wait is None or time.monotonic() + wait > latest:
                # raised outside any except block: no chained error can carry the server's raw words
                raise self._named(result, wait or 0.0)
            tries += 1
            self._sleep(wait, cancelled)

    def _wait(self, error: Exception, tries: int) -> float | None:
        """How many seconds to wait before the next try; None where none may help."""
        if isinstance(error, LlmError) or not faults.may_pass(error):
            return None
        if faults.is_loading(error) and self._retries:
            return faults.asked_to_wait(error) or faults.LOADING_WAIT
        if tries >= self._retries:
            return None
        asked = faults.asked_to_wait(error)
        return faults.usual_wait(tries) if asked is None else asked

    def _sleep(self, seconds: float, cancelled: Flag | None) -> None:
        if (cancelled or Flag()).wait(seconds):
            raise Cancelled("The run was stopped.")

    def _settings(self, request: LlmRequest, left_out: set[str]) -> dict[str, Any]:
        with _lock:
            gone = left_out | _unwelcome.get((self._base_url, self._model), set())
        settings: dict[str, Any] = {
            "model": self._model,
            "messages": [{"role": m.role, "content": m.text} for m in request.messages],
            "temperature": request.temperature,
        }
        limit = next((name for name in LIMITS if name not in gone), None)
        if limit and NO_LIMIT not in gone:
            settings[limit] = request.max_tokens
        if request.seed is not None:
            settings["seed"] = request.seed
        if request.choices:
            settings |= {"logprobs": True, "top_logprobs": 5}
        form = next((name for name in FORMS if name not in gone), None)
        if request.schema is not None and form:
            settings["response_format"] = {"type": form}
            if form == "json_schema":
                named = {"name": request.purpose.replace(":", "_") or "reply", "strict": True}
                settings["response_format"]["json_schema"] = named | {"schema": dict(request.schema)}
        if self._stream:
            settings |= {"stream": True, "stream_options": {"include_usage": True}}
        if "logprobs" in gone:
            gone = gone | {"top_logprobs"}
        return {name: value for name, value in settings.items() if name not in gone}

    # ------------------------------------------------------------ one call

    def _call(
        self,
        settings: dict[str, Any],
        deadline: float,
        cancelled: Flag | None,
        in_vain: list[Exception],
    ) -> tuple[Any, bool]:
        """Call on a thread of its own, so that waiting can end before the server does; give errors as values, and whether it was sent."""
        line = self._take()
        box: list[Any] = []
        done = threading.Event()

        def work() -> None:
            try:
                said = line.ask(settings)
                error = error_in(said)
                box.append(said if error is None else faults.InBody(error))
            except (openai.OpenAIError, httpx2.HTTPError, ValueError, RuntimeError, RecursionError) as error:
                box.append(error)
            finally:
                done.set()

        threading.Thread(target=copy_context().run, args=(work,), name="llm-call", daemon=True).start()
        while not done.wait(POLL_SECONDS):
            if given_up := self._given_up(line, deadline, cancelled):
                line.hang_up()
                if line.is_sent:
                    in_vain.append(given_up)
                raise given_up
        is_sent = line.is_sent
        self._put_back(line)
        return box[0] if box else LlmError("The call to the language model broke off."), is_sent

    def _given_up(
        self, line: Line, deadline: float, cancelled: Flag | None
    ) -> Cancelled | LlmUnreachable | None:
        """Say why a call is waited for no longer; None while it is."""
        if cancelled is not None and cancelled.is_set():
            return Cancelled("The run was stopped.")
        now, heard = time.monotonic(), line.heard_at
        if heard is not None and now - heard > self._stall:
            return LlmUnreachable(
                f"The language model at {self._host} stopped in the middle of its reply for {self._stall:g} seconds."
            )
        return self._late() if now > deadline else None

    def _take(self) -> Line:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return Line(self._base_url, self._key, self._timeout, follows=self._follows)

    def _put_back(self, line: Line) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(line)
                return
        line.hang_up()

    # ------------------------------------------------------------ names for faults

    def _late(self) -> LlmUnreachable:
        return LlmUnreachable(
            f"The language model at {self._host} gave no reply within {self._timeout:g} seconds. "
            "It may be overloaded; try again, or raise LLM_TIMEOUT."
        )

    @property
    def _host(self) -> str:
        return urlsplit(self._base_url).netloc.rpartition("@")[2]

    def _named(self, error: Exception, wait: float) -> LlmError:
        """Give a failure its name in our tree and plain words, never the key."""
        if isinstance(error, LlmError):
            return error
        where = f"The language model at {self._host}"
        if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
            return self._late()
        if isinstance(error, BrokenOff):
            return LlmUnreachable(f"{where} broke off in the middle of its reply.")
        if isinstance(error, openai.APIConnectionError | httpx2.HTTPError):
            cause = self._clean(str(error.__cause__ or error))
            return LlmUnreachable(f"{where} could not be reached ({cause}). Is the server running?")
        if not isinstance(error, openai.APIStatusError | faults.InBody):
            return LlmError(NO_COMPLETION.replace("The language model", where))
        said, status = self._clean(faults.words_of(error.body)), error.status_code
        said = f"It said: {said}" if said else ""
        asks = f"It asks to wait {wait:.0f} seconds, longer than this question may. " if wait >= 1 else ""
        if faults.is_too_long(error):
            return LlmTooLong(f"{where} refused the request ({status}): it is too long for the model. {said}")
        if status == 429:
            words = f"{where} is handling too many requests or the quota is used up."
            return LlmRateLimited(f"{words} {asks}{said}")
        if status in (401, 403):
            words = f"{where} did not accept the key. Check {self._told.key}. {said}"
            return LlmDenied(words, "its key is not accepted")
        if 300 <= status < 400:
            words = f"{where} says that it moved ({status}). Check {self._told.url}."
            return LlmDenied(words, "its address has moved")
        if status == 404:
            words = (
                f"{where} knows no model called {self._model}, or has no such address. "
                f"Check {self._told.model} and {self._told.url}. {said}"
            )
            return LlmDenied(words, "its model or its address is not known")
        if faults.is_loading(error):
            return LlmUnreachable(f"{where} is still loading its model. {asks}{said}")
        if status < 500:
            return LlmRejected(f"{where} refused the request ({status}). {said}")
        return LlmBroken(f"{where} failed ({status}) and retries did not help. {asks}{said}")

    def _clean(self, text: str) -> str:
        if self._key:
            text = text.replace(self._key, "***")
        text = " ".join(text.split())
        return text if len(text) <= WORDS_CHARS else text[: WORDS_CHARS - 1] + "…"
