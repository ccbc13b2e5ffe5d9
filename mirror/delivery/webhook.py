"""Webhooks: what is told as JSON, signed with a key that only the two sides know.

`docs/webhooks.md` is the contract, and a test reads it. The signature covers the time, so that a message caught on its
way is of no use later; the delivery's name is the same at each attempt, so that a receiver drops copies.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.parcel import Parcel, Section
from mirror.delivery.posting import Answer, post, url_check
from mirror.delivery.reach import NOWHERE, Reach
from mirror.delivery.tables import SHOWN_ROWS
from mirror.phrases import one_line
from mirror.results.cells import json_cell

SECRET_CHARS = 16
# How long another server may make us wait: a day, and never less than a second.
MOST_WAIT = 86_400.0
# Statuses worth another try although they blame the request (RFC 9110, 15.5.9; RFC 8470; RFC 6585).
_AGAIN = (408, 425, 429)
_CELL_CHARS = 500


def check(target: Mapping[str, Any], secret: str, *, by_staff: bool, reach: Reach) -> dict[str, Any]:
    """Clean the address and look at the key. Raises: ChannelError."""
    if len(secret) < SECRET_CHARS:
        raise ChannelError(
            _("The signing key needs at least %(secret_chars)s characters.") % {"secret_chars": SECRET_CHARS},
            "secret",
        )
    return {"url": url_check(str(target.get("url", "")), "url", reach)}


def describe(target: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the address, without what stands after a question mark."""
    split = urlsplit(str(target.get("url", "")))
    return (f"{split.scheme}://{split.netloc}{split.path}",)


def deliver(
    target: Mapping[str, Any],
    secret: str,
    parcel: Parcel,
    to: str = "",
    before: Callable[[], None] | None = None,
    reach: Reach = NOWHERE,
) -> str:
    """Post a parcel and give the status of the answer. Raises: DeliveryFailed."""
    body = json.dumps(content(parcel), ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    headers = {
        "Mirror-Delivery": one_line(parcel.uid),
        "Mirror-Attempt": str(parcel.attempt),
        "Mirror-Signature": signature(secret, body, int(time.time())),
    }
    return judged(post(str(target.get("url", "")), body, headers, before, reach))


def signature(secret: str, body: bytes, at: int) -> str:
    """Sign a body at a time (seconds since 1970).

    Example:
        >>> signature("a key of 16 or more", b"{}", 1_795_161_600)[:20]
        't=1795161600,v1=02cc'
    """
    digest = hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def content(parcel: Parcel) -> dict[str, Any]:
    """Give what is told about a parcel, as `docs/webhooks.md` writes it down."""
    return {
        "event": f"report.{parcel.about}",
        "uid": parcel.uid,
        "report": parcel.title,
        "note": parcel.note,
        "message": parcel.message,
        "url": parcel.url,
        "scheduled_for": _instant(parcel.scheduled_for),
        "made_at": _instant(parcel.made_at),
        "zone": parcel.zone,
        "sections": [_section(section) for section in parcel.sections],
        "files": [
            {
                "name": file.name,
                "media_type": file.media_type,
                "size": file.size,
                "rows": file.rows,
                "notes": list(file.notes),
                "url": file.url or None,
            }
            for file in parcel.files
        ],
    }


def _section(section: Section) -> dict[str, Any]:
    return {
        "title": section.title,
        "sentence": section.sentence,
        "columns": list(section.columns),
        "rows": [[json_cell(cell, _CELL_CHARS) for cell in row] for row in section.rows[:SHOWN_ROWS]],
        "row_count": section.row_count,
        "truncated": section.truncated,
        "notes": list(section.notes),
    }


def _instant(at: datetime | None) -> str | None:
    return at.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z") if at else None


def judged(answer: Answer) -> str:
    """Give the status that was answered if it means that it was taken. Raises: DeliveryFailed, by the status."""
    said = answer.said
    if 200 <= answer.status < 300:
        return said
    if 300 <= answer.status < 400:
        raise DeliveryFailed(
            f"{said}: it points to another address. Redirects are not followed; put in the new address.",
            is_permanent=True,
        )
    is_permanent = 400 <= answer.status < 500 and answer.status not in _AGAIN
    raise DeliveryFailed(
        said, is_permanent=is_permanent, retry_after=None if is_permanent else retry_after(answer.retry_after)
    )


def retry_after(header: str) -> float | None:
    """Read how long to wait, in seconds or until a date (RFC 9110, 10.2.3), within a second and a day.

    Example:
        >>> retry_after("120"), retry_after("0"), retry_after("")
        (120.0, 1.0, None)
    """
    typed = header.strip()
    if not typed:
        return None
    if typed.isascii() and typed.isdigit():
        seconds = float(typed[:9])
    else:
        try:
            until = parsedate_to_datetime(typed)
        except ValueError:
            return None
        seconds = (until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)).total_seconds()
    return min(max(seconds, 1.0), MOST_WAIT)
