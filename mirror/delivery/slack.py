"""Slack, and what takes the same messages (Mattermost, Rocket.Chat, Discord's /slack addresses).

The address of an incoming webhook is itself the secret: its holder may post. It is kept as the channel's secret
and never shown; `target` keeps its host alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import override

from mirror.delivery.parcel import Parcel, Section
from mirror.delivery.parcel_words import data_said, subject
from mirror.delivery.posting import post, url_check
from mirror.delivery.reach import NOWHERE, Reach
from mirror.delivery.tables import as_text, table
from mirror.delivery.webhook import judged
from mirror.phrases import size

SHOWN_ROWS = 10
# Slack's own limits: 150 characters a header, 3,000 a section, 50 blocks a message.
_HEADER_CHARS = 150
_BLOCK_CHARS = 2_900
_MOST_SECTIONS = 14


def check(target: Mapping[str, Any], secret: str, *, by_staff: bool, reach: Reach) -> dict[str, Any]:
    """Look at the address, which is the secret, and keep its host. Raises: ChannelError."""
    return {"host": urlsplit(url_check(secret, "secret", reach)).hostname}


def describe(target: Mapping[str, Any]) -> tuple[str, ...]:
    """Name the host; the rest of the address is the secret."""
    return (_("the Slack webhook at %(host)s") % {"host": target.get("host") or _("an unknown host")},)


def deliver(
    target: Mapping[str, Any],
    secret: str,
    parcel: Parcel,
    to: str = "",
    before: Callable[[], None] | None = None,
    reach: Reach = NOWHERE,
) -> str:
    """Post a message and give the status of the answer. Raises: DeliveryFailed."""
    with override(parcel.language or settings.LANGUAGE_CODE):
        message = content(parcel)
    body = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
    return judged(post(secret.strip(), body, {}, before, reach))


def content(parcel: Parcel) -> dict[str, Any]:
    """Give the message: blocks, and a text for where blocks are not shown."""
    title = subject(parcel)
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": title[:_HEADER_CHARS], "emoji": False}}
    ]
    when = data_said(parcel)
    blocks += [_words(text) for text in (parcel.message, parcel.note) if text.strip()]
    for section in parcel.sections[:_MOST_SECTIONS]:
        blocks += _section(section, parcel.zone)
    if len(parcel.sections) > _MOST_SECTIONS:
        blocks.append(
            _words(_("%(count)s more are in the run.") % {"count": len(parcel.sections) - _MOST_SECTIONS})
        )
    links = [f"<{_address(parcel.url)}|{escaped(parcel.introduction.link_label)}>"]
    links += [
        f"<{_address(file.url)}|{escaped(file.name)}> ({size(file.size)})"
        for file in parcel.files
        if file.url
    ]
    blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": _joined(links)}})
    if when:
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": escaped(when)}]})
    said = parcel.message or next((s.sentence for s in parcel.sections if s.sentence), "")
    return {"text": escaped(f"{title}: {said}" if said else title)[:_BLOCK_CHARS], "blocks": blocks}


def escaped(text: str) -> str:
    """Make text that Slack shows as it is: no link, no mention of a channel.

    Example:
        >>> escaped("<!channel> & co")
        '&lt;!channel&gt; &amp; co'
    """
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _section(section: Section, zone: str) -> list[dict[str, Any]]:
    said = [f"{one.name}: {one.said}" for one in section.figures] if len(section.figures) > 1 else []
    words = (section.title, section.values, section.sentence, *said)
    blocks = [_words("\n".join(filter(None, words)))]
    content = table(section, zone, SHOWN_ROWS)
    if section.figures:
        return blocks
    if content.rows:
        # Whole lines only, and nothing that ends the fence.
        lines = escaped(as_text(content).replace("```", "'''")).splitlines()
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": f"```{_joined(lines)}```"}})
    blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": escaped(content.caption)}]})
    return blocks


def _words(text: str) -> dict[str, Any]:
    return {"type": "section", "text": {"type": "plain_text", "text": text[:_BLOCK_CHARS], "emoji": False}}


def _joined(lines: list[str]) -> str:
    """As many whole lines as a block holds."""
    kept, room = [], _BLOCK_CHARS
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join(kept)


def _address(url: str) -> str:
    """An address inside `<...|...>`, which ends at these signs."""
    return url.replace("|", "%7C").replace("<", "%3C").replace(">", "%3E")
