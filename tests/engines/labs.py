"""One lab per engine: a real database with the same tables, opened by the adapter and from behind.

The shared suite asks the adapter; the lab looks at the database without it, to see what a
statement really did.
"""

from __future__ import annotations

import re
import sqlite3
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import duckdb
import psycopg
import pymysql
from pymysql.cursors import SSCursor

from sqlagent.adapters import open_database
from sqlagent.errors import DatabaseError
from sqlagent.ports import SourceDatabase
from sqlagent.values import PASSWORD_HERE, Limits
from tests import servers

SCHEMAS = Path(__file__).parent / "schemas"


ENDED = "runs, until it is ended"
OWN_PASSWORD = "changes its own password, which every user of MariaDB may"


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


class SqliteLab(Lab):
    engine = home = "sqlite"
    home = "main"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"
    has_comments = has_schemas = has_server = False

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / "lab ü.sqlite3"
        with closing(sqlite3.connect(self.path)) as db:
            db.executescript((SCHEMAS / "sqlite.sql").read_text())

    def connect(self, **changes: Any) -> SourceDatabase:
        return open_database("sqlite", **{"database": str(self.path), **changes})

    def look(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            return db.execute(sql).fetchall()

    def attempt(self, sql: str, seconds: float) -> bool:
        until = time.monotonic() + seconds
        with closing(sqlite3.connect(self.path, isolation_level=None)) as db:
            db.set_progress_handler(lambda: time.monotonic() > until, 1_000)
            try:
                db.execute(sql).fetchmany(50)
            except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError):
                return False
        return True

    def state(self) -> Any:
        with closing(sqlite3.connect(self.path)) as db:
            settings = [
                db.execute(f"PRAGMA {name}").fetchone()
                for name in ("user_version", "application_id", "journal_mode", "schema_version")
            ]
            return list(db.iterdump()), settings, self.files(), sorted(p.name for p in self.folder.iterdir())


class PostgresAlone:
    """A role of PostgreSQL by psycopg as it comes, each statement committed at once."""

    def __init__(self, lab: PostgresLab, user: str) -> None:
        self._lab, self._user = lab, user
        self._other = self._signed_in()

    def _signed_in(self) -> psycopg.Connection[Any]:
        where = {"host": self._lab.server.host, "port": self._lab.server.port, "dbname": self._lab.database}
        return psycopg.connect(**where, user=self._user, password=servers.PASSWORD, autocommit=True)

    def send(self, sql: str, seconds: float) -> str:
        with closing(self._signed_in()) as db:
            late = threading.Timer(seconds, self._end, (db.info.backend_pid,))
            late.start()
            try:
                db.execute(sql.encode("utf-8", "surrogatepass"))
            except (psycopg.Error, UnicodeError) as error:
                return ENDED if "terminating connection" in str(error) else str(error).split("\n")[0]
            finally:
                late.cancel()
        return "no effect"

    def _end(self, pid: int) -> None:
        self._lab.look(f"SELECT pg_terminate_backend({pid})")

    def is_whole(self) -> bool:
        try:
            return bool(self._other.execute("SELECT 1").fetchall())
        except psycopg.Error:
            self._other = self._signed_in()
            return False

    def close(self) -> None:
        self._other.close()


