"""Looking at the data before sampling on, and one question instead of another round, over a real wire."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from scripted_server import Bad, serving, text_of
from scripted_shop import SHOP, Script, asked, ended, stages

from sqlagent.events import Audited, Executed, Sampling
from sqlagent.makers.generation import LOOKS
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Budget, Catalog, Correction, Outcome, Question, Subject

TYPED = Question("Which customers have done orders?")
EMPTY = "SELECT DISTINCT c.name FROM customer c JOIN orders o ON o.customer_id = c.id WHERE o.status = 'done'"
RIGHT = EMPTY.replace("'done'", "'completed'")
LOOK = "LOOK: SELECT DISTINCT status FROM orders"

PAID = "SELECT SUM(total) FROM orders WHERE status = 'completed'"
TOTAL = "SELECT SUM(total) FROM orders"
REVENUE = Question("What is the revenue?")
TIE = '{"why": "", "better": "tie", "confidence": 0.5}'


def is_looking(body: dict[str, Any]) -> bool:
    return "Find the step at which an attempt goes wrong" in text_of(body)


def is_settling(body: dict[str, Any]) -> bool:
    return "Leave aside all in which they agree" in text_of(body)


class Looking(Script):
    """A model that finds nothing until it looks; `looks` are its replies to the looking family, in turn."""

    def __init__(self, *looks: Any, **stages: Any) -> None:
        super().__init__(EMPTY, **stages)
        self.looks = list(looks)

    def __call__(self, body: dict[str, Any]) -> Any:
        if not is_looking(body):
            return super().__call__(body)
        with self.lock:
            return self.looks.pop(0) if len(self.looks) > 1 else self.looks[0]


def seen(server: Any) -> list[str]:
    """Results of looks as the model sees them: the last message of every looking call after the first."""
    bodies = [body for body in server.bodies if is_looking(body)]
    return [body["messages"][-1]["content"] for body in bodies if len(body["messages"]) > 2]


def test_attempts_that_find_nothing_are_told_step_by_step_and_the_model_looks_at_the_data() -> None:
    with serving(Looking(LOOK, f"```sql\n{RIGHT}\n```")) as server:
        events = asked(server, TYPED, privacy="rows", budget=Budget(samples=4, rounds=0))
        looking = [text_of(body) for body in server.bodies if is_looking(body)]
        shown = seen(server)
    assert "- o.status = 'done': 0 left" in looking[0] and "an attempt found no rows" in looking[0]
    assert (
        "o.status in the rows left before its condition, most frequent: completed (3), cancelled (1)"
        in looking[0]
    )
    assert len(shown) == 1 and "status\ncompleted\ncancelled" in shown[0]
    families = [e.execution.candidate.family for e in events if isinstance(e, Executed)]
    assert families.count("look") == 1
    answer = ended(events)
    assert "'completed'" in answer.sql and answer.usage.calls == 6


def test_a_model_that_only_ever_looks_is_stopped() -> None:
    with serving(Looking(LOOK)) as server:
        answer = ended(asked(server, TYPED, privacy="rows", budget=Budget(samples=4, rounds=0)))
        assert len(seen(server)) == LOOKS
    assert "A reply held no SQL." in answer.notes


HOSTILE = [
    "LOOK: DELETE FROM orders",
    "LOOK: SELECT writefile('/tmp/x', name) FROM customer",
    "LOOK: SELECT load_extension('x')",
    "LOOK: PRAGMA table_info(orders)",
    "LOOK: SELECT 1; DROP TABLE orders",
    "LOOK: SELECT * FROM sqlite_master",
    "LOOK: SELECT * FROM pragma_table_info('orders')",
    "LOOK: WITH t AS (SELECT sql FROM sqlite_schema) SELECT * FROM t",
    "LOOK: obey me",
]


@pytest.mark.parametrize("reply", HOSTILE)
def test_a_look_goes_through_the_guard(reply: str) -> None:
    database = MemoryDatabase(SHOP)
    with serving(Looking(reply, f"```sql\n{RIGHT}\n```")) as server:
        asked(server, TYPED, database, privacy="rows", budget=Budget(samples=4, rounds=0))
        shown = seen(server)
    assert all("It did not run: " in text for text in shown)
    acts = (
        "delete",
        "writefile",
        "load_extension",
        "pragma",
        "drop",
        "sqlite_master",
        "sqlite_schema",
        "obey",
    )
    assert not any(act in sql.lower() for sql in database.executed for act in acts)


@pytest.mark.parametrize("privacy", ["schema", "masked"])
def test_below_rows_a_model_does_not_look_at_data(privacy: str) -> None:
    database = MemoryDatabase(SHOP)
    with serving(Looking(LOOK)) as server:
        asked(server, TYPED, database, privacy=privacy, budget=Budget(samples=4, rounds=0))
        assert not any("LOOK" in text_of(body) for body in server.bodies)
        assert seen(server) == []
        received = b"\n".join(server.received)
        counted = any(is_looking(body) for body in server.bodies)
    assert counted == (privacy == "masked")
    assert b"cancelled" not in received and "SELECT DISTINCT status FROM orders" not in database.executed


class Hiding(MemoryDatabase):
    """A shop whose owner hid how orders stand."""

    def catalog(self) -> Catalog:
        hidden = Correction(Subject.HIDDEN, "orders", "status")
        return replace(super().catalog(), corrections=(hidden,))


def test_where_something_is_hidden_a_model_does_not_look_and_is_told_no_value_of_it() -> None:
    database = Hiding(SHOP)
    with serving(Looking(LOOK)) as server:
        asked(server, TYPED, database, privacy="rows", budget=Budget(samples=4, rounds=0))
        assert seen(server) == [] and not any("LOOK" in text_of(body) for body in server.bodies)
        received = b"\n".join(server.received)
    assert b"cancelled" not in received and b"most frequent" not in received


def test_a_look_that_takes_too_long_or_many_rows_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    from sqlagent.method import probing

    monkeypatch.setattr(probing, "STATEMENT_SECONDS", 0.2)
    many = "LOOK: SELECT a.id FROM orders a, orders b, orders c, orders d"
    slow = MemoryDatabase(SHOP, delays={"AS b, orders": 5.0, "orders b": 5.0})
    with serving(Looking(many, f"```sql\n{RIGHT}\n```")) as server:
        asked(server, TYPED, slow, privacy="rows", budget=Budget(samples=4, rounds=0))
        assert "It did not run" in seen(server)[0]
    with serving(Looking(many, f"```sql\n{RIGHT}\n```")) as server:
        asked(server, TYPED, privacy="rows", budget=Budget(samples=4, rounds=0))
        text = seen(server)[0]
    assert text.split("<result>")[1].split("</result>")[0].count("\n") == probing.ROWS + 3 and "\n..." in text


def test_the_auditor_is_told_step_by_step_why_an_attempt_is_empty() -> None:
    with serving(Script(EMPTY)) as server:
        asked(server, TYPED, privacy="rows", budget=Budget(samples=4, rounds=0))
        audits = [
            text_of(body) for body in server.bodies if "another round with other ideas" in text_of(body)
        ]
    assert audits and "- o.status = 'done': 0 left" in audits[0]


# ---------------------------------------------------------------- two answers that stand against each other


class Disputed(Script):
    """A model of two minds, two against two, whose judge cannot tell; `settle` replies to the one question."""

    def __init__(self, settle: Any, **stages: Any) -> None:
        how = {
            "order": '{"order": ["A", "B"]}',
            "duel": TIE,
            "audit": '{"verdict": "present", "reason": "", "unmet": []}',
        }
        super().__init__(PAID, TOTAL, PAID, TOTAL, again=("SELECT 1 FROM orders",), **(how | stages))
        self.settle = settle

    def __call__(self, body: dict[str, Any]) -> Any:
        if is_settling(body):
            return self.settle(body) if callable(self.settle) else self.settle
        return super().__call__(body)


def settled(settle: Any, **how: Any) -> tuple[Any, Any]:
    with serving(Disputed(settle)) as server:
        events = asked(server, REVENUE, budget=Budget(samples=4), **how)
    return events, server


def test_one_question_in_either_order_decides_between_two_answers() -> None:
    events, server = settled(f"They disagree on the status.\n```sql\n{PAID}\n```", privacy="rows")
    answer = ended(events)
    questions = [text_of(body) for body in server.bodies if is_settling(body)]
    assert answer.outcome is Outcome.ANSWERED and "completed" in answer.sql
    assert [e.round for e in events if isinstance(e, Sampling)] == [0, 1]
    assert len(questions) == 2 and len([e for e in events if isinstance(e, Audited)]) == 1
    assert {q.split("(A against B):\n<differences>\n")[1].partition("\n")[0] for q in questions} == {
        "- condition: orders.status = 'completed' against none",
        "- condition: none against orders.status = 'completed'",
    }
    assert all("orders.status = 'completed': holds for 3 of 4 rows" in q for q in questions)
    assert all("- only in A: 1 of 1 different rows, such as " in q for q in questions)
    assert [e.execution.candidate.family for e in events if isinstance(e, Executed)][-2:] == ["settle"] * 2


def test_replies_that_change_with_the_order_leave_a_tie_that_is_told() -> None:
    def first_shown(body: dict[str, Any]) -> str:
        sql = text_of(body).split("[A]\n<sql>\n")[1].split("\n</sql>")[0]
        return f"```sql\n{sql}\n```"

    answer = ended(settled(first_shown)[0])
    assert answer.outcome is Outcome.AMBIGUOUS and len(answer.readings) == 2


@pytest.mark.parametrize(
    "reply", ["I do not know.", Bad(500, b"down"), "```sql\nSELECT nosuch FROM orders\n```"]
)
def test_where_nothing_comes_of_the_question_the_round_goes_on_as_usual(reply: Any) -> None:
    events, server = settled(reply)
    families = [e.execution.candidate.family for e in events if isinstance(e, Executed)]
    assert "requirements" in families or "second_look" in families
    assert ended(events).sql


def test_where_the_auditor_misses_something_nobody_is_asked_to_choose() -> None:
    missing = json.dumps({"verdict": "missing", "reason": "x", "unmet": ["refunds"]})
    with serving(Disputed(f"```sql\n{PAID}\n```", audit=missing)) as server:
        asked(server, REVENUE, budget=Budget(samples=4))
        assert not any(is_settling(body) for body in server.bodies)


@pytest.mark.parametrize("privacy", ["schema", "masked"])
def test_below_rows_the_question_holds_no_stored_value(privacy: str) -> None:
    by = "SELECT status, SUM(total) FROM orders GROUP BY status"
    other = by.replace("SUM(total)", "COUNT(*)")
    script = Disputed(f"```sql\n{by}\n```")
    script.samples = [by, other, by, other]
    with serving(script) as server:
        asked(server, Question("Revenue by status"), budget=Budget(samples=4), privacy=privacy)
        questions = [text_of(body) for body in server.bodies if is_settling(body)]
        received = b"\n".join(server.received)
    assert questions and b"cancelled" not in received and b"completed" not in received
    assert any("only in A: 2 of 2" in q for q in questions) == (privacy == "masked")


def test_a_run_without_further_rounds_asks_no_such_question_and_a_faithful_one_looks_at_nothing() -> None:
    for budget in (Budget(samples=4, rounds=0), replace(Budget.of("faithful"), samples=4)):
        with serving(Disputed(f"```sql\n{PAID}\n```")) as server:
            asked(server, REVENUE, budget=budget, privacy="rows")
            assert not any(is_settling(body) for body in server.bodies), stages(server)
            assert budget.mode == "fast" or not any(is_looking(body) for body in server.bodies)
