"""People, and the teams that somebody may look at."""

from __future__ import annotations

from django.contrib.auth.hashers import UNUSABLE_PASSWORD_PREFIX
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from mirror.people.models import Membership, Passkey, Session, Team, User


def people(search: str = "") -> QuerySet[User]:
    """List everyone by name, services aside; `search` looks into user names, real names and addresses."""
    found = User.objects.filter(is_service=False).select_related("identity", "code_maker")
    found = found.annotate(has_passkeys=Exists(Passkey.objects.filter(user=OuterRef("pk"))))
    found = found.prefetch_related("teams").order_by("username")
    for word in search.split():
        found = found.filter(
            Q(username__icontains=word)
            | Q(first_name__icontains=word)
            | Q(last_name__icontains=word)
            | Q(email__icontains=word)
        )
    return found


def services_all() -> QuerySet[User]:
    """List the services by name."""
    return User.objects.filter(is_service=True).prefetch_related("teams").order_by("username")


def password_exists() -> bool:
    """Say whether anybody who may sign in has chosen a password."""
    chosen = ~Q(password="") & ~Q(password__startswith=UNUSABLE_PASSWORD_PREFIX)
    return User.objects.filter(chosen, is_active=True).exists()


def teams_visible_to(user: User) -> QuerySet[Team]:
    """List the teams somebody is in; staff see all. Each has `size`, its number of members."""
    teams = Team.objects.annotate(size=Count("memberships", distinct=True))
    return teams if user.is_staff else teams.filter(Q(pk__in=user.teams.values("pk")))


def teams_of(user: User) -> QuerySet[Team]:
    """List the teams somebody is a member of, whatever else they may see."""
    return Team.objects.filter(memberships__user=user)


def may_manage(user: User, team: Team) -> bool:
    """Say whether somebody may add and remove members of a team."""
    return user.is_staff or Membership.objects.filter(team=team, user=user, is_manager=True).exists()


def sessions_of(user: User) -> QuerySet[Session]:
    """List the browsers that somebody is signed in with, the one used last first."""
    return Session.objects.filter(user=user, expire_date__gt=timezone.now())
