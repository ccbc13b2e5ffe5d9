"""Trying connections: so many a minute, and nothing is told of what else listens in the network behind the server."""

from __future__ import annotations

import html
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from mirror.people.models import Quota, QuotaUse
from mirror.sources import services
from mirror.sources.connection_tries import failure_told
from mirror.sources.errors import SourceError
from mirror.sources.models import Source
from sqlagent.values import Failure, FailureKind
from tests.server_processes import free_port
from tests.servers import PASSWORD, postgres_server
from tests.test_docs import settings_read
from tests.web.working import visited

pytestmark = pytest.mark.django_db

BANNER = b"SSH-2.0-OpenSSH_9.6 internal-build-7\r\n"


@contextmanager
def listening(says: bytes | None) -> Iterator[int]:
    """A port that says this and hangs up; None: it takes a connection and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        held: list[socket.socket] = []

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = server.accept()
                    held.append(connection)
                    if says is not None:
                        with suppress(OSError):
                            connection.sendall(says)
                        connection.close()

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        for one in held:
            one.close()


def typed(port: int, **changed) -> dict[str, object]:
    return {
        "name": "erp", "host": "127.0.0.1", "port": port, "database": "erp", "username": "reader",
        "password": "x", "privacy": "schema", **changed,
    }  # fmt: skip


def said(browser, engine: str, port: int, name: str = "test", **changed) -> str:
    answer = visited(browser, reverse(f"sources:{name}") + f"?engine={engine}", typed(port, **changed))
    page = html.unescape(answer.content.decode()).replace(str(port), "PORT")
    notice = re.search(r'<div class="notice notice-bad".*?</div></div>', page, re.DOTALL)
    assert notice, page
    return " ".join(re.sub(r"<[^>]+>", " ", notice[0]).split())


@pytest.mark.parametrize("engine", ["postgres", "mysql"])
def test_a_closed_a_silent_and_a_foreign_port_are_told_alike(as_charlie, settings, monkeypatch, engine):
    monkeypatch.setattr(f"sqlagent.adapters.{engine}.CONNECT_SECONDS", 2)
    settings.CONNECTION_TESTS_PER_MINUTE = 100
    told = {said(as_charlie, engine, free_port(), name) for name in ("test", "connect")}
    for says in (BANNER, b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"E\x00\x00\x00\x0cbanner\x00", None):
        with listening(says) as port:
            told.add(said(as_charlie, engine, port))
    shown = {"postgres": "PostgreSQL", "mysql": "MySQL or MariaDB"}[engine]
    assert {
        re.sub("^(No connection|Not saved: the database does not answer) ", "", words) for words in told
    } == {
        f"No {shown} server answers at 127.0.0.1:PORT. Check host and port, and that the server runs. "
        "An administrator who tries it here is told more."
    }


def test_an_engine_without_a_name_of_its_own_is_a_database(charlie):
    source = Source(engine=Source.Engine.OTHER, host="127.0.0.1", port=1)
    message, _ = failure_told(source, charlie, Failure(FailureKind.LOST, "connection refused"))
    assert message == "No database answers at 127.0.0.1:1."


@pytest.mark.parametrize("engine", ["postgres", "mysql"])
def test_what_answers_is_quoted_to_nobody(as_admin, as_charlie, engine):
    with listening(BANNER) as port:
        for browser in (as_admin, as_charlie):
            assert "OpenSSH" not in said(browser, engine, port)
            assert "internal-build" not in said(browser, engine, port)
    # The error of MySQL that a server sends before anything was asked, with words of its own.
    words = b"\xff\x6a\x04internal-build-7 lets nobody in"
    with listening(len(words).to_bytes(3, "little") + b"\x00" + words) as port:
        assert "internal-build" not in said(as_admin, "mysql", port)


def test_an_administrator_and_who_tries_a_public_host_are_told_more(as_admin, alice, monkeypatch):
    assert "Nothing answers at 127.0.0.1:PORT" in said(as_admin, "postgres", free_port())
    source = Source(engine="postgres", host="93.184.216.34", port=5432)
    closed = Failure(FailureKind.LOST, "Nothing answers at 93.184.216.34:5432.", advice="Check.")
    assert failure_told(source, alice, closed) == ("Nothing answers at 93.184.216.34:5432.", "Check.")


def test_what_a_database_says_of_user_password_and_database_is_told_to_all(as_charlie):
    server = postgres_server()
    right = {"username": server.user, "password": PASSWORD, "database": "postgres"}
    for changed, words in [
        ({**right, "password": "wrong"}, "The server refused the password of user"),
        ({**right, "database": "nowhere"}, "The server has no database 'nowhere'."),
    ]:
        assert words in said(as_charlie, "postgres", server.port, **changed)


def test_the_bound_is_twenty_a_minute_for_each_person(as_charlie, as_admin, settings, charlie):
    assert settings_read()["CONNECTION_TESTS_PER_MINUTE"].keywords[0].value.value == 20
    assert settings.CONNECTION_TESTS_PER_MINUTE == 20
    port = free_port()
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(20):
            assert "No PostgreSQL server answers" in said(as_charlie, "postgres", port)
        for name in ("test", "connect"):
            words = said(as_charlie, "postgres", port, name)
            assert "You have tried 20 connections within a minute. Wait a minute, then try again." in words
            assert words.startswith({"test": "Not tried", "connect": "Not saved You"}[name]), (
                "no database was called"
            )
        assert "Nothing answers" in said(as_admin, "postgres", port), "others are not bound by it"
        assert QuotaUse.objects.filter(quota__person=charlie, quota__kind=Quota.Kind.TESTS).count() == 20
        clock.shift(timedelta(seconds=61))
        assert "No PostgreSQL server answers" in said(as_charlie, "postgres", port)


def test_changing_a_source_counts_as_a_try_and_loses_nothing_typed(
    as_charlie, charlie, settings, tmp_path: Path
):
    settings.CONNECTION_TESTS_PER_MINUTE = 0
    source = Source.objects.create(owner=charlie, name="erp", engine="postgres", host="127.0.0.1", port=1)
    answer = visited(as_charlie, reverse("sources:edit", args=[source.pk]), typed(2, description="Bills"))
    assert "You have tried 0 connections" in answer.content.decode()
    assert 'value="Bills"' in answer.content.decode()
    with pytest.raises(SourceError, match="within a minute"):
        services.source_test(source, charlie)
