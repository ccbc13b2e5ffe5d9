"""Runs that come to nothing: tried again, told in plain words, paused, stopped; nothing of them is kept."""

from __future__ import annotations

from threading import Thread
from time import sleep

import pytest
from django.core.files.storage import FileSystemStorage
from django.db import connection
from django.utils import timezone

from mirror.library.services import sql_delete
from mirror.reports import services
from mirror.reports.models import ReportRun, RunPart
from mirror.results.models import StoredResult
from mirror.work.leases import Status
from mirror.work.turns import turn_take
from tests.reports.working import kept, make, runs_of, save_report, save_sql, work_off, write

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_failure_that_may_pass_is_tried_again_then_told_and_pauses_in_the_end(post, alice, stock) -> None:
    alice.email = "alice@example.com"
    alice.save()
    saved = save_sql(alice, stock, "SELECT * FROM stock")
    report = save_report(alice, saved, to=["a@example.com"], pause_after=2)
    write(stock, "ALTER TABLE stock RENAME TO stack")
    waits = []
    for _ in range(2):
        run = runs_of(report)
        while run.status == Status.QUEUED:
            waits.append(round((run.not_before - timezone.now()).total_seconds() / 60))
            assert "no such table" in run.reason
            assert turn_take(ReportRun, run.pk) is None, "not before its time"
            ReportRun.objects.filter(pk=run.pk).update(not_before=timezone.now())
            work_off()
            run.refresh_from_db()
        assert (run.outcome, run.tries, run.attempts) == ("failed", 3, 4)
        report.refresh_from_db()
    assert waits == [1, 5, 15] * 2
    work_off()
    assert report.is_paused
    assert report.next_at is None
    assert report.paused_why.startswith(
        "It failed 2 times in a row. The last time: Customers by country: no such"
    )
    assert [mail.to for mail in post.mails()] == [("alice@example.com",)] * 2
    assert "no such table" in post.mails()[0].message.get_body(("plain",)).get_content()
    assert "paused" in post.mails()[1].message["Subject"].lower()
    assert (kept(), StoredResult.objects.count(), RunPart.objects.count()) == ([], 0, 0)
    write(stock, "ALTER TABLE stack RENAME TO stock")
    services.report_resume(report, alice)
    assert runs_of(report).outcome == "made"
    assert report.failures == 0


def refused(alice, stock) -> str:
    saved = save_sql(alice, stock, "DELETE FROM stock")
    return runs_of(save_report(alice, saved)).reason


def deleted_sql(alice, stock) -> str:
    report = save_report(alice, save_sql(alice, stock, "SELECT 1"))
    sql_delete(report.parts.get().saved)
    return runs_of(report).reason


def deleted_source(alice, stock) -> str:
    report = save_report(alice, save_sql(alice, stock, "SELECT 1"))
    stock.delete()
    return runs_of(report).reason


def lost_value(alice, stock) -> str:
    parameters = [{"name": "least", "kind": "number", "default": "5", "label": "Least"}]
    saved = save_sql(alice, stock, "SELECT * FROM stock WHERE pieces > :least", parameters=parameters)
    report = save_report(alice, saved)
    parameters[0]["default"] = ""
    saved.save()
    return runs_of(report).reason


def lost_source(alice, stock) -> str:
    from mirror.people.services import user_create

    report = save_report(alice, save_sql(alice, stock, "SELECT 1"))
    stock.owner = user_create("dora")
    stock.save()
    return runs_of(report).reason


def no_such_column(alice, stock) -> str:
    threshold = {"column": "price", "test": "above", "value": "1"}
    saved = save_sql(alice, stock, "SELECT * FROM stock")
    return runs_of(save_report(alice, saved, condition="threshold", threshold=threshold)).reason


def no_number(alice, stock) -> str:
    threshold = {"column": "item", "test": "above", "value": "1"}
    saved = save_sql(alice, stock, "SELECT * FROM stock")
    return runs_of(save_report(alice, saved, condition="threshold", threshold=threshold)).reason


def too_long_a_number(alice, stock) -> str:
    threshold = {"column": "told", "test": "above", "value": "1"}
    saved = save_sql(alice, stock, "SELECT '1e999999999' AS told")
    return runs_of(save_report(alice, saved, condition="threshold", threshold=threshold)).reason


@pytest.mark.parametrize(
    ("case", "words"),
    [
        (refused, "Customers by country: "),
        (deleted_sql, "The saved SQL “Customers by country” was deleted"),
        (deleted_source, "The saved SQL “Customers by country” was deleted, or its source was."),
        (lost_value, "Customers by country: Give a value for Least."),
        (lost_source, "alice no longer sees the source stock of “Customers by country”."),
        (no_such_column, "The alert is about the column “price”, and the rows have none of that name."),
        (no_number, "The value of item is “nut”, and that is not a number."),
        (too_long_a_number, "The value of told is “1e999999999”, a number of more than 200,000 digits."),
    ],
    ids=lambda case: getattr(case, "__name__", ""),
)
def test_what_no_second_try_mends_fails_at_once_in_plain_words(post, alice, stock, case, words) -> None:
    assert words in case(alice, stock)
    run = ReportRun.objects.get()
    assert (run.status, run.outcome, run.tries) == (Status.DONE, "failed", 0)
    assert run.advice
    assert StoredResult.objects.count() == 0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (".parquet", "rows came back and could not be stored: No space"),
        (".csv", "could not be kept: No space"),
    ],
)
def test_a_full_disk_is_told_and_tried_again(post, alice, saved, monkeypatch, name, words) -> None:
    real = FileSystemStorage._save

    def save(storage, path, content):
        if path.endswith(name):
            raise OSError(28, "No space left on device")
        return real(storage, path, content)

    report = save_report(alice, saved)
    monkeypatch.setattr(FileSystemStorage, "_save", save)
    run = runs_of(report)
    assert (run.status, run.tries) == (Status.QUEUED, 1)
    assert words in run.reason
    assert (kept(), StoredResult.objects.count()) == ([], 0)


def test_a_stopped_run_ends_with_its_sql_and_leaves_nothing(post, alice, shop, saved) -> None:
    run = services.report_run_now(save_report(alice, saved), alice)
    services.report_run_stop(run, alice)
    run.refresh_from_db()
    assert (run.status, run.outcome, run.reason) == (Status.DONE, "skipped", "Stopped by alice.")

    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1e12) SELECT count(*) FROM n"
    parts = [(saved, {}), (save_sql(alice, shop, endless, "Endless"), {})]
    run = services.report_run_now(save_report(alice, saved, parts=parts), alice)

    def stop() -> None:
        while not RunPart.objects.exists():
            sleep(0.01)
        services.report_run_stop(run, alice)
        connection.close()

    stopping = Thread(target=stop)
    stopping.start()
    run = make(run)
    stopping.join()
    assert (run.status, run.outcome, run.reason) == (Status.DONE, "skipped", "Stopped by alice.")
    assert (kept(), StoredResult.objects.count(), RunPart.objects.count()) == ([], 0, 0)
