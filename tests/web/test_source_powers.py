"""Rights of a source's user beyond reading: warned about, refused in production, confirmed by administrators."""

from __future__ import annotations

import logging
import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from mirror.sources import catalogs, powers
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.models import Source, StoreMarker
from mirror.sources.opening import open_source
from mirror.sources.store_marker import store_mark
from sqlagent.adapters.base import MARKER_COLUMN, MARKER_TABLE
from sqlagent.values import PASSWORD_HERE, Failure, FailureKind, Limits
from tests.servers import PASSWORD, mariadb_server, postgres_server
from tests.web.working import visited

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def erp():
    """A PostgreSQL database with an owner of its table, who is no superuser, and a user who only reads."""
    server = postgres_server()
    with server.connect() as db:
        db.execute("CREATE DATABASE powers_erp")
    with server.connect("powers_erp") as db:
        db.execute(
            "CREATE TABLE invoices (id int PRIMARY KEY, country text); INSERT INTO invoices VALUES (1, 'x')"
        )
        for name in ("erp_owner", "erp_reader"):
            db.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
        db.execute("ALTER TABLE invoices OWNER TO erp_owner; GRANT SELECT ON invoices TO erp_reader")
    return server


def typed(server, user: str = "erp_owner", **changed) -> dict[str, object]:
    where = {"name": "erp", "host": server.host, "port": server.port, "database": "powers_erp"}
    return {**where, "privacy": "schema", "username": user, "password": PASSWORD, **changed}


def connect(browser, form: dict[str, object], engine: str = "postgres"):
    return visited(browser, reverse("sources:connect") + f"?engine={engine}", form)


def is_kept(answer) -> bool:
    page = answer.content.decode()
    return "is connected." in page or "is changed." in page


def page_of(browser, source: Source) -> str:
    return browser.get(reverse("sources:source", args=[source.pk])).content.decode()


def confirm(browser, source: Source, **form):
    return browser.post(reverse("sources:confirm_powers", args=[source.pk]), form)


WARNING = "The user erp_owner could do more than read"

# ---------------------------------------------------------------- outside production


def test_a_powerful_user_is_warned_about_and_its_source_is_kept(as_alice, erp, caplog):
    caplog.set_level(logging.DEBUG)
    assert is_kept(connect(as_alice, typed(erp)))
    source = Source.objects.get()
    page = page_of(as_alice, source)
    assert WARNING in page
    assert "Change and drop 1 table of its own in schema public (invoices)" in page
    assert "CREATE ROLE &quot;mirror_reader&quot; LOGIN" in page
    assert "GRANT SELECT ON ALL TABLES IN SCHEMA &quot;public&quot;" in page
    made = re.findall(r"PASSWORD &#x27;(.+?)&#x27;", page)
    assert len(made) == 1
    assert len(made[0]) >= 20
    assert made[0] not in page_of(as_alice, source), "a new one each time"
    assert PASSWORD_HERE not in page
    assert made[0] not in str(source.powers)
    assert made[0] not in caplog.text


def test_a_user_that_only_reads_is_not_warned_about(as_alice, erp):
    assert is_kept(connect(as_alice, typed(erp, "erp_reader")))
    page = page_of(as_alice, Source.objects.get())
    assert "could do more than read" not in page
    assert "nothing severe" in page


def test_the_team_sees_the_warning_and_a_stranger_nothing(as_alice, as_bob, as_charlie, team, erp):
    connect(as_alice, typed(erp))
    source = Source.objects.get()
    source.teams.add(team)
    assert WARNING in page_of(as_bob, source)
    assert "CREATE ROLE" not in page_of(as_bob, source), "who decides nothing here needs no statements"
    assert as_charlie.get(reverse("sources:source", args=[source.pk])).status_code == 404


