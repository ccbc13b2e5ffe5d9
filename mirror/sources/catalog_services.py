"""Operations on a source's catalog: read anew, and taken over with what changed since."""

from __future__ import annotations

from django.utils import timezone

from mirror.sources.catalogs import catalog_fetch, catalog_keep, catalog_read
from mirror.sources.drift import catalog_drift
from mirror.sources.errors import SourceError
from mirror.sources.index_services import indexes_ask_for
from mirror.sources.models import Source
from mirror.sources.signals import catalog_read_anew
from mirror.work.store import store_keep
from sqlagent.errors import DatabaseError
from sqlagent.values import Catalog


def catalog_refresh(source: Source) -> Catalog:
    """Read the catalog anew and have the values read anew. Raises: SourceError; the old ones stay.

    Changes since are kept as the source's `drift`, and told to the subjects that build on the source.
    """
    catalog = _catalog_fresh(source)
    _catalog_take_over(source, catalog, _drift(source, catalog), again=True)
    return catalog


def catalog_look(source: Source) -> bool:
    """Read the catalog, and take it over as `catalog_refresh` does if anything changed that it tells.

    Returns whether they did; only the values of what changed are read anew. Raises: SourceError.
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


def _catalog_take_over(
    source: Source, catalog: Catalog, drift: dict[str, list[str]], *, again: bool = False
) -> None:
    def write() -> None:
        catalog_keep(source, catalog)
        if drift:
            source.drift = {**drift, "at": timezone.now().isoformat()}
            source.save(update_fields=["drift"])
        indexes_ask_for(source, again=again)
        catalog_read_anew.send(Source, source=source, catalog=catalog)

    store_keep(write)


def _catalog_fresh(source: Source) -> Catalog:
    try:
        return catalog_fetch(source)
    except DatabaseError as error:
        raise SourceError(error.failure.message, error.failure.advice) from None
