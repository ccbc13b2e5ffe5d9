"""The list of reports, the page of one, and its buttons."""

from __future__ import annotations

from datetime import UTC, datetime

import time_machine
from django.urls import reverse
from django.utils import timezone

from mirror.reports.models import Channel, Delivery, Report
from tests.reports.looking import ended, said, url
from tests.reports.working import save_report, save_sql

# ---------------------------------------------------------------- the list


def test_an_empty_list_says_what_a_report_is_and_what_to_do_first(as_alice, as_charlie, saved) -> None:
    stranger, owner = said(as_charlie.get(url("list"))), said(as_alice.get(url("list")))
    assert "Save SQL first" in stranger
    assert "Ask a question" in stranger
    assert "Make a report" in owner


def test_the_list_tells_what_is_sent_when_to_whom_and_how_the_last_run_went(
    as_alice, alice, saved, mail
) -> None:
    with time_machine.travel(datetime(2026, 11, 20, 4, tzinfo=UTC), tick=False):
        report = save_report(alice, saved, to=["a@example.com", "b@example.com"])
        run = ended(report)
        Delivery.objects.create(
            run=run, kind="mail", about="report", to="a@example.com", status="done", state="sent"
        )
        Delivery.objects.create(
            run=run, kind="mail", about="report", to="b@example.com", status="done", state="given_up"
        )
        page = said(as_alice.get(url("list")))
    assert "Weekly customers Customers by country → 2 people" in page
    assert "Every day at 08:00 (Europe/Oslo)" in page
    assert "Next Fri 20 Nov, 08:00, in 3 hours" in page
    assert "Partly sent Fri 20 Nov, 05:00" in page
    assert "Weekly customers" in said(as_alice.get(url("list"), {"q": "B@Example"}))


def test_reports_that_a_change_breaks_come_first_with_the_reason_and_the_way_to_mend_it(
    as_alice, alice, saved
) -> None:
    fine = save_report(alice, save_sql(alice, saved.source, name="Sound"), title="A sound one")
    save_report(alice, saved, title="Z breaks")
    saved.problem = "There is no column “country” in customers."
    saved.save()
    answer = as_alice.get(url("list"))
    page = said(answer)
    assert page.index("Z breaks") < page.index("A sound one")
    assert "1 will fail at the next run" in page
    assert "There is no column “country” in customers." in page
    assert reverse("library:saved", args=[saved.pk]) in answer.content.decode()
    assert "A sound one" not in said(as_alice.get(url("list"), {"q": "breaks country"}))
    assert "Nothing found" in said(as_alice.get(url("list"), {"q": "nowhere"}))
    assert "Nothing found" in said(as_alice.get(url("list"), {"q": "a@example.com"}))
    fine.parts.get().saved.delete()
    assert "2 will fail" in said(as_alice.get(url("list")))


def test_a_paused_and_a_failing_report_say_so_and_why(as_alice, alice, saved) -> None:
    report = save_report(alice, saved)
    Report.objects.update(is_paused=True, paused_why="5 runs in a row failed: no such table.", next_at=None)
    for name, args in (("list", []), ("report", [report.pk])):
        assert "5 runs in a row failed: no such table." in said(as_alice.get(url(name, *args)))
    Report.objects.update(is_paused=False, paused_why="", failures=2)
    ended(report, "failed", reason="The database did not answer.")
    page = said(as_alice.get(url("report", report.pk)))
    assert "Its last 2 runs failed" in page
    assert "After 5 in a row it pauses itself" in page
    assert "The database did not answer." in page


def test_an_alert_is_told_in_words_and_that_it_stands(as_alice, alice, saved) -> None:
    threshold = {"column": "customers", "test": "above", "value": "100", "quiet_hours": 24}
    report = save_report(alice, saved, condition="threshold", threshold=threshold)
    address = url("report", report.pk)
    told = "When customers is above 100 in the first row; told again after 24 hours"
    assert told in said(as_alice.get(address))
    assert "Beyond it now" not in said(as_alice.get(address))
    Report.objects.update(is_alerting=True, alerted_at=timezone.now())
    assert "Beyond it now" in said(as_alice.get(address))
    other = save_sql(alice, saved.source, name="Other")
    both = save_report(
        alice,
        saved,
        condition="threshold",
        threshold={**threshold, "part": 1},
        parts=[(saved, {}), (other, {})],
    )
    assert "When customers of Other is above 100" in said(as_alice.get(url("report", both.pk)))


