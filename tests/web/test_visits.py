"""A worker opens databases for people who wait: followed, stopped, told when nobody comes, and theirs alone."""

from __future__ import annotations

import sqlite3
import time
from datetime import timedelta
from pathlib import Path
from threading import Thread

import pytest
import time_machine
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from mirror import confined
from mirror.confined import Bounds
from mirror.sources import catalogs, confined_reads, opening, services, visits
from mirror.sources.models import Source, Visit
from mirror.work.doing import work_do
from mirror.work.kinds import kind_of
from mirror.work.leases import Status
from mirror.work.turns import turn_take
from tests.rogue import mysql_byte_by_byte, rogue
from tests.web import hostile
from tests.web.working import visited

SECRET = "a secret pass word"


@pytest.fixture(autouse=True)
def no_messages(monkeypatch, transactional_db):
    monkeypatch.setattr(kind_of(Visit), "tell", lambda pk: None)


@pytest.fixture
def files(settings, tmp_path: Path) -> Path:
    settings.SOURCE_FILES_DIR = tmp_path / "files"
    settings.SOURCE_FILES_DIR.mkdir()
    db = sqlite3.connect(settings.SOURCE_FILES_DIR / "pets.sqlite3")
    db.executescript("CREATE TABLE pets (name TEXT, age INTEGER); INSERT INTO pets VALUES ('Rex', 3);")
    db.close()
    return settings.SOURCE_FILES_DIR


PETS = {"name": "pets", "database": "pets.sqlite3", "privacy": "schema", "description": "my pets"}
SERVER = {"name": "erp", "host": "127.0.0.1", "port": 1, "database": "erp", "privacy": "schema"}


def url(name: str, *args) -> str:
    return reverse(f"sources:{name}", args=args)


def asked(browser, what: str = "connect", typed: dict | None = None, engine: str = "sqlite") -> Visit:
    """A visit that waits for a worker."""
    response = browser.post(url(what) + f"?engine={engine}", typed or PETS)
    assert response.status_code == (200 if what == "test" else 302), response.content.decode()
    return Visit.objects.get(status=Status.QUEUED)


def page(browser, visit: Visit, **headers: str):
    return browser.get(url("visit", visit.pk), {"was": "queued"} if headers else {}, headers=headers)


def test_a_page_follows_a_visit_to_the_source_it_made(as_alice, files):
    visit = asked(as_alice)
    assert not Source.objects.exists()
    waiting = page(as_alice, visit).content.decode()
    assert "Connecting pets" in waiting
    assert "Waiting for a worker." in waiting
    assert page(as_alice, visit, hx_request="true").status_code == 204, "nothing new is not told again"
    work_do("visit", visit.pk)
    followed = page(as_alice, visit, hx_request="true")
    assert (followed.status_code, followed["HX-Redirect"]) == (204, url("visit", visit.pk))
    source = Source.objects.get(name="pets")
    ended = page(as_alice, visit)
    assert ended["Location"] == url("source", source.pk)
    assert not Visit.objects.exists()
    late = page(as_alice, visit, hx_request="true")
    assert (late.status_code, "HX-Redirect" in late) == (286, False), "it is led on already, and asks no more"
    assert b"<html" not in late.content and b"pets" not in late.content
    assert page(as_alice, visit).status_code == 404


def test_a_visit_is_its_owners_alone(as_alice, as_bob, as_charlie, as_admin, files, team):
    visit = asked(as_alice)
    for browser in (as_bob, as_charlie, as_admin):
        assert page(browser, visit).status_code == 404
        assert browser.post(url("visit_stop", visit.pk)).status_code == 404
    assert as_alice.get(url("visit_stop", visit.pk)).status_code == 405


def test_nothing_of_a_file_or_server_is_opened_where_pages_are_made(as_alice, files, shop, monkeypatch):
    """No request for a page opens an adapter or looks an address up in its process."""
    opened: list[str] = []
    monkeypatch.setattr(catalogs, "seen_confined", lambda how: opened.append("catalog"))
    monkeypatch.setattr(services, "check_confined", lambda how: opened.append("check"))
    monkeypatch.setattr(opening, "open_database", lambda **how: opened.append("database"))
    for asking in (services, opening):
        monkeypatch.setattr(asking, "host_check", lambda *where: opened.append("address"))
    as_alice.post(url("test"), PETS)
    as_alice.post(url("connect") + "?engine=postgres", {**SERVER, "password": SECRET})
    as_alice.post(url("edit", shop.pk), {**PETS, "database": shop.database})
    as_alice.post(url("test_changed", shop.pk), {**PETS, "database": shop.database})
    as_alice.post(url("refresh", shop.pk))
    assert opened == []
    assert Visit.objects.exclude(work="test").count() == 3


def test_a_password_waits_encrypted_and_is_gone_when_the_visit_has_ended(as_alice):
    visit = asked(as_alice, typed={**SERVER, "password": SECRET}, engine="postgres")
    with connection.cursor() as cursor:
        cursor.execute("SELECT password, wish FROM sources_visit")
        kept = " ".join(map(str, cursor.fetchone()))
    assert SECRET not in kept
    work_do("visit", visit.pk)
    visit.refresh_from_db()
    assert visit.password == ""
    shown = page(as_alice, visit).content.decode()
    assert "No PostgreSQL server answers at 127.0.0.1:1" in shown
    assert 'value="erp"' in shown
    assert SECRET not in shown


def test_when_no_worker_comes_it_is_said_and_what_was_typed_is_there(as_alice, files):
    visit = asked(as_alice)
    with time_machine.travel(timezone.now() + timedelta(seconds=visits.WORKER_SECONDS + 1)):
        shown = page(as_alice, visit).content.decode()
    assert "No worker has taken this for 60 seconds, and nothing was tried." in shown
    assert 'value="my pets"' in shown
    work_do("visit", visit.pk)
    assert not Source.objects.exists(), "a worker that comes later finds it ended"


