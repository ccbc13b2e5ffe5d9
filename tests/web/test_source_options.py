"""The named settings of a source: TLS to a real server, engines of the long tail, and what a change asks for."""

from __future__ import annotations

import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.urls import reverse
from requests.exceptions import InvalidURL

from mirror.sources import services
from mirror.sources.errors import SourceError
from mirror.sources.models import UNTRIED, Source
from mirror.sources.opening import how_to_open, open_source
from sqlagent.adapters import open_database
from sqlagent.adapters.warehouses import WAREHOUSES, home_session, service_account
from sqlagent.errors import Unreachable
from tests import server_processes, servers
from tests.web.working import visited

pytestmark = pytest.mark.django_db

PASSWORD = "only reading"


@pytest.fixture(scope="module")
def ledger():
    """A PostgreSQL database whose server has a certificate of its own making, and a user who only reads."""
    server = servers.postgres_server()
    with server.connect() as db:
        db.execute("CREATE DATABASE web_ledger")
    with server.connect("web_ledger") as db:
        db.execute("CREATE TABLE invoices (id int PRIMARY KEY, country text)")
        db.execute("INSERT INTO invoices VALUES (1, 'Norway')")
        db.execute(f"CREATE ROLE ledger_reader LOGIN PASSWORD '{PASSWORD}'")
        db.execute("GRANT SELECT ON invoices TO ledger_reader")
    return server


@pytest.fixture
def authorities(settings, tmp_path: Path, ledger) -> Path:
    """The folder for files, with the server's certificate and one of somebody else's."""
    folder = settings.SOURCE_FILES_DIR = tmp_path / "files"
    folder.mkdir()
    shutil.copyfile(ledger.folder / "cert.pem", folder / "own.pem")
    (folder / "other.pem").write_bytes(server_processes.certificate_for("127.0.0.1")[0])
    (folder / "no.pem").write_text("not a certificate")
    return folder


def typed(server, **changed) -> dict[str, object]:
    form = {"name": "ledger", "host": server.host, "port": server.port, "database": "web_ledger"}
    return {**form, "username": "ledger_reader", "password": PASSWORD, "privacy": "schema", **changed}


def post(browser, name: str, form: dict[str, object], engine: str = "postgres"):
    return visited(browser, reverse(f"sources:{name}") + f"?engine={engine}", form)


def is_encrypted(source: Source) -> bool:
    from sqlagent.values import Limits

    database = open_source(source)
    sql = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
    return bool(database.execute(sql, Limits()).rows[0][0])


# ---------------------------------------------------------------- TLS


@pytest.mark.parametrize(
    ("options", "encrypted"),
    [
        ({}, True),
        ({"sslmode": "disable"}, False),
        ({"sslmode": "require"}, True),
        ({"sslmode": "verify-full", "sslrootcert": "own.pem"}, True),
    ],
)
def test_a_source_is_read_over_tls_as_it_was_chosen(as_charlie, ledger, authorities, options, encrypted):
    assert "is connected" in post(as_charlie, "connect", typed(ledger, **options)).content.decode()
    source = Source.objects.get()
    kept = {**options, **({"sslrootcert": str(authorities / "own.pem")} if "sslrootcert" in options else {})}
    assert source.options == kept
    assert is_encrypted(source) is encrypted


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"sslmode": "verify-full", "sslrootcert": "other.pem"}, "certificate verify failed"),
        ({"sslmode": "verify-full"}, "No TLS connection to"),
        ({"sslmode": "verify-ca", "sslrootcert": "no.pem"}, "No TLS connection to"),
        ({"sslmode": "verify-full", "sslrootcert": "gone.pem"}, "There is no file"),
        ({"sslmode": "verify-full", "sslrootcert": "/etc/ssl/certs/ca-certificates.crt"}, "Only files under"),
        ({"sslmode": "../../etc"}, "Select a valid choice"),
    ],
)
def test_a_certificate_that_does_not_fit_is_said_and_nothing_is_kept(
    as_charlie, ledger, authorities, options, word
):
    for name in ("test", "connect"):
        page = post(as_charlie, name, typed(ledger, **options)).content.decode()
        assert word in page
        assert PASSWORD not in page
    assert not Source.objects.exists()


def test_a_changed_way_there_asks_for_the_password_again(as_alice, ledger, authorities):
    post(as_alice, "connect", typed(ledger, sslmode="require"))
    source = Source.objects.get()
    edit = reverse("sources:edit", args=[source.pk])
    same = typed(ledger, sslmode="require", password="", description="Bills")
    assert "is changed" in visited(as_alice, edit, same).content.decode()
    refused = as_alice.post(edit, {**same, "sslmode": "disable"})
    assert refused.status_code == 422
    assert "Type the password again" in refused.content.decode()
    source.refresh_from_db()
    assert (source.description, source.options) == ("Bills", {"sslmode": "require"})
    page = as_alice.get(edit).content.decode()
    assert '<option value="require" selected>' in page
    page = visited(as_alice, edit, {**same, "sslmode": "", "password": PASSWORD}).content.decode()
    assert "is changed" in page
    source.refresh_from_db()
    assert source.options == {}


