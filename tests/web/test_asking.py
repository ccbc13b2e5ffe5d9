"""From a question to its answer: asked, answered by a worker's service, shown, followed up, found again."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.urls import reverse

import mirror
from mirror.asking import services
from mirror.asking.models import Run, Step, Version
from mirror.asking.pages import run_page
from mirror.sources.models import Source
from mirror.work.doing import work_do
from mirror.work.kinds import kind_of
from mirror.work.leases import Status
from mirror.work.turns import turn_take
from sqlagent.values import BUDGETS
from tests.scripted_server import Bad, ScriptedServer, text_of
from tests.web.working import REVENUE, answer

# ---------------------------------------------------------------- asking


@pytest.mark.parametrize(
    "typed", [f"  {REVENUE}  ", f"\u200b{REVENUE[:4]}\u200b{REVENUE[4:]}\u2060"], ids=ascii
)
def test_a_question_becomes_a_queued_run_and_leads_to_its_page(shop, as_alice, typed) -> None:
    response = as_alice.post(reverse("asking:ask"), {"question": typed, "source": "shop"})
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


def chosen(client, **wish: str) -> str:
    return client.get(reverse("asking:ask"), wish).context["page"].chosen.name


def test_a_source_that_is_connected_later_does_not_take_the_place_of_the_one_shown(
    shop, alice, as_alice, as_bob, as_charlie, team, shop_file
) -> None:
    Source.objects.filter(pk=shop.pk).update(is_sample=False)
    assert chosen(as_alice) == "shop"
    later = Source.objects.create(owner=alice, name="archive", engine="sqlite", database=str(shop_file))
    assert chosen(as_alice) == "shop"
    assert chosen(as_alice, source="archive") == "archive"
    assert chosen(as_alice) == "archive"
    as_alice.post(reverse("asking:ask"), {"question": REVENUE, "source": "shop"})
    assert chosen(as_alice) == "shop"
    assert chosen(as_bob, source="archive") == "shop"
    later.teams.add(team)
    assert chosen(as_bob) == "shop"
    assert as_charlie.get(reverse("asking:ask")).context["page"].chosen is None


def test_a_source_that_is_not_there_any_more_is_said_to_be_gone(
    shop, alice, as_alice, as_bob, shop_file
) -> None:
    other = Source.objects.create(owner=alice, name="archive", engine="sqlite", database=str(shop_file))
    assert chosen(as_alice, source="archive") == "archive"
    other.delete()
    html = as_alice.get(reverse("asking:ask")).content.decode()
    assert "There is no source “archive” for you to ask now. Questions go to shop." in html
    assert "archive" not in as_alice.get(reverse("asking:ask")).content.decode()
    assert (
        "There is no source “archive”"
        in as_bob.get(reverse("asking:ask"), {"source": "archive"}).content.decode()
    )


def test_the_message_is_sent_only_when_the_run_is_kept(
    transactional_db, shop, alice, monkeypatch, django_capture_on_commit_callbacks
) -> None:
    from django.db import transaction

    sent = []
    monkeypatch.setattr(kind_of(Run), "tell", lambda pk: sent.append(pk))
    with pytest.raises(RuntimeError), transaction.atomic():
        services.run_ask(alice, shop, REVENUE)
        raise RuntimeError
    assert sent == []
    assert sent == [] and services.run_ask(alice, shop, REVENUE).pk in sent


def test_a_broker_that_is_away_loses_no_question(transactional_db, shop, as_alice, monkeypatch) -> None:
    from kombu.exceptions import OperationalError

    def away(pk: int) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(kind_of(Run), "tell", away)
    response = as_alice.post(reverse("asking:ask"), {"question": REVENUE, "source": "shop"})
    assert response.status_code == 302
    assert Run.objects.get().status == Status.QUEUED


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
    assert "attempt" in page.maker.agree
    assert page.steps.groups[0].reasons, "ranked, the best first"
    assert page.version.words.startswith("5 rows · ")


def test_an_answer_that_was_cut_is_fetched_whole(transactional_db, shop, alice, media, settings) -> None:
    settings.CANDIDATE_ROWS = 100
    server = ScriptedServer("```sql\nSELECT id FROM customers\n```").start()
    settings.LLM_BASE_URL, settings.LLM_MODEL = server.base_url, "scripted"
    try:
        run = answer(services.run_ask(alice, shop, "List the id of every customer"))
        settings.RESULT_ROWS = 250
        cut = answer(services.run_ask(alice, shop, "List the id of every customer"))
    finally:
        server.stop()
    whole = run.versions.get().result
    assert (whole.row_count, whole.truncated) == (5600, False), run.reason
    assert (cut.versions.get().result.row_count, cut.versions.get().result.truncated) == (250, True)


def test_sql_typed_as_a_question_runs_as_it_is(transactional_db, shop, alice, media, settings) -> None:
    settings.CANDIDATE_ROWS = 100
    run = answer(services.run_ask(alice, shop, "SELECT id FROM customers"))
    assert run.outcome == "answered"
    assert run.versions.get().result.row_count == 5600


def test_a_question_about_nothing_here_is_unanswerable_and_names_the_words(
    transactional_db, shop, alice, media
) -> None:
    run = answer(services.run_ask(alice, shop, "Which penguins migrate to Saturn?"))
    assert run.outcome == "unanswerable"
    assert "penguins" in run.reason
    assert not run.versions.exists()
    assert run_page(run).version is None


def test_words_that_nothing_is_about_are_told_as_either_of_them(transactional_db, shop, alice, media) -> None:
    run = answer(services.run_ask(alice, shop, "how is the weather on the moon"))
    assert run.outcome == "unanswerable"
    assert "“weather” or “moon”" in run.reason


def test_what_was_tried_for_an_unanswerable_question_is_not_ready_to_run(
    transactional_db, shop, alice, media, as_alice
) -> None:
    run = answer(services.run_ask(alice, shop, "What is the colour of happiness on the moon?"))
    assert run.outcome == "unanswerable"
    page = as_alice.get(reverse("asking:run", args=[run.pk])).context["page"]
    assert [tile.sql for round in page.steps.rounds for tile in round.tiles if tile.sql]
    assert page.draft == ""


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
    assert page.context["page"].maker.llm == "scripted-1"


@pytest.mark.parametrize("budget", ["normal", "quick", "thorough"])
def test_a_run_that_agreed_and_passed_the_checks_tells_so_and_shows_no_auditor(
    transactional_db, shop, alice, media, as_alice, settings, budget: str
) -> None:
    server = ScriptedServer("```sql\nSELECT count(*) AS n FROM customers\n```").start()
    settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_BUDGET = server.base_url, "scripted", budget
    try:
        run = answer(services.run_ask(alice, shop, "How many customers are there?"))
    finally:
        server.stop()
    agreed, calls = "The first attempt and the built-in analyst agreed and the checks passed", 1
    if budget == "thorough":
        agreed, calls = "Four attempts agreed and the checks passed", 4
    assert run.usage["calls"] == calls
    assert run.reason == f"{agreed}."
    assert run.llm == "scripted"
    assert run.confidence >= 0.9
    kinds = [step.kind for step in run.steps.all()]
    assert "checked" in kinds and "audited" not in kinds
    steps = as_alice.get(reverse("asking:run", args=[run.pk])).context["page"].steps
    assert (steps.checked, steps.problems) == (agreed, ())
    assert not steps.verdict
    page = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert f"<p>{agreed}</p>" in page


def test_an_agreement_that_fails_a_check_tells_what_it_may_leave_out(
    transactional_db, shop, alice, media, as_alice, settings
) -> None:
    server = ScriptedServer("```sql\nSELECT count(*) AS n FROM customers\n```").start()
    settings.LLM_BASE_URL, settings.LLM_MODEL = server.base_url, "scripted"
    try:
        run = answer(services.run_ask(alice, shop, "How many customers came in 2024?"))
    finally:
        server.stop()
    assert run.usage["calls"] > 2 and run.confidence < 0.9
    page = as_alice.get(reverse("asking:run", args=[run.pk]))
    steps = page.context["page"].steps
    assert steps.checked == "Eight attempts agreed, but their answer may leave something out"
    assert "the SQL leaves out “2024”" in steps.problems
    assert "<li>the SQL leaves out “2024”</li>" in page.content.decode()


@pytest.mark.parametrize("name", BUDGETS)
def test_every_budget_may_be_named_in_the_settings(monkeypatch, name: str) -> None:
    monkeypatch.setenv("LLM_BUDGET", name)
    assert runpy.run_path(str(Path(mirror.__file__).parent / "settings.py"))["LLM_BUDGET"] == name


def test_a_budget_that_is_none_stops_the_start_with_its_name(monkeypatch) -> None:
    monkeypatch.setenv("LLM_BUDGET", "cheap")
    with pytest.raises(ImproperlyConfigured, match="^LLM_BUDGET must be quick, normal, thorough or faithful"):
        runpy.run_path(str(Path(mirror.__file__).parent / "settings.py"))


def test_a_language_model_that_is_not_there_is_told_and_the_built_in_generator_answers(
    transactional_db, shop, alice, media, settings
) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", "nobody"
    run = answer(services.run_ask(alice, shop, "How many customers are there?"))
    assert run.outcome in ("answered", "ambiguous")
    assert any("built-in analyst" in note for note in run.notes)


def test_a_second_server_answers_what_the_first_one_fails_and_the_answer_says_so(
    transactional_db, shop, alice, media, settings
) -> None:
    busy = ScriptedServer(Bad(status=429, headers={"retry-after": "30"})).start()
    second = ScriptedServer("```sql\nSELECT count(*) AS n FROM customers\n```").start()
    settings.LLM_BASE_URL, settings.LLM_MODEL = busy.base_url, "first-1"
    settings.LLM_SECOND_BASE_URL, settings.LLM_SECOND_MODEL = second.base_url, "second-1"
    try:
        run = answer(services.run_ask(alice, shop, "How many customers are there?"))
    finally:
        busy.stop()
        second.stop()
    assert run.outcome == "answered"
    assert 1 <= busy.calls <= 2, "the first wave's calls, none of them repeated"
    assert {body["model"] for body in second.bodies} == {"second-1"}
    assert "first-1 failed, so second-1 was asked instead." in run.notes


def test_the_tokens_of_a_question_are_bounded_by_the_settings(
    transactional_db, shop, alice, media, settings
) -> None:
    server = ScriptedServer("```sql\nSELECT count(*) AS n FROM customers\n```").start()
    settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_TOKENS = server.base_url, "scripted", 1
    try:
        run = answer(services.run_ask(alice, shop, "How many customers came in 2024?"))
    finally:
        server.stop()
    assert server.calls == 1, "the first call was on its way; no other began"
    assert any("budget of this question" in note for note in run.notes)


def test_a_ranker_of_the_settings_compares_and_what_a_run_cost_is_told_on_its_page(
    transactional_db, shop, alice, media, as_alice, settings
) -> None:
    samples = iter(["SELECT count(*) AS n FROM customers", "SELECT count(*) AS n FROM orders"] * 20)

    def made(body: dict) -> str:
        asks = text_of(body)
        return '{"better": "tie", "marks": {}}' if "<candidates>" in asks else f"```sql\n{next(samples)}\n```"

    maker = ScriptedServer(made).start()
    ranker = ScriptedServer(lambda body: "yes" if "one word" in text_of(body) else "A").start()
    settings.LLM_BASE_URL, settings.LLM_MODEL, settings.LLM_BUDGET = maker.base_url, "maker-1", "faithful"
    settings.LLM_PRICES, settings.LLM_CURRENCY, settings.LLM_STREAM = "2.5, 10", "EUR", True
    settings.RANKER_BASE_URL, settings.RANKER_MODEL, settings.RANKER_API_KEY = (
        ranker.base_url,
        "ranker-1",
        "r-key",
    )
    settings.RANKER_PRICES = "1, 1"
    try:
        run = answer(services.run_ask(alice, shop, "How many customers are there?"))
    finally:
        maker.stop()
        ranker.stop()
    assert {body["model"] for body in ranker.bodies} == {"ranker-1"} and ranker.calls >= 4
    assert ranker.headers[0]["authorization"] == "Bearer r-key"
    assert all(body["stream"] for body in (*maker.bodies, *ranker.bodies))
    assert run.usage["calls"] == maker.calls + ranker.calls == len(run.sent)
    assert run.usage["money"] > 0 and run.usage["currency"] == "EUR"
    page = as_alice.get(reverse("asking:run", args=[run.pk]))
    assert page.context["page"].maker.spent.endswith(" EUR")
    assert f"<dt>Cost</dt><dd>{page.context['page'].maker.spent}</dd>" in page.content.decode()


def test_what_a_question_may_cost_in_money_is_bounded_by_the_settings(
    transactional_db, shop, alice, media, settings
) -> None:
    server = ScriptedServer("```sql\nSELECT count(*) AS n FROM customers\n```").start()
    settings.LLM_BASE_URL, settings.LLM_MODEL = server.base_url, "scripted"
    settings.LLM_PRICES, settings.LLM_MONEY = "1000000, 1000000", 1.0
    try:
        run = answer(services.run_ask(alice, shop, "How many customers came in 2024?"))
    finally:
        server.stop()
    assert server.calls == 1, "the first call was on its way; no other began"
    assert any("used up" in note and "best of what was found until then" in note for note in run.notes)


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("LLM_PRICES", "cheap", "^LLM_PRICES must be two or three numbers"),
        ("LLM_PRICES", "1", "^LLM_PRICES must be two or three numbers"),
        ("RANKER_PRICES", "-1, 2", "^RANKER_PRICES must be two or three numbers"),
        ("LLM_MONEY", "0.5", "^LLM_MONEY must be 0 or more, and needs LLM_PRICES"),
        ("RANKER_BASE_URL", "http://127.0.0.1:9/v1", "^RANKER_BASE_URL is of use beside LLM_BASE_URL"),
        ("THREAD_DAYS", "banana", "^THREAD_DAYS must be a whole number; it is 'banana'$"),
        ("STATEMENT_SECONDS", "soon", "^STATEMENT_SECONDS must be a number; it is 'soon'$"),
        ("SECURE_COOKIES", "yess", "^SECURE_COOKIES must be true or false; it is 'yess'$"),
    ],
)
def test_settings_that_cannot_work_stop_the_start_with_their_name(monkeypatch, name, value, said) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ImproperlyConfigured, match=said):
        runpy.run_path(str(Path(mirror.__file__).parent / "settings.py"))


def test_a_ranker_without_a_name_stops_the_start(monkeypatch) -> None:
    monkeypatch.setenv("LLM_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("RANKER_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(ImproperlyConfigured, match="^RANKER_BASE_URL needs RANKER_MODEL"):
        runpy.run_path(str(Path(mirror.__file__).parent / "settings.py"))


def test_a_second_server_without_a_first_stops_the_start(monkeypatch) -> None:
    monkeypatch.setenv("LLM_SECOND_BASE_URL", "http://127.0.0.1:9/v1")
    with pytest.raises(ImproperlyConfigured, match="^LLM_SECOND_BASE_URL"):
        runpy.run_path(str(Path(mirror.__file__).parent / "settings.py"))


def test_how_the_words_were_read_is_shown_with_a_real_arrow(asked, as_alice) -> None:
    shown = as_alice.get(reverse("asking:run", args=[asked.pk])).content.decode()
    assert "” → " in shown
    assert "&#x27; -&gt; " not in shown


def test_settings_of_a_language_model_that_cannot_work_fail_in_plain_words(
    transactional_db, shop, alice, media, settings
) -> None:
    settings.LLM_BASE_URL, settings.LLM_MODEL = "http://127.0.0.1:9/v1", ""
    run = answer(services.run_ask(alice, shop, REVENUE))
    assert run.outcome == "failed"
    assert "LLM_MODEL" in run.reason


def test_two_workers_with_one_message_answer_once(transactional_db, shop, alice, media) -> None:
    run = services.run_ask(alice, shop, REVENUE)
    assert turn_take(Run, run.pk) is not None
    assert turn_take(Run, run.pk) is None


def test_an_error_nobody_expected_ends_the_run_and_is_raised(
    transactional_db, shop, alice, media, monkeypatch
) -> None:
    from mirror.asking.services import answering

    run = services.run_ask(alice, shop, REVENUE)

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(answering, "answer_events", broken)
    with pytest.raises(ZeroDivisionError):
        work_do("run", run.pk)
    run.refresh_from_db()
    assert (run.status, run.outcome) == (Status.DONE, "failed")
    assert "broke" in run.reason
    assert "ZeroDivision" not in run.reason


# ---------------------------------------------------------------- stopping and following up


def test_a_waiting_run_stops_at_once_and_no_worker_takes_it(shop, alice, as_alice) -> None:
    run = services.run_ask(alice, shop, REVENUE)
    as_alice.post(reverse("asking:stop", args=[run.pk]))
    run.refresh_from_db()
    assert (run.status, run.reason) == (Status.DONE, "Stopped by you.")
    assert run_page(run).state == "stopped"
    assert turn_take(Run, run.pk) is None


def test_a_follow_up_is_read_against_the_question_before(answered, as_alice) -> None:
    response = as_alice.post(reverse("asking:follow", args=[answered.pk]), {"question": "only 2024"})
    run = Run.objects.exclude(pk=answered.pk).get()
    assert run.thread == answered.thread
    assert response.headers["Location"] == reverse("asking:run", args=[run.pk])
    answer(run)
    page = as_alice.get(reverse("asking:run", args=[run.pk])).context["page"]
    assert page.is_rewritten
    assert "2024" in page.question and "countries" in page.question
    assert [turn.asked for turn in page.thread.earlier] == [REVENUE]


def test_an_empty_follow_up_is_told_beside_the_answer(answered, as_alice) -> None:
    response = as_alice.post(reverse("asking:follow", args=[answered.pk]), {"question": " "})
    assert response.status_code == 422
    assert response.context["page"].problem


# ---------------------------------------------------------------- before


def in_history(response):
    """The runs that a page of History lists, in order."""
    return [run for thread in response.context["page"].threads for run in thread.runs]


def test_history_finds_runs_by_words_of_question_and_sql(answered, as_alice, as_bob) -> None:
    address = reverse("asking:history")
    assert [run.id for run in in_history(as_alice.get(address))] == [answered.pk]
    assert as_alice.get(address, {"q": "countries FIVE"}).context["page"].pager.total == 1
    assert as_alice.get(address, {"q": "select"}).context["page"].pager.total == 1
    assert as_alice.get(address, {"q": "zebra"}).context["page"].pager.total == 0
    assert as_bob.get(address).context["page"].pager.total == 0


def test_a_list_of_runs_costs_the_same_few_reads_however_long(
    answered, as_alice, django_assert_max_num_queries
) -> None:
    for number in range(12):
        services.run_follow(answered, f"How many {number}?")
    with django_assert_max_num_queries(26) as seen:
        as_alice.get(reverse("asking:history"), {"q": "how"})
        as_alice.get(reverse("asking:history"))
    assert not [query for query in seen.captured_queries if '"catalog"' in query["sql"]]
    with django_assert_max_num_queries(9):
        as_alice.get(reverse("asking:thread", args=[answered.thread_id]))


def test_a_thread_shows_its_questions_in_order(answered, as_alice) -> None:
    services.run_follow(answered, "only 2024")
    page = as_alice.get(reverse("asking:thread", args=[answered.thread_id])).context["page"]
    assert [run.title for run in page.runs] == [f"{REVENUE} (edited SQL)", "only 2024"]


def test_steps_of_a_working_run_are_shown_so_far(shop, alice, as_alice) -> None:
    run = services.run_ask(alice, shop, REVENUE)
    turn_take(Run, run.pk)
    data = {"round": 0, "feedback": []}
    Step.objects.create(run=run, number=1, kind="sampling", data=data)
    response = as_alice.get(reverse("asking:run", args=[run.pk]))
    assert response.context["page"].is_working
    live = as_alice.get(reverse("asking:run_live", args=[run.pk]))
    assert live.status_code == 200
    assert "X-Mirror-Ended" not in live.headers


def test_sql_of_programs_is_apart_and_every_run_tells_what_became_of_it(
    transactional_db, shop, alice, as_alice, media
) -> None:
    """A program's statements would push every question out of what was asked last."""
    from tests.web.working import work

    answer(services.run_ask(alice, shop, REVENUE))
    own = services.run_of_sql(alice, shop, "by hand")
    work(services.version_edit(own, "DELETE FROM orders"))
    for sql in ["SELECT nope FROM orders", *["SELECT 1"] * 6]:
        work(services.sql_ask(alice, shop, sql))
    start = as_alice.get(reverse("asking:ask"))
    asked = [(one.title, one.state) for one in start.context["page"].recent]
    assert asked == [("by hand", "refused"), (REVENUE, "answered")]
    assert [one.title for one in start.context["rail_threads"]] == ["by hand", REVENUE]
    history = as_alice.get(reverse("asking:history"))
    assert [one.title for one in in_history(history)] == ["by hand", REVENUE]
    assert "Refused</span>" in history.content.decode()
    sent = as_alice.get(reverse("asking:history"), {"by": "programs"})
    assert [one.state for one in in_history(sent)] == [""] * 6 + ["refused"]
