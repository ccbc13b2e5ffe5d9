"""What is found in replies, however they are wrapped: one line of a cases file each."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlagent.prompts import replies

CASES = Path(__file__).parent / "cases" / "replies"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("case", read("sql"), ids=lambda case: case["name"])
def test_the_final_sql_is_found(case: dict[str, Any]) -> None:
    assert replies.sql_in(case["reply"]) == case["sql"]


@pytest.mark.parametrize("case", read("order"), ids=lambda case: case["reply"][:40])
def test_an_order_of_letters_is_found(case: dict[str, Any]) -> None:
    assert list(replies.letters_in(case["reply"], case["count"])) == case["order"]


@pytest.mark.parametrize(
    ("reply", "missing"),
    [
        ("UNANSWERABLE: no table holds the weather", "no table holds the weather"),
        ("**UNANSWERABLE**: no\nweather", "no weather"),
        ("<think>hm</think>\nUNANSWERABLE", "the facts asked for"),
        ("It is not unanswerable: SELECT 1", ""),
        ("", ""),
    ],
)
def test_a_reply_can_say_that_the_schema_has_no_answer(reply: str, missing: str) -> None:
    assert replies.declined_in(reply) == missing


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet="`~{}[]<>/:;'\"\n sqlSELECTwithjson think12AB>", max_size=120))
def test_no_reply_breaks_a_reader(reply: str) -> None:
    assert isinstance(replies.sql_in(reply), str)
    assert isinstance(replies.json_in(reply), dict)
    assert all(0 <= i < 4 for i in replies.letters_in(reply, 4))
    assert isinstance(replies.declined_in(reply), str)
