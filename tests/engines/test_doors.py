"""Doors that open too slowly, too narrowly, or onto nothing."""

from __future__ import annotations

import shutil
import socket
import sys
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from sqlagent.adapters import mysql, open_database, postgres, spark, sqlalchemy
from sqlagent.errors import Unreachable
from sqlagent.values import Limits
from tests import server_processes, servers
from tests.engines.mysql_lab import MysqlLab
from tests.engines.postgres_lab import PostgresLab


@pytest.mark.parametrize("engine", ["postgres", "mysql", "spark", "sqlalchemy"])
def test_a_port_that_says_nothing_is_given_up_on(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (mysql, postgres, spark, sqlalchemy):
        monkeypatch.setattr(module, "CONNECT_SECONDS", 2)
    options = {"dialect": "mariadb+pymysql"} if engine == "sqlalchemy" else {}
    with closing(socket.create_server(("127.0.0.1", 0))) as silent:
        port = silent.getsockname()[1]
        where = {"host": "127.0.0.1", "port": port, "database": "x", "user": "x", "password": "x"}
        database = open_database(engine, **where, options=options)
        started = time.monotonic()
        with pytest.raises(Unreachable, match=f"127.0.0.1:{port} did not answer within 2 seconds"):
            database.check()
    assert time.monotonic() - started < 6


@pytest.mark.parametrize("engine", ["postgres", "mysql", "spark"])
def test_something_that_is_no_database_is_said_not_to_be_reached(engine: str) -> None:
    """An HTTP server, say: it answers, but not in the database's tongue."""
    import threading

    with closing(socket.create_server(("127.0.0.1", 0))) as http:

        def answer() -> None:
            connection, _ = http.accept()
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            connection.close()

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        port = http.getsockname()[1]
        with pytest.raises(Unreachable, match=f"127.0.0.1:{port}"):
            open_database(engine, host="127.0.0.1", port=port, database="x", user="x", password="x").check()


@pytest.mark.parametrize("engine", ["postgres", "mysql"])
def test_the_address_that_was_checked_is_called_and_the_name_is_what_tls_checks(engine: str) -> None:
    server = servers.postgres_server() if engine == "postgres" else servers.mariadb_server()
    base = "postgres" if engine == "postgres" else "mysql"
    where = {"host": "erp.invalid", "port": server.port, "database": base, "user": server.user}
    where |= {"password": servers.PASSWORD, "addresses": ("127.0.0.2", "127.0.0.1")}
    with closing(open_database(engine, **where)) as database:  # nobody listens at the first
        assert database.execute("SELECT 1", Limits()).rows == ((1,),)
    options = {"sslmode": "verify-full", "sslrootcert": str(server.folder / "cert.pem")}
    with pytest.raises(Unreachable, match=r"erp\.invalid.* TLS |TLS .*erp\.invalid"):
        open_database(engine, **where, options=options).check()
    with pytest.raises(Unreachable, match=f"Nothing answers at erp.invalid:{server.port}"):
        open_database(engine, **{**where, "addresses": ("127.0.0.2",)}).check()


def test_what_is_no_postgres_says_so() -> None:
    where = {"host": "127.0.0.1", "port": servers.mariadb_server().port, "database": "x", "user": "x"}
    with pytest.raises(Unreachable, match=r"What answers at 127\.0\.0\.1:\d+ is no PostgreSQL server"):
        open_database("postgres", **where).check()


def test_a_full_house_says_so_and_lets_us_in_later() -> None:
    server = servers.postgres_server()
    with closing(server.connect()) as owner:
        owner.execute(f"CREATE ROLE crowd LOGIN CONNECTION LIMIT 2 PASSWORD '{servers.PASSWORD}'")
    where = {"host": server.host, "port": server.port, "database": "postgres"}
    database = open_database("postgres", **where, user="crowd", password=servers.PASSWORD)
    with ExitStack() as stack:
        import psycopg

        for _ in range(2):
            stack.enter_context(
                psycopg.connect(
                    host=server.host,
                    port=server.port,
                    dbname="postgres",
                    user="crowd",
                    password=servers.PASSWORD,
                )
            )
        with pytest.raises(Unreachable, match="has no free connection") as caught:
            database.check()
        assert "Try again" in caught.value.failure.advice
    assert database.check().user == "crowd"


def test_a_full_house_of_mysql_says_so_too() -> None:
    server = servers.mariadb_server()
    with closing(server.connect()) as owner:
        owner.query(f"CREATE USER crowd IDENTIFIED BY '{servers.PASSWORD}' WITH MAX_USER_CONNECTIONS 1")
    where = {"host": server.host, "port": server.port, "user": "crowd", "password": servers.PASSWORD}
    database = open_database("mysql", **where, database="information_schema")
    with database.stream("SELECT 1", Limits()), pytest.raises(Unreachable, match="has no free connection"):
        database.check()
    assert database.check().user.startswith("crowd")


LABS_WITH_TLS = {"postgres": PostgresLab, "mysql": MysqlLab}
ENCRYPTED = {
    "postgres": "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
    "mysql": "SELECT variable_value <> '' FROM information_schema.session_status WHERE variable_name = 'Ssl_cipher'",
}


@pytest.mark.parametrize("engine", sorted(LABS_WITH_TLS))
def test_tls_is_taken_where_offered_and_checked_where_asked(engine: str, tmp_path: Path) -> None:
    lab = LABS_WITH_TLS[engine](tmp_path / f"tls_{engine}")
    own, other = str(tmp_path / "own.pem"), str(tmp_path / "other.pem")
    shutil.copyfile(lab.server.folder / "cert.pem", own)
    Path(other).write_bytes(server_processes.certificate_for("127.0.0.1")[0])

    def is_encrypted(**options: str) -> bool:
        rows = lab.connect(options=options).execute(ENCRYPTED[engine], Limits()).rows
        return bool(rows[0][0])

    assert is_encrypted()
    assert is_encrypted(sslmode="require")
    assert is_encrypted(sslmode="verify-full", sslrootcert=own)
    assert not is_encrypted(sslmode="disable")
    with pytest.raises(Unreachable, match="No TLS connection to 127.0.0.1:.*certificate") as caught:
        is_encrypted(sslmode="verify-full", sslrootcert=other)
    assert "TLS" in caught.value.failure.advice
    with (
        pytest.raises(ValueError, match="Unknown sslmode 'maybe'")
        if engine == "mysql"
        else pytest.raises(Unreachable)
    ):
        is_encrypted(sslmode="maybe")


def test_a_driver_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sqlagent.adapters.spark", raising=False)
    monkeypatch.delattr("sqlagent.adapters.spark", raising=False)
    monkeypatch.setitem(sys.modules, "pyhive", None)
    with closing(open_database("spark", host="127.0.0.1", database="x")) as database:
        for ask in (database.check, database.catalog, lambda: database.execute("SELECT 1", Limits())):
            with pytest.raises(Unreachable, match="not installed") as caught:
                ask()
            assert "pip install -r requirements-spark.txt" in caught.value.failure.advice
