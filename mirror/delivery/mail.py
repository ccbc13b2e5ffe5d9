"""Mail over SMTP: one message a recipient, handed over so that little can happen twice.

A server has taken a mail when it has the dot that ends it (RFC 5321, 4.2.5). The dot is sent by itself, after all
else, right after the caller was told; a worker that dies before it has sent nothing that arrives. Between the dot
and its answer a second copy is possible and unavoidable; it has the same Message-ID.
"""

from __future__ import annotations

import contextlib
import re
import smtplib
import socket
import ssl
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail.backends.smtp import EmailBackend
from django.core.validators import validate_email
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.mail_letter import Letter, compose, sender
from mirror.delivery.parcel import Parcel
from mirror.delivery.parcel_words import ANSWER_CHARS
from mirror.delivery.reach import NOWHERE, Reach
from mirror.phrases import one_line

NO_SERVER = gettext_noop(
    "No mail server is set, so no mail can be sent. The administrator of this server sets EMAIL_HOST and MAIL_FROM."
)
# Servers look through a mail before they answer its last dot; RFC 5321 (4.5.3.2.6) asks for ten minutes, a worker
# has less to give.
_PATIENCE = 5


def check(target: Mapping[str, Any], secret: str, *, by_staff: bool, reach: Reach) -> dict[str, Any]:
    """Clean the recipients: a list, or one text with commas, semicolons, spaces or lines between.

    Each stands once, whatever its letter case. Raises: ChannelError.
    """
    typed = target.get("to", "")
    words = re.split(r"[\s,;]+", typed) if isinstance(typed, str) else [str(word).strip() for word in typed]
    found: dict[str, str] = {}
    for word in filter(None, words):
        address = _address(word)
        found.setdefault(address.casefold(), address)
    if not found:
        raise ChannelError(_("Say who gets it: one address or several, with commas between."), "to")
    if len(found) > settings.REPORT_RECIPIENTS:
        raise ChannelError(
            _(
                "These are %(found)s recipients; a report goes to %(report_recipients)s at most. Use a mailing list's address."
            )
            % {"found": len(found), "report_recipients": settings.REPORT_RECIPIENTS},
            "to",
        )
    if not settings.EMAIL_HOST:
        raise ChannelError(_(NO_SERVER), "to")
    return {"to": list(found.values())}


def _address(typed: str) -> str:
    """Give an address as SMTP takes it: the domain in ASCII. Raises: ChannelError."""
    shown = one_line(typed, 80)
    local, at, domain = typed.rpartition("@")
    if len(typed) > 254 or not at:
        raise ChannelError(_("“%(shown)s” is not a mail address.") % {"shown": shown}, "to")
    if not local.isascii():
        raise ChannelError(
            _("“%(shown)s”: letters beyond ASCII before the @ are not supported.") % {"shown": shown}, "to"
        )
    try:
        address = f"{local}@{domain.encode('idna').decode()}"
        validate_email(address)
    except (UnicodeError, ValidationError):
        raise ChannelError(_("“%(shown)s” is not a mail address.") % {"shown": shown}, "to") from None
    if '"' in address:
        raise ChannelError(_("“%(shown)s”: quoted addresses are not supported.") % {"shown": shown}, "to")
    return address


def describe(target: Mapping[str, Any]) -> tuple[str, ...]:
    """Name each recipient."""
    return tuple(target.get("to", ()))


def deliver(
    target: Mapping[str, Any],
    secret: str,
    parcel: Parcel,
    to: str,
    before: Callable[[], None] | None = None,
    reach: Reach = NOWHERE,
) -> str:
    """Send one mail to one recipient and give what the server answered. Raises: DeliveryFailed."""
    if not settings.EMAIL_HOST:
        raise DeliveryFailed(NO_SERVER)
    if settings.EMAIL_USE_TLS and settings.EMAIL_USE_SSL:
        raise DeliveryFailed("EMAIL_USE_TLS and EMAIL_USE_SSL are both set; set one.")
    try:
        from_ = sender()
    except ValueError:
        raise DeliveryFailed("The setting MAIL_FROM is not a mail address.") from None
    try:
        to = _address(to)
    except ChannelError as error:
        raise DeliveryFailed(str(error), is_permanent=True, is_refused=True) from None
    connection = _connected()
    is_clean = False
    try:
        letter = _fitting(connection, parcel, to)
        answer = _hand_over(connection, from_.addr_spec, to, letter, before)
        is_clean = True
    finally:
        _close(connection, politely=is_clean)
    return answer


