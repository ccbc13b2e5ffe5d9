"""The schedule as people type it: which fields count, where errors stand, what the next runs will be."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirror.reports.editing.schedule_forms import ScheduleForm, runs_preview
from mirror.reports.models import Report
from mirror.reports.schedule.times import DAYS, FIELDS, KINDS, NTH, Schedule

OSLO = "Europe/Oslo"
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)

ONE_OF_EACH = [
    Schedule("hourly", OSLO, every=4, minute=15),
    Schedule("daily", OSLO, time=time(8)),
    Schedule("weekdays", "Asia/Kathmandu", time=time(0)),
    Schedule("weekly", OSLO, time=time(8, 5), days=("mon", "thu")),
    Schedule("monthly", OSLO, time=time(8), day=31, starts_on=date(2026, 12, 1)),
    Schedule("last_day", OSLO, time=time(23, 59)),
    Schedule("nth_weekday", OSLO, time=time(8), nth="last", days=("fri",)),
    Schedule(
        "yearly", OSLO, time=time(8), month=2, day=29, starts_on=date(2027, 1, 1), ends_on=date(2030, 1, 1)
    ),
    Schedule("cron", OSLO, cron="0 8 * * 1-5"),
]


def posted(form: ScheduleForm) -> dict:
    """Fields that a browser sends for an unchanged form."""
    return {name: form[name].value() for name in form.fields if form[name].value() is not None}


def test_there_is_one_of_each_kind():
    assert [schedule.kind for schedule in ONE_OF_EACH] == list(KINDS)


@pytest.mark.parametrize("schedule", ONE_OF_EACH, ids=lambda schedule: schedule.kind)
def test_a_schedule_shown_and_sent_back_is_the_same(schedule):
    shown = ScheduleForm(initial=schedule.to_json())
    assert shown.schedule == schedule
    form = ScheduleForm(posted(shown))
    assert form.is_valid(), form.errors
    assert form.cleaned_schedule == form.schedule == schedule
    # And as the page has it.
    page = str(shown)
    assert f'value="{schedule.zone}"' in page
    assert f'<option value="{schedule.kind}" selected>' in page


def test_a_reports_schedule_comes_back_with_what_it_does_about_missed_runs():
    report = Report(schedule=ONE_OF_EACH[3].to_json(), zone=OSLO, missed=Report.Missed.ALL)
    form = ScheduleForm(posted(ScheduleForm.of_report(report)))
    assert form.is_valid(), form.errors
    assert (form.cleaned_schedule, form.cleaned_data["missed"]) == (ONE_OF_EACH[3], "all")
    by_hand = ScheduleForm(posted(ScheduleForm.of_report(Report(zone="Asia/Tehran"))))
    assert by_hand.is_valid(), by_hand.errors
    assert (by_hand.cleaned_schedule, by_hand.cleaned_data["zone"], runs_preview(by_hand)) == (
        None,
        "Asia/Tehran",
        [],
    )


def test_a_new_form_is_one_that_can_be_sent_as_it_is(settings):
    settings.TIME_ZONE = "America/New_York"
    form = ScheduleForm(posted(ScheduleForm()))
    assert form.is_valid(), form.errors
    assert form.cleaned_schedule.words() == "Every weekday at 08:00 (America/New_York)"


@pytest.mark.parametrize("kind", KINDS)
def test_fields_of_other_kinds_are_ignored_and_shown_again(kind):
    wrong = {"every": "many", "minute": "99", "days": ["someday"], "day": "32", "nth": "ninth", "month": "13"}
    wrong |= {"time": "25:00", "cron": "never"}
    right = {"every": "2", "minute": "5", "days": ["tue"], "day": "3", "nth": "third", "month": "4"}
    right |= {"time": "09:30", "cron": "5 9 * * *"}
    typed = {"kind": kind, "zone": OSLO, **wrong} | {name: right[name] for name in FIELDS[kind]}
    form = ScheduleForm(typed)
    assert form.is_valid(), form.errors
    assert form.cleaned_schedule.kind == kind
    unused = next(name for name in wrong if name not in FIELDS[kind])
    assert form[unused].value() == wrong[unused]
    # Fields that count are refused, all at once.
    refused = ScheduleForm({"kind": kind, "zone": OSLO, **wrong})
    assert not refused.is_valid()
    assert set(refused.errors) == set(FIELDS[kind])
    assert runs_preview(refused) == []


@pytest.mark.parametrize(
    ("typed", "field", "why"),
    [
        ({"kind": "yearly", "month": "2", "day": "31"}, "day", "31 February never comes"),
        ({"kind": "cron", "cron": "* * */20 * 1L"}, "cron", "never fires"),
        ({"kind": "weekly", "days": []}, "days", "at least one day"),
        ({"kind": "daily", "time": ""}, "time", "needs a time of day"),
        ({"kind": "daily", "time": "8 o'clock"}, "time", "as 08:00"),
        ({"kind": "hourly", "every": "", "minute": "0"}, "every", "1 to 23"),
        ({"kind": "daily", "zone": "Europe/Olso"}, "zone", "Did you mean Europe/Oslo"),
        ({"kind": "daily", "zone": ""}, "zone", "Choose a time zone"),
        ({"kind": "", "zone": "Oz"}, "zone", "no time zone"),
        ({"kind": "daily", "starts_on": "tomorrow"}, "starts_on", "as 2026-02-28"),
        (
            {"kind": "daily", "starts_on": "2027-02-01", "ends_on": "2027-01-01"},
            "ends_on",
            "before it starts",
        ),
        ({"kind": "daily", "missed": "perhaps"}, "missed", "not one of the available choices"),
        ({"kind": "sometimes"}, "kind", "not one of the available choices"),
    ],
)
def test_errors_stand_beside_their_field(typed, field, why):
    form = ScheduleForm({"time": "08:00", "zone": OSLO, **typed})
    assert not form.is_valid()
    assert list(form.errors) == [field]
    assert why in form.errors[field][0]


def test_the_preview_shows_local_times_with_the_zones_abbreviation_across_a_change():
    form = ScheduleForm({"kind": "weekly", "days": ["sun"], "time": "02:30", "zone": OSLO})
    shown = runs_preview(form, datetime(2026, 3, 21, tzinfo=UTC), count=3)
    assert shown == [
        (datetime(2026, 3, 22, 1, 30, tzinfo=UTC), "Sunday 22 March 2026, 02:30 CET"),
        (datetime(2026, 3, 29, 1, 30, tzinfo=UTC), "Sunday 29 March 2026, 03:30 CEST"),
        (datetime(2026, 4, 5, 0, 30, tzinfo=UTC), "Sunday 5 April 2026, 02:30 CEST"),
    ]


def test_the_preview_of_what_has_ended_is_empty():
    form = ScheduleForm({"kind": "daily", "time": "08:00", "zone": OSLO, "ends_on": "2026-11-20"})
    assert form.is_valid()
    assert runs_preview(form, NOW) == []


def test_zones_are_offered_and_what_a_zone_field_holds_is_never_trusted():
    page = str(ScheduleForm())
    assert '<option value="America/Sao_Paulo">America/Sao Paulo</option>' in page
    form = ScheduleForm({"kind": "daily", "time": "08:00", "zone": "<script>"})
    assert "<script>" not in str(form)
    assert form.zone_name == "UTC"


def test_each_detail_says_which_kinds_it_is_for():
    kinds = {field.name: set(kinds.split()) for field, kinds in ScheduleForm().details}
    assert kinds["days"] == {"weekly", "nth_weekday"}
    assert {kind for all_of_it in kinds.values() for kind in all_of_it} == set(KINDS)


texts = st.text(max_size=12)


@given(
    st.fixed_dictionaries(
        {"kind": st.sampled_from(["", *KINDS])},
        optional={
            "days": st.lists(st.sampled_from([*DAYS, "x"]), max_size=3),
            "nth": st.sampled_from([*NTH, "x"]),
            **dict.fromkeys(("every", "minute", "month", "day"), st.integers(-1, 70).map(str) | texts),
            **dict.fromkeys(("time", "cron", "zone", "starts_on", "ends_on", "missed"), texts),
        },
    )
)
def test_whatever_is_sent_gives_a_schedule_or_an_error(typed):
    form = ScheduleForm({"zone": OSLO, **typed})
    if form.is_valid():
        assert (form.cleaned_schedule is None) == (typed["kind"] == "")
        assert runs_preview(form, NOW) or form.cleaned_schedule is None or form.cleaned_schedule.ends_on
    else:
        assert runs_preview(form, NOW) == []
