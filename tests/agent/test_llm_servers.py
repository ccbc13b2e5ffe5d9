"""Servers of one protocol and many habits: each reply and refusal here has the shape that a real server sends."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from email.utils import formatdate
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted_server import Bad, Raw, Reply, ScriptedServer, serving

from sqlagent.adapters import openai_faults, openai_replies
from sqlagent.adapters.openai import OpenAiLlm
from sqlagent.adapters.openai_stream import gathered
from sqlagent.errors import (
    Cancelled,
    LlmError,
    LlmRateLimited,
    LlmRejected,
    LlmTooLong,
    LlmUnreachable,
)
from sqlagent.values import LlmMessage, LlmRequest, Prices

SCHEMA = {"type": "object", "properties": {"better": {"type": "string"}}, "required": ["better"]}
ASK = LlmRequest((LlmMessage("system", "be brief"), LlmMessage("user", "one?")), 0.7, 123, 42, "judge:duel")


@pytest.fixture(autouse=True)
def nothing_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port may be given twice: what an earlier test's server would not have is forgotten."""
    monkeypatch.setattr("sqlagent.adapters.openai._unwelcome", {})


def llm(server: ScriptedServer, **settings: Any) -> OpenAiLlm:
    return OpenAiLlm(**{"base_url": server.base_url, "model": "scripted", "timeout": 5.0, **settings})


