"""SQL of a run: edited, refused, stopped, drawn, saved; typed text and shown rows are never lost."""

from __future__ import annotations

import json
import threading
import time

import pytest
from django.urls import reverse

from mirror.asking import services
from mirror.asking.models import Run, Version
from mirror.asking.pages import run_page
from mirror.work.turns import turn_take
from tests.web.working import REVENUE, SLOW, TOP, ran, work


def test_edited_sql_gives_a_new_version_and_the_earlier_one_stays(answered, as_alice) -> None:
    first = answered.versions.get()
    response = as_alice.post(reverse("asking:edit", args=[answered.pk]), {"sql": "SELECT 1 AS one"})
    assert response.status_code == 302
    version = work(answered.versions.first())
    assert (version.number, version.origin, version.result.row_count) == (2, "edit", 1)
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert page.version.number == 2
    assert [item.number for item in page.versions] == [2, 1]
    earlier = as_alice.get(reverse("asking:run", args=[answered.pk]) + "?version=1").context["page"]
    assert earlier.draft == first.sql
    assert earlier.version.table.last_row == 5
    for typed in ("²", "9" * 30, "x"):
        shown = as_alice.get(reverse("asking:run", args=[answered.pk]), {"version": typed}).context["page"]
        assert shown.version.number == 2, "a number that is none asks for nothing"


def test_versions_say_where_they_differ_from_the_one_that_is_shown(answered, as_alice) -> None:
    """Three of them began alike, and the list said the same of each."""
    first = answered.versions.get()
    ran(answered, f"{first.sql.strip()}\n LIMIT 3")
    ran(answered, "SELECT 1 AS one")
    page = as_alice.get(reverse("asking:run", args=[answered.pk]) + "?version=1").context["page"]
    assert [item.excerpt for item in page.versions][:2] == ["SELECT 1 AS one", "… LIMIT 3"]
    assert not page.versions[2].excerpt.startswith("…")


@pytest.mark.parametrize(
    ("sql", "state", "said"),
    [
        ("DELETE FROM customers", "refused", "DELETE"),
        ("SELECT * FROM customers; DROP TABLE customers", "refused", ""),
        ("SELECT nonsense FROM customers", "refused", "nonsense"),
        ("SELECT FROM WHERE", "refused", ""),
        ("SELECT abs(-9223372036854775808)", "failed", "overflow"),
    ],
)
def test_sql_that_does_not_run_is_kept_with_the_reason(answered, as_alice, sql, state, said) -> None:
    version = ran(answered, sql)
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert (page.version.state, page.draft) == (state, sql)
    assert said in page.version.failure.message
    assert version.result is None


def test_the_position_of_a_mistake_is_that_in_the_text_typed(answered) -> None:
    sql = "SELECT country,\n       nonsense\nFROM customers"
    assert ran(answered, sql).failure["position"] == sql.index("nonsense")


@pytest.mark.parametrize("loss", ["expired", "file missing"])
def test_rows_that_are_gone_can_be_had_again(answered, as_alice, loss) -> None:
    version = answered.versions.get()
    if loss == "expired":
        version.result.delete()
    else:
        version.result.file.storage.delete(version.result.file.name)
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).content.decode()
    again = reverse("asking:version_again", args=[version.pk])
    assert page.count(f'action="{again}"') == 1
    assert "Run it again" in page
    as_alice.post(again)
    newest = work(answered.versions.first())
    assert (newest.sql, newest.result.row_count) == (version.sql, 5)


def test_sql_with_no_rows_says_so(answered, as_alice) -> None:
    ran(answered, "SELECT name FROM customers WHERE 1 = 0")
    assert run_page(answered).version.state == "empty"


def test_a_million_rows_are_cut_and_said_to_be(answered, settings) -> None:
    settings.RESULT_ROWS = 1000
    sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000) SELECT i FROM n"
    version = ran(answered, sql)
    assert (version.result.row_count, version.result.truncated) == (1000, True)
    page = run_page(answered)
    assert page.version.state == "cut"
    assert "there are more" in page.version.words


