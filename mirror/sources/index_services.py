"""Operations on the value index of a source: asked for, read in turns, kept, given to a question.

A turn reads for some seconds, keeps what it read and queues the next one, so that no worker is held; what is kept
serves questions from the first turn on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing, suppress
from datetime import timedelta
from time import monotonic, sleep
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_noop

from mirror.sources.catalogs import source_catalog
from mirror.sources.logins import login_names
from mirror.sources.models import Source, StoredIndex
from mirror.sources.opening import open_source
from mirror.sources.sight import index_seen, seen_by_login, sight_now
from mirror.sources.unpacked import index_unpacked
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, claim
from mirror.work.turns import turn_is_wanted
from mirror.work.watching import Watch
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.catalog.value_reading import ValueReading
from sqlagent.errors import DatabaseError
from sqlagent.ports import Database
from sqlagent.values import Catalog, Failure, Limits

log = logging.getLogger(__name__)

INDEX_BROKEN = gettext_noop("Something in Mirror itself broke while reading them. It was logged.")
INDEX_GIVEN_UP = gettext_noop("The worker reading them was interrupted {count} times.")

# The first turn is short, so that questions find something soon (seconds).
FIRST_SECONDS = 3.0
# A turn gives way to people after so long, and comes back after a pause, as does one that read nothing; how often it
# looks for them (seconds).
LEAST_SECONDS, PAUSE_SECONDS, LOOK_SECONDS = 1.0, 3.0, 0.5
# When a source that went away is tried again (seconds); after the last one it is given up until somebody asks.
TRIES = (60, 300, 900, 3_600)
# A question that finds nothing read waits so long for the turn of another worker (seconds).
WAIT_SECONDS = 8.0
# Where no worker comes for a queued turn so long, a question does a short one itself.
UNWORKED = timedelta(seconds=30)
# A question has values read on that were given up this long ago.
ASK_AGAIN = timedelta(hours=1)


def source_index(source: Source, catalog: Catalog, database: Database) -> ValueIndex | None:
    """Give the value index as far as it is read; where nothing is, of these tables, the first turn is done now.

    That takes at most `VALUE_INDEX_SECONDS`, and a statement more. None when the source cannot be read. Each login of a team has
    an index of its own: `database` is opened by the login of who has the source in hand.
    """
    index, stored = _index_kept(source, catalog)
    if index is None:
        _index_read_here(source, catalog, database, settings.VALUE_INDEX_SECONDS)
        index, stored = _index_kept(source, catalog)
    elif (
        stored is not None and stored.status == Status.QUEUED and stored.queued_at < timezone.now() - UNWORKED
    ):
        _index_read_here(source, catalog, database, FIRST_SECONDS)
        index, stored = _index_kept(source, catalog)
    if (
        index is None
    ):  # the source is away, or another worker's first turn takes long: what there is of the tables as they were
        old = index_unpacked(source, stored) if stored is not None and stored.size else None
        return ValueIndex.of(old.reading(catalog)) if old is not None else None
    is_idle = stored is not None and stored.status == Status.DONE
    is_partial = index.progress is None or bool(index.progress.left)
    ended = stored.ended_at if stored is not None else None
    if is_idle and is_partial and (ended is None or ended < timezone.now() - ASK_AGAIN):
        index_ask_for(source, login=sight_now(source).login.name)
    return index


def _index_kept(source: Source, catalog: Catalog) -> tuple[ValueIndex | None, StoredIndex | None]:
    """The index of these tables, if any of it is read."""
    stored = index_seen(source)
    if stored is None or not catalog.version or stored.catalog_version != catalog.version:
        return None, stored
    index = index_unpacked(source, stored)
    return (index if index.has_facts else None), stored


def _index_read_here(source: Source, catalog: Catalog, database: Database, seconds: float) -> None:
    """Do one turn for a question that waits, unless a worker is at it: then wait for that one a little."""
    stored = index_seen(source)
    login = sight_now(source).login
    if login.problem:
        return
    if stored is None or stored.status == Status.DONE:
        index_ask_for(source, login=login.name)
        stored = index_seen(source)
    if stored is None:
        return
    lease = claim(StoredIndex, stored.pk)
    if lease is not None:
        with suppress(LeaseLost):
            _index_turn(lease, source, catalog, database, seconds, lambda: False)
        return
    until = monotonic() + WAIT_SECONDS
    while stored is not None and stored.status == Status.RUNNING and monotonic() < until:
        if stored.catalog_version == catalog.version:
            return
        sleep(LOOK_SECONDS)
        stored = index_seen(source)


def index_do(lease: Lease) -> None:
    """Read on the values that a taken row is about, for one turn. Errors are kept for the page."""
    stored = StoredIndex.objects.select_related("source").defer("data").filter(pk=lease.pk).first()
    if stored is None:
        return
    source = seen_by_login(stored.source, stored.login)
    with suppress(LeaseLost), Watch(lease) as watch:
        try:
            with closing(open_source(source)) as database:
                catalog = source_catalog(source)
                with watch.ending(database.cancel):
                    gives_way = _giving_way(lease, watch)
                    _index_turn(lease, source, catalog, database, settings.VALUE_INDEX_SECONDS, gives_way)
        except DatabaseError as error:
            _index_failed(lease, source, error.failure, {})


def _giving_way(lease: Lease, watch: Watch) -> Callable[[], bool]:
    """Whether a turn ends early: its lease is lost, or somebody's work on the source is under way."""
    looked = monotonic() + LEAST_SECONDS - LOOK_SECONDS

    def gives_way() -> bool:
        nonlocal looked
        if watch.cancelled.is_set():
            return True
        if monotonic() < looked + LOOK_SECONDS:
            return False
        looked = monotonic()
        return turn_is_wanted(lease)

    return gives_way


