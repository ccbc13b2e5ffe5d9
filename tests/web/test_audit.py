"""The audit: who did what is told in the transaction of the act, in a chain that shows what was changed."""

from __future__ import annotations

import json
from datetime import UTC, timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from mirror.audit.chain import chain_faults
from mirror.audit.models import AuditDay, AuditError, AuditRow
from mirror.audit.services import days_end, record
from mirror.audit.verbs import VERBS
from mirror.people import services as people
from mirror.sources import services as sources

pytestmark = pytest.mark.django_db


def told(**fields) -> list[tuple[str, str, str, str]]:
    """Rows, oldest first: who, verb, thing, outcome."""
    rows = AuditRow.objects.filter(**fields).order_by("pk")
    return [(row.who, row.verb, row.thing, row.outcome) for row in rows]


def _raw(sql: str, *values: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values)


def _command(*words: str) -> str:
    out = StringIO()
    call_command("audit", *words, stdout=out)
    return out.getvalue()


# ---------------------------------------------------------------- what is told


def test_changes_of_rights_name_who_what_and_from_where(alice, admin, as_admin):
    AuditRow.objects.count()
    as_admin.post(reverse("people:person_role", args=[alice.pk]), REMOTE_ADDR="192.0.2.7")
    as_admin.post(reverse("people:person_active", args=[alice.pk]))
    row = AuditRow.objects.get(verb="made an administrator")
    assert (row.who, row.who_id, row.thing, row.kind) == (admin.username, admin.pk, "alice", "user")
    assert (row.origin, row.token, row.outcome) == ("192.0.2.7", "", "done")
    assert told(verb="shut out") == [(admin.username, "shut out", "alice", "done")]


def test_who_waited_over_midnight_adds_to_the_day_that_began(alice, monkeypatch):
    record("signed in", alice, by=alice)
    ended = AuditDay.objects.get()
    held = AuditDay.objects.select_for_update

    def waited():
        monkeypatch.undo()
        AuditDay.objects.create(day=ended.day + timedelta(days=1), before=ended.last)
        return held()

    monkeypatch.setattr(AuditDay.objects, "select_for_update", waited)
    record("signed out", alice, by=alice)
    assert AuditRow.objects.latest("pk").day > ended.day
    assert list(chain_faults()) == []


def test_what_is_rolled_back_was_not_done(alice, admin):
    with pytest.raises(RuntimeError), transaction.atomic():
        people.user_deactivate(alice, admin)
        raise RuntimeError
    assert not told(verb="shut out")
    assert not list(chain_faults())


