"""Limits of a source: its own over the usual ones, and turns when many statements come at once."""

from __future__ import annotations

import threading
import time
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from mirror.asking import services
from mirror.asking.models import Run, Thread, Version
from mirror.people.services import user_create
from mirror.results.models import StoredResult
from mirror.sources.limits import limits_of, limits_usual
from mirror.sources.models import Source
from mirror.work.doing import work_do
from mirror.work.kinds import KINDS
from mirror.work.leases import Status
from mirror.work.turns import turn_pass, turn_take
from tests.scripted_server import ScriptedServer
from tests.web.working import REVENUE, SLOW, TOP, ran


def limited(source: Source, **limits: float) -> None:
    Source.objects.filter(pk=source.pk).update(**limits)
    source.refresh_from_db()


def running(model: type[Run | Version], pk: int) -> str:
    return str(model.objects.get(pk=pk).status)


# ---------------------------------------------------------------- limits


def test_a_source_without_limits_has_the_usual_and_each_of_its_own_wins(shop, settings):
    settings.RESULT_ROWS = 77_000
    assert limits_of(shop) == limits_usual()
    limited(shop, concurrent_runs=2, result_days=3)
    own = limits_of(shop)
    assert (own.concurrent_runs, own.result_days, own.result_rows) == (2, 3, 77_000)


def test_rows_seconds_days_and_cells_are_the_sources_own(answered, shop):
    limited(shop, result_rows=3, result_days=2, cell_chars=4)
    version = ran(answered, "SELECT name FROM customers ORDER BY id")
    result = version.result
    assert (result.row_count, result.truncated) == (3, True)
    assert timedelta(days=1) < result.expires_at - timezone.now() <= timedelta(days=2)
    from mirror.results.rows import rows_of

    assert all(len(str(row[0])) <= 5 for row in rows_of(result, 3).rows)
    limited(shop, statement_seconds=0.3)
    failed = ran(answered, SLOW)
    assert failed.failure["kind"] == "timeout"
    assert "0.3 seconds" in failed.failure["message"]


def test_all_rows_together_take_no_more_memory_than_the_source_allows(answered, shop):
    wide = "SELECT hex(zeroblob(500)) AS noise FROM customers LIMIT 3000"
    limited(shop, total_chars=50_000)
    result = ran(answered, wide).result
    assert result.truncated
    assert 50 <= result.row_count < 200  # ended with the chunk in which the bound was reached
    limited(shop, total_chars=None)
    assert ran(answered, wide).result.row_count == 3000


def test_a_statement_takes_no_more_memory_than_the_source_allows(answered, shop):
    twice = ", ".join(
        f"c{n} AS (SELECT * FROM c{n - 1} UNION ALL SELECT * FROM c{n - 1})" for n in range(1, 31)
    )
    wide = f"WITH c0 AS (SELECT 1 AS a), {twice} SELECT COUNT(*) FROM c30"
    limited(shop, statement_megabytes=60)
    failed = ran(answered, wide)
    assert "needed more than 60 MB of memory" in failed.failure["message"]
    assert ran(answered, "SELECT 1").result.row_count == 1


def test_an_answer_looks_at_no_more_rows_than_the_source_allows(transactional_db, shop, alice, media):
    limited(shop, candidate_rows=2, result_rows=4)
    run = services.run_ask(alice, shop, "How much revenue does each category bring?")
    lease = turn_take(Run, run.pk)
    services.run_answer(lease)
    assert StoredResult.objects.get(version__run=run).row_count <= 4


def test_the_oldest_results_of_a_source_make_room_for_the_newest(answered, shop, monkeypatch):
    from mirror.results import services as results

    wide = "SELECT hex(randomblob(2000)) AS noise FROM customers LIMIT 400"
    first, second = ran(answered, wide), ran(answered, wide)
    limited(shop, result_megabytes=1)
    third = ran(answered, wide)
    assert StoredResult.objects.filter(pk__in=[v.result_id for v in (first, second, third)]).count() == 3
    monkeypatch.setattr(results, "FRESH", timedelta(0))
    fourth = ran(answered, "SELECT 1")
    first.refresh_from_db()
    assert first.result is None, "its page says that the rows are no longer kept, and offers to run again"
    assert fourth.result is not None
    kept = StoredResult.objects.filter(source=shop)
    assert sum(kept.values_list("size", flat=True)) <= 1_000_000


# ---------------------------------------------------------------- turns


@pytest.fixture
def sent(monkeypatch) -> list[tuple[str, int]]:
    """Messages to workers, kept here instead of sent to a broker."""
    found: list[tuple[str, int]] = []
    for name in ("run", "version"):
        monkeypatch.setattr(KINDS[name], "tell", lambda pk, name=name: found.append((name, pk)))
    return found


