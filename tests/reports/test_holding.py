"""Quotas of one person's reports, counted at a real mail server and a real hook; nothing more arrives."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone

from mirror.people.models import QuotaMet, QuotaUse
from mirror.reports import services
from mirror.reports.models import Channel, Delivery, Report
from mirror.reports.schedule.times import Schedule
from mirror.work.leases import Status
from mirror.work.recovery import work_recover
from mirror.work.turns import turn_take
from tests.hook_server import HookServer, hook_server
from tests.lengths import many
from tests.reports.looking import said, url
from tests.reports.working import deliver, due, make, save_report, save_sql, work_off

pytestmark = pytest.mark.django_db(transaction=True)

MINUTELY = Schedule("cron", "UTC", cron="* * * * *")
# Recipients of the attack, and mails that a person may send within an hour: 200, the default, in the long run.
MANY = many(20, 200)
TO = ["a@example.com", "b@example.com", "c@example.com"]


@pytest.fixture
def hook():
    with hook_server() as server:
        yield server


@pytest.fixture
def flood(post, alice, saved, hook: HookServer) -> Report:
    """The attack as it was: `MANY` outside recipients, every minute, 19 webhooks; put into the store past every check."""
    report = save_report(alice, saved, formats=[])
    to = [f"victim{n}@elsewhere.example" for n in range(MANY)]
    Channel.objects.create(report=report, kind="mail", target={"to": to})
    for _ in range(19):
        Channel.objects.create(
            report=report, kind="webhook", target={"url": hook.url("/created")}, secret="k" * 20
        )
    Report.objects.filter(pk=report.pk).update(schedule=MINUTELY.to_json(), zone="UTC", missed="all")
    report.refresh_from_db()
    return report


def run(report, cause: str = "now") -> dict[str, Delivery]:
    """Make a report by hand and do all work; give its deliveries by recipient."""
    asked = {"now": services.report_run_now, "test": services.report_test}[cause](report, report.owner)
    made = make(asked)
    work_off()
    return {row.to: row for row in made.deliveries.filter(about__in=["report", "test"])}


def again(seconds: float = 0) -> None:
    """Let a worker look at all that waits for its time."""
    Delivery.objects.filter(status=Status.QUEUED).update(not_before=timezone.now())
    work_off()


# ---------------------------------------------------------------- the attack


@pytest.mark.timeout(300)
def test_the_attack_as_it_was_sends_no_report_to_anybody(flood, post, hook, settings) -> None:
    settings.MAIL_DOMAINS, settings.MAIL_ASKS_PER_DAY = [], MANY // 4
    with time_machine.travel(timezone.now(), tick=True) as clock:
        for _ in range(3):
            due(flood, timezone.now() - timedelta(minutes=4))
            services.reports_due_make()
            work_off()
            work_off()
            clock.shift(timedelta(seconds=30))
    subjects = Counter(str(mail.message["Subject"]).split(":")[0] for mail in post.mails())
    assert subjects == {"Please confirm": MANY // 4}, "new addresses a day; each asked once, no report to any"
    assert len({mail.to for mail in post.mails()}) == MANY // 4
    assert hook.received == [], "private, and no administrator has allowed it"
    assert flood.runs.filter(outcome="made").count() == 1, "a quarter of an hour apart at least"


@pytest.mark.timeout(300)
def test_with_all_of_it_allowed_it_sends_what_a_person_may_and_no_more(
    flood, post, hook, settings, alice
) -> None:
    settings.MAIL_DOMAINS, settings.WEBHOOK_HOSTS = ["elsewhere.example"], ["127.0.0.1"]
    settings.MAILS_PER_HOUR, settings.CALLS_PER_HOUR = MANY, 25
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for _ in range(2):
            run(flood)
            clock.shift(timedelta(minutes=10))
        assert (len(post.mails()), len(hook.received)) == (MANY, 25)
        assert Delivery.objects.filter(state="held").count() == 2 * (MANY + 19) - (MANY + 25)
        clock.shift(timedelta(minutes=39, seconds=59))
        again()
        assert (len(post.mails()), len(hook.received)) == (MANY, 25), "an hour after the first and not before"
        clock.shift(timedelta(seconds=1))
        again()
        assert len(post.mails()) == 2 * MANY
        assert 25 < len(hook.received) <= 50
        sent = list(Delivery.objects.filter(kind="mail", state="sent").values_list("sent_at", flat=True))
        assert max(sum(at <= one < at + timedelta(hours=1) for one in sent) for at in set(sent)) == MANY
    assert not Delivery.objects.filter(about="report", state="waiting").exists()


# ---------------------------------------------------------------- what counts


def test_what_is_held_back_says_why_and_goes_out_when_there_is_room(
    post, alice, saved, settings, as_alice, as_bob, bob, team
) -> None:
    settings.MAILS_PER_HOUR = 2
    report = save_report(alice, saved, to=TO, formats=[])
    saved.teams.add(team)
    report.teams.add(team)
    with time_machine.travel(timezone.now(), tick=True) as clock:
        rows = run(report)
        held = next(row for row in rows.values() if row.state == "held")
        assert sorted(row.state for row in rows.values()) == ["held", "sent", "sent"]
        words = (
            "Held back: reports of alice have sent 2 mails within an hour, the most that a person's may. "
            "It goes out when there is room again, at "
        )
        assert held.answers[-1]["answer"].startswith(words)
        assert (held.status, held.attempts, held.tries, len(held.answers)) == (Status.QUEUED, 0, 0, 1)
        for browser in (as_alice, as_bob):
            page = said(browser.get(url("run", held.run_id)))
            assert "Held back" in page
            assert words in page
            assert "1 delivery is held back." in said(browser.get(url("report", report.pk)))
        assert "Not all of it goes out now" in said(as_alice.get(url("report", report.pk)))
        assert "Held back" in said(as_alice.get(url("list")))
        for _ in range(5):
            again()
            held.refresh_from_db()
            assert (held.state, len(held.answers), held.attempts) == ("held", 1, 0)
        clock.shift(timedelta(minutes=61))
        work_recover()
        work_off()
        held.refresh_from_db()
        assert (held.state, held.attempts) == ("sent", 1)
    assert len(post.mails()) == 3
    assert "Not all of it goes out now" not in said(as_alice.get(url("report", report.pk)))


def test_another_try_of_one_mail_is_no_second_mail(post, alice, saved, settings) -> None:
    settings.MAILS_PER_HOUR = 1
    post.orders(refuse={"a@example.com": "451 4.7.1 Greylisted"})
    rows = run(save_report(alice, saved, to=["a@example.com"], formats=[]))
    assert rows["a@example.com"].tries == 1
    post.orders()
    again()
    assert len(post.mails("a@example.com")) == 1
    assert QuotaUse.objects.count() == 1
    # A worker that is cut off after the last dot sends it again, under the same name.
    Delivery.objects.update(status=Status.QUEUED, state="waiting", sending_at=timezone.now())
    again()
    assert QuotaUse.objects.count() == 1


def test_by_hand_by_test_and_again_all_count(post, alice, saved, settings) -> None:
    alice.email = "alice@example.com"
    alice.save()
    settings.MAILS_PER_HOUR = 3
    report = save_report(alice, saved, to=["a@example.com"], formats=[])
    first = run(report)["a@example.com"]
    run(report, "test")
    services.delivery_again(first, alice)
    work_off()
    assert len(post.mails()) == 3
    services.delivery_again(first, alice)
    work_off()
    assert {row.state for row in run(report).values()} == {"held"}
    assert {row.state for row in run(report, "test").values()} == {"held"}
    first.refresh_from_db()
    assert (first.state, len(post.mails())) == ("held", 3)
    with pytest.raises(services.ReportError, match="still on its way"):
        services.delivery_again(first, alice)


def test_all_reports_of_a_person_count_together_and_each_person_alone(
    post, alice, bob, team, saved, settings
) -> None:
    settings.MAILS_PER_HOUR = 2
    saved.teams.add(team)
    reports = [save_report(alice, saved, to=["a@example.com"], title=f"R{n}", formats=[]) for n in range(4)]
    states = [run(report)["a@example.com"].state for report in reports]
    assert states == ["sent", "sent", "held", "held"]
    assert run(save_report(bob, saved, to=["a@example.com"], formats=[]))["a@example.com"].state == "sent"


def test_handing_a_report_over_frees_nothing_that_was_held_back(
    post, alice, bob, team, saved, settings
) -> None:
    settings.MAILS_PER_HOUR = 2
    saved.teams.add(team)
    report = save_report(alice, saved, to=TO, formats=[])
    report.teams.add(team)
    rows = run(report)
    held = next(row for row in rows.values() if row.state == "held")
    services.report_hand_over(report, bob, alice)
    again()
    held.refresh_from_db()
    assert held.state == "held", "it counts for whoever owned it when it was queued"
    assert sorted(row.state for row in run(report).values()) == ["held", "sent", "sent"], (
        "the new owner's own"
    )
    services.report_hand_over(report, alice, bob)
    assert {row.state for row in run(report).values()} == {"held"}
    by_owner = Counter(QuotaUse.objects.values_list("quota__person__username", flat=True))
    assert by_owner == {"alice": 2, "bob": 2}
    assert len(post.mails()) == 4


def test_calls_of_webhooks_slack_and_buckets_count_together_and_folders_do_not(
    post, alice, saved, settings, hook
) -> None:
    settings.CALLS_PER_HOUR, settings.WEBHOOK_HOSTS = 2, ["127.0.0.1"]
    report = save_report(alice, saved, formats=["csv"])
    for kind, target, secret in [
        ("webhook", {"url": hook.url()}, "k" * 20),
        ("slack", {"host": "127.0.0.1"}, hook.url("/created")),
        ("webhook", {"url": hook.url("/no-content")}, "k" * 20),
        (
            "s3",
            {"bucket": "refusing-bucket", "prefix": "", "endpoint": hook.url(""), "access_key": "someone"},
            "k" * 20,
        ),
        ("folder", {"path": "numbers"}, ""),
    ]:
        Channel.objects.create(report=report, kind=kind, target=target, secret=secret)
    rows = run(report)
    states = Counter((row.kind, row.state) for row in rows.values())
    assert sum(number for (kind, state), number in states.items() if state == "held") == 2
    assert len(hook.received) == 2
    assert not any(kind == "folder" and state == "held" for kind, state in states)
    held = next(row for row in rows.values() if row.state == "held")
    assert "have made 2 calls within an hour" in held.answers[-1]["answer"]
    assert not post.mails()


def test_word_of_failures_counts_too_and_none_is_lost(post, alice, shop, settings) -> None:
    alice.email = "alice@example.com"
    alice.save()
    settings.MAILS_PER_HOUR = 1
    settings.REPORT_RETRY_MINUTES = []
    report = save_report(alice, save_sql(alice, shop, "SELECT nothing FROM customers"), to=TO, formats=[])
    with time_machine.travel(timezone.now(), tick=True) as clock:
        for _ in range(3):
            due(report, timezone.now())
            services.reports_due_make()
            work_off()
            clock.shift(timedelta(minutes=1))
        assert len(post.mails("alice@example.com")) == 1
        clock.shift(timedelta(minutes=62))
        again()
        assert len(post.mails("alice@example.com")) == 2, "the latest; those before say the same"


# ---------------------------------------------------------------- administrators, ends


def test_administrators_are_told_once_an_hour_by_their_pages_and_one_mail(
    post, alice, admin, saved, settings, as_admin, as_alice
) -> None:
    admin.email = "admin@example.com"
    admin.save()
    settings.MAILS_PER_HOUR = 1
    report = save_report(alice, saved, to=TO, formats=[])
    with time_machine.travel(timezone.now(), tick=True) as clock:
        for _ in range(3):
            run(report)
            work_off()
        assert len(post.mails("admin@example.com")) == 1
        text = post.mails("admin@example.com")[0].message.get_body(("plain",)).get_content()
        assert "Reports of alice have sent 1 mail within an hour, the most that a person's may." in text
        assert "http://127.0.0.1:8000/reports/sending/" in text
        for name in ("sending", "list"):
            page = said(as_admin.get(url(name)))
            assert "Reports of alice have sent 1 mail within an hour" in page
            assert "Held back 8 times in the hour from then." in page
        assert "within an hour, the most" not in said(as_alice.get(url("list")))
        clock.shift(timedelta(minutes=61))
        again()
        work_off()
        assert len(post.mails("admin@example.com")) == 2
        assert QuotaMet.objects.count() == 2
        run_id = Delivery.objects.filter(about="quota").first().run_id
        notice = Delivery.objects.filter(about="quota").first()
        with pytest.raises(services.ReportError, match="by a rule of its own"):
            services.delivery_again(notice, alice)
        assert "Send again to admin@example.com" not in as_alice.get(url("run", run_id)).content.decode()
        clock.shift(timedelta(hours=30))
        assert "Reports of alice" not in said(as_admin.get(url("list")))


def test_what_finds_no_room_for_a_day_is_given_up_and_its_owner_told(post, alice, saved, settings) -> None:
    alice.email = "alice@example.com"
    alice.save()
    settings.MAILS_PER_HOUR = 0
    report = save_report(alice, saved, to=["a@example.com"], formats=[])
    with time_machine.travel(timezone.now(), tick=True) as clock:
        row = run(report)["a@example.com"]
        clock.shift(timedelta(hours=23))
        again()
        row.refresh_from_db()
        assert row.state == "held"
        clock.shift(timedelta(hours=2))
        again()
        row.refresh_from_db()
        assert (row.state, row.status) == ("given_up", Status.DONE)
        assert (
            row.answers[-1]["answer"]
            == "It was held back for a day, and there was no room for it in all that time."
        )
        settings.MAILS_PER_HOUR = 5
        again()
        (notice,) = post.mails("alice@example.com")
        assert "no room for it" in notice.message.get_body(("plain",)).get_content()
        services.delivery_again(row, alice)
        work_off()
        assert len(post.mails("a@example.com")) == 1, "by hand it goes, once there is room"


def test_a_worker_that_dies_over_what_was_held_back_is_no_reason_to_give_it_up(
    post, alice, saved, settings
) -> None:
    settings.MAILS_PER_HOUR = 0
    row = run(save_report(alice, saved, to=["a@example.com"], formats=[]))["a@example.com"]
    for _ in range(5):
        again()
    settings.MAILS_PER_HOUR = 1
    Delivery.objects.filter(pk=row.pk).update(not_before=timezone.now())
    assert turn_take(Delivery, row.pk)
    Delivery.objects.filter(pk=row.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
    work_recover()
    work_off()
    row.refresh_from_db()
    assert row.state == "sent"


def test_threads_that_deliver_at_once_send_no_more_than_the_bound(post, alice, saved, settings) -> None:
    settings.MAILS_PER_HOUR = 7
    report = save_report(alice, saved, to=[f"p{n}@example.com" for n in range(40)], formats=[])
    made = make(services.report_run_now(report, alice))

    def worker(row: Delivery) -> str:
        try:
            return deliver(row).state
        finally:
            connection.close()

    with ThreadPoolExecutor(8) as threads:
        states = Counter(threads.map(worker, made.deliveries.all()))
    assert states == {"sent": 7, "held": 33}
    assert len(post.mails()) == 7
