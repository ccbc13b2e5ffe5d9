"""The lab of an engine: a real database with the suite's tables, opened by the adapter and from behind.

The shared suite asks the adapter; the lab looks at the database without it, to see what a
statement really did.
"""

from __future__ import annotations

import re
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from sqlagent.adapters import open_database
from sqlagent.errors import DatabaseError
from sqlagent.ports import SourceDatabase
from sqlagent.values import PASSWORD_HERE, Limits
from tests import servers

SCHEMAS = Path(__file__).parent / "schemas"
ENDED = "runs, until it is ended"


def reader_of(database: SourceDatabase, mark: str) -> tuple[str, list[str]]:
    """Give a name for a user that only reads, and the page's statements that make it, with name and password put in."""
    user = f"reader_of_{mark}"
    steps = [step.sql for step in database.check().reader]
    assert steps, "nothing is offered"
    return user, [
        re.sub(r"mirror_reader(_\d+)?", user, sql).replace(PASSWORD_HERE, servers.PASSWORD) for sql in steps
    ]


def endless_begun(lab: Lab, database: SourceDatabase) -> tuple[threading.Thread, list[DatabaseError]]:
    """Run the lab's endless statement in a thread and wait until the server has it; its error stands in the list at its end."""
    caught: list[DatabaseError] = []

    def run() -> None:
        try:
            database.execute(lab.endless, Limits(seconds=60))
        except DatabaseError as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    until = time.monotonic() + 15
    while not lab.in_flight(lab.endless[-30:]):
        assert time.monotonic() < until, caught
        time.sleep(0.02)
    return thread, caught


def stopped_once(is_so: Callable[[], object], database: SourceDatabase) -> threading.Thread:
    """Have a thread stop what a database has in flight as soon as something is so, after 15 s in any case."""

    def stop() -> None:
        until = time.monotonic() + 15
        while not is_so() and time.monotonic() < until:
            time.sleep(0.02)
        database.cancel()

    thread = threading.Thread(target=stop)
    thread.start()
    return thread


class Alone(Protocol):
    """The user alone. `send` runs a statement in a session of its own and gives what was said to it.

    `is_whole`: the other sessions that this user has open are still there.
    """

    def send(self, sql: str, seconds: float) -> str: ...

    def is_whole(self) -> bool: ...


class Lab(ABC):
    """A database with the suite's tables. `endless` is a statement that would run for minutes."""

    engine: str
    home: str
    endless: str
    rows_of = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) SELECT i FROM n"
    )
    wide = "{text}"
    archive = "archive"
    has_comments = True
    has_schemas = True
    has_server = True
    has_keys = True
    # The name of its cases of types, where that is not the engine's.
    types = ""
    # The adapter tells which rows a table has about, and where in the SQL the server stumbled.
    tells_rows = True
    tells_position = True
    tells_nulls = True
    odd = 'Odd "Table; --'
    # A row more and away again, a column more and away again.
    more_rows = ("INSERT INTO customers (id, name) VALUES (99, 'Zed')", "DELETE FROM customers WHERE id = 99")
    more_columns = (
        "ALTER TABLE {odd} ADD COLUMN nickname VARCHAR(20)",
        "ALTER TABLE {odd} DROP COLUMN nickname",
    )
    # Rows that are too many to be read at once.
    many = 5_000_000
    # Why no user of this engine can hold by itself; empty where one can.
    no_user = "whoever opens the file may do what its process may: a file has no users"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.watch = folder / "watch"
        self.watch.mkdir(parents=True)

    @abstractmethod
    def connect(self, **changes: Any) -> SourceDatabase:
        """Open the database through its adapter, as a user who could write."""

    @abstractmethod
    def look(self, sql: str) -> list[tuple[Any, ...]]:
        """Run SQL from behind, committed, and give its rows."""

    @abstractmethod
    def attempt(self, sql: str, seconds: float) -> bool:
        """Run SQL from behind, with write access, for so long at most; tell whether it ran."""

    @abstractmethod
    def state(self) -> Any:
        """Gather what a hostile statement could change: rows, tables, settings, files."""

    def doors(self) -> dict[str, SourceDatabase]:
        """The users whose sessions must hold, by name."""
        return {"writer": self.connect()}

    @contextmanager
    def alone(self) -> Iterator[Alone]:
        """Sign in as the user whom the page's statements make, by the plain driver: no guard, no session of ours."""
        raise NotImplementedError(self.no_user)

    def in_flight(self, mark: str) -> int:
        """Count the statements holding `mark` in the server's own process list."""
        raise NotImplementedError

    def quoted(self, name: str) -> str:
        """Quote an identifier."""
        return '"' + name.replace('"', '""') + '"'

    def files(self) -> list[str]:
        """Files in the folder that hostile statements try to write to."""
        return sorted(path.name for path in self.watch.iterdir())


class ServerLab(Lab):
    """A database of a server, whose writer and administrator sign in by the network; the server itself writes into the folders."""

    no_user = ""
    server: Any
    database: str
    user: str

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.watch.parent.chmod(0o755)
        self.watch.chmod(0o777)

    def where(self) -> dict[str, Any]:
        """How the writer signs in."""
        return {
            "host": self.server.host,
            "port": self.server.port,
            "database": self.database,
            "user": self.user,
            "password": servers.PASSWORD,
        }

    def connect(self, **changes: Any) -> SourceDatabase:
        return open_database(self.engine, **{**self.where(), **changes})

    def doors(self) -> dict[str, SourceDatabase]:
        return {**super().doors(), "superuser": self.connect(user=self.server.user)}
