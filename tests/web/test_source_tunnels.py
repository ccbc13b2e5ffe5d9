"""Sources behind a real SSH server: its key is confirmed first, its secrets stay sealed, and who may type them."""

from __future__ import annotations

import html
import io
import logging
import re
import sys
from contextlib import closing

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.urls import reverse

from mirror.audit.models import AuditRow
from mirror.sources.connection_tries import failure_told
from mirror.sources.logins import place_of
from mirror.sources.models import Source, Visit
from mirror.sources.opening import how_to_open, open_source
from sqlagent.errors import Unreachable
from sqlagent.values import SSH_SILENT, Failure, FailureKind, Limits
from tests.server_processes import free_port
from tests.servers import PASSWORD, mariadb_server, postgres_server, ssh_door
from tests.web.test_connect_command import connect
from tests.web.working import visited

pytestmark = pytest.mark.django_db

SERVERS = {"postgres": postgres_server, "mysql": mariadb_server}
OTHER = "SHA256:" + "b" * 43


def typed(engine: str = "postgres", **changed: object) -> dict[str, object]:
    """The form of a source behind the SSH server, whose name for the database is its own."""
    server, door = SERVERS[engine](), ssh_door()
    database = "postgres" if engine == "postgres" else "mysql"
    form = {"name": "erp", "host": "localhost", "port": server.port, "database": database}
    form |= {"username": server.user, "password": PASSWORD, "privacy": "schema"}
    form |= {"ssh_host": door.host, "ssh_port": door.port, "ssh_user": door.user, "ssh_by": "key"}
    return {**form, "ssh_key": door.key, "ssh_password": "", **changed}


def locked(**changed: object) -> dict[str, object]:
    """The same with a key that has a passphrase."""
    door = ssh_door()
    return confirmed(**{"ssh_key": door.locked_key, "ssh_password": door.passphrase, **changed})


def confirmed(engine: str = "postgres", **changed: object) -> dict[str, object]:
    return typed(engine, **{"ssh_fingerprint": ssh_door().fingerprint, **changed})


def post(browser, name: str, form: dict[str, object], engine: str = "postgres") -> str:
    answer = visited(browser, reverse(f"sources:{name}") + f"?engine={engine}", form)
    return html.unescape(answer.content.decode())


def connected(browser, engine: str = "postgres", **changed: object) -> Source:
    assert "is connected" in post(browser, "connect", confirmed(engine, **changed), engine)
    return Source.objects.get()


def test_a_key_is_shown_first_and_the_source_kept_once_it_is_confirmed(as_alice):
    door = ssh_door()
    for name in ("test", "connect"):
        page = post(as_alice, name, typed(password="wrong", ssh_password="wrong"))
        assert f"shows the key {door.fingerprint}. Nothing was sent to it yet." in page
        assert f'name="ssh_confirmed" value="{door.fingerprint}"' in page
        assert "confirm the key of the SSH server" in page
    assert not Source.objects.exists()
    queued = as_alice.post(
        reverse("sources:test") + "?engine=postgres", typed(ssh_confirmed=door.fingerprint)
    )
    assert f'name="ssh_fingerprint" id="id_ssh_fingerprint" maxlength="300" value="{door.fingerprint}"' in (
        queued.content.decode()
    )
    assert "is connected" in post(as_alice, "connect", typed(ssh_confirmed=door.fingerprint))
    source = Source.objects.get()
    assert source.tunnel["ssh_fingerprint"] == door.fingerprint
    assert (source.ssh_key, source.ssh_password) == (door.key.strip(), "")