def _connected() -> smtplib.SMTP:
    """Connect, encrypt and sign in as the settings say. Raises: DeliveryFailed."""
    place = f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT}"
    backend = EmailBackend()
    try:
        backend.open()
        connection = backend.connection
        assert connection is not None
        connection.ehlo_or_helo_if_needed()
        if connection.sock:
            # The last dot is a packet by itself: without this it waits 40 ms for the ones before.
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection
    except ssl.SSLError as error:
        words = f"The mail server {place} could not be reached safely: {_tls_said(error)}"
    except smtplib.SMTPAuthenticationError as error:
        words = f"The mail server refused the login of EMAIL_HOST_USER: {_said(error.smtp_code, error.smtp_error)}"
    except smtplib.SMTPResponseException as error:
        words = f"The mail server {place} turned us away: {_said(error.smtp_code, error.smtp_error)}"
    except smtplib.SMTPNotSupportedError as error:
        words = (
            f"The mail server {place} does not offer what the settings ask for: {one_line(str(error), 200)}"
        )
    except smtplib.SMTPServerDisconnected as error:
        words = _hung_up(error, f"The mail server {place}")
    except TimeoutError:
        words = f"The mail server {place} did not answer within {settings.EMAIL_TIMEOUT:g} seconds."
    except OSError as error:
        words = (
            f"The mail server {place} could not be reached: {one_line(error.strerror or str(error), 200)}."
        )
    raise DeliveryFailed(words)


def _fitting(connection: smtplib.SMTP, parcel: Parcel, to: str) -> Letter:
    """Make the mail; one that is larger than the server takes is made with fewer attachments."""
    letter = compose(parcel, to)
    announced = connection.esmtp_features.get("size", "")
    most = int(announced) if announced.isdigit() else 0
    return compose(parcel, to, most) if most and letter.size > most else letter


def _hand_over(
    connection: smtplib.SMTP,
    from_: str,
    to: str,
    letter: Letter,
    before: Callable[[], None] | None,
) -> str:
    """Say who it is from and to, send it, and at last its dot. Raises: DeliveryFailed."""
    is_whole = False
    try:
        options = [f"size={letter.size}"] if connection.has_extn("size") else []
        _expect(connection.mail(from_, options), (250,), "the sender")
        _expect(connection.rcpt(to), (250, 251), to, is_recipient=True)
        _expect(connection.docmd("DATA"), (354,), "the mail")
        for block in letter.blocks():
            connection.send(block)
        if before:
            before()
        if connection.sock:
            connection.sock.settimeout(settings.EMAIL_TIMEOUT * _PATIENCE)
        is_whole = True
        connection.send(b".\r\n")
        code, answer = connection.getreply()
        _expect((code, answer), (250,), "the mail", is_late=True)
    except smtplib.SMTPServerDisconnected as error:
        after = "after the mail was sent; it may have arrived" if is_whole else "before the mail was sent"
        raise DeliveryFailed(_hung_up(error, "The mail server", after)) from None
    except smtplib.SMTPResponseException as error:
        after = "after the mail was sent; it may have arrived" if is_whole else "before the mail was sent"
        said = _said(error.smtp_code, error.smtp_error)
        raise DeliveryFailed(f"The mail server answered what cannot be read {after}: {said}") from None
    return _said(code, answer)


def _expect(
    reply: tuple[int, bytes],
    wanted: Iterable[int],
    what: str,
    *,
    is_recipient: bool = False,
    is_late: bool = False,
) -> None:
    """Let an expected answer pass. Raises: DeliveryFailed, by what the code means (RFC 5321, 4.2; RFC 3463)."""
    code, answer = reply
    if code in wanted:
        return
    said = _said(code, answer)
    if not 500 <= code < 600:
        raise DeliveryFailed(f"The mail server did not take {what} for now: {said}")
    # 5.7.x is about us (relaying, policy, signing in), whatever it is said to; 5.1.x and 5.2.x are about them.
    status = re.match(rb"5\.(\d{1,3})\.\d{1,3}\b", answer.strip())
    about = status[1] if status else b""
    is_theirs = (
        about in (b"1", b"2") if is_late else is_recipient and about not in (b"7", b"5") and code != 530
    )
    raise DeliveryFailed(f"The mail server refused {what}: {said}", is_permanent=True, is_refused=is_theirs)


def _said(code: int, answer: bytes | str) -> str:
    text = answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
    if settings.EMAIL_HOST_PASSWORD:
        text = text.replace(settings.EMAIL_HOST_PASSWORD, "…")
    return one_line(f"{code} {text}", ANSWER_CHARS)


def _tls_said(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not accepted ({one_line(error.verify_message, 120)})."
    return f"it does not speak TLS there ({one_line(error.reason or str(error), 120)})."


def _hung_up(error: smtplib.SMTPServerDisconnected, who: str, when: str = "") -> str:
    """Say how a connection ended; smtplib hides a timeout behind what it raises."""
    hidden = error.__context__ or error.__cause__
    ended = "stopped answering" if isinstance(hidden, TimeoutError) else "closed the connection"
    return f"{who} {ended} {when}.".replace(" .", ".")


def _close(connection: smtplib.SMTP, *, politely: bool) -> None:
    """Hang up; in the middle of a mail without a word, so that nothing is taken for its end."""
    with contextlib.suppress(smtplib.SMTPException, OSError):
        if politely:
            connection.quit()
            return
    connection.close()
