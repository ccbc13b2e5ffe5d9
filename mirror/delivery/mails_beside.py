"""A mail to one person that carries no report: judged, handed over, put off or given up.

A receiver of a signal, which knows pauses and recipients, decides whether it may go out now. A mail that a server did not
take is tried again with longer waits, as reports are.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Protocol
from uuid import UUID

from django.conf import settings
from django.db.models import Model
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.delivery import channels
from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.parcel import Parcel
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Retried, Status, end_unheld

log = logging.getLogger(__name__)

# A mail is about to go to `person`, under the name `uid`. Receivers say (why not, when to look again; None: never), or None where it may go.
mail_judged = Signal()

BROKEN = gettext_noop("Something in Mirror itself broke while sending this. It was logged.")
GIVEN_UP = gettext_noop("The worker was interrupted {count} times over this mail.")
STOPPED = gettext_noop("It was stopped.")
NO_ADDRESS = gettext_noop("They have no mail address, or are no longer here.")
DROPPED = gettext_noop("Sending was paused when this was queued, and it was dropped when sending went on.")


class Mailed(Protocol):
    """A retried row with the name of its mail, the same at each attempt."""

    pk: Any
    uid: UUID
    attempts: int
    tries: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How a mail ended: what the server said, or why none went out."""

    is_sent: bool
    answer: str


def mail_person(lease: Lease, row: Mailed, person: Any, parcel: Parcel, answer: str) -> Ended | None:
    """Hand a mail to one person and tell how it ended; None where it was put off, with the reason in the row's field `answer`.

    Raises: LeaseLost.
    """
    for _, said in mail_judged.send(type(row), person=person, uid=str(row.uid)):
        if not isinstance(said, tuple):
            continue
        words, until = said
        if until is None:
            return Ended(False, words)
        lease.put_off(until, attempts=row.attempts - 1, **{answer: words})
        return None
    try:
        taken = channels.deliver("mail", {"to": [person.email]}, "", parcel, person.email)
    except (DeliveryFailed, ChannelError) as failure:
        return _failed(lease, row, failure, answer)
    log.info("The mail of %s %s was sent", type(row).__name__.lower(), row.pk)
    return Ended(True, storable(taken))


def mail_do(
    lease: Lease, row: Mailed, person: Any, unsent: Callable[[], str], parcel: Callable[[], Parcel]
) -> None:
    """Send a row's mail to the end of its lease, unless `unsent` says why it is not sent; how it ended stands in the row's field `answer`."""
    with suppress(LeaseLost):
        if why := unaddressed(person) or unsent():
            lease.end(answer=why)
            return
        ended = mail_person(lease, row, person, parcel(), "answer")
        if ended is not None:
            lease.end(is_sent=ended.is_sent, answer=ended.answer)


def mail_break(lease: Lease) -> None:
    """End a mail that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(answer=BROKEN)


def unaddressed(person: Any) -> str:
    """Say why nobody can be reached there; empty where somebody can."""
    return "" if person.email and person.is_active and not person.is_service else NO_ADDRESS


def mails_switch(off: type[Model], person: Any, *, wanted: bool) -> bool:
    """Turn mails of one kind on or off for a person: one who wants none has a row of `off`. Say whether that is a change."""
    rows = off._default_manager.filter(person=person)
    if wanted != rows.exists():
        return False
    if wanted:
        rows.delete()
    else:
        off._default_manager.create(person=person)
    return True


def _failed(lease: Lease, row: Mailed, failure: DeliveryFailed | ChannelError, answer: str) -> Ended | None:
    waits, why = settings.DELIVERY_RETRY_MINUTES, storable(str(failure)[:2_000])
    is_final = isinstance(failure, ChannelError) or failure.is_permanent or failure.is_refused
    if is_final or row.tries >= len(waits):
        log.warning("The mail of %s %s was given up", type(row).__name__.lower(), row.pk)
        return Ended(False, why)
    until = timezone.now() + timedelta(minutes=waits[row.tries])
    lease.put_off(until, tries=row.tries + 1, **{answer: why})
    return None


def mails_go_on(waiting: Iterable[Retried], dropped: dict[str, Any] | None = None) -> int:
    """Let mails go out that waited while all sending was paused, or end them with `dropped`; return how many waited."""
    rows = list(waiting)
    for row in rows:
        if dropped is not None:
            end_unheld(row, **dropped)
        else:
            type(row)._default_manager.filter(pk=row.pk, status=Status.QUEUED).update(not_before=None)
            send(row)
    return len(rows)