@pytest.mark.parametrize("engine", sorted(SERVERS))
@pytest.mark.parametrize("by", ["key", "password"])
def test_a_source_is_tested_connected_and_read_through_it(as_alice, engine, by):
    changed = {"ssh_by": by, "ssh_password": PASSWORD} if by == "password" else {}
    pasted = f"256 {ssh_door().fingerprint} root@jump (ED25519)"
    assert "Connected to" in post(
        as_alice, "test", confirmed(engine, ssh_fingerprint=pasted, **changed), engine
    )
    source = connected(as_alice, engine, **changed)
    assert bool(source.ssh_key) is (by == "key")
    assert source.catalog and "addresses" in how_to_open(source)
    with closing(open_source(source)) as database:
        assert database.execute("SELECT 1 + 1", Limits()).rows == ((2,),)
    page = html.unescape(as_alice.get(reverse("sources:source", args=[source.pk])).content.decode())
    assert "through the SSH server 127.0.0.1" in page


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"ssh_user": "nobody"}, "refused the key of user 'nobody'"),
        ({"ssh_by": "password", "ssh_password": "wrong"}, "refused the password of user 'tunnel'"),
        ({"ssh_key": "LOCKED", "ssh_password": "wrong"}, "passphrase does not open the private key"),
        ({"ssh_key": "LOCKED"}, "has a passphrase, and none was given"),
        ({"ssh_by": "password", "ssh_user": "shut", "ssh_password": PASSWORD}, "does not forward to localhost"),
        ({"port": 1}, "reaches nothing at localhost:1"),
        ({"password": "wrong"}, "refused the password of user 'owner'"),
        ({"ssh_fingerprint": OTHER}, "shows another key than the one that was confirmed"),
        ({"ssh_fingerprint": "MD5:16:27"}, "A fingerprint is SHA256:"),
        ({"ssh_user": ""}, "Type who signs in to the SSH server"),
        ({"ssh_key": ""}, "Paste the private key"),
        ({"ssh_by": "password", "ssh_password": ""}, "Type the password of the SSH server"),
        ({"ssh_host": "169.254.169.254"}, "The SSH server: “169.254.169.254” may not be a source: it is a link-local"),
        ({"host": "db;drop"}, "is not a host name"),
        ({"ssh_host": "jump --proxy"}, "is not a host name"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_and_nothing_is_kept(as_alice, changed, words):
    if changed.get("ssh_key") == "LOCKED":
        changed = {**changed, "ssh_key": ssh_door().locked_key}
    for name in ("test", "connect"):
        page = post(as_alice, name, confirmed(**changed))
        assert words in page
        assert "PRIVATE KEY" not in page
        assert ssh_door().passphrase not in page and PASSWORD not in page
    assert not Source.objects.exists()


def test_private_networks_are_closed_to_ssh_servers_too_where_they_are_to_databases(as_alice, settings):
    settings.SOURCE_PRIVATE_HOSTS = False
    assert "it is in a private network" in post(as_alice, "connect", confirmed())
    assert not Source.objects.exists()


def test_a_scan_of_a_private_network_by_ssh_tells_no_more_than_by_databases(as_charlie, as_admin, alice):
    said = {post(as_charlie, "test", typed(ssh_port=port)) for port in (free_port(), postgres_server().port)}
    told = {re.sub(r":\d+", ":PORT", re.sub(r"<[^>]+>", " ", one)) for one in said}
    assert len(told) == 1 and "No SSH server answers at 127.0.0.1:PORT" in told.pop()
    assert "Nothing answers at the SSH server" in post(as_admin, "test", typed(ssh_port=free_port()))
    source = Source(engine="postgres", host="db", tunnel={"ssh_host": "93.184.216.34", "ssh_port": 22})
    failure = Failure(FailureKind.LOST, "Nothing answers.", advice="Check.", code=SSH_SILENT)
    assert failure_told(source, alice, failure) == ("Nothing answers.", "Check.")


def test_a_change_without_retyping_keeps_the_secrets_and_a_move_asks_for_them(as_alice):
    source = connected(as_alice)
    edit = reverse("sources:edit", args=[source.pk])
    page = as_alice.get(edit).content.decode()
    assert "One is kept. Leave this empty to keep it." in page and '<details class="fold" open>' in page
    assert "PRIVATE KEY" not in page and ssh_door().passphrase not in page
    same = confirmed(password="", ssh_key="", ssh_password="")
    assert "is changed" in visited(as_alice, edit, {**same, "description": "Bills"}).content.decode()
    source.refresh_from_db()
    assert (source.description, source.ssh_key) == ("Bills", ssh_door().key.strip())
    for moved in (
        {"ssh_host": "localhost"},
        {"ssh_user": "shut"},
        {"ssh_by": "password"},
        {"ssh_fingerprint": OTHER},
    ):
        refused = as_alice.post(edit, {**same, **moved})
        words = html.unescape(refused.content.decode())
        assert refused.status_code == 422
        assert "Type the password again" in words, moved
        assert "Give it again" in words or "Type the password of the SSH server" in words, moved
    given = {**same, "password": PASSWORD, "ssh_by": "password", "ssh_password": PASSWORD}
    assert "is changed" in visited(as_alice, edit, given).content.decode()
    source.refresh_from_db()
    assert (source.ssh_key, source.ssh_password) == ("", PASSWORD)
    direct = {**same, "ssh_host": "", "host": "127.0.0.1", "password": PASSWORD}
    assert "is changed" in visited(as_alice, edit, direct).content.decode()
    source.refresh_from_db()
    assert (source.tunnel, source.ssh_key, source.ssh_password) == ({}, "", "")


def test_a_fingerprint_goes_with_its_server(as_alice):
    source = connected(as_alice)
    page = visited(as_alice, reverse("sources:edit", args=[source.pk]), confirmed(ssh_host="localhost"))
    assert f"shows the key {ssh_door().fingerprint}" in html.unescape(page.content.decode())


def test_another_key_later_is_refused_in_plain_words_until_it_is_confirmed(as_alice):
    source = connected(as_alice)
    door = ssh_door()
    door.stop()
    door.new_host_key()
    door.start()
    with closing(open_source(source)) as database, pytest.raises(Unreachable) as caught:
        database.execute("SELECT 1", Limits())
    failure = caught.value.failure
    assert "shows another key than the one that was confirmed" in failure.message
    assert "empty the fingerprint in the form of the source" in failure.advice
    edit = reverse("sources:edit", args=[source.pk])
    page = visited(as_alice, edit, typed(ssh_fingerprint="")).content.decode()
    assert f'name="ssh_confirmed" value="{door.fingerprint}"' in page
    assert "is changed" in visited(as_alice, edit, typed(ssh_confirmed=door.fingerprint)).content.decode()


def test_secrets_are_sealed_and_told_nowhere(as_alice, alice, caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    assert "is connected" in post(as_alice, "connect", locked())
    source = Source.objects.get()
    secrets = (ssh_door().passphrase, ssh_door().locked_key.splitlines()[1])
    with connection.cursor() as cursor:
        cursor.execute("SELECT ssh_key, ssh_password, tunnel FROM sources_source")
        assert not any(secret in str(cursor.fetchone()) for secret in secrets)
        cursor.execute("SELECT ssh_key, ssh_password, password, wish, said FROM sources_visit")
        assert not any(secret in str(cursor.fetchall()) for secret in secrets)
    post(as_alice, "test", locked(port=1))
    post(as_alice, "connect", locked(name="two", password="wrong"))
    assert {(visit.password, visit.ssh_key, visit.ssh_password) for visit in Visit.objects.all()} == {
        ("", "", "")
    }
    dump = io.StringIO()
    call_command("dumpdata", "sources", stdout=dump)
    told = dump.getvalue() + caplog.text + repr(how_to_open(source)["ssh"])
    told += " ".join(str(entry.__dict__) for entry in AuditRow.objects.all())
    assert "sealed:" in dump.getvalue()
    assert not any(secret in told for secret in secrets)
    assert "Beginning auth" not in caplog.text


def test_only_its_owner_sees_the_form(as_alice, as_bob, as_charlie, team):
    source = connected(as_alice)
    source.teams.add(team)
    edit, test = (reverse(f"sources:{name}", args=[source.pk]) for name in ("edit", "test_changed"))
    for browser, status in ((as_bob, 403), (as_charlie, 404)):
        assert browser.get(edit).status_code == status
        for place in (edit, test):
            assert browser.post(place, confirmed(ssh_host="elsewhere.example")).status_code == status
    source.refresh_from_db()
    assert source.tunnel["ssh_host"] == ssh_door().host
    page = as_bob.get(reverse("sources:source", args=[source.pk])).content.decode()
    assert ssh_door().fingerprint not in page and ssh_door().user not in page.split("<main", 1)[1]


def test_the_form_speaks_german(as_alice, alice):
    alice.language = "de"
    alice.save(update_fields=["language"])
    page = as_alice.get(reverse("sources:connect") + "?engine=postgres").content.decode()
    assert "Über SSH erreichen" in page
    assert "Fingerabdruck" in page and "Privater Schlüssel" in page
    words = post(as_alice, "test", typed())
    assert "zeigt den Schlüssel" in words


def test_other_engines_have_no_tunnel(as_alice):
    for engine in set(Source.Engine.values) - set(SERVERS):
        page = as_alice.get(reverse("sources:connect") + f"?engine={engine}").content.decode()
        assert "ssh_host" not in page, engine


def test_a_login_of_a_team_is_for_one_way(alice):
    source = Source(engine="postgres", host="db", port=5432)
    before = place_of(source)
    source.tunnel = {"ssh_host": "jump"}
    assert place_of(source) != before == ["db", 5432, {}]


def test_without_its_package_a_tunnel_says_so(as_alice, monkeypatch):
    source = connected(as_alice)
    monkeypatch.setitem(sys.modules, "sqlagent.adapters.ssh", None)
    with closing(open_source(source)) as database, pytest.raises(Unreachable) as caught:
        database.check()
    assert "requirements-ssh.txt" in caught.value.failure.advice


def test_a_shell_connects_through_it_once_the_fingerprint_is_given(admin, monkeypatch, tmp_path):
    door, server = ssh_door(), postgres_server()
    key = tmp_path / "key"
    key.write_text(door.locked_key)
    monkeypatch.setenv("SOURCE_PASSWORD", PASSWORD)
    monkeypatch.setenv("SOURCE_SSH_PASSWORD", door.passphrase)
    where = [
        "--engine",
        "postgres",
        "--host",
        "localhost",
        "--port",
        str(server.port),
        "--database",
        "postgres",
    ]
    where += ["--user", server.user, "--ssh-host", door.host, "--ssh-port", str(door.port)]
    by_key = ["--ssh-user", door.user, "--ssh-key-file", str(key)]
    with pytest.raises(CommandError, match=f"Give --ssh-fingerprint {re.escape(door.fingerprint)}"):
        connect("erp", *where, *by_key)
    with pytest.raises(CommandError, match="--ssh-user: Type who"):
        connect("erp", *where)
    with pytest.raises(CommandError, match="--ssh-key-file: .* cannot be read"):
        connect("erp", *where, "--ssh-user", "tunnel", "--ssh-key-file", str(tmp_path / "gone"))
    assert "is connected" in connect("erp", *where, *by_key, "--ssh-fingerprint", door.fingerprint)
    assert Source.objects.get().tunnel["ssh_by"] == "key"
