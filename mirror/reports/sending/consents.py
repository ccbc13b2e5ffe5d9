"""Ask an outside address once whether it wants mails, and keep what it says.

The question is a mail of fixed words: nothing that somebody typed but their name is in it, so it carries no message of theirs.
Opening a link answers nothing; a button does, for scanners of mail open links too.
"""

from __future__ import annotations

import logging
from datetime import timedelta

from django.conf import settings
from django.core import signing
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Lower
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.people.models import Quota, User
from mirror.people.quotas import quota_use
from mirror.reports.errors import ReportError
from mirror.reports.models import Consent, Delivery
from mirror.reports.sending.queueing import delivery_queue_again
from mirror.reports.sending.recipients import address_key
from mirror.work.kinds import send
from mirror.work.leases import Status

log = logging.getLogger(__name__)

# An address is asked so often at most, no sooner again than this.
MOST_ASKS, ASK_AGAIN = 3, timedelta(days=7)
# Addresses of one mailbox (those with a plus) that are asked within a day.
MAILBOX_ASKS, DAY = 3, timedelta(days=1)
_SIGNER = signing.Signer(salt="mirror.reports.consent")

# How it stands with an address, as deliveries keep it.
ASKED = gettext_noop("A mail that asks it was queued on {day}.")
TOMORROW = gettext_noop("It is asked tomorrow: other addresses of the same mailbox were asked today.")
LATER = gettext_noop(
    "It is asked later: reports of {name} have asked {most} new outside addresses within a day."
)


class ConsentGone(ReportError):
    """A link of a mail does not work: nobody was asked by it."""


# ---------------------------------------------------------------- asking


@transaction.atomic
def consent_ask(delivery: Delivery, person: User) -> tuple[str, bool]:
    """Ask an outside recipient whether it wants mails, unless that was done.

    Gives how it stands, in words, and whether `person` may ask nobody more for now.

    One mail for an address, whoever's reports go there and however many workers hold them back; again a week later at
    the earliest, and three at most. New addresses count for `person`, `MAIL_ASKS_PER_DAY`.
    """
    key, now = address_key(delivery.to), timezone.now()
    consent, _ = Consent.objects.get_or_create(address=key, defaults={"mailbox": _mailbox(key)})
    if consent.asks >= MOST_ASKS or (consent.asked_at and consent.asked_at > now - ASK_AGAIN):
        return ASKED.format(day=f"{consent.asked_at:%Y-%m-%d}"), False
    lately = Consent.objects.filter(mailbox=consent.mailbox, asked_at__gt=now - DAY).exclude(pk=consent.pk)
    if lately.count() >= MAILBOX_ASKS:
        return TOMORROW, False
    most, use = settings.MAIL_ASKS_PER_DAY, f"{consent.pk}.{consent.asks}"
    if quota_use(person, Quota.Kind.ASKS, use, most=most, per=DAY):
        return LATER.format(name=person.get_username(), most=most), True
    asked = Consent.objects.filter(pk=consent.pk, asks=consent.asks, state=Consent.State.ASKED)
    if asked.update(asks=F("asks") + 1, asked_at=now, asked_for=person):
        _question_send(delivery, person)
        log.info("Consent %s is asked for a report of user %s", consent.pk, person.pk)
    return ASKED.format(day=f"{now:%Y-%m-%d}"), False


def _mailbox(key: str) -> str:
    local, _, domain = key.rpartition("@")
    return f"{local.partition('+')[0]}@{domain}"


def _question_send(delivery: Delivery, person: User) -> None:
    row, is_new = Delivery.objects.get_or_create(
        run=delivery.run,
        channel=None,
        about=Delivery.About.CONSENT,
        to=delivery.to,
        defaults={"kind": delivery.kind, "charged_to": person},
    )
    if not is_new:
        delivery_queue_again(row)
    send(row)


# ---------------------------------------------------------------- what the recipient says


def consent_token(address: str) -> str:
    """Give the word of a recipient's links: signed, and always the same. Empty where it was never asked."""
    consent = Consent.objects.filter(address=address_key(address)).first()
    return _SIGNER.sign_object({"consent": consent.pk}) if consent else ""


def consent_url(address: str, *, to_stop: bool) -> str:
    """The page on which a recipient says yes or no, or stops mails; empty where it was never asked."""
    token = consent_token(address)
    name = "reports:consent_stop" if to_stop else "reports:consent"
    return settings.SITE_URL.rstrip("/") + reverse(name, args=[token]) if token else ""


def consent_read(token: str) -> Consent:
    """Find whose link it is. Raises: ConsentGone."""
    try:
        number = _SIGNER.unsign_object(token)["consent"]
    except (signing.BadSignature, KeyError, TypeError, ValueError):
        raise ConsentGone("This link is not complete.") from None
    consent = Consent.objects.select_related("asked_for").filter(pk=number).first()
    if consent is None:
        raise ConsentGone("This link is not complete.")
    return consent


def consent_confirm(consent: Consent) -> bool:
    """Let mails come that an address was asked about, and send the waiting ones. False when it has stopped them."""
    now = timezone.now()
    waiting = Consent.objects.filter(pk=consent.pk, state=Consent.State.ASKED)
    if waiting.update(state=Consent.State.CONFIRMED, answered_at=now):
        log.info("Consent %s was given", consent.pk)
        held_release(consent.address)
    consent.refresh_from_db()
    return consent.state == Consent.State.CONFIRMED


def consent_stop(consent: Consent) -> None:
    """Let no mail go to an address any more, for good; waiting deliveries are given up."""
    others = Consent.objects.filter(pk=consent.pk).exclude(state=Consent.State.STOPPED)
    if others.update(state=Consent.State.STOPPED, answered_at=timezone.now()):
        log.info("Consent %s was withdrawn for good", consent.pk)
        held_release(consent.address)
    consent.refresh_from_db()


def held_release(address: str = "") -> None:
    """Look again, now, at what is held back until its recipient confirms: of one address, or of all."""
    held = Delivery.objects.filter(
        state=Delivery.State.HELD, held_for=Delivery.Held.CONSENT, status=Status.QUEUED
    )
    if address:
        held = held.annotate(key=Lower("to")).filter(key=address)
    for row in list(held.order_by("-pk").only("pk")):
        if held.filter(pk=row.pk).update(not_before=timezone.now()):
            send(row)
