"""The shared suite runs once for each engine, on its lab."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqlagent.ports import SourceDatabase
from tests.engines.labs import LABS, Lab


@pytest.fixture(scope="session", params=sorted(LABS))
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """The engine's database, made once a session."""
    return LABS[request.param](tmp_path_factory.mktemp(request.param))


@pytest.fixture
def database(lab: Lab) -> Iterator[SourceDatabase]:
    """The lab's database, opened by its adapter as a user who could write."""
    opened = lab.connect()
    yield opened
    opened.close()
