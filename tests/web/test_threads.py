"""Threads: renamed, pinned, deleted, branched; listed thread by thread; a dead end shows ways on."""

from __future__ import annotations

import base64
import io
import json
import zipfile

import pytest
from asgiref.sync import async_to_sync
from django.urls import reverse
from django.utils import timezone

from mirror.asking import services
from mirror.asking.models import Run, Thread
from mirror.audit.models import AuditRow
from mirror.results.models import StoredResult
from mirror.sources.models import WithheldRight
from mirror.work.leases import Status
from tests.web.working import TOP, answer, ran


def url(name: str, *args: int) -> str:
    return reverse(f"asking:{name}", args=args)


@pytest.mark.parametrize("name", ["thread_rename", "thread_pin", "thread_delete"])
def test_a_thread_is_changed_by_who_asked_alone(answered, as_bob, as_charlie, name) -> None:
    address = url(name, answered.thread_id)
    sent = {"title": "Theirs", "pinned": "yes"}
    assert [browser.post(address, sent).status_code for browser in (as_bob, as_charlie)] == [404, 404]
    thread = Thread.objects.get(pk=answered.thread_id)
    assert (thread.title, thread.is_pinned) == (answered.thread.title, False)


def test_a_thread_gets_one_line_as_its_title(answered, as_alice) -> None:
    address = url("thread_rename", answered.thread_id)
    assert as_alice.post(address, {"title": " Rev\x07enue\nby\u202e country "}).status_code == 302
    assert Thread.objects.get(pk=answered.thread_id).title == "Rev enue by country"
    for typed, said in ((" \n", "Type a title"), ("x" * 300, "300 characters")):
        told = as_alice.post(address, {"title": typed})
        assert (told.status_code, said in told.content.decode()) == (422, True)
    assert "x" * 300 in told.content.decode(), "what was typed stays"


def test_pinned_threads_stand_first_and_runs_of_one_thread_together(answered, alice, shop, as_alice) -> None:
    first = answered.thread
    second = services.run_ask(alice, shop, "How many stores are there?")
    services.run_follow(answered, "only 2024")
    looked = as_alice.get(url("history"))
    page = looked.context["page"]
    assert [(one.id, len(one.runs)) for one in page.threads] == [(first.pk, 2), (second.thread_id, 1)]
    assert [one.title for one in looked.context["rail_threads"]] == [first.title, second.thread.title]
    as_alice.post(url("thread_pin", second.thread_id), {"pinned": "yes"})
    page = as_alice.get(url("history"))
    assert [one.id for one in page.context["page"].threads] == [second.thread_id, first.pk]
    assert [one.title for one in page.context["rail_threads"]] == [second.thread.title, first.title]
    as_alice.post(url("thread_pin", second.thread_id), {"pinned": "no"})
    assert not Thread.objects.filter(is_pinned=True).exists()


@pytest.mark.parametrize(
    ("asked", "total"),
    [
        ({"outcome": "answered"}, 1),
        ({"outcome": "failed"}, 0),
        ({"outcome": "' OR 1=1"}, 1),
        ({"since": "2000-01-01", "until": "2999-01-01"}, 1),
        ({"since": "2999-01-01"}, 0),
        ({"until": "not a day"}, 1),
        ({"source": "gone\x00"}, 0),
    ],
)
def test_history_is_searched_by_outcome_and_days(answered, as_alice, asked, total) -> None:
    assert as_alice.get(url("history"), asked).context["page"].pager.total == total


def test_a_deleted_thread_takes_its_sql_and_rows_with_it_after_asking_once(answered, as_alice) -> None:
    address = url("thread_delete", answered.thread_id)
    ran(answered, TOP + " OFFSET 1")
    assert StoredResult.objects.count() == 2
    assert "Delete this thread?" in as_alice.get(address).content.decode()
    waiting = services.run_follow(answered, "only 2024")
    assert "still being worked on" in as_alice.post(address, follow=True).content.decode()
    Run.objects.filter(pk=waiting.pk).update(status=Status.DONE)
    assert as_alice.post(address)["Location"] == url("history")
    assert not Thread.objects.exists() and not Run.objects.exists() and not StoredResult.objects.exists()
    done = AuditRow.objects.get(verb="deleted a thread")
    assert answered.asked not in f"{done.thing} {done.details}", "what was asked went with it"
    assert as_alice.post(address).status_code == 404


def test_a_follow_up_in_a_new_thread_goes_on_from_where_it_was_asked(asked, as_alice) -> None:
    sent = {"question": "only 2024", "thread": "new"}
    as_alice.post(url("follow", asked.pk), sent)
    branch = answer(Run.objects.order_by("-pk").first())
    assert branch.thread_id != asked.thread_id and branch.thread.title == "only 2024"
    assert "2024" in branch.versions.get().sql and "country" in branch.versions.get().sql
    assert "in another thread" in as_alice.get(url("run", branch.pk)).content.decode()
    as_alice.post(url("thread_delete", asked.thread_id))
    assert as_alice.get(url("run", branch.pk)).status_code == 200