def test_sql_that_takes_too_long_is_ended_and_said_to_be_slow(answered, settings) -> None:
    settings.STATEMENT_SECONDS = 0.5
    began = time.monotonic()
    version = ran(answered, SLOW)
    assert time.monotonic() - began < 5
    assert version.failure["kind"] == "timeout"
    assert run_page(answered).version.failure.title == "This took too long"


@pytest.mark.parametrize("sql", ["", "   \n ", "SELECT " + "1" * 100_001])
def test_sql_that_cannot_be_taken_stays_in_the_editor(answered, as_alice, sql) -> None:
    response = as_alice.post(reverse("asking:edit", args=[answered.pk]), {"sql": sql})
    assert response.status_code == 422
    assert response.context["page"].draft == sql
    assert response.context["page"].problem
    assert answered.versions.count() == 1


def test_a_run_that_is_still_answered_takes_no_sql(shop, alice, as_alice) -> None:
    run = services.run_ask(alice, shop, REVENUE)
    response = as_alice.post(reverse("asking:edit", args=[run.pk]), {"sql": TOP})
    assert response.status_code == 422
    assert "still being answered" in response.context["page"].problem
    assert response.context["page"].draft == TOP


def test_running_again_ends_what_ran_before(answered) -> None:
    slow = services.version_edit(answered, SLOW)
    lease = turn_take(Version, slow.pk)
    worker = threading.Thread(target=services.version_run, args=[lease])
    worker.start()
    assert ran(answered, "SELECT 1").failure is None
    worker.join(10)
    slow.refresh_from_db()
    assert slow.failure["kind"] == "cancelled"


READING = {
    "sql": "SELECT 2 AS two",
    "difference": "after returns",
    "size": 2,
    "columns": ["two"],
    "kinds": ["integer"],
    "rows": [[2]],
    "row_count": 1,
    "column_count": 1,
    "truncated": False,
    "seconds": 0,
}


def test_ones_own_sql_is_not_called_a_draft(answered, as_alice) -> None:
    answered.readings, answered.outcome = [READING], "ambiguous"
    answered.reason = "Not sure: this is a draft that leaves out “revenue”."
    answered.save()
    where = reverse("asking:run", args=[answered.pk])
    assert answered.reason in as_alice.get(where).content.decode()
    ran(answered, "SELECT 1 AS one")
    page = as_alice.get(where).content.decode()
    assert answered.reason not in page
    assert "after returns" in page


def test_a_draft_says_why_before_it_says_a_number(answered, as_alice) -> None:
    answered.outcome, answered.reason = "ambiguous", "Not sure: this is a draft that leaves out “weather”."
    answered.save()
    answered.versions.update(sentence="There are 4,711 of them.")
    where = reverse("asking:run", args=[answered.pk])
    for readings in ([], [READING]):
        answered.readings = readings
        answered.save()
        page = as_alice.get(where).content.decode()
        told = page.split('id="answer"')[1]
        told = told[told.index(">") :]
        assert (
            told.index(answered.reason)
            < told.index("Draft</span> There are 4,711")
            < told.index('id="result"')
        )
        assert told.count(answered.reason) == 1
        assert page.split('id="answer"')[1].index(answered.reason) < page.split('id="answer"')[1].index(
            "4,711"
        )
        assert "data-draft" in told


def test_what_is_no_draft_is_not_called_one(answered, as_alice) -> None:
    where = reverse("asking:run", args=[answered.pk])
    page = as_alice.get(where).content.decode()
    assert "Draft</span>" not in page and "data-draft" not in page
    answered.outcome, answered.reason, answered.readings = "ambiguous", "Pick one.", [READING]
    answered.save()
    assert "data-draft" in as_alice.get(where).content.decode()
    as_alice.post(reverse("asking:use_reading", args=[answered.pk, 0]))
    work(answered.versions.first())
    page = as_alice.get(where).content.decode()
    assert "Draft</span>" not in page and "data-draft" not in page and "Pick one." not in page


def test_how_sure_an_answer_is_comes_first_and_in_plain_words(answered, as_alice) -> None:
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).content.decode()
    assert "<strong>91 % sure.</strong> 5 of 7 attempts gave this answer" in page


