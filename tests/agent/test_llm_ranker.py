"""A model that only ranks, behind a server of its own: marks by log-probability or words, pairs by letter, and its faults."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import log
from typing import Any

import pytest
from scripted_server import Bad, Raw, Reply, ScriptedServer, serving
from scripted_shop import EQUAL, OTHER, RIGHT, WRONG, Script, asked, ended, shown, stage, stages

from sqlagent.adapters.openai import OpenAiLlm
from sqlagent.events import Event
from sqlagent.values import Budget

FAITHFUL = Budget(first=0, samples=4, mode="faithful", audit="always", rounds=0, calls=200)


@pytest.fixture(autouse=True)
def nothing_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """A port may be given twice: what an earlier test's server would not have is forgotten."""
    monkeypatch.setattr("sqlagent.adapters.openai._unwelcome", {})


def told(word: str, **chances: float) -> Raw:
    """A reply of one word, with the log-probabilities of some as its first."""
    top = [
        {"token": f" {name.capitalize()}", "logprob": log(chance), "bytes": None}
        for name, chance in chances.items()
    ]
    logprobs = (
        {"content": [{"token": word, "logprob": -0.1, "bytes": None, "top_logprobs": top}]}
        if chances
        else None
    )
    message = {"role": "assistant", "content": word}
    return Raw({"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "stop", "message": message, "logprobs": logprobs}]})  # fmt: skip


def knows(body: dict[str, Any], *, is_told: bool = True) -> Reply:
    """Reply as a trained ranker would: it knows that Norway has to be filtered on."""
    if stage(body) == "point":
        is_right = "'Norway'" in str(body["messages"][-1]["content"])
        chance = 0.9 if is_right else 0.2
        return told("yes" if is_right else "no", **({"yes": chance, "no": 1 - chance} if is_told else {}))
    best = [letter for letter, sql in shown(body).items() if "'Norway'" in sql]
    if len(best) != 1:
        return told("A", **({"a": 0.5, "b": 0.5} if is_told else {}))
    return told(
        best[0], **({best[0].lower(): 0.8, "ab".replace(best[0].lower(), ""): 0.2} if is_told else {})
    )


@contextmanager
def ranked(
    ranker: Any, maker: Any, budget: Budget = FAITHFUL
) -> Iterator[tuple[ScriptedServer, ScriptedServer, list[Event]]]:
    with serving(ranker) as server, serving(maker) as made:
        model = OpenAiLlm(base_url=server.base_url, model="ranker-7b", timeout=5.0, max_retries=0)
        yield server, made, asked(made, budget=budget, ranker=model)


WRONGLY = {"marks": '{"marks": {"C1": 1, "C2": 1, "C3": 1, "C4": 1}}', "duel": '{"better": "tie"}'}


@pytest.mark.parametrize("is_told", [True, False], ids=["log-probabilities", "words"])
def test_a_ranker_marks_and_compares_in_the_makers_place(is_told: bool) -> None:
    maker = Script(WRONG, WRONG, RIGHT, OTHER, **WRONGLY)
    with ranked(lambda body: knows(body, is_told=is_told), maker) as (server, made, events):
        answer = ended(events)
    assert answer.rows is not None and answer.rows.rows == ((2,),), (
        "the vote and the maker would have it otherwise"
    )
    found = stages(server)
    assert found.count("point") == 3 and found.count("pair") == 6, "three texts, three pairs in both orders"
    assert not {"marks", "duel", "point", "pair"} & set(stages(made))
    assert all(body["logprobs"] and body["model"] == "ranker-7b" for body in server.bodies)
    assert not any("ranker" in note for note in answer.notes)
    assert answer.usage.calls == server.calls + made.calls == len(answer.sent)


def test_a_ranker_costs_nothing_where_there_is_one_result() -> None:
    with ranked(knows, Script(RIGHT, EQUAL), Budget()) as (server, _, events):
        assert ended(events).size == 2
    assert server.calls == 0


def test_in_the_usual_mode_a_ranker_marks_where_results_differ() -> None:
    with ranked(knows, Script(WRONG, RIGHT, WRONG, OTHER), Budget(samples=4, rounds=0)) as (server, made, _):
        assert "point" in stages(server)
    assert stages(made).count("order") == 2, "the listwise judge stays the maker's"


SILENT: list[tuple[str, Reply]] = [
    ("refuses", Bad(status=500)),
    ("is not there", Bad("drop")),
    ("has no such model", Bad(status=404)),
    ("talks", "It depends on what you mean."),
    ("is empty", told("")),
]


@pytest.mark.parametrize("reply", [s[1] for s in SILENT], ids=[s[0] for s in SILENT])
def test_where_the_ranker_gives_nothing_the_makers_model_judges_and_the_run_says_so(reply: Reply) -> None:
    with ranked(reply, Script(WRONG, WRONG, RIGHT, OTHER)) as (server, made, events):
        answer = ended(events)
    assert answer.rows is not None and answer.rows.rows == ((2,),)
    assert server.calls <= 6, "two silences and the calls then on their way, and no more"
    assert {"marks", "duel"} <= set(stages(made))
    assert any(
        note.startswith("The ranker ranker-7b gave no verdict, so scripted or") for note in answer.notes
    )


def test_where_ranker_and_judge_are_down_features_judge() -> None:
    script = Script(
        WRONG, WRONG, RIGHT, OTHER, marks=Bad(status=500), duel=Bad(status=500), audit=Bad(status=500)
    )
    with ranked(Bad(status=500), script) as (_, _, events):
        answer = ended(events)
    assert answer.sql
    assert any("The ranker" in note for note in answer.notes)
    assert any("deterministic features judged instead" in note for note in answer.notes)


def test_the_ranker_counts_into_the_budget_of_the_question() -> None:
    budget = Budget(first=0, samples=4, mode="faithful", audit="always", rounds=0, calls=6)
    with ranked(knows, Script(WRONG, WRONG, RIGHT, OTHER), budget) as (server, made, events):
        answer = ended(events)
    assert server.calls + made.calls == 6 == answer.usage.calls
    assert any("used up (6 of 6 calls)" in note and "best of what was found" in note for note in answer.notes)
