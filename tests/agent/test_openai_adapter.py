"""The adapter against a real HTTP server on loopback that replies, refuses, hangs and breaks off as told."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest
from scripted_server import Bad, Raw, Skipping, serving

from sqlagent.adapters.openai import OpenAiLlm
from sqlagent.errors import Cancelled, LlmError, LlmRateLimited, LlmRejected, LlmUnreachable
from sqlagent.ports import Llm
from sqlagent.values import LlmMessage, LlmRequest, Prices, Usage

KEY = "sk-very-secret-key-0123456789"
ASK = LlmRequest((LlmMessage("system", "be brief"), LlmMessage("user", "one?")), 0.7, 123, 42, "test")


@pytest.fixture(autouse=True)
def nothing_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port may be given twice: what an earlier test's server would not have is forgotten."""
    monkeypatch.setattr("sqlagent.adapters.openai._unwelcome", {})


def llm(url: str, **settings: object) -> OpenAiLlm:
    return OpenAiLlm(**{"base_url": url, "model": "scripted", "api_key": KEY, "timeout": 2.0, **settings})  # type: ignore[arg-type]


def test_it_speaks_the_port() -> None:
    assert isinstance(llm("http://127.0.0.1:9/v1"), Llm)


def test_a_call_carries_messages_temperature_seed_and_key_and_counts_what_it_cost() -> None:
    with serving("SELECT 1") as server:
        model = llm(server.base_url)
        reply = model.complete(ASK)
    body = server.bodies[0]
    assert reply.text == "SELECT 1"
    assert body["messages"] == [
        {"role": "system", "content": "be brief"},
        {"role": "user", "content": "one?"},
    ]
    assert (body["temperature"], body["max_tokens"], body["seed"], body["model"]) == (
        0.7,
        123,
        42,
        "scripted",
    )
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert (reply.usage.calls, reply.usage.prompt_tokens, reply.usage.completion_tokens) == (1, 3, 2)
    assert model.usage == reply.usage and reply.usage.seconds > 0


def test_tokens_are_estimated_where_the_server_counts_none() -> None:
    with serving("x" * 40, usage=False) as server:
        usage = llm(server.base_url).complete(ASK).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.estimated_tokens) == (3, 10, 13)


def test_a_connection_is_used_again() -> None:
    with serving("yes") as server:
        model = llm(server.base_url)
        for _ in range(3):
            model.complete(ASK)
        assert len(model._idle) == 1
        model.close()
        model.close()


def test_a_busy_server_is_asked_again_after_the_time_it_names() -> None:
    replies = iter(
        [
            Bad(status=429, headers={"retry-after-ms": "150"}),
            Bad(status=503, headers={"retry-after-ms": "1"}),
            "at last",
        ]
    )
    with serving(lambda body: next(replies)) as server:
        assert llm(server.base_url).complete(ASK).text == "at last"
    assert server.calls == 3
    assert server.times[1] - server.times[0] >= 0.15


FAULTS: list[tuple[Bad, type[LlmError], str]] = [
    (Bad(status=429, headers={"retry-after-ms": "10"}), LlmRateLimited, "too many requests"),
    (Bad(status=401, message=f"Incorrect API key: {KEY}"), LlmRejected, "did not accept the key"),
    (Bad(status=403), LlmRejected, "did not accept the key"),
    (Bad(status=404, message="no such model"), LlmRejected, "knows no model called scripted"),
    (Bad(status=400, message="context length exceeded"), LlmRejected, "context length exceeded"),
    (Bad(status=413), LlmRejected, "refused the request (413)"),
    (Bad(status=500), LlmError, "failed (500)"),
    (Bad("nonsense"), LlmError, "no chat completion"),
    (Bad("nonsense", body=b'{"hello": 1}'), LlmError, "no chat completion"),
    (Bad("nonsense", body=b'{"choices": []}'), LlmError, "no chat completion"),
    (Bad("nonsense", body=b'{"choices": [{"message": null}]}'), LlmError, ""),
    (Bad("nonsense", body=b"{cut"), LlmError, "no chat completion"),
    (Bad("nonsense", body=b"\xff\xfe\x00"), LlmError, "no chat completion"),
    (Bad("nonsense", body=b"[]"), LlmError, "no chat completion"),
    (Bad("half"), LlmUnreachable, "could not be reached"),
    (Bad("drop"), LlmUnreachable, "could not be reached"),
]