def test_an_act_that_cannot_be_told_is_not_done(alice, admin, monkeypatch):
    """The row is written in the transaction of the act: where that fails, so does the act."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the audit is full")

    monkeypatch.setattr("mirror.people.services.record", broken)
    with pytest.raises(RuntimeError):
        people.user_make_staff(alice, True, admin)
    alice.refresh_from_db()
    assert not alice.is_staff


def test_signing_in_and_wrong_passwords_are_told_and_unknown_names_are_not_kept(alice):
    people.user_password(alice, "a fine long password")
    client = Client()
    form = {"username": "alice", "password": "wrong"}
    client.post(reverse("people:sign_in"), form)
    client.post(reverse("people:sign_in"), {"username": "my secret password", "password": "x"})
    client.post(reverse("people:sign_in"), form | {"password": "a fine long password"})
    client.post(reverse("people:sign_out"))
    assert told(verb__in=["signed in", "signed out"]) == [
        ("", "signed in", "alice", "refused"),
        ("", "signed in", "a name that nobody has", "refused"),
        ("alice", "signed in", "alice", "done"),
        ("alice", "signed out", "alice", "done"),
    ]
    assert "my secret" not in _command("--json-lines")


def test_sources_are_told_from_connecting_to_deleting(alice, team, tmp_path):
    import sqlite3

    path = tmp_path / "mine.sqlite3"
    sqlite3.connect(path).executescript("CREATE TABLE t (a)").connection.close()
    alice.is_staff = True
    source = sources.Source(name="mine", engine="sqlite", database=str(path))
    sources.source_connect(source, alice)
    source.description = "changed"
    sources.source_update(source, alice)
    sources.source_share(source, [team], alice)
    sources.source_delete(source)
    rows = told(kind="source")
    assert [verb for _, verb, _, _ in rows] == [
        "connected a source",
        "changed a source",
        "shared a source",
        "deleted a source",
    ]
    assert {thing for _, _, thing, _ in rows} == {"mine"}
    assert AuditRow.objects.get(verb="shared a source").details == {"teams": ["Analysts"]}
    assert AuditRow.objects.get(verb="deleted a source").thing_id != "None"


def test_what_the_guard_refuses_is_told_without_the_sql(alice, shop):
    from mirror.queries.running import Values, sql_run, statement_limits

    sql_run(shop, "DELETE FROM customers WHERE name = 'Secret'", Values(), statement_limits(shop), alice)
    row = AuditRow.objects.get(verb="ran SQL")
    assert (row.who, row.thing, row.outcome) == ("alice", "shop", "refused")
    assert row.details["why"] and "Secret" not in json.dumps(row.details)


def test_a_refusal_tells_no_address_that_stood_for_a_table(alice, shop):
    from mirror.queries.running import Values, sql_run, statement_limits

    sql = "SELECT * FROM 'https://user:hunter2secret@host/x.csv'"
    sql_run(shop, sql, Values(), statement_limits(shop), alice)
    row = AuditRow.objects.get(verb="ran SQL")
    assert row.details["why"] and "hunter2secret" not in str(row.details)


def test_a_change_that_is_refused_is_told_once_and_a_look_is_not(alice, as_alice):
    for address in (reverse("people:person_new"), reverse("people:person_role", args=[alice.pk])):
        assert as_alice.get(address).status_code in (403, 405)
        assert as_alice.post(address, REMOTE_ADDR="192.0.2.7").status_code == 403
        assert as_alice.post("/sources/999999/delete/").status_code == 404
    rows = AuditRow.objects.filter(verb="tried what only others may do").order_by("pk")
    assert [(row.who, row.thing, row.origin, row.outcome) for row in rows] == [
        ("alice", reverse("people:person_new"), "192.0.2.7", "refused"),
        ("alice", reverse("people:person_role", args=[alice.pk]), "192.0.2.7", "refused"),
    ]


def test_details_are_short_and_names_are_one_line(alice):
    record("transferred", "a\nb" * 400, by=alice, note="x" * 1_000, many=list(range(200)))
    row = AuditRow.objects.get(verb="transferred")
    assert len(row.thing) <= 300 and "\n" not in row.thing
    assert len(row.details["note"]) <= 300 and len(row.details["many"]) == 50


def test_a_verb_nobody_listed_is_refused(alice):
    with pytest.raises(ValueError, match=r"verbs\.py|mirror\.audit\.verbs"):
        record("did something", by=alice)


def test_every_verb_is_used():
    """Verbs offered by the search are the verbs written."""
    from tests.test_imports import ROOT

    text = "\n".join(file.read_text() for file in (ROOT / "mirror").rglob("*.py") if file.name != "verbs.py")
    assert not [verb for verb in VERBS if f'"{verb}"' not in text]


# ---------------------------------------------------------------- the chain


def test_rows_are_only_added(alice):
    record("transferred", by=alice)
    row = AuditRow.objects.get(verb="transferred")
    row.who = "bob"
    with pytest.raises(AuditError):
        row.save()
    with pytest.raises(AuditError):
        row.delete()
    with pytest.raises(AuditError):
        AuditRow.objects.update(who="bob")
    with pytest.raises(AuditError):
        AuditRow.objects.all().delete()


@pytest.mark.parametrize(
    ("sql", "fault"),
    [
        ("UPDATE audit_auditrow SET who = 'bob' WHERE number = 2 AND day = %s", "row 2 is not what it was"),
        (
            "UPDATE audit_auditrow SET details = '{}' WHERE number = 3 AND day = %s",
            "row 3 is not what it was",
        ),
        ("DELETE FROM audit_auditrow WHERE number = 2 AND day = %s", "row 2 is missing"),
        ("DELETE FROM audit_auditrow WHERE number = 4 AND day = %s", "it ends with row 3 of 4"),
        ("DELETE FROM audit_auditday WHERE day = %s", "rows of a day that has no chain"),
    ],
)
def test_what_is_changed_behind_its_back_is_found(alice, sql, fault):
    _empty()
    for number in range(4):
        record("transferred", by=alice, number=number)
    assert not list(chain_faults())
    assert "4 rows of 1 day: each is what it was." in _command("--verify")
    _raw(sql, f"{timezone.now().astimezone(UTC):%Y-%m-%d}")
    assert any(fault in found for found in chain_faults())
    with pytest.raises(CommandError, match="not what it was"):
        _command("--verify")


def _empty() -> None:
    _raw("DELETE FROM audit_auditrow")
    _raw("DELETE FROM audit_auditday")


def test_a_whole_day_that_is_cut_out_is_found(alice):
    _empty()
    began = timezone.now()
    for days in range(3):
        with time_machine.travel(began + timedelta(days=days)):
            record("transferred", by=alice)
    assert not list(chain_faults())
    assert AuditDay.objects.count() == 3
    middle = AuditDay.objects.order_by("day")[1]
    _raw("DELETE FROM audit_auditrow WHERE day = %s", middle.day)
    _raw("DELETE FROM audit_auditday WHERE day = %s", middle.day)
    assert ["does not end as it did" in found for found in chain_faults()] == [True]


def test_a_clock_that_is_set_back_writes_to_the_last_day(alice):
    _empty()
    record("transferred", by=alice)
    with time_machine.travel(timezone.now() - timedelta(days=2)):
        record("transferred", by=alice)
    assert AuditDay.objects.count() == 1
    assert not list(chain_faults())


def test_days_end_when_they_are_older_than_they_are_kept(alice, settings):
    _empty()
    settings.AUDIT_DAYS = 30
    with time_machine.travel(timezone.now() - timedelta(days=40)):
        record("transferred", by=alice)
    record("transferred", by=alice)
    assert days_end() == 1
    assert [verb for _, verb, _, _ in told()] == ["transferred", "ended days of the audit"]
    assert not list(chain_faults())
    assert days_end() == 0
    settings.AUDIT_DAYS = 0
    assert days_end() == 0


def test_it_goes_out_as_json_lines_oldest_first(alice):
    record("transferred", "ü “quoted”", by=alice, n=1)
    lines = [json.loads(line) for line in _command("--json-lines").splitlines()]
    assert [line["number"] for line in lines] == sorted(line["number"] for line in lines)
    assert lines[-1]["thing"] == "ü “quoted”" and lines[-1]["details"] == {"n": 1}
    assert len(lines[-1]["hash"]) == 64
    assert _command("--json-lines", "--since", "2999-01-01") == ""
