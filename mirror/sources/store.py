"""How Mirror's own store is known: by a mark that its database keeps, however that database is reached."""

from __future__ import annotations

from mirror.sources.models import StoreMarker
from sqlagent.errors import DatabaseError, StatementFailed
from sqlagent.ports import SourceDatabase
from sqlagent.values import Catalog, Failure, FailureKind

REFUSED = "This source reads Mirror's own store, or a copy of it. That cannot be a source."
ADVICE = "Connect the database you want to ask about, as a user that does not see the store."


def store_mark() -> str:
    """Give what the marker of the store says; made when it is missing."""
    kept = StoreMarker.objects.filter(pk=1).values_list("mark", flat=True).first()
    return kept or StoreMarker.objects.get_or_create(pk=1)[0].mark


def store_check(catalog: Catalog, database: SourceDatabase) -> None:
    """See that no table of a catalog is the store's marker, in whichever schema. Raises: StatementFailed, Unreachable.

    Sessions look for it where they are connected; a user of MySQL may see other databases of its server besides.
    """
    for table in catalog.tables:
        if table.name.lower() != StoreMarker._meta.db_table:
            continue
        try:
            said = list(database.values(table.name, "mark", 10, table.schema))
        except DatabaseError:
            said = [store_mark()]  # one that cannot be read is taken for it
        if store_mark() in said:
            raise StatementFailed(Failure(FailureKind.REFUSED, REFUSED, advice=ADVICE))
