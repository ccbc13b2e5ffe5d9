"""The whole journey with a language model behind real HTTP: sampled, judged, audited, resampled, stopped."""

from __future__ import annotations

import json
import time

import pytest
from scripted_server import Bad, Skipping, serving, text_of
from scripted_shop import (
    EQUAL,
    OTHER,
    QUESTION,
    RIGHT,
    SHOP,
    WRONG,
    Script,
    asked,
    ended,
    shown,
    stage,
    stages,
)

from sqlagent.events import Audited, Executed, Noted, Ranked, Rewritten, Sampling
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Budget, Outcome, Question, Turn


def test_a_pool_that_agrees_is_answered_without_asking_a_judge() -> None:
    with serving(Script(RIGHT, EQUAL, RIGHT, EQUAL)) as server:
        answer = ended(asked(server))
    assert (answer.outcome, answer.size, answer.pool) == (Outcome.ANSWERED, 2, 2)
    assert answer.rows is not None and answer.rows.rows == ((2,),)
    assert stages(server) == ["sample", "sample"]
    assert answer.usage.calls == server.calls and answer.usage.prompt_tokens > 0


def test_where_groups_disagree_the_judge_is_asked_in_both_orders_and_followed() -> None:
    with serving(Script(WRONG, RIGHT, WRONG, EQUAL, OTHER, RIGHT, OTHER, WRONG)) as server:
        events = asked(server, budget=Budget(rounds=0))
        answer = ended(events)
        orders = [list(shown(body).values()) for body in server.bodies if stage(body) == "order"]
    assert "Norway" in answer.sql and answer.rows is not None and answer.rows.rows == ((2,),)
    assert len(orders) == 2 and orders[0] == orders[1][::-1]
    ranked = next(e for e in events if isinstance(e, Ranked)).ranking
    assert ranked.judged and ranked.swap_consistency == 1.0


def test_an_auditor_who_misses_something_starts_a_round_that_hears_it_and_can_win() -> None:
    verdicts = iter(
        [
            json.dumps({"verdict": "missing", "reason": "no filter", "unmet": ["a filter on the country"]}),
            json.dumps({"verdict": "present", "reason": "fine", "unmet": []}),
        ]
    )
    script = Script(WRONG, again=(RIGHT, EQUAL), audit=lambda body: next(verdicts))
    with serving(script) as server:
        events = asked(server, budget=Budget.of("thorough"))
        again = server.asked("a filter on the country")
    rounds = [e for e in events if isinstance(e, Sampling)]
    assert [e.round for e in rounds] == [0, 1] and rounds[1].feedback == ("a filter on the country",)
    assert again and all("- a reviewer's guess: a filter on the country" in text for text in again)
    assert [e.verdict.accepted for e in events if isinstance(e, Audited)] == [False, True]
    answer = ended(events)
    assert answer.rows is not None and answer.rows.rows == ((2,),)
    assert {e.execution.candidate.round for e in events if isinstance(e, Executed)} == {0, 1}


def test_a_second_round_hears_how_the_largest_groups_differ() -> None:
    script = Script(WRONG, RIGHT, WRONG, RIGHT, again=(RIGHT, EQUAL), order="meow", duel='{"better": "tie"}')
    script.stages["audit"] = json.dumps({"verdict": "missing", "reason": "x", "unmet": ["y"]})
    with serving(script) as server:
        asked(server, budget=Budget(samples=4))
        again = [
            text_of(body)
            for body in server.bodies
            if "did not run" in text_of(body) or "disagree" in text_of(body)
        ]
    assert again and all("condition: " in text and "country.name = “Norway”" in text for text in again)
    assert not any("disagreed with each other or left something out" in text for text in again)