def test_who_may_not_look_at_the_saved_sql_is_not_led_there(as_alice, as_bob, alice, team, saved) -> None:
    report = save_report(alice, saved)
    report.teams.add(team)
    saved.problem = "There is no column “country”."
    saved.save()
    place = reverse("library:saved", args=[saved.pk])
    for name, args in (("list", []), ("report", [report.pk])):
        pages = [browser.get(url(name, *args)).content.decode() for browser in (as_alice, as_bob)]
        assert ["There is no column “country”." in page for page in pages] == [True, True]
        assert [place in page for page in pages] == [True, False]


def test_reports_that_send_one_saved_sql_are_found_before_it_is_deleted(as_alice, alice, saved) -> None:
    save_report(alice, saved, title="Sends it")
    save_report(alice, save_sql(alice, saved.source, name="Other"), title="Sends another")
    page = said(as_alice.get(url("list"), {"saved": saved.pk}))
    assert "Sends it" in page
    assert "Sends another" not in page
    assert "No report sends it." in said(as_alice.get(url("list"), {"saved": "999999"}))
    delete = as_alice.get(reverse("library:delete", args=[saved.pk])).content.decode()
    assert f"{url('list')}?saved={saved.pk}" in delete


def test_many_reports_take_few_statements(
    as_alice, alice, saved, mail, django_assert_max_num_queries
) -> None:
    for number in range(12):
        ended(save_report(alice, saved, title=f"Report {number}", to=["a@example.com"]))
    with django_assert_max_num_queries(25):
        as_alice.get(url("list"))


# ---------------------------------------------------------------- buttons


def test_each_button_does_what_it_says(as_alice, as_bob, alice, bob, team, saved, mail) -> None:
    report = save_report(alice, saved, to=["a@example.com"])
    channel = report.channels.get()
    Channel.objects.update(refused={"a@example.com": "550 no"})

    def press(name: str, **sent) -> str:
        answer = said(as_alice.post(url(name, report.pk), sent, follow=True))
        report.refresh_from_db()
        return answer

    assert "is paused: nothing runs until you resume it" in press("pause")
    assert (report.is_paused, report.next_at) == (True, None)
    assert "runs on schedule again" in press("resume")
    assert report.next_at is not None
    assert "550 no" in said(as_alice.get(url("report", report.pk)))
    assert "gets the next run again" in press("recipient_allow", channel=channel.pk, address="a@example.com")
    assert Channel.objects.get().refused == {}
    assert "Seen here by Analysts" in press("share", teams=[team.pk])
    assert as_bob.get(url("report", report.pk)).status_code == 200
    assert "There is nobody to hand it to" in said(as_alice.get(url("hand_over", report.pk)))
    saved.teams.add(team)
    assert "Weekly customers is Bob's now." in press("hand_over", owner=bob.pk)
    assert report.owner == bob
    alice.email = "alice@example.com"
    alice.save()
    mine = save_report(alice, saved, title="Mine")
    answer = as_alice.post(url("run_now", mine.pk))
    assert answer["Location"] == url("run", mine.runs.get().pk)
    assert "being made already" in said(as_alice.post(url("run_now", mine.pk), follow=True))
    as_alice.post(url("test", mine.pk))
    assert mine.runs.filter(cause="test").count() == 1
    as_alice.post(url("run_stop", mine.runs.first().pk))
    assert mine.runs.filter(outcome="skipped").count() == 1
    assert "is deleted and sent no more" in said(as_alice.post(url("delete", mine.pk), follow=True))
    assert not Report.objects.filter(title="Mine").exists()


def test_who_deletes_a_source_is_told_which_reports_read_it(
    as_alice, as_charlie, alice, shop, stock, saved
) -> None:
    save_report(alice, saved, title="Of the shop")
    save_report(alice, save_sql(alice, stock, "SELECT 1", "Stock"), title="Of the stock")
    address = f"{url('list')}?source={stock.pk}"
    assert address in as_alice.get(reverse("sources:delete", args=[stock.pk])).content.decode()
    page = said(as_alice.get(address))
    assert "Of the stock" in page
    assert "Of the shop" not in page
    assert "reads it" in said(as_charlie.get(address))
    stock.delete()
    assert "reads it" in said(as_alice.get(address))


def test_a_page_of_saved_sql_leads_to_a_report_of_it(as_alice, saved) -> None:
    page = as_alice.get(reverse("library:saved", args=[saved.pk])).content.decode()
    assert f"{url('new')}?saved={saved.pk}" in page
