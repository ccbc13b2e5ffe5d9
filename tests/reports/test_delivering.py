"""Ends of a delivery: tried again, refused, given up, sent again; and of rows whose workers died."""

from __future__ import annotations

import re
from datetime import timedelta
from importlib import import_module

import pytest
from django.urls import reverse
from django.utils import timezone

from mirror.delivery.errors import DeliveryFailed
from mirror.reports import services
from mirror.reports.making import report_runs
from mirror.reports.models import Channel, Delivery, FileLink, ReportRun
from mirror.reports.sending import delivering
from mirror.sources.models import Source
from mirror.work.kinds import KINDS
from mirror.work.leases import Status
from mirror.work.recovery import work_recover
from mirror.work.turns import turn_take
from tests.reports.working import deliver, due, make, save_report, save_sql, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def report(post, alice, saved):
    alice.email = "alice@example.com"
    alice.save()
    return save_report(alice, saved, to=["a@example.com", "b@example.com"], formats=["csv"])


def made(report) -> dict[str, Delivery]:
    """Make a run and give its deliveries by recipient."""
    due(report, timezone.now())
    services.reports_due_make()
    run = make(report.runs.filter(status=Status.QUEUED).get())
    return {row.to: row for row in run.deliveries.all()}


def again(delivery: Delivery) -> Delivery:
    """Let the time to try again come, and do."""
    Delivery.objects.filter(pk=delivery.pk).update(not_before=timezone.now())
    return deliver(delivery)


def test_each_recipient_is_tried_again_by_itself_with_longer_waits(report, post) -> None:
    rows = made(report)
    post.orders(refuse={"a@example.com": "450 busy, come back"})
    first = deliver(rows["a@example.com"])
    assert deliver(rows["b@example.com"]).state == "sent"
    waits = []
    for _ in range(5):
        assert turn_take(Delivery, first.pk) is None, "not before its time"
        waits.append(round((first.not_before - timezone.now()).total_seconds() / 60))
        first = again(first)
    assert waits == [1, 5, 15, 60, 180]
    assert (first.state, first.status, len(first.answers)) == ("given_up", Status.DONE, 6)
    assert "450" in first.answers[-1]["answer"]
    post.orders()
    work_off()
    notice = post.mails("alice@example.com")[0].message.get_body(("plain",)).get_content()
    assert "Mail to a@example.com: " in notice
    assert "come back" in notice
    assert "Next run: " in notice


def test_a_mail_leads_to_the_run_only_those_who_may_open_it(
    post, alice, bob, charlie, team, saved, client
) -> None:
    """Everybody here gets the rows, as the owner says; a button that finds nothing helps nobody."""
    people = {user: f"{user.username}@example.com" for user in (alice, bob, charlie)}
    for user, address in people.items():
        user.email = address
        user.save()
    saved.source.teams.add(team)
    report = save_report(alice, saved, to=[*people.values(), "list@example.com"])
    report.teams.add(team)
    made(report)
    work_off()
    place = reverse("reports:run", args=[report.runs.get().pk])
    for user, address in people.items():
        client.force_login(user)
        is_open = client.get(place).status_code == 200
        assert is_open == (user != charlie)
        for kind in ("plain", "html"):
            body = post.mails(address)[0].message.get_body((kind,)).get_content()
            assert (place in body, "Open this run" in body) == (is_open, is_open), (address, kind)
            assert ("In Mirror it is not shared with you; Alice (alice) can do that." in body) != is_open
    assert place in post.mails("list@example.com")[0].message.get_body(("plain",)).get_content()


def test_a_recipient_refused_for_good_is_told_and_gets_nothing_until_allowed(report, post) -> None:
    post.orders(refuse={"a@example.com": "550 no such user here"})
    gone = deliver(made(report)["a@example.com"])
    work_off()
    assert (gone.state, gone.tries) == ("given_up", 0)
    assert len(post.mails("alice@example.com")) == 1
    channel = report.channels.get()
    assert "no such user" in channel.refused["a@example.com"]
    assert set(made(report)) == {"b@example.com"}
    services.recipient_allow(channel, "a@example.com")
    assert set(made(report)) == {"a@example.com", "b@example.com"}


def test_what_the_other_side_asks_to_wait_is_waited_within_a_day(report, monkeypatch) -> None:
    row = made(report)["a@example.com"]

    asked: list[float] = []

    def busy(*_, **__):
        raise DeliveryFailed("slow down", retry_after=asked.pop())

    monkeypatch.setattr("mirror.reports.sending.delivering.channels.deliver", busy)
    for seconds, minutes in [(1, 1), (1800, 30), (10**7, 24 * 60)]:
        asked.append(seconds)
        row = again(row)
        assert round((row.not_before - timezone.now()).total_seconds() / 60) == minutes
    assert len(row.answers) == 3


