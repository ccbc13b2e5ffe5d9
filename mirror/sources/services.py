"""Operations on a source: connected, tested, changed, shared, let go.

Its catalog and the index of its values are other files' (`catalog_services`, `index_services`).
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping

from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.people.models import Team, User
from mirror.sources import powers, selectors
from mirror.sources.addresses import AddressRefused, file_check, host_check, name_check
from mirror.sources.catalogs import catalog_fetch, catalog_keep
from mirror.sources.changes import source_before, source_write
from mirror.sources.confined_reads import check_confined, key_shown_confined
from mirror.sources.connection_tries import failure_told, tries_left
from mirror.sources.errors import KeyUnconfirmed, NotTried, PowersRefused, SourceError
from mirror.sources.index_services import indexes_ask_for
from mirror.sources.models import HOSTS, Source, TeamRole, WithheldName, WithheldRight
from mirror.sources.opening import how_to_open
from mirror.sources.powers import Powers
from mirror.sources.signals import catalog_read_anew
from mirror.sources.tunnels import unconfirmed_server
from mirror.work.store import store_keep
from sqlagent.adapters import installed_dialects, is_held, open_database
from sqlagent.errors import DatabaseError
from sqlagent.values import Check

log = logging.getLogger(__name__)

Done = Callable[[Source], object] | None
# How a transaction is written: by `store_keep`, or by the lease of who does it.
Keep = Callable[[Callable[[], object]], None]


def source_check(source: Source, by: User) -> None:
    """Refuse an address that `by` may not connect; give a file its real path. Raises: SourceError."""
    if source.is_upload:
        return  # a file of Mirror's own; no form can name it
    try:
        if source.is_file:
            source.database = str(file_check(source.database, anywhere=by.is_staff))
        else:
            source.host = HOSTS.get(source.engine, source.host)
            source.port = source.port or source.usual_port or None
            if source.tunnel:
                name_check(source.host)
            else:
                host_check(source.host, source.port or 0)
            if source.options.get("sslrootcert"):
                path = file_check(source.options["sslrootcert"], anywhere=by.is_staff)
                source.options = {**source.options, "sslrootcert": str(path)}
    except AddressRefused as error:
        raise NotTried(str(error)) from None
    _key_check(source, by)
    _settings_check(source)


def _key_check(source: Source, by: User) -> None:
    """Show the key of an SSH server that nobody has confirmed. Raises: SourceError."""
    try:
        server = unconfirmed_server(source)
        fingerprint = key_shown_confined(server) if server is not None else ""
    except AddressRefused as error:
        raise NotTried(str(error)) from None
    except DatabaseError as error:
        raise SourceError(*failure_told(source, by, error.failure)) from None
    if server is not None:
        raise KeyUnconfirmed(server.place, fingerprint)


def _settings_check(source: Source) -> None:
    """Refuse names and options that the adapter does not take. Raises: SourceError."""
    try:
        open_database(**how_to_open(source)).close()
    except ValueError as error:
        raise SourceError(str(error)) from None
    except DatabaseError as error:
        raise SourceError(error.failure.message, error.failure.advice) from None


def source_is_held(source: Source) -> bool:
    """Say whether the database's own session keeps statements from writing, besides the guard."""
    return is_held(source.engine, source.options)


def dialects() -> list[str]:
    """List the SQLAlchemy dialects of servers that are installed, each with its driver."""
    return installed_dialects()


def source_test(source: Source, by: User) -> Check:
    """Connect with what was typed and tell what was found; nothing is kept. Raises: SourceError."""
    _try_count(by)
    source_check(source, by)
    try:
        return check_confined(how_to_open(source))
    except DatabaseError as error:
        raise SourceError(*failure_told(source, by, error.failure)) from None


def _try_count(by: User) -> None:
    """Count a try to connect. Raises: SourceError beyond `CONNECTION_TESTS_PER_MINUTE`."""
    if words := tries_left(by):
        raise NotTried(words, _("Wait a minute, then try again."))


def powers_would_be_refused(told: Powers) -> bool:
    """Say whether a new source of this user is kept only when an administrator says so."""
    return bool(settings.PRODUCTION) and told.is_severe


def source_connect(
    source: Source, by: User, done: Done = None, *, confirmed: bool = False, keep: Keep = store_keep
) -> Source:
    """Keep a new source once it answers, with its catalog. Raises: SourceError; nothing is kept then.

    `done` is called within the transaction that keeps it, which `keep` writes. `confirmed`: `by`, if an administrator, knows what its
    user could do beyond reading.
    """
    source.owner = by
    return _source_keep(source, by, done, confirmed=confirmed, keep=keep)


def source_update(
    source: Source, by: User, done: Done = None, *, confirmed: bool = False, keep: Keep = store_keep
) -> Source:
    """Keep what was changed once the source answers with it. Raises: SourceError; nothing changes then.

    `done`, `confirmed` and `keep` are those of `source_connect`.
    """
    return _source_keep(source, by, done, confirmed=confirmed, keep=keep)