class PostgresLab(Lab):
    engine = "postgres"
    no_user = ""
    home = "public"
    endless = "SELECT COUNT(*) FROM generate_series(1, 100000000000)"

    def __init__(self, folder: Path, server: servers.PostgresServer | None = None) -> None:
        self.server = server or servers.postgres_server()
        super().__init__(self.server.folder / folder.name)
        self.watch.parent.chmod(0o755)
        self.watch.chmod(0o777)
        self.database = f"lab_{folder.name}".lower().replace("-", "_")
        with closing(self.server.connect()) as db:
            db.execute(f'CREATE DATABASE "{self.database}"')
            if not db.execute("SELECT FROM pg_roles WHERE rolname = 'writer'").fetchall():
                db.execute(f"CREATE ROLE writer LOGIN PASSWORD '{servers.PASSWORD}'")
        with closing(self.server.connect(self.database)) as db:
            db.execute("GRANT ALL ON SCHEMA public TO writer")
            db.execute(f'GRANT ALL ON DATABASE "{self.database}" TO writer')
            db.execute("SET ROLE writer")
            db.execute((SCHEMAS / "postgres.sql").read_text())

    def where(self) -> dict[str, Any]:
        """How the writer signs in."""
        return {
            "host": self.server.host,
            "port": self.server.port,
            "database": self.database,
            "user": "writer",
            "password": servers.PASSWORD,
        }

    def connect(self, **changes: Any) -> SourceDatabase:
        return open_database("postgres", **{**self.where(), **changes})

    def doors(self) -> dict[str, SourceDatabase]:
        return {**super().doors(), "superuser": self.connect(user=self.server.user)}

    @contextmanager
    def alone(self) -> Iterator[PostgresAlone]:
        user, statements = reader_of(self.connect(), self.database)
        for sql in statements:
            self.look(sql)
        try:
            with closing(PostgresAlone(self, user)) as alone:
                yield alone
        finally:
            self.look(f"DROP OWNED BY {user}; DROP ROLE {user}")

    def look(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(self.server.connect(self.database)) as db:
            return self._ask(db, sql)

    def _ask(self, db: Any, sql: str) -> list[tuple[Any, ...]]:
        cursor = db.execute(sql)
        return cursor.fetchall() if cursor.description else []

    def attempt(self, sql: str, seconds: float) -> bool:
        with closing(self.server.connect(self.database)) as db:
            try:
                db.execute(f"SET statement_timeout = {int(seconds * 1_000)}")
                db.cursor(binary=False).execute(sql)
            except (psycopg.Error, UnicodeError):
                return False
        return True

    def state(self) -> Any:
        with closing(self.server.connect(self.database)) as db:
            return self._state(db), self.files()

    def _state(self, db: Any) -> Any:
        tables = self._ask(
            db,
            "SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'S', 'v') "
            "AND relnamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema', 'pg_toast') ORDER BY 1",
        )
        contents = [sorted(map(repr, self._ask(db, f"SELECT * FROM {name}"))) for (name,) in tables]
        rest = [
            self._ask(db, sql)
            for sql in (
                "SELECT * FROM pg_roles ORDER BY rolname",
                "SELECT * FROM pg_db_role_setting ORDER BY 1, 2",
                "SELECT name, setting FROM pg_file_settings ORDER BY 1",
                "SELECT oid FROM pg_largeobject_metadata ORDER BY 1",
                "SELECT proname FROM pg_proc WHERE pronamespace::regnamespace::text <> 'pg_catalog' ORDER BY 1",
                "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory'",
                "SELECT relname, relacl::text FROM pg_class WHERE relacl IS NOT NULL ORDER BY 1",
                "SELECT gid FROM pg_prepared_xacts",
                "SELECT slot_name FROM pg_replication_slots",
            )
        ]
        return tables, contents, rest

    def in_flight(self, mark: str) -> int:
        sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE state = 'active' AND application_name = 'mirror' AND query LIKE %s"
        with closing(self.server.connect()) as db:
            return int(db.execute(sql, (f"%{mark}%",)).fetchone()[0])


class MysqlAlone:
    """A user of MySQL by PyMySQL as it comes, each statement committed at once."""

    def __init__(self, lab: MysqlLab, user: str) -> None:
        self._lab, self._user = lab, user
        self._other = self._signed_in()

    def _signed_in(self) -> Any:
        where = {"host": self._lab.server.host, "port": self._lab.server.port, "database": self._lab.database}
        return pymysql.connect(
            **where, user=self._user, password=servers.PASSWORD, autocommit=True, cursorclass=SSCursor
        )

    def send(self, sql: str, seconds: float) -> str:
        db = self._signed_in()
        late = threading.Timer(seconds, self._end, (db.thread_id(),))
        late.start()
        try:
            cursor = db.cursor()
            cursor.execute(sql)
            cursor.fetchmany(50)
        except (pymysql.Error, UnicodeError, ValueError) as error:
            return ENDED if error.args[:1] in ((2013,), (1317,)) else str(error.args[-1])
        finally:
            late.cancel()
            db._force_close()
        return "no effect" if not self._has_new_password() else OWN_PASSWORD

    def _has_new_password(self) -> bool:
        """Whether the user gave itself another password, which no MariaDB denies; it gets back the one it had."""
        with suppress(pymysql.Error):
            self._signed_in().close()
            return False
        self._lab.look(f"SET PASSWORD FOR '{self._user}'@'%' = PASSWORD('{servers.PASSWORD}')")
        return True

    def _end(self, thread: int) -> None:
        with suppress(pymysql.Error):
            self._lab.look(f"KILL {thread}")

    def is_whole(self) -> bool:
        try:
            self._other.ping(reconnect=False)
        except pymysql.Error:
            self._other = self._signed_in()
            return False
        return True

    def close(self) -> None:
        self._other.close()


class MysqlLab(Lab):
    engine = "mysql"
    no_user = ""
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 0 FROM n) SELECT COUNT(*) FROM n, n AS m, n AS o"
    tells_position = False

    def __init__(self, folder: Path, server: servers.MariadbServer | None = None) -> None:
        self.server = server or servers.mariadb_server()
        super().__init__(self.server.folder / folder.name)
        self.watch.parent.chmod(0o755)
        self.watch.chmod(0o777)
        self.home = self.database = folder.name.lower()
        self.user = f"writer_{self.database}"  # its own, as a user sees every database it has grants on
        self.look(f"CREATE DATABASE {self.database}", None)
        self.archive = f"{self.database}_archive"
        self.look(f"CREATE DATABASE {self.archive}", None)
        script = (SCHEMAS / "mysql.sql").read_text().replace("archive.", f"{self.archive}.")
        self.look(script)
        self.look(
            f"CREATE USER '{self.user}'@'%' IDENTIFIED BY '{servers.PASSWORD}';"
            f"GRANT ALL ON {self.database}.* TO '{self.user}'@'%';"
            f"GRANT ALL ON {self.archive}.* TO '{self.user}'@'%'"
        )

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
        return open_database("mysql", **{**self.where(), **changes})

    def doors(self) -> dict[str, SourceDatabase]:
        return {**super().doors(), "superuser": self.connect(user=self.server.user)}

    @contextmanager
    def alone(self) -> Iterator[MysqlAlone]:
        user, statements = reader_of(self.connect(), self.database)
        for sql in statements:
            self.look(sql)
        try:
            with closing(MysqlAlone(self, user)) as alone:
                yield alone
        finally:
            self.look(f"DROP USER '{user}'@'%'")

    def look(self, sql: str, database: str | None = "") -> list[tuple[Any, ...]]:
        with closing(self.server.connect(self.database if database == "" else database)) as db:
            return self._ask(db, sql)

    def _ask(self, db: Any, sql: str) -> list[tuple[Any, ...]]:
        cursor = db.cursor()
        cursor.execute(sql)
        rows = list(cursor.fetchall())
        while cursor.nextset():
            rows = list(cursor.fetchall())
        return rows

    def attempt(self, sql: str, seconds: float) -> bool:
        with closing(self.server.connect(self.database)) as db:
            cursor = db.cursor()
            try:
                cursor.execute(f"SET max_statement_time = {seconds}")
                cursor.execute(sql)
                while cursor.nextset():
                    pass
            except (pymysql.Error, UnicodeError, ValueError):
                return False
        return True

    def state(self) -> Any:
        with closing(self.server.connect(self.database)) as db:
            return self._state(db), self.files()

    def _state(self, db: Any) -> Any:
        tables = self._ask(
            db,
            "SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_schema "
            "NOT IN ('information_schema', 'performance_schema', 'sys', 'mysql') ORDER BY 1, 2",
        )
        contents = [
            sorted(map(repr, self._ask(db, f"SELECT * FROM {self.quoted(schema)}.{self.quoted(name)}")))
            for schema, name, _ in tables
        ]
        moving = ("gtid", "last_", "timestamp", "warning_count", "error_count")
        settings = [row for row in self._ask(db, "SHOW GLOBAL VARIABLES") if not row[0].startswith(moving)]
        rest = [
            self._ask(db, sql)
            for sql in (
                "SELECT user, host, authentication_string FROM mysql.user ORDER BY 1, 2",
                "SELECT db, name FROM mysql.proc WHERE db NOT IN ('mysql', 'sys') ORDER BY 1, 2",
                "SELECT name FROM mysql.plugin",
                "SELECT COUNT(*) FROM mysql.help_topic",
                "SELECT COUNT(*) FROM mysql.table_stats",
            )
        ]
        return tables, contents, settings, rest

    def in_flight(self, mark: str) -> int:
        with closing(self.server.connect()) as db:
            cursor = db.cursor()
            cursor.execute("SHOW FULL PROCESSLIST")
            return sum(mark in str(row[7]) for row in cursor.fetchall() if row[4] == "Query")

    def quoted(self, name: str) -> str:
        return "`" + name.replace("`", "``") + "`"


