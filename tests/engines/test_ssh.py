"""PostgreSQL and MariaDB through a real SSH server: keys, refusals, and servers that go away or hang."""

from __future__ import annotations

import binascii
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import cache
from typing import Any

import asyncssh
import pytest
from asyncssh.asn1 import der_decode, der_encode

from sqlagent.adapters import open_database, ssh_key_shown
from sqlagent.adapters.ssh import _owners
from sqlagent.adapters.ssh_keys import BCRYPT_ROUNDS, PKCS8_ROUNDS, key_read
from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.ports import SourceDatabase
from sqlagent.values import SSH_SAID, SSH_SILENT, FailureKind, Limits, SshServer
from tests.server_processes import free_port
from tests.servers import PASSWORD, mariadb_server, openssh_server, postgres_server, ssh_door

SLEEPS = {"postgres": "SELECT pg_sleep(30)", "mysql": "SELECT SLEEP(30)"}
ENGINES = sorted(SLEEPS)


def way(**changed: Any) -> SshServer:
    door = ssh_door()
    usual = {"host": door.host, "port": door.port, "user": door.user, "fingerprint": door.fingerprint}
    return SshServer(**{**usual, "key": door.key, **changed})


def opened(engine: str, ssh: SshServer, **changed: Any) -> SourceDatabase:
    server = postgres_server() if engine == "postgres" else mariadb_server()
    user = reader() if engine == "postgres" else server.user
    where = {"host": server.host, "port": server.port, "user": user, "password": PASSWORD}
    database = "postgres" if engine == "postgres" else "mysql"
    return open_database(engine, **{**where, "database": database, **changed}, ssh=ssh)


@cache
def reader() -> str:
    """Make a user of PostgreSQL who is no superuser, in whose session nothing sleeps."""
    with postgres_server().connect() as db:
        db.execute(f"CREATE ROLE ssh_reader LOGIN PASSWORD '{PASSWORD}'")
    return "ssh_reader"


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("by", ["key", "locked key", "password"])
def test_a_database_is_read_through_an_ssh_server(engine: str, by: str) -> None:
    door = ssh_door()
    changed = {
        "key": {},
        "locked key": {"key": door.locked_key, "password": door.passphrase},
        "password": {"key": "", "password": PASSWORD},
    }[by]
    with closing(opened(engine, way(**changed), options={"sslmode": "require"})) as database:
        assert database.execute("SELECT 1 + 1 AS two", Limits()).rows == ((2,),)
        assert database.check().server
        if by == "key":
            assert database.execute("SELECT 2", Limits()).rows == ((2,),)


def test_certificates_are_checked_for_the_name_of_the_database(engine: str) -> None:
    server = postgres_server() if engine == "postgres" else mariadb_server()
    options = {"sslmode": "verify-full", "sslrootcert": str(server.folder / "cert.pem")}
    with closing(opened(engine, way(), options=options)) as database:
        assert database.execute("SELECT 1", Limits()).rows == ((1,),)
    with (
        closing(opened(engine, way(), options=options, host="localhost")) as database,
        pytest.raises(Unreachable, match="No TLS connection to localhost"),
    ):
        database.execute("SELECT 1", Limits())


@pytest.mark.parametrize(
    ("changed", "words", "code"),
    [
        ({"user": "nobody"}, "refused the key of user 'nobody'", SSH_SAID),
        ({"key": "", "password": "wrong"}, "refused the password of user 'tunnel'", SSH_SAID),
        ({"key": "no key at all"}, "private key for the SSH server cannot be read", SSH_SAID),
        ({"user": "tun\x07nel"}, "holds signs that SSH does not take", SSH_SAID),
        ({"key": "LOCKED", "password": "wrong"}, "passphrase does not open the private key", SSH_SAID),
        ({"key": "LOCKED"}, "has a passphrase, and none was given", SSH_SAID),
        ({"user": "shut", "key": "", "password": PASSWORD}, "does not forward to 127.0.0.1", SSH_SAID),
        ({"fingerprint": "SHA256:" + "A" * 43}, "shows another key than the one that was confirmed", SSH_SAID),
        ({"port": 1}, "Nothing answers at the SSH server 127.0.0.1:1", SSH_SILENT),
    ],
)  # fmt: skip
def test_a_way_that_stays_shut_says_why(engine: str, changed: dict[str, Any], words: str, code: str) -> None:
    if changed.get("key") == "LOCKED":
        changed = {**changed, "key": ssh_door().locked_key}
    with (
        closing(opened(engine, way(**changed))) as database,
        pytest.raises(Unreachable, match=words) as caught,
    ):
        database.check()
    failure = caught.value.failure
    assert (failure.kind, failure.code) == (FailureKind.LOST, code)
    assert failure.advice and PASSWORD not in failure.message + failure.advice


