"""Operations on people: made, let in by a one-time link, put into teams, shut out."""

from __future__ import annotations

import hashlib
import logging
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mirror.audit.services import record
from mirror.people.models import Identity, Membership, Passkey, Session, SignInLink, Team, User
from mirror.people.selectors import teams_of

log = logging.getLogger(__name__)


SERVICE = gettext_lazy("A service is no person: it acts by its tokens alone.")
LAST = gettext_lazy("This is the last administrator. Make another one first.")


class PeopleError(Exception):
    """Something asked for cannot be done; the message is fit to be shown."""


@transaction.atomic
def user_create(username: str, *, name: str = "", email: str = "", is_staff: bool = False) -> User:
    """Make somebody who has no password yet; a one-time link lets them in to choose one."""
    user = User(username=username, first_name=name, email=email, is_staff=is_staff)
    user.set_unusable_password()
    user.full_clean()
    user.save()
    record("made a person", user, is_administrator=is_staff)
    log.info("User %s was made%s", user.pk, ", an administrator" if is_staff else "")
    return user


@transaction.atomic
def service_create(username: str, teams: Iterable[Team], by: User) -> User:
    """Make a service: nobody signs in as it, and it sees what is shared with these teams. Raises: ValidationError."""
    service = User(username=username, is_service=True)
    service.set_unusable_password()
    service.full_clean()
    service.save()
    record("made a service", service, by=by)
    for team in teams:
        member_add(team, username)
    log.info("Service %s was made by user %s", service.pk, by.pk)
    return service


def first_admin() -> User:
    """Get the first administrator, making `admin` when nobody is there to manage people."""
    user = User.objects.filter(is_staff=True, is_active=True).order_by("pk").first()
    if user:
        return user
    taken = User.objects.filter(username="admin").exists()
    admin = user_create("admin-2" if taken else "admin", is_staff=True)
    admin.is_superuser = True
    admin.save(update_fields=["is_superuser"])
    return admin


@transaction.atomic
def user_deactivate(user: User, by: User | None, why: str = "") -> None:
    """Shut somebody out: no new sign-in, open sessions end, open links stop working.

    Their things stay. `by` is None where no person does it; `why` tells the audit the cause.
    Raises: PeopleError for oneself and for the last administrator.
    """
    if user == by:
        raise PeopleError(_("You cannot shut yourself out."))
    if user.is_staff and not _others_manage(user):
        raise PeopleError(LAST)
    user.is_active = False
    user.save(update_fields=["is_active"])
    # Only who was shut out for the provider's word comes in again by it.
    Identity.objects.filter(user=user).update(shut_out_at=None)
    links_end(user)
    sessions_end(user)
    record("shut out", user, by=by, **_because(why))
    log.info("User %s was shut out by %s", user.pk, f"user {by.pk}" if by else why)


def _because(why: str) -> dict[str, Any]:
    """The detail of the audit that tells why something was done which nobody asked for."""
    return {"why": why} if why else {}


@transaction.atomic
def user_password(user: User, password: str) -> None:
    """Keep somebody's password; the earlier one, or that there was none, is forgotten."""
    user.set_password(password)
    user.save(update_fields=["password"])
    record("chose a password", user, by=user)
    log.info("User %s set their password", user.pk)


def password_refused(user: User, verb: str = "chose a password") -> None:
    """Tell the audit of a wrong password typed for an act that asks for it: it may be somebody at an open browser."""
    record(verb, user, by=user, is_refused=True, why="a wrong password of now")


@transaction.atomic
def user_address(user: User, email: str) -> None:
    """Keep the mail address that somebody typed of themselves; an empty one is none.

    Nobody vouches for a new one, unless an administrator typed it: outside of the company it is asked like any other.
    """
    kept = User.objects.get(pk=user.pk)
    if kept.email.casefold() != email.casefold():
        user.email_is_typed = not user.is_staff
    user.email = email
    user.save(update_fields=["email", "email_is_typed"])
    record("changed a mail address", user, by=user)
    log.info("User %s changed their mail address", user.pk)


def user_language(user: User, language: str) -> None:
    """Keep the language that somebody chose for pages and mails; an empty one is that of the browser."""
    user.language = language
    user.save(update_fields=["language"])


@transaction.atomic
def user_make_staff(user: User, is_staff: bool, by: User | None = None, why: str = "") -> None:
    """Make somebody an administrator, or one no longer; `by` a person, or for a reason. Raises: PeopleError for the last one, and for a service."""
    if user.is_service:
        raise PeopleError(SERVICE)
    if not is_staff and not _others_manage(user):
        raise PeopleError(LAST)
    user.is_staff = is_staff
    user.save(update_fields=["is_staff"])
    record("made an administrator" if is_staff else "made a member", user, by=by, **_because(why))
    made = "an administrator" if is_staff else "a member"
    log.info("User %s was made %s by %s", user.pk, made, f"user {by.pk}" if by else why)


def _others_manage(user: User) -> bool:
    """Say whether somebody else could manage people without this user."""
    return User.objects.filter(is_staff=True, is_active=True).exclude(pk=user.pk).exists()


