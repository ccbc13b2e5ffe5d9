"""What can happen to a source: connected, tested, changed, shared, read again, let go.

Whatever is opened here is opened read-only by an adapter; the store is never a source.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from mirror.people.models import Team, User
from mirror.sources import powers, selectors
from mirror.sources.addresses import AddressRefused, file_check, host_check
from mirror.sources.at_hand import index_unpacked
from mirror.sources.catalogs import catalog_json, catalog_read
from mirror.sources.confined_reads import check_confined, seen_confined
from mirror.sources.drift import catalog_drift
from mirror.sources.limits import limits_of
from mirror.sources.models import PORTS, Source, StoredIndex
from mirror.sources.powers import Powers
from mirror.sources.secrets import SecretUnreadable
from mirror.sources.signals import catalog_read_anew
from mirror.sources.store import store_check, store_mark
from mirror.sources.trying import failure_told, tries_left
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status
from mirror.work.store import store_keep
from mirror.work.watching import Watch
from sqlagent.adapters import installed_dialects, is_held, open_database
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import DatabaseError, Unreachable
from sqlagent.ports import Database, SourceDatabase
from sqlagent.values import Catalog, Check, Failure, FailureKind, Limits

log = logging.getLogger(__name__)

INDEX_BROKEN = "Something in Mirror itself broke while reading them. It was logged."
INDEX_GIVEN_UP = "The worker reading them was interrupted {count} times."

# Engines that the store cannot be on.
NEVER_THE_STORE = (Source.Engine.DUCKDB, Source.Engine.SPARK)
Done = Callable[[Source], object] | None
# How a transaction is written: by `store_keep`, or by the lease of who does it.
Keep = Callable[[Callable[[], object]], None]


class SourceError(Exception):
    """A source cannot be reached or used; message and advice are fit to be shown."""

    title = "Not kept: the database does not answer"

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice


class PowersRefused(SourceError):
    """In production, no source is kept whose user could do severe things, unless an administrator says so."""

    title = "Not kept: its user can do more than read"

    def __init__(self, found: Powers) -> None:
        severe = [words for severity, words in found.lines if severity == "severe"]
        super().__init__(
            f"User “{found.user}” could {'; '.join(severe)}.",
            "Connect as a user that only reads: the statements below make one. "
            "An administrator may connect it as it is.",
        )
        self.powers = found


# ---------------------------------------------------------------- opening


def open_source(source: Source) -> SourceDatabase:
    """Give a source's adapter, read-only. Close it after use.

    Nothing is connected before it is asked something: then it raises DatabaseError. So does this when
    the source's password cannot be read, or its host may not be called (any more).
    """
    return open_database(**_how(source))


def _how(source: Source) -> dict[str, Any]:
    """What opens a source, as the adapters take it. Raises: DatabaseError."""
    return {
        "engine": str(source.engine),
        "addresses": _addresses(source),
        "host": source.host,
        "port": source.port,
        "database": source.database,
        "user": source.username,
        "password": _password(source),
        "options": source.options,
        "store_mark": "" if source.engine in NEVER_THE_STORE else store_mark(),
        "memory": limits_of(source).memory,
    }


def _addresses(source: Source) -> tuple[str, ...]:
    """Look again where a name leads: it may lead elsewhere than when it was connected. Raises: Unreachable.

    What was looked at is what is called, where the driver can be told: PostgreSQL, MySQL, MariaDB.
    """
    if source.is_file or not source.host:
        return ()
    try:
        return host_check(source.host, source.port or PORTS.get(source.engine, 0))
    except AddressRefused as error:
        raise Unreachable(Failure(FailureKind.LOST, str(error))) from None


def _password(source: Source) -> str:
    try:
        return str(source.password)
    except SecretUnreadable as error:
        advice = "Or type the password of this source again."
        raise Unreachable(Failure(FailureKind.LOST, str(error), advice=advice)) from None


def source_catalog(source: Source) -> Catalog:
    """Give the catalog, read anew when that was more than `CATALOG_HOURS` ago.

    One that cannot be read anew is given as it was. Raises: DatabaseError when it was never read, or may not be.
    """
    kept = catalog_read(source.catalog) if source.catalog else None
    oldest = timezone.now() - timedelta(hours=settings.CATALOG_HOURS)
    if kept is not None and source.catalog_at is not None and source.catalog_at > oldest:
        return kept
    try:
        return _catalog_keep(source, _catalog_read(source))
    except DatabaseError as error:
        if kept is None or error.failure.kind is FailureKind.REFUSED:
            raise
        log.warning("The tables of source %s could not be read anew: %s", source.pk, error)
        return kept


def source_index(source: Source, catalog: Catalog, database: Database) -> ValueIndex | None:
    """Give the value index, making it now when it was never made for this catalog, or before facts were kept in it.

    Making takes at most `VALUE_INDEX_SECONDS`. None when the source cannot be read.
    """
    stored = selectors.index_state(source)
    if stored is None or stored.state != StoredIndex.State.READY or stored.catalog_version != catalog.version:
        return _index_make(source, catalog, database)
    index = index_unpacked(source, stored)
    return index if index.has_facts else _index_make(source, catalog, database)


# ---------------------------------------------------------------- connecting and changing


def source_check(source: Source, by: User) -> None:
    """Refuse an address that `by` may not connect; give a file its real path. Raises: SourceError."""
    if source.is_upload:
        return  # a file of Mirror's own; no form can name it
    try:
        if source.is_file:
            source.database = str(file_check(source.database, anywhere=by.is_staff))
        else:
            source.port = source.port or PORTS.get(source.engine)
            host_check(source.host, source.port or 0)
            if source.options.get("sslrootcert"):
                path = file_check(source.options["sslrootcert"], anywhere=by.is_staff)
                source.options = {**source.options, "sslrootcert": str(path)}
    except AddressRefused as error:
        raise SourceError(str(error)) from None
    _settings_check(source)


def _settings_check(source: Source) -> None:
    """Refuse names and options that the adapter does not take. Raises: SourceError."""
    try:
        open_source(source).close()
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
        return check_confined(_how(source))
    except DatabaseError as error:
        raise SourceError(*failure_told(source, by, error.failure)) from None


def _try_count(by: User) -> None:
    """Count a try to connect. Raises: SourceError beyond `CONNECTION_TESTS_PER_MINUTE`."""
    if words := tries_left(by):
        raise SourceError(words, "Wait a minute, then try again.")


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
    source_check(source, by)
    try:
        catalog = _catalog_read(source, with_powers=True)
    except DatabaseError as error:
        raise SourceError(*failure_told(source, by, error.failure)) from None
    _powers_decide(source, by, confirmed=confirmed)

    def write() -> None:
        source.save()
        _catalog_keep(source, catalog)
        _index_ask_for(source)
        catalog_read_anew.send(Source, source=source, catalog=catalog)
        if done is not None:
            done(source)

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


def source_powers_confirm(source: Source, by: User) -> None:
    """Keep that an administrator knows what the user of a source could do beyond reading."""
    powers.powers_confirm(source, by)
    names = ["powers_confirmed", "powers_confirmed_by", "powers_confirmed_at"]
    source.save(update_fields=names)


def source_share(source: Source, teams: Iterable[Team], by: User) -> None:
    """Share a source with exactly these of the teams that `by` may share with; others stay as they are."""
    offered = set(selectors.teams_to_share_with(by))
    kept = set(source.teams.all()) - offered
    source.teams.set(kept | (set(teams) & offered))
    log.info("Source %s was shared by user %s with %d teams", source.pk, by.pk, source.teams.count())


def source_delete(source: Source) -> None:
    """Let a source go, with its threads, results and saved SQL. The database itself is not touched."""
    log.info("Source %s was deleted", source.pk)
    source.delete()


# ---------------------------------------------------------------- catalog and value index


def catalog_refresh(source: Source) -> Catalog:
    """Read the catalog anew and have the values read anew. Raises: SourceError; the old ones stay.

    What changed since is kept as the source's `drift`, and told to who builds on the source.
    """
    catalog = _catalog_fresh(source)
    _catalog_take_over(source, catalog, _drift(source, catalog))
    return catalog


def catalog_look(source: Source) -> bool:
    """Read the catalog, and take it over as `catalog_refresh` does if anything changed that it tells.

    Returns whether they did; values are not read again where nothing did. Raises: SourceError.
    """
    catalog = _catalog_fresh(source)
    drift = _drift(source, catalog)
    # A version tells also of functions and types that somebody made, which the guard has to know.
    if source.catalog and not drift and catalog.version == source.catalog_version:
        Source.objects.filter(pk=source.pk).update(catalog_at=timezone.now(), powers=source.powers)
        return False
    _catalog_take_over(source, catalog, drift)
    return True


def _drift(source: Source, catalog: Catalog) -> dict[str, list[str]]:
    return catalog_drift(catalog_read(source.catalog), catalog) if source.catalog else {}


def _catalog_take_over(source: Source, catalog: Catalog, drift: dict[str, list[str]]) -> None:
    def write() -> None:
        _catalog_keep(source, catalog)
        if drift:
            source.drift = {**drift, "at": timezone.now().isoformat()}
            source.save(update_fields=["drift"])
        _index_ask_for(source)
        catalog_read_anew.send(Source, source=source, catalog=catalog)

    store_keep(write)


def index_build(source: Source) -> None:
    """Read a source's values and keep them searchable. What goes wrong is kept for the page."""
    try:
        with closing(open_source(source)) as database:
            _index_make(source, source_catalog(source), database)
    except DatabaseError as error:
        _index_failed(source, error)