def test_right_sql_without_any_data_is_accepted_as_it_is() -> None:
    none = RIGHT.replace("count(*)", "customer.name").replace("'Norway'", "'Peru'")
    audit = json.dumps({"verdict": "no_data", "reason": "nobody is from Peru", "unmet": []})
    with serving(Script(none, audit=audit)) as server:
        events = asked(server, Question("Which customers are from Peru?"))
    assert [e.round for e in events if isinstance(e, Sampling)] == [0]
    answer = ended(events)
    assert answer.outcome == Outcome.ANSWERED and answer.rows is not None and answer.rows.rows == ()


def test_the_auditor_hears_who_called_the_question_unanswerable_and_so_does_the_second_round() -> None:
    audit = json.dumps({"verdict": "missing", "reason": "x", "unmet": ["y"]})
    declined = "UNANSWERABLE: ages are not recorded"
    with serving(Script(RIGHT, declined, RIGHT, declined, again=(declined,), audit=audit)) as server:
        asked(server, Question("How old are the customers from Norway?"), budget=Budget(samples=4))
        audited = [text_of(body) for body in server.bodies if stage(body) == "audit"]
        again = [
            text_of(body) for body in server.bodies if "A reviewer's guess may be wrong" in text_of(body)
        ]
    said = "said that the question is unanswerable, for want of: ages are not recorded"
    assert audited and all(said in text for text in audited)
    assert again and all(said in text for text in again)


def test_a_resampled_answer_that_is_no_better_does_not_displace_the_first() -> None:
    audit = json.dumps({"verdict": "missing", "reason": "unsure", "unmet": ["something"]})
    with serving(Script(RIGHT, again=(WRONG, OTHER), audit=audit)) as server:
        answer = ended(asked(server))
    assert answer.rows is not None and answer.rows.rows == ((2,),)


def test_a_literal_is_bound_to_its_stored_spelling_without_the_server_seeing_it() -> None:
    database = MemoryDatabase(SHOP.replace("'Norway'", "'Kongeriket NORWAY'"))
    sql = "SELECT count(*) FROM customer JOIN country ON country.id = customer.country_id WHERE country.name = 'Norway'"
    with serving(Script(sql)) as server:
        answer = ended(asked(server, database=database))
        received = b"\n".join(server.received)
    assert answer.rows is not None and answer.rows.rows == ((2,),), answer
    assert b"Kongeriket" not in received


def test_a_literal_that_a_rule_mended_stays_here_when_the_judge_is_asked() -> None:
    database = MemoryDatabase(SHOP.replace("'completed'", "'completely done'"))
    done = "SELECT id FROM orders WHERE status = 'completly done'"
    with serving(
        Script(done, "SELECT id FROM orders", OTHER, done, OTHER, WRONG, "SELECT id FROM customer")
    ) as server:
        answer = ended(asked(server, Question("Which orders are through?"), database=database))
        received = b"\n".join(server.received)
    assert any("completely done" in sql for sql in database.executed), answer
    assert b"completely done" not in received and server.asked("Put them in order")


@pytest.mark.parametrize("privacy", ["schema", "masked"])
def test_below_rows_no_stored_value_that_was_not_typed_leaves_the_house(privacy: str) -> None:
    samples = (WRONG, "SELECT name FROM customer", "SELECT name FROM country", "SELECT nme FROM customer")
    with serving(Script(*samples)) as server:
        asked(server, Question("List the customers"), privacy=privacy)
        received = b"\n".join(server.received)
    assert server.calls >= 7
    for stored in (b"Ann", b"Bob", b"Chad", b"France", b"completed"):
        assert stored not in received


def test_at_rows_the_judge_sees_first_rows() -> None:
    samples = ("SELECT name FROM customer", "SELECT name FROM country", WRONG, OTHER)
    with serving(Script(*samples)) as server:
        asked(server, Question("List the customers"), privacy="rows", budget=Budget(samples=4))
    assert any("Ann" in text and "Chad" in text for text in server.asked("Put them in order"))


