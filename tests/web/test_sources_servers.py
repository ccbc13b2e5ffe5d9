"""Sources on real servers: what the connect form says of them, and that a password gets there."""

from __future__ import annotations

import socket
from contextlib import closing

import pytest
from django.urls import reverse

from mirror.sources.models import Source
from mirror.sources.opening import open_source
from sqlagent.values import Limits
from tests.servers import PASSWORD, mariadb_server, postgres_server
from tests.web.working import visited

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def erp():
    """A PostgreSQL database with one table and a user who only reads."""
    server = postgres_server()
    with server.connect() as db:
        db.execute("CREATE DATABASE web_erp")
    with server.connect("web_erp") as db:
        db.execute("CREATE TABLE invoices (id int PRIMARY KEY, country text)")
        db.execute("COMMENT ON TABLE invoices IS 'what was billed'")
        db.execute("INSERT INTO invoices VALUES (1, 'Norway')")
        db.execute("CREATE ROLE web_reader LOGIN PASSWORD 'only reading'")
        db.execute("GRANT SELECT ON invoices TO web_reader")
    return server


def typed(server, **changed) -> dict[str, object]:
    form = {
        "name": "erp",
        "host": server.host,
        "port": server.port,
        "database": "web_erp",
        "privacy": "schema",
    }
    return {**form, "username": "web_reader", "password": "only reading", **changed}


def post(browser, name: str, form: dict[str, object], engine: str = "postgres"):
    return visited(browser, reverse(f"sources:{name}") + f"?engine={engine}", form)


def test_a_test_tells_the_server_the_user_and_what_it_could_change(as_alice, erp):
    reader = post(as_alice, "test", typed(erp)).content.decode()
    assert "Connected to PostgreSQL" in reader
    assert "as web_reader" in reader
    assert "can change nothing" in reader
    owner = post(as_alice, "test", typed(erp, username=erp.user, password=PASSWORD)).content.decode()
    assert "could do more than read" in owner
    assert "Do everything on the server: it is a superuser" in owner
    assert "CREATE ROLE &quot;mirror_reader&quot;" in owner


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"password": "wrong"}, "password"),
        ({"database": "nowhere"}, "nowhere"),
        ({"username": "nobody"}, "nobody"),
        ({"port": 1}, "host and port"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_kept(as_alice, erp, changed, word):
    for name in ("test", "connect"):
        page = post(as_alice, name, typed(erp, **changed)).content.decode()
        assert word in page
        assert "only reading" not in page
        assert "Traceback" not in page
    assert not Source.objects.exists()


def test_a_server_is_connected_with_its_catalog_and_can_be_changed_without_its_password(as_alice, erp):
    assert "erp is connected" in post(as_alice, "connect", typed(erp)).content.decode()
    source = Source.objects.get()
    page = as_alice.get(reverse("sources:source", args=[source.pk])).content.decode()
    assert "invoices" in page
    assert "what was billed" in page
    changed = typed(erp, description="Bills", password="")
    page = visited(as_alice, reverse("sources:edit", args=[source.pk]), changed).content.decode()
    assert "erp is changed" in page
    source.refresh_from_db()
    assert (source.description, source.password) == ("Bills", "only reading")


def test_a_mysql_server_is_connected_too(as_alice):
    server = mariadb_server()
    with server.connect() as db, db.cursor() as cursor:
        cursor.execute("CREATE DATABASE web_erp")
        cursor.execute("CREATE TABLE web_erp.invoices (id int PRIMARY KEY, country varchar(40))")
    form = typed(server, username=server.user, password=PASSWORD)
    assert "Connected to" in post(as_alice, "test", form, "mysql").content.decode()
    assert "is connected" in post(as_alice, "connect", form, "mysql").content.decode()
    assert "invoices" in [t["name"] for t in Source.objects.get().catalog["tables"]]


def test_a_name_that_leads_elsewhere_once_it_was_checked_is_not_followed(as_alice, erp, monkeypatch):
    real, asked = socket.getaddrinfo, []

    def changing(host, *rest, **how):
        if host != "erp.invalid":
            return real(host, *rest, **how)
        asked.append(host)
        return real("127.0.0.1" if len(asked) % 2 else "127.0.0.2", *rest, **how)

    monkeypatch.setattr(socket, "getaddrinfo", changing)
    source = Source(engine="postgres", host="erp.invalid", port=erp.port, database="web_erp")
    source.username, source.password = "web_reader", "only reading"
    with closing(open_source(source)) as database:
        assert database.execute("SELECT country FROM invoices", Limits()).rows == (("Norway",),)
    assert len(asked) == 1
