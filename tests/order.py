"""In which order the tests run, and which never side by side, where several processes share them (`-n 3 --dist loadgroup`).

A file stays in one process: its tests share what they start. Order and company change no outcome: each test passes alone.
"""

from __future__ import annotations

from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
# Workers, stores and servers that are killed while leases run: one file after the other, so that no two of them load the
# machine at once; and first of all, because together they take longest.
KILLED = (
    "reports/test_kills.py",
    "reports/test_store_away.py",
    "web/test_work_kills.py",
    "web/test_recovery.py",
    "reports/test_flood.py",
    "web/test_server.py",
)
# What takes longest else comes next, so that all processes end at about the same time.
LONG = (
    "web/test_intake.py",
    "engines/test_spark.py",
    "browser/test_asking.py",
    "browser/test_pages.py",
    "engines/test_children.py",
    "engines/test_net.py",
    "reports/test_holding.py",
)
FIRST = {name: place for place, name in enumerate((*KILLED, *LONG))}


def ordered(items: list[pytest.Item]) -> list[pytest.Item]:
    """Give the tests in the order they are handed out, each with the group it stays in."""
    for item in items:
        name = _file(item)
        item.add_marker(pytest.mark.xdist_group("killed" if name in KILLED else name))
    return sorted(items, key=lambda item: FIRST.get(_file(item), len(FIRST)))


def _file(item: pytest.Item) -> str:
    return item.path.relative_to(HERE).as_posix() if item.path.is_relative_to(HERE) else str(item.path)
