"""A parcel as a mail: its parts, its headers, its bytes.

Everything but the attachments is made in memory; those are read and encoded while they are sent, so a mail
costs the same memory whatever is attached. The same parcel and recipient give the same bytes at
each attempt, so that a receiver may tell a second copy from a second mail.
"""

from __future__ import annotations

import binascii
import hashlib
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from typing import Any

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import override

from mirror.delivery.errors import DeliveryFailed
from mirror.delivery.parcel import Attachment, Figure, Parcel, Section, Tone
from mirror.delivery.parcel_words import data_said, subject
from mirror.delivery.tables import Table, as_text, table
from mirror.phrases import one_line, size
from sqlagent.errors import without_folders

# No 8-bit bytes: every server takes them, whatever it announces.
_POLICY = SMTP.clone(cte_type="7bit")
# 76 characters a line (RFC 2045, 6.8), and as many lines at a time as fill about 64 kB.
_LINE = 57
_BLOCK = _LINE * 1_000


# The band of a mail, by its tone: colours of `tokens.css`.
TONE_STYLES = {
    Tone.ACCENT: "background:#e2f5f5;border:1px solid #a3cece;color:#00666b",
    Tone.GOOD: "background:#e4f8e8;border:1px solid #a3d2ae;color:#1b6231",
    Tone.WARN: "background:#fef2d9;border:1px solid #e3c287;color:#7b4c00",
    Tone.BAD: "background:#ffefed;border:1px solid #f5b5af;color:#a72724",
}
# Placeholder for the link that stops mails, replaced in the mail's bytes.
_STOP = "<stop>"


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail ready to go: bytes and files in turn, and its whole size in bytes."""

    parts: tuple[bytes | Attachment, ...]
    size: int

    def blocks(self) -> Iterator[bytes]:
        """Give the mail's bytes, in constant memory; no line begins with a lone dot unescaped."""
        for part in self.parts:
            if isinstance(part, bytes):
                yield re.sub(rb"(?m)^\.", b"..", part)
            else:
                yield from _encoded(part)


@dataclass(frozen=True, slots=True)
class _Shown:
    """A section as the templates are given it; without a `table` its figures are all there is."""

    title: str
    values: str
    sentence: str
    figures: tuple[Figure, ...]
    image: str
    table: Table | None
    text: str
    notes: tuple[str, ...]

    @property
    def told(self) -> str:
        """The sentence beside the figures: none where it is about the only one."""
        return "" if self.table is None and len(self.figures) == 1 else self.sentence


def sender() -> Address:
    """Sender of mails, from the setting MAIL_FROM. Raises: ValueError where it is no address."""
    name, spec = parseaddr(settings.MAIL_FROM)
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", spec):
        raise ValueError(settings.MAIL_FROM)
    return Address(one_line(name), addr_spec=spec)


