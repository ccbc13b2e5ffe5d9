"""The page of a source's model: who sees it, who corrects it, and that the next question goes by it."""

from __future__ import annotations

import json
import sqlite3
from html import unescape
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from mirror.asking import services
from mirror.asking.services.suggesting import question_typed, questions_first
from mirror.sources import correction_services
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.catalogs import source_catalog
from mirror.sources.model_telling import table_told
from mirror.sources.modelling import SeenModel, source_model
from mirror.sources.models import Source, StoredCorrection
from mirror.workbench.errors import WorkbenchError
from mirror.workbench.glancing import glance_rows
from sqlagent.catalog.hiding import usable
from sqlagent.values import Correction, Subject
from tests.agent import places
from tests.agent.test_analyst_prices import BATH
from tests.web.small_shop import small_shop
from tests.web.working import answer, values_read

pytestmark = pytest.mark.django_db


@pytest.fixture
def file(tmp_path):
    return small_shop(tmp_path)


@pytest.fixture
def small(alice, team, file, media):
    """That shop as a source that Alice shares with her team, read."""
    source = Source.objects.create(owner=alice, name="small", engine=Source.Engine.SQLITE, database=str(file))
    source.teams.add(team)
    catalog_refresh(source)
    values_read(source)
    source.refresh_from_db()
    return source


def at(source, name="model", **named) -> str:
    return reverse(f"sources:{name}", args=[source.pk], query=named or None)


def page(browser, source, name="model", **named) -> str:
    answered = browser.get(at(source, name, **named))
    assert answered.status_code == 200
    return unescape(answered.content.decode())


def form(browser, source, table, column="", **typed):
    """Post a page's form with what it shows, but for what is `typed`."""
    name = "model_column" if column else "model_table"
    named = {"table": table} | ({"column": column} if column else {})
    shown = browser.get(at(source, name, **named)).context["page"].form
    data = {field.name: field.value() for field in shown if field.value() not in (None, False)}
    data |= typed
    return browser.post(at(source, name, **named), {k: v for k, v in data.items() if v is not None})


def asked(source, user, question):
    return answer(services.run_ask(user, source, question))


def sql_of(run) -> str:
    version = run.versions.first()
    return " ".join(version.sql.split()) if version is not None else ""


# ---------------------------------------------------------------- who


def test_everybody_who_sees_the_source_sees_its_model_and_its_owner_corrects_it(
    small, team, admin, as_alice, as_bob, as_charlie, as_admin
):
    places = [
        at(small), at(small, "model_table", table="orders"), at(small, "model_column", table="orders", column="amount"),
        at(small, "model_calendar"),
    ]  # fmt: skip
    seen = [
        [browser.get(place).status_code for place in places]
        for browser in (as_alice, as_bob, as_charlie, as_admin)
    ]
    assert seen == [[200] * 4, [200, 200, 200, 403], [404] * 4, [404] * 4]
    typed = {"name": "orders", "synonyms": "purchase", "time": "ordered_on"}
    posted = [browser.post(places[1], typed).status_code for browser in (as_bob, as_charlie, as_admin)]
    assert (posted, StoredCorrection.objects.count()) == ([403, 404, 404], 0)
    assert "<form" not in as_bob.get(places[1]).content.decode().split("<main")[1]
    made = as_alice.post(places[1], typed)
    assert made.status_code == 302, made.context["page"].form.errors
    row = StoredCorrection.objects.get()
    assert (row.subject, row.value, row.made_by.username) == ("synonym", "purchase", "alice")
    back = reverse("sources:take_back", args=[small.pk, row.pk])
    assert [browser.post(back).status_code for browser in (as_bob, as_charlie)] == [403, 404]
    team.members.add(admin)
    assert as_admin.post(places[1], typed | {"synonyms": "purchase\ndeal"}).status_code == 302
    assert as_admin.post(back).status_code == 302
    row.refresh_from_db()
    assert (row.taken_back_by, row.taken_back_at is not None) == (admin, True)
    said = page(as_bob, small)
    assert "is also called “deal”" in said
    assert "Taken back" in said
    assert at(small) in as_bob.get(reverse("sources:source", args=[small.pk])).content.decode()


