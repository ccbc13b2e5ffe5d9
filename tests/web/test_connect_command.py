"""Connecting from a shell does what the form does, and says what is wrong in its own words."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from mirror.sources.models import Source
from sqlagent.values import PASSWORD_HERE
from tests import servers

pytestmark = pytest.mark.django_db


def connect(*arguments: str) -> str:
    out = StringIO()
    call_command("connect", *arguments, stdout=out)
    return out.getvalue()


def test_a_file_is_connected_with_its_catalog(admin, shop_file: Path) -> None:
    said = connect("books", "--engine", "sqlite", "--database", str(shop_file))
    assert "'books' is connected with 9 tables" in said
    source = Source.objects.get(name="books")
    assert (source.owner, source.catalog["dialect"]) == (admin, "sqlite")


def test_a_server_is_connected_with_the_password_of_the_environment(
    admin, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = servers.postgres_server()
    monkeypatch.setenv("SOURCE_PASSWORD", servers.PASSWORD)
    where = (
        "--host",
        server.host,
        "--port",
        str(server.port),
        "--database",
        "postgres",
        "--user",
        server.user,
    )
    said = connect("main", "--engine", "postgres", *where)
    assert "PostgreSQL" in said
    assert "severe   do everything on the server: it is a superuser" in said
    assert 'CREATE ROLE "mirror_reader" LOGIN' in said
    assert PASSWORD_HERE not in said
    assert servers.PASSWORD not in said
    assert Source.objects.get(name="main").password == servers.PASSWORD


def test_a_wrong_password_keeps_nothing(admin, monkeypatch: pytest.MonkeyPatch) -> None:
    server = servers.postgres_server()
    monkeypatch.setenv("SOURCE_PASSWORD", "wrong")
    where = (
        "--host",
        server.host,
        "--port",
        str(server.port),
        "--database",
        "postgres",
        "--user",
        server.user,
    )
    with pytest.raises(CommandError, match="refused the password of user 'owner'"):
        connect("main", "--engine", "postgres", *where)
    assert not Source.objects.exists()


def test_a_name_that_is_taken_needs_replace(admin, shop_file: Path) -> None:
    file = ("--engine", "sqlite", "--database", str(shop_file))
    connect("books", *file)
    with pytest.raises(CommandError, match="already. Give --replace"):
        connect("books", *file)
    connect("books", *file, "--replace", "--description", "Second edition")
    assert Source.objects.get().description == "Second edition"


def test_what_is_wrong_is_said_by_the_name_of_its_flag(admin, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="There is no file"):
        connect("books", "--engine", "sqlite", "--database", str(tmp_path / "gone.sqlite3"))
    with pytest.raises(CommandError, match="--name: Enter a valid"):
        connect("two words", "--engine", "sqlite", "--database", "x")
    with pytest.raises(CommandError, match="--host: This field is required"):
        connect("main", "--engine", "mysql", "--database", "x")


def test_without_anybody_to_own_it_nothing_is_connected(shop_file: Path) -> None:
    with pytest.raises(CommandError, match="no superuser"):
        connect("books", "--engine", "sqlite", "--database", str(shop_file))


def test_the_demo_may_be_made_twice(admin, settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path
    for _ in range(2):
        out = StringIO()
        call_command("demo", stdout=out)
        assert "The source 'shop' is ready" in out.getvalue()
    shop = Source.objects.get()
    assert (shop.is_sample, len(shop.examples), len(shop.catalog["tables"])) == (True, 10, 9)
