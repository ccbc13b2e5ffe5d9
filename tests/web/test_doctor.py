"""The doctor names what is wrong in plain words; the bundle for who helps holds no secret."""

from __future__ import annotations

import os
import zipfile
from collections import namedtuple
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone

from mirror.asking.models import Run, Thread
from mirror.audit.services import record
from mirror.health.services import beat
from mirror.people.models import Passkey
from mirror.people.services import first_admin, user_password
from mirror.reports.models import Report
from mirror.reports.services import sending_pause
from mirror.sources.models import Source
from mirror.upkeep import doctor
from mirror.upkeep.bundle import hidden
from mirror.upkeep.doctor import findings

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def well(settings, tmp_path: Path, media) -> None:
    """An installation of which nothing is wrong."""
    settings.VAR_DIR = tmp_path / "var"
    (settings.VAR_DIR / "logs").mkdir(parents=True, mode=0o700)
    settings.VAR_DIR.chmod(0o700)
    settings.PRODUCTION, settings.SITE_URL = True, "https://mirror.example.com"
    settings.ALLOWED_HOSTS, settings.TRUSTED_PROXIES = ["mirror.example.com"], ["127.0.0.1"]
    settings.SECURE_COOKIES, settings.DEBUG, settings.CHART_IMAGES = True, False, "simple"
    for worker in ("celery", "intake", "reports", "deliveries"):
        beat(f"{worker}@here", [worker])
    user_password(first_admin(), "a fine long password")


def found(state: str) -> str:
    return "\n".join(f"{one.about}: {one.words} {one.advice}" for one in findings() if one.state == state)


def _said(*words: str) -> str:
    out = StringIO()
    call_command("doctor", *words, stdout=out)
    return out.getvalue()


def test_nothing_is_wrong_with_one_that_is_well():
    assert found("wrong") == ""
    assert _said().endswith("Nothing is wrong.\n")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("SITE_URL", "http://127.0.0.1:8000", "links in mails lead nowhere"),
        ("ALLOWED_HOSTS", ["other.example.com"], "ALLOWED_HOSTS does not name mirror.example.com"),
        ("SECURE_COOKIES", False, "Cookies are sent without TLS"),
        ("TRUSTED_PROXIES", [], "No proxy is trusted"),
        ("DEBUG", True, "stack traces"),
        ("MIRROR_ENCRYPTION_KEYS", ["no key"], "is not a key"),
    ],
)
def test_settings_that_do_not_fit_are_named_with_what_to_do(settings, name, value, words):
    setattr(settings, name, value)
    assert words in found("wrong")
    with pytest.raises(CommandError, match="wrong"):
        _said()


def test_secrets_that_no_key_opens_are_counted(alice, settings):
    Source.objects.create(
        owner=alice, name="erp", engine="postgres", host="db", database="erp", password="geheim"
    )
    settings.MIRROR_ENCRYPTION_KEYS = ["B" * 43 + "="]
    assert "No key opens 1 stored secret." in found("wrong")


@pytest.mark.parametrize(
    ("site", "host", "is_told"),
    [
        ("https://mirror.example.com", "mirror.example.com", False),
        ("https://new.example.com", "mirror.example.com", True),
        ("http://127.0.0.1:8000", "localhost", False),
    ],
)
def test_passkeys_of_an_earlier_name_are_counted(alice, settings, site, host, is_told):
    Passkey.objects.create(user=alice, name="Phone", host=host, credential_id="x", credential="y", handle="z")
    settings.SITE_URL = site
    assert ("1 passkey will not work at" in found("look")) is is_told


def test_files_that_are_gone_are_named(alice, settings):
    Source.objects.create(
        owner=alice, name="up", engine="duckdb", is_upload=True, database=f"{settings.VAR_DIR}/gone"
    )
    assert "The files of these sources are gone: up." in found("wrong")


