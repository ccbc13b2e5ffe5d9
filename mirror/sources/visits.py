"""Databases that a worker opens for somebody who waits on a page: what it is sent, and what came of it.

A foreign server can answer slowly, without end, or with what takes all memory; so where pages are made none is
called. A page queues a visit, follows it, and shows what was said.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.db import IntegrityError
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror import confined
from mirror.confined import Unfinished
from mirror.people.models import Team, User
from mirror.sources import selectors, services
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.drift import drift_words
from mirror.sources.errors import KeyUnconfirmed, NotTried, PowersRefused, SourceError
from mirror.sources.login_services import login_give
from mirror.sources.models import Source, Visit
from mirror.sources.powers import WHERE, powers_kept
from mirror.sources.sight import sees_whole
from mirror.sources.tunnels import FORGOTTEN, SECRETS, secrets_take
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.recovery import row_look, waits_long
from mirror.work.watching import Watch

log = logging.getLogger(__name__)

# Seconds until the page says that no worker is free; then the typed values are deleted.
WORKER_SECONDS = 60
KEPT = timedelta(hours=1)
# Of one person that wait or are worked on: more is somebody who does not wait for answers.
QUEUED_AT_MOST = 10

# Facts told of a test, besides the user's powers.
TOLD = ("server", "user", "writable", "advice", "is_guard_alone")
# Visits for which a form of the source was typed.
TYPED = (Visit.Work.TEST, Visit.Work.CONNECT, Visit.Work.CHANGE)
# The one wish that is no field of the source.
CONFIRMED = "confirmed"

BROKEN = gettext_noop(
    "Something in Mirror itself broke while doing this. It was logged. Trying again may help."
)
GIVEN_UP = gettext_noop("The worker was interrupted {count} times over this database.")
STOPPED = gettext_noop("It was stopped.")
NO_WORKER = (
    f"No worker has taken this for {WORKER_SECONDS} seconds, and nothing was tried. "
    "Ask an administrator whether the workers run."
)
TOO_MANY = f"{QUEUED_AT_MOST} databases are being opened for you already. Wait until one of them has ended."


class VisitRefused(Exception):
    """A visit is not queued; the message is fit to be shown."""


def visit_ask(
    by: User,
    work: str,
    source: Source,
    fields: Iterable[str] = (),
    typed: Mapping[str, str] = FORGOTTEN,
    *,
    confirmed: bool = False,
) -> Visit:
    """Have a worker open a database. `fields` names what was typed of the source, `typed` its secrets. Raises: VisitRefused.

    `confirmed`: `by`, if an administrator, knows what the source's user could do beyond reading.

    A test that somebody still waits for is ended: they ask for another. Old visits are forgotten.
    """
    wish = {name: getattr(source, name) for name in fields}
    if source.pk:
        # Where it leads is kept whole. Of the rest only what was changed: somebody may change the others while this waits.
        kept = Source.objects.values(*wish).get(pk=source.pk)
        wish = {name: value for name, value in wish.items() if name in WHERE or value != kept[name]}
    else:
        wish["engine"] = source.engine
    wish[CONFIRMED] = confirmed
    return _visit_send(by, work, source, wish, typed)


def login_visit_ask(by: User, source: Source, team: Team, username: str, password: str) -> Visit:
    """Have a worker try a login for a team, and keep it where it works. Raises: VisitRefused."""
    return _visit_send(
        by, Visit.Work.LOGIN, source, {"team": team.pk, "username": username}, {"password": password}
    )


def _visit_send(by: User, work: str, source: Source, wish: dict[str, Any], typed: Mapping[str, str]) -> Visit:
    Visit.objects.filter(created_at__lt=timezone.now() - KEPT).delete()
    under_way = Visit.objects.filter(owner=by).exclude(status=Status.DONE)
    if work == Visit.Work.TEST:
        under_way.filter(work=work, status=Status.QUEUED).delete()
        under_way.filter(work=work).update(stop_requested=True)
    if under_way.count() >= QUEUED_AT_MOST:
        raise VisitRefused(TOO_MANY)
    visit = Visit(owner=by, work=work, source=source if source.pk else None, wish=wish, **typed)
    visit.save()
    send(visit)
    return visit


def visit_look(visit: Visit) -> None:
    """See to it that what somebody waits for is worked on, and end it in words when no worker is there."""
    if waits_long(visit, visit.created_at, WORKER_SECONDS):
        end_unheld(visit, said={"error": NO_WORKER}, **FORGOTTEN)
    row_look(visit)


def visit_stop(visit: Visit) -> None:
    """Have a visit ended: one that waits at once, one that is worked on when its worker hears of it."""
    if visit.status == Status.QUEUED:
        end_unheld(visit, said={"error": STOPPED}, **FORGOTTEN)
    Visit.objects.filter(pk=visit.pk, status=Status.RUNNING).update(stop_requested=True)


def visit_forget(visit: Visit) -> None:
    """Delete a visit whose end was seen."""
    visit.delete()


def visit_source(visit: Visit) -> Source:
    """The source as it was typed; of one that there is, with what was changed. Nothing is kept of it."""
    source = Source.objects.get(pk=visit.source_id) if visit.source_id else Source()
    if visit.work == Visit.Work.LOGIN:  # what was typed is of the team's login
        return source
    for name, value in visit.wish.items():
        if name != CONFIRMED:
            setattr(source, name, value)
    return source


# ---------------------------------------------------------------- a worker's part


def visit_do(lease: Lease) -> None:
    """Open the database and say what came of it. A visit that is stopped ends at once."""
    visit = Visit.objects.select_related("source", "owner").filter(pk=str(lease.pk)).first()
    if visit is None:
        return
    with suppress(LeaseLost), Watch(lease) as watch, confined.called_off_when(watch.cancelled.is_set):
        if said := _said(visit, lease):
            lease.end(said=said, **FORGOTTEN)


def visit_break(lease: Lease) -> None:
    """End a visit that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(said={"error": BROKEN}, **FORGOTTEN)


