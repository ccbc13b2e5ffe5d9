"""From a question to its answer: asked, answered by a worker's service, shown, edited, drawn, saved."""

from __future__ import annotations

import json
import threading
import time

import pytest
from django.urls import reverse

from mirror.asking import services
from mirror.asking.models import Run, Step, Version
from mirror.asking.pages import run_page
from mirror.leases import Status
from tests.scripted_server import ScriptedServer

REVENUE = "Which five countries bring the most revenue?"
TOP = "SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY 2 DESC, 1 LIMIT 5"
SLOW = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000000000) SELECT count(*) FROM n"


@pytest.fixture
def asked(transactional_db, shop, alice, media) -> Run:
    """A question answered by the whole pipeline."""
    return answer(services.run_ask(alice, shop, REVENUE))


@pytest.fixture
def answered(transactional_db, shop, alice, media) -> Run:
    """A run with an answer as the pipeline leaves it, without its cost."""
    run = services.run_ask(alice, shop, REVENUE)
    known = {"agreement_size": 5, "agreement_pool": 7, "confidence": 0.91}
    Run.objects.filter(pk=run.pk).update(status=Status.DONE, outcome="answered", **known)
    run.refresh_from_db()
    version = work(services.version_edit(run, TOP))
    Version.objects.filter(pk=version.pk).update(origin=Version.Origin.ANSWER)
    return run


def answer(run: Run) -> Run:
    lease = services.run_take(run.pk)
    assert lease is not None
    services.run_answer(lease)
    run.refresh_from_db()
    return run


def work(version: Version) -> Version:
    lease = services.version_take(version.pk)
    assert lease is not None
    services.version_run(lease)
    version.refresh_from_db()
    return version


def ran(run: Run, sql: str) -> Version:
    return work(services.version_edit(run, sql))


# ---------------------------------------------------------------- asking


def test_a_question_becomes_a_queued_run_and_leads_to_its_page(shop, as_alice) -> None:
    response = as_alice.post(reverse("asking:ask"), {"question": f"  {REVENUE}  ", "source": "shop"})
    run = Run.objects.get()
    assert response.headers["Location"] == reverse("asking:run", args=[run.pk])
    assert (run.asked, run.status, run.thread.title) == (REVENUE, Status.QUEUED, REVENUE)


@pytest.mark.parametrize(
    ("question", "source", "said"),
    [
        ("   ", "shop", "Type a question first"),
        ("x" * 2001, "shop", "2,001 characters; the longest taken has 2,000"),
        (REVENUE, "", "Choose the source"),
        (REVENUE, "payroll", "There is no source “payroll”"),
    ],
)
def test_what_cannot_be_asked_is_told_and_what_was_typed_stays(
    shop, as_alice, question, source, said
) -> None:
    response = as_alice.post(reverse("asking:ask"), {"question": question, "source": source})
    assert response.status_code == 422
    assert said in response.context["page"].problem
    assert response.context["page"].question == question
    assert not Run.objects.exists()


def test_a_stranger_cannot_ask_a_source_that_is_not_shared(shop, as_charlie, as_bob) -> None:
    sent = {"question": REVENUE, "source": "shop"}
    assert as_charlie.post(reverse("asking:ask"), sent).status_code == 422
    assert as_bob.post(reverse("asking:ask"), sent).status_code == 302


def test_the_start_page_shows_sources_examples_and_that_no_model_is_set(shop, as_alice, as_charlie) -> None:
    page = as_alice.get(reverse("asking:ask")).context["page"]
    assert page.chosen.name == "shop"
    assert len(page.chosen.examples) == 10
    assert page.llm == ""
    assert as_charlie.get(reverse("asking:ask")).context["page"].sources == ()


def test_the_message_is_sent_only_when_the_run_is_kept(
    transactional_db, shop, alice, monkeypatch, django_capture_on_commit_callbacks
) -> None:
    from django.db import transaction

    from mirror.asking import tasks

    sent = []
    monkeypatch.setattr(tasks.answer_run, "delay", lambda pk: sent.append(pk))
    with pytest.raises(RuntimeError), transaction.atomic():
        services.run_ask(alice, shop, REVENUE)
        raise RuntimeError
    assert sent == []
    assert sent == [] and services.run_ask(alice, shop, REVENUE).pk in sent


