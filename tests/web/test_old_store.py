"""A store of an earlier version: loaded into an empty file it migrates, and all that was in it is there and is shown.

`tests/old_store` was made at 895557d: users and a team, a source with its catalog and value index, an answered question with
an edited version, saved SQL, a report that was made and mailed; and a question, a version and a report that nobody had begun.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.urls import reverse

from mirror.asking.models import Run, Version
from mirror.celery import app
from mirror.library.models import SavedSql
from mirror.people.models import Team, User
from mirror.reports.models import Channel, Delivery, Report, ReportFile, ReportRun
from mirror.sources.models import Source, StoredIndex
from mirror.work.leases import Status
from tests import stores

KEPT = Path(__file__).resolve().parents[1] / "old_store"
# Their rows say what the code is like, not what people did.
OF_THE_CODE = {"django_migrations", "django_content_type", "auth_permission", "sqlite_sequence"}
# Names and addresses in plain text: a migration drops them.
DROPPED = {"axes_accessattemptexpiration", "axes_accessattempt", "axes_accesslog", "axes_accessfailurelog"}

pytestmark = pytest.mark.usefixtures("old_store")


def rows(path: Path) -> dict[str, int]:
    """How many rows each table of a store has."""
    with closing(sqlite3.connect(path)) as db:
        names = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: db.execute(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in names}


def shape(path: Path) -> dict[str, set[object]]:
    """Schema of each table of a store: columns, foreign keys, indexes and constraints, in no order."""
    kept: dict[str, set[object]] = {}
    with closing(sqlite3.connect(path)) as db:
        tables = db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table'").fetchall()
        for name, sql in tables:
            indexes = db.execute(
                "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ?", [name]
            )
            kept[name] = {
                *(column[1:] for column in db.execute(f'PRAGMA table_info("{name}")')),
                *(key[2:] for key in db.execute(f'PRAGMA foreign_key_list("{name}")')),
                *indexes.fetchall(),
                *re.findall(r"(?:CHECK|UNIQUE) \((?:[^()]|\([^()]*\))*\)", sql),
            }
    return kept


@contextmanager
def as_the_store(path: Path) -> Iterator[None]:
    """Let Django's store be this file for a while."""
    connection.close()
    usual, connection.settings_dict["NAME"] = connection.settings_dict["NAME"], str(path)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = usual


@pytest.fixture(scope="module")
def migrated(django_db_setup, django_db_blocker, tmp_path_factory) -> tuple[Path, dict[str, int]]:
    """The old store in an empty file, migrated, beside the database it asks; and how many rows it had before."""
    folder = tmp_path_factory.mktemp("old_store")
    for name in ("store", "pets"):
        with closing(sqlite3.connect(folder / f"{name}.sqlite3")) as db:
            text = (KEPT / f"{name}.sql").read_text()
            db.executescript(text.replace("@PETS@", str(folder / "pets.sqlite3")))
    before = rows(folder / "store.sqlite3")
    with django_db_blocker.unblock(), as_the_store(folder / "store.sqlite3"):
        call_command("migrate", verbosity=0)
    return folder / "store.sqlite3", before


@pytest.fixture
def old_store(migrated, django_db_blocker, settings, tmp_path: Path) -> Iterator[dict[str, int]]:
    """A copy of the migrated store as the store; gives how many rows there were before."""
    store, before = migrated
    shutil.copy(store, tmp_path / "store.sqlite3")
    settings.MEDIA_ROOT = tmp_path / "media"
    shutil.copytree(KEPT / "media", settings.MEDIA_ROOT)
    with django_db_blocker.unblock(), as_the_store(tmp_path / "store.sqlite3"):
        yield before


def browser(name: str) -> Client:
    """A browser in which somebody of the old store is signed in, by the password of then."""
    client = Client()
    assert client.login(username=name, password="a password of long ago")
    return client


def page(client: Client, name: str, *args: object) -> str:
    """The text of a page that opens."""
    answer = client.get(reverse(name, args=args))
    assert answer.status_code == 200, (name, args)
    return (async_to_sync(streamed)(answer) if answer.streaming else answer.content).decode()


async def streamed(answer: Any) -> bytes:
    """All of an answer that comes in pieces."""
    return b"".join([piece async for piece in answer.streaming_content])


def test_every_table_keeps_its_name_and_its_rows(old_store):
    now = rows(Path(connection.settings_dict["NAME"]))
    assert sum(old_store[name] > 0 for name in old_store.keys() - OF_THE_CODE) > 20, (
        "the old store is not empty"
    )
    assert old_store.keys() - now.keys() == DROPPED
    changed = {name for name in old_store.keys() & now.keys() if now[name] != old_store[name]}
    assert changed <= OF_THE_CODE


