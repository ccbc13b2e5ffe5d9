"""Whether a delivery may go out now: recipients that have not said yes, and quotas of its owner, hold it back.

It is checked right before it is handed over, after a schedule, a run by hand and a retry alike. A held delivery waits a
bounded time; when a later run goes to the same place, that one goes instead.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_noop, ngettext_lazy

from mirror.people.models import Quota, QuotaMet, User
from mirror.people.quotas import quota_met, quota_use
from mirror.reports.models import Channel, Delivery
from mirror.reports.selectors import rows_sendable
from mirror.reports.sending.consents import consent_ask
from mirror.reports.sending.pausing import pause_now
from mirror.reports.sending.queueing import delivery_queue_again
from mirror.reports.sending.recipients import Standing, refusal_words, standing_of
from mirror.work.kinds import send
from mirror.zones import at_zone

log = logging.getLogger(__name__)

HOUR = timedelta(hours=1)
# How long a delivery is held back before it is given up, by what holds it.
LONGEST = {Delivery.Held.QUOTA: timedelta(hours=24), Delivery.Held.CONSENT: timedelta(days=14)}
# How soon one that waits for its recipient is looked at again, should nobody have said so before.
LOOK_AGAIN = HOUR

PAUSED = gettext_noop(
    "Held back: all sending is paused by an administrator. It goes out when sending goes on."
)
LATER = gettext_noop("A later run goes to this place, so this one does not.")
TOO_LONG = {
    Delivery.Held.QUOTA: gettext_noop(
        "It was held back for a day, and there was no room for it in all that time."
    ),
    Delivery.Held.CONSENT: gettext_noop("It waited 14 days, and its recipient has not confirmed."),
}
# Words of each kind of quota once it is met.
COUNTED = {
    Quota.Kind.MAILS: ngettext_lazy(
        "reports of %(person)s have sent %(most)s mail within an hour, the most that a person's may.",
        "reports of %(person)s have sent %(most)s mails within an hour, the most that a person's may.",
        "count",
    ),
    Quota.Kind.CALLS: ngettext_lazy(
        "reports of %(person)s have made %(most)s call within an hour, the most that a person's may.",
        "reports of %(person)s have made %(most)s calls within an hour, the most that a person's may.",
        "count",
    ),
    Quota.Kind.ASKS: ngettext_lazy(
        "reports of %(person)s have asked %(most)s new outside address within a day, the most that a person's may.",
        "reports of %(person)s have asked %(most)s new outside addresses within a day, the most that a person's may.",
        "count",
    ),
    Quota.Kind.TESTS: ngettext_lazy(
        "reports of %(person)s have tried %(most)s connection within a minute, the most that a person's may.",
        "reports of %(person)s have tried %(most)s connections within a minute, the most that a person's may.",
        "count",
    ),
    Quota.Kind.COMMENTS: ngettext_lazy(
        "reports of %(person)s have written %(most)s comment within an hour, the most that a person's may.",
        "reports of %(person)s have written %(most)s comments within an hour, the most that a person's may.",
        "count",
    ),
}

WAITS = gettext_noop(
    "Waits for confirmation: {to} is an outside address and has not said yet that it wants these mails. {asked}"
)
UNSENDABLE = gettext_noop(
    "The owner of this report may not send these rows any more: a source is not theirs to see, or the rights on it changed."
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The fate of a delivery: it goes when `words` is empty; it waits `until` then; or it ends, told to the owner or not."""

    words: str = ""
    held_for: str = ""
    until: datetime | None = None
    is_told: bool = True


def delivery_judge(delivery: Delivery) -> Verdict:
    """Say whether a delivery may go out now, and count it if it does."""
    if pause_now() is not None:
        return Verdict(PAUSED, Delivery.Held.PAUSE, timezone.now() + LOOK_AGAIN)
    if delivery.about not in Delivery.NOTICES and not rows_sendable(delivery.run.report.owner, delivery.run):
        return Verdict(UNSENDABLE)
    if delivery.held_at is not None:
        if _has_later(delivery):
            return Verdict(LATER, is_told=False)
        held_for = Delivery.Held(delivery.held_for)
        if held_for in LONGEST and timezone.now() - delivery.held_at > LONGEST[held_for]:
            return Verdict(TOO_LONG[held_for])
    if delivery.kind == Channel.Kind.MAIL:
        verdict = _by_recipient(delivery)
        if verdict.words:
            return verdict
    return _by_quota(delivery)


