"""In which order files of tests run, and which never side by side, where several processes share them (`--dist loadfile`).

A file stays in one process: its tests share what they start. Order and company change no outcome: each test passes alone.
"""

from __future__ import annotations

import os

import pytest
from xdist.scheduler.loadscope import LoadScopeScheduling

# Workers, stores and servers that are killed while leases run: one file after the other, so that no two of them load the
# machine at once; and first of all, because together they take longest.
KILLED = (
    "tests/reports/test_kills.py",
    "tests/reports/test_store_away.py",
    "tests/web/test_work_kills.py",
    "tests/web/test_recovery.py",
    "tests/reports/test_flood.py",
    "tests/web/test_server.py",
)
# The longest of the rest come next, so that all processes end at about the same time.
LONG = (
    "tests/engines/test_spark.py",
    "tests/web/test_deployment.py",
    "tests/engines/test_databricks.py",
    "tests/web/test_intake.py",
    "tests/web/test_backup.py",
    "tests/browser/test_pages.py",
    "tests/browser/test_asking.py",
    "tests/web/test_team_logins.py",
    "tests/engines/test_net.py",
    "tests/engines/test_children.py",
    "tests/engines/test_clickhouse.py",
    "tests/reports/test_holding.py",
    "tests/web/test_improving_llm.py",
    "tests/web/test_rights_table.py",
    "tests/web/test_source_powers.py",
    "tests/web/test_model.py",
    "tests/web/test_uploads.py",
    "tests/web/test_source_tries.py",
)
# By how much (nice).
WAY = 5
FIRST = {name: place for place, name in enumerate((*KILLED, *LONG))}


def ordered(items: list[pytest.Item]) -> list[pytest.Item]:
    """Give the tests in the order they are handed out."""
    return sorted(items, key=lambda item: FIRST.get(_file(item.nodeid), len(FIRST)))


def _file(nodeid: str) -> str:
    return nodeid.partition("::")[0]


_is_decided = False


def give_way(item: pytest.Item) -> None:
    """Let this process give way to the one that kills, if that is another: a lease lapses where nobody gets a turn.

    Asked before each test. The first one decides, because what is killed is handed out first, and as one.
    """
    global _is_decided
    if _is_decided or "PYTEST_XDIST_WORKER" not in os.environ:
        return
    _is_decided = True
    if _file(item.nodeid) not in KILLED and any(_file(each.nodeid) in KILLED for each in item.session.items):
        os.nice(WAY)


class FileScheduling(LoadScopeScheduling):
    """Hands out a file at a time, in the order of `ordered`; those that are killed are as one."""

    def _split_scope(self, nodeid: str) -> str:
        name = _file(nodeid)
        return "killed" if name in KILLED else name
