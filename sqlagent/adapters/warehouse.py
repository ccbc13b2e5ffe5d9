"""Opens one of `warehouses` as the long tail is opened: read carefully, with the deadline and bound it can be given."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import NoSuchModuleError, SQLAlchemyError
from sqlalchemy.pool import NullPool

from sqlagent.adapters.base import Adapter, Rowing, known_options
from sqlagent.adapters.failures import unreachable
from sqlagent.adapters.flights import Flight
from sqlagent.adapters.scanning import scans_too_much, would_scan_too_much
from sqlagent.adapters.sqlalchemy import SqlalchemyDatabase
from sqlagent.adapters.sqlalchemy_dialects import speaks
from sqlagent.adapters.warehouses import WAREHOUSES, Place, checked
from sqlagent.errors import DatabaseError
from sqlagent.values import Limits


class WarehouseDatabase(SqlalchemyDatabase):
    """One of Trino, Snowflake, BigQuery, Databricks, SQL Server, Oracle and Redshift. Options: those of `WAREHOUSES`."""

    def __init__(
        self,
        engine: str,
        host: str,
        port: int | None,
        database: str,
        user: str,
        password: str,
        options: Mapping[str, str] | None = None,
    ) -> None:
        Adapter.__init__(self)
        self._kind = WAREHOUSES[engine]
        known = known_options(options or {}, self._kind.options)
        self._place = checked(Place(host, port, database, user, password, known), engine)
        self._name = self._kind.dialect
        self.dialect = speaks(self._name)
        self._where = f"{host}:{port}" if port else host
        self._password = password
        self._url = self._kind.url(self._place)

    @cached_property
    def _engine(self) -> sa.Engine:
        more = self._kind.more(self._place)
        url = self._url
        if self._name == "bigquery" and self.scan_bytes is not None:
            url = url.update_query_dict({"maximum_bytes_billed": str(self.scan_bytes)})
        try:
            return sa.create_engine(
                url, poolclass=NullPool, connect_args=self._kind.arguments(self._place), **more
            )
        except (NoSuchModuleError, ImportError) as error:
            raise unreachable(
                f"The driver for {self._kind.name} is not installed.",
                f"Install it into the environment that Mirror runs in: pip install -r {self._kind.requirements}",
            ) from error
        except (SQLAlchemyError, ValueError, TypeError) as error:
            raise unreachable(
                f"The driver for {self._kind.name} does not take these settings: {self._text(error)}"
            ) from error

    @property
    def is_held(self) -> bool:
        """Whether sessions write nothing by the engine's own doing."""
        return self._kind.is_held

    @property
    def _home(self) -> str:
        return self._kind.home(self._place)

    def _set_up(self, connection: sa.Connection, flight: Flight) -> None:
        seconds = flight.left()
        told = {
            "milliseconds": max(1, int(seconds * 1_000)),
            "seconds": f"{seconds:.3f}",
            "whole_seconds": max(1, math.ceil(seconds)),
            "bytes": self.scan_bytes,
        }
        raw: Any = connection.connection.dbapi_connection
        if hasattr(raw, "call_timeout"):  # Oracle's
            raw.call_timeout = told["milliseconds"]
        scan = (self._kind.scan,) if self._kind.scan and self.scan_bytes is not None else ()
        for statement in (*self._kind.begins, *scan):
            connection.exec_driver_sql(statement.format(**told))

    def _stopper(self, connection: sa.Connection) -> Callable[[], None]:
        """The driver's own way, from a thread of its own: Databricks' waits for the answer to the call before."""
        stop = super()._stopper(connection)
        return lambda: threading.Thread(target=stop, name="stop", daemon=True).start()

    def _failure(self, error: Exception, flight: Flight) -> DatabaseError:
        """Tell also of drivers that connect with the first statement. Raises nothing."""
        text = self._text(error)
        if flight.failure() is None and re.search(
            r"NewConnectionError|Connection refused|getaddrinfo|NameResolution", text
        ):
            return unreachable(
                f"Nothing answers at {self._where}.", "Check host and port, and firewalls on the way."
            )
        if flight.failure() is None and re.search(r"bytesBilledLimitExceeded|EXCEEDED_SCAN_LIMIT", text):
            return scans_too_much(self.scan_bytes or 0)
        return super()._failure(error, flight)

    @contextmanager
    def _session(self, flight: Flight, sql: str, limits: Limits) -> Iterator[Rowing]:
        if self._name == "bigquery" and self.scan_bytes is not None:
            self._check_scan(flight, sql, self.scan_bytes)
        with super()._session(flight, sql, limits) as rowing:
            yield rowing

    def _check_scan(self, flight: Flight, sql: str, most: int) -> None:
        """Have BigQuery say what a statement would read, which costs nothing. Raises: StatementFailed beyond `most`."""
        # The driver's, loaded when it is there: no other engine needs it.
        asking = import_module("google.cloud.bigquery")
        # Asked past SQLAlchemy, the driver raises its own: of SQL that is wrong, of signing in, and of the network.
        wrong = import_module("google.api_core.exceptions").GoogleAPIError
        unsigned = import_module("google.auth.exceptions").GoogleAuthError
        with self._connected(flight) as connection:
            client = connection.connection.dbapi_connection._client  # type: ignore[union-attr]
            try:
                job = client.query(
                    sql,
                    job_config=asking.QueryJobConfig(dry_run=True, use_query_cache=False),
                    timeout=flight.left(),
                )
            except (wrong, unsigned, OSError) as error:
                raise self._failure(error, flight) from error
            found = int(job.total_bytes_processed or 0)
        if found > most:
            raise would_scan_too_much(found, most)