def test_an_address_the_ssh_server_does_not_reach_is_told(engine: str) -> None:
    with (
        closing(opened(engine, way(), port=free_port())) as database,
        pytest.raises(Unreachable, match=r"SSH server \S+ reaches nothing at 127.0.0.1") as caught,
    ):
        database.check()
    assert "as the SSH server sees them" in caught.value.failure.advice


def test_a_wrong_password_of_the_database_is_told_as_without_a_tunnel(engine: str) -> None:
    with (
        closing(opened(engine, way(), password="wrong")) as database,
        pytest.raises(Unreachable, match="The server refused the password of user '(ssh_reader|owner)'"),
    ):
        database.check()


def test_the_key_of_a_server_is_shown_before_anybody_signs_in() -> None:
    assert ssh_key_shown(way(user="", key="", fingerprint="")) == ssh_door().fingerprint
    with pytest.raises(ValueError, match="Confirm its fingerprint"):
        opened("postgres", way(fingerprint=""))
    with pytest.raises(Unreachable, match="Nothing answers"):
        ssh_key_shown(way(port=1))
    server = postgres_server()
    with pytest.raises(Unreachable, match="broke off, or speaks no SSH"):
        ssh_key_shown(way(port=server.port))


def test_no_secret_is_in_the_words_of_a_way() -> None:
    door = ssh_door()
    said = repr(way(key=door.locked_key, password=door.passphrase))
    assert door.passphrase not in said and "PRIVATE" not in said and door.fingerprint in said


TOO_LONG, UNREADABLE = "passphrase of the private key .* takes too long to check", "cannot be read"


@pytest.mark.parametrize(
    ("kind", "rounds", "before", "words"),
    [
        ("OPENSSH", BCRYPT_ROUNDS + 1, "", TOO_LONG),
        ("OPENSSH", 2**32 - 1, "", TOO_LONG),
        ("ENCRYPTED", PKCS8_ROUNDS + 1, "", TOO_LONG),
        ("ENCRYPTED", 2**62, "", TOO_LONG),
        ("ENCRYPTED", 2**62, "-----BEGIN PRIVATE KEY-----\x1c\n-----END\n", TOO_LONG),
        ("ENCRYPTED", -1, "", UNREADABLE),
    ],
)
def test_a_key_that_would_take_long_to_open_is_refused_at_once(
    kind: str, rounds: int, before: str, words: str
) -> None:
    started = time.process_time()
    with pytest.raises(Unreachable, match=words):
        key_read(before + locked_key(kind, rounds), "secret")
    assert time.process_time() - started < 1


@pytest.mark.parametrize("kind", ["OPENSSH", "ENCRYPTED"])
def test_a_locked_key_is_read_and_odd_ones_are_refused_in_words(kind: str) -> None:
    key = locked_key(kind)
    assert key_read(key, "secret").get_algorithm() == "ssh-ed25519"
    assert key_read(f"my key: mine\n{key}\n", "secret").get_algorithm() == "ssh-ed25519"
    with pytest.raises(Unreachable, match="passphrase does not open"):
        key_read(key, "wrong")
    with pytest.raises(Unreachable, match="has a passphrase, and none was given"):
        key_read(key, "")
    head, rest = key.split("\n", 1)
    nested = b"\x05\x00"
    for _ in range(1_500):
        nested = b"\x30\x82" + len(nested).to_bytes(2, "big") + nested
    for odd in (
        f"{head}\nProc-Type: 4,ENCRYPTED\n{rest}",
        f"{head}\nAAAA\n-----END",
        written(kind, nested),
        written("", nested),
        key.replace("\n", "\nö", 1),
    ):
        with pytest.raises(Unreachable, match=UNREADABLE):
            key_read(odd, "secret")


def locked_key(kind: str, rounds: int | None = None) -> str:
    """A private key with the passphrase `secret`, which says that so many rounds are to be done for it."""
    made = asyncssh.generate_private_key("ssh-ed25519")
    if kind == "OPENSSH":
        key = made.export_private_key(passphrase="secret", rounds=1, ignore_few_rounds=True).decode()
        data = bytearray(binascii.a2b_base64(key.split("-----")[2]))
        if rounds is not None:
            at = data.index(b"bcrypt") + len(b"bcrypt") + 4 + 4 + 16  # behind two lengths and the salt
            data[at : at + 4] = rounds.to_bytes(4, "big")
        return written(kind, bytes(data))
    key = made.export_private_key("pkcs8-pem", passphrase="secret").decode()
    ((way, ((by, (salt, usual, *more)), cipher)), locked) = der_decode(
        binascii.a2b_base64(key.split("-----")[2])
    )
    head = (way, ((by, (salt, usual if rounds is None else rounds, *more)), cipher))
    return written(kind, der_encode((head, locked)))