def test_every_call_of_a_run_opens_with_one_of_two_renderings_of_the_schema() -> None:
    with serving(Script(WRONG, RIGHT, OTHER, RIGHT, WRONG, OTHER)) as server:
        asked(server)
        openings = [body["messages"][0]["content"] for body in server.bodies]
    assert len(set(openings)) == 2 and len(openings) >= 10


def test_faithful_mode_compares_every_pair_in_both_orders() -> None:
    with serving(Script(RIGHT, WRONG, EQUAL, OTHER)) as server:
        answer = ended(asked(server, budget=Budget(samples=4, mode="faithful")))
    assert answer.rows is not None and answer.rows.rows == ((2,),)
    found = stages(server)
    assert found.count("sample") == 4 and found.count("marks") == 1
    assert found.count("duel") == 2 * (2 * 1 + 2 * 1 + 1 * 1), (
        "pairs of different texts: {2, 1, 1}, both orders"
    )
    assert found.count("audit") == 1


def test_faithful_mode_never_stops_sampling_early() -> None:
    with serving(Script(RIGHT)) as server:
        answer = ended(asked(server, budget=Budget(samples=12, mode="faithful")))
    assert (answer.size, answer.pool) == (12, 12)


def test_a_follow_up_is_rewritten_by_the_llm_first() -> None:
    with serving(Script(RIGHT, follow="How many customers are from Norway?")) as server:
        events = asked(
            server, Question("what about Norway?"), turns=(Turn("How many customers are from France?", ""),)
        )
    assert isinstance(events[0], Rewritten) and events[0].question == Question(
        QUESTION.text, typed="what about Norway?"
    )
    assert stages(server)[0] == "follow" and ended(events).outcome == Outcome.ANSWERED


NO_SERVER = [Bad(status=500), Bad(status=401), Bad(status=429), Bad("nonsense"), Bad("half"), Bad("drop")]


@pytest.mark.parametrize("bad", NO_SERVER, ids=lambda bad: f"{bad.how}{bad.status}")
def test_where_the_llm_fails_the_built_in_analyst_answers_and_says_so(bad: Bad) -> None:
    with serving(bad) as server:
        events = asked(server)
    answer = ended(events)
    assert answer.outcome == Outcome.ANSWERED and answer.rows is not None and answer.rows.rows == ((2,),)
    assert any(isinstance(e, Noted) and "built-in analyst" in e.message for e in events)


def test_an_llm_that_replies_nonsense_is_not_the_end() -> None:
    with serving("Sorry, I only talk about cats.") as server:
        answer = ended(asked(server))
    assert answer.outcome == Outcome.ANSWERED and any("no SQL" in note for note in answer.notes)


def test_a_judge_that_replies_nonsense_leaves_it_to_features() -> None:
    script = Script(WRONG, RIGHT, OTHER, RIGHT, order="meow", duel="meow", audit="meow")
    with serving(script) as server:
        answer = ended(asked(server))
    assert answer.outcome in (Outcome.ANSWERED, Outcome.AMBIGUOUS) and answer.sql


def test_a_judge_that_contradicts_itself_is_not_believed() -> None:
    script = Script(WRONG, RIGHT, OTHER, EQUAL, order='{"order": ["A", "B", "C"]}', duel='{"better": "A"}')
    with serving(script) as server:
        events = asked(server, budget=Budget(samples=4, rounds=0))
    ranked = next(e for e in events if isinstance(e, Ranked)).ranking
    assert ranked.swap_consistency == 0.0 and all(r.list_wins == 0 for r in ranked.groups)
    assert ended(events).outcome in (Outcome.ANSWERED, Outcome.AMBIGUOUS)


def test_a_judge_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    script = Script(WRONG, RIGHT, OTHER, EQUAL, order=Bad("hang"), duel=Bad("hang"), audit=Bad("hang"))
    begun = time.monotonic()
    with serving(script) as server:
        monkeypatch.setattr("sqlagent.adapters.openai.time", Skipping(server))
        answer = ended(asked(server, timeout=30.0, budget=Budget(rounds=0)))
    assert answer.sql and time.monotonic() - begun < 12


