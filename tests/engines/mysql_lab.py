"""The lab of MariaDB, and the user alone whom its page makes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pymysql
from pymysql.cursors import SSCursor

from tests import servers
from tests.engines.lab import ENDED, SCHEMAS, ServerLab, reader_of

OWN_PASSWORD = "changes its own password, which every user of MariaDB may"


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


class MysqlLab(ServerLab):
    engine = "mysql"
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 0 FROM n) SELECT COUNT(*) FROM n, n AS m, n AS o"
    tells_position = False

    def __init__(self, folder: Path, server: servers.MariadbServer | None = None) -> None:
        self.server = server or servers.mariadb_server()
        super().__init__(self.server.folder / folder.name)
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