def written(kind: str, data: bytes) -> str:
    """A key in the letters that people paste."""
    name = f"{kind} PRIVATE KEY".strip()
    return f"-----BEGIN {name}-----\n{binascii.b2a_base64(data).decode()}-----END {name}-----\n"


def test_the_next_address_is_called_where_one_leads_nowhere() -> None:
    # To call a group of machines fails at once, as an IPv6 address does on a machine that has none.
    with closing(opened("postgres", way(addresses=("224.0.0.1", "127.0.0.1")))) as database:
        assert database.execute("SELECT 1", Limits()).rows == ((1,),)
    with pytest.raises(Unreachable, match="Nothing answers at the SSH server"):
        ssh_key_shown(way(addresses=("224.0.0.1",)))


def test_a_changed_key_is_refused_before_anything_is_sent() -> None:
    door = ssh_door()
    before = way(key="", password=PASSWORD)
    door.stop()
    door.new_host_key()
    door.start()
    with (
        closing(opened("postgres", before)) as database,
        pytest.raises(Unreachable, match="another key") as caught,
    ):
        database.execute("SELECT 1", Limits())
    assert door.fingerprint in caught.value.failure.message
    assert "confirm the new key" in caught.value.failure.advice
    with closing(opened("postgres", way())) as database:
        assert database.execute("SELECT 1", Limits()).rows == ((1,),)


def test_stop_and_deadline_end_a_statement_in_the_database(engine: str) -> None:
    with closing(opened(engine, way())) as database:
        started = time.monotonic()
        with pytest.raises(StatementFailed) as caught:
            database.execute(SLEEPS[engine], Limits(seconds=0.8))
        assert caught.value.failure.kind is FailureKind.TIMEOUT
        with running(database, engine) as end:
            database.cancel()
            assert end().failure.kind is FailureKind.CANCELLED
        assert time.monotonic() - started < 8
        assert until(lambda: not statements(engine), 3)


def test_a_server_that_goes_breaks_the_statement_off_and_is_called_anew(engine: str) -> None:
    door = ssh_door()
    with closing(opened(engine, way())) as database:
        with running(database, engine) as end:
            door.stop(signal.SIGKILL)
            assert "The connection to the SSH server" in end().failure.message
        with pytest.raises(Unreachable, match="Nothing answers at the SSH server"):
            database.execute("SELECT 1", Limits())
        door.start()
        assert database.execute("SELECT 1", Limits()).rows == ((1,),)


def test_a_server_that_hangs_holds_nobody(engine: str) -> None:
    door = ssh_door()
    with closing(opened(engine, way())) as database:
        started = time.monotonic()
        with running(database, engine, seconds=2.0) as end, door.halted():
            assert end().failure.kind is FailureKind.TIMEOUT
            assert time.monotonic() - started < 5
    with closing(opened(engine, way())) as database, door.halted():
        started = time.monotonic()
        with running(database, engine, begun=False) as end:
            database.cancel()
            assert end().failure.kind is FailureKind.CANCELLED
        assert time.monotonic() - started < 3


def test_a_dead_server_is_noticed_by_unanswered_questions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlagent.adapters.ssh.KEEPALIVE_SECONDS", 0.3)
    with (
        closing(opened("postgres", way())) as database,
        running(database, "postgres") as end,
        ssh_door().halted(),
    ):
        assert "The connection to the SSH server" in end().failure.message


def test_the_way_ends_with_its_adapter_and_is_not_opened_before(engine: str) -> None:
    database = opened(engine, way())
    assert not any(thread.name == "ssh" for thread in threading.enumerate())
    database.execute("SELECT 1", Limits())
    port = database.tunnel.port(None)
    with socket.create_connection(("127.0.0.1", port), 2):
        pass
    database.close()
    assert not any(thread.name == "ssh" for thread in threading.enumerate())
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), 2)
    database.close()


