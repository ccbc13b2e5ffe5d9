"""Starts real database servers for tests: unprivileged, on loopback, gone with the process.

Each test process starts its own on first use (Spark takes 8 s; data folders of the others are made once a run and copied), in a folder of its
own and on a free port, so that runs side by side never meet (`tests/server_processes.py`). `python -m tests.servers` says what is missing,
with exit code 2.
"""

from __future__ import annotations

import atexit
import json
import os
import pwd
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from urllib.request import urlopen

from tests.server_processes import PASSWORD, Server, ServerMissing, free_port, missing, program


class PostgresServer(Server):
    """PostgreSQL with a superuser `owner`."""

    user = "owner"
    stop_signal = signal.SIGINT

    def prepare(self) -> None:
        self.make_certificate()
        secret = self.folder / "secret"
        secret.write_text(PASSWORD)
        if self._owner is not None:
            os.chown(secret, self._owner.pw_uid, self._owner.pw_gid)
        self.data_make(
            "postgres",
            [
                program("initdb"),
                *("-D", str(self.folder / "data"), "-U", self.user, "-A", "scram-sha-256"),
                *("--pwfile", str(secret), "-E", "UTF8", "--locale=C", "--no-sync"),
            ],
        )

    def command(self) -> list[str]:
        settings = {
            "listen_addresses": self.host,
            "port": str(self.port),
            "unix_socket_directories": "",
            "fsync": "off",
            "max_connections": "40",
            "shared_buffers": "32MB",
            "ssl": "on",
            "ssl_cert_file": str(self.folder / "cert.pem"),
            "ssl_key_file": str(self.folder / "key.pem"),
        }
        flags = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [program("postgres"), "-D", str(self.folder / "data"), *flags]

    def is_ready(self) -> bool:
        import psycopg

        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def connect(self, database: str = "postgres"):
        """Connect as the superuser, statements committed at once."""
        import psycopg

        return psycopg.connect(
            host=self.host,
            port=self.port,
            user=self.user,
            password=PASSWORD,
            dbname=database,
            autocommit=True,
            connect_timeout=5,
        )


class MariadbServer(Server):
    """MariaDB, which stands for MySQL too, with an account `owner` that may do anything."""

    user = "owner"
    stop_signal = signal.SIGTERM

    def prepare(self) -> None:
        self.make_certificate()
        self.data_make(
            "mariadb",
            [
                program("mariadb-install-db"),
                *("--no-defaults", f"--datadir={self.folder / 'data'}", "--skip-test-db"),
                *("--auth-root-authentication-method=normal", "--innodb-log-file-size=8M"),
            ],
        )
        start = self.folder / "first.sql"
        start.write_text(
            f"CREATE USER IF NOT EXISTS 'owner'@'%' IDENTIFIED BY '{PASSWORD}';\n"
            "GRANT ALL ON *.* TO 'owner'@'%' WITH GRANT OPTION;\n"
        )
        start.chmod(0o644)

    def command(self) -> list[str]:
        return [
            program("mariadbd"),
            "--no-defaults",
            f"--datadir={self.folder / 'data'}",
            f"--port={self.port}",
            f"--bind-address={self.host}",
            f"--socket={self.folder / 's'}",
            f"--pid-file={self.folder / 'pid'}",
            f"--init-file={self.folder / 'first.sql'}",
            "--character-set-server=utf8mb4",
            "--innodb-buffer-pool-size=32M",
            "--innodb-log-file-size=8M",
            "--innodb-flush-log-at-trx-commit=2",
            "--performance-schema=off",
            "--secure-file-priv=",
            f"--ssl-cert={self.folder / 'cert.pem'}",
            f"--ssl-key={self.folder / 'key.pem'}",
        ]

    def is_ready(self) -> bool:
        import pymysql

        try:
            self.connect().close()
        except pymysql.Error:
            return False
        return True

    def connect(self, database: str | None = None):
        """Connect as the owner, statements committed at once."""
        import pymysql
        from pymysql.constants import CLIENT

        return pymysql.connect(
            host=self.host,
            port=self.port,
            user=self.user,
            password=PASSWORD,
            database=database,
            autocommit=True,
            connect_timeout=5,
            client_flag=CLIENT.MULTI_STATEMENTS,
        )


