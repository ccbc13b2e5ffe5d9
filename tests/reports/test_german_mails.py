"""Mails and files in the language of who gets them: of the person with the address, of the report's owner where nobody here has it."""

from __future__ import annotations

from email.message import EmailMessage

import pytest
from django.utils.translation import get_language, override

from mirror.library.models import LEFT_OUT
from mirror.reports import services
from mirror.reports.making.report_runs import BROKEN
from mirror.reports.models import Delivery, ReportFile, ReportRun
from mirror.reports.schedule.checks import ScheduleError
from mirror.reports.schedule.times import Schedule
from tests.reports.working import deliver, save_report, work_off

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def people(alice, bob) -> None:
    """Alice reads German, Bob English; both have addresses."""
    for person, language in ((alice, "de"), (bob, "en")):
        person.email, person.language = f"{person.username}@example.com", language
        person.save()


def text_of(message: EmailMessage, kind: str = "plain") -> str:
    """One of the two bodies of a mail."""
    return message.get_body((kind,)).get_content()


def mailed(post, report, to: str) -> EmailMessage:
    """Make the report and give the mail that went there."""
    services.report_run_now(report, report.owner)
    work_off()
    (mail,) = post.mails(to)
    return mail.message


def test_each_recipient_reads_the_same_report_in_their_own_language(people, alice, post, saved) -> None:
    report = save_report(alice, saved, to=["alice@example.com", "bob@example.com"])
    mails = {"de": mailed(post, report, "alice@example.com"), "en": post.mails("bob@example.com")[0].message}
    for kind in ("plain", "html"):
        german, english = text_of(mails["de"], kind), text_of(mails["en"], kind)
        assert "Sie erhalten dies als Empfänger dieses Berichts." in german
        assert "Sent to you as a recipient of this report." in english
        assert "Stand: " in german and "Data of " in english
        assert "5 Zeilen" in german and "5 rows" in english
        assert "Sent to you" not in german and "Sie erhalten" not in english
    assert '<html lang="de">' in text_of(mails["de"], "html")
    assert '<html lang="en">' in text_of(mails["en"], "html")
    assert get_language() == "en", "the worker's own language is as it was"


def test_an_address_of_nobody_here_is_written_to_in_the_language_of_the_owner(
    people, alice, post, saved, settings
) -> None:
    settings.MAIL_DOMAINS = ["example.org"]
    mail = mailed(post, save_report(alice, saved, to=["list@example.org"]), "list@example.org")
    assert "Sie erhalten dies als Empfänger dieses Berichts." in text_of(mail)


def test_a_failure_is_told_in_german_and_its_row_stays_in_english(people, alice, post, saved) -> None:
    run = ReportRun.objects.create(
        report=save_report(alice, saved), cause="schedule", status="done", outcome="failed", reason=BROKEN
    )
    deliver(Delivery.objects.create(run=run, kind="mail", about="failed", to=alice.email))
    ((mail,),) = (post.mails(alice.email),)
    assert str(mail.message["Subject"]).startswith("Fehlgeschlagen: ")
    text = text_of(mail.message)
    assert "Dieser Bericht ist gescheitert" in text
    assert "ist in Mirror selbst etwas schiefgegangen" in text and BROKEN not in text
    run.refresh_from_db()
    assert run.reason == BROKEN


def test_files_are_in_the_language_of_the_owner(people, alice, post, saved) -> None:
    saved.draft = LEFT_OUT.format(words="“heavy”")
    saved.save()
    report = save_report(alice, saved, to=["alice@example.com"])
    mail = mailed(post, report, "alice@example.com")
    said = "Dieses SQL wurde aus einem Entwurf gespeichert. Ausgelassen wurde: “heavy”."
    file = ReportFile.objects.get()
    assert file.name.startswith("entwurf-") and said in " ".join(file.notes)
    assert said in " ".join(text_of(mail).split())


def test_a_schedule_is_said_and_refused_in_the_language_of_the_moment() -> None:
    schedule = Schedule.from_json(
        {"kind": "nth_weekday", "nth": "first", "days": ["mon"], "time": "08:00", "zone": "UTC"}
    )
    with override("de"):
        assert schedule.words() == "Am ersten Montag jedes Monats um 08:00 (UTC)"
        with pytest.raises(ScheduleError, match="ist keine Zeitzone. Meinten Sie Europe/Oslo"):
            Schedule("daily", "Europe/Olso")
    assert schedule.words() == "On the first Monday of every month at 08:00 (UTC)"
