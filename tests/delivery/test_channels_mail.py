"""Mail handed to a real server in a process of its own: taken, refused, put off, hung up on, timed out."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from mirror.delivery import channels
from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.parcel import Attachment
from tests.delivery.parcels import CSV, attachment, parcel, png
from tests.mail_server import MailServer
from tests.server_processes import certificate_for, free_port

TO = "bob@example.org"


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MailServer]:
    with MailServer(tmp_path_factory.mktemp("mail"), most_bytes=3_000_000) as server:
        yield server


@pytest.fixture
def server(running: MailServer, settings) -> MailServer:
    """The server, with nothing in it and no orders, and the settings that lead to it."""
    running.forget()
    settings.EMAIL_HOST, settings.EMAIL_PORT = running.host, running.port
    settings.MAIL_FROM = "Mirror <reports@mirror.example.org>"
    settings.EMAIL_TIMEOUT = 0.3
    return running


def deliver(to: str = TO, before=None, **changed) -> str:
    return channels.deliver("mail", {"to": [to]}, "", parcel(**changed), to, before)


def failure(to: str = TO, before=None, **changed) -> DeliveryFailed:
    with pytest.raises(DeliveryFailed) as caught:
        deliver(to, before, **changed)
    return caught.value


# ---------------------------------------------------------------- taken


def test_a_mail_arrives_once_and_whole(server):
    answer = deliver()
    (mail,) = server.mails()
    assert "queued" in answer
    assert mail.sender == "reports@mirror.example.org"
    assert mail.to == (TO,)
    (file,) = mail.message.iter_attachments()
    assert base64.b64decode(file.get_payload()) == CSV
    image = next(part for part in mail.message.walk() if part.get_content_type() == "image/png")
    assert image.get_content() == png()


def test_the_caller_is_told_when_only_the_last_dot_is_missing(server):
    moments = []
    deliver(before=lambda: moments.extend(server.log()))
    assert moments[-1] == "data"
    assert server.log()[-2:] == ["dot", "taken"]


def test_a_caller_that_stops_there_has_sent_nothing(server):
    class Lost(Exception):
        pass

    def stop() -> None:
        raise Lost

    with pytest.raises(Lost):
        deliver(before=stop)
    deliver("carol@example.org")
    assert [mail.to for mail in server.mails()] == [("carol@example.org",)]
    assert server.log().count("dot") == 1


def test_two_hundred_recipients_get_one_each_and_see_no_other(server):
    typed = ", ".join(f"Person{i}@Example.org" for i in range(200))
    cleaned = channels.check("mail", {"to": f"{typed}; PERSON7@example.ORG\n"}, "", by_staff=False)
    everyone = channels.describe("mail", cleaned)
    assert len(everyone) == 200
    for to in everyone:
        deliver(to)
    assert sorted(mail.to for mail in server.mails()) == sorted((to,) for to in everyone)
    assert all(str(mail.message["To"]) == mail.to[0] for mail in server.mails())


def test_files_larger_than_the_server_takes_are_linked_instead(server):
    deliver(files=(attachment("large.bin", b"x" * 2_500_000), attachment("small.bin", b"y")))
    (mail,) = server.mails()
    assert [file.get_filename() for file in mail.message.iter_attachments()] == ["small.bin"]
    assert "large.bin" in mail.message.get_body(("plain",)).get_content()


def test_a_file_that_cannot_be_read_is_said_and_nothing_is_sent(server, tmp_path: Path):
    gone = Attachment("gone.csv", "text/csv", 1, lambda: (tmp_path / "gone.csv").open("rb"))
    assert "The file gone.csv cannot be read: No such file" in str(failure(files=(gone,)))
    assert server.log()[-1] == "data"
    assert server.mails() == []


# ---------------------------------------------------------------- refused, put off


@pytest.mark.parametrize(
    ("reply", "is_refused"),
    [
        ("550 5.1.1 No such user here", True),
        ("550 No such user here", True),
        ("552 5.2.2 Mailbox full", True),
        ("550 5.7.1 Relaying denied", False),
        ("530 5.7.0 Authentication required", False),
    ],
)
def test_a_recipient_that_is_refused_is_told_apart_from_a_refusal_of_ours(server, reply, is_refused):
    server.orders(refuse={TO: reply})
    failed = failure()
    assert failed.is_permanent
    assert failed.is_refused == is_refused
    assert reply[4:] in str(failed)
    deliver("carol@example.org")
    assert [mail.to for mail in server.mails()] == [("carol@example.org",)]


def test_a_recipient_that_is_put_off_gets_it_the_next_time(server):
    server.orders(first={TO: "451 4.7.1 Greylisted, try again later"})
    failed = failure()
    assert not failed.is_permanent
    assert not failed.is_refused
    assert "Greylisted" in str(failed)
    deliver()
    assert len(server.mails()) == 1


@pytest.mark.parametrize(
    ("orders", "words", "is_permanent", "is_refused"),
    [
        ({"sender": "550 5.7.1 Sender not allowed"}, "refused the sender", True, False),
        ({"sender": "421 4.3.2 Shutting down"}, "for now", False, False),
        ({"mail": "554 5.6.0 Looks like spam"}, "Looks like spam", True, False),
        ({"mail": "550 5.1.1 No such user after all"}, "No such user", True, True),
        ({"mail": "452 4.3.1 Disk full"}, "Disk full", False, False),
        ({"greeting": "554 5.3.2 No service"}, "turned us away", False, False),
    ],
)
def test_what_the_server_says_is_said(server, orders, words, is_permanent, is_refused):
    server.orders(**orders)
    failed = failure()
    assert words in str(failed)
    assert (failed.is_permanent, failed.is_refused) == (is_permanent, is_refused)
    assert server.mails() == []


# ---------------------------------------------------------------- hung up, timed out


@pytest.mark.parametrize(
    ("moment", "how", "words", "taken"),
    [
        ("before_data", "close", "closed the connection before the mail was sent", 0),
        ("in_data", "close", "closed the connection before the mail was sent", 0),
        ("after_dot", "close", "it may have arrived", 0),
        ("after_taking", "close", "it may have arrived", 1),
        ("before_data", "hang", "stopped answering before the mail was sent", 0),
        ("after_dot", "hang", "stopped answering after the mail was sent; it may have arrived", 0),
    ],
)
def test_a_connection_that_ends_half_way_says_whether_it_may_have_arrived(server, moment, how, words, taken):
    server.orders(**{moment: how})
    told = []
    # Larger than what a system keeps on the way, so that a closed connection is seen while sending.
    failed = failure(before=lambda: told.append(True), files=(attachment("a.bin", b"x" * 1_500_000),))
    assert words in str(failed)
    assert not failed.is_permanent
    assert bool(told) == ("may have arrived" in words)
    assert len(server.mails()) == taken


def test_a_server_that_looks_long_at_a_mail_is_waited_for(server):
    server.orders(slow=0.8)
    deliver()
    assert len(server.mails()) == 1


def test_a_second_copy_has_the_same_name_and_the_same_bytes(server):
    server.orders(after_taking="close")
    failure()
    server.orders()
    deliver(attempt=2)
    first, second = server.mails()
    assert first.raw == second.raw


def test_an_answer_without_end_is_said(server):
    server.orders(mail="250 " + "x" * 10_000)
    assert "cannot be read after the mail was sent; it may have arrived" in str(failure())
    server.orders(refuse={TO: "550 " + "x" * 10_000})
    assert "cannot be read before the mail was sent" in str(failure())


@pytest.mark.parametrize(
    "to", ["", "bob", "bob@example.org\r\nRCPT TO:<all@example.org>", "jösé@example.org"]
)
def test_an_address_that_was_never_looked_at_is_refused_before_anyone_is_called(server, to):
    failed = failure(to)
    assert failed.is_refused
    assert server.log() == []


def test_nobody_at_the_door_is_said(server, settings):
    settings.EMAIL_PORT = free_port()
    assert "could not be reached: Connection refused" in str(failure())


# ---------------------------------------------------------------- settings


def test_without_a_mail_server_it_is_said_when_saving_and_when_sending(settings):
    settings.EMAIL_HOST = ""
    failed = failure()
    assert "No mail server is set" in str(failed)
    assert not failed.is_permanent, "what waits is sent once a server is set"
    with pytest.raises(ChannelError, match="No mail server is set"):
        channels.check("mail", {"to": TO}, "", by_staff=False)


def test_a_sender_that_is_no_address_is_said(server, settings):
    settings.MAIL_FROM = "nobody"
    assert "MAIL_FROM" in str(failure())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("certificate")
    paths = folder / "cert.pem", folder / "key.pem"
    for path, content in zip(paths, certificate_for("127.0.0.1"), strict=True):
        path.write_bytes(content)
    return paths


def test_a_login_over_starttls_works_and_is_refused_in_words(
    server, settings, certificate, tmp_path, monkeypatch
):
    settings.EMAIL_USE_TLS = True
    settings.EMAIL_HOST_USER, settings.EMAIL_HOST_PASSWORD = "mirror", "right horse"
    settings.EMAIL_TIMEOUT = 5
    with MailServer(tmp_path, login=("mirror", "right horse"), certificate=certificate) as secured:
        settings.EMAIL_PORT = secured.port
        assert "certificate is not accepted" in str(failure())
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
        deliver()
        settings.EMAIL_HOST_PASSWORD = "wrong horse"
        failed = failure()
        assert "refused the login" in str(failed)
        assert "horse" not in str(failed)
        assert len(secured.mails()) == 1


def test_tls_from_the_start_works_and_its_absence_is_said(
    server, settings, certificate, tmp_path, monkeypatch
):
    settings.EMAIL_USE_SSL = True
    settings.EMAIL_TIMEOUT = 5
    assert "does not speak TLS" in str(failure())
    settings.EMAIL_USE_SSL, settings.EMAIL_USE_TLS = False, True
    assert "does not offer what the settings ask for" in str(failure())
    settings.EMAIL_USE_SSL, settings.EMAIL_USE_TLS = True, False
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    with MailServer(tmp_path, certificate=certificate, tls_from_the_start=True) as secured:
        settings.EMAIL_PORT = secured.port
        deliver()
        assert len(secured.mails()) == 1


# ---------------------------------------------------------------- recipients


@pytest.mark.parametrize(
    "typed",
    [
        "", " , ;", "alice", "alice@", "@example.org", "a b@example.org", "alice@example.org\r\nBcc: x@example.org",
        "Alice <alice@example.org>", '"quoted"@example.org', "jösé@example.org", "a@b..c", "a" * 250 + "@example.org",
        ["alice@example.org", "no\nbody"], "alice@exa\x00mple.org",
    ],
)  # fmt: skip
def test_what_is_no_address_is_said(typed, server):
    with pytest.raises(ChannelError) as caught:
        channels.check("mail", {"to": typed}, "", by_staff=False)
    assert caught.value.field == "to"
    assert "\n" not in str(caught.value)


def test_too_many_recipients_are_refused_in_words(server):
    typed = [f"p{i}@example.org" for i in range(201)]
    with pytest.raises(ChannelError, match="201 recipients; a report goes to 200 at most"):
        channels.check("mail", {"to": typed}, "", by_staff=False)


def test_a_domain_beyond_ascii_is_written_as_mail_servers_know_it(server):
    cleaned = channels.check("mail", {"to": "info@bücher.example"}, "", by_staff=False)
    assert cleaned == {"to": ["info@xn--bcher-kva.example"]}
