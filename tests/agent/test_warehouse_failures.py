"""Refusals and messages of a warehouse's adapter, with SQLite's driver in its place."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from sqlagent.adapters import sqlalchemy_catalog, warehouse
from sqlagent.errors import StatementFailed
from sqlagent.values import Limits


@pytest.fixture
def bigquery():
    """A warehouse whose driver is SQLite's: what stands around the driver is what is tried."""
    database = warehouse.WarehouseDatabase("bigquery", "", None, "acme.sales", "", "{}")
    database.__dict__["_engine"] = sa.create_engine(
        "sqlite://", poolclass=sa.NullPool, connect_args={"check_same_thread": False}
    )
    return database


def test_a_warehouse_that_is_the_store_is_refused(bigquery, monkeypatch):
    monkeypatch.setattr(sqlalchemy_catalog, "is_marked", lambda connection, mark: mark == "ours")
    bigquery.store_mark = "ours"
    with pytest.raises(StatementFailed, match="Mirror's own store"):
        bigquery.execute("SELECT 1", Limits())
    bigquery.store_mark = "another"
    assert bigquery.execute("SELECT 1", Limits()).rows == ((1,),)


@pytest.mark.parametrize("error", ["GoogleAPIError", "GoogleAuthError"])
def test_what_bigquery_says_before_a_statement_runs_is_told_as_a_failure(bigquery, monkeypatch, error):
    """The dry run goes past SQLAlchemy, so the driver's own errors come of it."""
    kinds = {name: type(name, (Exception,), {}) for name in ("GoogleAPIError", "GoogleAuthError")}

    class Driver:
        GoogleAPIError, GoogleAuthError = kinds.values()

        @staticmethod
        def QueryJobConfig(**_: object) -> None:  # noqa: N802 - the driver's name
            return None

        def query(self, *_: object, **__: object) -> None:
            raise kinds[error]("Unrecognized name: countri")

    monkeypatch.setattr(warehouse, "import_module", lambda name: Driver)
    connected = bigquery._connected

    class Held:
        connection = type("Raw", (), {"dbapi_connection": type("Dbapi", (), {"_client": Driver()})})

    @contextmanager
    def held(flight):
        with connected(flight):
            yield Held

    monkeypatch.setattr(bigquery, "_connected", held)
    bigquery.scan_bytes = 1_000_000
    with pytest.raises(StatementFailed, match="Unrecognized name: countri"):
        bigquery.execute("SELECT countri FROM customers", Limits())