def test_a_question_that_most_replies_call_unanswerable_ends_so_with_the_reason() -> None:
    with serving(Script("UNANSWERABLE: no table records the weather")) as server:
        answer = ended(asked(server, Question("How warm was it in Norway?")))
    assert answer.outcome == Outcome.UNANSWERABLE and "weather" in answer.reason and not answer.sql


def test_an_auditor_who_finds_no_place_for_the_facts_ends_a_run_as_unanswerable() -> None:
    audit = json.dumps(
        {"verdict": "unanswerable", "reason": "ages of customers are not recorded", "unmet": []}
    )
    with serving(Script(RIGHT, WRONG, audit=audit)) as server:
        answer = ended(asked(server, Question("How old are the customers from Norway?")))
    assert answer.outcome == Outcome.UNANSWERABLE and "ages" in answer.reason


def test_a_failure_is_mended_with_the_databases_own_words_where_most_of_a_pool_failed() -> None:
    broken = RIGHT.replace("customer.country_id", "customer.land_of_origin_zzz")
    with serving(Script(broken, repair=f"```sql\n{RIGHT}\n```")) as server:
        answer = ended(asked(server, budget=Budget(samples=4, rounds=0)))
        told = server.asked("It did not work")
    assert answer.rows is not None and answer.rows.rows == ((2,),)
    assert len(told) == 1 and "land_of_origin_zzz" in told[0].partition("<error>")[2]


def test_what_came_to_nothing_is_told_with_the_answer() -> None:
    script = Script(WRONG, RIGHT, OTHER, EQUAL, order="meow", duel="meow", audit="meow")
    with serving(script) as server:
        answer = ended(asked(server, budget=Budget(samples=4, rounds=0)))
    assert any("features" in note for note in answer.notes)


def test_sql_that_writes_is_refused_and_never_reaches_the_database() -> None:
    database = MemoryDatabase(SHOP)
    samples = ("```sql\nDROP TABLE customer\n```", "SELECT 1; DELETE FROM customer", RIGHT, RIGHT)
    with serving(Script(*samples)) as server:
        answer = ended(asked(server, database=database))
    assert answer.outcome == Outcome.ANSWERED
    assert not any("DROP" in sql or "DELETE" in sql for sql in database.executed)


def test_the_budget_of_calls_is_kept() -> None:
    with serving(Script(WRONG, RIGHT, OTHER, EQUAL)) as server:
        answer = ended(asked(server, budget=Budget(calls=5)))
    assert server.calls <= 5 and answer.usage.calls <= 5 and answer.sql


def test_stopping_a_run_hangs_up_at_once() -> None:
    with serving(Script(RIGHT), seconds=20) as server:
        begun = time.monotonic()
        answer = ended(asked(server, cancelled=server.waiting, timeout=30))
        assert time.monotonic() - begun < 6
        assert server.hung_up.wait(3)
    assert (answer.outcome, answer.reason) == (Outcome.FAILED, "Stopped.")


def test_what_was_sent_is_kept_with_the_answer() -> None:
    with serving(Script(RIGHT)) as server:
        answer = ended(asked(server))
    assert len(answer.sent) == server.calls
    assert {m.text for request in answer.sent for m in request.messages} == {
        m["content"] for body in server.bodies for m in body["messages"]
    }


@pytest.mark.parametrize("drafts", [0, 2])
def test_drafts_of_the_built_in_generator_are_shown_only_when_asked_for(drafts: int) -> None:
    with serving(Script(RIGHT)) as server:
        asked(server, budget=Budget(drafts=drafts))
    samples = [text_of(body) for body in server.bodies if stage(body) == "sample"]
    assert any("<hints>" in text for text in samples) == bool(drafts)