def index_break(lease: Lease) -> None:
    """End reading values after an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(state=StoredIndex.State.FAILED, message=INDEX_BROKEN)


def indexes_ask_for(source: Source, *, again: bool = False, afresh: bool = False) -> None:
    """Have workers read the values as `index_ask_for` does: as the source's own user sees them, and as each login of a team does."""
    for name in ("", *login_names(source)):
        index_ask_for(source, login=name, again=again, afresh=afresh)


def index_ask_for(source: Source, *, login: str = "", again: bool = False, afresh: bool = False) -> None:
    """Have a worker read the values, by a login: those that are not read, or whose tables changed.

    With `again` all are read anew, and the old ones serve until then; with `afresh` they go at once, as those of another
    database. A worker that is at it for earlier tables loses its lease.
    """
    now = timezone.now()
    wanted: dict[str, Any] = {
        "status": Status.QUEUED,
        "state": StoredIndex.State.WAITING,
        "message": "",
        "attempts": 0,
        "spared": 0,
        "tries": 0,
        "queued_at": now,
        "not_before": None,
        "lease_until": None,
    }
    if again:
        wanted["again"] = True
    if afresh:
        wanted |= {"catalog_version": "", "size": 0, "data": b"", "coverage": {}, "updated_at": now}
    index, is_new = StoredIndex.objects.defer("data").get_or_create(
        source=source, login=login, defaults=wanted
    )
    if not is_new:  # who reads the tables as they were has lost it
        StoredIndex.objects.filter(pk=index.pk).update(lease_token=F("lease_token") + 1, **wanted)
    send(index)


def _index_turn(
    lease: Lease,
    source: Source,
    catalog: Catalog,
    database: Database,
    seconds: float,
    gives_way: Callable[[], bool],
) -> None:
    """Read for one turn, keep what was read, and queue the next one. Raises: LeaseLost."""
    stored = StoredIndex.objects.defer("data").get(pk=lease.pk)
    lease.write(state=StoredIndex.State.BUILDING, message="")
    reading = _reading(source, stored, catalog)
    if not reading.texts:
        seconds = min(seconds, FIRST_SECONDS)
    failure: Failure | None = None
    before = len(reading.left)
    try:
        reading.read(database, per_column=settings.VALUE_INDEX_PER_COLUMN, seconds=seconds, stop=gives_way)
        if not any(reading.texts.values()) and reading.failed:
            # A table that cannot be read is left out; a source that cannot be read at all must say so.
            database.execute("SELECT 1", Limits(seconds=5, rows=1))
    except DatabaseError as error:
        failure = error.failure
    kept = _kept(reading, stored)
    if failure is not None:
        _index_failed(lease, source, failure, kept if reading.facts else {})
    elif reading.left:
        now = timezone.now()
        waits = turn_is_wanted(lease) or len(reading.left) == before
        until = now + timedelta(seconds=PAUSE_SECONDS) if waits else now
        lease.put_off(until, queued_at=now, attempts=0, spared=0, tries=0, **kept)
        if not waits:
            send(stored)
    else:
        lease.end(state=StoredIndex.State.READY, message="", tries=0, **kept)


def _reading(source: Source, stored: StoredIndex, catalog: Catalog) -> ValueReading:
    """Go on from what is kept, if it can be read."""
    if not stored.catalog_version:
        return ValueReading(catalog)
    try:
        return index_unpacked(source, stored).reading(catalog, again=stored.again)
    except ValueError as error:
        log.warning("The values kept of source %s cannot be used: %s", source.pk, error)
        return ValueReading(catalog)


def _kept(reading: ValueReading, stored: StoredIndex) -> dict[str, Any]:
    index = ValueIndex.of(reading)
    return {
        "catalog_version": reading.catalog.version,
        "size": len(index),
        "data": index.to_bytes(),
        "coverage": reading.coverage(),
        "again": False,
        "updated_at": timezone.now(),
    }


def _index_failed(lease: Lease, source: Source, failure: Failure, kept: dict[str, Any]) -> None:
    """Keep what was read, say what went wrong, and try again later, less and less often. Raises: LeaseLost."""
    log.warning("The values of source %s could not be read: %s", source.pk, failure.message)
    tries = StoredIndex.objects.values_list("tries", flat=True).get(pk=lease.pk)
    told = {"state": StoredIndex.State.FAILED, "message": failure.message, **kept}
    if tries < len(TRIES):
        lease.put_off(timezone.now() + timedelta(seconds=TRIES[tries]), tries=tries + 1, **told)
    else:
        lease.end(**told)