def test_one_dead_channel_stops_no_other(post, alice, saved, here_allowed) -> None:
    dead = ("webhook", {"url": "https://127.0.0.1:1/nobody"}, None)
    report = save_report(alice, saved)
    report = services.report_update(
        report,
        **{
            name: getattr(report, name)
            for name in (
                "title",
                "note",
                "formats",
                "zone",
                "missed",
                "condition",
                "keep_days",
                "pause_after",
            )
        },
        schedule=None,
        threshold=None,
        parts=[(saved, {})],
        channels=[dead, ("mail", {"to": ["a@example.com"]}, None)],
    )
    run = services.report_run_now(report, alice)
    work_off()
    states = {row.kind: (row.state, row.tries) for row in run.deliveries.all()}
    assert states == {"webhook": ("waiting", 1), "mail": ("sent", 0)}


def test_what_is_sent_again_has_a_new_name_and_a_removed_channel_sends_nothing(report, post, alice) -> None:
    rows = made(report)
    with pytest.raises(services.ReportError, match="on its way"):
        services.delivery_again(rows["a@example.com"], alice)
    work_off()
    run = report.runs.get()
    assert services.report_run_send_again(run, alice) == 2
    work_off()
    assert len({mail.message["Message-ID"] for mail in post.mails("a@example.com")}) == 2
    assert [len(row.answers) for row in run.deliveries.all()] == [2, 2]
    waiting = made(report)
    report.channels.all().delete()
    work_off()
    row = waiting["a@example.com"]
    row.refresh_from_db()
    assert (row.state, row.answers[-1]["answer"]) == ("given_up", delivering.REMOVED)
    with pytest.raises(services.ReportError, match="channel it went by was removed"):
        services.delivery_again(row, alice)


def test_a_mail_with_a_link_carries_the_same_one_at_each_attempt(report, post, settings, client) -> None:
    settings.MAIL_ATTACHMENT_MB = 0
    post.orders(after_taking="close")
    row = deliver(made(report)["a@example.com"])
    post.orders()
    again(row)
    first, second = (mail.raw for mail in post.mails("a@example.com"))
    assert first == second
    link = FileLink.objects.get()
    token = re.search(r"/reports/link/([^/]+)/", post.mails()[0].message.get_body(("plain",)).get_content())[
        1
    ]
    assert client.get(reverse("reports:link", args=[token])).status_code == 200
    services.link_revoke(link, report.owner)
    services.delivery_again(row, report.owner)
    deliver(row)
    assert FileLink.objects.filter(revoked_at=None).count() == 1
    assert client.get(reverse("reports:link", args=[token])).status_code == 404


def test_a_kept_secret_goes_to_no_other_place(post, alice, saved, here_allowed) -> None:
    report = save_report(
        alice, saved, channels=[("webhook", {"url": "https://127.0.0.1/a"}, "whsec_" + "a" * 40)]
    )
    row = report.channels.get()
    fields = {
        "title": "T", "note": "", "formats": [], "schedule": None, "zone": "UTC", "missed": "last",
        "condition": "always", "threshold": None, "keep_days": 1, "pause_after": 1, "parts": [(saved, {})],
    }  # fmt: skip
    services.report_update(report, **fields, channels=[("webhook", dict(row.target), None)])
    assert Channel.objects.get().pk == row.pk
    assert Channel.objects.get().secret == "whsec_" + "a" * 40
    with pytest.raises(services.ReportError, match="type its secret again"):
        services.report_update(
            report, **fields, channels=[("webhook", {**row.target, "url": "https://127.0.0.2/"}, None)]
        )
    assert Channel.objects.get().target == row.target


# ---------------------------------------------------------------- workers that died


