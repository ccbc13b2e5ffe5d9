"""The rules of the system message: each contradiction that a language model once found in them stays settled."""

from __future__ import annotations

import re

import pytest

from sqlagent import prompts
from sqlagent.prompts import replies

RULES = prompts.source("system")
MOST_CHARS = 4_800
"""The rules are read with every call: a new one makes room for itself."""


def rule(number: int) -> str:
    found = re.search(rf"^{number}\. (.+)$", RULES, re.MULTILINE)
    assert found, number
    return found.group(1)


@pytest.mark.parametrize(
    ("number", "says", "no_longer"),
    [
        (6, "not that it is a condition", "use that column"),
        (6, "a *guess* may be wrong", ""),
        (6, "even if nothing may match", ""),
        (19, "decides over rules 1 to 18", "taken literally"),
        (19, "Leave what of it cannot be right", ""),
        (19, "only a value's spelling follows an *exact* line", ""),
        (2, 'unless the question or the hint joins them ("full name", a || b, a + b)', "not one joined text"),
        (9, "A plural without a number", '"the most" mean n = 1'),
        (9, 'ROW_NUMBER() <= n in "top n of each"', ""),
        (2, "Of a code show the label where a table holds it", ""),
        (14, "LIMIT only by rule 9", "when it says how many"),
        (5, '"stays" took place', "none that they do not state"),
        (5, '"orders" alone are all orders', ""),
        (7, '"How many X? Name them all" returns the names', ""),
        (11, "cents in euros: / 100.0", ""),
        (11, "A stored share may run from 0 to 1 or to 100", ""),
        (11, "Share, percentage and rate are 100.0 *", ""),
        (17, "2025, 2025-Q1, 2025-03", ""),
        (8, "A NULL in X is a group of its own", ""),
        (8, '("payments by method") are counted', ""),
        (1, '"top 5 products by revenue"', ""),
        (1, 'one only sorted by is not: "names of singers by age"', "no id, name, count or sort column"),
    ],
)
def test_a_rule_settles_what_was_contradicted_or_left_open(number: int, says: str, no_longer: str) -> None:
    assert says in rule(number)
    assert not no_longer or no_longer not in RULES


def test_the_rules_are_numbered_as_they_are_referred_to_and_stay_short() -> None:
    numbers = [int(n) for n in re.findall(r"^(\d+)\. ", RULES, re.MULTILINE)]
    assert numbers == list(range(1, 20))
    everything = "\n".join(prompts.source(name) for name in prompts.names())
    referred = {int(n) for n in re.findall(r"\brules? (\d+)", everything)}
    assert referred <= set(numbers)
    assert "values" in rule(6) and "(rule 6)" in prompts.source("task")
    assert "Hint" in rule(19) and "(rule 19)" in prompts.source("task")
    assert len(RULES) <= MOST_CHARS


def test_a_line_about_a_hint_that_was_left_stands_beside_the_sql() -> None:
    reply = "Left of the hint: column zip does not exist; with it no SQL is possible.\n```sql\nSELECT 1\n```"
    assert replies.sql_in(reply) == "SELECT 1" and replies.declined_in(reply) == ""