def _said(visit: Visit, lease: Lease) -> dict[str, Any]:
    """Do what is wished for and tell what came of it, as JSON can hold it; nothing when it has ended with that."""
    source = visit_source(visit)
    if visit.work in TYPED:
        secrets_take(source, {name: str(getattr(visit, name)) for name in SECRETS})
    try:
        return _done(visit, source, lease)
    except KeyUnconfirmed as error:
        return {"error": str(error), "place": error.place, "fingerprint": error.fingerprint}
    except PowersRefused as error:
        return {"error": str(error), "advice": error.advice, "powers": source.powers}
    except SourceError as error:
        untried = {"untried": True} if isinstance(error, NotTried) else {}
        return {"error": str(error), "advice": error.advice} | untried
    except IntegrityError:
        return {"error": _("Another source has this name already."), "untried": True}
    except Unfinished as error:
        return {"error": str(error)}


def _done(visit: Visit, source: Source, lease: Lease) -> dict[str, Any]:
    work = visit.work
    if source.pk and not _may(visit, source):
        return {"error": _("You may not do this to this source any more.")}
    if work == Visit.Work.TEST:
        check = services.source_test(source, visit.owner)
        told = {name: getattr(check, name) for name in TOLD}
        return {"check": told, "powers": powers_kept(check)}
    if work == Visit.Work.REFRESH:
        started = timezone.now().isoformat()
        catalog = catalog_refresh(source)
        is_changed = source.drift is not None and source.drift["at"] >= started
        return {
            "tables": len(catalog.tables),
            "changed": drift_words(source.drift or {}) if is_changed else "",
        }
    if work == Visit.Work.LOGIN:
        login_give(
            source,
            Team.objects.filter(pk=visit.wish["team"]).first(),
            visit.wish["username"],
            str(visit.password),
            visit.owner,
            lambda made: lease.end(said={"made": source.pk, "login": made.pk}, **FORGOTTEN),
            keep=lease.keep,
        )
        return {}
    keep = services.source_update if work == Visit.Work.CHANGE else services.source_connect
    confirmed = bool(visit.wish.get(CONFIRMED))
    keep(
        source,
        visit.owner,
        lambda kept: lease.end(said={"made": kept.pk}, **FORGOTTEN),
        confirmed=confirmed,
        keep=lease.keep,
    )
    return {}


def _may(visit: Visit, source: Source) -> bool:
    """Look at the right to it again: it may have ended while the visit waited."""
    if visit.work == Visit.Work.REFRESH:
        return selectors.may_ask(visit.owner, source) and sees_whole(visit.owner, source)
    return selectors.may_change(visit.owner, source)