def test_a_reading_can_be_made_the_answer(answered, as_alice) -> None:
    answered.readings = [READING]
    answered.save()
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert (page.readings[0].difference, page.readings[0].rows[0][0].text) == ("after returns", "2")
    as_alice.post(reverse("asking:use_reading", args=[answered.pk, 0]))
    version = work(answered.versions.first())
    assert (version.origin, version.sql) == ("reading", "SELECT 2 AS two")
    assert run_page(answered).readings[0].is_current
    assert as_alice.post(reverse("asking:use_reading", args=[answered.pk, 9])).status_code == 422


def test_expired_rows_offer_to_run_again(answered, as_alice) -> None:
    from mirror.results.services import result_delete

    version = answered.versions.get()
    result_delete(version.result)
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert page.version.state == "expired"
    as_alice.post(reverse("asking:version_again", args=[version.pk]))
    assert work(answered.versions.first()).result.row_count == 5


def test_values_no_store_can_hold_are_kept_apart_from_it(answered, as_alice) -> None:
    sql = """SELECT 'a' || char(0) || 'b' AS "x\x00", 9e999 AS endless, x'00ff' AS bytes UNION ALL SELECT 1, 2, 3"""
    version = ran(answered, sql)
    assert (
        version.failure is None or "␀" in version.failure["message"] or version.failure["kind"] == "refused"
    )
    assert as_alice.get(reverse("asking:run", args=[answered.pk])).status_code == 200
    version = ran(answered, sql.replace("\x00", ""))
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    assert page.version.table.rows[0][0].text == "a\x00b"
    assert page.version.table.rows[0][1].text == "inf"


# ---------------------------------------------------------------- stopping


def test_stop_ends_the_statement_in_the_database(answered, as_alice) -> None:
    version = services.version_edit(answered, SLOW)
    lease = turn_take(Version, version.pk)
    worker = threading.Thread(target=services.version_run, args=[lease])
    began = time.monotonic()
    worker.start()
    time.sleep(0.4)
    as_alice.post(reverse("asking:version_stop", args=[version.pk]))
    worker.join(10)
    assert time.monotonic() - began < 5
    version.refresh_from_db()
    assert version.failure["kind"] == "cancelled"
    assert run_page(answered).version.state == "stopped"


# ---------------------------------------------------------------- chart, save, follow


def test_a_chart_is_changed_and_stays_changed(answered, as_alice) -> None:
    version = answered.versions.get()
    address = reverse("asking:chart", args=[version.pk])
    before = as_alice.get(address).json()
    assert before["chart"]["mark"] == "bar"
    sent = {"mark": "line", "x": before["chart"]["x"], "y": before["chart"]["y"]}
    after = as_alice.post(address, sent, headers={"Accept": "application/json"}).json()
    assert after["figure"] != before["figure"]
    assert as_alice.get(address).json()["chart"]["mark"] == "line"


def test_other_rows_get_a_chart_that_suits_them_unless_somebody_chose_one(answered, as_alice) -> None:
    assert ran(answered, "SELECT count(*) AS n FROM orders").chart["mark"] == "number"
    by_country = "SELECT country, count(*) AS n FROM customers GROUP BY 1 LIMIT {}"
    several = ran(answered, by_country.format(5))
    assert several.chart["mark"] == "bar"
    as_alice.post(reverse("asking:chart", args=[several.pk]), {"mark": "pie"})
    assert ran(answered, by_country.format(4)).chart["mark"] == "pie"
    assert ran(answered, "SELECT count(*) AS n FROM orders").chart["mark"] == "number"


def test_another_chart_that_is_offered_is_drawn_as_it_is(answered, as_alice) -> None:
    version = answered.versions.get()
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).context["page"]
    offered = page.version.chart.others
    assert 1 <= len(offered) <= 3
    address = reverse("asking:chart", args=[version.pk])
    as_alice.post(address, {"drawn_as": offered[0].value})
    version.refresh_from_db()
    assert version.chart["mark"] == json.loads(offered[0].value)["mark"]
    assert version.chart["chosen"] is True