# ---------------------------------------------------------------- answering


def test_a_run_is_answered_with_rows_chart_and_sentence(asked) -> None:
    assert (asked.status, asked.outcome) == (Status.DONE, "answered"), asked.reason
    version = asked.versions.get()
    assert version.origin == Version.Origin.ANSWER
    assert version.result.row_count == 5
    assert version.chart["mark"] == "bar"
    assert version.sentence
    assert 0 < asked.confidence <= 1
    assert asked.agreement_size <= asked.agreement_pool


def test_every_event_is_kept_as_a_small_step_in_order(asked) -> None:
    steps = list(asked.steps.all())
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    kinds = [step.kind for step in steps]
    assert kinds[0] == "linked"
    assert {"sampling", "executed", "grouped", "ranked", "audited"} <= set(kinds)
    assert max(len(json.dumps(step.data)) for step in steps) < 20_000


def test_the_page_shows_question_answer_and_how_it_was_found(asked, as_alice) -> None:
    response = as_alice.get(reverse("asking:run", args=[asked.pk]))
    page = response.context["page"]
    assert response.status_code == 200
    assert (page.title, page.state) == (REVENUE, "answered")
    assert page.version.table.last_row == 5
    assert page.version.chart.figure["data"]
    assert "attempt" in page.agree
    assert page.steps.groups[0].is_best
    assert page.version.words.startswith("5 rows · ")


def test_a_question_about_nothing_here_is_unanswerable_and_names_the_words(
    transactional_db, shop, alice, media
) -> None:
    run = answer(services.run_ask(alice, shop, "Which penguins migrate to Saturn?"))
    assert run.outcome == "unanswerable"
    assert "penguins" in run.reason
    assert not run.versions.exists()
    assert run_page(run).version is None


def test_a_source_that_is_gone_fails_the_run_in_plain_words(transactional_db, shop, alice, media) -> None:
    type(shop).objects.filter(pk=shop.pk).update(database="/nowhere/shop.sqlite3")
    run = answer(services.run_ask(alice, shop, REVENUE))
    assert (run.status, run.outcome) == (Status.DONE, "failed")
    assert "shop.sqlite3" in run.reason or "file" in run.reason
    assert "Traceback" not in run.reason


def test_a_language_model_answers_and_what_it_was_sent_is_kept(
    transactional_db, shop, alice, media, as_alice, settings
) -> None:
    server = ScriptedServer("```sql\nSELECT count(*) AS n FROM customers\n```").start()
    settings.LLM_BASE_URL, settings.LLM_MODEL = server.base_url, "scripted-1"
    try:
        run = answer(services.run_ask(alice, shop, "How many customers are there?"))
    finally:
        server.stop()
    assert (run.outcome, run.llm) == ("answered", "scripted-1"), run.reason
    assert run.usage["calls"] == len(run.sent) > 0
    page = as_alice.get(reverse("asking:sent", args=[run.pk]))
    assert "customers" in page.content.decode()
    assert page.context["page"].llm == "scripted-1"


def test_a_language_model_that_is_not_there_is_told_and_the_built_in_generator_answers(
    transactional_db, shop, alice, media, settings
) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "nobody"
    run = answer(services.run_ask(alice, shop, "How many customers are there?"))
    assert run.outcome in ("answered", "ambiguous")
    assert any("built-in generator" in note for note in run.notes)


def test_settings_of_a_language_model_that_cannot_work_fail_in_plain_words(
    transactional_db, shop, alice, media, settings
) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", ""
    run = answer(services.run_ask(alice, shop, REVENUE))
    assert run.outcome == "failed"
    assert "LLM_MODEL" in run.reason


def test_two_workers_with_one_message_answer_once(transactional_db, shop, alice, media) -> None:
    run = services.run_ask(alice, shop, REVENUE)
    assert services.run_take(run.pk) is not None
    assert services.run_take(run.pk) is None


