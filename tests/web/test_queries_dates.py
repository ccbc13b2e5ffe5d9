"""Dates in words: month ends, leap years, quarters and years; where saved SQL takes them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
import time_machine
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from mirror.library import services
from mirror.library.forms import ArgumentsForm
from mirror.queries.dates import UNITS, WORDS, date_read, dates_offered
from mirror.queries.parameters import ParameterError, sql_bind, value_read

DAY = {"name": "day", "kind": "date", "default": "start of last month", "label": "Day"}
LEAP = "2028-02-29"


@pytest.mark.parametrize(
    ("today", "words", "meant"),
    [
        ("2026-11-20", "today", "2026-11-20"),
        ("2027-01-01", "yesterday", "2026-12-31"),
        ("2026-12-31", " Tomorrow ", "2027-01-01"),
        ("2028-03-01", "1 day ago", LEAP),
        ("2027-03-31", "a month ago", "2027-02-28"),
        ("2028-03-31", "1 month ago", LEAP),
        (LEAP, "1 year ago", "2027-02-28"),
        (LEAP, "in 4 years", "2032-02-29"),
        ("2026-11-30", "in 1 quarter", "2027-02-28"),
        ("2026-11-20", "in 2 weeks", "2026-12-04"),
        ("2026-11-20", "0 days ago", "2026-11-20"),
        # A Friday, a Monday, a Sunday.
        ("2026-11-20", "start of this week", "2026-11-16"),
        ("2026-11-16", "start of this week", "2026-11-16"),
        ("2026-11-22", "end of this week", "2026-11-22"),
        ("2027-01-01", "start of last week", "2026-12-21"),
        ("2028-03-15", "END  of last month", LEAP),
        ("2027-01-31", "start of last month", "2026-12-01"),
        ("2026-12-31", "end of next month", "2027-01-31"),
        ("2026-03-31", "end of this quarter", "2026-03-31"),
        ("2026-04-01", "start of this quarter", "2026-04-01"),
        ("2026-01-10", "start of last quarter", "2025-10-01"),
        ("2026-01-10", "end of last quarter", "2025-12-31"),
        ("2026-11-20", "start of next quarter", "2027-01-01"),
        ("2026-11-20", "start of this year", "2026-01-01"),
        ("2026-11-20", "end of last year", "2025-12-31"),
        ("2026-11-20", "first day of previous month", "2026-10-01"),
        ("2026-11-20", "end of month", "2026-11-30"),
        ("2026-11-20", LEAP, LEAP),
    ],
)
def test_words_are_read_as_of_a_day(today, words, meant):
    assert date_read(words, date.fromisoformat(today)).isoformat() == meant


dates = st.dates(date(1900, 1, 1), date(2200, 1, 1))


@given(dates)
def test_every_word_offered_can_be_read_and_a_start_is_never_after_its_end(today):
    offered = dict(dates_offered(today))
    assert list(offered) == list(WORDS)
    for unit in UNITS:
        edges = [
            date.fromisoformat(offered[f"{edge} of {which} {unit}"])
            for which in ("last", "this", "next")
            for edge in ("start", "end")
        ]
        assert edges == sorted(edges)
        assert edges[2] <= today <= edges[3]
        # One follows the other without a day between: a half-open range ends with the next start.
        assert edges[1] + timedelta(days=1) == edges[2]
        assert edges[3] + timedelta(days=1) == edges[4]


@given(dates, st.integers(0, 2_000), st.sampled_from(["day", *UNITS]))
def test_so_many_ago_is_before_and_in_so_many_is_after(today, number, unit):
    try:
        ago, ahead = date_read(f"{number} {unit}s ago", today), date_read(f"in {number} {unit}s", today)
    except ValueError as error:
        assert "further away than dates reach" in str(error)
    else:
        assert ago <= today <= ahead
        assert (ago < today < ahead) == bool(number)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("start of lst month", "Did you mean start of last month, .+ or .+[?]"),
        ("7 day", "Did you mean 7 days ago"),
        ("in 3 days ago", "Did you mean 30 days ago, in 3 days or 7 days ago[?]"),
        ("yesterdy", "Did you mean yesterday"),
        ("28.2.2026", "is not a date like 2026-02-28. Words such as today"),
        ("2026-02-30", "is not a date like"),
        ("", "is not a date like"),
        ("9999 years ago", "further away"),
        ("2026-02-28; DROP TABLE t", "is not a date like"),
    ],
)
def test_what_is_no_date_is_refused_with_the_nearest_words(words, why):
    with pytest.raises(ValueError, match=why):
        date_read(words, date(2026, 11, 20))


# ---------------------------------------------------------------- in saved SQL


def test_a_bound_date_is_that_of_the_day_given_and_else_of_today_on_the_server(settings):
    def bound(arguments: dict, **given) -> str:
        return sql_bind("SELECT :day", [DAY], arguments, "postgres", **given)

    assert bound({}, today=date(2026, 1, 15)) == "SELECT CAST('2025-12-01' AS DATE)"
    assert bound({"day": "end of last month"}, today=date(2028, 3, 1)) == f"SELECT CAST('{LEAP}' AS DATE)"
    with time_machine.travel(datetime.fromisoformat("2026-11-30T23:30+00:00"), tick=False):
        assert bound({"day": "today"}) == "SELECT CAST('2026-11-30' AS DATE)"
        settings.TIME_ZONE = "Europe/Oslo"
        assert bound({"day": "today"}) == "SELECT CAST('2026-12-01' AS DATE)"
    with pytest.raises(ParameterError, match="Day: “someday” is not a date"):
        bound({"day": "someday"})
    assert value_read({"name": "a", "kind": "text"}, "today") == "today"


def test_saved_sql_keeps_words_as_a_default_and_refuses_others(as_alice, alice, shop):
    saved = services.sql_save(alice, shop, "Since", "SELECT :day", parameters=[DAY])
    address = reverse("library:edit", args=[saved.pk])
    page = as_alice.get(address).content.decode()
    assert 'list="id_form-0-default_offered"' in page
    typed = {"name": "Since", "sql": "SELECT :day", "form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "0"}
    kept = {f"form-0-{key}": value for key, value in DAY.items()}
    assert as_alice.post(address, {**typed, **kept, "form-0-default": "7 days ago"}).status_code == 302
    saved.refresh_from_db()
    assert saved.parameters[0]["default"] == "7 days ago"
    refused = as_alice.post(address, {**typed, **kept, "form-0-default": "end of lst month"})
    assert refused.status_code == 422
    assert "Did you mean end of last month" in refused.content.decode()


def test_the_run_form_offers_words_with_their_dates_and_gives_them_on_as_typed(alice, shop):
    saved = services.sql_save(alice, shop, "Since", "SELECT :day", parameters=[DAY])
    with time_machine.travel("2026-11-20T12:00+00:00", tick=False):
        page = str(ArgumentsForm(saved=saved))
    assert '<option value="start of last month">2026-10-01</option>' in page
    assert 'value="start of last month"' in page
    assert "from start of last month to end of last month" in page
    form = ArgumentsForm({"argument-day": " end of last month "}, saved=saved)
    assert form.is_valid(), form.errors
    assert form.arguments() == {"day": "end of last month"}
    wrong = ArgumentsForm({"argument-day": "<b>someday"}, saved=saved)
    assert "is not a date like" in str(wrong.errors)
    assert "<b>" not in str(wrong.errors)


def test_a_run_keeps_the_days_its_words_meant(as_alice, alice, shop):
    from mirror.asking.models import Version

    since = {"name": "since", "kind": "date", "default": "7 days ago", "label": ""}
    saved = services.sql_save(alice, shop, "Days", "SELECT :day, :since", parameters=[DAY, since])
    with time_machine.travel("2026-11-20T12:00+00:00", tick=False):
        as_alice.post(reverse("asking:run_saved", args=[saved.pk]), {"argument-day": "end of this year"})
    assert Version.objects.get().arguments == {"day": "2026-12-31", "since": "2026-11-13"}
