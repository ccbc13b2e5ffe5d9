"""Mails and files in the language of who gets them: of the person with the address, of the report's owner where nobody here has it."""

from __future__ import annotations

from email.message import EmailMessage
from io import BytesIO

import pytest
from django.core.files.storage import default_storage
from django.utils.translation import get_language, override
from pypdf import PdfReader

from mirror.library.models import LEFT_OUT
from mirror.reports import services
from mirror.reports.making.report_files import folders_tidy
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


def test_files_and_pictures_are_in_the_language_of_who_gets_them(people, alice, as_bob, post, saved) -> None:
    """An English reader of a German owner's report got German files, and a German picture."""
    report = save_report(
        alice, saved, to=["alice@example.com", "Bob@example.com", "list@example.org"], formats=["pdf", "xlsx"]
    )
    services.report_run_now(report, alice)
    work_off()
    run = ReportRun.objects.get()
    assert sorted(run.files.values_list("language", "format")) == [
        ("", "pdf"),
        ("", "xlsx"),
        ("en", "pdf"),
        ("en", "xlsx"),
    ]
    mails = {to: post.mails(f"{to}@example.com")[0].message for to in ("alice", "Bob")}
    for to, said, other in (("alice", "Daten vom ", "Data of"), ("Bob", "Data of", "Daten vom ")):
        pdf = next(
            part for part in mails[to].iter_attachments() if part.get_content_type() == "application/pdf"
        )
        text = PdfReader(BytesIO(pdf.get_payload(decode=True))).pages[0].extract_text()
        assert said in text and other not in text
        assert len(list(mails[to].iter_attachments())) == 2
    part = run.parts.get()
    pictures = {
        to: [one.get_payload(decode=True) for one in mail.walk() if one.get_content_type() == "image/png"]
        for to, mail in mails.items()
    }
    assert (
        part.image_in("en").read() == pictures["Bob"][0] != pictures["alice"][0] == part.image_in("de").read()
    )

    files = [part.image.name, *part.images.values(), *(one.file.name for one in run.files.all())]
    assert len(files) == 6 and all(default_storage.exists(name) for name in files)
    services.report_delete(report, by=alice)
    folders_tidy()
    assert not any(default_storage.exists(name) for name in files)


def test_a_test_to_somebody_has_files_in_their_language_alone(people, alice, post, saved) -> None:
    services.report_test(save_report(alice, saved, to=["bob@example.com"]), alice)
    work_off()
    assert [one.language for one in ReportFile.objects.all()] == [""]


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