def test_an_error_nobody_expected_ends_the_run_and_is_raised(
    transactional_db, shop, alice, media, monkeypatch
) -> None:
    from mirror.asking import tasks
    from mirror.asking.services import answering

    run = services.run_ask(alice, shop, REVENUE)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(answering, "answer_events", broken)
    with pytest.raises(ZeroDivisionError):
        tasks.answer_run(run.pk)
    run.refresh_from_db()
    assert (run.status, run.outcome) == (Status.DONE, "failed")
    assert "broke" in run.reason
    assert "ZeroDivision" not in run.reason


# ---------------------------------------------------------------- versions


def test_edited_sql_gives_a_new_version_and_the_earlier_one_stays(answered, as_alice) -> None:
    first = answered.versions.get()
    response = as_alice.post(reverse("asking:edit", args=[answered.pk]), {"sql": "SELECT 1 AS one"})
    assert response.status_code == 302
    version = work(answered.versions.first())
    assert (version.number, version.origin, version.result.row_count) == (2, "edit", 1)
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert page.version.number == 2
    assert [item.number for item in page.versions] == [2, 1]
    earlier = as_alice.get(reverse("asking:run", args=[answered.pk]) + "?version=1").context["page"]
    assert earlier.draft == first.sql
    assert earlier.version.table.last_row == 5


@pytest.mark.parametrize(
    ("sql", "state", "said"),
    [
        ("DELETE FROM customers", "refused", "DELETE"),
        ("SELECT * FROM customers; DROP TABLE customers", "refused", ""),
        ("SELECT nonsense FROM customers", "refused", "nonsense"),
        ("SELECT FROM WHERE", "refused", ""),
        ("SELECT abs(-9223372036854775808)", "failed", "overflow"),
    ],
)
def test_sql_that_does_not_run_is_kept_with_the_reason(answered, as_alice, sql, state, said) -> None:
    version = ran(answered, sql)
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert (page.version.state, page.draft) == (state, sql)
    assert said in page.version.failure.message
    assert version.result is None


def test_the_position_of_a_mistake_is_that_in_the_text_typed(answered) -> None:
    sql = "SELECT country,\n       nonsense\nFROM customers"
    assert ran(answered, sql).failure["position"] == sql.index("nonsense")


def test_sql_with_no_rows_says_so(answered, as_alice) -> None:
    ran(answered, "SELECT name FROM customers WHERE 1 = 0")
    assert run_page(answered).version.state == "empty"


def test_a_million_rows_are_cut_and_said_to_be(answered, settings) -> None:
    settings.RESULT_ROWS = 1000
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n"
    version = ran(answered, sql)
    assert (version.result.row_count, version.result.truncated) == (1000, True)
    page = run_page(answered)
    assert page.version.state == "cut"
    assert "there are more" in page.version.words


def test_sql_that_takes_too_long_is_ended_and_said_to_be_slow(answered, settings) -> None:
    settings.STATEMENT_SECONDS = 0.5
    began = time.monotonic()
    version = ran(answered, SLOW)
    assert time.monotonic() - began < 5
    assert version.failure["kind"] == "timeout"
    assert run_page(answered).version.failure.title == "This took too long"


@pytest.mark.parametrize("sql", ["", "   \n ", "SELECT " + "1" * 100_001])
def test_sql_that_cannot_be_taken_stays_in_the_editor(answered, as_alice, sql) -> None:
    response = as_alice.post(reverse("asking:edit", args=[answered.pk]), {"sql": sql})
    assert response.status_code == 422
    assert response.context["page"].draft == sql
    assert response.context["page"].problem
    assert answered.versions.count() == 1


def test_a_run_that_is_still_answered_takes_no_sql(shop, alice, as_alice) -> None:
    run = services.run_ask(alice, shop, REVENUE)
    response = as_alice.post(reverse("asking:edit", args=[run.pk]), {"sql": TOP})
    assert response.status_code == 422
    assert "still being answered" in response.context["page"].problem
    assert response.context["page"].draft == TOP


