"""Chips of a reading on the run page: shown, changed without a new question, taken back, and their owner."""

from __future__ import annotations

import sqlite3
from html.parser import HTMLParser
from typing import Any

import pytest
from django.urls import reverse

from mirror.asking import services
from mirror.asking.models import Run, Version
from mirror.asking.pages import run_page
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.models import Source
from mirror.work.leases import Status
from tests.web.working import answer, values_read, work

QUESTION = "revenue by category 2025"


@pytest.fixture
def run(transactional_db, shop, media, alice) -> Run:
    return answer(services.run_ask(alice, shop, QUESTION))


def change(client, version: Version, slot: str, key: str):
    return client.post(reverse("asking:change", args=[version.pk]), {"choice": f"{slot} {key}"})


def undo(client, version: Version):
    return client.post(reverse("asking:version_undo", args=[version.pk]))


def shown(client, run: Run) -> Any:
    return client.get(reverse("asking:run", args=[run.pk])).context["page"]


def words(run: Run) -> list[str]:
    page = run_page(Run.objects.get(pk=run.pk))
    return [f"{chip.label} {chip.words}".strip() for chip in page.understood.chips]


def test_an_answer_keeps_what_it_was_written_from_and_shows_it_as_chips(run, as_alice) -> None:
    version = run.versions.get()
    assert version.frame["form"] == 1
    assert version.title == "Revenue by category, 2025"
    assert words(run) == ["revenue (sum of amount)", "by category", "ordered at 2025", "Add"]
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert f'action="{reverse("asking:change", args=[version.pk])}"' in html
    assert (
        '<button class="menu-item" name="choice" value="where:0 period:2024-01-01:2025-01-01">2024</button>'
        in html
    )


def test_a_changed_chip_runs_again_without_a_new_question(run, as_alice) -> None:
    first = run.versions.get()
    response = change(as_alice, first, "where:0", "period:2024-01-01:2025-01-01")
    assert response.status_code == 302
    assert Run.objects.count() == 1
    version = work(run.versions.first())
    assert (version.number, version.origin, version.change) == (2, "change", "period changed to 2024")
    assert version.result.row_count == first.result.row_count
    assert "'2024-01-01'" in version.sql
    assert version.chart["title"] == "Revenue by category, 2024"
    assert version.sentence
    assert version.sentence != first.sentence
    page = as_alice.get(reverse("asking:run", args=[run.pk])).context["page"]
    assert (page.title, page.version.is_changed, page.draft) == (QUESTION, True, version.sql)
    assert words(run) == ["revenue (sum of amount)", "by category", "ordered at 2024", "Add"]
    assert [item.origin for item in page.versions] == ["period changed to 2024", "the answer"]


def test_changes_add_up_and_each_can_be_taken_back(run, as_alice) -> None:
    change(as_alice, run.versions.first(), "by:0", "grain:month")
    work(run.versions.first())
    change(as_alice, run.versions.first(), "measure:0", "agg:avg")
    third = work(run.versions.first())
    assert (third.number, third.title) == (3, "Average revenue by month, 2025")
    assert shown(as_alice, run).place.can_undo
    undo(as_alice, third)
    assert shown(as_alice, run).version.number == 2
    assert words(run)[:2] == ["revenue (sum of amount)", "by month"]
    undo(as_alice, run.versions.first())
    assert (run.versions.first().origin, run.versions.count()) == ("answer", 3)