def test_workers_that_are_down_and_questions_that_wait_are_told(alice, shop):
    from mirror.health.models import Heartbeat

    Heartbeat.objects.filter(worker="reports@here").delete()
    assert "No worker for reports has started." in found("wrong")
    thread = Thread.objects.create(owner=alice, source=shop, title="x")
    run = Run.objects.create(thread=thread, question="x")
    Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - timedelta(hours=1))
    assert "1 question waited longer than 15 minutes." in found("look")


def test_reports_that_do_not_go_out_are_told(alice, bob):
    Report.objects.create(owner=alice, title="late", next_at=timezone.now() - timedelta(hours=1))
    assert "1 report should have run." in found("wrong")
    sending_pause(why="A copy.")
    assert "All sending is paused. A copy." in found("look") and "should have run" not in found("wrong")
    alice.is_active = False
    alice.save()
    assert "Reports of alice still run, who left." in found("look")


def test_a_disk_without_room_is_told(monkeypatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage(1, 1, 100_000_000))
    assert "100 MB are left for the data folder." in found("wrong")


def test_a_changed_audit_is_told(alice):
    record("transferred", by=alice)
    with connection.cursor() as cursor:
        cursor.execute("UPDATE audit_auditrow SET who = 'bob' WHERE verb = 'transferred'")
    assert "Rows were changed" in found("wrong")


def test_a_store_of_another_version_is_told_and_nothing_else_is_looked_at():
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('reports', '0999_x', '2026-11-30')"
        )
        try:
            assert "It is of a newer Mirror (reports.0999_x)." in found("wrong")
        finally:
            cursor.execute("DELETE FROM django_migrations WHERE name = '0999_x'")


# ---------------------------------------------------------------- the bundle


def test_the_bundle_holds_no_secret_no_address_and_no_question(alice, shop, settings, tmp_path):
    settings.EMAIL_HOST, settings.EMAIL_HOST_PASSWORD = "smtp.secret.example", "mail-password-1"
    settings.LLM_API_KEY, settings.DATABASES["default"]["PASSWORD"] = "sk-abcdef123456", "store-password-1"
    Source.objects.create(
        owner=alice, name="erp", engine="postgres", host="db.secret", database="erp", password="geheim1"
    )
    Thread.objects.create(owner=alice, source=shop, title="Who earns most?")
    (settings.VAR_DIR / "logs" / "web.log").write_text(
        "INFO calling sk-abcdef123456 at https://llm.secret.example/v1 for ann@example.com from 192.0.2.7\n"
        + "x" * 500_000
        + '\nERROR store-password-1 refused for "Who earns most?"\nthe last line\n'
    )
    path = tmp_path / "bundle.zip"
    _said("--bundle", str(path))
    with zipfile.ZipFile(path) as bundle:
        content = {name: bundle.read(name).decode() for name in bundle.namelist()}
    assert set(content) == {"doctor.txt", "versions.json", "settings.json", "rows.json", "logs/web.log"}
    everything = "\n".join(content.values())
    secrets = [
        settings.SECRET_KEY,
        *settings.MIRROR_ENCRYPTION_KEYS,
        "sk-abcdef123456",
        "mail-password-1",
        "store-password-1",
        "smtp.secret.example",
        "db.secret",
        "llm.secret",
        "geheim1",
        "ann@example.com",
        "192.0.2.7",
        "Who earns most",
        "alice",
        "mirror.example.com",
    ]
    assert not [secret for secret in secrets if secret in everything]
    assert "the last line" in content["logs/web.log"] and len(content["logs/web.log"]) < 201_000
    assert '"people_user"' in content["rows.json"] and '"LLM_API_KEY": "set"' in content["settings.json"]
    with pytest.raises(CommandError, match="could not be written"):
        _said("--bundle", str(path))


def test_a_bundle_cannot_be_written_where_there_is_no_folder(tmp_path):
    with pytest.raises(CommandError, match="could not be written"):
        _said("--bundle", str(tmp_path / "gone" / "bundle.zip"))


def test_what_stands_in_quotes_and_addresses_are_hidden():
    assert hidden('for “Ann’s question” at https://a.b/c and "a name"') == "for […] at […] and […]"
    assert os.environ["SECRET_KEY"] not in hidden(f"x {os.environ['SECRET_KEY']}")
