"""How much a database may tell of itself, counted while it tells it.

Pages show the kept catalog, so its size is memory of the web server: the most that passes here is some 60 MB there. A
database that tells more is refused by the name of the bound. The caller ends one that tells without end, or fills
memory before a row is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from sqlagent.adapters.base import Row
from sqlagent.adapters.failures import failed
from sqlagent.adapters.flights import Flight
from sqlagent.errors import StatementFailed
from sqlagent.values import Catalog

CATALOG_TABLES = 5_000
CATALOG_COLUMNS = 50_000
# Characters of all names, types and comments together, and rows: tables, columns and parts of keys.
CATALOG_CHARS = 10_000_000
CATALOG_ROWS = 200_000

ADVICE = "Connect as a user that may read fewer tables, or only one schema of them."


class Tally:
    """Counts the rows of one catalog. `stop` is called before more is refused than fits."""

    def __init__(self, flight: Flight, stop: Callable[[], object] | None = None) -> None:
        self._flight, self._stop = flight, stop
        self._rows = self._chars = 0

    def rows(self, rows: Iterable[Row]) -> Iterator[Row]:
        """Pass rows on. Raises: StatementFailed when they are too many or too long, or it is over time."""
        for row in rows:
            self._rows += 1
            self._chars += sum(len(cell) for cell in row if isinstance(cell, (str, bytes)))
            problem = None
            if self._chars > CATALOG_CHARS:
                problem = _too_much(f"more than {CATALOG_CHARS:,} characters of names, types and comments")
            elif self._rows > CATALOG_ROWS:
                problem = _too_much(f"more than {CATALOG_ROWS:,} tables, columns and keys")
            elif self._rows % 1_000 == 0 and (failure := self._flight.failure()):
                problem = StatementFailed(failure)
            if problem is not None:
                if self._stop is not None:
                    self._stop()
                raise problem
            yield row


def checked(catalog: Catalog) -> Catalog:
    """Give a catalog back that is small enough to be kept. Raises: StatementFailed."""
    columns = chars = 0
    for table in catalog.tables:
        columns += len(table.columns)
        chars += len(table.name) + len(table.schema) + len(table.comment)
        chars += sum(len(column.name) + len(column.type) + len(column.comment) for column in table.columns)
        chars += sum(len(name) for key in table.foreign_keys for name in (*key.columns, *key.referenced))
    for count, most, what in (
        (len(catalog.tables), CATALOG_TABLES, "tables"),
        (columns, CATALOG_COLUMNS, "columns"),
        (chars, CATALOG_CHARS, "characters of names, types and comments"),
    ):
        if count > most:
            raise _too_much(f"{count:,} {what}; the most that are taken are {most:,}")
    return catalog


def _too_much(what: str) -> StatementFailed:
    return failed(f"The database tells of {what}.", advice=ADVICE)
