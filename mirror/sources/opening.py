"""Open a source, read-only, by its adapter: the address looked at again, the password unlocked, the store told apart."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from mirror.secrets import SecretUnreadable
from mirror.sources.addresses import AddressRefused, host_check
from mirror.sources.limits import limits_of
from mirror.sources.logins import Login, login_row, login_told, place_of
from mirror.sources.models import Source, SourceLogin
from mirror.sources.sight import sight_now
from mirror.sources.store_marker import store_mark
from mirror.sources.tunnels import ssh_server
from sqlagent.adapters import open_database
from sqlagent.errors import Unreachable
from sqlagent.ports import SourceDatabase
from sqlagent.values import Failure, FailureKind

# Engines that the store cannot be on.
NEVER_THE_STORE = (Source.Engine.DUCKDB, Source.Engine.SPARK, Source.Engine.CLICKHOUSE)


def open_source(source: Source) -> SourceDatabase:
    """Give a source's adapter, read-only, by the login of who has the source in hand (`sight`). Close it after use.

    Nothing is connected before it is asked something: then it raises DatabaseError. So does this when
    the source's password cannot be read, its host may not be called (any more), or no login is known: the source's own user never
    stands in for one.
    """
    login = sight_now(source).login
    if login.problem:
        raise Unreachable(Failure(FailureKind.LOST, login.problem))
    return open_database(**how_to_open(source, None if login.is_own else _login(source, login)))


def how_to_open(source: Source, login: SourceLogin | None = None) -> dict[str, Any]:
    """The arguments that open a source by a login of a team, else its own user, as the adapters take them. Raises: DatabaseError."""
    return {
        "engine": str(source.engine),
        "addresses": _addresses(source),
        "ssh": ssh_server(source),
        "host": source.host,
        "port": source.port,
        "database": source.database,
        "user": login.username if login is not None else source.username,
        "password": _password(login or source),
        "options": source.options,
        "store_mark": "" if source.engine in NEVER_THE_STORE else store_mark(),
        "memory": limits_of(source).memory,
        "scan_bytes": limits_of(source).scan if source.is_scanning else None,
    }


def _addresses(source: Source) -> tuple[str, ...]:
    """Resolve and check a host name again: it may lead elsewhere than when it was connected. Raises: Unreachable.

    The checked address is the one called, where the driver can be told: PostgreSQL, MySQL, MariaDB, ClickHouse. A name behind
    an SSH server is resolved by that server (`tunnels`).
    """
    if source.is_file or not source.host or source.tunnel:
        return ()
    try:
        return host_check(source.host, source.port or source.usual_port)
    except AddressRefused as error:
        raise Unreachable(Failure(FailureKind.LOST, str(error))) from None


def _login(source: Source, login: Login) -> SourceLogin:
    """The kept login of a team. Raises: Unreachable where it is gone, or was given for another place."""
    row = login_row(source, login.name)
    if row is None:
        words = _("The login %(name)s of %(name2)s is not kept any more.") % {
            "name": login.name,
            "name2": source.name,
        }
        raise Unreachable(Failure(FailureKind.LOST, words, advice=login_told(source, login)))
    if row.place != place_of(source):
        words = _(
            "%(name)s was connected elsewhere since the login %(name2)s was given, so its password is not sent there."
        ) % {"name": source.name, "name2": login.name}
        advice = _("%(owner)s types it again (Sources, a source, More, Logins of teams).") % {
            "owner": source.owner
        }
        raise Unreachable(Failure(FailureKind.LOST, words, advice=advice))
    return row


def _password(kept: Source | SourceLogin) -> str:
    try:
        return str(kept.password)
    except SecretUnreadable as error:
        advice = _("Or type the password of this source again.")
        raise Unreachable(Failure(FailureKind.LOST, str(error), advice=advice)) from None