def test_beyond_the_limit_a_run_waits_says_so_and_is_let_in_when_one_ends(
    transactional_db, as_alice, shop, alice, media, sent
):
    limited(shop, concurrent_runs=1)
    first, second, third = (services.run_ask(alice, shop, REVENUE) for _ in range(3))
    lease = turn_take(Run, first.pk)
    assert lease is not None
    assert turn_take(Run, second.pk) is None
    assert turn_take(Run, third.pk) is None
    assert running(Run, second.pk) == Status.QUEUED
    page = as_alice.get(reverse("asking:run", args=[second.pk])).content.decode()
    assert "Waiting for its turn" in page
    sent.clear()
    lease.end(outcome="failed")
    turn_pass(lease)
    assert sent == [("run", second.pk)], "the longest waiting, and that one alone"
    again = turn_take(Run, second.pk)
    assert again is not None
    assert not Run.objects.get(pk=second.pk).waits_turn
    page = as_alice.get(reverse("asking:run", args=[second.pk])).content.decode()
    assert "Waiting for its turn" not in page


def test_the_next_is_who_holds_least_and_many_who_wait_cost_no_more_statements(
    transactional_db, shop, alice, bob, sent
):
    limited(shop, concurrent_runs=2)
    first = turn_take(Run, services.run_ask(alice, shop, REVENUE).pk)
    second = turn_take(Run, services.run_ask(alice, shop, REVENUE).pk)
    mine, his = services.run_ask(alice, shop, REVENUE), services.run_ask(bob, shop, REVENUE)
    assert [turn_take(Run, run.pk) for run in (mine, his)] == [None, None]
    sent.clear()
    first.end(outcome="failed")
    with CaptureQueriesContext(connection) as few:
        turn_pass(first)
    assert sent == [("run", his.pk)], (
        "she holds one already, so that he goes before her though he asked later"
    )

    for number in range(20):
        person = user_create(f"person{number}")
        waiting = Run.objects.create(thread=Thread.objects.create(owner=person, source=shop, title="q"))
        Run.objects.filter(pk=waiting.pk).update(waits_turn=True)
    assert Run.objects.filter(waits_turn=True).count() == 22
    sent.clear()
    second.end(outcome="failed")
    with CaptureQueriesContext(connection) as many:
        turn_pass(second)
    assert len(many) <= len(few) + 2


def test_questions_and_statements_count_together(answered, shop, alice, as_alice, sent):
    limited(shop, concurrent_runs=1)
    lease = turn_take(Run, services.run_ask(alice, shop, REVENUE).pk)
    version = services.version_edit(answered, TOP)
    assert turn_take(Version, version.pk) is None
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).content.decode()
    assert "Waiting for its turn" in page
    sent.clear()
    lease.end(outcome="failed")
    turn_pass(lease)
    assert sent == [("version", version.pk)]
    assert turn_take(Version, version.pk) is not None


def test_the_worker_lets_the_next_in_by_itself(answered, shop, alice, sent):
    limited(shop, concurrent_runs=1)
    version = services.version_edit(answered, TOP)
    holding = turn_take(Version, version.pk)
    waiting = services.run_ask(alice, shop, REVENUE)
    work_do("run", waiting.pk)
    assert running(Run, waiting.pk) == Status.QUEUED
    holding.end()
    again = services.version_edit(answered, TOP)
    sent.clear()
    work_do("version", again.pk)
    assert running(Version, again.pk) == Status.DONE
    assert sent == [("run", waiting.pk)]


