"""Recipients of mails: colleagues at once, outside addresses after they said yes, nobody who said no; at a real mail server."""

from __future__ import annotations

import logging
import re
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from mirror.logs import WithoutTokens
from mirror.people.services import user_address, user_create
from mirror.reports import services
from mirror.reports.models import Allowance, Consent, Delivery
from mirror.reports.sending.consents import consent_token
from mirror.reports.sending.recipients import Standing, standing_of
from mirror.work.leases import Status
from tests.reports.looking import said, url
from tests.reports.working import deliver, due, make, save_report, work_off
from tests.test_docs import settings_read

pytestmark = pytest.mark.django_db(transaction=True)

OUT = "client@outside.example"


@pytest.fixture
def company(settings) -> None:
    """The settings as they come, of a company that sends from company.example."""
    settings.MAIL_DOMAINS = []
    settings.MAIL_FROM = "Mirror <reports@company.example>"


@pytest.fixture
def report(company, post, alice, saved):
    return save_report(alice, saved, to=["colleague@company.example", OUT], title="Buy pills now", formats=[])


def run(report) -> dict[str, Delivery]:
    """Let a scheduled time come and do all that follows; the deliveries of that run by recipient."""
    due(report, timezone.now())
    services.reports_due_make()
    made = make(report.runs.filter(status=Status.QUEUED).get())
    work_off()
    work_off()
    return {row.to: row for row in made.deliveries.filter(about="report")}


def texts(post, to: str) -> list[str]:
    return [mail.message.get_body(("plain",)).get_content() for mail in post.mails(to)]


def link(text: str) -> str:
    found = re.search(r"http://127\.0\.0\.1:8000(/reports/mails/\S+)", text)
    assert found, text
    return found[1]


# ---------------------------------------------------------------- asked once


def test_an_outside_address_is_asked_once_and_gets_nothing_before_it_said_yes(report, post, client) -> None:
    rows = run(report)
    assert rows["colleague@company.example"].state == "sent"
    (question,) = texts(post, OUT)
    assert "Please confirm" in str(post.mails(OUT)[0].message["Subject"])
    assert "Alice (alice) wants to send you reports from 127.0.0.1:8000" in question
    assert "pills" not in question, "nothing that somebody typed about the report"
    held = rows[OUT]
    assert (held.state, held.held_for, held.status, held.attempts) == ("held", "consent", Status.QUEUED, 0)
    words = held.answers[-1]["answer"]
    assert (
        f"{OUT} is an outside address and has not said yet that it wants these mails. A mail that asks it was queued on"
        in words
    )
    page = link(question)
    for _ in range(3):
        assert "Do you want reports by mail?" in said(client.get(page))
        client.head(page)
        client.get(page + "stop/")
    assert Consent.objects.get().state == "asked", "a link that is opened answers nothing"
    assert "You get reports" in said(client.post(page, {"answer": "yes"}))
    work_off()
    held.refresh_from_db()
    assert held.state == "sent"
    assert len(texts(post, OUT)) == 2
    assert run(report)[OUT].state == "sent"
    assert len(texts(post, OUT)) == 3


def test_however_many_reports_runs_and_workers_hold_it_back_the_question_is_one_mail(
    report, post, alice, saved
) -> None:
    other = save_report(alice, saved, to=[OUT], title="Other", formats=[])
    for _ in range(3):
        run(report)
        run(other)
    assert len(texts(post, OUT)) == 1
    assert Consent.objects.get().asks == 1

    due(report, timezone.now())
    services.reports_due_make()
    rows = make(report.runs.filter(status=Status.QUEUED).get()).deliveries.all()
    Consent.objects.all().delete()

    def worker(pk: int) -> None:
        try:
            deliver(Delivery.objects.get(pk=pk))
        finally:
            connection.close()

    waiting = Delivery.objects.filter(to=OUT, status=Status.QUEUED)
    waiting.update(not_before=None)
    with ThreadPoolExecutor(6) as threads:
        list(threads.map(worker, [row.pk for row in {*rows, *waiting}]))
    work_off()
    assert Consent.objects.get().asks == 1
    assert len(texts(post, OUT)) == 2