def index_do(lease: Lease) -> None:
    """Read the values that a taken row is about, and keep them searchable."""
    source = Source.objects.filter(stored_index=lease.pk).first()
    if source is None:
        return
    with suppress(LeaseLost), Watch(lease):
        index_build(source)
        lease.end()


def index_break(lease: Lease) -> None:
    """End reading values after an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(state=StoredIndex.State.FAILED, message=INDEX_BROKEN)


def _catalog_fresh(source: Source) -> Catalog:
    try:
        return _catalog_read(source)
    except DatabaseError as error:
        raise SourceError(error.failure.message, error.failure.advice) from None


def _catalog_read(source: Source, *, with_powers: bool = False) -> Catalog:
    """Read the catalog, and with it what the user could do, which may fail unless it is asked for.

    Raises: DatabaseError, of the store too.
    """
    seen = seen_confined(_how(source))
    store_check(seen.marks)
    if isinstance(seen.check, Check):
        source.powers = powers.powers_kept(seen.check)
    elif with_powers:
        raise Unreachable(seen.check)
    else:
        log.warning("What the user of source %s may do could not be read: %s", source.pk, seen.check.message)
    return seen.catalog


def _catalog_keep(source: Source, catalog: Catalog) -> Catalog:
    source.catalog = catalog_json(catalog)
    source.catalog_version = catalog.version
    source.catalog_at = timezone.now()
    source.save(update_fields=["catalog", "catalog_version", "catalog_at", "powers"])
    return catalog


def _index_ask_for(source: Source) -> None:
    queued = {
        "status": Status.QUEUED,
        "attempts": 0,
        "spared": 0,
        "queued_at": timezone.now(),
        "lease_until": None,
    }
    index, is_new = StoredIndex.objects.defer("data").update_or_create(
        source=source, defaults={"state": StoredIndex.State.WAITING, "message": "", **queued}
    )
    if not is_new:  # who makes one of the tables as they were has lost it
        StoredIndex.objects.filter(pk=index.pk).update(lease_token=F("lease_token") + 1)
    send(index)


def _index_make(source: Source, catalog: Catalog, database: Database) -> ValueIndex | None:
    _index_keep(source, state=StoredIndex.State.BUILDING, message="")
    try:
        index = ValueIndex.build(
            catalog,
            database,
            per_column=settings.VALUE_INDEX_PER_COLUMN,
            seconds=settings.VALUE_INDEX_SECONDS,
        )
        if not len(index):
            # Columns that cannot be read are left out; a source that cannot be read at all must say so.
            database.execute("SELECT 1", Limits(seconds=5, rows=1))
    except DatabaseError as error:
        _index_failed(source, error)
        return None
    _index_keep(
        source,
        state=StoredIndex.State.READY,
        message="",
        catalog_version=catalog.version,
        size=len(index),
        data=index.to_bytes(),
    )
    return index


def _index_failed(source: Source, error: DatabaseError) -> None:
    log.warning("The values of source %s could not be read: %s", source.pk, error)
    _index_keep(source, state=StoredIndex.State.FAILED, message=error.failure.message)


def _index_keep(source: Source, **fields: Any) -> None:
    store_keep(lambda: StoredIndex.objects.update_or_create(source=source, defaults=fields))