def test_connections_of_other_users_of_this_machine_are_not_let_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqlagent.adapters.ssh.os.geteuid", lambda: 4_242)
    with closing(opened("postgres", way())) as database, pytest.raises(Unreachable):
        database.execute("SELECT 1", Limits())
    rest = "00000000:00000000 00:00000000 00000000  {}        0 7 1"
    lines = [
        f"  0: 0100007F:1F90 0100007F:0050 01 {rest.format(1000)}",
        f"  1: 0100007F:1F90 0100007F:0051 01 {rest.format(65534)}",
        f"  2: 0100007F:1F90 0100007F:0050 06 {rest.format(0)}",
    ]
    client = ("127.0.0.1", 8080)
    assert list(_owners(lines, client, ("127.0.0.1", 80))) == [1000]
    assert list(_owners(lines, client, ("127.0.0.1", 81))) == [65534], "a port may be used towards two others"
    assert list(_owners(lines, client, ("127.0.0.1", 82))) == []


def statements(engine: str) -> set[int]:
    """The sleeping statements that the database has, by the numbers of their sessions."""
    ask = {
        "postgres": "SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()",
        "mysql": "SELECT id FROM information_schema.processlist WHERE info LIKE '%SLEEP(30)%' AND id <> CONNECTION_ID()",
    }[engine]
    server = postgres_server() if engine == "postgres" else mariadb_server()
    with closing(server.connect()) as db, db.cursor() as cursor:
        cursor.execute(ask)
        return {number for (number,) in cursor.fetchall()}


def until(is_so: Callable[[], object], seconds: float = 15) -> bool:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(is_so())


@contextmanager
def running(
    database: SourceDatabase, engine: str, *, seconds: float = 30.0, begun: bool = True
) -> Iterator[Any]:
    """Have a statement run in another thread; the function given waits for its failure."""
    failed: list[Any] = []

    def run() -> None:
        try:
            database.execute(SLEEPS[engine], Limits(seconds=seconds))
        except (StatementFailed, Unreachable) as error:
            failed.append(error)

    def end() -> Any:
        thread.join(15)
        assert failed, "it did not end"
        return failed[0]

    before = statements(engine)
    thread = threading.Thread(target=run)
    thread.start()
    assert until(lambda: statements(engine) - before if begun else database._flights), failed  # type: ignore[attr-defined]
    yield end
    thread.join(15)


# ---------------------------------------------------------------- OpenSSH's own server


def by_openssh(**changed: Any) -> SshServer:
    door = openssh_server()
    usual = {"host": door.host, "port": door.port, "user": door.user, "fingerprint": door.fingerprint}
    return SshServer(**{**usual, "key": door.key, **changed})


@pytest.mark.openssh
@pytest.mark.parametrize("is_locked", [False, True])
def test_a_database_is_read_through_openssh_by_a_key_that_may_forward_there_alone(
    engine: str, is_locked: bool
) -> None:
    """With the line that docs/connectors.md gives for the key."""
    door, server = openssh_server(), postgres_server() if engine == "postgres" else mariadb_server()
    door.forwards_to(server.port)
    locked = {"key": door.locked_key, "password": door.passphrase} if is_locked else {}
    with closing(opened(engine, by_openssh(**locked), options={"sslmode": "require"})) as database:
        assert database.execute("SELECT 1 + 1 AS two", Limits()).rows == ((2,),)
        assert database.execute("SELECT 2", Limits()).rows == ((2,),)
    assert ssh_key_shown(by_openssh(user="", key="", fingerprint="")) == door.fingerprint


@pytest.mark.openssh
@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "does not forward to 127.0.0.1"),
        ({"key": "OTHER"}, "refused the key of user"),
        ({"key": "", "password": PASSWORD}, "refused the password of user"),
        ({"fingerprint": "SHA256:" + "A" * 43}, "shows another key than the one that was confirmed"),
    ],
)
def test_openssh_keeps_a_way_shut_and_the_reason_is_told(changed: dict[str, Any], words: str) -> None:
    openssh_server().forwards_to(free_port())
    if changed.get("key") == "OTHER":
        changed = {"key": asyncssh.generate_private_key("ssh-ed25519").export_private_key().decode()}
    with (
        closing(opened("postgres", by_openssh(**changed))) as database,
        pytest.raises(Unreachable, match=words),
    ):
        database.check()


@pytest.mark.openssh
def test_a_port_that_openssh_does_not_reach_is_told() -> None:
    port = free_port()
    openssh_server().forwards_to(port)
    with (
        closing(opened("postgres", by_openssh(), port=port)) as database,
        pytest.raises(Unreachable, match=r"SSH server \S+ reaches nothing at 127.0.0.1"),
    ):
        database.check()