def test_of_all_that_waited_the_latest_goes_out(report, post, client) -> None:
    first, second, third = (run(report)[OUT] for _ in range(3))
    client.post(link(texts(post, OUT)[0]), {"answer": "yes"})
    work_off()
    for row in (first, second, third):
        row.refresh_from_db()
    assert [row.state for row in (first, second, third)] == ["given_up", "given_up", "sent"]
    assert first.answers[-1]["answer"] == "A later run goes to this place, so this one does not."
    assert len(texts(post, OUT)) == 2


def test_who_does_not_answer_is_asked_thrice_a_week_apart_and_what_waits_is_given_up(
    report, post, alice
) -> None:
    alice.email = "alice@company.example"
    alice.save()
    with time_machine.travel(timezone.now(), tick=True) as clock:
        held = run(report)[OUT]
        for day in range(1, 40):
            clock.shift(timedelta(days=1))
            work_off()
            work_off()
            if day in (6, 7, 13, 14):
                assert len(texts(post, OUT)) == {6: 1, 7: 2, 13: 2, 14: 2}[day]
        held.refresh_from_db()
        assert (held.state, held.status) == ("given_up", Status.DONE)
        assert "waited 14 days, and its recipient has not confirmed" in held.answers[-1]["answer"]
        assert any(OUT in text for text in texts(post, "alice@company.example")), "the owner is told"
        for _ in range(4):
            clock.shift(timedelta(days=8))
            run(report)
        assert len(texts(post, OUT)) == 3


def test_many_addresses_of_one_mailbox_are_not_all_asked(company, post, alice, saved) -> None:
    to = [f"client+{n}@outside.example" for n in range(20)]
    run(save_report(alice, saved, to=to, formats=[]))
    assert len(post.mails()) == 3
    held = Delivery.objects.filter(about="report", state="held")
    assert held.count() == 20
    assert sum("other addresses of the same mailbox" in row.answers[-1]["answer"] for row in held) == 17


def test_new_addresses_are_bounded_by_the_day_and_administrators_are_told(
    company, post, alice, admin, saved, settings, as_admin
) -> None:
    admin.email = "admin@company.example"
    admin.save()
    settings.MAIL_ASKS_PER_DAY = 5
    report = save_report(alice, saved, to=[f"p{n}@outside.example" for n in range(12)], formats=[])
    run(report)
    asked = {mail.to[0] for mail in post.mails()} - {"admin@company.example"}
    assert len(asked) == 5
    held = [row.answers[-1]["answer"] for row in Delivery.objects.filter(about="report", state="held")]
    assert (
        sum("reports of alice have asked 5 new outside addresses within a day" in words for words in held)
        == 7
    )
    (notice,) = texts(post, "admin@company.example")
    assert "Reports of alice have asked 5 new outside addresses within a day" in notice
    assert "Reports of alice have asked 5 new outside addresses" in said(as_admin.get(url("sending")))
    with time_machine.travel(timezone.now() + timedelta(hours=25), tick=True):
        work_off()
        work_off()
        asked = {mail.to[0] for mail in post.mails()} - {"admin@company.example"}
        assert len(asked) == 10


# ---------------------------------------------------------------- stopped for good


@pytest.mark.parametrize("way", ["no", "stop", "mail program"])
def test_who_says_no_gets_nothing_any_more_whatever_is_allowed_later(
    report, post, alice, saved, client, as_alice, admin, way
) -> None:
    held = run(report)[OUT]
    page = link(texts(post, OUT)[0])
    if way == "no":
        client.post(page, {"answer": "no"})
    elif way == "stop":
        client.post(page + "stop/")
    else:
        # RFC 8058: no cookie, no token of a form.
        strict = Client(enforce_csrf_checks=True)
        assert strict.post(page + "stop/", {"List-Unsubscribe": "One-Click"}).status_code == 200
    work_off()
    held.refresh_from_db()
    assert (held.state, held.answers[-1]["answer"]) == (
        "given_up",
        f"{OUT} asked for no more mails from here, so none is sent there.",
    )
    client.post(page, {"answer": "yes"})
    services.allowance_add("domain", "outside.example", admin)
    services.allowance_add("address", OUT, admin)
    assert standing_of(OUT.upper()) is Standing.STOPPED
    assert OUT not in run(report)
    assert len(texts(post, OUT)) == 1
    assert "Asked for no more mails, so none is sent there: client@outside.example" in said(
        as_alice.get(url("report", report.pk))
    )
    with pytest.raises(services.ReportError, match="asked for no more mails from here"):
        save_report(alice, saved, to=[OUT])


