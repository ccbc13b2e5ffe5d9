"""Operations on logins of teams: one is given and tried, or taken away."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.people.models import Team, User
from mirror.sources import selectors
from mirror.sources.confined_reads import check_confined
from mirror.sources.connection_tries import failure_told, tries_left
from mirror.sources.errors import NotTried, SourceError
from mirror.sources.index_services import index_ask_for
from mirror.sources.logins import ENGINES, login_names, place_of
from mirror.sources.models import Source, SourceLogin, StoredIndex
from mirror.sources.opening import how_to_open
from mirror.sources.powers import powers_kept, powers_read
from sqlagent.errors import DatabaseError

log = logging.getLogger(__name__)

# Powers by which row security of the database does not hold for a login.
UNRULED = ("superuser", "bypass_row_security")


def login_give(
    source: Source,
    team: Team | None,
    username: str,
    password: str,
    by: User,
    done: Callable[[SourceLogin], object],
    *,
    keep: Callable[[Callable[[], object]], None],
) -> None:
    """Keep a login for a team once the database lets it in. Raises: SourceError; nothing changes then.

    `done` is called within the transaction that keeps it, which `keep` writes. It is tried as a source is when it is connected.
    """
    if source.engine not in ENGINES:
        raise NotTried(_("Only sources on PostgreSQL, MySQL and MariaDB have logins of teams."))
    if team is None or not teams_offered(source, by).filter(pk=team.pk).exists():
        raise NotTried(_("The source is not shared with this team, or not by you."))
    if words := tries_left(by):
        raise NotTried(words, _("Wait a minute, then try again."))
    login = SourceLogin(source=source, team=team, username=username, password=password)
    place = place_of(source)
    try:
        found = powers_kept(check_confined(how_to_open(source, login)))
    except DatabaseError as error:
        raise SourceError(*failure_told(source, by, error.failure)) from None
    if settings.PRODUCTION and powers_read(found).is_severe and not by.is_staff:
        raise SourceError(
            _(
                "%(username)s could do much more than read, so only an administrator who owns the source gives it to a team."
            )
            % {"username": username},
            _("Make a login that only reads: the page of the source has statements for one."),
        )

    def write() -> None:
        kept = Source.objects.select_for_update().get(pk=source.pk)
        row, _ = SourceLogin.objects.update_or_create(
            source=kept,
            team=team,
            defaults={
                "username": username,
                "password": password,
                "place": place,
                "powers": found,
                "given_at": timezone.now(),
            },
        )
        _settled(kept)
        index_ask_for(kept, login=username, afresh=True)
        done(row)
        record("gave a login to a team", kept, by=by, team=str(team), login=username)

    keep(write)
    log.info(
        "Source %s is read by a login of its own by team %s since user %s said so", source.pk, team.pk, by.pk
    )


@transaction.atomic
def login_take(source: Source, team: Team, by: User) -> None:
    """Take a team's login away: its members read by the source's own user from now on."""
    kept = Source.objects.select_for_update().get(pk=source.pk)
    row = SourceLogin.objects.filter(source=kept, team=team).first()
    if row is None or not teams_offered(kept, by).filter(pk=team.pk).exists():
        return
    row.delete()
    _settled(kept)
    record("took a login from a team", kept, by=by, team=str(team), login=row.username)


def _settled(source: Source) -> None:
    """Keep whether there are logins, and forget the stored values of those that are gone."""
    source.maps_logins = SourceLogin.objects.filter(source=source).exists()
    source.save(update_fields=["maps_logins"])
    StoredIndex.objects.filter(source=source).exclude(login__in=["", *login_names(source)]).delete()


def teams_offered(source: Source, by: User) -> QuerySet[Team]:
    """List the teams to which somebody gives logins: those that see the source and that they may share with."""
    return source.teams.filter(pk__in=selectors.teams_to_share_with(by).values("pk")).order_by("name")
