"""How Mirror's own store is known: by a mark that its database keeps, however that database is reached."""

from __future__ import annotations

from collections.abc import Iterable

from mirror.sources.confined_reads import UNREAD
from mirror.sources.models import StoreMarker
from sqlagent.errors import StatementFailed
from sqlagent.values import Failure, FailureKind

REFUSED = "This source reads Mirror's own store, or a copy of it. That cannot be a source."
ADVICE = "Connect the database you want to ask about, as a user that does not see the store."


def store_mark() -> str:
    """Give what the marker of the store says; made when it is missing."""
    kept = StoreMarker.objects.filter(pk=1).values_list("mark", flat=True).first()
    return kept or StoreMarker.objects.get_or_create(pk=1)[0].mark


def store_check(marks: Iterable[str]) -> None:
    """See that no marker in a catalog, in whichever schema, is the store's. Raises: StatementFailed.

    Sessions look for it where they are connected; a user of MySQL may see other databases of its server besides.
    One that cannot be read is taken for it.
    """
    if {UNREAD, store_mark()} & set(marks):
        raise StatementFailed(Failure(FailureKind.REFUSED, REFUSED, advice=ADVICE))