def test_the_answer_of_a_form_needs_the_forms_own_token(report, post) -> None:
    run(report)
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(link(texts(post, OUT)[0]), {"answer": "yes"}).status_code == 403
    assert Consent.objects.get().state == "asked"


def test_every_mail_to_an_outside_address_has_a_way_to_stop_it_and_colleagues_need_none(
    report, post, client
) -> None:
    run(report)
    client.post(link(texts(post, OUT)[0]), {"answer": "yes"})
    work_off()
    mail, text = post.mails(OUT)[1], texts(post, OUT)[1]
    place = link(text.split("Stop these mails for good:")[1])
    assert place.endswith("/stop/")
    assert str(mail.message["List-Unsubscribe"]) == f"<http://127.0.0.1:8000{place}>"
    assert str(mail.message["List-Unsubscribe-Post"]) == "List-Unsubscribe=One-Click"
    assert b"=?utf-8" not in mail.raw.split(b"List-Unsubscribe:")[1].split(b"\nList-")[0]
    assert place in mail.message.get_body(("html",)).get_content()
    assert "Stop mails from here?" in said(client.get(place))
    client.post(place)
    assert Consent.objects.get().state == "stopped"
    inside = post.mails("colleague@company.example")[0]
    assert inside.message["List-Unsubscribe"] is None
    assert "Stop these mails" not in texts(post, "colleague@company.example")[0]


@pytest.mark.parametrize("change", ["", "x", "e30:AAAA"])
def test_a_link_that_was_made_up_does_nothing(report, post, client, change) -> None:
    run(report)
    token = consent_token(OUT)
    for made_up in (change or token[:-1], token[:-2] + "aa", token.swapcase()):
        for name in ("consent", "consent_stop"):
            for verb in (client.get, client.post):
                assert verb(url(name, made_up), {"answer": "yes"}).status_code == 404
    assert Consent.objects.get().state == "asked"


def test_what_says_yes_or_no_never_stands_in_a_log(report, post) -> None:
    run(report)
    token = consent_token(OUT)
    record = logging.LogRecord("x", 20, "", 0, "GET %s 200", (f"/reports/mails/{token}/stop/",), None)
    WithoutTokens().filter(record)
    assert record.getMessage() == "GET /reports/mails/.../stop/ 200"


# ---------------------------------------------------------------- who is inside


def test_who_is_asked_and_who_is_not(company, settings, admin) -> None:
    user_create("dora", email="Dora@Freelance.example")
    left = user_create("left", email="left@freelance.example")
    left.is_active = False
    left.save()

    def standings(*addresses: str) -> list[str]:
        return [standing_of(address).name for address in addresses]

    assert standings("a@company.example", "A@COMPANY.example") == ["INSIDE", "INSIDE"]
    assert standings("a@mail.company.example", "a@company.example.evil.example") == ["ASKED", "ASKED"]
    assert standings("dora@freelance.example", "left@freelance.example") == ["INSIDE", "ASKED"]
    settings.MAIL_FROM = "Mirror <us@gmail.com>"
    assert standings("somebody@gmail.com", "a@company.example") == ["ASKED", "ASKED"]
    settings.MAIL_FROM = "Mirror <reports@company.example>"
    services.allowance_add("domain", "Partner.Example", admin)
    assert standings("a@partner.example", "a@company.example", OUT) == ["INSIDE", "INSIDE", "REFUSED"]
    services.allowance_add("address", OUT, admin)
    assert standings(OUT, "dora@freelance.example") == ["ASKED", "INSIDE"]


