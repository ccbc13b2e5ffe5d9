"""Groups of the provider as teams and administrators here.

A team that a rule names is kept by the provider for people who sign in by it: they are added and removed as their groups
say. Teams that no rule names, and people who do not sign in by it, are left alone; managers of teams stay as they are.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.people.models import GroupRule, Identity, Membership, Team, User
from mirror.people.services import PeopleError, member_join, member_remove, user_make_staff

log = logging.getLogger(__name__)

WHY = "groups of the provider"


def groups_matter() -> bool:
    """Say whether anything here hangs on somebody's groups."""
    return bool(settings.OIDC_ALLOWED_GROUPS) or GroupRule.objects.exists()


def groups_allow(groups: Iterable[str]) -> bool:
    """Say whether people with these groups may enter."""
    return not settings.OIDC_ALLOWED_GROUPS or bool(set(groups) & set(settings.OIDC_ALLOWED_GROUPS))


@transaction.atomic
def groups_apply(user: User, groups: Iterable[str]) -> None:
    """Make somebody's teams and role what the rules say of their groups. The last administrator stays one."""
    rules = _rules()
    has = set(Team.objects.filter(memberships__user=user, group_rules__in=rules))
    _apply(user, set(groups), rules, has)


def _rules() -> list[GroupRule]:
    return list(GroupRule.objects.select_related("team"))


def _apply(user: User, held: set[str], rules: Iterable[GroupRule], has: set[Team]) -> None:
    """Do so for somebody who `has` these of the teams that rules name."""
    wanted = {rule.team for rule in rules if rule.team is not None and rule.group in held}
    for team in sorted(wanted - has, key=lambda one: one.name):
        member_join(team, user, why=WHY)
    for team in sorted(has - wanted, key=lambda one: one.name):
        member_remove(team, user.pk, why=WHY)
    of_administrators = [rule.group for rule in rules if rule.team is None]
    is_staff = bool(held & set(of_administrators))
    if of_administrators and is_staff != user.is_staff:
        try:
            user_make_staff(user, is_staff, why=WHY)
        except PeopleError as error:
            log.warning("User %s stays an administrator against their groups: %s", user.pk, error)


@transaction.atomic
def rule_add(group: str, team: Team | None, by: User) -> GroupRule:
    """Make a rule, and apply it to the people there are by the groups they had last. Raises: PeopleError for one that is there."""
    if GroupRule.objects.filter(group=group, team=team).exists():
        raise PeopleError(_("There is such a rule already."))
    if team is None and not _stays(group):
        raise PeopleError(
            _(
                "Nobody in this group is known here yet, and all administrators sign in by the provider: nobody would be"
                " left who manages people. Have somebody of the group sign in first."
            )
        )
    rule = GroupRule.objects.create(group=group, team=team)
    record("added a group rule", rule, by=by)
    _apply_to_all()
    return rule


def _stays(group: str) -> bool:
    """Whether somebody would still manage people if the rule held: an administrator of our own, or one of the group."""
    by_provider = _accounts()
    ours = User.objects.filter(is_staff=True, is_active=True).exclude(pk__in=by_provider.values("user"))
    return ours.exists() or any(group in account.groups for account in by_provider)


@transaction.atomic
def rule_remove(rule: GroupRule, by: User) -> None:
    """Take a rule away. People stay in the team that it put them into, as nothing says otherwise now."""
    record("removed a group rule", rule, by=by)
    rule.delete()
    _apply_to_all()


def _accounts() -> QuerySet[Identity]:
    """Those whom the provider signs in; of an issuer of before nobody is."""
    return Identity.objects.filter(issuer=settings.OIDC_ISSUER, user__is_active=True)


def _apply_to_all() -> None:
    rules, has = _rules(), defaultdict[int, set[Team]](set)
    places = Membership.objects.filter(user__in=_accounts().values("user"), team__group_rules__in=rules)
    for place in places.select_related("team"):
        has[place.user_id].add(place.team)
    for account in _accounts().select_related("user"):
        _apply(account.user, set(account.groups), rules, has[account.user_id])
