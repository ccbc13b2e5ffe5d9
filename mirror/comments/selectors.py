"""Comments are visible to people who see their question or dashboard now."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet

from mirror.asking.models import Run
from mirror.asking.selectors import runs_shared_with, runs_visible_to
from mirror.comments.models import Comment, MailsOff, Mention
from mirror.dashboards.models import Dashboard
from mirror.dashboards.selectors import dashboards_visible
from mirror.people.models import Team, User
from mirror.people.selectors import teams_of

if TYPE_CHECKING:
    Thing = Run | Dashboard

# People who are offered while a name is typed.
OFFERED = 8


def run_seen(user: User, pk: int) -> Run | None:
    """The question with this id, where somebody asked it or it is shared with them."""
    return runs_visible_to(user).filter(pk=pk).first() or runs_shared_with(user).filter(pk=pk).first()


def dashboard_seen(user: User, pk: int) -> Dashboard | None:
    """The dashboard with this id, where somebody sees it."""
    return dashboards_visible(user).filter(pk=pk).first()


def may_see(user: User, thing: Thing) -> bool:
    """Say whether somebody sees a thing, and so its comments."""
    seen = run_seen(user, thing.pk) if isinstance(thing, Run) else dashboard_seen(user, thing.pk)
    return seen is not None


def comments_of(thing: Thing) -> QuerySet[Comment]:
    """List the comments on a thing, oldest first."""
    return thing.comments.select_related("author")


def comments_visible(user: User) -> QuerySet[Comment]:
    """List the comments on all that somebody sees."""
    runs = Q(run__in=runs_visible_to(user).values("pk")) | Q(run__in=runs_shared_with(user).values("pk"))
    seen = Comment.objects.filter(runs | Q(dashboard__in=dashboards_visible(user).values("pk")))
    return seen.select_related("author", "run__thread__source", "dashboard").defer(
        "run__thread__source__catalog"
    )


def may_change(user: User, comment: Comment) -> bool:
    """Say whether somebody may edit and delete a comment: who wrote it alone."""
    return comment.author_id == user.pk


def people_seeing(thing: Thing) -> QuerySet[User]:
    """List the people who see a thing, by user name: its owner, and members of its teams; of a question those who see its source.

    Where teams see a part of the source, or read it by logins of their own, each of them is asked for by itself.
    """
    people = User.objects.filter(is_active=True, is_service=False)
    if isinstance(thing, Dashboard):
        teams, owner = thing.teams.all(), thing.owner_id
    else:
        source, owner = thing.thread.source, thing.thread.owner_id
        teams = Team.objects.filter(Q(runs=thing) | Q(threads=thing.thread_id))
        people = people.filter(Q(pk=source.owner_id) | Q(memberships__team__in=source.teams.values("pk")))
    seeing = people.filter(Q(pk=owner) | Q(memberships__team__in=teams.values("pk"))).distinct()
    if isinstance(thing, Run) and (thing.thread.source.withholds or thing.thread.source.maps_logins):
        seeing = people.filter(pk__in=[one.pk for one in seeing if may_see(one, thing)]).distinct()
    return seeing.order_by("username")


def people_offered(thing: Thing, typed: str, to: User) -> QuerySet[User]:
    """List those whose name begins as typed, without who types."""
    found = people_seeing(thing).exclude(pk=to.pk)
    if typed:
        found = found.filter(
            Q(username__istartswith=typed)
            | Q(first_name__istartswith=typed)
            | Q(last_name__istartswith=typed)
        )
    return found[:OFFERED]


def teammates_named(user: User, names: Iterable[str]) -> QuerySet[User]:
    """List the people who are in a team with somebody and have one of these user names, in any letter case."""
    is_named = reduce(or_, (Q(username__iexact=name) for name in names))
    people = User.objects.filter(is_named, is_active=True, is_service=False)
    return people.filter(memberships__team__in=teams_of(user)).distinct()


def mentioned_by(comments: Iterable[Comment]) -> set[tuple[int, int]]:
    """Tell which people were told of which comments, as pairs of ids: a comment and a person."""
    found = Mention.objects.filter(comment__in=[one.pk for one in comments])
    return set(found.values_list("comment", "person"))


def wants_mails(user: User) -> bool:
    """Say whether somebody is told by mail where they are mentioned."""
    return not MailsOff.objects.filter(person=user).exists()