def test_an_address_that_somebody_typed_of_themselves_is_asked_like_any_other(
    company, post, alice, saved
) -> None:
    report = save_report(alice, saved, formats=[])
    user_address(alice, "victim@outside.example")
    for _ in range(3):
        services.report_test(report, alice)
        work_off()
        work_off()
    assert len(post.mails()) == 1
    assert "wants to send you reports" in texts(post, "victim@outside.example")[0]
    user_address(alice, "alice@company.example")
    services.report_test(report, alice)
    work_off()
    assert len(post.mails("alice@company.example")) == 1
    administrator = user_create("root", is_staff=True)
    user_address(administrator, "root@outside.example")
    assert standing_of("root@outside.example") is Standing.INSIDE


def test_a_list_of_domains_refuses_others_at_the_form_and_when_it_is_narrowed_at_sending(
    company, post, alice, saved, settings, as_alice, admin
) -> None:
    settings.MAIL_DOMAINS = ["company.example", "outside.example"]
    report = save_report(alice, saved, to=["a@company.example", OUT], formats=[])
    assert run(report)[OUT].state == "sent"
    settings.MAIL_DOMAINS = ["company.example"]
    row = run(report)[OUT]
    assert row.state == "given_up"
    refused = f"{OUT} is outside of the domains that mails may go to (company.example). An administrator may allow it."
    assert row.answers[-1]["answer"] == refused
    typed = {
        "title": "Kept title", "note": "A note that stays", "condition": "always", "keep_days": "30", "pause_after": "5",
        "part": "0", "part-0-saved": str(saved.pk), "part-0-name": saved.name, "kind": "", "zone": "UTC", "missed": "last",
        "channel": "0", "channel-0-kind": "mail", "channel-0-to": f"a@company.example, {OUT}, nonsense",
    }  # fmt: skip
    answer = as_alice.post(url("new"), typed)
    assert answer.status_code == 422
    assert "“nonsense” is not a mail address. " + refused in said(answer)
    for kept in ("Kept title", "A note that stays", f"a@company.example, {OUT}, nonsense"):
        assert kept in answer.content.decode()
    with pytest.raises(services.ReportError, match="outside of the domains"):
        save_report(alice, saved, to=[OUT])
    services.allowance_add("address", OUT, admin)
    assert run(report)[OUT].state == "held", "allowed to be named, and asked all the same"
    assert len(post.mails(OUT)) == 2
    services.allowance_add("domain", "outside.example", admin)
    work_off()
    assert len(post.mails(OUT)) == 3, "what waited goes out once its domain is allowed"


def test_the_form_says_who_may_get_mails(company, as_alice, saved, settings, mail) -> None:
    page = as_alice.get(url("new"), {"saved": saved.pk}).content.decode()
    assert "200 at most. Outside addresses are asked once by mail" in page or settings.EMAIL_HOST == ""
    form = said(as_alice.post(url("new"), {"change": "add:mail"}))
    assert "Outside addresses are asked once by mail, and get nothing before they said yes." in form
    settings.MAIL_DOMAINS = ["company.example"]
    form = said(as_alice.post(url("new"), {"change": "add:mail"}))
    assert "Addresses of people here and of allowed domains; an administrator may allow others." in form


def test_recipients_and_channels_of_a_report_are_bounded_by_settings(
    company, post, alice, saved, settings
) -> None:
    many = [f"p{n}@company.example" for n in range(150)]
    two = [("mail", {"to": many[:100]}, None), ("mail", {"to": many}, None)]
    assert len(save_report(alice, saved, channels=two).channels.all()) == 2, "the same ones count once"
    two[1] = ("mail", {"to": [f"q{n}@company.example" for n in range(101)]}, None)
    with pytest.raises(services.ReportError, match="These are 201 recipients; a report goes to 200 at most"):
        save_report(alice, saved, channels=two)
    hooks = [("folder", {"path": f"f{n}"}, None) for n in range(11)]
    with pytest.raises(services.ReportError, match="at most 10 channels; this has 11"):
        save_report(alice, saved, channels=hooks)
    settings.REPORT_RECIPIENTS, settings.REPORT_CHANNELS = 2, 1
    with pytest.raises(services.ReportError, match="a report goes to 2 at most"):
        save_report(alice, saved, to=many[:3])
    with pytest.raises(services.ReportError, match="at most 1 channels"):
        save_report(alice, saved, channels=hooks[:2])