def test_running_again_ends_what_ran_before(answered) -> None:
    slow = services.version_edit(answered, SLOW)
    lease = services.version_take(slow.pk)
    worker = threading.Thread(target=services.version_run, args=[lease])
    worker.start()
    assert ran(answered, "SELECT 1").failure is None
    worker.join(10)
    slow.refresh_from_db()
    assert slow.failure["kind"] == "cancelled"


def test_a_reading_can_be_made_the_answer(answered, as_alice) -> None:
    answered.readings = [
        {
            "sql": "SELECT 2 AS two",
            "difference": "after returns",
            "size": 2,
            "columns": ["two"],
            "kinds": ["integer"],
        }
        | {"rows": [[2]], "row_count": 1, "column_count": 1, "truncated": False, "seconds": 0}
    ]
    answered.save()
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert (page.readings[0].difference, page.readings[0].rows[0][0].text) == ("after returns", "2")
    as_alice.post(reverse("asking:use_reading", args=[answered.pk, 0]))
    version = work(answered.versions.first())
    assert (version.origin, version.sql) == ("reading", "SELECT 2 AS two")
    assert run_page(answered).readings[0].is_current
    assert as_alice.post(reverse("asking:use_reading", args=[answered.pk, 9])).status_code == 422


def test_expired_rows_offer_to_run_again(answered, as_alice) -> None:
    from mirror.results.services import result_delete

    version = answered.versions.get()
    result_delete(version.result)
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert page.version.state == "expired"
    as_alice.post(reverse("asking:version_again", args=[version.pk]))
    assert work(answered.versions.first()).result.row_count == 5


def test_values_no_store_can_hold_are_kept_apart_from_it(answered, as_alice) -> None:
    sql = """SELECT 'a' || char(0) || 'b' AS "x\x00", 9e999 AS endless, x'00ff' AS bytes UNION ALL SELECT 1, 2, 3"""
    version = ran(answered, sql)
    assert (
        version.failure is None or "␀" in version.failure["message"] or version.failure["kind"] == "refused"
    )
    assert as_alice.get(reverse("asking:run", args=[answered.pk])).status_code == 200
    version = ran(answered, sql.replace("\x00", ""))
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert page.version.table.rows[0][0].text == "a\x00b"
    assert page.version.table.rows[0][1].text == "inf"


# ---------------------------------------------------------------- stopping


def test_stop_ends_the_statement_in_the_database(answered, as_alice) -> None:
    version = services.version_edit(answered, SLOW)
    lease = services.version_take(version.pk)
    worker = threading.Thread(target=services.version_run, args=[lease])
    began = time.monotonic()
    worker.start()
    time.sleep(0.4)
    as_alice.post(reverse("asking:version_stop", args=[version.pk]))
    worker.join(10)
    assert time.monotonic() - began < 5
    version.refresh_from_db()
    assert version.failure["kind"] == "cancelled"
    assert run_page(answered).version.state == "stopped"


def test_a_waiting_run_stops_at_once_and_no_worker_takes_it(shop, alice, as_alice) -> None:
    run = services.run_ask(alice, shop, REVENUE)
    as_alice.post(reverse("asking:stop", args=[run.pk]))
    run.refresh_from_db()
    assert (run.status, run.reason) == (Status.DONE, "Stopped by you.")
    assert run_page(run).state == "stopped"
    assert services.run_take(run.pk) is None


# ---------------------------------------------------------------- chart, save, follow


def test_a_chart_is_changed_and_stays_changed(answered, as_alice) -> None:
    version = answered.versions.get()
    address = reverse("asking:chart", args=[version.pk])
    before = as_alice.get(address).json()
    assert before["chart"]["mark"] == "bar"
    sent = {"mark": "line", "x": before["chart"]["x"], "y": before["chart"]["y"]}
    after = as_alice.post(address, sent, headers={"Accept": "application/json"}).json()
    assert after["figure"] != before["figure"]
    assert as_alice.get(address).json()["chart"]["mark"] == "line"