def test_undo_goes_back_step_by_step_to_the_answer_and_is_gone_then(run, as_alice) -> None:
    for slot, key in (
        ("by:0", "grain:month"),
        ("where:0", "period:2024-01-01:2025-01-01"),
        ("by:0", "grain:quarter"),
        ("measure:0", "agg:avg"),
        ("where:0", "remove"),
    ):
        assert change(as_alice, run.versions.first(), slot, key).status_code == 302
        work(run.versions.first())
    seen = []
    while shown(as_alice, run).place.can_undo:
        seen.append(shown(as_alice, run).version.number)
        assert undo(as_alice, run.versions.first()).status_code == 302
    assert seen == [6, 5, 4, 3, 2]
    page = shown(as_alice, run)
    assert (page.version.number, page.place.is_first, len(page.versions)) == (1, True, 6)
    assert b"Undo change" not in as_alice.get(reverse("asking:run", args=[run.pk])).content
    assert words(run) == ["revenue (sum of amount)", "by category", "ordered at 2025", "Add"]
    assert undo(as_alice, run.versions.first()).status_code == 422


def test_a_change_after_undo_starts_from_what_is_shown(run, as_alice) -> None:
    first = run.versions.get()
    change(as_alice, first, "by:0", "grain:month")
    work(run.versions.first())
    undo(as_alice, run.versions.first())
    change(as_alice, run.versions.first(), "where:0", "remove")
    third = work(run.versions.first())
    assert (third.number, third.base, third.title) == (3, first, "Revenue by category")
    undo(as_alice, third)
    assert run.versions.first() == first


def test_what_was_stopped_before_its_rows_came_is_run_when_gone_back_to(run, as_alice) -> None:
    change(as_alice, run.versions.first(), "by:0", "grain:month")
    change(as_alice, run.versions.first(), "where:0", "remove")
    third = work(run.versions.first())
    undo(as_alice, third)
    again = work(run.versions.first())
    assert (again.number, again.change, again.base.number) == (4, "by month instead of category", 1)
    assert again.result.row_count == 12


def test_a_follow_up_after_undo_goes_on_from_what_is_shown(run, alice, as_alice) -> None:
    change(as_alice, run.versions.first(), "by:0", "grain:month")
    undo(as_alice, work(run.versions.first()))
    follow = answer(services.run_follow(run, "only 2024"))
    assert "category" in follow.question


def test_only_who_asked_takes_a_change_back(run, as_alice, as_bob, as_charlie) -> None:
    change(as_alice, run.versions.first(), "by:0", "grain:month")
    version = work(run.versions.first())
    for stranger in (as_bob, as_charlie):
        assert undo(stranger, version).status_code == 404
    assert as_alice.get(reverse("asking:version_undo", args=[version.pk])).status_code == 405
    assert run.versions.first() == version


def test_where_a_changed_answer_comes_from_is_told_of_the_change(run, as_alice) -> None:
    first = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "% sure" in first
    assert "How the words were read" in first
    change(as_alice, run.versions.first(), "by:0", "grain:month")
    work(run.versions.first())
    change(as_alice, run.versions.first(), "where:0", "period:2024-01-01:2025-01-01")
    work(run.versions.first())
    page = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    why = page.split('id="why"')[1].split("</details>")[0]
    assert why.index("By month instead of category") < why.index("Period changed to 2024")
    assert "How the words were read" not in why
    assert f"{shown(as_alice, run).maker.confidence} %" not in why
    assert "How the first answer was found:" in page


def test_an_earlier_version_is_changed_from_where_it_stands(run, as_alice) -> None:
    first = run.versions.get()
    change(as_alice, first, "by:0", "grain:month")
    work(run.versions.first())
    shown = as_alice.get(reverse("asking:run", args=[run.pk]) + "?version=1").context["page"]
    assert shown.understood.version_id == first.pk
    change(as_alice, first, "where:0", "remove")
    version = work(run.versions.first())
    assert version.title == "Revenue by category"
    assert version.change == "period removed: all time"


def test_a_chart_that_was_chosen_stays_while_its_columns_do(run, as_alice) -> None:
    first = run.versions.get()
    services.chart_change(first, {"mark": "pie"})
    change(as_alice, first, "where:0", "period:2024-01-01:2025-01-01")
    assert work(run.versions.first()).chart["mark"] == "pie"
    change(as_alice, run.versions.first(), "by:0", "grain:month")
    assert work(run.versions.first()).chart["mark"] == "line"