class DuckdbLab(Lab):
    engine = "duckdb"
    rows_of = "SELECT i FROM (SELECT range + 1 AS i FROM range({count})) AS n"
    home = "main"
    endless = "SELECT COUNT(*) FROM range(100000) AS a, range(100000) AS b, range(100000) AS c WHERE a.range + b.range = c.range * 7"
    has_server = False

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.path = folder / "lab ü.duckdb"
        with closing(duckdb.connect(str(self.path))) as db:
            db.execute((SCHEMAS / "duckdb.sql").read_text())

    def connect(self, **changes: Any) -> SourceDatabase:
        return open_database("duckdb", **{"database": str(self.path), **changes})

    def look(self, sql: str) -> list[tuple[Any, ...]]:
        with closing(duckdb.connect(str(self.path))) as db:
            return db.execute(sql).fetchall()

    def attempt(self, sql: str, seconds: float) -> bool:
        with closing(duckdb.connect(str(self.path), config={"autoinstall_known_extensions": "false"})) as db:
            late = threading.Timer(seconds, db.interrupt)
            late.start()
            try:
                db.execute(sql).fetchmany(50)
            except (duckdb.Error, UnicodeError, ValueError, OverflowError):
                return False
            finally:
                late.cancel()
        return True

    def state(self) -> Any:
        with closing(duckdb.connect(str(self.path))) as db:
            return self._state(db), self.files(), sorted(p.name for p in self.folder.iterdir())

    def _state(self, db: duckdb.DuckDBPyConnection) -> Any:
        listed = "SELECT table_schema, table_name FROM information_schema.tables ORDER BY 1, 2"
        tables = db.execute(listed).fetchall()
        contents = [db.execute(f'SELECT * FROM "{s}".{self.quoted(name)}').fetchall() for s, name in tables]
        rest = [
            db.execute(sql).fetchall()
            for sql in (
                "SELECT schema_name FROM duckdb_schemas() WHERE NOT internal ORDER BY 1",
                "SELECT function_name FROM duckdb_functions() WHERE NOT internal ORDER BY 1",
                "SELECT type_name FROM duckdb_types() WHERE NOT internal ORDER BY 1",
                "SELECT sequence_name, last_value FROM duckdb_sequences() ORDER BY 1",
                "SELECT name, persistent FROM duckdb_secrets() ORDER BY 1",
            )
        ]
        return tables, contents, rest