class SparkServer(Server):
    """Spark's Thrift server on two cores and 1 GB, with a metastore and a warehouse in its folder.

    Anybody may sign in under any name, as with a server nobody has set up further.
    """

    user = "owner"
    # Nothing in its folder outlives it, so it need not tidy up.
    stop_signal = signal.SIGKILL
    # It took 20 s, and once 35, on two cores that eight others were busy on.
    start_seconds = 100

    def prepare(self) -> None:
        self.home = _spark_home()
        self.page = free_port()
        (self.folder / "tmp").mkdir()
        if self._owner is not None:
            os.chown(self.folder / "tmp", self._owner.pw_uid, self._owner.pw_gid)

    def command(self) -> list[str]:
        java = f"-Dderby.system.home={self.folder} -Djava.io.tmpdir={self.folder / 'tmp'}"
        quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:-UsePerfData -Xshare:auto"
        settings = {
            "spark.driver.host": self.host,
            "spark.driver.bindAddress": self.host,
            "spark.driver.extraJavaOptions": f"{java} {quick}",
            "spark.local.dir": str(self.folder / "tmp"),
            "spark.sql.warehouse.dir": str(self.folder / "warehouse"),
            "spark.sql.shuffle.partitions": "2",
            # Few rows: compiling code for each statement takes longer than running it.
            "spark.sql.codegen.wholeStage": "false",
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.sql.adaptive.enabled": "false",
            "spark.ui.port": str(self.page),
            "spark.ui.showConsoleProgress": "false",
        }
        flags = [part for name, value in settings.items() for part in ("--conf", f"{name}={value}")]
        return [
            *(str(self.home / "bin" / "spark-submit"), "--master", "local[2]", "--driver-memory", "1g"),
            *("--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", *flags),
            *("spark-internal", "--hiveconf", f"hive.server2.thrift.port={self.port}"),
            *("--hiveconf", f"hive.server2.thrift.bind.host={self.host}"),
        ]

    def connect(self, database: str = "default"):
        """Connect as the owner."""
        from pyhive import hive

        return hive.connect(host=self.host, port=self.port, username=self.user, database=database)

    def running(self) -> list[str]:
        """The statements that have work running, as the server's own list tells."""
        of = f"http://{self.host}:{self.page}/api/v1/applications"
        with urlopen(of, timeout=20) as answer:
            name = json.load(answer)[0]["id"]
        with urlopen(f"{of}/{name}/jobs?status=running", timeout=20) as answer:
            return [str(job.get("description", "")) for job in json.load(answer)]


class DatabricksDoor(Server):
    """A Databricks warehouse before a Spark of its own (`databricks_door`); its access token is `PASSWORD`.

    The Spark that other tests of the process use has settings and databases of theirs.
    """

    user = "token"
    stop_signal = signal.SIGKILL

    def prepare(self) -> None:
        # This Python may be nobody else's to run.
        self._owner = None
        self.make_certificate()
        program("java")
        self.behind: SparkServer = _started(SparkServer)  # type: ignore[assignment]

    def command(self) -> list[str]:
        door = str(Path(__file__).with_name("databricks_door.py"))
        return [sys.executable, door, str(self.port), str(self.behind.port), str(self.folder), PASSWORD]


class ClickhouseServer(Server):
    """ClickHouse's engine behind its HTTP interface (`clickhouse_door`): one password for every user."""

    user = "default"
    stop_signal = signal.SIGKILL

    def prepare(self) -> None:
        # This Python may be nobody else's to run.
        self._owner = None
        self.data = self.folder / "data"

    def command(self) -> list[str]:
        door = str(Path(__file__).with_name("clickhouse_door.py"))
        return [sys.executable, door, str(self.port), str(self.data), PASSWORD]

    def look(self, sql: str, database: str = "default", **settings: object) -> list[tuple[object, ...]]:
        """Run statements as the owner, with none of an adapter's settings, and give the rows of the last."""
        rows: list[tuple[object, ...]] = []
        for statement in filter(str.strip, sql.split(";\n")):
            said = {**settings, "database": database} if database != "default" else settings
            if statement.lstrip().upper().startswith(("SELECT", "SHOW", "EXPLAIN", "WITH")):
                rows = [tuple(row) for row in self.client.query(statement, settings=said).result_rows]
            else:
                self.client.command(statement, settings=said)
        return rows

    @cached_property
    def client(self):
        """The driver, signed in as the owner."""
        import clickhouse_connect

        where = {"host": self.host, "port": self.port, "username": self.user, "password": PASSWORD}
        return clickhouse_connect.get_client(**where, autogenerate_session_id=False, compress=False)


class RedisServer(Server):
    """Redis as a broker; it keeps nothing."""

    user = "default"
    stop_signal = signal.SIGTERM

    def prepare(self) -> None:
        self.url = f"redis://{self.host}:{self.port}/0"

    def command(self) -> list[str]:
        bounds = ("--bind", self.host, "--port", str(self.port), "--dir", str(self.folder))
        return [program("redis-server"), *bounds, "--save", "", "--appendonly", "no"]

    def is_ready(self) -> bool:
        from redis import Redis, RedisError

        try:
            return bool(Redis.from_url(self.url, socket_timeout=1).ping())
        except RedisError:
            return False


