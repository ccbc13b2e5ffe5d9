"""Stands in for an adapter whose driver is not installed: says so when it is asked something."""

from __future__ import annotations

from contextlib import AbstractContextManager

from sqlagent.adapters.base import Adapter, Flight, Rowing, unreachable
from sqlagent.errors import Unreachable
from sqlagent.values import Catalog, Check, Limits


class MissingDatabase(Adapter):
    """A source that cannot be opened until somebody installs `packages`."""

    def __init__(self, dialect: str, packages: str) -> None:
        super().__init__()
        self.dialect = dialect
        self._packages = packages

    def _error(self) -> Unreachable:
        return unreachable(
            f"The driver for {self.dialect} is not installed.",
            f"Install it into the environment that Mirror runs in: pip install {self._packages}",
        )

    def _session(self, flight: Flight, sql: str, limits: Limits) -> AbstractContextManager[Rowing]:
        raise self._error()

    def catalog(self) -> Catalog:
        """Raises: Unreachable."""
        raise self._error()

    def check(self) -> Check:
        """Raises: Unreachable."""
        raise self._error()

    def _values_sql(self, table: str, column: str, limit: int, schema: str, sample: int | None) -> str:
        raise self._error()