def test_another_source_and_a_dead_worker_take_no_turn(transactional_db, shop, alice, shop_file, sent):
    limited(shop, concurrent_runs=1)
    other = Source.objects.create(owner=alice, name="other", engine="sqlite", database=str(shop_file))
    first = services.run_ask(alice, shop, REVENUE)
    assert turn_take(Run, first.pk) is not None
    assert turn_take(Run, services.run_ask(alice, other, REVENUE).pk) is not None
    Run.objects.filter(pk=first.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    assert turn_take(Run, services.run_ask(alice, shop, REVENUE).pk) is not None


def test_a_run_that_waits_for_its_language_model_leaves_its_turn_and_takes_it_again(
    transactional_db, shop, alice, media, sent, settings
):
    limited(shop, concurrent_runs=1)
    asked, answers = threading.Event(), threading.Event()

    def reply(_: object) -> str:
        asked.set()
        answers.wait(20)
        return "```sql\nSELECT count(*) AS n FROM customers\n```"

    model = ScriptedServer(reply).start()
    settings.LLM_BASE_URL, settings.LLM_MODEL = model.base_url, "scripted"
    thinks, other = services.run_ask(alice, shop, REVENUE), services.run_ask(alice, shop, REVENUE)
    Run.objects.filter(pk=other.pk).update(waits_turn=True)
    worker = threading.Thread(target=_work, args=(thinks.pk,))
    worker.start()
    try:
        assert asked.wait(20)
        until(lambda: Run.objects.get(pk=thinks.pk).is_thinking)
        assert ("run", other.pk) in sent, "who waited is let in"
        lease = turn_take(Run, other.pk)
        assert lease is not None
        answers.set()
        time.sleep(1)
        assert Run.objects.get(pk=thinks.pk).is_thinking, "it has its answer, and waits for its turn"
        assert not Run.objects.get(pk=thinks.pk).steps.filter(kind="executed").exists()
        lease.end(outcome="failed")
    finally:
        answers.set()
        worker.join(30)
        model.stop()
    thinks.refresh_from_db()
    assert (thinks.outcome, thinks.is_thinking) == ("answered", False), thinks.reason


def test_a_run_that_waits_to_go_on_can_be_stopped(transactional_db, shop, alice, media, sent, settings):
    limited(shop, concurrent_runs=1)
    model = ScriptedServer("```sql\nSELECT count(*) AS n FROM customers\n```", seconds=0.5).start()
    settings.LLM_BASE_URL, settings.LLM_MODEL = model.base_url, "scripted"
    thinks, other = services.run_ask(alice, shop, REVENUE), services.run_ask(alice, shop, REVENUE)
    worker = threading.Thread(target=_work, args=(thinks.pk,))
    worker.start()
    until(lambda: turn_take(Run, other.pk) if Run.objects.get(pk=thinks.pk).is_thinking else None)
    time.sleep(1.5)
    began = time.monotonic()
    services.run_stop(thinks)
    worker.join(30)
    model.stop()
    assert time.monotonic() - began < 3
    assert running(Run, thinks.pk) == Status.DONE
    assert Run.objects.get(pk=thinks.pk).reason == "Stopped by you."


def _work(pk: int) -> None:
    try:
        work_do("run", pk)
    finally:
        connection.close()


def until(fact, seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end, "it did not become true in time"
        time.sleep(0.05)


def test_more_than_somebody_can_wait_for_is_refused_in_words_wherever_it_is_asked(
    answered, shop, alice, bob, as_alice, sent, settings
):
    settings.QUEUED_PER_PERSON = 2
    for _ in range(2):
        services.run_ask(alice, shop, REVENUE)
    words = "2 questions and statements of yours are on their way already"
    typed = {"question": REVENUE, "source": "shop", "sql": TOP}
    for place in ("again", "follow", "edit"):
        refused = as_alice.post(reverse(f"asking:{place}", args=[answered.pk]), typed)
        assert (refused.status_code, words in refused.content.decode()) == (422, True), place
    assert words in as_alice.post(reverse("asking:ask"), typed).content.decode()
    saved = services.version_save(answered.versions.first(), name="top")
    shown = as_alice.post(reverse("asking:run_saved", args=[saved.pk]), follow=True).content.decode()
    assert words in shown
    assert (Run.objects.count(), answered.versions.count()) == (3, 1)
    services.run_ask(bob, shop, REVENUE)


def test_a_run_that_waits_for_its_turn_can_be_stopped(transactional_db, shop, alice, sent):
    limited(shop, concurrent_runs=1)
    first, second = services.run_ask(alice, shop, REVENUE), services.run_ask(alice, shop, REVENUE)
    turn_take(Run, first.pk)
    turn_take(Run, second.pk)
    services.run_stop(second)
    assert running(Run, second.pk) == Status.DONE


# ---------------------------------------------------------------- the page


def test_the_owner_chooses_limits_up_to_the_usual_and_an_administrator_beyond(
    as_alice, as_bob, as_charlie, alice, shop
):
    address = reverse("sources:limits", args=[shop.pk])
    assert as_bob.get(address).status_code == 403
    assert as_charlie.get(address).status_code == 404
    assert as_alice.post(address, {"statement_seconds": "5", "concurrent_runs": "2"}).status_code == 302
    shop.refresh_from_db()
    assert (shop.statement_seconds, shop.concurrent_runs, shop.result_rows) == (5, 2, None)
    for wrong in ({"statement_seconds": "300"}, {"concurrent_runs": "0"}, {"result_days": "-1"}):
        refused = as_alice.post(address, wrong)
        assert refused.status_code == 422, wrong
    alice.is_staff = True
    alice.save()
    assert as_alice.post(address, {"statement_seconds": "300"}).status_code == 302
    shop.refresh_from_db()
    assert limits_of(shop).statement_seconds == 300