@pytest.mark.parametrize("sent", [{"mark": "tornado"}, {"x": "nobody"}, {"y": "nobody"}])
def test_a_chart_that_cannot_be_is_refused_in_words(answered, as_alice, sent) -> None:
    address = reverse("asking:chart", args=[answered.versions.get().pk])
    response = as_alice.post(address, sent)
    assert response.status_code == 422
    assert response.json()["problem"]
    assert as_alice.get(address).json()["chart"]["mark"] == "bar"


def test_a_version_is_saved_with_its_question_and_chart(answered, as_alice, alice) -> None:
    version = answered.versions.get()
    as_alice.post(
        reverse("asking:save", args=[version.pk]), {"name": "Best countries", "description": "By revenue"}
    )
    saved = alice.saved_sql.get()
    assert (saved.name, saved.sql, saved.question) == ("Best countries", version.sql, REVENUE)
    assert saved.chart == version.chart


def test_saved_sql_is_run_with_its_parameters(answered, as_alice, alice, shop) -> None:
    from mirror.library.services import sql_save

    saved = sql_save(
        alice,
        shop,
        "Customers of a country",
        "SELECT count(*) AS n FROM customers WHERE country = :country",
        parameters=[{"name": "country", "kind": "text", "default": "", "label": "Country"}],
    )
    as_alice.post(reverse("asking:run_saved", args=[saved.pk]), {"argument-country": "Germany"})
    run = Run.objects.get(saved=saved)
    version = work(run.versions.get())
    assert (version.origin, version.failure) == ("saved", None)
    page = as_alice.get(reverse("asking:run", args=[run.pk])).context["page"]
    assert (page.title, page.state, page.arguments) == (
        "Customers of a country",
        "",
        (("country", "Germany"),),
    )
    assert int(page.version.table.rows[0][0].exact or page.version.table.rows[0][0].text) > 0


def test_a_follow_up_is_read_against_the_question_before(answered, as_alice) -> None:
    response = as_alice.post(reverse("asking:follow", args=[answered.pk]), {"question": "only 2024"})
    run = Run.objects.exclude(pk=answered.pk).get()
    assert run.thread == answered.thread
    assert response.headers["Location"] == reverse("asking:run", args=[run.pk])
    answer(run)
    page = as_alice.get(reverse("asking:run", args=[run.pk])).context["page"]
    assert page.is_rewritten
    assert "2024" in page.question and "countries" in page.question
    assert [turn.asked for turn in page.turns] == [REVENUE, "only 2024"]


def test_an_empty_follow_up_is_told_beside_the_answer(answered, as_alice) -> None:
    response = as_alice.post(reverse("asking:follow", args=[answered.pk]), {"question": " "})
    assert response.status_code == 422
    assert response.context["page"].problem


# ---------------------------------------------------------------- before


def test_history_finds_runs_by_words_of_question_and_sql(answered, as_alice, as_bob) -> None:
    address = reverse("asking:history")
    assert [run.id for run in as_alice.get(address).context["page"].runs] == [answered.pk]
    assert as_alice.get(address, {"q": "countries FIVE"}).context["page"].total == 1
    assert as_alice.get(address, {"q": "select"}).context["page"].total == 1
    assert as_alice.get(address, {"q": "zebra"}).context["page"].total == 0
    assert as_bob.get(address).context["page"].total == 0


def test_a_thread_shows_its_questions_in_order(answered, as_alice) -> None:
    services.run_ask(answered.thread.owner, answered.thread.source, "only 2024", answered.thread)
    page = as_alice.get(reverse("asking:thread", args=[answered.thread_id])).context["page"]
    assert [run.title for run in page.runs] == [REVENUE, "only 2024"]


def test_steps_of_a_working_run_are_shown_so_far(shop, alice, as_alice) -> None:
    run = services.run_ask(alice, shop, REVENUE)
    services.run_take(run.pk)
    data = {"round": 0, "feedback": []}
    Step.objects.create(run=run, number=1, kind="sampling", data=data)
    response = as_alice.get(reverse("asking:run", args=[run.pk]))
    assert response.context["page"].is_working
    live = as_alice.get(reverse("asking:run_live", args=[run.pk]))
    assert live.status_code == 200
    assert "X-Mirror-Ended" not in live.headers