# ---------------------------------------------------------------- the long tail


GUARDED = {"spark", "databricks", "sqlalchemy", *UNTRIED} - {"oracle"}


def test_each_form_holds_the_settings_of_its_engine(as_alice):
    found = {}
    for engine in Source.Engine.values:
        page = as_alice.get(reverse("sources:connect") + f"?engine={engine}").content.decode()
        names = (
            "sslmode",
            "sslrootcert",
            "auth",
            "namespaces",
            "dialect",
            "warehouse",
            "role",
            "location",
            "http_path",
        )
        found[engine] = {name for name in names if f'name="{name}"' in page}
        assert ("Connect as a user that can only read" in page) is (engine in GUARDED)
        assert ("Untried with a server" in page) is (engine in UNTRIED)
    tls = {"sslmode", "sslrootcert"}
    assert found == {
        "sqlite": set(),
        "duckdb": set(),
        "postgres": tls,
        "mysql": tls,
        "spark": {*tls, "auth", "namespaces"},
        "clickhouse": {*tls, "namespaces"},
        "trino": tls,
        "snowflake": {"warehouse", "role"},
        "bigquery": {"location"},
        "databricks": {"http_path"},
        "mssql": {"sslmode"},
        "oracle": {"sslmode"},
        "redshift": {"sslmode"},
        "sqlalchemy": {"dialect"},
    }


def test_a_server_of_the_long_tail_is_connected_through_its_dialect(as_alice, ledger):
    page = as_alice.get(reverse("sources:connect") + "?engine=sqlalchemy").content.decode()
    assert '<option value="postgresql+psycopg">' in page
    assert "sqlite" not in services.dialects()
    assert "pip install" in page
    form = typed(ledger, dialect="postgresql+psycopg")
    told = post(as_alice, "test", form, "sqlalchemy").content.decode()
    assert "Connected to postgresql" in told
    assert "may SELECT and nothing else" in told
    assert "is connected" in post(as_alice, "connect", form, "sqlalchemy").content.decode()
    source = Source.objects.get()
    assert [table["name"] for table in source.catalog["tables"]] == ["invoices"]
    assert source.catalog["dialect"] == "postgres"
    page = as_alice.get(reverse("sources:source", args=[source.pk])).content.decode()
    assert "no read-only session" not in page, "PostgreSQL has one, whichever way it is opened"
    changed = as_alice.post(
        reverse("sources:edit", args=[source.pk]), {**form, "dialect": "mysql+pymysql", "password": ""}
    )
    assert "Type the password again" in changed.content.decode()


@pytest.mark.parametrize(
    ("changed", "word"),
    [
        ({"dialect": ""}, "This field is required"),
        ({"dialect": "sqlite"}, "Select a valid choice"),
        ({"dialect": "postgresql+psycopg", "database": "x?host=evil.example"}, "not connection strings"),
        ({"dialect": "postgresql+psycopg", "password": "wrong"}, "No database answers"),
        ({"dialect": "postgresql+psycopg", "host": "169.254.169.254"}, "link-local"),
    ],
)
def test_what_cannot_be_connected_so_is_refused_in_words(as_alice, ledger, changed, word):
    page = post(as_alice, "connect", typed(ledger, **changed), "sqlalchemy").content.decode()
    assert word in page
    assert "wrong" not in page.replace("wrong host", "")
    assert not Source.objects.exists()


def test_a_dialect_of_files_opens_no_file_even_past_the_form(alice, tmp_path):
    (tmp_path / "x.sqlite3").touch()
    for dialect in ("sqlite", "sqlite+pysqlite", "duckdb", "no such:dialect"):
        source = Source(
            name="x",
            engine="sqlalchemy",
            host="127.0.0.1",
            database=str(tmp_path / "x.sqlite3"),
            options={"dialect": dialect},
        )
        with pytest.raises(SourceError, match="files|dialect"):
            services.source_test(source, alice)


def test_a_dialect_that_is_not_installed_says_what_to_do(alice):
    source = Source(
        name="x",
        engine="sqlalchemy",
        host="127.0.0.1",
        database="x",
        options={"dialect": "mssql+pymssql"},
    )
    with pytest.raises(SourceError, match="not installed") as caught:
        services.source_test(source, alice)
    assert "Install the package" in caught.value.advice


def test_the_shell_takes_the_same_settings(alice, ledger, monkeypatch, capsys):
    monkeypatch.setenv("SOURCE_PASSWORD", PASSWORD)
    where = ["--host", ledger.host, "--port", str(ledger.port), "--database", "web_ledger"]
    where += ["--user", "ledger_reader", "--owner", "alice"]
    call_command("connect", "a", "--engine", "postgres", *where, "--option", "sslmode=require")
    assert Source.objects.get(name="a").options == {"sslmode": "require"}
    dialect = "dialect=postgresql+psycopg"
    call_command("connect", "b", "--engine", "sqlalchemy", *where, "--option", dialect)
    assert "may SELECT and nothing else" in capsys.readouterr().out
    with pytest.raises(CommandError, match="postgres has no 'dialect'. Known: sslmode, sslrootcert"):
        call_command("connect", "c", "--engine", "postgres", *where, "--option", dialect)
    with pytest.raises(CommandError, match="--sslmode: Select a valid choice"):
        call_command("connect", "c", "--engine", "postgres", *where, "--option", "sslmode=maybe")
    with pytest.raises(CommandError, match="'sslmode' has no value. Write sslmode=VALUE"):
        call_command("connect", "c", "--engine", "postgres", *where, "--option", "sslmode")