def test_a_draft_strikes_out_what_it_left_and_settles_when_changed(
    transactional_db, shop, media, alice, as_alice
) -> None:
    run = answer(services.run_ask(alice, shop, "foobar orders by country"))
    assert run.outcome == "ambiguous"
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert '<span class="sr-only">not used: </span><s>foobar</s>' in html
    assert "leaves out" in html
    change(as_alice, run.versions.first(), "by:0", "grain:year")
    work(run.versions.first())
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "by year instead of country" in html
    assert "leaves out" not in html
    assert "<s>foobar</s>" in html


def test_another_reading_brings_its_own_chips(transactional_db, shop, media, alice, as_alice) -> None:
    run = answer(services.run_ask(alice, shop, "sales by region"))
    with_frame = next(n for n, reading in enumerate(run.readings) if reading["frame"])
    before = words(run)
    as_alice.post(reverse("asking:use_reading", args=[run.pk, with_frame]))
    version = work(run.versions.first())
    assert version.frame == run.readings[with_frame]["frame"]
    assert words(run) != before


def test_sql_that_was_typed_has_no_chips_and_leads_back_to_what_was_asked(run, as_alice) -> None:
    change(as_alice, run.versions.first(), "by:0", "grain:month")
    changed = work(run.versions.first())
    for sql in ("SELECT nonsense", "SELECT 1 AS one"):
        as_alice.post(reverse("asking:edit", args=[run.pk]), {"sql": sql})
        version = work(run.versions.first())
    assert run_page(run).understood is None
    html = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "mirror-chips" not in html
    assert "This SQL was written by hand." in html
    assert "How the words were read" not in html
    refused = change(as_alice, version, "by:0", "grain:month")
    assert refused.status_code == 422
    undo(as_alice, version)
    assert run.versions.first() == changed
    assert words(run)[1] == "by month"


def test_a_follow_up_after_typed_sql_says_what_it_goes_on_from(run, alice, as_alice) -> None:
    as_alice.post(reverse("asking:edit", args=[run.pk]), {"sql": "SELECT 1 AS one"})
    work(run.versions.first())
    follow = answer(services.run_follow(run, "by month instead"))
    said = f"Goes on from your question “{QUESTION}”, not from the SQL that you edited."
    assert said in as_alice.get(reverse("asking:run", args=[follow.pk])).content.decode()
    undo(as_alice, run.versions.first())
    page = as_alice.get(reverse("asking:run", args=[follow.pk])).content.decode()
    assert said in page, "it tells what was, not what is shown there since"
    third = answer(services.run_follow(run, "by quarter instead"))
    assert "that you edited" not in as_alice.get(reverse("asking:run", args=[third.pk])).content.decode()


def test_what_was_understood_is_said_once(run, alice, as_alice) -> None:
    follow = answer(services.run_follow(run, "by month instead"))
    html = as_alice.get(reverse("asking:run", args=[follow.pk])).content.decode()
    assert "mirror-chips" in html
    assert "Understood as <q>" not in html
    Version.objects.filter(run=follow).update(frame=None)
    html = as_alice.get(reverse("asking:run", args=[follow.pk])).content.decode()
    assert "Understood as <q>" in html


