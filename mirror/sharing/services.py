"""Make, open and revoke links that show a question, a thread or a dashboard without signing in."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import UUID

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, Signer, TimestampSigner
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking.models import Version, headed
from mirror.audit.services import record
from mirror.dashboards.card_parameters import fields_of
from mirror.dashboards.models import Card, Dashboard
from mirror.dashboards.selectors import cards_of
from mirror.dashboards.services import CardServed, cards_serve
from mirror.queries.parameters import ParameterError, value_read
from mirror.queries.values_typed import VALUE_CHARS
from mirror.sharing.errors import LinkGone, SharingError
from mirror.sharing.models import ShareLink
from mirror.sharing.selectors import may_give, unsendable

if TYPE_CHECKING:
    from mirror.asking.models import Run, Thread
    from mirror.people.models import User

log = logging.getLogger(__name__)

# A quarter of a year: longer than a dashboard is talked about, short enough to be forgotten safely.
LINK_HOURS = 24 * 92
# Links of one person that are open at once; values of one parameter, and of all together, that can be chosen.
LINKS, VALUES, CHOICES = 200, 20, 60
GONE = gettext_noop(
    "This link does not work. It may have expired or been revoked; ask its sender for a new one."
)
OFF = gettext_noop("This installation does not let anybody share by link.")
_signer = Signer(salt="mirror.sharing.links")


@transaction.atomic
def link_make(
    thing: Version | Thread | Dashboard,
    by: User,
    hours: float,
    values: Mapping[str, Sequence[str]] | None = None,
) -> ShareLink:
    """Make a link to a thing of one's own; of a dashboard with `values` that may be chosen for its parameters.

    Raises: SharingError where it is not theirs, links are off, an owner of a source withholds sending, or a value is none.
    """
    if not settings.SHARE_LINKS:
        raise SharingError(_(OFF))
    if not may_give(by, thing):
        raise SharingError(_("Only who made this can share it by a link."))
    if names := unsendable(by, thing):
        raise SharingError(
            _("The owner of %(names)s does not let your team send its rows.") % {"names": names[0]}
        )
    if not 0 < hours <= LINK_HOURS:
        raise SharingError(_("A link works for 1 to %(link_hours)s hours.") % {"link_hours": LINK_HOURS})
    open_now = ShareLink.objects.filter(made_by=by, revoked_at=None, expires_at__gt=timezone.now())
    if open_now.count() >= LINKS:
        raise SharingError(
            _("%(links)s links of yours are open, which is the most. Revoke one first.") % {"links": LINKS}
        )
    listed = _listed(thing, values or {}) if isinstance(thing, Dashboard) else {}
    ends = timezone.now() + timedelta(hours=hours)
    link = ShareLink.objects.create(
        **{type(thing)._meta.model_name or "": thing}, made_by=by, expires_at=ends, values=listed
    )
    record("made a share link", _told(link), by=by, title=link_title(link), until=f"{ends:%Y-%m-%d %H:%M}")
    log.info("A share link was made by user %s", by.pk)
    return link


def _listed(dashboard: Dashboard, values: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The values of each parameter of a dashboard that may be chosen. Raises: SharingError."""
    found: dict[str, list[str]] = {}
    for field in fields_of(cards_of(dashboard), {}):
        listed = list(dict.fromkeys(value.strip() for value in values.get(field.name, ()) if value.strip()))
        if len(listed) > VALUES:
            raise SharingError(
                _("%(field)s: at most %(values)s values can be listed.")
                % {"field": field.label, "values": VALUES}
            )
        for value in listed:
            try:
                value_read(
                    {"name": field.name, "kind": field.kind, "label": field.label}, value[:VALUE_CHARS]
                )
            except ParameterError as error:
                raise SharingError(str(error)) from None
        if listed:
            found[field.name] = [value[:VALUE_CHARS] for value in listed]
    if sum(len(listed) for listed in found.values()) > CHOICES:
        raise SharingError(_("At most %(choices)s values can be listed in all.") % {"choices": CHOICES})
    return found


def links_off() -> str:
    """Say that this installation has no links; empty where it has."""
    return "" if settings.SHARE_LINKS else OFF


def link_token(link: ShareLink) -> str:
    """The last part of a link's address."""
    return _signer.sign(str(link.pk))


def link_title(link: ShareLink) -> str:
    """The content of a link, in words."""
    if link.version is None:
        return str(link.thing)
    return headed(link.version.run.named, link.version)


def _told(link: ShareLink) -> Run | Thread | Dashboard:
    """Thing that the audit names: of a version its question."""
    thing = link.thing
    return thing.run if isinstance(thing, Version) else thing


@transaction.atomic
def link_revoke(link: ShareLink, by: User) -> None:
    """End a link now. Raises: SharingError for who did not make it."""
    if link.made_by_id != by.pk:
        raise SharingError(_("Only who made a link can revoke it."))
    if ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now()):
        record("ended a share link", _told(link), by=by, title=link_title(link))


# How long a page of a link that was opened asks for its cards without being counted once more.
LOOKS_SECONDS = 3_600
_looks = TimestampSigner(salt="mirror.sharing.looks")


def look_token(link: ShareLink) -> str:
    """Token by which the page of an opened link asks for its cards without being counted again."""
    return _looks.sign(str(link.pk))


def is_looking(link: ShareLink, seen: str) -> bool:
    """Say whether a page of this link was opened within the hour."""
    try:
        return _looks.unsign(seen, max_age=LOOKS_SECONDS) == str(link.pk)
    except BadSignature:
        return False


@transaction.atomic
def link_open(token: str, seen: str = "") -> ShareLink:
    """The link of an address, if it shows something now; each opening is counted and told to the audit, unless a page that was `seen` asks.

    The rights of its maker are asked each time. Raises: LinkGone, whatever is wrong with it.
    """
    try:
        key = UUID(_signer.unsign(token))
    except (BadSignature, ValueError, ValidationError):
        raise LinkGone(GONE) from None
    now = timezone.now()
    related = (
        "made_by",
        "version__run__thread__source",
        "thread__source",
        "dashboard__owner",
        "version__result",
    )
    link = (
        ShareLink.objects.select_related(*related).filter(pk=key, revoked_at=None, expires_at__gt=now).first()
    )
    if not settings.SHARE_LINKS or link is None or not link.made_by.is_active:
        raise LinkGone(GONE)
    if not may_give(link.made_by, link.thing) or unsendable(link.made_by, link.thing):
        raise LinkGone(GONE)
    if seen and is_looking(link, seen):
        return link
    ShareLink.objects.filter(pk=link.pk).update(opened=F("opened") + 1, last_opened_at=now)
    record("opened a share link", _told(link), made_by=link.made_by.get_username())
    return link


def link_file_taken(link: ShareLink, rows: int) -> None:
    """Tell the audit that who has a link took its dashboard away."""
    record("opened a share link", _told(link), made_by=link.made_by.get_username(), format="pdf", rows=rows)


def values_chosen(link: ShareLink, sent: Mapping[str, str]) -> dict[str, str]:
    """The values that a dashboard is shown with: of each list the one that was sent, else the first. Unlisted values are not taken."""
    return {
        name: sent[name] if sent.get(name) in listed else listed[0] for name, listed in link.values.items()
    }


def link_cards(link: ShareLink, values: Mapping[str, str]) -> list[CardServed]:
    """The cards of a link's dashboard as its maker sees them with values of the list."""
    assert link.dashboard is not None
    cards: list[Card] = cards_of(link.dashboard)
    return cards_serve(link.made_by, link.dashboard, cards, values)