def test_mysql_is_warned_about_too(as_alice):
    server = mariadb_server()
    with server.connect() as db, db.cursor() as cursor:
        cursor.execute("CREATE DATABASE powers_erp; CREATE TABLE powers_erp.invoices (id int)")
    assert is_kept(connect(as_alice, typed(server, server.user), "mysql"))
    page = page_of(as_alice, Source.objects.get())
    assert "Read the password hashes of all users" in page
    assert "GRANT SELECT ON `powers\\_erp`.* TO &#x27;mirror_reader&#x27;@&#x27;%&#x27;;" in page


def test_a_source_that_nobody_looked_at_yet_says_nothing_and_a_refresh_looks(as_alice, erp):
    connect(as_alice, typed(erp))
    Source.objects.update(powers=None)
    source = Source.objects.get()
    assert "could do more than read" not in page_of(as_alice, source)
    visited(as_alice, reverse("sources:refresh", args=[source.pk]))
    assert WARNING in page_of(as_alice, source)


# ---------------------------------------------------------------- who confirms


def test_only_an_administrator_who_sees_the_source_confirms(
    as_alice, as_bob, as_charlie, as_admin, admin, alice, team, erp
):
    connect(as_alice, typed(erp))
    source = Source.objects.get()
    source.teams.add(team)
    tick = {"confirm_powers": "on"}
    told = [
        confirm(browser, source, **tick).status_code for browser in (as_alice, as_bob, as_charlie, as_admin)
    ]
    assert told == [403, 403, 404, 404]
    assert powers.powers_are_unconfirmed(Source.objects.get())
    team.members.add(admin)
    assert "I know what this user could do" in page_of(as_admin, source)
    assert "I know what this user could do" not in page_of(as_alice, source)
    confirm(as_admin, source)
    assert powers.powers_are_unconfirmed(Source.objects.get()), "the box was not ticked"
    assert confirm(as_admin, source, **tick).status_code == 302
    source.refresh_from_db()
    assert (source.powers_confirmed_by, source.powers_confirmed) == (admin, ["own"])
    assert source.powers_confirmed_at is not None
    page = page_of(as_alice, source)
    assert WARNING not in page
    assert f"confirmed by {admin}" in page
    assert as_admin.get(reverse("sources:confirm_powers", args=[source.pk])).status_code == 405


def test_a_power_that_came_later_is_warned_about_again(as_admin, erp):
    connect(as_admin, typed(erp, confirm_powers="on"))
    source = Source.objects.get()
    assert not powers.powers_are_unconfirmed(source)
    with erp.connect("powers_erp") as db:
        db.execute("ALTER ROLE erp_owner CREATEROLE")
        try:
            catalog_refresh(source)
        finally:
            db.execute("ALTER ROLE erp_owner NOCREATEROLE")
    page = page_of(as_admin, source)
    assert WARNING in page
    assert "Make roles and put itself into others (CREATEROLE)" in page


def test_a_confirmation_is_for_one_user_of_one_database(as_admin, erp):
    connect(as_admin, typed(erp, confirm_powers="on"))
    source = Source.objects.get()
    edit = reverse("sources:edit", args=[source.pk])
    assert is_kept(visited(as_admin, edit, typed(erp, description="Bills", password="")))
    assert not powers.powers_are_unconfirmed(Source.objects.get()), "nothing moved"
    assert is_kept(visited(as_admin, edit, typed(erp, erp.user)))
    changed = Source.objects.get()
    assert (changed.powers_confirmed, changed.powers_confirmed_by) == ([], None)
    assert powers.powers_are_unconfirmed(changed)


# ---------------------------------------------------------------- in production


@pytest.fixture
def production(settings):
    settings.PRODUCTION = True


def test_in_production_a_powerful_user_is_refused_and_what_was_typed_stays(production, as_alice, erp):
    for more in ({}, {"confirm_powers": "on"}):  # a box that was never offered counts for nothing
        answer = connect(as_alice, typed(erp, description="Bills", **more))
        page = answer.content.decode()
        assert "Not saved: its user can do more than read" in page
        assert "change and drop 1 table of its own in schema public" in page
        assert "CREATE ROLE &quot;mirror_reader&quot; LOGIN" in page
        assert 'value="Bills"' in page
        assert 'name="confirm_powers"' not in page
        assert not Source.objects.exists()
    found = visited(as_alice, reverse("sources:test") + "?engine=postgres", typed(erp)).content.decode()
    assert "kept only when an administrator confirms" in found