def test_a_dead_end_offers_the_nearest_questions_that_have_an_answer(
    transactional_db, alice, shop, media, as_alice
) -> None:
    run = answer(services.run_ask(alice, shop, "What is the colour of revenue on the moon?"))
    Run.objects.filter(pk=run.pk).update(outcome="unanswerable")
    run.versions.all().delete()
    page = as_alice.get(url("run", run.pk))
    nearest = page.context["page"].nearest
    assert "revenue" in nearest[0].lower()
    assert f"?source=shop&amp;q={nearest[0].split()[0]}" in page.content.decode()
    assert reverse("sources:source", args=[shop.pk]) in page.content.decode()


# ---------------------------------------------------------------- taken away


def taken(browser, run: Run, format: str) -> bytes:
    """A thread as a file."""
    answer = browser.get(url("thread_export", run.thread_id, format))
    assert answer.status_code == 200
    return async_to_sync(_joined)(answer.streaming_content)


async def _joined(pieces) -> bytes:
    return b"".join([piece async for piece in pieces])


def test_a_thread_is_taken_away_by_who_asked_and_may_take_files(
    answered, bob, shop, team, as_alice, as_bob, as_charlie
) -> None:
    address = url("thread_export", answered.thread_id, "html")
    assert [browser.get(address).status_code for browser in (as_bob, as_charlie)] == [404, 404]
    assert as_alice.get(address.replace("html", "exe")).status_code == 404
    his = services.run_ask(bob, shop, "How many stores are there?")
    WithheldRight.objects.create(source=shop, team=team, right="files")
    for format in ("html", "notebook"):
        assert as_bob.get(url("thread_export", his.thread_id, format)).status_code == 403
    assert "take them away" in as_bob.get(url("thread", his.thread_id)).content.decode()
    assert not AuditRow.objects.filter(verb="exported a thread").exists()
    taken(as_alice, answered, "html")
    done = AuditRow.objects.get(verb="exported a thread")
    assert done.details == {"source": "shop", "format": "html", "rows": 5}


def test_the_html_file_has_text_tables_and_sql_and_nothing_that_runs(answered, as_alice) -> None:
    Run.objects.filter(pk=answered.pk).update(
        asked="<script>alert(1)</script>", outcome="ambiguous", reason="Why"
    )
    page = taken(as_alice, answered, "html").decode()
    assert "&lt;script&gt;" in page and "<script" not in page and "http://" not in page
    assert "<td" in page and "GROUP BY country" in page and "5 rows." in page
    assert "Draft." in page and "Why" in page


def test_the_notebook_runs_against_the_rows_beside_it(answered, as_alice, tmp_path, monkeypatch) -> None:
    hostile = 'x"); import os  # `<img src=x onerror=alert(1)>`'
    Run.objects.filter(pk=answered.pk).update(asked=hostile)
    ran(answered, "SELECT '```' AS fence, 7 AS n")
    with zipfile.ZipFile(io.BytesIO(taken(as_alice, answered, "notebook"))) as packed:
        assert sorted(packed.namelist()) == ["rows-1.parquet", "thread.ipynb"]
        packed.extractall(tmp_path)
    made = json.loads((tmp_path / "thread.ipynb").read_text())
    assert (made["nbformat"], made["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in made["cells"]]
    assert len(set(ids)) == len(ids)
    code = [cell["source"] for cell in made["cells"] if cell["cell_type"] == "code"]
    assert code == ["import duckdb", 'rows_1 = duckdb.read_parquet("rows-1.parquet")\nrows_1']
    text = "\n".join(cell["source"] for cell in made["cells"] if cell["cell_type"] == "markdown")
    assert "<img" not in text.replace("\\<img", "") and "````sql\n" in text
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    exec("\n".join(code), names)
    assert names["rows_1"].fetchall() == [("```", 7)]


def test_the_notebook_has_the_chart_and_the_reading(transactional_db, shop, alice, as_alice, media) -> None:
    run = answer(services.run_ask(alice, shop, "revenue by category in 2025"))
    with zipfile.ZipFile(io.BytesIO(taken(as_alice, run, "notebook"))) as packed:
        made = json.loads(packed.read("thread.ipynb"))
    cell = made["cells"][2]
    assert "Understood as revenue" in cell["source"] and "by category" in cell["source"]
    assert f"]({'attachment:chart.png'})" in cell["source"]
    picture = base64.b64decode(cell["attachments"]["chart.png"]["image/png"])
    assert picture.startswith(b"\x89PNG") and len(picture) > 5_000
    ran(run, "SELECT 'x' AS name")
    with zipfile.ZipFile(io.BytesIO(taken(as_alice, run, "notebook"))) as packed:
        cell = json.loads(packed.read("thread.ipynb"))["cells"][2]
    assert "attachments" not in cell and "Understood as" not in cell["source"]


def test_rows_that_are_gone_are_told_in_both_files(answered, as_alice) -> None:
    StoredResult.objects.update(expires_at=timezone.now())
    assert "no longer kept" in taken(as_alice, answered, "html").decode()
    with zipfile.ZipFile(io.BytesIO(taken(as_alice, answered, "notebook"))) as packed:
        assert packed.namelist() == ["thread.ipynb"]
        assert "no longer kept" in packed.read("thread.ipynb").decode()
