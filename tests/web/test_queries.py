"""The one way to run SQL on a source: what is stored, and each reason why nothing is."""

from __future__ import annotations

import pytest

from mirror.queries.running import KeptRows, NotRun, NotRunWhy, Values, sql_run, statement_limits
from mirror.results import services as results
from mirror.results.models import StoredResult
from mirror.results.result_files import ResultNotKept
from mirror.results.rows import rows_of
from mirror.sources.models import Source
from sqlagent.values import FailureKind

pytestmark = pytest.mark.django_db(transaction=True)

COUNTRY = [{"name": "country", "kind": "text", "default": "", "label": ""}]


def run(source, owner, sql, values=None, **more):
    return sql_run(source, sql, values or Values(), statement_limits(source), owner, **more)


def test_rows_are_stored_with_the_sql_they_are_of(shop, alice, media):
    values = Values(COUNTRY, {"country": "Norway"})
    ran = run(
        shop, alice, "SELECT DISTINCT country FROM customers WHERE country = :country", values, keep_days=2
    )
    assert isinstance(ran, KeptRows)
    assert rows_of(ran.result, 10).rows == (("Norway",),)
    assert "'Norway'" in ran.sql
    kept = StoredResult.objects.get()
    assert (kept.owner, kept.source) == (alice, shop)
    assert (kept.expires_at - kept.created_at).total_seconds() == pytest.approx(2 * 86_400, abs=60)


def test_each_reason_for_no_rows_is_told_apart(shop, alice, media, monkeypatch):
    def why(sql, values=None, source=shop):
        ran = run(source, alice, sql, values)
        assert isinstance(ran, NotRun)
        return ran.why, ran.failure

    said, failure = why("SELECT :country", Values(COUNTRY, {"city": "Oslo"}))
    assert (said, failure.message) == (NotRunWhy.VALUE, "There is no parameter “city”.")
    said, failure = why("DELETE FROM customers")
    assert (said, failure.kind) == (NotRunWhy.REFUSED, FailureKind.REFUSED)
    said, failure = why("  SELECT abs(-9223372036854775807 - 1)")
    assert (said, failure.kind) == (NotRunWhy.FAILED, FailureKind.ERROR)
    gone = Source(name="gone", engine="sqlite", database="/nowhere/at/all.sqlite3", owner=alice)
    assert why("SELECT 1", source=gone)[0] is NotRunWhy.FAILED

    def full(*_):
        raise ResultNotKept("The disk is full.")

    monkeypatch.setattr(results.files, "file_keep", full)
    said, failure = why("SELECT 1")
    assert (said, failure.message, failure.advice) == (
        NotRunWhy.UNKEPT,
        "The disk is full.",
        ResultNotKept.advice,
    )
    assert not StoredResult.objects.exists()