def test_another_sources_correction_is_out_of_reach(small, shop, as_alice, alice):
    form(as_alice, small, "orders", synonyms="purchase")
    row = StoredCorrection.objects.get()
    assert as_alice.post(reverse("sources:take_back", args=[shop.pk, row.pk])).status_code == 404
    assert StoredCorrection.objects.get().taken_back_at is None


def test_stored_values_are_shown_where_rows_may_be_shown_and_to_who_decides(small, as_alice, as_bob):
    form(as_alice, small, "orders", "status", label_0="Open")
    assert "Open" in page(as_alice, small, "model_column", table="orders", column="status")
    hidden = page(as_bob, small, "model_table", table="orders")
    assert "Open" not in hidden.split("Corrections")[0]
    assert "1 label" in hidden
    assert "Open" not in hidden, "a correction tells a label too"
    Source.objects.filter(pk=small.pk).update(privacy=Source.Privacy.ROWS)
    assert "Open" in page(as_bob, small, "model_table", table="orders")


# ---------------------------------------------------------------- what the page tells


def test_a_table_is_told_as_what_it_is(small, as_bob):
    said = page(as_bob, small, "model_table", table="orders")
    for words in (
        "Event, in the table",
        "measure, added up, in money",
        "points at customers",
        "time (day)",
        "declared in the database",
    ):
        assert words in said, words
    listed = page(as_bob, small)
    assert "customer" in listed and "2 tables" in listed
    assert "Last day with data" in listed
    assert "Nothing is called that" in page(as_bob, small, q="zebra")
    assert "1 of 2 tables" in page(as_bob, small, q="country")
    for named in ({"table": "none"}, {}):
        assert as_bob.get(at(small, "model_table", **named)).status_code == 404
    assert as_bob.get(at(small, "model_column", table="orders", column="none")).status_code == 404


def test_a_source_of_three_hundred_tables_stays_small_and_can_be_searched(alice, as_alice, tmp_path, media):
    path = tmp_path / "wide.sqlite3"
    with sqlite3.connect(path) as db:
        for n in range(300):
            db.execute(
                f"CREATE TABLE part_{n:03} (id INTEGER PRIMARY KEY, name TEXT, price NUMERIC, made_on DATE)"
            )
        db.execute("CREATE TABLE broad (" + ", ".join(f"figure_{n} NUMERIC" for n in range(400)) + ")")
    source = Source.objects.create(owner=alice, name="wide", engine=Source.Engine.SQLITE, database=str(path))
    catalog_refresh(source)
    for place in (at(source), at(source, "model_table", table="broad")):
        assert len(as_alice.get(place).content) < 150_000
    found = page(as_alice, source, q="part_277")
    assert "part_277" in found and "part_276" not in found
    assert "page=2" in page(as_alice, source)


def test_a_source_that_was_never_read_says_so(alice, as_alice, file):
    source = Source.objects.create(owner=alice, name="new", engine=Source.Engine.SQLITE, database=str(file))
    assert "not read yet" in page(as_alice, source)
    assert as_alice.get(at(source, "model_table", table="orders")).status_code == 404
    assert as_alice.post(at(source, "model_calendar"), {"week": "sunday"}).status_code == 302
    assert "Sunday" in page(as_alice, source)


# ---------------------------------------------------------------- what it does


def test_a_synonym_makes_an_unknown_word_understood_by_the_next_question(
    transactional_db, small, alice, as_alice
):
    before = asked(small, alice, "number of patrons by country")
    assert before.outcome == "unanswerable"
    assert form(as_alice, small, "customers", synonyms="patron").status_code == 302
    run = asked(small, alice, "number of patrons by country")
    assert (run.outcome, "FROM customers" in sql_of(run)) == ("answered", True)
    assert any("patron" in s.text for s in question_typed(alice, small, "patr").suggestions)


