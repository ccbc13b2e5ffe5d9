"""Answers in German: what `sqlagent` says is made anew of its parts, in the language of who reads it."""

from __future__ import annotations

import json
import re
from contextlib import closing
from datetime import date
from decimal import Decimal
from types import SimpleNamespace

import pytest
from django.urls import reverse
from django.utils.translation import override

from mirror import confined
from mirror.asking.kept_steps import failure_json
from mirror.asking.pages.words import noted
from mirror.knowledge.evaluation_pages import EvaluationPage, families_of
from mirror.knowledge.improving_telling import state_of
from mirror.knowledge.models import Evaluation, Improvement
from mirror.queries.running import NotRun, Values, source_opened, sql_ready
from mirror.reports.editing.forms import ReportForm
from mirror.reports.models import Report
from mirror.sources import confined_reads
from mirror.stored_words import failure_said, said_again, said_now, sayings
from mirror.tunnel_words import TUNNEL_WORDS
from mirror.work.leases import Status
from sqlagent.adapters import open_database
from sqlagent.errors import Unreachable
from sqlagent.guard import check
from sqlagent.guard.lists import REASONS, reasons
from sqlagent.journey.phrases import quoted
from sqlagent.language.saying import ENGLISH, Saying, day_in_words, number, said, worded
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.telling import period, read_as
from sqlagent.method.execution import failure_of
from sqlagent.method.ranking import SAYS_NOTHING
from sqlagent.sql.differences import differences
from sqlagent.telling.charting.captions import named_some
from sqlagent.telling.readings import difference
from sqlagent.telling.summarizing import changed_since, summarize
from sqlagent.telling.summarizing.contributing import split_of, whole_of
from sqlagent.telling.summarizing.contribution_words import sentence_of
from sqlagent.values import Catalog, Column, Limits, Rows, SshServer, Table

TWO_YEARS = ((2025, "web", 100), (2025, "store", 60), (2026, "web", 118), (2026, "store", 54))
MONTHS = ((date(2026, 1, 1), 100.5), (date(2026, 2, 1), 300), (date(2026, 4, 1), 118))
SENTENCES = [
    (("country", "net_revenue"), (("Norway", Decimal("1778237.4")), ("Chile", 300000)), "Net revenue: am höchsten bei Norway, 1,78 Mio., 86 % der Summe; es folgt Chile mit 300.000."),
    (("count(*)",), ((1234,),), "Count: 1.234."),
    (("orders",), ((1,),), "Orders: 1."),
    (("city", "orders"), (("Oslo", 5), ("Rome", 5), ("Bergen", 2)), "Orders: am höchsten bei Oslo und Rome, je 5."),
    (("month", "revenue"), MONTHS, "Revenue: gestiegen von 100,5 (Jan. 2026) auf 118 (April 2026), plus 17 %; Höchstwert 300 (Feb. 2026)."),
    (("year", "channel", "revenue"), TWO_YEARS, "Revenue nach Channel: web: gestiegen von 100 (2025) auf 118 (2026), plus 18 %; store fiel von 60 auf 54, minus 10 %."),
    (("name",), (("May",), ("Ann",), ("No",), ("Cy",)), "4 Zeilen, am Anfang May, Ann und No."),
    (("name",), (("May",),), "Name: May."),
    (("name", "total"), (), "Keine Zeilen: Nichts erfüllt diese Bedingungen."),
    (("return_rate",), ((None,),), "Es gibt keinen Wert: Die einzige Zeile ist leer (NULL)."),
    (("total",), ((Decimal(2500000),),), "Total: 2,5 Mio."),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "rows", "german"), SENTENCES)
def test_an_answer_is_german_with_names_and_values_as_they_stand(columns, rows, german):
    told = summarize("", Rows(columns, rows))
    kept = json.loads(json.dumps(sayings(sentence=told)))
    assert said(kept["sentence"], ENGLISH) == told
    with override("de"):
        assert said_again(str(told), kept, "sentence") == german
    with override("en"):
        assert said_again(str(told), kept, "sentence") == str(told)


def test_a_text_that_was_changed_since_is_not_told_by_its_old_parts():
    kept = sayings(sentence=worded("No rows."))
    with override("de"):
        assert said_again("Three rows of yesterday.", kept, "sentence") == "Three rows of yesterday."
        assert said_again("No rows.", {}, "sentence") == "Keine Zeilen."