LABS: dict[str, type[Lab]] = {lab.engine: lab for lab in (SqliteLab, PostgresLab, MysqlLab, DuckdbLab)}


class AlchemyPostgresLab(PostgresLab):
    """PostgreSQL as the long tail sees it: through SQLAlchemy's dialect."""

    types = "sqlalchemy-postgres"
    tells_rows = tells_position = False

    def connect(self, **changes: Any) -> SourceDatabase:
        changes["options"] = {"dialect": "postgresql+psycopg", **changes.get("options", {})}
        return open_database("sqlalchemy", **{**self.where(), **changes})

    def in_flight(self, mark: str) -> int:
        """A statement behind a cursor shows as what is fetched from it."""
        return super().in_flight(mark) or super().in_flight("FETCH FORWARD")


class AlchemyMysqlLab(MysqlLab):
    """MariaDB as the long tail sees it."""

    tells_rows = tells_position = False

    def connect(self, **changes: Any) -> SourceDatabase:
        changes["options"] = {"dialect": "mariadb+pymysql", **changes.get("options", {})}
        return open_database("sqlalchemy", **{**self.where(), **changes})


# The one suite runs on these too, and on Spark (`spark_lab`) in a file of its own: one server for all its tests.
SUITE: dict[str, type[Lab]] = {
    **LABS,
    "sqlalchemy-mysql": AlchemyMysqlLab,
    "sqlalchemy-postgres": AlchemyPostgresLab,
}