def lost(row) -> None:
    """Let its lease be over, as after its worker died."""
    type(row).objects.filter(pk=row.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_a_row_whose_workers_die_three_times_is_given_up_and_told(report, post, media) -> None:
    due(report, timezone.now())
    services.reports_due_make()
    run = report.runs.get()
    for _ in range(KINDS["report"].attempts):
        lease = turn_take(ReportRun, run.pk)
        assert lease is not None
        (media / f"reports/{run.pk}/{lease.attempt}").mkdir(parents=True)
        lost(run)
        work_recover()
    run.refresh_from_db()
    assert (run.outcome, run.status) == ("failed", Status.DONE)
    assert "interrupted 3 times" in run.reason
    assert not (media / f"reports/{run.pk}").exists()
    work_off()
    assert (
        "interrupted 3 times" in post.mails("alice@example.com")[0].message.get_body(("plain",)).get_content()
    )
    row = made(report)["a@example.com"]
    for _ in range(KINDS["report"].attempts):
        assert turn_take(Delivery, row.pk)
        lost(row)
        work_recover()
    row.refresh_from_db()
    assert row.state == "given_up"
    assert "interrupted 3 times" in row.answers[-1]["answer"]


def test_a_worker_that_lost_its_run_writes_nothing_and_leaves_nothing(report, monkeypatch, media) -> None:
    due(report, timezone.now())
    services.reports_due_make()
    run = report.runs.get()
    first = turn_take(ReportRun, run.pk)
    real = report_runs._conclude

    def lose(making, lease, *rest):
        monkeypatch.setattr(report_runs, "_conclude", real)
        lost(run)
        work_recover()
        make(run)
        real(making, lease, *rest)

    monkeypatch.setattr(report_runs, "_conclude", lose)
    services.report_run_make(first)
    run.refresh_from_db()
    assert (run.outcome, run.attempts, run.files.count(), run.deliveries.count()) == ("made", 2, 1, 2)
    assert [path.name for path in (media / f"reports/{run.pk}").iterdir()] == ["2"]
    assert {part.attempt for part in run.parts.all()} == {2}


def test_messages_are_sent_again_when_their_time_comes_or_nobody_came(report, monkeypatch) -> None:
    sent: list[tuple[str, int]] = []
    for name in ("report", "delivery"):
        monkeypatch.setattr(KINDS[name], "tell", lambda pk, name=name: sent.append((name, pk)))
    rows = made(report)
    first, second = (row.pk for row in rows.values())
    sent.clear()
    work_recover()
    assert sent == []
    Delivery.objects.filter(pk=first).update(queued_at=timezone.now() - timedelta(hours=1))
    Delivery.objects.filter(pk=second).update(
        queued_at=timezone.now() - timedelta(minutes=1), not_before=timezone.now() - timedelta(seconds=1)
    )
    work_recover()
    work_recover()
    assert sent == [("delivery", first), ("delivery", second)]


def test_a_thousand_that_wait_in_order_are_not_sent_again(report, monkeypatch) -> None:
    sent: list[int] = []
    monkeypatch.setattr(KINDS["delivery"], "tell", sent.append)
    first, second = (row.pk for row in made(report).values())
    sent.clear()
    together = timezone.now() - timedelta(minutes=5)
    Delivery.objects.update(queued_at=together)
    assert turn_take(Delivery, first)
    work_recover()
    assert sent == [], "others of its time are just being begun"
    Delivery.objects.filter(pk=second).update(queued_at=together - timedelta(minutes=1))
    work_recover()
    assert sent == [second], "what was sent after it was begun before it"


def test_reports_leave_a_turn_for_people_and_wait_behind_them(post, alice, shop, saved) -> None:
    from mirror.asking import services as asking
    from mirror.asking.models import Run

    Source.objects.update(concurrent_runs=2)
    runs = [services.report_run_now(save_report(alice, saved, title=f"Report {n}"), alice) for n in range(2)]
    assert turn_take(ReportRun, runs[0].pk)
    assert turn_take(ReportRun, runs[1].pk) is None, "one of two turns is left for people"
    questions = [asking.run_ask(alice, shop, "How many orders?") for _ in range(2)]
    held = turn_take(Run, questions[0].pk)
    assert held
    assert turn_take(Run, questions[1].pk) is None
    assert Run.objects.get(pk=questions[1].pk).waits_turn
    ReportRun.objects.filter(pk=runs[0].pk).update(is_reading=False)
    assert turn_take(ReportRun, runs[1].pk) is None, "somebody waits"
    assert turn_take(Run, questions[1].pk)
    held.end(outcome="failed")
    assert turn_take(ReportRun, runs[1].pk), "who has read its rows holds no turn"
    Source.objects.update(concurrent_runs=1)
    ReportRun.objects.update(is_reading=False)
    Run.objects.update(status=Status.DONE)
    another = services.report_run_now(save_report(alice, save_sql(alice, shop)), alice)
    assert turn_take(ReportRun, another.pk), "a source of one turn is not closed to reports"


@pytest.mark.parametrize(
    ("kept", "cut"),
    [
        ("200 OK internal: hunter2", "200"),
        ("403 Forbidden hunter2", "403"),
        ("302 Found: it points to another address.", "302"),
        ("“h” does not speak HTTP: illegal status line: SSH-2.0-hunter2", "“h” does not speak HTTP."),
        ("“h” could not be reached: Connection refused.", "“h” could not be reached: Connection refused."),
        ("2000 things", "2000 things"),
    ],
)
def test_of_answers_that_were_kept_before_the_status_stays(kept, cut):
    migration = import_module("mirror.reports.migrations.0003_mail_and_quotas")
    assert migration.answer_cut(kept) == cut
