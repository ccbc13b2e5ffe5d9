"""Rights on the pages and buttons of reports: Alice owns, Bob shares, Charlie and the administrator do not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from mirror.dashboards.models import Dashboard
from mirror.dashboards.services import card_add_saved, dashboard_make
from mirror.people.services import user_deactivate
from mirror.reports import services
from mirror.reports.models import (
    Allowance,
    Channel,
    Consent,
    Delivery,
    FileLink,
    Report,
    ReportFile,
    ReportRun,
    RunPart,
    SendingPause,
)
from mirror.reports.sending.consents import consent_token
from mirror.reports.urls import urlpatterns
from mirror.work.leases import Status
from tests.reports.looking import said, url
from tests.reports.working import save_report, save_sql

PNG = b"\x89PNG\r\n\x1a\n"


@dataclass(frozen=True)
class Walked:
    """A report of Alice's that the analysts see, with a run, its files, a delivery and a link."""

    report: Report
    run: ReportRun
    part: RunPart
    file: ReportFile
    delivery: Delivery
    link: FileLink
    token: str
    allowance: Allowance
    consent: str
    board: Dashboard

    def numbers(self) -> dict[str, int]:
        """Ids that addresses take."""
        return {
            "report": self.report.pk, "run": self.run.pk, "part": self.part.pk, "file": self.file.pk,
            "delivery": self.delivery.pk, "link": self.link.pk, "channel": self.delivery.channel_id,
            "allowance": self.allowance.pk, "board": self.board.pk,
        }  # fmt: skip


@pytest.fixture
def walked(alice, bob, team, shop, media, settings) -> Walked:
    settings.EMAIL_HOST = "mail.example.com"
    saved = save_sql(alice, shop)
    saved.teams.add(team)
    report = save_report(alice, saved, to=["a@example.com"])
    report.teams.add(team)
    run = ReportRun.objects.create(
        report=report, cause="schedule", scheduled_for=timezone.now(), status=Status.DONE, outcome="made"
    )
    part = RunPart.objects.create(
        run=run, position=0, attempt=1, title="Customers by country", sql="SELECT 1", source=shop,
        image=ContentFile(PNG, "chart.png"),
    )  # fmt: skip
    file = ReportFile.objects.create(
        run=run, format="csv", name="customers.csv", file=ContentFile(b"country\r\n", "customers.csv"),
        size=9, expires_at=timezone.now() + timedelta(days=3),
    )  # fmt: skip
    delivery = Delivery.objects.create(
        run=run, channel=report.channels.get(), kind="mail", about="report", to="a@example.com",
        status=Status.DONE, state="given_up", answers=[{"at": timezone.now().isoformat(), "ok": False, "answer": "550 no"}],
    )  # fmt: skip
    token = services.link_make(file, alice, 24)
    Channel.objects.update(refused={"a@example.com": "550 no"})
    allowance = Allowance.objects.create(kind="host", value="hooks.internal")
    Consent.objects.create(address="out@elsewhere.example", mailbox="out@elsewhere.example")
    consent = consent_token("out@elsewhere.example")
    board = dashboard_make(alice, "Morning")
    board.teams.add(team)
    card_add_saved(board, saved)
    return Walked(report, run, part, file, delivery, FileLink.objects.get(), token, allowance, consent, board)


# Status of each address for Alice, Bob, Charlie and the administrator, and for somebody signed out. `changes`
# says whether Alice's request changes a row; those of others never do.
LOOKED = (200, 200, 404, 404, 302)
OWNED = (200, 403, 404, 404, 302)
DONE = (302, 403, 404, 404, 302)
ANYBODY = (200, 200, 200, 200, 302)
ADMINISTERED = (403, 403, 403, 200, 302)
ALLOWED = (403, 403, 403, 302, 302)
TABLE: list[tuple[str, str, tuple[str, ...], dict[str, str], tuple[int, ...]]] = [
    ("list", "get", (), {}, ANYBODY),
    ("new", "get", (), {}, ANYBODY),
    ("of_dashboard", "post", ("board",), {}, (302, 302, 404, 404, 302)),
    ("ahead", "post", (), {"kind": "daily", "time": "08:00", "zone": "UTC"}, ANYBODY),
    ("report", "get", ("report",), {}, LOOKED),
    ("history", "get", ("report",), {}, LOOKED),
    ("edit", "get", ("report",), {}, OWNED),
    ("edit", "post", ("report",), {"change": "add:webhook"}, OWNED),
    ("secret", "get", ("report",), {}, DONE),
    ("run_now", "post", ("report",), {}, DONE),
    ("test", "post", ("report",), {}, DONE),
    ("pause", "post", ("report",), {}, DONE),
    ("resume", "post", ("report",), {}, DONE),
    ("recipient_allow", "post", ("report",), {"address": "a@example.com"}, DONE),
    ("share", "get", ("report",), {}, OWNED),
    ("share", "post", ("report",), {}, DONE),
    ("hand_over", "get", ("report",), {}, OWNED),
    ("hand_over", "post", ("report",), {}, (422, 403, 404, 404, 302)),
    ("take_over", "post", ("report",), {}, (403, 403, 404, 404, 302)),
    ("delete", "get", ("report",), {}, OWNED),
    ("delete", "post", ("report",), {}, DONE),
    ("run", "get", ("run",), {}, LOOKED),
    ("run_live", "get", ("run",), {}, LOOKED),
    ("deliveries", "get", ("run",), {}, LOOKED),
    ("run_stop", "post", ("run",), {}, DONE),
    ("send_again", "post", ("run",), {}, DONE),
    ("image", "get", ("run", "part"), {}, LOOKED),
    ("delivery_again", "post", ("delivery",), {}, DONE),
    ("file", "get", ("file",), {}, LOOKED),
    ("link_make", "post", ("file",), {"hours": "24"}, DONE),
    ("link_revoke", "post", ("link",), {}, DONE),
    ("link", "get", ("token",), {}, (200, 200, 200, 200, 200)),
    ("sending", "get", (), {}, ADMINISTERED),
    ("sending_switch", "post", (), {"act": "pause", "why": "The mail server moves."}, ALLOWED),
    ("allow", "post", (), {"kind": "domain", "value": "partner.example"}, ALLOWED),
    ("disallow", "post", ("allowance",), {}, ALLOWED),
    ("consent", "get", ("consent",), {}, (200, 200, 200, 200, 200)),
    ("consent_stop", "get", ("consent",), {}, (200, 200, 200, 200, 200)),
]
# Changed by administrators alone.
DECIDED = ("allow", "disallow", "sending_switch")


