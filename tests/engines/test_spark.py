"""Spark SQL, a distributed engine, for real: the shared suite, hostile statements, a shop that is asked.

All in one file, so that one server is started for all of it.
"""

from __future__ import annotations

import pytest

from sqlagent import guard
from sqlagent.adapters import open_database
from sqlagent.errors import DatabaseError, StatementFailed, Unreachable
from sqlagent.ports import SourceDatabase
from sqlagent.values import FailureKind, Limits
from tests import servers
from tests.engines import test_engines, test_net
from tests.engines.labs import SparkLab
from tests.engines.test_engines import *  # noqa: F403 - the tests of the suite, run with the lab below


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> SparkLab:
    """Spark with the suite's tables."""
    return SparkLab(tmp_path_factory.mktemp("spark"))


def test_no_hostile_statement_has_an_effect(lab: SparkLab) -> None:
    test_net.hold(lab)