def test_a_change_and_what_it_is_made_of_are_german():
    rows = Rows(("country", "before", "now"), (("Norway", 50, 41), ("Sweden", 1000, 997)))
    split = split_of("country", 1, rows, [1050, 1038])
    may, june = (period(Period(date(2026, month, 1), date(2026, month + 1, 1), "month")) for month in (5, 6))
    told = sentence_of("revenue", may, june, whole_of([1050, 1038]), [split])
    assert told == "Revenue fell by 12 (1.1 %) from May to June 2026; Norway alone fell by 9."
    since = changed_since(
        "revenue", 698423, 720523.17, worded("on {day}", day=day_in_words(date(2026, 11, 2)))
    )
    with override("de"):
        german = "Revenue: von Mai bis Juni 2026 gefallen um 12 (1,1 %); Norway allein ist um 9 gefallen."
        assert said_now(told) == german
        assert said_now(since) == "plus 3,2 % gegenüber 698.423 am 2. November 2026"


@pytest.mark.parametrize(
    ("sql", "german"),
    [
        ("DELETE FROM orders", "DELETE löscht Zeilen. Hier laufen nur Anweisungen, die lesen."),
        ("SELECT totl FROM orders", "Es gibt keine Spalte totl. Keine Tabelle in Reichweite hat eine Spalte totl."),
        ("SELECT 1; SELECT 2", "Es sind 2 Anweisungen. Es läuft immer nur eine Anweisung."),
        ("SELECT load_extension('x')", "Die Funktion load_extension darf nicht aufgerufen werden. Sie lädt Code oder führt ihn aus."),
        ("SELECT total FROM orders WHERE", "Das SQL kann nicht gelesen werden: hier fehlt etwas. Was nicht sicher gelesen werden kann, läuft nicht."),
        ("SELECT total FROM", "Das SQL kann nicht gelesen werden: ein Tabellenname wird erwartet. Was nicht sicher gelesen werden kann, läuft nicht."),
    ],
)  # fmt: skip
def test_a_refusal_is_german_and_names_what_was_typed(sql, german):
    refused = check(sql, Catalog("sqlite", (Table("orders", (Column("total"),)),)))
    kept = json.loads(json.dumps(failure_json(failure_of(refused))))
    with override("de"):
        assert failure_said(kept, "message") == german
        assert failure_said(kept, "advice") != kept["advice"]
    assert failure_said(kept, "message") == kept["message"]


def test_a_tunnel_that_fails_on_a_thread_is_german():
    """Adapters know no words; their sentences are told apart where a failure is read."""
    way = SshServer("127.0.0.1", 1, "tunnel", password="x", fingerprint="SHA256:" + "a" * 43)
    where = {"host": "db", "port": 5432, "database": "erp", "user": "u", "password": "x"}
    with (
        closing(open_database("postgres", **where, ssh=way)) as database,
        pytest.raises(Unreachable) as caught,
    ):
        database.execute("SELECT 1", Limits())
    kept = json.loads(json.dumps(failure_json(caught.value.failure)))
    assert kept["message"] == "Nothing answers at the SSH server 127.0.0.1:1."
    with override("de"):
        assert failure_said(kept, "message") == "Beim SSH-Server 127.0.0.1:1 antwortet nichts."
        assert failure_said(kept, "advice").startswith("Prüfen Sie")


@pytest.mark.parametrize("sentence", TUNNEL_WORDS)
def test_each_sentence_of_a_tunnel_is_in_the_catalogs(sentence):
    filled = re.sub(r"{(\w+)}", "42", sentence)
    with override("de"):
        assert failure_said({"message": filled}, "message") not in (filled, "")


def test_a_read_that_was_ended_says_why_in_german(shop, monkeypatch):
    """Its reason was English on German pages."""
    ended = confined.Unfinished(
        confined.Why.MEMORY,
        worded("It took more than {megabytes} MB of memory and was ended.", megabytes=number("1,000")),
    )

    def end(*_, **__):
        raise ended

    monkeypatch.setattr(confined, "run", end)
    with pytest.raises(Unreachable) as caught:
        confined_reads._asked("catalog", {}, confined.Bounds(1, 1, 1))
    kept = json.loads(json.dumps(failure_json(caught.value.failure)))
    assert (
        kept["message"]
        == "The database was not read to its end. It took more than 1,000 MB of memory and was ended."
    )
    with override("de"):
        german = failure_said(kept, "message")
        assert "1.000 MB" in german and "The database" not in german and "It took" not in german