def test_its_tables_are_those_of_a_new_store(tmp_path):
    """A new store is made by migrations that replace others (`0001_squashed_*`), an old one by those."""
    stores.store_copy(tmp_path / "new.sqlite3")
    new, old = shape(tmp_path / "new.sqlite3"), shape(Path(connection.settings_dict["NAME"]))
    assert sum(map(len, new.values())) > 600
    assert new == old


def test_what_was_kept_reads_as_it_was():
    alice = User.objects.get(username="alice")
    assert set(Team.objects.get(name="Analysts").members.values_list("username", flat=True)) == {
        "alice",
        "bob",
    }
    source = Source.objects.get()
    assert (source.owner, source.password) == (alice, "a secret of long ago")
    assert [table["name"] for table in source.catalog["tables"]] == ["owners", "pets"]
    assert StoredIndex.objects.get(source=source).state == StoredIndex.State.READY
    run = Run.objects.get(question="How many pets are there?")
    assert (run.status, run.outcome, run.sentence) == (Status.DONE, "answered", "The count is 4.")
    assert list(run.versions.order_by("number").values_list("origin", flat=True)) == [
        "answer",
        "edit",
        "edit",
    ]
    assert set(SavedSql.objects.values_list("name", flat=True)) == {"Pets by kind", "Pets of a city"}
    report = Report.objects.get()
    assert (report.title, report.owner, report.schedule["kind"]) == ("Weekly pets", alice, "daily")
    assert Channel.objects.get(kind="webhook").secret == "a secret of a webhook"
    assert Delivery.objects.get().state == Delivery.State.SENT


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_its_pages_open(name):
    client = browser(name)
    report, source = Report.objects.get(), Source.objects.get()
    made = report.runs.get(outcome="made")
    saved = SavedSql.objects.get(name="Pets by kind")
    for address, args, words in [
        ("asking:ask", (), "pets"),
        ("sources:list", (), "pets"),
        ("sources:source", (source.pk,), "owners"),
        ("library:list", (), "Pets by kind"),
        ("library:saved", (saved.pk,), "How many of each kind"),
        ("reports:list", (), "Weekly pets"),
        ("reports:report", (report.pk,), "Pets of a city"),
        ("reports:run", (made.pk,), "bob@example.com"),
    ]:
        assert words in page(client, address, *args), address
    assert "image/png" in client.get(reverse("reports:image", args=[made.pk, 1]))["Content-Type"]
    files = {file.name: page(client, "reports:file", file.pk) for file in ReportFile.objects.all()}
    assert files["weekly-pets-pets-by-kind-2026-11-22.csv"].split() == [
        "\ufeffkind,pets",
        "dog,2",
        "bird,1",
        "cat,1",
    ]


def test_its_answers_open_with_their_rows():
    client = browser("alice")
    run = Run.objects.get(question="How many pets are there?")
    newest = run.versions.get(number=2)
    for address, args, words in [
        ("asking:history", (), "How many pets are there?"),
        ("asking:thread", (run.thread_id,), "only in Oslo"),
        ("asking:run", (run.pk,), "How many pets are there?"),
        ("asking:sent", (run.pk,), "How many pets are there?"),
    ]:
        assert words in page(client, address, *args), address
    shown = client.get(reverse("asking:run", args=[run.pk]), {"version": newest.number}).content.decode()
    assert "count(*) AS pets" in shown
    assert all(kind in shown for kind in ("bird", "cat", "dog")), "the stored rows are read"
    assert client.get(reverse("asking:chart", args=[newest.pk])).json()["figure"]


def test_what_was_queued_is_done_by_the_messages_of_then():
    run, version = Run.objects.get(status=Status.QUEUED), Version.objects.get(status=Status.QUEUED)
    late = ReportRun.objects.get(status=Status.QUEUED)
    app.loader.import_default_modules()
    for task, row in [
        ("mirror.asking.tasks.answer_run", run),
        ("mirror.asking.tasks.run_version", version),
        ("mirror.reports.tasks.make_report", late),
    ]:
        app.tasks[task](row.pk)
        row.refresh_from_db()
        assert row.status == Status.DONE, task
    assert (run.outcome, run.versions.get().result.row_count) == ("answered", 1)
    assert (version.failure, version.result.row_count) == (None, 1)
    assert (late.outcome, late.files.count()) == ("made", 2)
    assert late.deliveries.filter(status=Status.QUEUED).count() == 2