def compose(parcel: Parcel, to: str, most_bytes: int = 0) -> Letter:
    """Make the mail for one recipient.

    Files are attached in their order as long as they fit in `MAIL_ATTACHMENT_MB` and, if `most_bytes` is
    given, in what the server takes of one mail; the mail names the others and links to the run.
    """
    limit = settings.MAIL_ATTACHMENT_MB * 1_000_000
    if most_bytes:
        # Base64 makes 78 bytes of 57; 300 kB are left for everything else.
        limit = max(0, min(limit, (most_bytes - 300_000) * _LINE // (_LINE // 3 * 4 + 2)))
    attached, linked = _divided(parcel.files, limit)
    with override(parcel.language or settings.LANGUAGE_CODE):
        message, images = _message(parcel, to, attached, linked)
    places = {}
    for number, file in enumerate(attached):
        main, _, sub = file.media_type.partition(";")[0].partition("/")
        message.add_attachment(b"", maintype=main, subtype=sub, filename=_file_name(file.name), params=None)
        part = list(message.iter_attachments())[-1]
        mark = f"=file.{number}.{images}="
        part.set_payload(mark)
        places[mark] = file
    _set_boundaries(message, parcel.uid)
    return _letter(message, places, parcel.stop_url)


def text_file(parcel: Parcel) -> Parcel:
    """Give the parcel with its plain-text mail as its one file, for channels that only take files."""
    with override(parcel.language or settings.LANGUAGE_CODE):
        text = render_to_string("delivery/mail.txt", _context(parcel, [], [], [""] * len(parcel.sections)))
    data = text.encode("utf-8", "replace")
    name = one_line(parcel.about) or "report"
    file = Attachment(f"{name}.txt", "text/plain; charset=utf-8", len(data), lambda: io.BytesIO(data))
    return replace(parcel, files=(file,))


def _divided(files: tuple[Attachment, ...], limit: int) -> tuple[list[Attachment], list[Attachment]]:
    attached: list[Attachment] = []
    linked: list[Attachment] = []
    room = limit
    for file in files:
        fits = file.size <= room
        (attached if fits else linked).append(file)
        room -= file.size if fits else 0
    return attached, linked


def _message(
    parcel: Parcel, to: str, attached: list[Attachment], linked: list[Attachment]
) -> tuple[EmailMessage, str]:
    """Give the mail without its attachments, and a word that is in it nowhere else."""
    from_ = sender()
    digest = hashlib.sha256(parcel.uid.encode()).hexdigest()[:24]
    images = [
        f"chart-{i}.{digest}@{from_.domain}" if section.image else ""
        for i, section in enumerate(parcel.sections, 1)
    ]
    context = _context(parcel, attached, linked, images)
    message = EmailMessage(policy=_POLICY)
    message["Subject"] = subject(parcel)
    message["From"] = from_
    message["To"] = Address(addr_spec=to)
    message["Date"] = format_datetime(parcel.made_at)
    message["Message-ID"] = f"<{one_line(parcel.uid).replace(' ', '')}@{from_.domain}>"
    message["Auto-Submitted"] = "auto-generated"
    message["X-Auto-Response-Suppress"] = "All"
    if parcel.stop_url:
        # RFC 8058: mail programs show a button of their own.
        message["List-Unsubscribe"] = _STOP
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(render_to_string("delivery/mail.txt", context))
    message.add_alternative(render_to_string("delivery/mail.html", context), subtype="html")
    page = list(message.iter_parts())[-1]
    for section, cid in zip(parcel.sections, images, strict=True):
        if section.image:
            page.add_related(
                section.image, "image", "png", cid=f"<{cid}>", disposition="inline",
                filename=f"{cid.partition('.')[0]}.png",
            )  # fmt: skip
    return message, digest


def _context(
    parcel: Parcel, attached: list[Attachment], linked: list[Attachment], images: list[str]
) -> dict[str, Any]:
    return {
        "parcel": parcel,
        "title": one_line(parcel.title) or _("Report"),
        "preview": _preview(parcel),
        "introduction": parcel.introduction,
        "band_style": TONE_STYLES[parcel.introduction.tone],
        "when": data_said(parcel),
        "sections": [
            _shown(section, parcel.zone, image)
            for section, image in zip(parcel.sections, images, strict=True)
        ],
        "attached": [(_file_name(f.name), size(f.size), f) for f in attached],
        "linked": [(_file_name(f.name), size(f.size), f) for f in linked],
    }


def _preview(parcel: Parcel) -> str:
    """The text that an inbox shows beside the subject."""
    said = parcel.message or next((s.sentence for s in parcel.sections if s.sentence), "") or parcel.note
    return one_line(said, 140)


def _shown(section: Section, zone: str, image: str) -> _Shown:
    content = table(section, zone)
    only_figures = len(section.columns) == len(section.figures) > 0
    title = one_line(section.title)
    return _Shown(
        title,
        one_line(section.values),
        one_line(section.sentence),
        tuple(
            replace(one, name="" if one.name.casefold() == title.casefold() else one.name)
            for one in section.figures
        ),
        image,
        None if only_figures else content,
        as_text(content),
        section.notes,
    )


def _file_name(name: str) -> str:
    return one_line(re.sub(r'[/\\"<>]', "-", name), 120) or "file"


def _set_boundaries(message: EmailMessage, uid: str) -> None:
    """Give each part with parts a boundary of its own that is the same at each attempt.

    `=_` stands in no quoted-printable line and `_` in no base64 line.
    """
    digest = hashlib.sha256(uid.encode()).hexdigest()[:24]
    for number, part in enumerate(part for part in message.walk() if part.is_multipart()):
        part.set_boundary(f"=_{digest}_{number}")


def _letter(message: EmailMessage, places: dict[str, Attachment], stop_url: str) -> Letter:
    # Python's mails encode a header that is longer than a line, and mail programs do not read this one then.
    raw = message.as_bytes().replace(
        f"List-Unsubscribe: {_STOP}".encode(), f"List-Unsubscribe: <{one_line(stop_url)}>".encode(), 1
    )
    parts: list[bytes | Attachment] = []
    size = len(raw)
    for mark, file in places.items():
        before, _, raw = raw.partition(mark.encode())
        parts += [before, file]
        size += _encoded_size(file.size) - len(mark)
    return Letter((*parts, raw), size)


def _encoded(file: Attachment) -> Iterator[bytes]:
    """Read a file as lines of base64. Raises: DeliveryFailed where it cannot be read."""
    try:
        with file.open() as stream:
            held = b""
            while more := stream.read(_BLOCK):
                held += more
                whole = len(held) // _LINE * _LINE
                yield _lines(held[:whole])
                held = held[whole:]
            yield _lines(held)
    except OSError as error:
        said = error.strerror or without_folders(str(error))
        raise DeliveryFailed(f"The file {_file_name(file.name)} cannot be read: {said}.") from None


def _lines(data: bytes) -> bytes:
    ends = range(0, len(data), _LINE)
    return b"".join(binascii.b2a_base64(data[at : at + _LINE], newline=False) + b"\r\n" for at in ends)


def _encoded_size(size: int) -> int:
    whole, rest = divmod(size, _LINE)
    return whole * (_LINE // 3 * 4 + 2) + (-(-rest // 3) * 4 + 2 if rest else 0)
