"""How many calls a question takes: two where they agree and the checks pass, more where they do not."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from sqlagent import pipeline
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import LlmUnreachable, SqlAgentError
from sqlagent.events import Audited, Checked, Ended, Event, Executed, Grouped, Noted, Ranked
from sqlagent.method import answer_checks, linking
from sqlagent.testing import MemoryDatabase, ScriptedLlm
from sqlagent.values import (
    Answer,
    Budget,
    Candidate,
    CodeLabel,
    ColumnRef,
    Execution,
    Limits,
    LlmRequest,
    Outcome,
    Question,
)

SHOP = """
CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE invoice (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id), status TEXT, total REAL, day TEXT);
INSERT INTO customer VALUES (1, 'Ann', 'Norway'), (2, 'Bob', 'Norway'), (3, 'Cid', 'France');
INSERT INTO invoice VALUES (1, 1, 'paid', 10, '2024-05-01'), (2, 1, 'open', 20, '2025-01-02'), (3, 3, 'paid', 30, '2025-02-03');
"""
ASKED = "How many customers are from Norway?"
RIGHT = "SELECT COUNT(*) FROM customer WHERE country = 'Norway'"
EQUAL = "SELECT COUNT(c.id) FROM customer AS c WHERE c.country IN ('Norway')"
WRONG = "SELECT COUNT(*) FROM customer"
FINE = json.dumps({"verdict": "present", "reason": "fine", "unmet": []})
Reply = str | SqlAgentError


def model(
    *samples: Reply, audit: str = FINE, order: str = '{"order": ["A", "B", "C"]}', seconds: float = 0
) -> ScriptedLlm:
    """A model whose samples come in turn, the last one again and again; judges say what they are told."""
    left, lock = list(samples), threading.Lock()

    def reply(request: LlmRequest) -> Reply:
        if not request.purpose.startswith("sample:"):
            return audit if request.purpose == "judge:audit" else order
        with lock:
            said = left.pop(0) if len(left) > 1 else left[0]
        return f"```sql\n{said}\n```" if isinstance(said, str) and said.startswith("SELECT") else said

    return ScriptedLlm(reply, seconds=seconds)


def purposes(llm: ScriptedLlm) -> list[str]:
    return sorted(request.purpose for request in llm.requests)


def asked(llm: ScriptedLlm, text: str = ASKED, **how: object) -> list[Event]:
    database = how.pop("database", None) or MemoryDatabase(SHOP)
    assert isinstance(database, MemoryDatabase)
    index = ValueIndex.build(database.catalog(), database)
    budget = how.get("budget") or Budget()
    assert isinstance(budget, Budget)
    how["budget"] = replace(
        budget, frame=bool(how.pop("frame", False))
    )  # the model alone, unless a test says otherwise
    return list(pipeline.answer(Question(text), database=database, index=index, llm=llm, **how))  # type: ignore[arg-type]


def ended(events: Sequence[Event]) -> Answer:
    last = events[-1]
    assert isinstance(last, Ended)
    return last.answer


def kinds(events: Sequence[Event]) -> list[type]:
    return [type(event) for event in events]


@pytest.mark.parametrize("name", ["quick", "normal"])
def test_two_that_agree_and_pass_the_checks_are_the_whole_cost(name: str) -> None:
    llm = model(RIGHT, EQUAL)
    events = asked(llm, budget=Budget.of(name))
    answer = ended(events)
    assert purposes(llm) == ["sample:columns", "sample:direct"]
    assert (answer.outcome, answer.size, answer.pool, answer.usage.calls) == (Outcome.ANSWERED, 2, 2, 2)
    assert answer.reason == "Two attempts agreed and the checks passed."
    assert answer.confidence >= 0.9
    assert Audited not in kinds(events)
    assert [e for e in events if isinstance(e, Checked)] == [Checked(2, ())]


def test_a_thorough_budget_asks_four_and_no_auditor_where_they_agree_and_pass() -> None:
    llm = model(RIGHT, EQUAL)
    answer = ended(asked(llm, budget=Budget.of("thorough")))
    assert purposes(llm) == ["sample:columns", "sample:direct", "sample:divide", "sample:plan"]
    assert answer.reason == "Four attempts agreed and the checks passed."


def test_a_faithful_budget_always_asks_the_auditor_and_never_stops_early() -> None:
    llm = model(RIGHT)
    events = asked(llm, budget=Budget.of("faithful"))
    assert [p.partition(":")[0] for p in purposes(llm)] == ["judge", *["sample"] * 8]
    assert Checked not in kinds(events) and Audited in kinds(events)


def test_two_that_disagree_are_widened_to_the_readings_and_then_audited() -> None:
    llm = model(RIGHT, RIGHT.replace("Norway", "France"), EQUAL, EQUAL)
    events = asked(llm, budget=Budget(samples=4))
    assert purposes(llm) == [
        "judge:audit",
        "sample:columns",
        "sample:direct",
        "sample:plan",
        "sample:second_look",
    ]
    answer = ended(events)
    assert answer.rows is not None and answer.rows.rows == ((2,),)
    assert answer.confidence < 0.9 and Checked not in kinds(events)


def test_two_that_disagree_in_their_tables_are_widened_by_plans() -> None:
    joined = "SELECT COUNT(*) FROM customer JOIN invoice ON invoice.customer_id = customer.id WHERE country = 'Norway' AND status = 'paid'"
    llm = model(RIGHT, joined, EQUAL, EQUAL)
    asked(llm, budget=Budget(samples=4))
    assert {"sample:plan", "sample:divide"} < set(purposes(llm))


NAMES = "SELECT name, country FROM customer WHERE country = 'Norway'"
TURNED = "SELECT country, name FROM customer WHERE country = 'Norway'"


def test_two_that_differ_in_their_presentation_alone_agree_and_no_judge_is_asked() -> None:
    llm = model(TURNED, NAMES)
    events = asked(llm, "Give name and country of the customers from Norway")
    answer = ended(events)
    assert purposes(llm) == ["sample:columns", "sample:direct"]
    assert (answer.sql, answer.size, answer.readings) == (NAMES, 2, ())
    ranked = next(e for e in events if isinstance(e, Ranked)).ranking
    assert len(ranked.groups) == 1 and any("another form" in reason for reason in ranked.groups[0].reasons)


def test_the_papers_mode_keeps_presentations_apart() -> None:
    llm = model(*[NAMES] * 4, TURNED)
    events = asked(llm, "Give name and country of the customers from Norway", budget=Budget.of("faithful"))
    ranked = next(e for e in events if isinstance(e, Ranked)).ranking
    assert [r.group.size for r in ranked.groups] == [4, 4] and llm.asked("judge:duel")


def test_a_second_round_that_turns_the_columns_is_no_new_winner() -> None:
    missing = json.dumps({"verdict": "missing", "reason": "unsure", "unmet": ["something"]})
    text = "Give name and country of the customers from Norway, please, in 1999"
    events = asked(model(*[NAMES] * 4, TURNED, audit=missing), text)
    assert ended(events).sql == NAMES and ended(events).size == 8


def test_a_quick_budget_ends_after_four_without_an_auditor() -> None:
    llm = model(RIGHT, WRONG, EQUAL, EQUAL)
    events = asked(llm, budget=Budget.of("quick"))
    assert len(llm.requests) == 4 and Audited not in kinds(events)
    assert ended(events).reason == "3 of 4 attempts agree."


def test_an_agreement_that_leaves_something_out_goes_on_and_is_told_what() -> None:
    text = "How many invoices were paid in 2025?"
    short, whole = (
        "SELECT COUNT(*) FROM invoice WHERE status = 'paid'",
        "SELECT COUNT(*) FROM invoice WHERE status = 'paid' AND day >= '2025-01-01'",
    )
    llm = model(short, short, whole, whole)
    events = asked(llm, text, budget=Budget(samples=4))
    checked = next(e for e in events if isinstance(e, Checked))
    assert checked.size == 2 and "the SQL leaves out “2025”" in checked.problems
    requirements = llm.asked("sample:requirements")
    assert len(requirements) == 1
    told = "- every attempt gave one answer; an automatic check, which may be wrong, says of it: the SQL leaves out “2025”"
    assert told in requirements[0].messages[1].text
    assert len(llm.asked("judge:audit")) == 1 and ended(events).confidence < 0.9


PROBLEMS = [
    ("a value that is not stored", "How many customers are from Sweden?", RIGHT.replace("Norway", "Sweden")),
    ("no rows", "List the invoices of Ann that are paid", "SELECT id FROM invoice WHERE customer_id = 99"),
    ("no table", ASKED, "SELECT 2"),
    ("a value that is not looked for", ASKED, WRONG),
    ("more rows than one", ASKED, "SELECT country, COUNT(*) FROM customer WHERE country = 'Norway' GROUP BY 1"),
    ("a sum of keys", "What is the total of paid invoices?", "SELECT SUM(id) FROM invoice WHERE status = 'paid'"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sql"), [p[1:] for p in PROBLEMS], ids=[p[0] for p in PROBLEMS])
def test_an_answer_that_fails_a_check_is_never_the_end_of_sampling(text: str, sql: str) -> None:
    llm = model(sql)
    events = asked(llm, text, budget=Budget(rounds=0))
    assert len([p for p in purposes(llm) if p.startswith("sample:")]) == 4 + 4 * ("SELECT id" in sql)
    assert ended(events).confidence < 0.9
    assert len(llm.asked("judge:audit")) == 1


def test_an_answer_of_a_model_that_copies_itself_is_checked_like_any_other() -> None:
    llm = model(RIGHT)
    assert ended(asked(llm)).usage.calls == 2
    llm = model("SELECT 2")
    assert ended(asked(llm, budget=Budget(rounds=0))).usage.calls == 5


def test_a_model_that_always_declines_is_asked_four_times_and_believed() -> None:
    llm = model("UNANSWERABLE: no table records the weather")
    events = asked(llm, "How warm was it in Norway?")
    answer = ended(events)
    assert (answer.outcome, answer.reason) == (Outcome.UNANSWERABLE, "no table records the weather")
    assert len(llm.requests) == 4 and all(p.startswith("sample:") for p in purposes(llm))
    assert Audited not in kinds(events) and Checked not in kinds(events) and Grouped not in kinds(events)


def test_one_that_declines_and_one_that_answers_do_not_agree() -> None:
    llm = model(RIGHT, "UNANSWERABLE: no such thing", EQUAL, EQUAL)
    events = asked(llm, budget=Budget(samples=4))
    assert len(llm.requests) == 5 and Checked not in kinds(events)
    assert ended(events).outcome is Outcome.ANSWERED


def test_a_first_wave_where_one_call_fails_goes_on() -> None:
    llm = model(LlmUnreachable("gone"), RIGHT, EQUAL, RIGHT)
    events = asked(llm, budget=Budget(samples=4))
    answer = ended(events)
    assert len(llm.requests) == 5 and Checked not in kinds(events), "three ran of four that were asked for"
    assert (answer.outcome, answer.size) == (Outcome.ANSWERED, 3)
    assert "The language model did not reply." in answer.notes and answer.faults == ("gone",)
    assert not any(isinstance(e, Noted) for e in events)


def test_a_first_wave_where_every_call_fails_leaves_it_to_the_built_in_generator() -> None:
    llm = model(LlmUnreachable("gone"))
    events = asked(llm)
    assert len(llm.requests) == 2 and any(isinstance(e, Noted) for e in events)
    assert len([e for e in events if isinstance(e, Executed)]) > 2 and Audited in kinds(events)


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_a_budget_that_ends_within_or_between_waves_leaves_what_there_is(calls: int) -> None:
    llm = model(RIGHT, WRONG, EQUAL)
    answer = ended(asked(llm, budget=Budget(calls=calls)))
    assert len(llm.requests) == calls == answer.usage.calls
    assert answer.sql and answer.confidence < 0.9
    assert any("used up" in note for note in answer.notes)


def test_time_that_ends_after_the_first_wave_starts_no_other() -> None:
    llm = model(RIGHT, WRONG)
    answer = ended(asked(llm, budget=Budget(seconds=0.0)))
    assert len([p for p in purposes(llm) if p.startswith("sample:")]) == 2 and answer.sql


def test_a_stop_between_waves_asks_no_more() -> None:
    flag, llm, database = threading.Event(), model(RIGHT, WRONG), MemoryDatabase(SHOP)
    events = []
    alone = Budget(frame=False)
    for event in pipeline.answer(Question(ASKED), database=database, llm=llm, cancelled=flag, budget=alone):
        events.append(event)
        if isinstance(event, Grouped):
            flag.set()
    answer = ended(events)
    assert (answer.outcome, answer.reason) == (Outcome.FAILED, "Stopped.")
    assert len(llm.requests) == 2 and Ranked not in kinds(events)


def test_without_a_language_model_nothing_is_checked_and_the_first_wave_is_whole() -> None:
    database = MemoryDatabase(SHOP)
    index = ValueIndex.build(database.catalog(), database)
    events = list(pipeline.answer(Question("Show all customers"), database=database, index=index))
    assert Checked not in kinds(events) and Audited in kinds(events)


def test_a_budget_without_a_name_is_refused_in_words() -> None:
    with pytest.raises(ValueError, match="no budget 'cheap'. Known: quick, normal, thorough, faithful"):
        Budget.of("cheap")


STAFF = """
CREATE TABLE label (kind TEXT, code TEXT, text TEXT, PRIMARY KEY (kind, code));
CREATE TABLE gender (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE project (id INTEGER PRIMARY KEY, title TEXT, state TEXT, gender_id INTEGER REFERENCES gender (id), height INTEGER);
INSERT INTO label VALUES ('STATE', '20', 'Running'), ('STATE', '40', 'Open'), ('STATE', '30', 'Stopped'), ('KIND', 'A', 'Inner'), ('KIND', 'B', 'Outer');
INSERT INTO gender VALUES (1, 'Male'), (2, 'Female');
"""
STAFF += "".join(
    f"INSERT INTO project VALUES ({i}, 'p{i}', '{20 if i % 3 else 30}', {1 + i % 2}, {100 + i});"
    for i in range(40)
)


@pytest.mark.parametrize(
    ("text", "hint", "sql", "problem"),
    [
        ("Titles of male projects", "male refers to gender_id = 1", "SELECT title FROM project WHERE gender_id = 1", ""),
        ("Titles of male projects", "male refers to gender_id = 1", "SELECT title FROM project", "“male”"),
        ("Titles of projects of 35 and above", "35 and above is height > 134", "SELECT title FROM project WHERE height > 134", ""),
        ("Titles of projects of 35 and above", "", "SELECT title FROM project WHERE height > 134", "35"),
        ("Titles of projects higher than 80% of the average height", "", "SELECT title FROM project WHERE height > 0.8 * (SELECT AVG(height) FROM project)", ""),
        ("Titles of projects higher than 80% of the average height", "", "SELECT title FROM project WHERE height > (SELECT AVG(height) FROM project)", "80"),
        ("Titles of projects that never opened", "", "SELECT title FROM project WHERE NOT state = '30'", ""),
        ("Titles of projects that are open", "", "SELECT title FROM project", "“open”"),
        ("How many titles were ordered in both states?", "", "SELECT COUNT(DISTINCT title) FROM project", ""),
    ],
)  # fmt: skip
def test_a_check_knows_what_hint_percent_and_verb_say(text: str, hint: str, sql: str, problem: str) -> None:
    database = MemoryDatabase(STAFF)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    question = Question(text, hint=hint)
    linked = linking.link(question, catalog, index)
    execution = Execution(Candidate(sql), database.execute(sql, Limits()), sql)
    found = answer_checks.problems(question, linked, execution, index)
    assert (problem in " ".join(found)) if problem else found == ()


@pytest.mark.parametrize(("code", "is_fine"), [("20", True), ("30", False)])
def test_a_code_names_its_label(code: str, is_fine: bool) -> None:
    database = MemoryDatabase(STAFF)
    catalog = database.catalog()
    index = ValueIndex.build(catalog, database)
    question = Question("Titles of running projects")
    label = CodeLabel(ColumnRef("project", "state"), "20", "Running", "label")
    linked = replace(linking.link(question, catalog, index), codes=(label,))
    sql = f"SELECT title FROM project WHERE state = '{code}'"
    execution = Execution(Candidate(sql), database.execute(sql, Limits()), sql)
    assert (not answer_checks.problems(question, linked, execution, index)) is is_fine
