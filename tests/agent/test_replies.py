"""SQL, JSON and refusals in replies, however they are wrapped: each case is one line of a file."""

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


PROSE = "I think that we select the names from the city table where it is. " * 1_600
HUGE = {
    "prose": PROSE,
    "prose, then SQL": f"{PROSE}\n```sql\nSELECT name FROM city\n```",
    "lines that begin like SQL": "SELECT a FROM t WHERE x and then\n" * 3_200,
    "one block": "```sql\nSELECT name FROM city WHERE id IN ("
    + ", ".join(map(str, range(15_000)))
    + ")\n```",
    "blocks that never end": "```sql\n" * 14_000,
    "thoughts that never end": "<think>" * 14_000,
    "braces": "{" * 100_000,
    "nested JSON": '{"a":' * 16_000,
    "brackets": "SELECT " + "(" * 100_000,
    "blank lines": "\n \t" * 33_000,
    "comments": "/**/" * 25_000 + "x",
    "letters": "A > " * 25_000,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HUGE)
def test_a_reply_of_100_kilobytes_holds_nobody_up(name: str) -> None:
    """Each reader took minutes for some of these; the suite's own time limit is what fails the test."""
    reply = HUGE[name]
    sql = replies.sql_in(reply)
    assert sql == "SELECT name FROM city" if name == "prose, then SQL" else isinstance(sql, str)
    assert sql.startswith("SELECT name FROM city WHERE id IN (0, 1,") is (name == "one block")
    assert replies.declined_in(reply) == ""
    assert isinstance(replies.json_in(reply), dict) and len(replies.letters_in(reply, 4)) <= 4