def _source_keep(source: Source, by: User, done: Done, *, confirmed: bool, keep: Keep) -> Source:
    _try_count(by)
    before = None if source._state.adding else source_before(source)
    source_check(source, by)
    try:
        catalog = catalog_fetch(source, with_powers=True)
    except DatabaseError as error:
        raise SourceError(*failure_told(source, by, error.failure)) from None
    _powers_decide(source, by, confirmed=confirmed)

    def write() -> None:
        if before is None:
            source.save()
        else:
            source_write(source, before)
        catalog_keep(source, catalog)
        indexes_ask_for(source, afresh=True)
        catalog_read_anew.send(Source, source=source, catalog=catalog)
        if done is not None:
            done(source)
        record(
            "connected a source" if before is None else "changed a source",
            source,
            by=by,
            engine=source.engine,
            privacy=source.privacy,
        )

    keep(write)
    log.info(
        "Source %s (%s) was kept by user %s: %d tables", source.pk, source.engine, by.pk, len(catalog.tables)
    )
    return source


def _powers_decide(source: Source, by: User, *, confirmed: bool) -> None:
    """Hold what was found of a source's user against what administrators confirmed. Raises: PowersRefused.

    A source that leads where it led before is kept: it is warned about on its page.
    """
    moved = powers.is_moved(source)
    if moved:
        powers.powers_forget(source)
    if confirmed and by.is_staff and powers.powers_are_unconfirmed(source):
        powers.powers_confirm(source, by)
    found = powers.powers_of(source)
    if settings.PRODUCTION and moved and found is not None and found.is_warned_about:
        raise PowersRefused(found)


@transaction.atomic
def source_powers_confirm(source: Source, by: User) -> None:
    """Keep that an administrator knows what the user of a source could do beyond reading."""
    powers.powers_confirm(source, by)
    names = ["powers_confirmed", "powers_confirmed_by", "powers_confirmed_at"]
    source.save(update_fields=names)
    record("confirmed powers", source, by=by, powers=source.powers_confirmed)


@transaction.atomic
def source_share(source: Source, teams: Iterable[Team], by: User) -> None:
    """Share a source with exactly these of the teams that `by` may share with; others stay as they are."""
    offered = set(selectors.teams_to_share_with(by))
    kept = set(source.teams.all()) - offered
    source.teams.set(kept | (set(teams) & offered))
    # A team that is given the source again begins as every team does.
    source.team_roles.exclude(team__in=source.teams.values("pk")).delete()
    # Names withheld from a team stay so: shared again, it does not see more than before.
    record("shared a source", source, by=by, teams=[str(team) for team in source.teams.all()])
    log.info("Source %s was shared by user %s with %d teams", source.pk, by.pk, source.teams.count())


@transaction.atomic
def roles_give(source: Source, roles: Mapping[Team, str], by: User) -> None:
    """Give teams their roles, among those that a source is shared with and `by` may share with; others stay as they are."""
    offered = set(selectors.teams_to_share_with(by)) & set(source.teams.all())
    before = dict(source.team_roles.values_list("team", "role"))
    for team, role in roles.items():
        if team not in offered or role == before.get(team.pk, TeamRole.Role.ANALYST):
            continue
        if role == TeamRole.Role.ANALYST:
            source.team_roles.filter(team=team).delete()
        else:
            source.team_roles.update_or_create(team=team, defaults={"role": TeamRole.Role(role)})
        record("gave a role on a source", source, by=by, team=str(team), role=str(role))


@transaction.atomic
def rights_withhold(source: Source, right: WithheldRight.Right, teams: Iterable[Team], by: User) -> None:
    """Withhold a right from exactly these of the teams that `by` may share with; others stay as they are."""
    offered = set(selectors.teams_to_share_with(by))
    before = set(source.withheld.filter(right=right).values_list("team", flat=True))
    kept = before - {team.pk for team in offered}
    wanted = kept | {team.pk for team in set(teams) & offered}
    if wanted == before:
        return
    source.withheld.filter(right=right).exclude(team__in=wanted).delete()
    for pk in wanted - before:
        WithheldRight.objects.create(source=source, team_id=pk, right=right)
    named = [str(row.team) for row in source.withheld.filter(right=right).select_related("team")]
    record("withheld a right on a source", source, by=by, right=right.label, teams=named)


@transaction.atomic
def names_withhold(source: Source, team: Team, names: Iterable[tuple[str, str]], by: User) -> None:
    """Withhold exactly these tables and columns of a source from a team it is shared with and `by` may share with."""
    Source.objects.select_for_update().get(pk=source.pk)
    if team not in selectors.teams_to_share_with(by) or team not in source.teams.all():
        return
    rows, wanted = source.withheld_names.filter(team=team), set(names)
    before = set(rows.values_list("table", "column"))
    if wanted == before:
        return
    for table, column in before - wanted:
        rows.filter(table=table, column=column).delete()
    for table, column in sorted(wanted - before):
        WithheldName.objects.create(source=source, team=team, table=table, column=column)
    source.withholds = source.withheld_names.exists()
    source.save(update_fields=["withholds"])
    named = sorted(str(row) for row in source.withheld_names.filter(team=team))
    record("withheld tables or columns", source, by=by, team=str(team), names=named)


@transaction.atomic
def source_delete(source: Source) -> None:
    """Let a source go, with its threads, results and saved SQL. The database itself is not touched."""
    log.info("Source %s was deleted", source.pk)
    pk = source.pk
    source.delete()
    source.pk = pk  # which is gone from the store, and named in the audit
    record("deleted a source", source)
