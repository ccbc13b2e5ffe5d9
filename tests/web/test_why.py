"""Why a figure changed: exact parts that add up, few statements, stored, for those who see the source."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from decimal import Decimal
from html import escape, unescape
from shutil import copy

import pytest
from django.urls import reverse

from mirror.asking.models import Run
from mirror.dashboards import why_pages
from mirror.dashboards.exploring import overview_parts
from mirror.dashboards.models import Supply
from mirror.dashboards.why import value_key, why_of_part, why_of_version, why_serve
from sqlagent.makers.analyst import changes
from sqlagent.telling.summarizing.contributing import Part
from tests.web.working import answer, supplied

pytestmark = pytest.mark.django_db(transaction=True)
SCRIPT = {"X-Requested-With": "mirror-run"}


def url(name: str, *args: object) -> str:
    return reverse(f"dashboards:{name}", args=args)


def asked(shop, client, question: str) -> Run:
    client.post(reverse("asking:ask"), {"source": shop.name, "question": question})
    return answer(Run.objects.latest("pk"))


def followed(client, run: Run, typed: str) -> str:
    """Where a follow-up leads."""
    return client.post(reverse("asking:follow", args=[run.pk]), {"question": typed}).url


def test_an_overviews_change_is_split_exactly_by_few_statements_read_once(
    shop, alice, as_alice, as_bob, as_charlie, media
) -> None:
    as_alice.get(url("explore", shop.pk))
    supplied()
    part = next(one for one in overview_parts(shop) if one.title == "Revenue in October 2026")
    place = f"{url('explore_why', shop.pk)}?part={part.key}"
    assert place.replace("&", "&amp;") in as_alice.get(url("explore", shop.pk)).content.decode()
    assert as_charlie.get(place).status_code == as_charlie.post(place).status_code == 404
    assert as_alice.get(url("explore_why", shop.pk) + "?part=x").status_code == 404
    assert "X-Mirror-Ended" not in as_alice.get(place, headers=SCRIPT)
    assert supplied() == 6
    page = unescape(as_bob.get(place).content.decode())
    assert not supplied(), "shown at once the second time"
    assert "X-Mirror-Ended" in as_bob.get(place, headers=SCRIPT)
    why = why_of_part(shop, part.key)
    found = why_serve(alice, why)
    assert len(found.splits) == 4
    with sqlite3.connect(shop.database) as db:
        cents = "SELECT SUM(CAST(ROUND(amount * 100) AS INTEGER)) FROM order_lines JOIN orders ON orders.id = order_id WHERE ordered_at LIKE ?"
        before, now = (
            Decimal(db.execute(cents, (month,)).fetchone()[0]) / 100 for month in ("2026-09%", "2026-10%")
        )
    assert (found.whole.before, found.whole.now) == (before, now)
    hidden = [one for one in found.read if one not in found.splits]
    assert hidden, "a page that was opened before all was read may show them still"
    for statement, split in hidden:
        key = value_key(statement, split.parts[0].values)
        led = as_bob.get(f"{url('explore_why_ask', shop.pk)}?part={part.key}&value={key}")
        assert led.status_code in (200, 302), "its SQL, or its question"
    for _, split in found.splits:
        assert sum(one.change for one in split.parts) == now - before
        assert sum(one.now for one in split.parts) == now
        assert len(split.parts) <= 9
    by = {split.words: split for _, split in found.splits}
    assert by["country"].parts[-1].kind == "others" and by["country"].parts[-1].count == 20
    assert found.sentence in page
    assert re.match(
        r"Revenue rose by 48,570 \(7.2 %\) from September to October 2026; .+ rose by [\d,]+\.",
        found.sentence,
    )
    assert page.count("<pre") == 6


def test_two_other_periods_are_compared_and_each_value_asks_its_question(
    shop, alice, as_alice, as_bob, as_charlie, media
) -> None:
    run = asked(shop, as_alice, "Number of web visits by month in 2025")
    version = run.versions.get()
    assert 'id="why-changed"' in as_alice.get(reverse("asking:run", args=[run.pk])).content.decode()
    place = url("why", version.pk)
    for stranger in (as_bob, as_charlie):
        assert stranger.get(place).status_code == stranger.get(place + "ask/").status_code == 404
        assert stranger.post(place).status_code == 404
    first = as_alice.get(place).content.decode()
    assert '<option value="2025-12-01" selected>' in first and '<option value="2025-11-01" selected>' in first
    values = {"now": "2025-06-01", "before": "2025-03-01"}
    as_alice.get(place, values)
    supplied()
    page = unescape(as_alice.get(place, values).content.decode())
    assert "from March to June 2025" in page
    found = why_serve(alice, why_of_version(version).between(**values))
    by = {split.words: split for _, split in found.splits}
    unknown = [one for split in by.values() for one in split.parts if one.kind == "none"]
    assert unknown, "visits of nobody known are a part too"
    for split in by.values():
        assert sum(one.change for one in split.parts) == found.whole.change
    links = re.findall(r'href="(/dashboards/why/[^"]+ask/[^"]+)"', page)
    asks = [as_alice.get(link) for link in links]
    told = [one.url for one in asks if one.status_code == 302]
    assert any("q=Number" in one for one in told)
    assert as_alice.get(place + "ask/", {**values, "value": "x"}).status_code == 404
    assert as_alice.post(f"{place}?now=2025-06-01&before=2025-03-01").status_code == 302
    assert supplied() == len(found.statements)


def test_a_quotient_is_split_into_rate_and_mix_and_a_median_not_at_all(shop, alice, as_alice, media) -> None:
    run = asked(shop, as_alice, "Average order value by month")
    version = run.versions.get()
    why = why_of_version(version)
    assert why is not None and len(why.change.parts) == 2
    why_serve(alice, why)
    supplied()
    found = why_serve(alice, why)
    assert found.splits and "category" not in {split.words for _, split in found.splits}, (
        "orders have several"
    )
    for _, split in found.splits:
        assert sum(one.mix + one.rate for one in split.parts) == found.whole.change
    assert "<em>mix</em>" in as_alice.get(url("why", version.pk)).content.decode()
    run = asked(shop, as_alice, "Median line amount by month")
    why = why_of_version(run.versions.get())
    assert why is not None and not why.change.parts
    page = as_alice.get(url("why", run.versions.get().pk)).content.decode()
    assert "do not add up" in page
    assert not supplied()


def test_what_could_not_be_read_is_said_and_a_value_that_no_words_ask_for_is_shown_as_sql(
    shop, alice, as_alice, media
) -> None:
    run = asked(shop, as_alice, "Revenue in 2025")
    version = run.versions.get()
    why = why_of_version(version)
    assert (why.words(why.now), why.words(why.before)) == ("2025", "2024")
    why_serve(alice, why)
    supplied()
    found = why_serve(alice, why)
    statement, split = found.splits[0]
    part = next(one for one in split.parts if one.row is not None)
    sent = {"value": value_key(statement, part.values)}
    assert as_alice.get(url("why_ask", version.pk), sent).status_code == 302
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "asked_again", lambda *_: "")
        page = as_alice.get(url("why_ask", version.pk), sent).content.decode()
    assert "Open on the SQL page" in page and "<pre" in page
    Supply.objects.update(result=None, failure={"kind": "lost", "message": "It is away."})
    page = as_alice.get(url("why", version.pk)).content.decode()
    assert "The totals could not be read: It is away." in page
    assert not supplied(), "nothing is read again before somebody asks"


def test_a_period_after_the_last_day_with_data_is_said_first_and_no_fall(
    shop, alice, as_alice, media
) -> None:
    """The data of the shop end on 31 October 2026."""
    ends = "No data after 31 October 2026, so none in November 2026. "
    both = asked(shop, as_alice, "revenue in november 2026 vs october 2026").versions.get()
    assert both.sentence.startswith(ends) and "720,523" in both.sentence
    version = asked(shop, as_alice, "revenue in november 2026").versions.get()
    assert version.sentence.startswith(ends)
    place = url("why", version.pk)
    as_alice.get(place)
    supplied()
    found = why_serve(alice, why_of_version(version))
    said = "November 2026 has no data: they end on 31 October 2026. Revenue was 720,523 in October 2026."
    assert (found.sentence, found.splits) == (said, ())
    page = as_alice.get(place).content.decode()
    assert said in page and "no data</span>" in page and "100 %" not in page
    year = asked(shop, as_alice, "revenue in 2026").versions.get()
    assert year.sentence.startswith("The revenue is"), "a figure that is there needs no excuse"
    as_alice.get(url("why", year.pk))
    supplied()
    begun = why_serve(alice, why_of_version(year)).sentence
    assert begun.startswith(
        "2026 is not complete: its data go to 31 October 2026. Revenue so far is 6,396,011,"
    )


@pytest.fixture
def later_shop(shop, shop_file, tmp_path):
    """The shop, whose values were read when the data ended on 31 October; since then orders of November came."""
    later = tmp_path / "later.sqlite3"
    copy(shop_file, later)
    with closing(sqlite3.connect(later)) as store, store:
        moved = "UPDATE orders SET ordered_at = replace(ordered_at, '2026-10-2', '2026-11-2')"
        store.execute(f"{moved} WHERE ordered_at LIKE '2026-10-2%'")
    shop.database = str(later)
    shop.save(update_fields=["database"])
    return shop


@pytest.mark.parametrize(
    "question",
    [
        "revenue by country in november 2026",
        "orders by status in november 2026",
        "top 3 customers by revenue in november 2026",
        "revenue by country since november 2026",
        "revenue in november 2026",
        "revenue per country in november 2026 vs october 2026",
    ],
)
def test_rows_that_came_after_the_values_were_read_are_not_denied(later_shop, as_alice, question) -> None:
    sentence = asked(later_shop, as_alice, question).versions.get().sentence
    assert sentence
    assert "No data after" not in sentence


def test_a_period_that_may_be_in_rows_beyond_those_that_are_drawn_is_not_denied(
    later_shop, as_alice, monkeypatch
) -> None:
    monkeypatch.setattr("mirror.asking.services.answering.DRAWN_ROWS", 3)
    run = asked(later_shop, as_alice, "orders by month and customer in november 2026 vs october 2026")
    assert "No data after" not in run.versions.get().sentence


def test_a_figure_that_came_after_the_values_were_read_is_told_with_its_reasons(
    later_shop, alice, as_alice
) -> None:
    version = asked(later_shop, as_alice, "revenue in november 2026").versions.get()
    place = url("why", version.pk)
    as_alice.get(place)
    supplied()
    found = why_serve(alice, why_of_version(version))
    assert found.whole.now > 0
    assert found.splits
    page = as_alice.get(place).content.decode()
    for text in (found.sentence, page):
        assert "no data" not in text
        assert "31 October" not in text


@pytest.mark.parametrize(
    "question", ["revenue by country in november 2026", "orders by month in november 2026"]
)
def test_groups_of_a_period_without_data_say_where_the_data_end(shop, as_alice, question) -> None:
    sentence = asked(shop, as_alice, question).versions.get().sentence
    assert sentence.startswith("No data after 31 October 2026, so none in November 2026. ")


@pytest.mark.parametrize("question", ["revenue 2025 vs 2026", "orders by channel 2025 vs 2026"])
def test_a_year_that_has_only_begun_is_said_where_it_is_compared(shop, as_alice, question) -> None:
    sentence = asked(shop, as_alice, question).versions.get().sentence
    assert sentence.startswith("Data go to 31 October 2026, as last read: 2026 is not complete.")


def test_part_years_are_left_out_of_the_sentence_of_an_answer(shop, as_alice) -> None:
    run = asked(shop, as_alice, "revenue per year")
    assert run.versions.get().sentence.endswith(
        "2023 and 2026, which are not whole, are left out of the comparison."
    )
    compared = asked(shop, as_alice, "orders by channel 2025 vs 2026").versions.get().sentence
    assert compared.endswith("; 2026 is not whole, so no change is told.")


def test_a_year_that_stands_alone_is_said_as_it_is(shop, as_alice) -> None:
    assert "31 October" not in asked(shop, as_alice, "revenue by country in 2026").versions.get().sentence


@pytest.mark.parametrize(
    ("typed", "now", "before"),
    [
        ("why did it fall in February?", "2026-02-01", "2026-01-01"),
        ("why did it rise so much in dec 2024", "2024-12-01", "2024-11-01"),
        ("what happened in may", "2026-05-01", "2026-04-01"),
    ],
)
def test_why_of_a_named_period_compares_that_one(shop, as_alice, typed, now, before) -> None:
    run = asked(shop, as_alice, "revenue by month in 2026")
    place = followed(as_alice, run, typed)
    assert as_alice.get(place).url == f"{url('why', run.versions.get().pk)}?now={now}&before={before}"


@pytest.mark.parametrize("named", ["Norway", "February 2019", "2026", "<b>x</b>"])
def test_why_of_what_is_no_period_says_so_and_compares_the_last_two(shop, as_alice, named) -> None:
    run = asked(shop, as_alice, "revenue by month in 2026")
    plain = url("why", run.versions.get().pk)
    response = as_alice.get(plain, {"of": named})
    assert response.url == plain
    assert f"“{escape(named)}” is no period of this figure" in as_alice.get(plain).content.decode()


def test_why_of_nothing_named_goes_to_the_last_change(shop, as_alice) -> None:
    run = asked(shop, as_alice, "revenue by month in 2026")
    assert followed(as_alice, run, "why did it fall in the last month?") == url("why", run.versions.get().pk)


def test_a_part_of_nothing_has_no_sign() -> None:
    """A value that stayed the same while the whole fell had a part of "−0 %"."""
    same = Part("value", ("partner",), Decimal(4), Decimal(4), Decimal(0), share=Decimal("-0"))
    assert why_pages._part(same, (), Decimal(7), 0).share == "0 %"