def test_every_address_of_reports_stands_in_the_table() -> None:
    assert {row[0] for row in TABLE} == {pattern.name for pattern in urlpatterns}


@pytest.mark.parametrize(("name", "verb", "wants", "sent", "expected"), TABLE)
def test_the_owner_changes_the_team_looks_and_others_find_nothing(
    client, as_alice, as_bob, as_charlie, as_admin, walked, name, verb, wants, sent, expected
) -> None:
    numbers: dict[str, Any] = {**walked.numbers(), "token": walked.token, "consent": walked.consent}
    address = reverse(f"reports:{name}", args=[numbers[want] for want in wants])
    typed = {**sent, "channel": numbers["channel"]} if name == "recipient_allow" else sent
    before = kept()
    found = []
    for browser in (as_bob, as_charlie, as_admin, client):
        found.append(getattr(browser, verb)(address, typed).status_code)
        if name in DECIDED and browser is as_admin:
            assert kept() != before
            before = kept()
        elif name != "link":
            assert kept() == before
    found.insert(0, getattr(as_alice, verb)(address, typed).status_code)
    assert tuple(found) == expected
    if verb == "post":
        assert as_alice.get(address).status_code in (405, 200, 404)


def kept() -> list[Any]:
    """All that the store holds of reports."""
    models = (
        Report, Channel, ReportRun, RunPart, ReportFile, FileLink, Delivery, Report.teams.through, Allowance, Consent,
        SendingPause,
    )  # fmt: skip
    return [list(model.objects.order_by("pk").values()) for model in models]


def test_who_shares_a_report_takes_it_over_once_its_owner_has_left(
    alice, admin, bob, as_bob, as_charlie, walked
) -> None:
    services.report_pause(walked.report, alice)
    assert "Take it over" not in said(as_bob.get(url("report", walked.report.pk)))
    user_deactivate(alice, by=admin)
    page = said(as_bob.get(url("report", walked.report.pk)))
    assert "Alice is no longer here" in page
    assert "Take it over" in page
    assert as_charlie.post(url("take_over", walked.report.pk)).status_code == 404
    walked.part.source.teams.clear()
    assert as_bob.post(url("take_over", walked.report.pk)).status_code == 404
    walked.part.source.teams.add(*walked.report.teams.all())
    assert "is yours now" in said(as_bob.post(url("take_over", walked.report.pk), follow=True))
    assert "runs on schedule again" in said(as_bob.post(url("resume", walked.report.pk), follow=True))
    walked.report.refresh_from_db()
    assert (walked.report.owner, walked.report.is_paused) == (bob, False)


def test_nobody_sends_saved_sql_they_do_not_see(as_charlie, walked) -> None:
    saved = walked.report.parts.get().saved
    assert saved.name not in as_charlie.get(reverse("reports:new"), {"saved": saved.pk}).content.decode()
    typed = {"title": "Mine", "part": "0", "part-0-saved": saved.pk, "kind": "", "zone": "UTC", "condition": "always",
             "keep_days": "30", "pause_after": "5"}  # fmt: skip
    answer = as_charlie.post(reverse("reports:new"), typed)
    assert answer.status_code == 422
    assert "no longer shared with you" in answer.content.decode()
    assert Report.objects.count() == 1


def test_somebody_who_lost_the_source_sees_no_rows_and_no_files(
    as_alice, as_bob, walked, shop, charlie
) -> None:
    address = reverse("reports:run", args=[walked.run.pk])
    shop.owner = charlie
    shop.save()
    shop.teams.clear()
    page = as_alice.get(address).content.decode()
    assert "hidden from you" in page
    assert "customers.csv" not in page
    assert "SELECT 1" not in page
    assert as_bob.get(address).status_code == 404
    for name, args in (("file", [walked.file.pk]), ("image", [walked.run.pk, walked.part.pk])):
        assert as_alice.get(reverse(f"reports:{name}", args=args)).status_code == 404
    assert as_alice.get(reverse("reports:link", args=[walked.token])).status_code == 404


def test_a_link_in_a_mail_leads_through_sign_in_to_the_run(client, walked) -> None:
    address = reverse("reports:run", args=[walked.run.pk])
    answer = client.get(address)
    assert answer["Location"] == f"{reverse('people:sign_in')}?next={address}"