def test_in_production_a_user_that_only_reads_is_kept(production, as_alice, erp):
    assert is_kept(connect(as_alice, typed(erp, "erp_reader")))


def test_in_production_an_administrator_may_keep_it_and_is_taken_down(production, as_admin, admin, erp):
    page = connect(as_admin, typed(erp)).content.decode()
    assert 'name="confirm_powers"' in page
    assert not Source.objects.exists()
    assert is_kept(connect(as_admin, typed(erp, confirm_powers="on")))
    source = Source.objects.get()
    assert (source.powers_confirmed_by, source.powers_confirmed) == (admin, ["own"])
    assert source.powers_confirmed_at is not None


def test_in_production_what_is_there_already_is_only_warned_about(settings, as_alice, erp):
    connect(as_alice, typed(erp))
    settings.PRODUCTION = True
    source = Source.objects.get()
    edit = reverse("sources:edit", args=[source.pk])
    assert is_kept(visited(as_alice, edit, typed(erp, description="Bills", password="")))
    assert WARNING in page_of(as_alice, source)
    answer = visited(as_alice, edit, typed(erp, erp.user))
    assert "it is a superuser" in answer.content.decode()
    assert Source.objects.get().username == "erp_owner"


def test_in_production_powers_that_cannot_be_read_keep_nothing(production, as_alice, erp, monkeypatch):
    whole = catalogs.seen_confined

    def broken(how):
        return replace(whole(how), check=Failure(FailureKind.ERROR, "Nobody knows."))

    monkeypatch.setattr(catalogs, "seen_confined", broken)
    assert "Nobody knows." in connect(as_alice, typed(erp)).content.decode()
    assert not Source.objects.exists()


def test_the_command_refuses_too_unless_it_is_told(production, admin, erp, monkeypatch):
    monkeypatch.setenv("SOURCE_PASSWORD", PASSWORD)
    line = ("erp", "--engine", "postgres", "--host", erp.host, "--port", str(erp.port))
    line += ("--database", "powers_erp", "--user", "erp_owner")
    with pytest.raises(CommandError, match="of its own") as caught:
        call_command("connect", *line, stdout=StringIO())
    assert 'CREATE ROLE "mirror_reader" LOGIN' in str(caught.value)
    assert "--confirm-powers" in str(caught.value)
    assert not Source.objects.exists()
    said = StringIO()
    call_command("connect", *line, "--confirm-powers", stdout=said)
    assert "severe   change and drop 1 table" in said.getvalue()
    assert Source.objects.get().powers_confirmed_by == admin


# ---------------------------------------------------------------- the store


def test_the_marker_is_what_adapters_look_for():
    assert StoreMarker._meta.db_table == MARKER_TABLE
    assert StoreMarker._meta.get_field(MARKER_COLUMN)
    assert store_mark() == StoreMarker.objects.get().mark
    assert len(store_mark()) == 32


def test_a_file_that_is_the_store_by_another_name_or_a_copy_of_it_is_no_source(
    transactional_db, as_admin, settings, tmp_path
):
    store = Path(str(settings.DATABASES["default"]["NAME"]))
    os.link(store, tmp_path / "hard.sqlite3")
    (tmp_path / "soft.sqlite3").symlink_to(store)
    with closing(sqlite3.connect(store)) as db, closing(sqlite3.connect(tmp_path / "copy.sqlite3")) as copy:
        store_mark()
        db.backup(copy)
    for name in ("hard", "soft", "copy"):
        form = {"name": name, "database": str(tmp_path / f"{name}.sqlite3"), "privacy": "schema"}
        for address in ("test", "connect"):
            page = visited(as_admin, reverse(f"sources:{address}"), form).content.decode()
            assert "own store" in page, name
    assert not Source.objects.exists()


