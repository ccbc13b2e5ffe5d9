"""Alice asks, Bob shares the source, Charlie is a stranger: every address and verb of asking."""

from __future__ import annotations

import pytest
from django.urls import reverse

from mirror.asking import services, urls
from mirror.asking.models import Run, Step, Version
from mirror.results.services import result_store
from mirror.work.leases import Status
from sqlagent.values import Rows

pytestmark = pytest.mark.django_db

# Every address with an id, its verb, and what its owner gets.
ADDRESSES = [
    ("thread", "get", 200),
    ("thread_export", "get", 200),
    ("thread_rename", "post", 302),
    ("thread_pin", "post", 302),
    ("thread_delete", "get", 200),
    ("thread_delete", "post", 302),
    ("run", "get", 200),
    ("run_live", "get", 200),
    ("stop", "post", 302),
    ("again", "post", 302),
    ("follow", "post", 302),
    ("edit", "post", 302),
    ("use_reading", "post", 302),
    ("sent", "get", 200),
    ("version", "get", 302),
    ("version_stop", "post", 302),
    ("version_again", "post", 302),
    ("version_undo", "post", 422),
    ("change", "post", 422),
    ("chart", "get", 200),
    ("chart", "post", 302),
    ("save", "post", 302),
    ("version_verify", "post", 302),
    ("version_feedback", "post", 302),
]
# Addresses that take GET and POST.
BOTH = ("chart", "thread_delete")
SENT = {
    "title": "Stores",
    "question": "How many stores are there?",
    "sql": "SELECT 1",
    "name": "One",
    "mark": "bar",
}


@pytest.fixture
def version(shop, alice, media) -> Version:
    run = services.run_ask(alice, shop, "How many orders are there?")
    reading = {
        "sql": "SELECT 2",
        "difference": "two",
        "size": 1,
        "columns": ["n"],
        "kinds": ["integer"],
        "rows": [[2]],
    }
    run.readings = [reading | {"row_count": 1, "column_count": 1, "truncated": False, "seconds": 0}]
    run.status, run.outcome, run.agreement_size, run.agreement_pool, run.confidence = (
        Status.DONE,
        "answered",
        5,
        7,
        0.9,
    )
    run.save()
    Step.objects.create(run=run, number=1, kind="noted", data={"message": "so it was"})
    result = result_store(shop, Rows(("city", "n"), (("Oslo", 3), ("Rome", 5))), alice)
    chart = {
        "mark": "bar",
        "x": "city",
        "y": ["n"],
        "series": "",
        "aggregate": "none",
        "title": "",
        "note": "",
    }
    # Its id is never that of its run, so an address that takes the wrong one of the two fails.
    return Version.objects.create(
        pk=run.pk + 1000,
        run=run,
        number=1,
        origin="answer",
        sql="SELECT 1",
        result=result,
        chart=chart,
        status=Status.DONE,
    )


def address(name: str, version: Version) -> str:
    thread = version.run.thread_id
    ids = {
        **dict.fromkeys(("thread", "thread_rename", "thread_pin", "thread_delete"), [thread]),
        "thread_export": [thread, "html"],
        "use_reading": [version.run_id, 0],
    }
    of_version = name.startswith("version") or name in ("change", "chart", "save")
    return reverse(f"asking:{name}", args=ids.get(name, [version.pk if of_version else version.run_id]))


@pytest.mark.parametrize(("name", "verb", "status"), ADDRESSES)
def test_only_who_asked_gets_in(version, as_alice, as_bob, as_charlie, client, name, verb, status) -> None:
    where = address(name, version)
    for stranger in (as_bob, as_charlie):
        assert getattr(stranger, verb)(where, SENT).status_code == 404
    signed_out = getattr(client, verb)(where, SENT)
    assert signed_out.status_code == 302
    assert reverse("people:sign_in") in signed_out.headers["Location"]
    assert Run.objects.count() == 1
    assert Version.objects.count() == 1
    assert getattr(as_alice, verb)(where, SENT).status_code == status


