"""Sources: who sees which, what a connect form takes and refuses, and what is read of a source."""

from __future__ import annotations

import ipaddress
import os
import sqlite3
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import time_machine
from django.urls import reverse
from kombu.exceptions import OperationalError

from mirror.sources import addresses, services
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.catalogs import catalog_json, catalog_read, source_catalog
from mirror.sources.errors import SourceError
from mirror.sources.index_services import source_index
from mirror.sources.models import Source, StoredIndex
from mirror.sources.opening import open_source
from mirror.sources.pages import table_key, tables_found
from mirror.work.kinds import kind_of
from tests.web.working import values_read, visited

pytestmark = pytest.mark.django_db


def url(name: str, *args) -> str:
    return reverse(f"sources:{name}", args=args)


@pytest.fixture
def files(settings, tmp_path: Path) -> Path:
    """The folder in which people who are not staff may connect files, with one database in it."""
    settings.SOURCE_FILES_DIR = tmp_path / "files"
    settings.SOURCE_FILES_DIR.mkdir()
    db = sqlite3.connect(settings.SOURCE_FILES_DIR / "pets.sqlite3")
    db.executescript("CREATE TABLE pets (name TEXT, age INTEGER); INSERT INTO pets VALUES ('Rex', 3);")
    db.close()
    return settings.SOURCE_FILES_DIR


PETS = {"name": "pets", "database": "pets.sqlite3", "privacy": "schema"}


# ---------------------------------------------------------------- who may


@pytest.mark.parametrize(
    ("verb", "name", "expected"),
    [
        ("get", "source", (200, 200, 404)),
        ("get", "names", (200, 200, 404)),
        ("get", "values", (302, 302, 404)),
        ("get", "edit", (200, 403, 404)),
        ("post", "edit", (422, 403, 404)),
        ("post", "test_changed", (200, 403, 404)),
        ("get", "share", (200, 403, 404)),
        ("post", "share", (302, 403, 404)),
        ("get", "delete", (200, 403, 404)),
        ("post", "refresh", (302, 302, 404)),
    ],
)
def test_the_owner_changes_the_team_looks_and_a_stranger_finds_nothing(
    as_alice, as_bob, as_charlie, shop, verb, name, expected
):
    address = url(name, shop.pk)
    got = [getattr(browser, verb)(address).status_code for browser in (as_charlie, as_bob, as_alice)]
    assert tuple(reversed(got)) == expected


def test_only_the_owner_deletes_a_source(as_alice, as_bob, as_charlie, shop):
    for browser, status in [(as_bob, 403), (as_charlie, 404)]:
        assert browser.post(url("delete", shop.pk)).status_code == status
    assert Source.objects.filter(pk=shop.pk).exists()
    assert as_alice.post(url("delete", shop.pk)).status_code == 302
    assert not Source.objects.exists()


def test_the_list_shows_what_is_shared_and_nothing_else(as_alice, as_bob, as_charlie, shop):
    pages = [browser.get(url("list")).content.decode() for browser in (as_alice, as_bob, as_charlie)]
    link = url("source", shop.pk)
    assert [link in page for page in pages] == [True, True, False]
    assert "No sources yet" in pages[2]


def test_an_administrator_sees_no_source_that_is_not_shared_with_them(as_admin, shop):
    assert as_admin.get(url("source", shop.pk)).status_code == 404


def test_who_leaves_the_team_no_longer_sees_its_sources(as_bob, bob, team, shop):
    assert as_bob.get(url("source", shop.pk)).status_code == 200
    team.members.remove(bob)
    assert as_bob.get(url("source", shop.pk)).status_code == 404


def test_a_source_is_shared_only_with_teams_one_is_in(as_alice, as_bob, alice, shop, team):
    from mirror.people.models import Team

    other = Team.objects.create(name="Others")
    assert as_alice.post(url("share", shop.pk), {"teams": [other.pk]}).status_code == 422
    assert as_alice.post(url("share", shop.pk), {"teams": []}).status_code == 302
    assert as_bob.get(url("source", shop.pk)).status_code == 404
    shop.teams.add(other)
    assert as_alice.post(url("share", shop.pk), {"teams": [team.pk]}).status_code == 302
    assert set(shop.teams.all()) == {team, other}, "a share that somebody else made is left as it is"


# ---------------------------------------------------------------- connecting


def test_a_file_is_connected_with_its_catalog(as_charlie, charlie, files):
    page = visited(as_charlie, url("connect"), PETS).content.decode()
    source = Source.objects.get(name="pets")
    assert source.owner == charlie
    assert source.database == str(files / "pets.sqlite3")
    assert [t["name"] for t in source.catalog["tables"]] == ["pets"]
    assert "pets is connected" in page