# ---------------------------------------------------------------- warehouses


def warehouse(engine, **changes):
    where = {
        "name": "x",
        "engine": engine,
        "host": "127.0.0.1",
        "port": 1,
        "database": "main.default",
        "username": "u",
    }
    return Source(
        **{**where, "options": {"http_path": "/sql/x"} if engine == "databricks" else {}, **changes}
    )


@pytest.mark.parametrize("engine", sorted(UNTRIED - {"bigquery"}))
def test_a_warehouse_whose_driver_is_missing_names_the_file_that_brings_it(alice, engine):
    file = WAREHOUSES[engine].requirements
    assert (settings.BASE_DIR / file).exists()
    with pytest.raises(SourceError, match=f"driver for {WAREHOUSES[engine].name} is not installed") as caught:
        services.source_test(warehouse(engine), alice)
    assert file in caught.value.advice


@pytest.mark.parametrize("engine", sorted(WAREHOUSES.keys() - {"bigquery"}))
def test_a_warehouse_is_called_at_allowed_addresses_alone(alice, engine):
    with pytest.raises(SourceError, match="link-local"):
        services.source_test(warehouse(engine, host="169.254.169.254"), alice)


@pytest.mark.parametrize("engine", sorted(WAREHOUSES))
@pytest.mark.parametrize("part", ["database", "username"])
def test_what_is_typed_is_a_name_and_no_connection_string(alice, engine, part):
    with pytest.raises(ValueError, match="takes a name, not a connection string"):
        open_database(
            engine,
            host="h",
            database="a.b" if part != "database" else "a?host=evil",
            user="u;x=1" if part == "username" else "u",
        )


def test_bigquery_asks_for_no_host_and_takes_a_long_key(as_alice):
    page = as_alice.get(reverse("sources:connect") + "?engine=bigquery").content.decode()
    for name in ("host", "port", "username"):
        assert f'name="{name}"' not in page
    assert "Key of a service account" in page
    assert 'maxlength="10000"' in page


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("not json", "not JSON"),
        (
            '{"type": "external_account", "credential_source": {"executable": {"command": "id"}}}',
            "not one of a service account",
        ),
        ('{"type": "service_account", "token_uri": "http://169.254.169.254/"}', "another place than Google"),
        ('{"type": "service_account", "client_email": "a@b"}', "no private_key"),
    ],
)
def test_a_key_of_bigquery_signs_in_and_does_nothing_else(key, word):
    with pytest.raises(Unreachable, match=word):
        service_account(key)


def test_a_bound_on_what_is_read_is_kept_and_told_to_the_engines_that_count(alice):
    source = warehouse("clickhouse")
    assert how_to_open(source)["scan_bytes"] == 1_000_000_000_000
    source.scan_megabytes = 5
    assert how_to_open(source)["scan_bytes"] == 5_000_000
    assert how_to_open(warehouse("redshift"))["scan_bytes"] is None


def test_clickhouse_listens_elsewhere_with_tls():
    assert warehouse("clickhouse", port=None).usual_port == 8123
    assert warehouse("clickhouse", port=None, options={"sslmode": "require"}).usual_port == 8443


def test_a_key_is_asked_for_once_and_kept(as_alice, alice):
    page = as_alice.post(
        reverse("sources:connect") + "?engine=bigquery",
        {"name": "bq", "database": "p.d", "privacy": "schema"},
    )
    assert "This field is required" in page.content.decode()
    source = warehouse("bigquery", name="bq", owner=alice, host="bigquery.googleapis.com", password="a key")
    source.save()
    page = as_alice.get(reverse("sources:edit", args=[source.pk])).content.decode()
    assert "One is kept. Leave this empty to keep it." in page
    assert "a key" not in page


def test_a_server_of_trino_cannot_send_mirror_elsewhere():
    """Its answers name the next address to call, and may redirect."""
    asked: list[str] = []

    class Sends(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(302)
            self.send_header("location", "/elsewhere")
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Sends) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.server_port
        session = home_session("127.0.0.1", port)
        assert session.get(f"http://127.0.0.1:{port}/v1/statement").status_code == 302
        elsewhere = f"localhost:{port}", f"127.0.0.1:{port + 1}", f"127.0.0.1:{port}@169.254.169.254"
        for there in elsewhere:
            with pytest.raises(InvalidURL, match="not called"):
                session.get(f"http://{there}/")
        server.shutdown()
    assert asked == ["/v1/statement"]