def test_one_number_of_five_rows_says_which(answered, as_alice) -> None:
    version = answered.versions.get()
    as_alice.post(reverse("asking:chart", args=[version.pk]), {"mark": "number"})
    version.refresh_from_db()
    assert version.chart["note"] in ("Sum of 5 rows.", "Average of 5 rows.")


@pytest.mark.parametrize("mark", ["line", "area", "bar"])
def test_from_a_histogram_another_chart_has_a_figure_of_its_own(answered, as_alice, mark) -> None:
    version = ran(answered, "SELECT country, count(*) * 1.5 AS revenue FROM customers GROUP BY country")
    address = reverse("asking:chart", args=[version.pk])
    as_alice.post(address, {"mark": "histogram", "x": "revenue", "y": []})
    version.refresh_from_db()
    assert version.chart["mark"] == "histogram"
    assert as_alice.post(address, {"mark": mark, "x": "revenue"}).status_code == 302
    version.refresh_from_db()
    assert (version.chart["mark"], version.chart["x"], version.chart["y"]) == (mark, "country", ["revenue"])


@pytest.mark.parametrize("who", ["bob", "charlie"])
def test_a_chart_is_changed_by_its_owner_alone(answered, client, request, who) -> None:
    client.force_login(request.getfixturevalue(who))
    address = reverse("asking:chart", args=[answered.versions.get().pk])
    assert client.post(address, {"mark": "line"}).status_code == 404


@pytest.mark.parametrize(
    "sent",
    [
        {
            "drawn_as": '{"mark": "number", "x": 5, "y": "n", "series": [], "aggregate": {}}',
            "mark": "tornado",
        },
        {"drawn_as": '{"mark": "tornado", "x": "", "y": [], "series": "", "aggregate": "none"}'},
        {"drawn_as": "{"},
        {"line": "<b>"},
        {"stack": "tower"},
    ],
)
def test_settings_of_a_chart_that_are_none_are_refused_in_words(answered, as_alice, sent) -> None:
    version = answered.versions.get()
    response = as_alice.post(reverse("asking:chart", args=[version.pk]), sent)
    assert (response.status_code, bool(response.json()["problem"])) == (422, True)


def test_a_word_that_is_refused_stands_where_it_was_typed_beside_what_is_wrong(answered, as_alice) -> None:
    address = reverse("asking:chart", args=[answered.versions.get().pk])
    page = as_alice.post(address, {"line": "banana"}, headers={"HX-Request": "true"})
    text = page.content.decode()
    form = text[text.index("<details") : text.index("</details>")]
    assert page.status_code == 422
    assert form.startswith('<details class="chart-axes" id="chart-axes" open>')
    assert 'value="banana"' in form and "not a number, average or median" in form
    assert "banana" not in as_alice.get(address, headers={"HX-Request": "true"}).content.decode()


def test_bars_of_two_figures_come_back_from_a_chart_of_one(answered, as_alice) -> None:
    sql = "SELECT country, count(*) AS customers, count(DISTINCT city) AS cities FROM customers GROUP BY 1 LIMIT 6"
    version = ran(answered, sql)
    before = version.chart
    assert before["mark"] == "bar"
    address = reverse("asking:chart", args=[version.pk])
    for mark in ("pie", "number", "bar"):
        shown = as_alice.get(address).json()["chart"]
        sent = {"mark": mark, "x": shown["x"], "y": shown["y"], "series": shown["series"]}
        assert as_alice.post(address, sent).status_code in (200, 302)
    version.refresh_from_db()
    assert (version.chart["y"], version.chart["chosen"]) == (before["y"], True)