def said(content: Any = "SELECT 1", finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """A whole completion with one choice; `message` in `more` adds fields to the message."""
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    return {"object": "chat.completion", "choices": [{"index": 0, "finish_reason": finish, "message": message}], **more}  # fmt: skip


# ---------------------------------------------------------------- replies

WHOLE: list[tuple[str, dict[str, Any]]] = [
    ("OpenAI", said(message={"refusal": None, "annotations": []}, service_tier="default", system_fingerprint=None)),
    ("vLLM", said(message={"reasoning": None, "reasoning_content": None, "tool_calls": []}, prompt_logprobs=None)),
    ("vLLM with thoughts", said(message={"reasoning": "SELECT 2?", "reasoning_content": "SELECT 2?"})),
    ("Ollama with thoughts", said(message={"reasoning": "SELECT 2?"}, system_fingerprint="fp_ollama")),
    ("llama.cpp", said(timings={"cache_n": 0, "prompt_n": 3}, id="chatcmpl-x")),
    ("LM Studio", said(stats={}, system_fingerprint="qwen3")),
    ("DeepSeek", said(message={"reasoning_content": "SELECT 2?"})),
    ("Mistral with thoughts", said([{"type": "thinking", "thinking": [{"type": "text", "text": "SELECT 2?"}]},
                                    {"type": "text", "text": "SELECT 1"}])),
    ("parts", said([{"type": "text", "text": "SELECT"}, {"type": "text", "text": " 1"}])),
    ("Azure", said(prompt_filter_results=[{"prompt_index": 0, "content_filter_results": {}}], choices=[
        {"index": 0, "finish_reason": "stop", "content_filter_results": {}, "message": {"content": "SELECT 1"}}])),
    ("Anthropic", said(usage={"prompt_tokens": 9, "completion_tokens": 3, "total_tokens": 12, "prompt_tokens_details": None})),
    ("Gemini", {"object": "chat.completion", "choices": [{"finish_reason": "stop", "index": 0, "message": {
        "content": "SELECT 1", "role": "assistant", "extra_content": {"google": {"thought_signature": "x"}}}}]}),
]  # fmt: skip


@pytest.mark.parametrize("body", [w[1] for w in WHOLE], ids=[w[0] for w in WHOLE])
def test_the_text_is_found_and_thoughts_are_left_out(body: dict[str, Any]) -> None:
    with serving(Raw(body)) as server:
        assert llm(server).complete(ASK).text == "SELECT 1"


NO_TEXT: list[tuple[str, dict[str, Any], str]] = [
    ("no choices", {"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 0}}, "no chat completion"),
    ("cut off in thought", said("", "length", message={"reasoning_content": "hm"}), "used up its tokens"),
    ("cut off, null", said(None, "length"), "used up its tokens"),
    ("thoughts alone", said("", message={"reasoning": "SELECT 1"}), "thought and gave no answer"),
    ("filtered", said(None, "content_filter"), "filter"),
    ("refused", said(None, message={"refusal": "I cannot help with that."}), "declined to reply: I cannot help"),
    ("an error called a success", {"error": {"code": 400, "message": "bad thing", "type": "x"}}, "bad thing"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "words"), [n[1:] for n in NO_TEXT], ids=[n[0] for n in NO_TEXT])
def test_a_reply_without_text_says_why(body: dict[str, Any], words: str) -> None:
    with serving(Raw(body)) as server, pytest.raises(LlmError, match=words):
        llm(server, max_retries=0).complete(ASK)


COUNTS: list[tuple[str, dict[str, Any] | None, tuple[int, int, int]]] = [
    ("none", None, (3, 2, 0)),
    ("OpenAI, vLLM", {"prompt_tokens": 90, "completion_tokens": 5, "prompt_tokens_details": {"cached_tokens": 64}}, (90, 5, 64)),
    ("DeepSeek", {"prompt_tokens": 90, "completion_tokens": 5, "prompt_cache_hit_tokens": 64, "prompt_cache_miss_tokens": 26}, (90, 5, 64)),
    ("Anthropic", {"prompt_tokens": 90, "completion_tokens": 5, "cache_read_input_tokens": 64}, (90, 5, 64)),
    ("Gemini without a reply", {"prompt_tokens": 90, "total_tokens": 95}, (90, 2, 0)),
    ("null", {"prompt_tokens": None, "completion_tokens": None, "prompt_tokens_details": {"cached_tokens": None}}, (3, 2, 0)),
    ("nonsense", {"prompt_tokens": "many", "completion_tokens": -4, "prompt_tokens_details": []}, (3, 2, 0)),
]  # fmt: skip


@pytest.mark.parametrize(("usage", "counts"), [c[1:] for c in COUNTS], ids=[c[0] for c in COUNTS])
@pytest.mark.parametrize("is_streamed", [False, True])
def test_tokens_are_read_wherever_they_are_counted(
    usage: dict[str, Any] | None, counts: tuple[int, int, int], is_streamed: bool
) -> None:
    more = {} if usage is None else {"usage": usage}
    chunks = (
        {"choices": [{"index": 0, "delta": {"content": "SELECT 1"}, "finish_reason": "stop"}]},
        {"choices": [], **more},
    )
    with serving(Raw(said(**more), events=chunks if is_streamed else ())) as server:
        found = llm(server, stream=is_streamed).complete(ASK).usage
    assert (found.prompt_tokens, found.completion_tokens, found.cached_tokens) == counts


def test_what_tokens_cost_is_reckoned_by_the_prices_of_the_server() -> None:
    usage = {
        "prompt_tokens": 1_000_000,
        "completion_tokens": 100_000,
        "prompt_tokens_details": {"cached_tokens": 500_000},
    }
    with serving(Raw(said(usage=usage))) as server:
        assert llm(server, prices=Prices(2.0, 1.0, 10.0)).complete(ASK).usage.money == pytest.approx(2.5)
        assert llm(server).complete(ASK).usage.money == 0


def test_the_probability_of_a_first_word_is_read_past_what_comes_before_it() -> None:
    top = [
        {"token": " Yes", "logprob": -0.2231},
        {"token": "yes", "logprob": -2.9957},
        {"token": "No", "logprob": -2.0},
    ]
    places = [
        {"token": "\n", "logprob": 0.0, "top_logprobs": []},
        {"token": " Yes", "logprob": -0.2231, "top_logprobs": top},
    ]
    body = said("\n Yes")
    body["choices"][0]["logprobs"] = {"content": places}
    ask = LlmRequest(ASK.messages, choices=("yes", "no"))
    with serving(Raw(body)) as server:
        chances = llm(server).complete(ask).chances
        assert (server.bodies[0]["logprobs"], server.bodies[0]["top_logprobs"]) == (True, 5)
    assert chances["yes"] == pytest.approx(0.85, abs=0.01) and chances["no"] == pytest.approx(0.135, abs=0.01)


# ---------------------------------------------------------------- streams


def chunk(text: str | None = None, finish: str | None = None, **delta: Any) -> dict[str, Any]:
    content = {} if text is None else {"content": text}
    return {
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": content | delta, "finish_reason": finish}],
    }


STREAMS: list[tuple[str, tuple[object, ...]]] = [
    ("OpenAI", (chunk("", role="assistant"), chunk("SELECT"), chunk(" 1"), chunk(finish="stop"), {"choices": [], "usage": {}}, "data: [DONE]")),
    ("vLLM", (chunk("", role="assistant"), chunk(None, reasoning_content="SELECT 2"), chunk("SELECT 1"), chunk("", "stop"), "data: [DONE]")),
    ("Ollama", (chunk("", reasoning="SELECT 2?"), chunk("SELECT 1"), chunk("", "stop"), "data: [DONE]")),
    ("Azure", ({"choices": [], "prompt_filter_results": []}, chunk("SELECT 1"),
               {"choices": [{"index": 0, "finish_reason": None, "content_filter_offsets": {}}]}, chunk(finish="stop"), "data: [DONE]")),
    ("Mistral", (chunk([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}]),  # type: ignore[arg-type]
                 chunk([{"type": "text", "text": "SELECT "}]), chunk("1", "stop"), "data: [DONE]")),  # type: ignore[arg-type]
    ("comments and names", (": OPENROUTER PROCESSING", "event: message", chunk("SELECT 1"), "id: 7", chunk("", "stop"))),
    ("no end but the last word", (chunk("SELECT 1"), "data: [DONE]")),
    ("no space", (chunk("SELECT 1"), "data:[DONE]")),
]  # fmt: skip


@pytest.mark.parametrize("events", [s[1] for s in STREAMS], ids=[s[0] for s in STREAMS])
def test_a_streamed_reply_is_put_together(events: tuple[object, ...]) -> None:
    with serving(Raw(None, events=events)) as server:
        assert llm(server, stream=True).complete(ASK).text == "SELECT 1"
        assert server.bodies[0]["stream"] and server.bodies[0]["stream_options"] == {"include_usage": True}


def test_a_server_that_does_not_stream_is_read_all_the_same() -> None:
    with serving(Raw(said())) as server:
        assert llm(server, stream=True).complete(ASK).text == "SELECT 1"


BROKEN: list[tuple[str, tuple[object, ...], type[LlmError], str]] = [
    ("the connection ends", (chunk("SELECT"),), LlmUnreachable, "broke off in the middle"),
    ("an error in between", (chunk("SELECT"), {"error": {"message": "out of memory", "code": 500}}), LlmError, "out of memory"),
    ("an error as text", ({"error": "Model reloaded."},), LlmError, "Model reloaded"),
    ("no JSON", (chunk("SELECT"), "data: {half"), LlmError, "no chat completion"),
    ("nothing at all", ("data: [DONE]",), LlmError, ""),
]  # fmt: skip


@pytest.mark.parametrize(("events", "kind", "words"), [b[1:] for b in BROKEN], ids=[b[0] for b in BROKEN])
def test_a_stream_that_breaks_off_is_no_reply(
    events: tuple[object, ...], kind: type[LlmError], words: str
) -> None:
    with serving(Raw(None, events=events)) as server:
        model = llm(server, stream=True, max_retries=0)
        if not words:
            assert model.complete(ASK).text == ""
            return
        with pytest.raises(kind, match=words):
            model.complete(ASK)


def test_a_stalled_stream_is_given_up_long_before_the_call_is_late() -> None:
    with serving(Raw(None, events=(chunk("SELECT"), chunk(" 1")), hangs=1)) as server:
        with pytest.raises(LlmUnreachable, match="stopped in the middle of its reply for 0.3 seconds"):
            llm(server, stream=True, stall=0.3, timeout=60.0, max_retries=0).complete(ASK)
        assert server.hung_up.wait(5), "the server still holds the connection"


def test_stop_ends_a_stream_at_once() -> None:
    with serving(Raw(None, events=(chunk("SELECT"), chunk(" 1")), hangs=1)) as server:
        with pytest.raises(Cancelled):
            llm(server, stream=True, timeout=60.0).complete(ASK, server.waiting)
        assert server.hung_up.wait(5), "the server still holds the connection"


# ---------------------------------------------------------------- refused settings


def openai_error(message: str, param: str | None = None, code: object = None) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": param, "code": code}}


def gemini_error(*names: str) -> list[dict[str, Any]]:
    text = "\n".join(
        f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.' for name in names
    )
    return [{"error": {"code": 400, "message": text, "status": "INVALID_ARGUMENT", "details": []}}]


def mistral_error(name: str) -> dict[str, Any]:
    found = [
        {
            "type": "extra_forbidden",
            "loc": ["body", name],
            "msg": "Extra inputs are not permitted",
            "input": 1,
        }
    ]
    return {
        "object": "error",
        "message": {"detail": found},
        "type": "invalid_request_error",
        "param": None,
        "code": None,
    }


REFUSED: list[tuple[str, str, int, Any]] = [
    ("OpenAI", "max_tokens", 400, openai_error("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", "max_tokens", "unsupported_parameter")),
    ("OpenAI", "temperature", 400, openai_error("Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.", "temperature", "unsupported_value")),
    ("OpenAI, a smaller limit", "max_tokens", 400, openai_error("max_tokens is too large: 6000. This model supports at most 4096 completion tokens.", None, None)),
    ("DeepSeek, a smaller limit", "max_tokens", 400, openai_error("Invalid max_tokens value, the valid range of max_tokens is [1, 100]")),
    ("Gemini", "seed", 400, gemini_error("frequency_penalty", "seed")),
    ("Mistral", "seed", 422, mistral_error("seed")),
    ("Mistral, streaming", "stream_options", 422, mistral_error("stream_options")),
    ("Azure, an old version", "stream_options", 400, openai_error("Unrecognized request argument supplied: stream_options")),
    ("Azure", "seed", 400, openai_error("Unrecognized request argument supplied: seed")),
    ("FastAPI in front of vLLM", "seed", 422, {"detail": [{"loc": ["body", "seed"], "msg": "extra fields not permitted", "type": "value_error.extra"}]}),
    ("Mistral, log-probabilities", "logprobs", 422, mistral_error("logprobs")),
    ("OpenAI, log-probabilities", "logprobs", 400, openai_error("'logprobs' is not supported with this model", "logprobs")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("refused", "status", "body"), [r[1:] for r in REFUSED], ids=[f"{r[0]}: {r[1]}" for r in REFUSED]
)
def test_a_setting_that_is_refused_is_left_out_for_the_process(refused: str, status: int, body: Any) -> None:
    def script(asked: dict[str, Any]) -> Reply:
        return Raw(body, status) if refused in asked else "ok"

    ask = LlmRequest(ASK.messages, 0.7, 123, 42, choices=("yes", "no"))
    with serving(script) as server:
        assert llm(server, stream=True).complete(ask).text == "ok"
        first = server.calls
        assert llm(server, stream=True).complete(ask).text == "ok", "another client of the same process"
    assert (first, server.calls) == (2, 3) and refused not in server.bodies[-1]


FORMS: list[tuple[str, tuple[str, ...], int, Any]] = [
    ("OpenAI, an old model", ("json_schema",), 400, openai_error("Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "response_format")),
    ("DeepSeek", ("json_schema",), 400, openai_error("This response_format type is unavailable now", None, "invalid_request_error")),
    ("DeepSeek, elsewhere", ("json_schema",), 422, {"error": {"message": "Failed to deserialize the JSON body into the target type: response_format: response_format.type `json_schema` is unavailable now at line 1 column 12440"}}),
    ("LM Studio", ("json_object",), 400, {"error": "'response_format.type' must be 'json_schema' or 'text'"}),
    ("LM Studio, a model that cannot", ("json_schema", "json_object"), 400, {"error": "'response_format.type' must be 'text'"}),
    ("llama.cpp", ("json_schema",), 400, {"error": {"code": 400, "message": "failed to parse grammar", "type": "invalid_request_error"}}),
    ("vLLM", ("json_schema",), 400, {"error": {"message": "The provided JSON schema contains features not supported by xgrammar.", "type": "BadRequestError", "param": None, "code": 400}}),
    ("Gemini", ("json_schema", "json_object"), 400, gemini_error("response_format")),
    ("Ollama, an old one", ("json_schema", "json_object"), 500, {"error": "invalid grammar"}),
]  # fmt: skip


@pytest.mark.parametrize(("forms", "status", "body"), [f[1:] for f in FORMS], ids=[f[0] for f in FORMS])
def test_a_form_of_reply_that_is_refused_gives_way_to_the_next_for_the_process(
    forms: tuple[str, ...], status: int, body: Any
) -> None:
    def script(asked: dict[str, Any]) -> Reply:
        return Raw(body, status) if (asked.get("response_format") or {}).get("type") in forms else "{}"

    ask = LlmRequest(ASK.messages, schema=SCHEMA, purpose="judge:duel")
    with serving(script) as server:
        assert llm(server).complete(ask).text == "{}"
        refusals = server.calls - 1
        assert llm(server).complete(ask).text == "{}"
        tried = [(asked.get("response_format") or {}).get("type") for asked in server.bodies]
    left = next((form for form in ("json_schema", "json_object") if form not in forms), None)
    assert tried[-1] == left and tried.count(left) == 2
    assert refusals == (0 if left == "json_schema" else len(forms))


def test_a_schema_is_sent_under_the_name_of_the_stage_and_only_where_one_is_asked_for() -> None:
    with serving("{}") as server:
        model = llm(server)
        model.complete(LlmRequest(ASK.messages, schema=SCHEMA, purpose="judge:duel"))
        model.complete(ASK)
    sent = server.bodies[0]["response_format"]
    assert sent == {
        "type": "json_schema",
        "json_schema": {"name": "judge_duel", "strict": True, "schema": SCHEMA},
    }
    assert "response_format" not in server.bodies[1] and "n" not in server.bodies[1]


# ---------------------------------------------------------------- refusals and words

TOO_LONG: list[tuple[str, int, Any]] = [
    ("OpenAI", 400, openai_error("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", "messages", "context_length_exceeded")),
    ("vLLM", 400, {"error": {"message": "You passed 1015 input tokens and requested 10 output tokens. However, the model's context length is only 1024 tokens, resulting in a maximum input length of 1014 tokens.", "type": "BadRequestError", "param": "input_tokens", "code": 400}}),
    ("llama.cpp", 400, {"error": {"code": 400, "message": "the request exceeds the available context size. try increasing the context size or enable context shift", "type": "exceed_context_size_error", "n_prompt_tokens": 14429, "n_ctx": 8192}}),
    ("llama.cpp, called a success", 200, {"error": {"code": 400, "message": "the request exceeds the available context size.", "type": "exceed_context_size_error"}}),
    ("llama.cpp, older", 500, {"error": {"code": 500, "message": "the request exceeds the available context size", "type": "exceed_context_size_error"}}),
    ("LM Studio", 400, {"error": "Trying to keep the first 5142 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens."}),
    ("Anthropic", 400, {"error": {"message": "prompt is too long: 214006 tokens > 200000 maximum", "type": "invalid_request_error", "code": None}}),
    ("Gemini", 400, [{"error": {"code": 400, "message": "The input token count (1189996) exceeds the maximum number of tokens allowed (1048576).", "status": "INVALID_ARGUMENT"}}]),
    ("Mistral", 400, {"object": "error", "message": "Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length", "type": "invalid_request_error", "code": "3051"}),
    ("a proxy", 413, b"<html>413 Request Entity Too Large</html>"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body"), [t[1:] for t in TOO_LONG], ids=[t[0] for t in TOO_LONG])
def test_a_prompt_longer_than_the_context_has_a_name_of_its_own(status: int, body: Any) -> None:
    with serving(Raw(body, status)) as server, pytest.raises(LlmTooLong, match="too long for the model"):
        llm(server).complete(ASK)
    assert server.calls == 2, "once more without a limit of the reply, and no retries"


SAID: list[tuple[str, int, Any, type[LlmError], str]] = [
    ("Ollama, not pulled", 404, openai_error('model "qwen3" not found, try pulling it first'), LlmRejected, "knows no model called scripted.*try pulling it first"),
    ("Ollama, an error as text", 404, {"error": "model 'qwen3' not found"}, LlmRejected, "model 'qwen3' not found"),
    ("LM Studio, nothing loaded", 404, {"error": {"message": "No models loaded. Please load a model.", "type": "invalid_request_error", "param": "model", "code": "model_not_found"}}, LlmRejected, "No models loaded"),
    ("FastAPI", 404, {"detail": "Not Found"}, LlmRejected, "no such address.*Not Found"),
    ("Gemini", 403, [{"error": {"code": 403, "message": "API key not valid.", "status": "PERMISSION_DENIED"}}], LlmRejected, "did not accept the key.*API key not valid"),
    ("Azure, filtered", 400, {"error": {"message": "The response was filtered due to the prompt triggering the content management policy.", "type": None, "param": "prompt", "code": "content_filter", "status": 400, "innererror": {}}}, LlmRejected, "filtered due to the prompt"),
    ("Mistral", 401, {"message": "Unauthorized", "request_id": "1"}, LlmRejected, "did not accept the key.*Unauthorized"),
    ("text alone", 502, b"Bad Gateway", LlmError, "failed .502."),
    ("Anthropic, overloaded", 529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, LlmError, "Overloaded"),
    ("OpenAI, quota", 429, openai_error("You exceeded your current quota", None, "insufficient_quota"), LlmRateLimited, "quota"),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind", "words"), [s[1:] for s in SAID], ids=[s[0] for s in SAID])
def test_what_a_server_says_is_passed_on_in_whatever_shape(
    status: int, body: Any, kind: type[LlmError], words: str
) -> None:
    with serving(Raw(body, status)) as server, pytest.raises(kind, match=words):
        llm(server, max_retries=0).complete(ASK)


# ---------------------------------------------------------------- trying again


def test_a_time_to_wait_is_kept_to_in_seconds_and_as_a_date() -> None:
    dated = formatdate(time.time() + 2.9, usegmt=True)  # whole seconds: at least 1.9 from now
    replies = iter(
        [
            Bad(status=429, headers={"retry-after": "1"}),
            Bad(status=503, headers={"retry-after": dated}),
            "at last",
        ]
    )
    with serving(lambda body: next(replies)) as server:
        assert llm(server).complete(ASK).text == "at last"
    one, two = (b - a for a, b in zip(server.times, server.times[1:], strict=False))
    assert one >= 1.0 and two >= 0.5


@pytest.mark.parametrize("header", ["nonsense", "-5", "", "Wed, 99 Foo 2026"])
def test_a_time_that_makes_no_sense_is_waited_as_usual(header: str) -> None:
    replies = iter([Bad(status=429, headers={"retry-after": header}), "at last"])
    with serving(lambda body: next(replies)) as server:
        assert llm(server).complete(ASK).text == "at last"


def test_a_date_gone_by_is_no_wait() -> None:
    replies = iter([Bad(status=429, headers={"retry-after": formatdate(0, usegmt=True)}), "at last"])
    with serving(lambda body: next(replies)) as server:
        assert llm(server).complete(ASK).text == "at last"


@pytest.mark.parametrize("bound", ["timeout", "patience"])
def test_a_wait_that_the_question_has_no_time_for_is_not_begun(bound: str) -> None:
    ask = LlmRequest(ASK.messages, patience=5.0 if bound == "patience" else None)
    asks = "asks to wait 3600 seconds, longer than this question may"
    with (
        serving(Bad(status=429, headers={"retry-after": "3600"})) as server,
        pytest.raises(LlmRateLimited, match=asks),
    ):
        llm(server, timeout=5.0 if bound == "timeout" else 7200.0).complete(ask)
    assert server.calls == 1


def test_stop_ends_a_wait_at_once() -> None:
    flag = threading.Event()

    def refused(body: dict[str, object]) -> Bad:
        threading.Timer(0.2, flag.set).start()
        return Bad(status=429, headers={"retry-after": "30"})

    with serving(refused) as server, pytest.raises(Cancelled):
        llm(server, timeout=60.0).complete(ASK, flag)
    assert server.calls == 1


def test_a_server_that_loads_its_model_is_asked_until_it_has() -> None:
    loading = Raw(
        {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}},
        503,
        {"retry-after": "0.05"},
    )
    replies: list[Reply] = [loading] * 6 + ["at last"]
    with serving(lambda body: replies.pop(0)) as server:
        assert llm(server, max_retries=1).complete(ASK).text == "at last"
    assert server.calls == 7


NEVER = [
    Raw(openai_error("You exceeded your current quota", None, "insufficient_quota"), 429),
    Bad(status=429, headers={"x-should-retry": "false"}),
    Bad(status=400),
    Bad(status=501),
    Raw(said(None, "length")),
]


@pytest.mark.parametrize("reply", NEVER, ids=["quota", "told not to", "400", "501", "cut off"])
def test_what_another_try_cannot_help_is_not_tried_again(reply: Reply) -> None:
    with serving(reply) as server, pytest.raises(LlmError):
        llm(server).complete(ASK)
    assert server.calls == 1


@pytest.mark.parametrize("how", ["drop", "half"])
def test_a_broken_connection_is_tried_again(how: str) -> None:
    replies: list[Reply] = [Bad(how), "at last"]
    with serving(lambda body: replies.pop(0)) as server:
        assert llm(server).complete(ASK).text == "at last"


def test_a_reply_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlagent.adapters.openai_line.MOST_BYTES", 200_000)
    with serving("x" * 300_000) as server:
        with pytest.raises(LlmError, match="no chat completion"):
            llm(server).complete(ASK)
        with pytest.raises(LlmError, match="no chat completion"):
            llm(server, stream=True).complete(ASK)


# ---------------------------------------------------------------- shapes nobody thinks of

_NAMES = st.sampled_from(
    ["choices", "message", "delta", "content", "text", "usage", "logprobs", "top_logprobs", "token", "logprob", "index", "error",
     "finish_reason", "type", "prompt_tokens", "completion_tokens", "prompt_tokens_details", "cached_tokens", "reasoning", "refusal"]
)  # fmt: skip
_LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(-9, 10**9), st.floats(allow_nan=True), st.sampled_from(["", "yes", "text", "stop", "length"])
)  # fmt: skip
SHAPES = st.recursive(
    _LEAVES, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=5)), max_leaves=25
)  # fmt: skip


def read_all(completion: Any) -> None:
    if openai_replies.error_in(completion) is not None:
        openai_faults.words_of(openai_replies.error_in(completion))
        return
    text = openai_replies.text_of(completion)
    usage = openai_replies.usage_of(completion, ASK, text, 0.0)
    chances = openai_replies.chances_of(completion, ("yes", "no"))
    assert (
        isinstance(text, str) and min(usage.prompt_tokens, usage.completion_tokens, usage.cached_tokens) >= 0
    )
    assert all(chance >= 0 for chance in chances.values())


@given(body=SHAPES)
def test_no_shape_of_a_reply_breaks_more_than_the_call(body: Any) -> None:
    for shape in (body, {"choices": [body]}, {"choices": [{"message": body}], "usage": body}):
        with suppress(LlmError):
            read_all(shape)
    whole = {"choices": [{"message": {"content": "yes"}, "logprobs": {"content": body}}]}
    read_all(whole)


@given(events=st.lists(SHAPES, max_size=4))
def test_no_shape_of_a_stream_breaks_more_than_the_call(events: list[Any]) -> None:
    with suppress(LlmError, ValueError):
        read_all(gathered([f"data: {json.dumps(event)}" for event in events]))
    with suppress(LlmError, ValueError):
        read_all(
            gathered([*(f"data: {json.dumps({'choices': [event]})}" for event in events), "data: [DONE]"])
        )
