"""What can happen to the value index of a source: asked for, made by a worker, kept, given to a question."""

from __future__ import annotations

import logging
from contextlib import closing, suppress
from typing import Any

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from mirror.sources import selectors
from mirror.sources.catalogs import source_catalog
from mirror.sources.models import Source, StoredIndex
from mirror.sources.opening import open_source
from mirror.sources.unpacked import index_unpacked
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status
from mirror.work.store import store_keep
from mirror.work.watching import Watch
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import DatabaseError
from sqlagent.ports import Database
from sqlagent.values import Catalog, Limits

log = logging.getLogger(__name__)

INDEX_BROKEN = "Something in Mirror itself broke while reading them. It was logged."
INDEX_GIVEN_UP = "The worker reading them was interrupted {count} times."


def source_index(source: Source, catalog: Catalog, database: Database) -> ValueIndex | None:
    """Give the value index, making it now when it was never made for this catalog, or before facts were kept in it.

    Making takes at most `VALUE_INDEX_SECONDS`. None when the source cannot be read.
    """
    stored = selectors.index_state(source)
    if stored is None or stored.state != StoredIndex.State.READY or stored.catalog_version != catalog.version:
        return _index_make(source, catalog, database)
    index = index_unpacked(source, stored)
    return index if index.has_facts else _index_make(source, catalog, database)


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


def index_ask_for(source: Source) -> None:
    """Have a worker read the values anew; one that is at it for earlier tables loses its lease."""
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