def test_small_charts_are_chosen_typed_offered_and_left_again(answered, as_alice) -> None:
    sql = "SELECT country, city, count(*) AS customers FROM customers GROUP BY 1, 2"
    version = ran(answered, sql)
    address = reverse("asking:chart", args=[version.pk])

    def kept(sent: dict[str, str]) -> tuple[str, str, str]:
        assert as_alice.post(address, sent).status_code == 302
        version.refresh_from_db()
        return tuple(version.chart[name] for name in ("mark", "stack", "series"))

    assert kept({"mark": "bar", "x": "city", "series": "country", "stack": ""}) == ("bar", "", "country")
    kept({"series": ""})
    assert kept({"stack": "small"}) == ("bar", "small", "country"), "the column to split by is found"
    assert len({trace["xaxis"] for trace in version.figure["data"]}) == len(version.figure["data"]) > 1
    offered = version.chart["others"][0]
    assert kept({"drawn_as": json.dumps(offered)}) == ("bar", "", "country")
    assert kept({"stack": "small"})[1] == "small"
    assert kept({"series": "", "stack": "small"}) == ("bar", "", ""), "without the column it is one chart"
    as_alice.post(reverse("asking:follow", args=[answered.pk]), {"question": "in small charts"})
    version.refresh_from_db()
    assert version.chart["stack"] == "small"
    assert kept({"mark": "pie", "series": "", "stack": "small"})[:2] == ("pie", "")
    refused = as_alice.post(address, {"stack": "small"})
    assert (refused.status_code, "bars, lines or areas" in refused.json()["problem"]) == (422, True)


def test_a_map_is_chosen_and_typed_and_what_has_no_place_is_told(answered, as_alice) -> None:
    sql = "SELECT country AS land, count(*) AS customers FROM customers GROUP BY 1 UNION ALL SELECT 'Atlantis', 7"
    version = ran(answered, sql)
    assert version.chart["mark"] == "bar" and version.chart["others"][0]["mark"] == "map"
    as_alice.post(reverse("asking:follow", args=[answered.pk]), {"question": "on a map"})
    version.refresh_from_db()
    assert (version.chart["mark"], version.chart["x"]) == ("map", "land")
    assert version.chart["note"].endswith("places is not on the map: Atlantis.")
    assert version.figure["data"][0]["type"] == "choropleth"
    assert version.figure["drill"]["is_by_trace"] is True
    other = ran(answered, "SELECT city AS town, count(*) AS customers FROM customers GROUP BY 1")
    refused = as_alice.post(reverse("asking:chart", args=[other.pk]), {"mark": "map"})
    assert refused.status_code == 422 and "no countries that the map knows" in refused.json()["problem"]


@pytest.mark.parametrize("sent", [{"mark": "tornado"}, {"x": "nobody"}, {"y": "nobody"}])
def test_a_chart_that_cannot_be_is_refused_in_words(answered, as_alice, sent) -> None:
    address = reverse("asking:chart", args=[answered.versions.get().pk])
    response = as_alice.post(address, sent)
    assert response.status_code == 422
    assert response.json()["problem"]
    assert as_alice.get(address).json()["chart"]["mark"] == "bar"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT country, count(*) AS customers FROM customers GROUP BY country",
        "SELECT country, city FROM customers",
        "SELECT country, -1 * count(*) AS balance FROM customers GROUP BY country",
        "SELECT count(*) AS customers FROM customers",
    ],
)
def test_each_chart_type_that_is_offered_is_drawn_whatever_was_drawn_before(answered, as_alice, sql) -> None:
    version = ran(answered, sql)
    address = reverse("asking:chart", args=[version.pk])
    version.refresh_from_db()
    assert "none" in version.chart["marks"] and version.chart["mark"] in version.chart["marks"]
    at = 0
    while at < len(version.chart["marks"]):
        mark = version.chart["marks"][at]
        chart = version.chart
        same = {name: chart[name] for name in ("x", "y", "series", "aggregate", "stack", "sort", "scale")}
        assert as_alice.post(address, {**same, "mark": mark}).status_code == 302, mark
        version.refresh_from_db()
        assert version.chart["mark"] == mark
        at = version.chart["marks"].index(mark) + 1
    shown = as_alice.get(address, headers={"HX-Request": "true"}).content.decode()
    assert shown.count("<option value=") > len(version.chart["marks"])
    assert ('value="combo"' in shown) == ("combo" in version.chart["marks"])