def test_what_is_no_measure_is_never_summed_up(transactional_db, small, alice, as_alice):
    assert "SUM(" in sql_of(asked(small, alice, "total legacy mark"))
    assert form(as_alice, small, "orders", "legacy_mark", role="key").status_code == 302
    run = asked(small, alice, "total legacy mark")
    assert "SUM(orders.legacy_mark)" not in sql_of(run)
    assert "derived: measure, added up" in page(as_alice, small, "model_table", table="orders")


def test_default_aggregate_and_unit_are_gone_by(transactional_db, small, alice, as_alice):
    assert "SUM(orders.amount)" in sql_of(asked(small, alice, "amount by status"))
    assert form(as_alice, small, "orders", "amount", aggregate="avg", unit="count").status_code == 302
    assert "AVG(orders.amount)" in sql_of(asked(small, alice, "amount by status"))
    plain = json.loads(model("small", "--json"))
    amount = next(f for f in plain["fields"] if f["column"] == "amount")
    assert (amount["aggregate"], amount["unit"]) == ("avg", "count")


def test_what_is_hidden_never_appears(transactional_db, small, alice, as_alice):
    assert "country" in sql_of(asked(small, alice, "customers by country"))
    assert any("country" in q.lower() or "Norway" in q for q in questions_first(small))
    assert form(as_alice, small, "customers", "country", hidden="on").status_code == 302
    for question in ("customers by country", "customers in Norway", "How many customers are from Norway?"):
        run = asked(small, alice, question)
        assert "country" not in sql_of(run).lower(), question
        assert run.outcome != "answered", question
    assert not any("country" in q.lower() or "Norway" in q for q in questions_first(small))
    offered = [s for typed in ("nor", "countr") for s in question_typed(alice, small, typed).suggestions]
    assert {s.note for s in offered} <= {"question"}, "what she asked before is hers"
    typed = asked(small, alice, "SELECT country FROM customers LIMIT 1")
    assert typed.outcome == "answered", "SQL that somebody writes may read it"
    looked = glance_rows(alice, small, "customers").sql
    assert "country" not in looked and '"name"' in looked


def test_a_hidden_table_never_appears(transactional_db, small, alice, as_alice):
    assert form(as_alice, small, "orders", hidden="on").status_code == 302
    assert "orders" not in sql_of(asked(small, alice, "revenue by country"))
    assert "never used" in page(as_alice, small)
    with pytest.raises(WorkbenchError, match="has no table orders"):
        glance_rows(alice, small, "orders")
    assert form(as_alice, small, "orders", hidden=None).status_code == 302
    assert "orders" in sql_of(asked(small, alice, "revenue by country"))


def test_the_default_time_of_an_event_is_the_one_that_was_told(transactional_db, small, alice, as_alice):
    assert "ordered_on" in sql_of(asked(small, alice, "orders in march 2026"))
    assert form(as_alice, small, "orders", time="shipped_on").status_code == 302
    run = asked(small, alice, "orders in march 2026")
    assert "shipped_on" in sql_of(run) and "ordered_on" not in sql_of(run)


def test_labels_of_codes_are_understood_and_shown(transactional_db, small, alice, as_alice):
    seen = as_alice.get(at(small, "model_column", table="orders", column="status")).context["page"].form
    labels = {field.label: field.name for field in seen.labels}
    typed = {labels["A"]: "Awaiting payment", labels["X"]: "Cancelled", labels["D"]: "Delivered"}
    assert form(as_alice, small, "orders", "status", **typed).status_code == 302
    run = asked(small, alice, "orders by status")
    assert {row[0] for row in rows(run)} == {"Awaiting payment", "Cancelled", "Delivered"}
    assert "status = 'A'" in sql_of(asked(small, alice, "orders awaiting payment"))


