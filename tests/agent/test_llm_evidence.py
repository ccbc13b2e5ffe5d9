"""Judge, auditor and second round are shown in what two answers differ and what the data say of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scripted_server import serving, text_of
from scripted_shop import EQUAL, OTHER, RIGHT, SHOP, WRONG, Script, asked, ended, stage, stages

from sqlagent.events import Ranked
from sqlagent.method import probing
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Budget, Outcome, Question

PAID = "SELECT SUM(total) FROM orders WHERE status = 'completed'"
TOTAL = "SELECT SUM(total) FROM orders"
ASKED = Question("What is the revenue of completed orders?")
COUNTED = "orders.status = 'completed': holds for 3 of 4 rows of orders"
VALUES = "most frequent: completed (3), cancelled (1)"


def texts(script: Script, name: str, **how: Any) -> list[str]:
    with serving(script) as server:
        asked(server, ASKED, budget=Budget(samples=4, rounds=how.pop("rounds", 0)), **how)
        return [text_of(body) for body in server.bodies if stage(body) == name]


def test_the_judge_sees_clause_by_clause_and_what_the_data_say_in_both_orders() -> None:
    order = texts(Script(PAID, TOTAL, PAID, TOTAL), "order", privacy="rows")
    assert len(order) == 2
    assert all(f"- {COUNTED}" in text and VALUES in text for text in order)
    assert {"condition: orders.status = 'completed' against none" in text for text in order} == {True, False}
    assert {"condition: none against orders.status = 'completed'" in text for text in order} == {True, False}


def test_a_duel_sees_the_same() -> None:
    script = Script(PAID, TOTAL, PAID, TOTAL, order='{"order": ["A", "B"]}')
    duel = texts(script, "duel", privacy="rows")
    assert len(duel) == 2 and all(COUNTED in text and "Where they differ" in text for text in duel)


def test_the_auditor_sees_what_the_data_say() -> None:
    audit = texts(Script(PAID, TOTAL, PAID, TOTAL), "audit", privacy="rows")
    assert len(audit) == 1 and COUNTED in audit[0]


def test_a_second_round_hears_what_the_data_say() -> None:
    audit = json.dumps({"why": "", "verdict": "missing", "reason": "x", "unmet": ["y"]})
    again = texts(Script(PAID, TOTAL, PAID, TOTAL, audit=audit), "sample", privacy="rows", rounds=1)[4:]
    assert again and any(f"- the data: {COUNTED}" in text for text in again)


@pytest.mark.parametrize(("privacy", "is_counted"), [("schema", False), ("masked", True), ("rows", True)])
def test_figures_go_out_only_where_the_source_allows_them_and_values_only_with_rows(
    privacy: str, is_counted: bool
) -> None:
    database = MemoryDatabase(SHOP)
    order = texts(Script(PAID, TOTAL, PAID, TOTAL), "order", privacy=privacy, database=database)
    assert all((COUNTED in text) == is_counted for text in order)
    assert all((VALUES in text) == (privacy == "rows") for text in order)
    assert all("cancelled" not in text for text in order) or privacy == "rows"
    assert all("Where they differ, clause by clause" in text for text in order)
    assert any("CASE WHEN" in sql for sql in database.executed) == is_counted


def test_a_stored_spelling_that_was_put_in_is_masked_in_a_condition() -> None:
    database = MemoryDatabase(SHOP.replace("'completed'", "'kompletto 7'"))
    typed = Question("What is the revenue of kompleto 7 orders?")
    with serving(Script(PAID.replace("completed", "kompleto 7"), TOTAL)) as server:
        asked(server, typed, budget=Budget(samples=4, rounds=0), privacy="masked", database=database)
        received = b"\n".join(server.received)
    assert any("kompletto 7" in sql for sql in database.executed)
    assert b"kompletto" not in received


def test_a_probe_that_fails_or_hangs_costs_nothing_but_its_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probing, "STATEMENT_SECONDS", 0.1)
    database = MemoryDatabase(SHOP, delays={"CASE WHEN": 5.0}, failures={"DISTINCT": "no"})
    with serving(Script(PAID, TOTAL, PAID, TOTAL)) as server:
        answer = ended(
            asked(server, ASKED, budget=Budget(samples=4, rounds=0), privacy="rows", database=database)
        )
        order = [text_of(body) for body in server.bodies if stage(body) == "order"]
    assert answer.sql and len(order) == 2
    assert all("What the data say" not in text for text in order)


def test_answers_that_differ_in_presentation_alone_meet_no_judge() -> None:
    one = "SELECT country.name, COUNT(*) FROM customer JOIN country ON country.id = customer.country_id GROUP BY country.name"
    other = one.replace("country.name, COUNT(*)", "COUNT(*), country.name")
    with serving(Script(one, other, one, other)) as server:
        answer = ended(
            asked(server, Question("How many customers are in each country?"), budget=Budget(samples=4))
        )
        found = stages(server)
    assert answer.size == answer.pool and not {"order", "duel"} & set(found)


def test_a_tie_is_told_as_a_tie_and_both_readings_are_offered() -> None:
    script = Script(
        PAID,
        TOTAL,
        PAID,
        TOTAL,
        order='{"order": ["A", "B"]}',
        duel='{"why": "", "better": "tie", "confidence": 0.5}',
    )
    with serving(script) as server:
        events = asked(server, ASKED, budget=Budget(samples=4, rounds=0))
    answer = ended(events)
    assert next(e for e in events if isinstance(e, Ranked)).ranking.tied
    assert (answer.outcome, answer.reason) == (
        Outcome.AMBIGUOUS,
        "Two readings are equally likely; pick the one you meant.",
    )
    assert len(answer.readings) == 2


def test_a_judge_that_keeps_its_word_weighs_more_than_the_votes_and_one_that_does_not_less() -> None:
    def score(order: Any) -> float:
        with serving(Script(WRONG, RIGHT, OTHER, WRONG, EQUAL, OTHER, WRONG, **order)) as server:
            events = asked(server, budget=Budget(samples=8, rounds=0))
        ranking = next(e for e in events if isinstance(e, Ranked)).ranking
        return next(r.score for r in ranking.groups if "Norway" in r.representative.sql)

    steady = score({})
    unsteady = score({"order": '{"order": ["A", "B", "C"]}', "duel": '{"better": "A"}'})
    assert steady > unsteady