def test_the_types_of_a_chart_stay_the_same_while_they_are_walked_and_no_text_of_one_stays(
    answered, as_alice
) -> None:
    version = ran(
        answered,
        "SELECT '2025-0' || id AS month, 100 + id * 7 AS orders, 900.5 * id AS revenue FROM customers WHERE id < 10",
    )
    address = reverse("asking:chart", args=[version.pk])
    version.refresh_from_db()
    offered = version.chart["marks"]
    assert "scatter" in offered and "pie" not in offered
    for mark in ("scatter", "box", "number", "none"):
        chart = version.chart
        same = {
            name: chart[name]
            for name in ("x", "y", "series", "aggregate", "stack", "sort", "scale")
            if name in chart
        }
        assert as_alice.post(address, {**same, "mark": mark}).status_code == 302, mark
        version.refresh_from_db()
        assert version.chart["marks"] == offered, mark
        assert (version.chart["mark"], mark == "box" and version.chart["x"] == "orders") == (mark, False)
    assert version.chart["note"] == ""
    assert "No chart is drawn." in as_alice.get(address, headers={"HX-Request": "true"}).content.decode()


def test_what_is_saved_is_named_as_the_answer_is(answered, as_alice) -> None:
    page = as_alice.get(reverse("asking:run", args=[answered.pk])).content.decode()
    assert f'name="name" value="{REVENUE[:1].upper()}{REVENUE[1:]}' in page


def test_a_version_is_saved_with_its_question_and_chart(answered, as_alice, alice) -> None:
    version = answered.versions.get()
    as_alice.post(
        reverse("asking:save", args=[version.pk]), {"name": "Best countries", "description": "By revenue"}
    )
    saved = alice.saved_sql.get()
    asked = f"{REVENUE} (edited SQL)"
    assert (saved.name, saved.sql, saved.question) == ("Best countries", version.sql, asked)
    assert saved.chart == {**version.chart, "chosen": True}


def test_a_button_pressed_about_an_older_version_leads_back_to_it(answered, as_alice) -> None:
    """Else Verify or Right, pressed next, is about SQL that nobody chose."""
    older = answered.versions.get()
    ran(answered, "SELECT 1 AS one")
    here = f"{reverse('asking:run', args=[answered.pk])}?version=1"
    sent = {
        "save": {"name": "Best"},
        "version_stop": {},
        "version_feedback": {"is": "right"},
        "version_verify": {},
    }
    for name, typed in sent.items():
        assert as_alice.post(reverse(f"asking:{name}", args=[older.pk]), typed).url == here, name
    by_htmx = as_alice.post(
        reverse("asking:save", args=[older.pk]), {"name": "Again"}, headers={"HX-Request": "true"}
    )
    assert by_htmx["HX-Redirect"] == here
    assert as_alice.get(here).context["page"].version.id == older.pk
    edit = {"sql": "", "version": "1"}
    untaken = as_alice.post(reverse("asking:edit", args=[answered.pk]), edit)
    assert (untaken.status_code, untaken.context["page"].version.number) == (422, 1)
    as_alice.post(reverse("asking:edit", args=[answered.pk]), edit | {"sql": "SELECT 3 AS three"})
    assert answered.versions.first().base == older


def test_saved_sql_is_run_with_its_parameters(answered, as_alice, alice, shop) -> None:
    from mirror.library.services import sql_save

    saved = sql_save(
        alice,
        shop,
        "Customers of a country",
        "SELECT count(*) AS n FROM customers WHERE country = :country",
        parameters=[{"name": "country", "kind": "text", "default": "", "label": "Country"}],
    )
    as_alice.post(reverse("asking:run_saved", args=[saved.pk]), {"argument-country": "Germany"})
    run = Run.objects.get(saved=saved)
    version = work(run.versions.get())
    assert (version.origin, version.failure) == ("saved", None)
    shown = as_alice.get(reverse("asking:run", args=[run.pk]))
    page = shown.context["page"]
    saved.delete()
    gone = as_alice.get(reverse("asking:run", args=[run.pk]))  # it stays saved SQL that was run
    for words in (shown.content.decode(), gone.content.decode()):
        assert "</svg>Saved SQL</span>" in words
        assert "<dt>Written by</dt><dd>a person</dd>" in words
    assert (page.title, page.state) == ("Customers of a country", "")
    assert version.arguments == {"country": "Germany"}
    assert int(page.version.table.rows[0][0].exact or page.version.table.rows[0][0].text) > 0