@pytest.mark.parametrize(
    ("name", "default"),
    [
        ("MAIL_DOMAINS", []),
        ("MAILS_PER_HOUR", 200),
        ("CALLS_PER_HOUR", 600),
        ("MAIL_ASKS_PER_DAY", 50),
        ("REPORT_RECIPIENTS", 200),
        ("REPORT_CHANNELS", 10),
        ("REPORT_LEAST_MINUTES", 15),
        ("WEBHOOK_HOSTS", []),
    ],
)
def test_what_the_settings_are_where_nobody_chose_any(name, default) -> None:
    import ast

    assert ast.literal_eval(settings_read()[name].keywords[0].value) == default


# ---------------------------------------------------------------- the page of administrators


def test_an_administrator_allows_and_takes_back_and_others_are_refused(
    company, as_admin, as_alice, admin, mail
) -> None:
    def allow(kind: str, value: str):
        return as_admin.post(url("allow"), {"kind": kind, "value": value}, follow=True)

    assert "partner.example is allowed." in said(allow("domain", " @Partner.Example. "))
    assert "xn--bcher-kva.example is allowed." in said(allow("domain", "bücher.example"))
    assert "10.1.2.3:8443 is allowed." in said(allow("host", "10.1.2.3:8443"))
    assert "is allowed already" in said(allow("host", "10.1.2.3:8443"))
    for kind, wrong, words in [
        ("domain", "not a domain", "“not a domain” is not a domain such as example.com."),
        ("domain", "a@b@c", "is not a domain"),
        ("address", "nobody", "“nobody” is not a mail address."),
        ("host", "https://hooks.internal/x", "without https:// and without a path"),
        ("host", "<script>", "is not a host"),
        ("planet", "mars", ""),
    ]:
        answer = allow(kind, wrong)
        assert answer.status_code == 422
        assert words in said(answer)
        if words:
            assert f'value="{wrong.replace("<", "&lt;").replace(">", "&gt;")}"' in answer.content.decode()
    page = said(as_admin.get(url("sending")))
    for words in (
        "partner.example allowed by admin",
        "company.example the domain of MAIL_FROM, always",
        "200 an hour",
    ):
        assert words in page
    kept = Allowance.objects.get(value="partner.example")
    assert as_alice.post(url("disallow", kept.pk)).status_code == 403
    assert "partner.example is no longer allowed" in said(
        as_admin.post(url("disallow", kept.pk), follow=True)
    )
    assert reverse("reports:sending") in as_admin.get(reverse("people:people")).content.decode()
    assert reverse("reports:sending") not in as_alice.get(reverse("people:teams")).content.decode()


def test_a_host_that_an_administrator_allowed_is_everybodys(company, alice, admin, saved, as_alice) -> None:
    hook = [("webhook", {"url": "https://127.0.0.1:8443/in"}, None)]
    with pytest.raises(services.ReportError, match="private network, and no administrator has allowed it"):
        save_report(alice, saved, channels=hook)
    kept = services.allowance_add("host", "127.0.0.1:8443", admin)
    report = save_report(alice, saved, channels=hook, formats=[])
    services.allowance_remove(kept, admin)
    row = run(report)["https://127.0.0.1:8443/in"]
    assert row.state == "given_up"
    assert "no administrator has allowed it" in row.answers[-1]["answer"]


def test_an_administrators_webhook_may_be_in_a_private_network_until_the_report_is_handed_over(
    company, alice, admin, shop, saved
) -> None:
    alice.is_staff = True
    alice.save()
    hook = [("webhook", {"url": "https://127.0.0.1:1/in"}, None)]
    report = save_report(alice, saved, channels=hook, formats=[])
    assert "Connection refused" in run(report)["https://127.0.0.1:1/in"].answers[-1]["answer"]
    alice.is_staff = False
    alice.save()
    report.refresh_from_db()
    rows = report.runs.order_by("pk")
    assert run(report)["https://127.0.0.1:1/in"].state == "given_up"
    assert rows.count() == 2
