"""Stands in for an adapter whose driver is not installed: says so when it is asked something."""

from __future__ import annotations

from contextlib import AbstractContextManager

from sqlagent.adapters.base import Adapter, Rowing
from sqlagent.adapters.failures import unreachable
from sqlagent.adapters.flights import Flight
from sqlagent.errors import Unreachable
from sqlagent.values import Catalog, Check, Limits


class MissingDatabase(Adapter):
    """A source that cannot be opened until somebody installs `packages`."""

    def __init__(self, dialect: str, packages: str, what: str = "") -> None:
        super().__init__()
        self.dialect = dialect
        self._packages, self._what = packages, what or dialect

    def error(self) -> Unreachable:
        """Make the error that says so."""
        return unreachable(
            f"The driver for {self._what} is not installed.",
            f"Install it into the environment that Mirror runs in: pip install {self._packages}",
        )

    def _session(self, flight: Flight, sql: str, limits: Limits) -> AbstractContextManager[Rowing]:
        raise self.error()

    def catalog(self) -> Catalog:
        """Raises: Unreachable."""
        raise self.error()

    def check(self) -> Check:
        """Raises: Unreachable."""
        raise self.error()

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        raise self.error()