def test_a_label_that_a_comment_gives_is_shown_as_derived(transactional_db, alice, as_alice, media, tmp_path):
    path = tmp_path / "lessons.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute(
            "CREATE TABLE lessons (id INTEGER PRIMARY KEY, st TEXT -- DN done, NS no-show\n, held_on TEXT)"
        )
        db.executemany("INSERT INTO lessons (st, held_on) VALUES (?, '2025-03-04')", [("DN",), ("NS",)] * 60)
    lessons = Source.objects.create(owner=alice, name="lessons", engine="sqlite", database=str(path))
    catalog_refresh(lessons)
    values_read(lessons)
    lessons.refresh_from_db()
    shown = as_alice.get(at(lessons, "model_column", table="lessons", column="st")).context["page"].form
    assert {field.label: field.help_text for field in shown.labels} == {
        "DN": "Derived: done",
        "NS": "Derived: no-show",
    }
    form(
        as_alice,
        lessons,
        "lessons",
        "st",
        **{next(f.name for f in shown.labels if f.label == "NS"): "Missed"},
    )
    seen = as_alice.get(at(lessons, "model_column", table="lessons", column="st")).context["page"].form
    assert {field.label: field.value() for field in seen.labels} == {"DN": "", "NS": "Missed"}


def test_numbers_that_sort_rows_get_labels_too(transactional_db, small, alice, as_alice):
    place = at(small, "model_column", table="orders", column="legacy_mark")
    assert not as_alice.get(place).context["page"].form.labels
    form(as_alice, small, "orders", "legacy_mark", role="dimension")
    offered = {field.label: field.name for field in as_alice.get(place).context["page"].form.labels}
    assert list(offered) == [str(n) for n in range(100, 107)]
    form(as_alice, small, "orders", "legacy_mark", **{offered["103"]: "Imported"})
    assert "legacy_mark = 103" in sql_of(asked(small, alice, "imported orders"))
    assert "Imported" in {row[0] for row in rows(asked(small, alice, "orders by legacy mark"))}


def rows(run):
    from mirror.results.rows import rows_of

    return rows_of(run.versions.first().result, 100).rows


def test_a_relation_is_denied_and_told(transactional_db, small, alice, as_alice):
    assert form(as_alice, small, "orders", "customer_id", points="none").status_code == 302
    assert "JOIN" not in sql_of(asked(small, alice, "revenue by country"))
    assert "Does not point at" in page(as_alice, small, "model_table", table="orders")
    assert form(as_alice, small, "orders", "customer_id", points="customers|id").status_code == 302
    assert "JOIN customers" in sql_of(asked(small, alice, "revenue by country"))
    assert not StoredCorrection.objects.filter(taken_back_at=None).exists(), "as derived is no correction"


def test_a_name_is_told_in_the_answer_and_the_derived_one_stays_beside_it(
    transactional_db, small, alice, as_alice
):
    assert form(as_alice, small, "orders", "amount", name="turnover net").status_code == 302
    run = asked(small, alice, "turnover net by country")
    assert run.outcome == "answered" and "turnover net" in run.reason
    assert "derived: “amount”" in page(as_alice, small, "model_table", table="orders")


# ---------------------------------------------------------------- drift


def test_a_correction_of_a_column_that_went_is_kept_does_nothing_and_applies_when_it_is_back(
    transactional_db, small, alice, as_alice, file
):
    form(as_alice, small, "orders", "amount", synonyms="takings")
    form(as_alice, small, "customers", synonyms="patron")
    assert "SUM(orders.amount)" in sql_of(asked(small, alice, "takings by country"))
    change(small, file, "ALTER TABLE orders RENAME COLUMN amount TO gross_sum")
    said = page(as_alice, small)
    assert "Does not apply: There is no column amount in orders." in said
    assert "amount" not in sql_of(asked(small, alice, "takings by country"))
    assert asked(small, alice, "number of patrons by country").outcome == "answered", "the others apply"
    plain = json.loads(model("small", "--json"))
    assert [one["why"] for one in plain["unapplied"]] == ["There is no column amount in orders."]
    assert "does not apply: There is no column amount" in model("small")
    change(small, file, "ALTER TABLE orders RENAME COLUMN gross_sum TO amount")
    assert "Does not apply" not in page(as_alice, small)
    assert "SUM(orders.amount)" in sql_of(asked(small, alice, "takings by country"))