def _has_later(delivery: Delivery) -> bool:
    later = Delivery.objects.filter(
        run__report=delivery.run.report_id, about=delivery.about, to=delivery.to, kind=delivery.kind
    )
    return later.filter(run__gt=delivery.run_id).exclude(state=Delivery.State.GIVEN_UP).exists()


def _by_recipient(delivery: Delivery) -> Verdict:
    standing = standing_of(delivery.to)
    if standing in (Standing.STOPPED, Standing.REFUSED):
        return Verdict(refusal_words(delivery.to, standing))
    if delivery.about == Delivery.About.CONSENT:
        is_answered = standing is not Standing.ASKED
        return Verdict("It was answered already." if is_answered else "", is_told=False)
    if standing is not Standing.ASKED:
        return Verdict()
    person = charged(delivery)
    asked, is_bound_met = consent_ask(delivery, person)
    if is_bound_met:
        _administrators_tell(delivery, person, Quota.Kind.ASKS, settings.MAIL_ASKS_PER_DAY)
    return Verdict(
        WAITS.format(to=delivery.to, asked=asked),
        Delivery.Held.CONSENT,
        timezone.now() + LOOK_AGAIN,
    )


def _by_quota(delivery: Delivery) -> Verdict:
    bound = quota_of(delivery.kind)
    if bound is None or delivery.about == Delivery.About.QUOTA:
        return Verdict()
    (kind, most), person = bound, charged(delivery)
    until = quota_use(person, kind, str(delivery.uid), most=most, per=HOUR)
    if until is None:
        return Verdict()
    _administrators_tell(delivery, person, kind, most)
    zone = delivery.run.report.zone
    return Verdict(
        f"Held back: {_bound_words(person, kind, most)} "
        f"It goes out when there is room again, at {at_zone(until, zone):%H:%M} ({zone}) at the earliest.",
        Delivery.Held.QUOTA,
        until,
    )


def quota_of(kind: str) -> tuple[Quota.Kind, int] | None:
    """The quota that a kind of channel counts for, and its bound an hour; None for folders, which call nobody."""
    if kind == Channel.Kind.FOLDER:
        return None
    if kind == Channel.Kind.MAIL:
        return Quota.Kind.MAILS, settings.MAILS_PER_HOUR
    return Quota.Kind.CALLS, settings.CALLS_PER_HOUR


def quota_words(met: QuotaMet) -> str:
    """Say which bound somebody met."""
    words = _bound_words(met.person, Quota.Kind(met.kind), met.most)
    return words[:1].upper() + words[1:]


def _bound_words(person: User, kind: Quota.Kind, most: int) -> str:
    said = {"person": person.get_username(), "most": intcomma(most), "count": most}
    return str(COUNTED[kind] % said)


def charged(delivery: Delivery) -> User:
    """Person whose quota a delivery counts for: the report's owner when it was queued, so that handing it over frees nothing."""
    return delivery.charged_to or delivery.run.report.owner


def _administrators_tell(delivery: Delivery, person: User, kind: Quota.Kind, most: int) -> None:
    """Tell administrators that somebody came upon a bound: by their page, and by a mail each, once an hour."""
    with transaction.atomic():
        if not quota_met(person, kind, most=most, per=HOUR):
            return
        log.warning("User %s has met the quota of %s: %d", person.pk, kind, most)
        for administrator in User.objects.filter(is_staff=True, is_active=True).exclude(email=""):
            row, is_new = Delivery.objects.get_or_create(
                run=delivery.run,
                channel=None,
                about=Delivery.About.QUOTA,
                to=administrator.email,
                defaults={"kind": Channel.Kind.MAIL, "charged_to": person},
            )
            if not is_new:
                row.charged_to = person
                delivery_queue_again(row)
            send(row)