@pytest.mark.parametrize(("name", "verb", "status"), [a for a in ADDRESSES if a[0] not in BOTH])
def test_no_address_takes_the_other_verb(version, as_alice, name, verb, status) -> None:
    other = "post" if verb == "get" else "get"
    assert getattr(as_alice, other)(address(name, version)).status_code == 405


def test_every_address_is_walked() -> None:
    walked = {name for name, _, _ in ADDRESSES} | {"ask", "history", "run_events", "suggest"}
    # Of saved SQL and of sources: test_library and test_sql_in_words walk them.
    walked |= {"run_saved", "saved_last", "change_sql", "explain_sql", "tell_sql"}
    # Each change and telling is its owner's alone: test_llm_changes and test_llm_tellings walk them.
    walked |= {"llm_change", "llm_change_stop", "llm_telling", "llm_telling_stop"}
    assert {pattern.name for pattern in urls.urlpatterns} == walked


@pytest.mark.parametrize(("name", "verb", "status"), ADDRESSES)
def test_a_source_no_longer_shared_takes_its_runs_along(version, as_alice, bob, name, verb, status) -> None:
    version.run.thread.source.owner = bob
    version.run.thread.source.save()
    version.run.thread.source.teams.clear()
    assert getattr(as_alice, verb)(address(name, version), SENT).status_code == 404


def test_a_button_needs_its_token(version, alice) -> None:
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    assert strict.post(address("stop", version)).status_code == 403


def test_saved_sql_is_run_by_who_sees_it_and_its_source(
    shop, alice, team, as_alice, as_bob, as_charlie
) -> None:
    from mirror.library.services import sql_save, sql_share

    saved = sql_save(alice, shop, "One", "SELECT 1")
    where = reverse("asking:run_saved", args=[saved.pk])
    assert as_bob.post(where).status_code == 404
    sql_share(saved, [team], alice)
    assert as_bob.post(where).status_code == 302
    assert as_charlie.post(where).status_code == 404
    assert Run.objects.get().thread.owner.username == "bob"
    assert as_bob.get(where).status_code == 405


@pytest.mark.parametrize(
    ("name", "verb", "status"), [a for a in ADDRESSES if a[1] == "get" and a[0] != "version"]
)
def test_every_page_is_drawn_for_a_run_of_each_state(version, as_alice, name, verb, status) -> None:
    for outcome in ("answered", "ambiguous", "unanswerable", "failed"):
        Run.objects.update(outcome=outcome, reason="because", status=Status.DONE)
        assert as_alice.get(address(name, version)).status_code == 200
    for state in (Status.QUEUED, Status.RUNNING):
        Run.objects.update(outcome="", status=state)
        assert as_alice.get(address(name, version)).status_code == 200


@pytest.mark.parametrize(
    "failure",
    [
        {"kind": "refused", "message": "DELETE changes rows", "position": 0, "advice": "Ask with SELECT."},
        {"kind": "error", "message": "no such column: nam", "position": None, "advice": ""},
    ],
)
def test_a_version_that_failed_is_drawn_beside_its_sql(version, as_alice, failure) -> None:
    Version.objects.update(failure=failure, result=None, sql="SELECT <b>nam</b>")
    html = as_alice.get(address("run", version)).content.decode()
    assert failure["message"] in html
    assert failure["advice"] in html
    assert "SELECT &lt;b&gt;nam&lt;/b&gt;" in html


def test_a_fragment_is_sent_to_htmx_and_a_page_to_everyone_else(version, as_alice) -> None:
    where = address("run", version)
    assert "<html" in as_alice.get(where).content.decode()
    assert "<html" not in as_alice.get(where, headers={"HX-Request": "true"}).content.decode()
    asked = as_alice.post(address("follow", version), SENT, headers={"HX-Request": "true"})
    assert asked.headers["HX-Redirect"].startswith("/runs/")