def test_a_correction_of_a_table_that_went_is_kept_too(small, as_alice, file):
    form(as_alice, small, "customers", synonyms="patron")
    change(small, file, "DROP TABLE customers")
    assert "Does not apply: There is no table customers." in page(as_alice, small)
    assert StoredCorrection.objects.filter(taken_back_at=None).count() == 1
    row = StoredCorrection.objects.get()
    assert as_alice.post(reverse("sources:take_back", args=[small.pk, row.pk])).status_code == 302
    assert "Does not apply" not in page(as_alice, small)


def change(source, file, sql: str) -> None:
    with sqlite3.connect(file) as db:
        db.executescript(sql)
    catalog_refresh(source)
    values_read(source)
    source.refresh_from_db()


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("table", "column", "typed", "says"),
    [
        ("orders", "", {"synonyms": "the"}, "“the” says nothing by itself."),
        ("orders", "", {"synonyms": "x"}, "“x” is one letter."),
        ("orders", "", {"synonyms": "<b>"}, "“<b>” holds < and >, which nobody types in a question. Give the words alone."),
        ("orders", "", {"name": "<b>big orders</b>"}, "holds < and >, which nobody types in a question."),
        ("orders", "amount", {"synonyms": "a<b"}, "“a<b” holds <, which nobody types in a question."),
        ("orders", "", {"synonyms": "C#"}, "“C#” is one letter: signs do not count."),
        ("orders", "", {"name": "!!"}, "“!!” holds no letter."),
        ("orders", "", {"synonyms": "customer"}, "already what customers is called. One word cannot mean both customers and orders."),
        ("orders", "", {"name": "a b c d e"}, "is too long"),
        ("orders", "", {"synonyms": "2025"}, "is a number"),
        ("orders", "", {"synonyms": "average"}, "a word by which people ask"),
        ("orders", "", {"time": "amount"}, "There is no “amount” to choose here."),
        ("orders", "amount", {"unit": "bananas"}, "There is no “bananas” to choose here."),
        ("orders", "amount", {"aggregate": "mode"}, "There is no “mode” to choose here."),
        ("orders", "amount", {"synonyms": "status"}, "already what the column orders.status is called"),
        ("orders", "amount", {"synonyms": "customers"}, "already what the table customers is called"),
        ("orders", "amount", {"role": "key", "aggregate": "avg"}, "no measure, so nothing is summed up"),
        ("customers", "country", {"aggregate": "sum"}, "The column country of customers holds no numbers."),
        ("orders", "customer_id", {"points": "orders|customer_id"}, "to choose here"),
        ("orders", "", {"name": "pur\u202echase"}, "a character that cannot be seen (U+202E)"),
        ("orders", "", {"synonyms": "deal\npur\u200bchase"}, "a character that cannot be seen (U+200B)"),
        ("orders", "amount", {"synonyms": "pur\x1b[31mchase"}, "a character that cannot be seen (U+001B)"),
        ("orders", "status", {"label_0": "pa\u2066id"}, "a character that cannot be seen (U+2066)"),
        ("orders", "", {"synonyms": "\n".join(f"word{n}" for n in range(51))}, "At most 50 other words can be given here; these are 51."),
        ("orders", "amount", {"synonyms": "\n".join(f"word{n}" for n in range(200))}, "At most 50 other words can be given here; these are 200."),
    ],
)  # fmt: skip
def test_a_bad_correction_is_refused_in_plain_words_and_nothing_is_kept(
    small, as_alice, table, column, typed, says
):
    answered = form(as_alice, small, table, column, **typed)
    assert answered.status_code == 422
    assert says in unescape(answered.content.decode())
    assert not StoredCorrection.objects.exists()


