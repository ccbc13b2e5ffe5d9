"""Questions of a child to the engine whose file it opens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager
from pathlib import Path

from sqlagent.adapters.base import Rowing
from sqlagent.adapters.flights import Flight
from sqlagent.values import Catalog, Check, Limits


class FileEngine(ABC):
    """One file, opened in this process for each thing asked of it, and closed again.

    `memory` is what the engine keeps to by itself (bytes), as far as it counts; `folder` is where it may
    spill, its own, not yet there. A file whose marker says `store_mark` is refused.
    """

    # After these the process should run nothing more.
    broken_by: tuple[type[BaseException], ...] = ()

    # Memory that an engine reserves beside its use (times `memory`, and bytes).
    reserves = (1.0, 300_000_000)

    @classmethod
    def addresses(cls, memory: int) -> int:
        """Tell what a process may reserve for a statement that may take `memory` (bytes)."""
        share, more = cls.reserves
        return int(memory * share) + more

    @abstractmethod
    def __init__(self, path: Path, memory: int, folder: Path, store_mark: str = "") -> None: ...

    @abstractmethod
    def session(self, flight: Flight, sql: str, limits: Limits) -> AbstractContextManager[Rowing]:
        """Open the file read-only and run one statement. Raises: DatabaseError, MemoryError."""

    @abstractmethod
    def catalog(self, flight: Flight) -> Catalog:
        """Read tables, columns, keys and comments. Raises: DatabaseError."""

    @abstractmethod
    def check(self, flight: Flight) -> Check:
        """Open the file and read its schema. Raises: DatabaseError."""