def test_sql_that_is_typed_on_a_page_is_refused_in_german(shop):
    with source_opened(shop) as opened:
        found = sql_ready(opened, "SELECT totl FROM nothing", Values())
    assert isinstance(found, NotRun)
    kept = json.loads(json.dumps(failure_json(found.failure)))
    with override("de"):
        assert failure_said(kept, "message").startswith("Es gibt keine Tabelle nothing.")


def test_what_words_were_read_as_is_german_with_its_quotes():
    note = read_as("profit", worded("{name} less {less}", name="amount", less="cost"))
    assert noted(note) == "“profit” → amount less cost"
    with override("de"):
        assert noted(said_now(note)) == "„profit“ → amount abzüglich cost"


def test_every_reason_of_a_function_is_in_the_catalogs():
    assert set(REASONS) == set(reasons().values())


def test_what_is_left_out_and_what_weighs_less_are_german():
    with override("de"):
        assert said_now(named_some(tuple("abcdefg"))) == "a, b, c, d und 3 weitere"
        assert {said_now(worded(words)) for words in SAYS_NOTHING.values()} == {
            "leer",
            "durchgehend leer (NULL)",
        }
        assert said_now(quoted(["big spender", "north"])) == "„big spender“, „north“"


def test_texts_in_places_are_never_looked_up():
    told = worded("{name}: {value}.", name="May", value=number("1,000.5"))
    assert isinstance(told, Saying)
    with override("de"):
        assert said_now(told) == "May: 1.000,5."
        assert said_now(worded("{month} {year}", month=worded("May"), year="2026")) == "Mai 2026"


def test_the_number_of_an_alert_is_read_and_shown_as_the_reader_writes_it():
    typed = {"condition": "threshold", "alert_column": "revenue", "alert_value": "1.000,5"}
    with override("de"):
        form = ReportForm(typed)
        form.is_valid()
        assert form.cleaned_data["alert_value"] == "1000.5"
        shown = ReportForm.initial_of(Report(threshold={"value": "1.125"}))
        assert shown["alert_value"] == "1,125"
    assert ReportForm.initial_of(Report(threshold={"value": "1.125"}))["alert_value"] == "1.125"


@pytest.mark.parametrize(
    ("sql", "other", "german"),
    [
        ("SELECT region, SUM(total) FROM orders", "SELECT region FROM orders", "zeigt auch die Summe von orders.total"),
        ("SELECT AVG(total) FROM orders", "SELECT SUM(total) FROM orders", "mittelt orders.total statt der Summe"),
        ("SELECT total FROM orders WHERE region = 'a'", "SELECT total FROM orders", "verlangt auch orders.region = 'a'"),
    ],
)  # fmt: skip
def test_how_a_reading_and_a_statement_differ_is_german(sql, other, german):
    shop = Catalog("sqlite", (Table("orders", (Column("total"), Column("region"))),))
    with override("de"):
        assert said_now(difference(sql, other, shop)) == german
        where = [
            said_now(one) for one in differences(other, "SELECT total FROM orders WHERE total > 1", shop)
        ]
        assert where[-1] == "Bedingung: nichts statt orders.total > 1"


def test_why_improving_ended_and_measures_of_an_evaluation_are_german():
    summary = {"makers": [["analyst", 2, 3]], "calibration": 0.32, "families": [["by group", 1, 1], ["the first few", 0, 1]]}  # fmt: skip
    ended = Improvement(status=Status.DONE, why="Its budget of 2,000 answers is used.")
    with override("de"):
        assert state_of(ended) == "Das Budget von 2.000 Antworten ist verbraucht."
        assert families_of(Evaluation(summary=summary)) == [
            ("Nach Gruppe", "1 von 1, 100 %"),
            ("Die ersten", "0 von 1, 0 %"),
        ]
        page = EvaluationPage.measured.fget(SimpleNamespace(row=Evaluation(summary=summary)))
        assert page == [("Vom Analysten", "2 von 3, 67 % richtig"), ("Kalibrierungsfehler", "0,32")]


def test_the_ask_page_says_in_german_that_questions_are_english(shop, as_alice):
    said = "Fragen werden nur auf Englisch verstanden."
    page = reverse("asking:ask")
    assert said in as_alice.get(page, headers={"accept-language": "de"}).content.decode()
    assert 'id="ask-language"' not in as_alice.get(page).content.decode()