def test_a_test_tells_what_was_found_and_keeps_nothing(as_charlie, files):
    page = visited(as_charlie, url("test"), PETS).content.decode()
    assert "Connected to SQLite" in page
    assert not Source.objects.exists()


def test_nothing_is_kept_of_a_source_that_does_not_answer_and_the_form_stays_filled(as_charlie, files):
    (files / "notes.sqlite3").write_text(
        "this is no database, but long enough to be taken for one at first" * 20
    )
    typed = {**PETS, "database": "notes.sqlite3", "description": "my pets"}
    page = visited(as_charlie, url("connect"), typed).content.decode()
    assert "not a database" in page
    assert 'value="my pets"' in page
    assert not Source.objects.exists()


@pytest.mark.parametrize("typed", ["../outside.sqlite3", "/etc/passwd", "link.sqlite3", "~/outside.sqlite3"])
def test_files_outside_the_folder_are_refused_without_telling_whether_they_exist(
    as_charlie, files, tmp_path, typed
):
    sqlite3.connect(tmp_path / "outside.sqlite3").execute("CREATE TABLE t (a)")
    os.symlink(tmp_path / "outside.sqlite3", files / "link.sqlite3")
    for name in ("test", "connect"):
        page = visited(as_charlie, url(name), {**PETS, "database": typed}).content.decode()
        assert "Only files under" in page and str(tmp_path) not in page
    assert not Source.objects.exists()


def test_an_administrator_may_connect_a_file_anywhere_but_not_the_store(as_admin, files, tmp_path, settings):
    sqlite3.connect(tmp_path / "outside.sqlite3").execute("CREATE TABLE t (a)")
    store = settings.DATABASES["default"]["NAME"]
    page = visited(as_admin, url("connect"), {**PETS, "database": str(tmp_path / "outside.sqlite3")})
    assert "pets is connected" in page.content.decode()
    typed = {**PETS, "name": "store", "database": str(store)}
    page = visited(as_admin, url("connect"), typed).content.decode()
    assert "own store" in page


@pytest.mark.parametrize(
    ("host", "why"),
    [
        ("169.254.169.254", "link-local"),
        ("fe80::1", "link-local"),
        ("::ffff:169.254.169.254", "link-local"),
        ("100.100.100.200", "link-local"),
        ("0.0.0.0", "nothing can be reached"),
        ("224.0.0.1", "nothing can be reached"),
        ("db,evil.example", "not a host name"),
        ("/var/run/postgresql", "not a host name"),
        ("db host=evil", "not a host name"),
        ("no-such-machine.invalid", "No machine is called"),
    ],
)
def test_hosts_that_may_not_be_called_are_refused_with_the_reason(as_charlie, host, why):
    typed = {"name": "x", "host": host, "port": 5432, "database": "x", "privacy": "schema"}
    for name in ("test", "connect"):
        page = visited(as_charlie, url(name) + "?engine=postgres", typed).content.decode()
        assert why in page
    assert not Source.objects.exists()


def test_private_networks_are_refused_where_the_setting_says_so(settings):
    assert addresses.refused_because(ipaddress.ip_address("127.0.0.1")) == ""
    settings.SOURCE_PRIVATE_HOSTS = False
    for address in ("127.0.0.1", "10.1.2.3", "192.168.0.1", "::1", "fd12::1", "::ffff:10.0.0.1"):
        assert "private network" in addresses.refused_because(ipaddress.ip_address(address))
    assert addresses.refused_because(ipaddress.ip_address("1.1.1.1")) == ""


def test_a_name_is_taken_whatever_its_letter_case(as_alice, shop, files):
    page = as_alice.post(url("connect"), {**PETS, "name": "SHOP"}).content.decode()
    assert "has this name already" in page


@pytest.mark.parametrize("sign", ["\n", "\u202e", "\u2066", "\x1b"])
def test_a_name_and_a_description_hold_neither_line_ends_nor_hidden_characters(as_alice, files, sign):
    page = as_alice.post(url("connect"), {**PETS, "name": f"pe{sign}ts"}).content.decode()
    assert "Use letters, digits, - and _ only" in page
    page = as_alice.post(url("connect"), {**PETS, "description": f"my{sign}pets"}).content.decode()
    assert "a line end, or a character that cannot be seen" in page
    assert not Source.objects.exists()


def test_a_host_that_leads_elsewhere_later_is_not_called(server, settings, as_alice, monkeypatch):
    def leads_elsewhere(host, port, **_):
        return [(2, 1, 6, "", ("169.254.169.254", port))]

    monkeypatch.setattr("mirror.sources.addresses.socket.getaddrinfo", leads_elsewhere)
    page = visited(as_alice, url("refresh", server.pk)).content.decode()
    assert "it is a link-local address, where clouds keep their secrets" in page


# ---------------------------------------------------------------- secrets


