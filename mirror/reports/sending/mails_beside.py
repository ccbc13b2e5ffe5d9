"""Whether a mail that carries no report may go out now: it keeps to the pause, to recipients' words and to quotas as reports do."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.people.models import Quota
from mirror.people.quotas import quota_use
from mirror.reports.sending.holding import HOUR, LOOK_AGAIN, PAUSED
from mirror.reports.sending.pausing import pause_now
from mirror.reports.sending.recipients import Standing, refusal_words, standing_of

if TYPE_CHECKING:
    from mirror.people.models import User

UNCONFIRMED = gettext_noop("{to} is an outside address that has not said yet that it wants mails from here.")
FULL = gettext_noop("Held back: as many mails as a person's may be were sent within an hour.")


def mail_judge(person: User, uid: str) -> tuple[str, datetime | None] | None:
    """Say why a mail to somebody about what is theirs does not go now, and when to look again (None: never); None where it goes."""
    if pause_now() is not None:
        return PAUSED, timezone.now() + LOOK_AGAIN
    standing = standing_of(person.email)
    if standing in (Standing.STOPPED, Standing.REFUSED):
        return refusal_words(person.email, standing), None
    if standing is Standing.ASKED:
        return UNCONFIRMED.format(to=person.email), None
    room = quota_use(person, Quota.Kind.MAILS, uid, most=settings.MAILS_PER_HOUR, per=HOUR)
    return (FULL, room) if room is not None else None
