"""Columns withheld from a team stay withheld where others share, comment, and ask a language model for changes of SQL."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from mirror.asking import services as asking
from mirror.asking.models import LlmChange, Run
from mirror.asking.selectors import runs_shared_with, threads_shared_with
from mirror.comments.selectors import people_seeing
from mirror.llms.models import Endpoint
from mirror.sources.models import Source, TeamRole
from mirror.work.doing import work_do
from mirror.work.leases import Status
from tests.scripted_server import ScriptedServer
from tests.web.test_withheld_names import withhold
from tests.web.working import REVENUE, answer, unwatched

SQL = "SELECT id FROM employees"
JSON = {"accept": "application/json"}


@pytest.fixture
def server(transactional_db, media):
    server = ScriptedServer("```sql\nSELECT id, job_title FROM employees\n```").start()
    Endpoint.objects.create(name="Local", base_url=server.base_url, model="m-1")
    yield server
    server.stop()


@pytest.fixture
def run(transactional_db, shop, alice, team, media) -> Run:
    """A question of Alice's that her team looks at."""
    found = answer(asking.run_ask(alice, shop, REVENUE))
    asking.run_share(found, [team], alice)
    asking.thread_share(found.thread, [team], alice)
    return found


def proposed(browser, shop: Source) -> dict[str, str]:
    sent = {"sql": SQL, "words": "with what they do for a living", "place": "tab", "place_id": 1}
    found = browser.post(reverse("asking:change_sql", args=[shop.pk]), sent, headers=JSON).json()
    with unwatched():
        assert work_do("llm_change", LlmChange.objects.get(status=Status.QUEUED).pk)
    return browser.get(found["wait"], headers=JSON).json()


def test_who_sees_a_part_looks_at_nothing_that_was_read_of_the_whole(run, shop, team, bob, as_alice, as_bob):
    places = [
        reverse("asking:run", args=[run.pk]),
        reverse("asking:thread", args=[run.thread.pk]),
        reverse("comments:run", args=[run.pk]),
    ]
    assert [as_bob.get(place).status_code for place in places[:2]] == [200, 200]
    assert bob in people_seeing(run)
    withhold(as_alice, shop, team)
    assert [as_bob.get(place).status_code for place in places[:2]] == [404, 404]
    run.thread.source.refresh_from_db()
    assert bob not in people_seeing(run), "they cannot be mentioned"
    assert as_bob.post(places[2], {"text": "Which rows?"}).status_code == 404
    assert REVENUE not in as_bob.get(reverse("asking:history")).content.decode()
    assert not runs_shared_with(bob).exists() and not threads_shared_with(bob).exists()
    assert as_alice.get(places[0]).status_code == 200


def test_a_language_model_is_told_no_withheld_name_and_proposes_none(server, shop, team, as_alice, as_bob):
    withhold(as_alice, shop, team)
    found = proposed(as_bob, shop)
    assert server.calls == 1 and "employees" in json.dumps(server.bodies)
    assert "job_title" not in json.dumps(server.bodies)
    assert not found["sql"] and "would be refused" in found["words"]
    assert "job_title" in proposed(as_alice, shop)["sql"]


def test_a_viewer_asks_for_no_change_and_what_they_asked_before_ends(server, shop, team, as_bob):
    place = reverse("asking:change_sql", args=[shop.pk])
    sent = {"sql": SQL, "words": "with what they do for a living", "place": "tab", "place_id": 1}
    found = as_bob.post(place, sent, headers=JSON).json()
    TeamRole.objects.create(source=shop, team=team, role=TeamRole.Role.VIEWER)
    with unwatched():
        assert work_do("llm_change", LlmChange.objects.get(status=Status.QUEUED).pk)
    assert not server.calls and found["wait"]
    assert as_bob.post(place, sent, headers=JSON).status_code == 403
