"""Share with teams, and tell their members by mail, each once of one thing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from django.db import transaction
from django.db.models import QuerySet

from mirror.asking import services as asking
from mirror.asking.models import Run, Thread
from mirror.asking.selectors import runs_shared_with, threads_shared_with
from mirror.audit.services import record
from mirror.dashboards import services as dashboards
from mirror.dashboards.models import Dashboard
from mirror.dashboards.selectors import dashboards_visible
from mirror.delivery.mails_beside import mails_switch
from mirror.library.models import SavedSql
from mirror.library.selectors import saved_visible
from mirror.people.models import Team, User
from mirror.sharing.models import NoticesOff, ShareNotice
from mirror.work.kinds import send
from mirror.work.leases import Status

if TYPE_CHECKING:
    Thing = Run | Thread | Dashboard

_SHARE: dict[type, Callable[..., None]] = {
    Run: asking.run_share,
    Thread: asking.thread_share,
    Dashboard: dashboards.dashboard_share,
}
_FIELDS = {Run: "run", Thread: "thread", Dashboard: "dashboard", SavedSql: "saved"}
# People who are told of one act of sharing.
TOLD = 200


@transaction.atomic
def thing_share(thing: Thing, teams: Iterable[Team], by: User) -> int:
    """Let members of exactly these of the teams that `by` is in look at a thing; how many of them are newly told by mail.

    Members who saw it by another team are not told, nor `by`, nor members told before. Where it takes a right to see it, members without
    that right get no mail.
    """
    before = _teams(thing)
    _SHARE[type(thing)](thing, teams, by)
    return _told(thing, before, by)


def saved_told(saved: SavedSql, before: list[int], by: User, **sent: object) -> int:
    """Tell members by mail that saved SQL was shared with their teams, but for those of the teams `before`; how many are told."""
    return _told(saved, before, by)


def _told(thing: Thing | SavedSql, before: list[int], by: User) -> int:
    """Tell the members that look at a thing, but for those of the teams that did `before`."""
    seeing = [person.pk for person in _members(before)]
    wanted = _members(_teams(thing)).exclude(pk__in=seeing).exclude(pk=by.pk)
    field = _FIELDS[type(thing)]
    made = 0
    for person in wanted.exclude(email="").order_by("pk")[:TOLD]:
        if not wants_notices(person) or not may_look(person, thing):
            continue
        notice, is_new = ShareNotice.objects.get_or_create(
            person=person, **{field: thing}, defaults={"shared_by": by}
        )
        if is_new:
            send(notice)
            made += 1
    return made


def _teams(thing: Thing | SavedSql) -> list[int]:
    """The teams that look at a thing, alone or with its thread."""
    teams = thing.teams.all()
    if isinstance(thing, Run):
        teams = teams | thing.thread.teams.all()
    return [team.pk for team in teams]


def _members(teams: list[int]) -> QuerySet[User]:
    people = User.objects.filter(is_active=True, is_service=False)
    return people.filter(memberships__team__in=teams).distinct()


def may_look(person: User, thing: Thing | SavedSql) -> bool:
    """Say whether somebody looks at a thing that others share with them."""
    seen: QuerySet[Run] | QuerySet[Thread] | QuerySet[Dashboard] | QuerySet[SavedSql]
    if isinstance(thing, Dashboard):
        seen = dashboards_visible(person)
    elif isinstance(thing, SavedSql):
        seen = saved_visible(person)
    elif isinstance(thing, Thread):
        seen = threads_shared_with(person)
    else:
        seen = runs_shared_with(person)
    return seen.filter(pk=thing.pk).exists()


def wants_notices(person: User) -> bool:
    """Say whether somebody is told by mail of what is shared with their teams."""
    return not NoticesOff.objects.filter(person=person).exists()


@transaction.atomic
def notices_want(person: User, *, wanted: bool) -> None:
    """Tell somebody by mail of what is shared with their teams, or no longer."""
    if mails_switch(NoticesOff, person, wanted=wanted):
        record("wants mails of sharing" if wanted else "wants no mails of sharing", by=person)


def notices_waiting() -> list[ShareNotice]:
    """Notices whose mail waits to go out."""
    return list(ShareNotice.objects.filter(status=Status.QUEUED))
