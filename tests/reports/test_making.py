"""What happens to a report: due, made, sent, refused, handed over; by the services, in this process."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone

from mirror.leases import Status
from mirror.reports import selectors, services
from mirror.reports.models import Delivery, Report, ReportFile, ReportRun
from tests.mail_server import MailServer
from tests.reports.working import due, make, save_report, save_sql, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with MailServer(tmp_path_factory.mktemp("mail")) as server:
        yield server


@pytest.fixture
def post(server, settings, media):
    settings.EMAIL_HOST, settings.EMAIL_PORT = server.host, server.port
    settings.CHART_IMAGES = "simple"
    server.orders()
    for mail in (server.folder / "mails").glob("*"):
        mail.unlink()
    return server


@pytest.fixture
def saved(alice, shop):
    return save_sql(alice, shop)


def test_a_report_that_is_due_is_made_and_mailed_once(post, alice, saved) -> None:
    report = save_report(alice, saved, to=["a@example.com", "b@example.com"], formats=["csv", "xlsx"])
    now = timezone.now()
    due(report, now - timedelta(minutes=1))
    assert services.reports_due_make() == 1
    assert services.reports_due_make() == 0
    work_off()
    run = report.runs.get()
    assert (run.outcome, run.cause, run.scheduled_for) == ("made", "schedule", now - timedelta(minutes=1))
    assert [file.row_count for file in run.files.all()] == [5, 5]
    part = run.parts.get()
    assert "SELECT" in part.sql
    assert part.sentence
    assert part.image
    assert [mail.to for mail in post.mails()] == [("a@example.com",), ("b@example.com",)]
    message = post.mails()[0].message
    assert "Weekly customers" in message["Subject"]
    assert [one.get_filename() for one in message.iter_attachments()] == [f.name for f in run.files.all()]
    report.refresh_from_db()
    assert report.next_at is not None
    assert report.next_at > now
