"""Secrets at rest under several keys: rotated with nothing lost, and said in words where a key is missing."""

from __future__ import annotations

import io

import pytest
from cryptography.fernet import Fernet
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from mirror import secrets
from mirror.secrets import EncryptedTextField, Sealed, SecretUnreadable
from mirror.sources import services
from mirror.sources.errors import SourceError
from mirror.sources.models import Source
from tests.servers import PASSWORD, postgres_server
from tests.web.working import visited

OLD, NEW = Fernet.generate_key().decode(), Fernet.generate_key().decode()


@pytest.fixture
def server(alice, settings) -> Source:
    """A real server that Alice connected while the old key was the only one."""
    settings.MIRROR_ENCRYPTION_KEYS = [OLD]
    there = postgres_server()
    source = Source(owner=alice, name="erp", engine=Source.Engine.POSTGRES, database="postgres")
    source.host, source.port, source.username, source.password = there.host, there.port, there.user, PASSWORD
    return services.source_connect(source, alice)


def fresh() -> Source:
    """The source as another process reads it."""
    return Source.objects.get(name="erp")


def token() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT password FROM sources_source WHERE name = 'erp'")
        return cursor.fetchone()[0]


def rotate() -> str:
    said = io.StringIO()
    call_command("rotate_keys", stdout=said)
    return said.getvalue()


def opens(source: Source, by) -> str:
    return services.source_test(source, by).server


def test_after_a_rotation_the_old_key_can_go_and_the_source_still_opens(server, settings, alice):
    settings.MIRROR_ENCRYPTION_KEYS = [NEW, OLD]
    assert "PostgreSQL" in opens(fresh(), alice), "the older key is still read with"
    assert "password of sources: 1 encrypted anew, 0 had the newest key" in rotate()
    assert "password of sources: 0 encrypted anew, 1 had the newest key" in rotate()
    settings.MIRROR_ENCRYPTION_KEYS = [NEW]
    assert "PostgreSQL" in opens(fresh(), alice)
    assert fresh().password == PASSWORD


def test_a_key_that_is_missing_is_said_where_it_is_needed_and_breaks_no_page(
    server, settings, as_alice, alice
):
    before = token()
    settings.MIRROR_ENCRYPTION_KEYS = [NEW]
    for name, pks in (("list", []), ("source", [server.pk]), ("edit", [server.pk]), ("limits", [server.pk])):
        assert as_alice.get(reverse(f"sources:{name}", args=pks)).status_code == 200
    refreshed = visited(as_alice, reverse("sources:refresh", args=[server.pk])).content.decode()
    assert "cannot be read with the keys in MIRROR_ENCRYPTION_KEYS" in refreshed
    assert "type the password of this source again" in refreshed
    with pytest.raises(CommandError, match=rf"password of sources: {server.pk}\n"):
        call_command("rotate_keys", stdout=io.StringIO())
    kept = fresh()
    kept.description = "changed"
    kept.save()
    assert token() == before, "a secret that nobody could open stays as it was"
    form = {"name": "erp", "host": server.host, "port": server.port, "database": "postgres"}
    typed = {**form, "username": server.username, "privacy": "schema", "password": PASSWORD}
    page = visited(as_alice, reverse("sources:edit", args=[server.pk]), typed).content.decode()
    assert "erp is changed" in page
    assert "PostgreSQL" in opens(fresh(), alice)


def test_a_secret_changed_while_keys_rotate_is_not_written_over(server, settings, monkeypatch):
    settings.MIRROR_ENCRYPTION_KEYS = [NEW, OLD]
    rewrite = secrets._rewrite

    def meanwhile(*args):
        changed = fresh()
        changed.password = "typed just now"
        changed.save()
        return rewrite(*args)

    monkeypatch.setattr(secrets, "_rewrite", meanwhile)
    assert "0 encrypted anew" in rotate()
    assert fresh().password == "typed just now"


@pytest.mark.parametrize(
    ("keys", "says"), [([], "is empty"), ([NEW, "not a key"], "Key 2 in MIRROR_ENCRYPTION_KEYS is not a key")]
)
def test_keys_that_are_none_are_said_without_showing_them(server, settings, alice, keys, says):
    settings.MIRROR_ENCRYPTION_KEYS = keys
    with pytest.raises(CommandError, match=says) as refused:
        rotate()
    assert "not a key'" not in str(refused.value)
    with pytest.raises(SourceError, match=says):
        services.source_test(fresh(), alice)


def test_a_secret_is_opened_only_where_it_is_looked_at(server):
    source = fresh()
    assert isinstance(source.__dict__["password"], Sealed)
    assert PASSWORD not in repr(source.__dict__)
    assert source.password == PASSWORD
    with pytest.raises(SecretUnreadable):
        Sealed("nonsense").opened()


def test_a_dump_of_the_store_holds_no_secret_and_gives_it_back(server, tmp_path):
    dump = tmp_path / "dump.json"
    call_command("dumpdata", "sources.source", output=str(dump))
    assert PASSWORD not in dump.read_text()
    assert '"password": "sealed:' in dump.read_text()
    Source.objects.update(password="another")
    call_command("loaddata", str(dump), verbosity=0)
    assert fresh().password == PASSWORD


def test_every_model_with_a_secret_is_rotated(db, settings):
    kept = {
        f"{field.name} of {model._meta.verbose_name_plural}"
        for model in apps.get_models()
        for field in model._meta.get_fields()
        if isinstance(field, EncryptedTextField)
    }
    assert "password of sources" in kept
    assert kept == {done.name for done in secrets.secrets_rotate()}