class Choices(HTMLParser):
    """The choices of a page, as a browser reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.values: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag == "button" and named.get("name") == "choice":
            self.values.append(named["value"] or "")


def test_a_stored_value_of_two_lines_is_chosen_on_the_page(
    transactional_db, alice, as_alice, media, tmp_path
) -> None:
    path = tmp_path / "stalls.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE stalls (id INTEGER PRIMARY KEY, region TEXT, fee NUMERIC)")
        regions = ("south", "east", "north\nwest")
        db.executemany("INSERT INTO stalls VALUES (?, ?, ?)", [(n, regions[n % 3], n) for n in range(60)])
    source = Source.objects.create(
        owner=alice, name="stalls", engine=Source.Engine.SQLITE, database=str(path)
    )
    catalog_refresh(source)
    values_read(source)
    source.refresh_from_db()
    run = answer(services.run_ask(alice, source, "total fee where region is south"))
    page = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    (chosen,) = [value for value in Choices(page).values if value == "where:0 value:north\nwest"]
    sent = chosen.replace("\n", "\r\n")  # as forms are sent
    version = run.versions.get()
    assert as_alice.post(reverse("asking:change", args=[version.pk]), {"choice": sent}).status_code == 302
    done = work(run.versions.first())
    assert (done.number, done.status) == (2, Status.DONE)
    assert "north\nwest" in done.sql


@pytest.mark.parametrize(
    "choice", ["", "by:0", "by:0 nonsense", "where:0 value:x' OR 1=1 --", "\x00", "by:0 " + "x" * 10_000]
)
def test_what_is_not_offered_is_refused_beside_the_chips(run, as_alice, choice) -> None:
    answer = as_alice.post(reverse("asking:change", args=[run.versions.get().pk]), {"choice": choice})
    assert answer.status_code == 422
    assert "cannot be chosen here any more" in answer.content.decode()
    assert run.versions.count() == 1


def test_a_column_that_has_gone_is_named_and_nothing_runs(run, as_alice) -> None:
    version = run.versions.get()
    version.frame["frame"]["by"][0]["shown"][0]["field"]["column"] = "gone"
    version.save()
    page = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "The column categories.gone is no longer there. Ask the question again." in page
    assert change(as_alice, version, "where:0", "remove").status_code == 422
    assert run.versions.count() == 1


def test_a_frame_that_is_broken_does_not_break_its_page(run, as_alice) -> None:
    for broken in ({}, [], {"form": 9, "frame": {}}, {"form": 1, "frame": {"anchor": "orders", "per": 3}}):
        Version.objects.filter(run=run).update(frame=broken)
        answer = as_alice.get(reverse("asking:run", args=[run.pk]))
        assert answer.status_code == 200
        assert b"mirror-chips" in answer.content


def test_tables_that_are_being_read_are_waited_for(run, shop, as_alice) -> None:
    type(shop).objects.filter(pk=shop.pk).update(catalog_version="")
    page = as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    assert "the tables and values of this source are being read" in page
    assert 'action="' + reverse("asking:change", args=[run.versions.get().pk]) not in page


def test_only_who_asked_changes_a_chip(run, as_bob, as_charlie, client) -> None:
    version = run.versions.get()
    for stranger in (as_bob, as_charlie):
        assert change(stranger, version, "where:0", "remove").status_code == 404
    assert change(client, version, "where:0", "remove").status_code == 302
    assert "/sign-in/" in change(client, version, "where:0", "remove").url
    assert run.versions.count() == 1


def test_a_chip_is_not_changed_by_opening_an_address(run, as_alice) -> None:
    assert as_alice.get(reverse("asking:change", args=[run.versions.get().pk])).status_code == 405


def test_a_run_that_is_answered_anew_cannot_be_changed_meanwhile(run) -> None:
    Run.objects.filter(pk=run.pk).update(status="running")
    version = Version.objects.select_related("run__thread__source").get(run=run)
    with pytest.raises(services.AskingError, match="still being answered"):
        services.version_change(version, "where:0", "remove")


def test_a_follow_up_goes_on_from_what_was_changed(run, alice, as_alice) -> None:
    change(as_alice, run.versions.first(), "by:0", "grain:month")
    work(run.versions.first())
    follow = answer(services.run_follow(run, "only 2024"))
    sql = follow.versions.get().sql
    assert "strftime('%Y-%m'" in sql.lower() or "month" in sql.lower()
    assert "2024-01-01" in sql
    assert "categor" not in sql
