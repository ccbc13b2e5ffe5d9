"""All sending paused: nothing goes out, no schedule runs, everybody sees it; and how it goes on."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from mirror.reports import services
from mirror.reports.models import Delivery, Report, ReportRun, SendingPause
from mirror.reports.sending.pausing import pause_now
from mirror.sources.models import Source, WithheldName, WithheldRight
from mirror.work.leases import Status
from tests.reports.looking import said, url
from tests.reports.working import due, make, save_report, save_sql, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def report(post, alice, saved) -> Report:
    return save_report(alice, saved, to=["a@example.com", "b@example.com"])


def _paused_run(report) -> ReportRun:
    services.sending_pause(why="The mail server moves.")
    run = make(services.report_run_now(report, report.owner))
    work_off()
    return run


def _command(*words: str) -> str:
    out = StringIO()
    call_command("sending", *words, stdout=out)
    return out.getvalue()


def test_nothing_goes_out_and_each_delivery_says_why(post, report):
    run = _paused_run(report)
    rows = list(run.deliveries.all())
    assert not post.mails()
    assert {(row.state, row.held_for, row.attempts) for row in rows} == {("held", "pause", 0)}
    assert all("all sending is paused" in row.answers[-1]["answer"] for row in rows)


def test_tests_and_notices_wait_too(post, alice, report):
    alice.email = "alice@example.com"
    alice.save()
    services.sending_pause()
    make(services.report_test(report, alice))
    work_off()
    assert not post.mails()


def test_no_schedule_runs_meanwhile(post, report):
    services.sending_pause()
    at = timezone.now() - timedelta(minutes=1)
    due(report, at)
    assert services.reports_due_make() == 0
    report.refresh_from_db()
    assert report.next_at == at and not report.runs.exists()
    services.sending_resume()
    assert services.reports_due_make() == 1


def test_it_goes_on_with_what_waits(post, report):
    run = _paused_run(report)
    assert services.sending_resume() == 2
    work_off()
    assert {row.state for row in run.deliveries.all()} == {"sent"}
    assert len(post.mails()) == 2
    assert pause_now() is None


def test_it_goes_on_without_what_waits_as_after_a_restore(post, report):
    run = _paused_run(report)
    queued = services.report_run_now(report, report.owner)
    due(report, timezone.now() - timedelta(days=3))
    services.sending_resume(drop=True)
    work_off()
    assert not post.mails()
    assert {row.state for row in run.deliveries.all()} == {"given_up"}
    assert "dropped" in run.deliveries.first().answers[-1]["answer"]
    queued.refresh_from_db()
    assert (queued.status, queued.outcome) == (Status.DONE, "skipped")
    report.refresh_from_db()
    assert report.next_at > timezone.now()
    assert services.reports_due_make() == 0


def test_a_pause_lasts_longer_than_a_quota_may_hold(post, report):
    run = _paused_run(report)
    run.deliveries.update(held_at=timezone.now() - timedelta(days=40), not_before=None)
    work_off()
    assert {row.state for row in run.deliveries.all()} == {"held"}
    services.sending_resume()
    work_off()
    assert len(post.mails()) == 2


def test_pausing_twice_is_one_pause_and_resuming_twice_drops_nothing(report, post):
    first = services.sending_pause(why="One")
    assert services.sending_pause(why="Two").pk == first.pk
    services.sending_resume()
    run = make(services.report_run_now(report, report.owner))
    services.sending_resume(drop=True)
    assert Delivery.objects.filter(run=run, status=Status.QUEUED).count() == 2


# ---------------------------------------------------------------- the command and the pages


def test_the_command_pauses_says_so_and_goes_on(report, post):
    assert _command().startswith("Reports are sent.")
    assert "All sending is paused since" in _command("pause", "--why", "Moved.")
    make(services.report_run_now(report, report.owner))
    assert "Moved. 2 deliveries waiting." in _command()
    out = StringIO()
    call_command("reports", "due", stdout=out)
    assert out.getvalue().startswith("All sending is paused")
    assert _command("resume", "--drop") == "Reports are sent. 0 deliveries waiting.\n"


def test_everybody_sees_it_where_reports_are_and_nobody_else_may_switch_it(
    report, team, as_alice, as_bob, as_charlie, as_admin, post
):
    run = _paused_run(report)
    report.teams.add(team)
    seen = [(as_alice, "reports:list"), (as_bob, "reports:list"), (as_charlie, "reports:list")]
    for client, name in seen:
        assert "All sending is paused" in said(client.get(reverse(name)))
    for client in (as_alice, as_bob):
        assert "The mail server moves." in said(client.get(url("report", report.pk)))
        assert "All sending is paused" in said(client.get(url("run", run.pk)))
    for client in (as_alice, as_bob, as_charlie):
        assert client.get(reverse("reports:sending")).status_code == 403
        assert client.post(reverse("reports:sending_switch"), {"act": "send"}).status_code == 403
    assert pause_now() is not None
    assert "2 deliveries wait." in said(as_admin.get(reverse("reports:sending")))
    assert as_admin.get(reverse("reports:sending_switch")).status_code == 405
    as_admin.post(reverse("reports:sending_switch"), {"act": "nonsense"})
    assert pause_now() is not None
    as_admin.post(reverse("reports:sending_switch"), {"act": "send"})
    assert pause_now() is None
    assert "All sending is paused" not in said(as_alice.get(reverse("reports:list")))


def test_who_paused_it_and_why_is_kept_as_text(admin, as_admin, as_alice):
    as_admin.post(reverse("reports:sending_switch"), {"act": "pause", "why": "<b>x</b>\x00\r\n" + "y" * 400})
    kept = SendingPause.objects.get()
    assert kept.began_by == admin.username and len(kept.why) <= 300 and "\n" not in kept.why
    assert b"&lt;b&gt;x" in as_alice.get(reverse("reports:list")).content


@pytest.mark.parametrize("how", ["column", "sending", "share"])
def test_what_waited_asks_once_more_for_the_rights_of_its_owner(post, shop, team, bob, how):
    report = save_report(bob, save_sql(bob, shop), to=["a@example.com"])
    run = _paused_run(report)
    assert run.outcome == "made" and run.deliveries.get().state == "held"
    if how == "column":
        WithheldName.objects.create(source=shop, team=team, table="customers", column="country")
        Source.objects.filter(pk=shop.pk).update(withholds=True)
    elif how == "sending":
        WithheldRight.objects.create(source=shop, team=team, right="sending")
    else:
        shop.teams.clear()
    services.sending_resume()
    work_off()
    assert not [mail for mail in post.mails() if "a@example.com" in mail.to]
    delivery = run.deliveries.get(about="report")
    assert delivery.state == Delivery.State.GIVEN_UP
    assert "may not send" in delivery.answers[-1]["answer"]
