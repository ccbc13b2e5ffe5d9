"""Metrics for Prometheus: the state of Mirror, by few statements of the store, for permitted callers, without names."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from mirror.asking.models import Run, Thread, Version
from mirror.health.models import Heartbeat
from mirror.health.services import beat
from mirror.llms.models import Use
from mirror.reports.models import Delivery, Report, ReportRun
from mirror.reports.services import sending_pause
from mirror.results.models import StoredResult
from mirror.upkeep.figures import HOUR, figures_read
from mirror.upkeep.troubles import troubles
from mirror.work.kinds import KINDS
from mirror.work.leases import Status

pytestmark = pytest.mark.django_db

# How often the store is asked, besides once for each kind of work.
LOOKS = 9
TOKEN = "t0ken-of-prometheus-0123456789"


@pytest.fixture
def token(settings) -> dict[str, str]:
    settings.METRICS_TOKEN = TOKEN
    return {"Authorization": f"Bearer {TOKEN}"}


@pytest.fixture
def busy(shop, alice) -> Report:
    """An hour of Mirror: questions, statements, a run of a report, deliveries; and older ones."""
    now = timezone.now()
    thread = Thread.objects.create(owner=alice, source=shop, title="Salaries of Anna")
    ended = {"status": Status.DONE, "ended_at": now}
    run = Run.objects.create(thread=thread, asked="Salaries of Anna?", outcome="answered", llm="m", **ended)
    tokens = {"prompt_tokens": 900, "cached_tokens": 300, "reply_tokens": 100, "estimated_tokens": 450}
    used = {"month": now.date().replace(day=1), "person": alice, "source": shop}
    Use.objects.create(run=run.pk, llm="m", calls=2, money=0.5, **tokens, **used)
    Use.objects.create(run=run.pk, llm="busy", calls=3, **used)
    Use.objects.create(llm="tested", calls=1, **used)
    Use.objects.create(run=run.pk, llm="earlier", calls=1, **used)
    Use.objects.filter(llm="earlier").update(at=now - timedelta(hours=2))
    Run.objects.create(thread=thread, outcome="failed", **ended)
    Run.objects.create(thread=thread, outcome="failed", status=Status.DONE, ended_at=now - timedelta(hours=2))
    Run.objects.create(thread=thread)
    Run.objects.update(created_at=now - timedelta(seconds=90))
    Run.objects.create(thread=thread, status=Status.RUNNING, lease_until=now - timedelta(seconds=1))
    kept = StoredResult.objects.create(
        source=shop, owner=alice, columns=[], row_count=1, seconds=2.5, expires_at=now + timedelta(days=1)
    )
    Version.objects.create(run=run, number=1, origin="answer", sql="SELECT 1", result=kept, **ended)
    failure = {"kind": "timeout", "message": "Anna earns 100"}
    Version.objects.create(run=run, number=2, origin="edit", sql="SELECT 2", failure=failure, **ended)
    report = Report.objects.create(owner=alice, title="Weekly salaries", next_at=now - timedelta(hours=1))
    made = ReportRun.objects.create(report=report, cause="now", outcome="made", **ended)
    to = {"run": made, "kind": "mail", "about": "report"}
    Delivery.objects.create(to="a@example.com", state="given_up", **ended, **to)
    Delivery.objects.create(to="b@example.com", tries=1, not_before=now + timedelta(minutes=5), **to)
    Delivery.objects.create(
        to="c@example.com", state="held", held_for="quota", not_before=now + timedelta(minutes=5), **to
    )
    beat("mirror@here", ["celery"], memory=5_000_000)
    beat("reports@here", ["reports"])
    Heartbeat.objects.filter(worker="reports@here").update(at=now - timedelta(minutes=2))
    return report


def told(text: str) -> dict[tuple[str, ...], float]:
    """Every sample by its name and the values of its labels, these in the order of the labels' names."""
    return {
        (
            sample.name.removeprefix("mirror_"),
            *(sample.labels[name] for name in sorted(sample.labels)),
        ): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_how_mirror_stands_is_told_by_few_statements_and_without_names(client, token, busy, shop):
    with CaptureQueriesContext(
        connection,
    ) as asked:
        answer = client.get("/metrics", headers=token)
    assert len(asked) == LOOKS + len(KINDS)
    text = answer.content.decode()
    found, source = told(text), str(shop.pk)
    for sample, value in {
        ("questions", "answered"): 1,
        ("questions", "failed"): 1,
        ("work_waiting", "run", "celery"): 1,
        ("work_leases_over", "run", "celery"): 1,
        ("work_later", "delivery", "deliveries"): 2,
        ("work_waiting", "delivery", "deliveries"): 0,
        ("source_statements", "rows", source): 1,
        ("source_statements", "timeout", source): 1,
        ("source_seconds", "0.95", source): 2.5,
        ("llm_calls", "m"): 2,
        ("llm_calls", "busy"): 3,
        ("llm_tokens", "m", "prompt"): 900,
        ("llm_tokens", "m", "reply"): 100,
        ("llm_tokens", "m", "cached"): 300,
        ("llm_tokens", "m", "estimated"): 450,
        ("llm_money", "USD", "m"): 0.5,
        ("report_runs", "made"): 1,
        ("reports_late",): 1,
        ("deliveries", "mail", "given_up"): 1,
        ("deliveries_retried", "mail"): 1,
        ("deliveries_held", "quota"): 1,
        ("process_up", "worker", "mirror@here"): 1,
        ("process_up", "reports", "reports@here"): 0,
        ("part_up", "worker"): 1,
        ("part_up", "reports"): 0,
        ("part_up", "scheduler"): 0,
        ("process_memory_bytes", "worker", "mirror@here"): 5_000_000,
        ("sending_paused",): 0,
    }.items():
        assert found.get(sample) == value, sample
    assert {name[1] for name in found if name[0] == "llm_calls"} == {"m", "busy"}
    assert found["work_oldest_seconds", "run", "celery"] >= 90
    assert found["disk_bytes", "data"] > found["disk_free_bytes", "data"] > 0
    for name in ("shop", "alice", "Anna", "Weekly", "example.com", TOKEN):
        assert name not in text


def test_a_killed_process_is_forgotten_soon_where_another_of_its_part_lives(client, token):
    ago = timezone.now() - timedelta(minutes=11)
    for name, queue in (("killed@1", "celery"), ("lonely@1", "reports")):
        beat(name, [queue])
        Heartbeat.objects.filter(worker=name).update(at=ago)
    beat("recent@1", ["celery"])
    Heartbeat.objects.filter(worker="recent@1").update(at=timezone.now() - timedelta(minutes=9))
    beat("replaced@2", ["celery"])
    beat("of no part", [])
    found = told(client.get("/metrics", headers=token).content.decode())
    assert {of[-1]: up for of, up in found.items() if of[0] == "process_up"} == {
        "lonely@1": 0,
        "recent@1": 0,
        "replaced@2": 1,
        "of no part": 1,
    }
    assert (found["part_up", "worker"], found["part_up", "reports"]) == (1, 0)


def test_no_report_is_late_while_all_sending_is_paused_as_the_page_says(client, token, busy):
    sending_pause(None, "The mail server moves")
    found = told(client.get("/metrics", headers=token).content.decode())
    assert (found["reports_late",], found["sending_paused",]) == (0, 1)
    assert not [one for one in troubles(figures_read(HOUR)) if "should have run" in one.words]


def test_what_ended_long_ago_does_not_make_a_look_longer(client, token, busy, monkeypatch):
    monkeypatch.setattr("mirror.upkeep.figures.NEWEST", 1)
    assert ("questions", "answered") not in told(client.get("/metrics", headers=token).content.decode())


def test_an_empty_store_is_told_too(client, token):
    found = told(client.get("/metrics", headers=token).content.decode())
    assert found["work_oldest_seconds", "run", "celery"] == 0


def test_only_prometheus_and_administrators_are_told(client, as_alice, as_admin, settings, token):
    url = reverse("upkeep:metrics")
    for browser in (client, as_alice):
        for wrong in ("", "Bearer", "Bearer x", f"Basic {TOKEN}", "Bearer ünknown"):
            answer = browser.get(url, headers={"Authorization": wrong})
            assert (answer.status_code, answer["WWW-Authenticate"]) == (401, "Bearer")
        assert browser.get(f"{url}?token={TOKEN}").status_code == 401
        assert browser.post(url, headers=token).status_code == 405
    assert as_admin.get(url).status_code == 200
    settings.METRICS_TOKEN = ""
    for browser in (client, as_alice):
        for sent in ({}, {"Authorization": "Bearer "}, token):
            assert browser.get(url, headers=sent).status_code == 404
    assert as_admin.get(url).status_code == 200