@pytest.fixture
def server(alice) -> Source:
    """A server that Alice connected, kept with its password."""
    return Source.objects.create(
        owner=alice,
        name="erp",
        engine=Source.Engine.POSTGRES,
        host="127.0.0.1",
        port=1,
        database="erp",
        username="reader",
        password="a secret pass word",
    )


TYPED = {
    "name": "erp",
    "host": "127.0.0.1",
    "port": 1,
    "database": "erp",
    "username": "reader",
    "privacy": "schema",
}


def test_a_password_is_never_given_back(as_alice, server):
    pages = [as_alice.get(url(name, server.pk)) for name in ("source", "edit", "share", "delete")]
    pages += [visited(as_alice, url(name, server.pk), TYPED) for name in ("edit", "test_changed", "refresh")]
    for page in pages:
        assert "a secret pass word" not in page.content.decode()
    assert "One is kept" in pages[1].content.decode()


def test_the_store_holds_the_password_encrypted(server):
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT password FROM sources_source WHERE id = %s", [server.pk])
        kept = cursor.fetchone()[0]
    assert "secret" not in kept
    assert Source.objects.get(pk=server.pk).password == "a secret pass word"


def test_a_kept_password_is_used_when_none_is_typed(as_alice, server, monkeypatch):
    seen = []
    monkeypatch.setattr(services, "check_confined", lambda how: seen.append(how["password"]) or _refuse())
    visited(as_alice, url("test_changed", server.pk), TYPED)
    visited(as_alice, url("test_changed", server.pk), {**TYPED, "password": "another"})
    assert seen == ["a secret pass word", "another"]


def _refuse():
    raise SourceError("stop here")


@pytest.mark.parametrize("change", [{"host": "localhost"}, {"port": 2}, {"username": "root"}])
def test_a_kept_password_is_never_sent_to_another_host_or_user(as_alice, server, change):
    for name in ("test_changed", "edit"):
        page = as_alice.post(url(name, server.pk), {**TYPED, **change}).content.decode()
        assert "Type the password again" in page
    server.refresh_from_db()
    assert (server.host, server.port, server.username) == ("127.0.0.1", 1, "reader")


def test_a_server_that_is_not_there_is_told_in_words(as_alice, server):
    page = visited(as_alice, url("test_changed", server.pk), TYPED).content.decode()
    assert "No connection" in page
    assert "Traceback" not in page
    assert visited(as_alice, url("refresh", server.pk)).status_code == 200


# ---------------------------------------------------------------- catalog and values


def test_a_catalog_survives_being_kept(shop):
    database = open_source(shop)
    catalog = database.catalog()
    database.close()
    assert catalog_read(catalog_json(catalog)) == catalog


def test_a_refresh_sees_new_tables_and_has_the_values_read_again(
    as_charlie, charlie, files, django_capture_on_commit_callbacks
):
    visited(as_charlie, url("connect"), PETS)
    source = Source.objects.get(name="pets")
    db = sqlite3.connect(files / "pets.sqlite3")
    db.executescript("CREATE TABLE owners (name TEXT);")
    db.close()
    visited(as_charlie, url("refresh", source.pk))
    source.refresh_from_db()
    assert {t["name"] for t in source.catalog["tables"]} == {"pets", "owners"}
    assert source.stored_indexes.get().state == StoredIndex.State.WAITING


def test_a_catalog_is_read_anew_after_a_day_and_kept_while_the_source_is_away(as_charlie, files, settings):
    visited(as_charlie, url("connect"), PETS)
    db = sqlite3.connect(files / "pets.sqlite3")
    db.executescript("CREATE TABLE owners (name TEXT);")
    db.close()

    def tables(hours: float) -> set[str]:
        source = Source.objects.get(name="pets")
        with time_machine.travel(source.catalog_at + timedelta(hours=hours)):
            return {t.name for t in source_catalog(source).tables}

    assert tables(settings.CATALOG_HOURS - 1) == {"pets"}
    assert tables(settings.CATALOG_HOURS + 1) == {"pets", "owners"}
    (files / "pets.sqlite3").unlink()
    assert tables(settings.CATALOG_HOURS * 3) == {"pets", "owners"}


def test_stored_values_become_searchable(shop):
    values_read(shop)
    stored = StoredIndex.objects.get(source=shop)
    assert stored.state == StoredIndex.State.READY
    assert stored.size > 1000
    database = open_source(shop)
    catalog = source_catalog(shop)
    index = source_index(shop, catalog, database)
    assert [match.value for match in index.search("norway")][:1] == ["Norway"]
    assert source_index(shop, catalog, database) is index, "unpacked once"
    database.close()


def test_tables_are_read_though_the_broker_is_away(transactional_db, as_alice, shop, monkeypatch):
    def away(pk: int) -> None:
        raise OperationalError("connection refused")

    monkeypatch.setattr(kind_of(StoredIndex), "tell", away)
    visited(as_alice, url("refresh", shop.pk))
    assert StoredIndex.objects.get(source=shop).state == StoredIndex.State.WAITING


