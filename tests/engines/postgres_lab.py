"""The lab of PostgreSQL, and the user alone whom its page makes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg

from tests import servers
from tests.engines.lab import ENDED, SCHEMAS, ServerLab, reader_of


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


class PostgresLab(ServerLab):
    engine = "postgres"
    user = "writer"
    home = "public"
    endless = "SELECT COUNT(*) FROM generate_series(1, 100000000000)"

    def __init__(self, folder: Path, server: servers.PostgresServer | None = None) -> None:
        self.server = server or servers.postgres_server()
        super().__init__(self.server.folder / folder.name)
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