@pytest.mark.parametrize(("bad", "kind", "words"), FAULTS, ids=lambda v: str(getattr(v, "status", "")))
def test_faults_have_names_and_plain_words_and_never_the_key(
    bad: Bad, kind: type[LlmError], words: str
) -> None:
    with serving(bad) as server:
        model = llm(server.base_url, max_retries=0)
        if words:
            with pytest.raises(kind) as caught:
                model.complete(ASK)
            assert words in str(caught.value)
            assert KEY not in str(caught.value) and KEY not in repr(caught.value.__context__)
            assert model.usage.calls == 1
        else:
            assert model.complete(ASK).text == ""


@pytest.mark.parametrize(
    ("reply", "tries", "tokens"),
    [
        (Bad("hang"), 3, 3),
        (Bad("dribble"), 3, 3),
        (Bad("half"), 1, 3),
        (Bad("drop"), 2, 6),
        (Bad("nonsense"), 1, 3),
        (Bad(status=500), 2, 6),
        (Bad(status=504), 1, 3),
        (Bad(status=503), 1, 0),
        (Bad(status=429), 1, 0),
        (Bad(status=401), 1, 0),
        (Bad(status=404), 1, 0),
        (Bad(status=413), 1, 0),
        (None, 2, 0),
    ],
    ids=lambda one: f"{one.how}-{one.status}" if isinstance(one, Bad) else str(one),
)
def test_a_prompt_that_was_sent_in_vain_is_estimated_unless_the_server_refused_it(
    reply: Bad | None, tries: int, tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(reply or "x") as server:
        monkeypatch.setattr("sqlagent.adapters.openai.time", Skipping(server))
        url = server.base_url if reply else "http://127.0.0.1:9/v1"
        prices = Prices(1_000_000.0, 1_000_000.0, 0.0)
        model = llm(url, max_retries=tries - 1, timeout=30.0, prices=prices)
        with pytest.raises(LlmError) as caught:
            model.complete(ASK)
    found = model.usage
    assert (found.calls, found.prompt_tokens, found.estimated_tokens) == (1, tokens, tokens)
    assert (found.completion_tokens, found.money) == (0, pytest.approx(tokens))
    assert caught.value.usage == (found if tokens else Usage())


def test_a_try_in_vain_counts_with_the_reply_that_came_after_it() -> None:
    replies = iter([Bad("drop"), Bad(status=503, headers={"retry-after-ms": "1"}), "at last"])
    with serving(lambda body: next(replies)) as server:
        found = llm(server.base_url).complete(ASK).usage
    assert (found.calls, found.prompt_tokens, found.estimated_tokens) == (1, 3 + 3, 3)


def test_a_reply_that_is_of_no_use_costs_what_the_server_counted() -> None:
    said = {"choices": [{"message": {"content": "", "reasoning": "hm"}, "finish_reason": "length"}]}
    with serving(Raw(said | {"usage": {"prompt_tokens": 90, "completion_tokens": 123}})) as server:
        model = llm(server.base_url)
        with pytest.raises(LlmError, match="used up its tokens"):
            model.complete(ASK)
    assert (model.usage.prompt_tokens, model.usage.completion_tokens) == (90, 123)
    assert model.usage.estimated_tokens == 0


def test_no_server_at_all_is_said_in_words() -> None:
    with pytest.raises(LlmUnreachable, match="Is the server running"):
        llm("http://127.0.0.1:9/v1", max_retries=0).complete(ASK)


@pytest.mark.parametrize("how", ["hang", "dribble"])
def test_a_server_that_never_finishes_is_given_up(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Bad(how)) as server:
        monkeypatch.setattr("sqlagent.adapters.openai.time", Skipping(server))
        begun = time.monotonic()
        with pytest.raises(LlmUnreachable, match="no reply within"):
            llm(server.base_url, timeout=30.0, max_retries=2).complete(ASK)
        assert time.monotonic() - begun < 3
        assert server.calls == 1


def test_a_cancelled_call_hangs_up_at_once() -> None:
    with serving("late", seconds=20) as server:
        flag, model = server.waiting, llm(server.base_url, timeout=30)
        begun = time.monotonic()
        with pytest.raises(Cancelled):
            model.complete(ASK, flag)
        assert time.monotonic() - begun < 3
        assert server.hung_up.wait(3), "the server still holds the connection"
        with pytest.raises(Cancelled):
            model.complete(ASK, flag)
        assert server.calls == 1
    assert model.usage.calls == 1, "what was sent is a call, what was not is none"
    assert (model.usage.prompt_tokens, model.usage.estimated_tokens) == (3, 3)


def test_cancelling_one_call_leaves_the_others_alone() -> None:
    flag, is_cancelled, replies = threading.Event(), threading.Event(), list[str]()
    both_asked = threading.Barrier(2, action=flag.set, timeout=10)

    def script(body: dict[str, object]) -> str:
        both_asked.wait()
        assert is_cancelled.wait(10)
        return "fine"

    with serving(script) as server:
        model = llm(server.base_url, timeout=30.0)
        thread = threading.Thread(target=lambda: replies.append(model.complete(ASK).text))
        thread.start()
        with pytest.raises(Cancelled):
            model.complete(ASK, flag)
        is_cancelled.set()
        thread.join(10)
    assert replies == ["fine"]


@pytest.mark.parametrize(
    ("refused", "gone", "instead"),
    [
        ("max_tokens", "max_tokens", "max_completion_tokens"),
        ("temperature", "temperature", None),
        ("seed", "seed", None),
    ],
)
def test_a_setting_the_server_will_not_have_is_left_out_from_then_on(
    refused: str, gone: str, instead: str | None
) -> None:
    def script(body: dict[str, object]) -> str | Bad:
        if refused in body:
            return Bad(
                status=400, message=f"Unsupported parameter: '{refused}' is not supported", param=refused
            )
        return "ok"

    with serving(script) as server:
        model = llm(server.base_url)
        assert [model.complete(ASK).text for _ in range(2)] == ["ok", "ok"]
    assert server.calls == 3
    assert gone not in server.bodies[-1]
    assert instead is None or server.bodies[-1][instead] == 123


def test_a_prompt_that_fits_without_a_limit_is_sent_without_one() -> None:
    def script(body: dict[str, object]) -> str | Bad:
        if "max_tokens" in body or "max_completion_tokens" in body:
            words = "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens"
            return Bad(status=400, message=words)
        return "ok"

    with serving(script) as server:
        assert llm(server.base_url).complete(ASK).text == "ok"
    assert server.calls == 2


def test_a_model_that_only_thought_is_told_from_one_that_said_nothing() -> None:
    thought = b'{"choices": [{"index": 0, "finish_reason": "length", "message": {"role": "assistant", "content": null}}]}'
    with (
        serving(Bad("nonsense", body=thought)) as server,
        pytest.raises(LlmError, match="used up its tokens"),
    ):
        llm(server.base_url).complete(ASK)


BROKEN: list[tuple[Callable[[], OpenAiLlm], str]] = [
    (lambda: llm("http://127.0.0.1:9", model=" "), "LLM_MODEL"),
    (lambda: llm("localhost:11434/v1"), "LLM_BASE_URL"),
    (lambda: llm("file:///etc/passwd"), "LLM_BASE_URL"),
    (lambda: llm("http://127.0.0.1:9", api_key="two\nlines"), "LLM_API_KEY"),
]


@pytest.mark.parametrize(("make", "name"), BROKEN)
def test_settings_that_cannot_work_are_named_at_once(make: Callable[[], OpenAiLlm], name: str) -> None:
    with pytest.raises(LlmRejected, match=name):
        make()


def test_many_calls_run_at_the_same_time() -> None:
    together = threading.Barrier(4, timeout=10)

    def script(body: dict[str, object]) -> str:
        together.wait()
        return "yes"

    with serving(script) as server:
        model = llm(server.base_url)
        threads = [threading.Thread(target=model.complete, args=(ASK,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert server.most_open == 4 and model.usage.calls == 4