class SshDoor(Server):
    """An SSH server that forwards (`ssh_door`): user `tunnel` anywhere, user `shut` nowhere; by `PASSWORD` or `key`."""

    user = "tunnel"
    stop_signal = signal.SIGKILL

    def prepare(self) -> None:
        import asyncssh

        # This Python may be nobody else's to run.
        self._owner = None
        made = asyncssh.generate_private_key("ssh-ed25519")
        self.key = made.export_private_key().decode()
        self.passphrase = "opens the key"
        self.locked_key = made.export_private_key(passphrase=self.passphrase, rounds=16).decode()
        made.write_public_key(str(self.folder / "authorized_keys"))
        self.new_host_key()

    def new_host_key(self) -> None:
        """Have another host key from the next start on."""
        import asyncssh

        made = asyncssh.generate_private_key("ssh-ed25519")
        made.write_private_key(str(self.folder / "host_key"))
        self.fingerprint = made.get_fingerprint()

    def command(self) -> list[str]:
        door = str(Path(__file__).with_name("ssh_door.py"))
        return [sys.executable, door, str(self.port), str(self.folder), PASSWORD]

    @contextmanager
    def halted(self) -> Iterator[None]:
        """Have it answer nothing for a while; its connections stay."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)


class OpensshServer(SshDoor):
    """OpenSSH's own server, as an ordinary user, who alone may sign in, by `key`; where it may forward is set by `forwards_to`."""

    stop_signal = signal.SIGTERM

    def prepare(self) -> None:
        owner = self._owner
        super().prepare()
        self._owner = owner
        self.user = (owner or pwd.getpwuid(os.geteuid())).pw_name
        # It starts itself anew for each connection, as a user who may not be let into this folder.
        self._sshd = Path(shutil.copy2(program("sshd"), self.folder))
        settings = {
            "ListenAddress": self.host,
            "Port": self.port,
            "HostKey": self.folder / "host_key",
            "AuthorizedKeysFile": self.folder / "authorized_keys",
            "PidFile": "none",
            "UsePAM": "yes",
            "StrictModes": "no",
            "PasswordAuthentication": "no",
        }
        # Since OpenSSH 9.8 a connection is a program of its own.
        session = Path(program("sshd")).parents[1] / "lib" / "openssh" / "sshd-session"
        if session.exists():
            settings["SshdSessionPath"] = session
        (self.folder / "config").write_text("".join(f"{name} {value}\n" for name, value in settings.items()))
        self._given_to_owner()

    def forwards_to(self, *ports: int) -> None:
        """Let the key forward to these ports of this machine alone, and do nothing else: the line of docs/connectors.md."""
        key = (self.folder / "authorized_keys").read_text().split(" ssh-")[-1].removeprefix("ssh-")
        opened = "".join(f',permitopen="{self.host}:{port}"' for port in ports)
        (self.folder / "authorized_keys").write_text(f"restrict,port-forwarding{opened} ssh-{key}")

    def _given_to_owner(self) -> None:
        for path in (self.folder, *self.folder.iterdir()):
            path.chmod(0o700 if path.is_dir() or path == self._sshd else 0o600)
            if self._owner is not None:
                os.chown(path, self._owner.pw_uid, self._owner.pw_gid)

    def command(self) -> list[str]:
        return [str(self._sshd), "-D", "-e", "-f", str(self.folder / "config")]


def _started(kind: type[Server]) -> Server:
    server = kind()
    atexit.register(server.remove)
    server.start()
    return server


@cache
def postgres_server() -> PostgresServer:
    """The PostgreSQL of this test process, started on first use. Raises: ServerMissing."""
    return _started(PostgresServer)  # type: ignore[return-value]


@cache
def mariadb_server() -> MariadbServer:
    """The MariaDB of this test process, started on first use. Raises: ServerMissing."""
    return _started(MariadbServer)  # type: ignore[return-value]


@cache
def redis_server() -> RedisServer:
    """The Redis of this test process, started on first use. Raises: ServerMissing."""
    return _started(RedisServer)  # type: ignore[return-value]


@cache
def ssh_door() -> SshDoor:
    """The SSH server of this test process, started on first use."""
    return _started(SshDoor)  # type: ignore[return-value]


@cache
def openssh_server() -> OpensshServer:
    """The OpenSSH server of this test process, started on first use. Raises: ServerMissing."""
    return _started(OpensshServer)  # type: ignore[return-value]


@cache
def spark_server() -> SparkServer:
    """The Spark of this test process, started on first use (8 s). Raises: ServerMissing."""
    program("java")
    return _started(SparkServer)  # type: ignore[return-value]


@cache
def databricks_door() -> DatabricksDoor:
    """The door of a Databricks warehouse of this test process, started on first use, with its Spark. Raises: ServerMissing."""
    return _started(DatabricksDoor)  # type: ignore[return-value]


@cache
def clickhouse_server() -> ClickhouseServer:
    """The ClickHouse of this test process, started on first use (2 s)."""
    return _started(ClickhouseServer)  # type: ignore[return-value]


def _spark_home() -> Path:
    """Where the package of Spark lies. Raises: ServerMissing."""
    found = find_spec("pyspark")
    if found is None or not found.submodule_search_locations:
        raise ServerMissing("pyspark is not installed. Run: pip install -r requirements-dev.txt")
    return Path(next(iter(found.submodule_search_locations)))


if __name__ == "__main__":
    if lines := missing():
        print("\n".join(lines), file=sys.stderr)
        sys.exit(2)
