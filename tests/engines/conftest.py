"""The shared suite runs once for each engine, on its lab."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sqlagent.ports import SourceDatabase
from tests.engines.lab import Lab
from tests.engines.labs import SUITE


@pytest.fixture(scope="session", params=sorted(SUITE))
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """The engine's database, made once a session."""
    return SUITE[request.param](tmp_path_factory.mktemp(request.param.replace("-", "_")))


@pytest.fixture
def database(lab: Lab) -> Iterator[SourceDatabase]:
    """The lab's database, opened by its adapter as a user who could write."""
    opened = lab.connect()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def part(shop_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tenth of the shop: every tenth customer, with what belongs to them."""
    path = tmp_path_factory.mktemp("part") / "shop.sqlite3"
    shutil.copyfile(shop_file, path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN")
        for table, kept in (
            ("web_visits", "customer_id % 10 = 0"),
            ("orders", "customer_id % 10 = 0"),
            ("order_lines", "order_id IN (SELECT id FROM orders)"),
            ("returns", "order_line_id IN (SELECT id FROM order_lines)"),
            ("customers", "id % 10 = 0"),
        ):
            db.execute(f"DELETE FROM {table} WHERE NOT ({kept}) OR ({kept}) IS NULL")
        db.execute("COMMIT")
    return path