def test_a_store_seen_beside_the_connected_database_of_mysql_is_found_with_the_catalog(as_admin):
    server = mariadb_server()
    with server.connect() as db, db.cursor() as cursor:
        cursor.execute("CREATE DATABASE beside; CREATE TABLE beside.t (a int); CREATE DATABASE kept_store")
        cursor.execute("CREATE TABLE kept_store.mirror_store_marker (mark varchar(64))")
        cursor.execute("INSERT INTO kept_store.mirror_store_marker VALUES (%s)", [store_mark()])
        cursor.execute(f"CREATE USER besides IDENTIFIED BY '{PASSWORD}'; GRANT SELECT ON beside.* TO besides")
        cursor.execute("GRANT SELECT ON kept_store.* TO besides")
    page = connect(as_admin, typed(server, "besides", database="beside"), "mysql").content.decode()
    assert "reads Mirror&#x27;s own store" in page
    assert not Source.objects.exists()


STORE = """
import sys
import django; django.setup()
from contextlib import closing
from io import StringIO
from django.core.management import CommandError, call_command
from mirror.people.services import first_admin
from mirror.sources import services
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.catalogs import source_catalog
from mirror.sources.errors import SourceError
from mirror.sources.models import Source
from mirror.sources.opening import open_source
from sqlagent.errors import DatabaseError
from sqlagent.values import Limits

host, port, base, owner, password = sys.argv[1:]
call_command("migrate", verbosity=0)
admin = first_admin()
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("CREATE ROLE peeper LOGIN PASSWORD 'peeping'; GRANT SELECT ON django_session TO peeper")
tried = 0
for engine, options in (("postgres", {}), ("sqlalchemy", {"dialect": "postgresql+psycopg"})):
    for place in (host, "localhost"):
        for user, secret in ((owner, password), ("peeper", "peeping")):
            tried += 1
            source = Source(name=f"s{tried}", engine=engine, host=place, port=int(port), database=base, owner=admin)
            source.username, source.password, source.options = user, secret, options
            for attempt in (services.source_test, services.source_connect):
                try:
                    attempt(source, admin)
                except SourceError as error:
                    assert "own store" in str(error), error
                else:
                    raise SystemExit(f"{attempt.__name__} took {engine} {place} {user}")
            source.save()  # as one that was there before the marker was
            with closing(open_source(source)) as database:
                for ask in (
                    lambda: database.execute("SELECT session_key FROM django_session", Limits()),
                    lambda: list(database.stream("SELECT 1", Limits()).__enter__()),
                    lambda: source_catalog(source),
                ):
                    try:
                        ask()
                    except DatabaseError as error:
                        assert "own store" in error.failure.message, error.failure
                    else:
                        raise SystemExit(f"{engine} {place} {user} was read")
            try:
                catalog_refresh(source)
            except SourceError as error:
                assert "own store" in str(error), error
            else:
                raise SystemExit("refreshed")
            try:
                call_command("export", source=source.name, sql="SELECT 1", out="never.csv", stdout=StringIO())
            except CommandError as error:
                assert "own store" in str(error), error
            else:
                raise SystemExit("exported")
print(f"{tried} ways refused")
"""


@pytest.mark.long
def test_a_store_on_postgres_is_no_source_however_it_is_spelt(tmp_path):
    server = postgres_server()
    with closing(server.connect()) as db:
        db.execute("CREATE DATABASE mirror_itself")
    quoted = PASSWORD.replace(" ", "%20")
    env = {
        **os.environ,
        "DATABASE_URL": f"postgres://{server.user}:{quoted}@{server.host}:{server.port}/mirror_itself",
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
        "MIRROR_VAR_DIR": str(tmp_path),
    }
    where = [server.host, str(server.port), "mirror_itself", server.user, PASSWORD]
    done = subprocess.run(
        [sys.executable, "-c", STORE, *where], cwd=ROOT, env=env, capture_output=True, text=True, timeout=120
    )
    assert "8 ways refused" in done.stdout, done.stderr


def test_what_is_no_store_is_read(shop):
    with closing(open_source(shop)) as database:
        assert database.execute("SELECT 1", Limits()).rows == ((1,),)