def test_values_that_cannot_be_read_are_told_on_the_page(as_alice, shop, tmp_path):
    catalog_refresh(shop)
    Source.objects.filter(pk=shop.pk).update(database=str(tmp_path / "gone.sqlite3"))
    shop.refresh_from_db()
    values_read(shop)
    page = as_alice.get(url("source", shop.pk)).content.decode()
    assert "gone.sqlite3" in page
    assert "stored values could not be read" in page


def test_a_catalog_is_searched_by_table_column_and_comment():
    catalog = {
        "tables": [
            _table("customers", ["id", "country"]),
            _table("orders", ["id", "customer_id"], comment="what was sold"),
            _table("visits", ["id"], schema="web"),
        ]
    }
    found = {
        search: [table_key(table) for table in tables_found(catalog, search)]
        for search in ("", "customer", "sold", "web.vis", "country id", "nothing")
    }
    assert found == {
        "": ["customers", "orders", "web.visits"],
        "customer": ["customers", "orders"],
        "sold": ["orders"],
        "web.vis": ["web.visits"],
        "country id": ["customers"],
        "nothing": [],
    }


@pytest.fixture
def wide(shop):
    """The shop as a source of 297 tables of twelve columns each, and one that is wider than a page."""
    columns = [f"column_{n}" for n in range(12)]
    tables = [_table(f"table_{n:03}", columns, schema="erp", comment="what it holds") for n in range(297)]
    tables.append(_table("the wide & <b>odd</b> one", [f"c{n}" for n in range(1_500)]))
    Source.objects.filter(pk=shop.pk).update(catalog={"version": "1", "tables": tables})
    return shop


def test_a_source_of_hundreds_of_tables_is_a_small_page(as_bob, wide):
    answer = as_bob.get(url("source", wide.pk))
    page = answer.content.decode()
    assert len(answer.content) < 130_000, len(answer.content)
    assert "298 tables" in page and "1–100 of 298" in page
    assert "erp.table_099" in page and "erp.table_100" not in page
    assert "erp.table_100" in as_bob.get(url("source", wide.pk) + "?page=2").content.decode()
    last = as_bob.get(url("source", wide.pk) + "?page=999").content.decode()
    assert "the wide &amp; &lt;b&gt;odd&lt;/b&gt; one" in last


def test_a_table_brings_its_columns_when_it_is_opened(as_alice, as_bob, as_charlie, wide):
    address = url("columns", wide.pk) + "?table=erp.table_250"
    for client in (as_alice, as_bob):
        fragment = client.get(address, headers={"HX-Request": "true"}).content.decode()
        assert "column_11" in fragment and "<html" not in fragment
    assert as_charlie.get(address, headers={"HX-Request": "true"}).status_code == 404
    alone = as_bob.get(address, follow=True).content.decode()
    assert "column_11" in alone and "erp.table_249" not in alone
    for nothing in ("?table=gone", "", "?table=%00"):
        answer = as_bob.get(url("columns", wide.pk) + nothing, headers={"HX-Request": "true"})
        assert answer.status_code == 404
    odd = as_bob.get(
        url("columns", wide.pk), {"table": "the wide & <b>odd</b> one"}, headers={"HX-Request": "1"}
    )
    assert "500 columns of it are not shown" in odd.content.decode()
    assert as_bob.post(address).status_code == 405


def test_a_search_shows_the_columns_it_found_wherever_the_table_stands(as_bob, wide):
    page = as_bob.get(url("source", wide.pk) + "?q=c1499").content.decode()
    assert "<mark>c1499</mark>" in page and "1 of 298 tables" in page


def _table(name, columns, schema="", comment=""):
    return {
        "name": name,
        "schema": schema,
        "comment": comment,
        "row_estimate": None,
        "is_view": False,
        "primary_key": [],
        "foreign_keys": [],
        "columns": [
            {"name": c, "type": "TEXT", "kind": "text", "comment": "", "nullable": True} for c in columns
        ],
    }


def test_the_editor_gets_the_names_to_complete(as_bob, shop):
    catalog_refresh(shop)
    names = as_bob.get(url("names", shop.pk)).json()
    assert "country" in names["tables"]["customers"]


@pytest.mark.parametrize("name", ["visit", "review"])
def test_a_page_that_polls_what_is_gone_is_told_so_and_asks_no_more(as_alice, name):
    """286 is what ends the polling of htmx; a person who looks gets the page of what is not there."""
    address = reverse(f"sources:{name}", args=[uuid4()])
    told = as_alice.get(address, headers={"HX-Request": "true"})
    assert told.status_code == 286 and 'id="working"' in told.content.decode()
    assert as_alice.get(address).status_code == 404
