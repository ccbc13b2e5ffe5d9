"""By which user of its database somebody reads a source: the login of their team, or the source's own.

Decided here alone, and asked where sight is decided (`sight`). Somebody for whom none can be told reads nothing: never by the
source's own user instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.text import get_text_list
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from mirror.people.selectors import teams_of
from mirror.sources import selectors
from mirror.sources.models import Source, SourceLogin

if TYPE_CHECKING:
    from mirror.people.models import User

# Engines whose sources can have logins of teams: each sends a statement to the server as the user who signed in.
ENGINES = (Source.Engine.POSTGRES, Source.Engine.MYSQL)


@dataclass(frozen=True, slots=True)
class Login:
    """A user of a source's database. Without a `name` it is the source's own; a `problem` says why there is none."""

    name: str = ""
    teams: tuple[str, ...] = ()
    problem: str = ""

    @property
    def is_own(self) -> bool:
        """It is the source's own user."""
        return not self.name and not self.problem


OWN = Login()
NOBODY = Login(problem=gettext_noop("Nobody said by whose login this source is read, so nothing is read."))


def login_of(user: User, source: Source) -> Login:
    """Say by which login somebody reads a source: that of a team of theirs it is shared with, else the source's own.

    A login of one team goes before another team that has none. Two logins are a contradiction that its owner resolves.
    """
    if not source.maps_logins or selectors.may_change(user, source):
        return OWN
    teams = source.teams.filter(pk__in=teams_of(user).values("pk"))
    if not teams.exists():
        return NOBODY
    rows = SourceLogin.objects.filter(source=source, team__in=teams.values("pk")).select_related("team")
    by_team = {str(row.team): row.username for row in rows.order_by("team__name")}
    names = set(by_team.values())
    if len(names) > 1:
        named = get_text_list(list(by_team), "and")
        return Login(
            teams=tuple(by_team),
            problem=_(
                "The teams %(named)s read %(name)s by different logins, and none counts for who is in both. %(owner)s, who owns it, decides that."
            )
            % {"named": named, "name": source.name, "owner": source.owner},
        )
    return Login(names.pop(), tuple(by_team)) if names else OWN


def login_row(source: Source, name: str) -> SourceLogin | None:
    """Give a login of a source by its user: the one whose password was typed last."""
    return SourceLogin.objects.filter(source=source, username=name).order_by("-given_at", "-pk").first()


def login_names(source: Source) -> list[str]:
    """List the users by which teams read a source, each once."""
    if not source.maps_logins:
        return []
    rows = SourceLogin.objects.filter(source=source)
    return sorted(set(rows.values_list("username", flat=True)))


def place_of(source: Source) -> list[Any]:
    """Tell where a password for a source goes, and on which way."""
    place = [source.host, source.port, source.options]
    return [*place, source.tunnel] if source.tunnel else place


def login_told(source: Source, login: Login) -> str:
    """Say who sets a login that did not work, to somebody who reads by it; empty for the source's own."""
    if login.is_own or login.problem:
        return ""
    said = {
        "teams": get_text_list(list(login.teams), _("and")) or _("your team"),
        "source": source.name,
        "login": login.name,
        "owner": source.owner,
    }
    words = ngettext(
        "%(teams)s reads %(source)s by the login %(login)s. %(owner)s, who owns it, sets that (Sources, a source, More, Logins of teams).",
        "%(teams)s read %(source)s by the login %(login)s. %(owner)s, who owns it, sets that (Sources, a source, More, Logins of teams).",
        max(1, len(login.teams)),
    )
    return words % said
