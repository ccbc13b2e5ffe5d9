"""Titles of the servers of children in the system's list of processes; their children are called so too."""

from __future__ import annotations

from setproctitle import setproctitle


def title_sqlite() -> None:
    """Call this process after statements of SQLite files."""
    setproctitle("Mirror: statements of SQLite files")


def title_duckdb() -> None:
    """Call this process after statements of DuckDB files."""
    setproctitle("Mirror: statements of DuckDB files")