def words_looked_at(monkeypatch) -> list[object]:
    """Each time the names of a model are looked through from now on."""
    looked: list[object] = []

    class Counted(correction_services.Refusing):
        def __init__(self, *models) -> None:
            looked.append(models)
            super().__init__(*models)

    monkeypatch.setattr(correction_services, "Refusing", Counted)
    return looked


@pytest.mark.parametrize("column", ["", "amount"])
def test_fifty_words_are_kept_and_the_names_are_looked_through_once(small, as_alice, monkeypatch, column):
    looked = words_looked_at(monkeypatch)
    words = [f"word{n}" for n in range(50)]
    assert form(as_alice, small, "orders", column, synonyms="\n".join(words)).status_code == 302
    assert len(looked) == 1
    kept = StoredCorrection.objects.filter(taken_back_at=None).values_list("value", flat=True)
    assert sorted(kept) == sorted(words)
    more = form(as_alice, small, "orders", column, synonyms="\n".join((*words[:49], "customer", "other")))
    assert more.status_code == 422
    assert StoredCorrection.objects.filter(taken_back_at=None).count() == 50


def test_one_word_too_many_of_those_that_are_there_already_can_be_taken_away(small, alice, as_alice):
    """Words that were given before there was a limit stay until they are changed, and can be made fewer."""
    StoredCorrection.objects.bulk_create(
        StoredCorrection(source=small, subject="synonym", table="orders", value=f"word{n}", made_by=alice)
        for n in range(60)
    )
    fewer = "\n".join(f"word{n}" for n in range(55))
    assert form(as_alice, small, "orders", synonyms=fewer).status_code == 302
    assert StoredCorrection.objects.filter(taken_back_at=None).count() == 55
    assert form(as_alice, small, "orders", synonyms=f"{fewer}\nother").status_code == 422


def test_a_name_that_is_too_long_to_be_kept_is_refused(small, as_alice, file):
    long = "c" * 401
    change(small, file, f'ALTER TABLE orders ADD COLUMN "{long}" NUMERIC')
    refused = form(as_alice, small, "orders", long, name="", synonyms="price")
    assert refused.status_code == 422
    assert "longer than 400 characters, so nothing can be said of it" in refused.content.decode()
    change(small, file, f'ALTER TABLE orders ADD COLUMN "{long[:400]}" NUMERIC')
    assert form(as_alice, small, "orders", long[:400], name="", synonyms="price").status_code == 302


def test_a_stored_value_that_is_too_long_to_be_kept_gets_no_label(small, alice):
    wanted = [Correction(Subject.LABEL, "orders", "status", "A" * 401, "paid")]
    with pytest.raises(correction_services.CorrectionRefused, match="longer than 400 characters"):
        correction_services.corrections_set(
            small,
            source_model(small),
            wanted,
            alice,
            table="orders",
            column="status",
            subjects=[Subject.LABEL],
        )
    assert not StoredCorrection.objects.exists()


def test_names_too_long_for_an_index_are_refused(small, as_alice, file):
    """Each is short enough in characters; an index of the store counts bytes."""
    table, column = "t" + "\U00010330" * 399, "c" + "\U00010330" * 399
    change(small, file, f'CREATE TABLE "{table}" (id INTEGER PRIMARY KEY, "{column}" NUMERIC)')
    refused = form(as_alice, small, table, column, name="", synonyms="price")
    assert refused.status_code == 422
    assert "longer than 2,500 bytes together" in refused.content.decode()