@transaction.atomic
def user_password_forget(user: User) -> None:
    """Take somebody's password, links and passkeys away: they sign in another way from now on."""
    user.set_unusable_password()
    user.save(update_fields=["password"])
    links_end(user)
    gone, _ = Passkey.objects.filter(user=user).delete()
    if gone:
        record("removed a passkey", user, passkeys=gone)


@transaction.atomic
def user_activate(user: User) -> None:
    """Let somebody in again. Open sessions were ended; they sign in anew."""
    user.is_active = True
    user.save(update_fields=["is_active"])
    record("let in again", user)


def sessions_end(user: User) -> None:
    """Sign somebody out everywhere."""
    Session.objects.filter(user=user).delete()


@transaction.atomic
def session_end(user: User, mark: str) -> bool:
    """Sign somebody out in one of their browsers, named by `Session.mark`; say whether there was such a session."""
    session = next((one for one in Session.objects.filter(user=user) if one.mark == mark), None)
    if session is None:
        return False
    session.delete()
    record("ended a session", user, by=user, browser=session.browser)
    log.info("User %s ended one of their sessions", user.pk)
    return True


@transaction.atomic
def sessions_end_others(user: User, key: str) -> int:
    """Sign somebody out in every browser but the one with this key; return in how many."""
    gone, _ = Session.objects.filter(user=user).exclude(session_key=key).delete()
    if gone:
        record("ended a session", user, by=user, sessions=gone)
        log.info("User %s ended %d of their sessions", user.pk, gone)
    return gone


def sessions_forget() -> int:
    """Delete the rows of sessions that ended by themselves; return how many."""
    gone, _ = Session.objects.filter(expire_date__lt=timezone.now()).delete()
    return gone


@transaction.atomic
def link_create(user: User) -> str:
    """Make a one-time sign-in link and return its token; the store keeps only the token's hash.

    Links past their time are forgotten. A newer link does not end an older one. Raises: PeopleError for a service.
    """
    if user.is_service:
        raise PeopleError(SERVICE)
    now = timezone.now()
    SignInLink.objects.filter(expires_at__lt=now).delete()
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(
        user=user,
        token_hash=_hash(token),
        expires_at=now + timedelta(hours=settings.SIGN_IN_LINK_HOURS),
    )
    record("made a sign-in link", user)
    return token


def links_end(user: User) -> None:
    """End all open links of somebody: who has a password needs none that may stand in a log or a chat."""
    SignInLink.objects.filter(user=user, used_at=None).delete()


def link_holder(token: str) -> User | None:
    """Tell whom a link would sign in, without using it up; None when it works no more."""
    link = (
        SignInLink.objects.filter(
            token_hash=_hash(token),
            used_at=None,
            expires_at__gt=timezone.now(),
            user__is_active=True,
            user__is_service=False,
        )
        .select_related("user")
        .first()
    )
    return link.user if link else None


def link_use(token: str) -> User | None:
    """Use a link up and return whom it signs in; None when it works no more.

    One conditional update, so of two who press at once only one gets in.
    """
    user = link_holder(token)
    if user is None:
        return None
    taken = SignInLink.objects.filter(token_hash=_hash(token), used_at=None).update(used_at=timezone.now())
    if not taken:
        return None
    log.info("User %s signed in by a one-time link", user.pk)
    return user


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


@transaction.atomic
def team_create(name: str, by: User) -> Team:
    """Make a team; its maker manages it."""
    team = Team(name=name)
    team.full_clean()
    team.save()
    Membership.objects.create(team=team, user=by, is_manager=True)
    record("made a team", team, by=by)
    return team


def teams_share(thing: Any, teams: Iterable[Team], by: User) -> list[str]:
    """Share a row that has `teams` with exactly these of the teams that `by` is in, and give the names of all; others stay as they are."""
    offered = set(teams_of(by))
    kept = set(thing.teams.all()) - offered
    thing.teams.set(kept | (set(teams) & offered))
    return [str(team) for team in thing.teams.all()]


@transaction.atomic
def member_add(team: Team, username: str, *, is_manager: bool = False) -> Membership:
    """Put somebody into a team; a member keeps their place. Raises: PeopleError."""
    user = User.objects.filter(username__iexact=username.strip(), is_active=True).first()
    if user is None:
        raise PeopleError(_("There is nobody called “%(name)s” here.") % {"name": username.strip()})
    return member_join(team, user, is_manager=is_manager)


@transaction.atomic
def member_join(team: Team, user: User, *, is_manager: bool = False, why: str = "") -> Membership:
    """Put a user into a team, for a reason where no person asks for it. Raises: PeopleError for a service that would manage it."""
    if user.is_service and is_manager:
        raise PeopleError(SERVICE)
    membership, made = Membership.objects.get_or_create(team=team, user=user)
    if made or is_manager != membership.is_manager:
        membership.is_manager = is_manager
        membership.save()
    record("added to a team", user, team=team, is_manager=membership.is_manager, **_because(why))
    return membership


@transaction.atomic
def member_remove(team: Team, user_id: int, why: str = "") -> None:
    """Take somebody out of a team; they lose sight of things shared with it at once."""
    gone = Membership.objects.filter(team=team, user_id=user_id).select_related("user").first()
    if gone is not None:
        gone.delete()
        record("removed from a team", gone.user, team=team, **_because(why))