def test_a_test_is_told_beside_its_button_and_another_ends_it(as_alice, files):
    first = asked(as_alice, "test")
    assert 'hx-target="#test-result"' in page(as_alice, first).content.decode()
    assert page(as_alice, first, hx_request="true").status_code == 204
    second = asked(as_alice, "test")
    assert page(as_alice, first).status_code == 404
    work_do("visit", second.pk)
    assert "Connected to SQLite" in page(as_alice, second, hx_request="true").content.decode()
    assert not Source.objects.exists()


def test_more_than_somebody_can_wait_for_is_refused_with_all_that_was_typed(as_alice, as_bob, files):
    for number in range(visits.QUEUED_AT_MOST):
        as_alice.post(url("connect"), {**PETS, "name": f"pets{number}"})
    refused = as_alice.post(url("connect"), PETS)
    assert refused.status_code == 422
    assert "10 databases are being opened for you already" in refused.content.decode()
    assert 'value="my pets"' in refused.content.decode()
    assert "10 databases are being opened" in as_alice.post(url("test"), PETS).content.decode()
    assert as_bob.post(url("connect"), PETS).status_code == 302


def test_what_waits_is_stopped_and_so_is_what_is_worked_on(as_alice, files):
    visit = asked(as_alice)
    as_alice.post(url("visit_stop", visit.pk))
    assert "It was stopped." in page(as_alice, visit).content.decode()
    with rogue(mysql_byte_by_byte) as port:
        visit = asked(as_alice, typed={**SERVER, "port": port}, engine="mysql")
        began = time.monotonic()
        worker = Thread(target=_work, args=(str(visit.pk),))
        worker.start()
        while not Visit.objects.filter(status=Status.RUNNING).exists():
            time.sleep(0.05)
        time.sleep(0.5)
        as_alice.post(url("visit_stop", visit.pk))
        worker.join()
    assert time.monotonic() - began < 10
    assert "It was stopped." in page(as_alice, visit).content.decode()


def _work(pk: str) -> None:
    try:
        work_do("visit", pk)
    finally:
        connection.close()


def test_a_right_that_was_lost_while_it_waited_is_not_used(as_alice, as_bob, bob, shop, files):
    as_bob.post(url("refresh", shop.pk))
    visit = Visit.objects.get(owner=bob)
    shop.teams.clear()
    work_do("visit", visit.pk)
    visit.refresh_from_db()
    assert "You may not do this" in visit.said["error"]
    assert as_bob.get(url("visit", visit.pk), follow=True).status_code == 404


def test_what_a_dead_worker_left_is_handed_back_once_and_then_given_up(as_alice, files):
    visit = asked(as_alice)
    for attempt in (1, 2):
        assert turn_take(Visit, visit.pk).attempt == attempt
        Visit.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        shown = page(as_alice, visit).content.decode()
        assert ("Waiting for a worker" in shown) == (attempt == 1)
    assert "interrupted 2 times" in shown


def test_a_name_that_was_taken_meanwhile_is_said(as_alice, bob, files):
    visit = asked(as_alice)
    services.source_connect(Source(name="pets", engine="sqlite", database="pets.sqlite3"), bob)
    work_do("visit", visit.pk)
    assert "Another source has this name already" in page(as_alice, visit).content.decode()
    assert Source.objects.get(name="pets").owner == bob


def test_old_visits_are_forgotten(as_alice, files):
    old = asked(as_alice)
    Visit.objects.update(created_at=timezone.now() - 2 * visits.KEPT, status=Status.DONE)
    asked(as_alice, "test")
    assert not Visit.objects.filter(pk=old.pk).exists()


def test_a_crash_of_the_reader_is_that_visits_failure_alone(as_alice, files, monkeypatch):
    monkeypatch.setattr(confined_reads, "looked", hostile.crash_on)
    shown = visited(as_alice, url("connect"), PETS).content.decode()
    assert "The process that read it ended by itself (SIGSEGV)" in shown
    assert "The file is damaged, or made to do that" in shown
    monkeypatch.undo()
    assert "pets is connected" in visited(as_alice, url("connect"), PETS).content.decode()


@pytest.mark.parametrize(
    ("end", "said", "advice"),
    [
        (
            hostile.crash_on,
            "Der Prozess, der sie las, endete von selbst (SIGSEGV).",
            "Die Datei ist beschädigt",
        ),
        (
            hostile.sleep_on,
            "Es dauerte länger als 2 Sekunden und wurde beendet.",
            "wenn sie weniger zu tun hat",
        ),
    ],
)
def test_a_database_that_was_not_read_to_its_end_is_said_in_german(
    as_alice, files, monkeypatch, end, said, advice
):
    monkeypatch.setattr(confined_reads, "looked", end)
    monkeypatch.setattr(confined_reads, "CATALOG", Bounds(seconds=2, megabytes=400))
    monkeypatch.setattr(confined_reads, "CHECK", Bounds(seconds=2, megabytes=400))
    as_alice.defaults["HTTP_ACCEPT_LANGUAGE"] = "de"
    shown = visited(as_alice, url("connect"), PETS).content.decode()
    assert f"Die Datenbank wurde nicht zu Ende gelesen. {said}" in shown
    assert advice in shown and "was not read" not in shown


def test_the_templates_of_reads_that_were_ended_are_the_words_of_their_process():
    code = Path(confined.__file__).read_text()
    assert all(
        f'"{template}"' in code for template in set(confined_reads.READ_WORDS) - {confined_reads.CUT_SHORT}
    )