def test_the_same_said_twice_is_one_correction_and_who_said_it_first_stays(
    small, team, admin, as_alice, as_admin
):
    form(as_alice, small, "orders", synonyms="purchase")
    team.members.add(admin)
    form(as_admin, small, "orders", synonyms="purchase\npurchase\ndeal")
    made = StoredCorrection.objects.filter(taken_back_at=None).values_list("value", "made_by__username")
    assert sorted(made) == [("deal", admin.username), ("purchase", "alice")]


# ---------------------------------------------------------------- days


def test_days_are_counted_as_was_decided_and_the_answer_says_which_today(
    transactional_db, small, alice, as_alice
):
    typed = {"zone": "Asia/Tokyo", "week": "sunday", "year": "4", "year_name": "ends", "today": "data"}
    assert as_alice.post(at(small, "model_calendar"), typed).status_code == 302
    said = page(as_alice, small)
    for words in ("Asia/Tokyo", "Sunday", "April", "it ends in", "the last day with data"):
        assert words in said, words
    run = asked(small, alice, "revenue in fiscal year 2026")
    assert "'2025-04-01'" in sql_of(run) and "'2026-04-01'" in sql_of(run)
    run = asked(small, alice, "orders this week")
    newest = json.loads(model("small", "--json"))["newest"]
    assert any(f"Today is taken as {newest}, the last day with data." in note for note in run.notes)
    assert (
        as_alice.post(
            at(small, "model_calendar"), {"week": "monday", "year": "1", "year_name": "ends"}
        ).status_code
        == 302
    )
    assert not StoredCorrection.objects.filter(taken_back_at=None).exists()
    wrong = as_alice.post(at(small, "model_calendar"), {"zone": "Mars/Base", "week": "friday"})
    assert wrong.status_code == 422


# ---------------------------------------------------------------- the shell


def model(*arguments: str) -> str:
    out = StringIO()
    call_command("model", *arguments, stdout=out)
    return out.getvalue()


def test_the_shell_marks_what_was_corrected(small, as_alice):
    form(as_alice, small, "customers", synonyms="patron")
    plain = json.loads(model("small", "--json"))
    assert [(one["subject"], one["table"], one["value"]) for one in plain["corrected"]] == [
        ("synonym", "customers", "patron")
    ]
    assert "customers is also called “patron”" in model("small")


def test_a_description_stands_where_the_catalog_is_read_and_a_language_model_is_told_it(
    small, as_alice, as_bob
):
    assert (
        form(as_alice, small, "orders", description="One row a sale; tests are left out.").status_code == 302
    )
    assert (
        form(as_alice, small, "orders", "status", description="A settled, X lost, D due").status_code == 302
    )
    shown = unescape(as_bob.get(reverse("sources:source", args=[small.pk])).content.decode())
    assert "One row a sale" in shown and "A settled, X lost, D due" in shown
    found = unescape(as_bob.get(reverse("sources:source", args=[small.pk]) + "?q=settled").content.decode())
    assert "1 of 2 tables" in found
    known, _ = usable(source_catalog(small), None)
    orders = known.table("orders")
    assert orders.comment == "One row a sale; tests are left out."
    assert orders.column("status").comment == "A settled, X lost, D due"
    # An unchanged field is no correction, and an emptied field takes it back.
    assert form(as_alice, small, "orders", description="").status_code == 302
    assert "One row a sale" not in as_bob.get(reverse("sources:source", args=[small.pk])).content.decode()


def test_a_table_of_prices_says_what_holds_between_which_days():
    bath = places.place(BATH)
    model = bath[1].model
    seen = SeenModel(bath[0].catalog(), model, model, (), bath[1].vocabulary.index)

    def told(table):
        found = table_told(seen, table, may_see_values=True)
        return found.kind, found.between

    assert told("lesson_prices") == (
        "how things changed: price of lessons, as of a day", "starts_on and ends_on, that day included"
    )  # fmt: skip
    assert told("card_fees")[1] == "valid_from and valid_until, that day not included"
    assert told("cabin_rates")[1] == "effective_from and the next row's"
