"""Statements written to kill, fill or hold end their own child and nothing else; children come and go."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sqlagent.adapters import base, open_database
from sqlagent.adapters.children import child as child_side
from sqlagent.adapters.children import lending
from sqlagent.adapters.children.plain import NotPlain, plain
from sqlagent.errors import DatabaseError, StatementFailed, Unreachable
from sqlagent.forks import forking, frames
from sqlagent.forks.frames import Frame, Torn
from sqlagent.ports import SourceDatabase
from sqlagent.values import FailureKind, Limits
from tests.engines.killing import CASES, LABS, Working, children, left_to_limits, send, servers
from tests.engines.lab import Lab
from tests.processes import below, command

ROOT = Path(__file__).resolve().parents[2]
MEMORY = 200_000_000
ABOVE = 300_000_000
LIMITS = {
    "crash": Limits(5, 100, memory=MEMORY),
    "fill": Limits(4, 100, memory=MEMORY),
    "hold": Limits(0.2, 100, memory=MEMORY),
}
# Ends of a statement, with words of their messages.
ENDS = {
    "crash": ("crashed",),
    "fill": ("needed more than 200 MB", "failed to allocate", "could not allocate", "failed to"),
    "hold": ("was stopped after 0.2 seconds",),
}


@pytest.fixture(scope="module", params=sorted(LABS))
def killed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """A lab that is asked hostile things."""
    return LABS[request.param](tmp_path_factory.mktemp(request.param))


@pytest.fixture
def database(killed: Lab) -> Iterator[SourceDatabase]:
    with closing(killed.connect()) as opened:
        yield opened


def until(is_so: Callable[[], Any], seconds: float = 5.0) -> bool:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_so():
            return True
        time.sleep(0.02)
    return bool(is_so())


# ---------------------------------------------------------------- what they are written for


def test_there_are_forty_of_them() -> None:
    assert Counter(case["engine"] for case in CASES) == {"sqlite": 20, "duckdb": 20}
    assert {case["what"] for case in CASES} == set(ENDS)


def test_nothing_but_their_own_child_ends(killed: Lab, database: SourceDatabase) -> None:
    """A stream that was begun before goes on to its end; each failure says what happened."""
    cases = [case for case in CASES if case["engine"] == killed.engine]
    neighbour = killed.connect()
    wrong = []
    with neighbour.stream(killed.rows_of.format(count=200_000), Limits(100, 200_000)) as stream:
        rows = iter(stream)
        count = len(next(rows))
        own = servers()
        for case in cases:
            limits = LIMITS[case["what"]]
            outcome = send(database, case["sql"], limits)
            said = outcome.failure.message if outcome.failure else "it ran"
            if not any(words in said for words in ENDS[case["what"]]):
                wrong.append(f"{case['what']}: {said[:100]}: {case['sql'][:100]}")
            assert outcome.seconds < limits.seconds + 3, case["sql"]
            assert outcome.grown < MEMORY + ABOVE, f"{outcome.grown / 1e6:.0f} MB: {case['sql'][:200]}"
            assert database.execute("SELECT 1", Limits()).rows == ((1,),)
        count += sum(map(len, rows))
    assert count == 200_000
    assert servers() == own
    # A loaded machine may let a deadline come first.
    assert len(wrong) <= 3, "\n".join(wrong)
    neighbour.close()


def test_what_the_guard_leaves_to_limits_ends_at_them(killed: Lab, database: SourceDatabase) -> None:
    statements = left_to_limits(killed.engine)
    assert len(statements) > 10
    database.execute("SELECT 1", Limits())
    limits, own = Limits(0.2, 100, memory=MEMORY), servers()
    ended = 0
    for sql in statements:
        outcome = send(database, sql, limits)
        ended += outcome.failure is not None
        assert outcome.seconds < limits.seconds + 3, sql
        assert outcome.grown < MEMORY + ABOVE, f"{outcome.grown / 1e6:.0f} MB: {sql[:200]}"
    assert ended > len(statements) / 2
    assert servers() == own


def test_where_nothing_is_said_a_statement_may_take_what_the_database_was_opened_with(killed: Lab) -> None:
    fill = next(c["sql"] for c in CASES if (c["engine"], c["what"]) == (killed.engine, "fill"))
    with closing(open_database(killed.engine, database=str(killed.path), memory=MEMORY)) as database:
        outcome = send(database, fill, Limits(20))
    assert outcome.failure is not None
    assert any(words in outcome.failure.message for words in ENDS["fill"])
    assert outcome.grown < MEMORY + ABOVE


def test_a_killed_statement_leaves_no_process_and_no_file(killed: Lab, database: SourceDatabase) -> None:
    hold = next(c["sql"] for c in CASES if (c["engine"], c["what"]) == (killed.engine, "hold"))
    database.execute("SELECT 1", Limits())  # the server is up: the deadline is the statement's
    lending.stable.drop_idle()
    assert until(lambda: not children())
    with pytest.raises(StatementFailed):
        # Long enough for it to begin: one that did not is not killed, and its child waits for the next.
        database.execute(hold, Limits(1))
    assert until(lambda: not children(), 3)
    folders = [path for server in servers() for path in spills(server)]
    assert folders == []


def spills(server: int) -> list[Path]:
    """Files in the folder that the children of a server may spill to."""
    for descriptor in Path(f"/proc/{server}/fd").iterdir():
        try:
            target = Path(os.readlink(descriptor))
        except FileNotFoundError:  # closed since it was listed
            continue
        if target.name.startswith("mirror-children-") and target.is_dir():
            return list(target.iterdir())
    return []


def test_what_spills_is_removed_with_the_child_that_spilled(tmp_path: Path) -> None:
    lab = LABS["duckdb"](tmp_path / "lab")
    database = lab.connect()
    sql = "SELECT * FROM range(30000000) AS a(x) ORDER BY hash(x)"
    seen: list[Path] = []
    thread = threading.Thread(target=lambda: send(database, sql, Limits(4, 10**9, memory=100_000_000)))
    thread.start()
    until(lambda: seen.extend(path for server in servers() for path in spills(server)) or seen, 4)
    database.cancel()
    thread.join(10)
    assert seen, "nothing was spilled: the test tests nothing"
    lending.stable.drop_idle()
    assert until(lambda: not any(path.exists() for path in seen), 3)


def test_stop_ends_a_call_that_cannot_be_broken_off(killed: Lab, database: SourceDatabase) -> None:
    hold = next(c["sql"] for c in CASES if (c["engine"], c["what"]) == (killed.engine, "hold"))
    caught: list[DatabaseError] = []

    def run() -> None:
        try:
            database.execute(hold, Limits(60))
        except DatabaseError as error:
            caught.append(error)

    works = Working(database)
    thread = threading.Thread(target=run)
    thread.start()
    assert until(works, 15)
    started = time.monotonic()
    database.cancel()
    thread.join(5)
    assert time.monotonic() - started < 1.5
    assert caught[0].failure.kind is FailureKind.CANCELLED


def test_a_view_that_holds_its_reader_is_told_and_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base, "VALUES_SECONDS", 0.2)
    lab = LABS["sqlite"](tmp_path / "lab")
    lab.look("CREATE VIEW held AS SELECT instr(hex(zeroblob(5000000)), hex(zeroblob(2500000)) || '1') AS a")
    database = lab.connect()
    assert "held" in {table.name for table in database.catalog().tables}
    with pytest.raises(StatementFailed, match="stopped after 0.2 seconds"):
        list(database.values("held", "a", 5))
    assert list(database.values("customers", "country", 1)) == ["Norway"]


# ---------------------------------------------------------------- children come and go


def test_a_child_is_used_again_and_ends_when_idle(tmp_path: Path) -> None:
    database = LABS["sqlite"](tmp_path / "lab").connect()
    lending.stable.drop_idle()
    assert until(lambda: not children())
    for _ in range(5):
        database.execute("SELECT 1", Limits())
    first = children()
    assert len(first) == 1
    assert child_side.IDLE_SECONDS <= 10
    assert until(lambda: not children(), child_side.IDLE_SECONDS + 3), "an idle child stays"
    assert database.execute("SELECT 1", Limits()).rows == ((1,),)


def test_no_two_databases_share_a_child(tmp_path: Path) -> None:
    lending.stable.drop_idle()
    assert until(lambda: not children())
    labs = [LABS["sqlite"](tmp_path / name) for name in ("one", "two")]
    for lab in labs:
        lab.connect().execute("SELECT 1", Limits())
    assert len(children()) == 2


def test_an_idle_child_that_was_killed_is_replaced(killed: Lab, database: SourceDatabase) -> None:
    database.execute("SELECT 1", Limits())
    for pid in children():
        os.kill(pid, signal.SIGKILL)
    assert until(lambda: not children())
    outcome = send(database, "SELECT 1", Limits())
    assert outcome.failure is None or "killed by the system" in outcome.failure.message
    assert database.execute("SELECT 1", Limits()).rows == ((1,),)


def test_a_server_that_was_killed_is_replaced_and_its_children_are_gone(
    killed: Lab, database: SourceDatabase
) -> None:
    database.execute("SELECT 1", Limits())
    before, held = servers(), children()
    for pid in before:
        os.kill(pid, signal.SIGKILL)
    assert until(lambda: not any(map(command, held)), 3)
    assert database.execute("SELECT 1", Limits()).rows == ((1,),)
    assert not set(before) & set(servers())


def test_a_server_that_dies_under_a_statement_is_that_statements_failure(
    killed: Lab, database: SourceDatabase
) -> None:
    caught: list[DatabaseError] = []

    def run() -> None:
        try:
            database.execute(killed.endless, Limits(20))
        except DatabaseError as error:
            caught.append(error)

    works = Working(database)
    thread = threading.Thread(target=run)
    thread.start()
    assert until(works, 15)
    for pid in servers():
        os.kill(pid, signal.SIGKILL)
    thread.join(10)
    assert caught
    assert caught[0].failure.kind is FailureKind.ERROR
    assert database.execute("SELECT 1", Limits()).rows == ((1,),)


ASKS = """
import os, sys, time
sys.path.insert(0, {root!r})
from sqlagent.adapters import open_database
from sqlagent.values import Limits
database = open_database("sqlite", database={path!r})
print(database.execute("SELECT 1", Limits()).rows, flush=True)
{then}
"""


def asking(tmp_path: Path, then: str, **environment: str) -> subprocess.Popen[str]:
    """Another process that asks one thing and then does something."""
    lab = LABS["sqlite"](tmp_path / "lab")
    text = ASKS.format(root=str(ROOT), path=str(lab.path), then=then)
    made = subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
    )
    assert made.stdout is not None
    assert made.stdout.readline() == "((1,),)\n"
    return made


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGTERM])
def test_all_end_with_the_process_that_asked(tmp_path: Path, sign: signal.Signals) -> None:
    other = asking(tmp_path, "time.sleep(60)")
    started = below(other.pid)
    assert len(started) == 2
    other.send_signal(sign)
    other.communicate()
    assert until(lambda: not any(b"Mirror: statements of" in command(pid) for pid in started), 3)


def test_a_forked_process_has_children_of_its_own(tmp_path: Path) -> None:
    """As Celery forks its workers: each asks by itself, and the parent's end is the end of its own alone."""
    then = """
pid = os.fork()
if pid == 0:
    print(database.execute("SELECT 2", Limits()).rows, flush=True)
    os._exit(0)
os.waitpid(pid, 0)
print(database.execute("SELECT 3", Limits()).rows, flush=True)
"""
    other = asking(tmp_path, then)
    said, _ = other.communicate(timeout=30)
    assert said.splitlines() == ["((2,),)", "((3,),)"]


def test_a_daemonic_process_may_ask(tmp_path: Path) -> None:
    """A process of a pool may have no children by `multiprocessing`; statements have theirs."""
    then = """
import multiprocessing
def ask(): print(database.execute("SELECT 4", Limits()).rows, flush=True)
made = multiprocessing.get_context("fork").Process(target=ask, daemon=True)
made.start(); made.join()
"""
    other = asking(tmp_path, then)
    said, _ = other.communicate(timeout=30)
    assert said.splitlines() == ["((4,),)"]


def test_no_secret_and_no_file_is_inherited(tmp_path: Path) -> None:
    then = f"""
kept = open({str(tmp_path / "kept")!r}, "w"); os.set_inheritable(kept.fileno(), True)
database.cancel(); time.sleep(60)
"""
    (tmp_path / "kept").touch()
    other = asking(tmp_path, then, SECRET_KEY="hunter2", LLM_API_KEY="hunter2")
    try:
        started = below(other.pid)
        assert len(started) == 2
        for pid in started:
            assert b"hunter2" not in Path(f"/proc/{pid}/environ").read_bytes()
            opened = {os.readlink(path) for path in Path(f"/proc/{pid}/fd").iterdir()}
            assert not [name for name in opened if "kept" in name or "lab" in name], opened
            assert len(list(Path(f"/proc/{pid}/task").iterdir())) <= 2
    finally:
        other.kill()
        other.communicate()


@pytest.mark.parametrize("engine", sorted(LABS))
def test_a_server_has_one_thread(engine: str) -> None:
    """A process that forks must have a single thread: a lock held by another would stay held in the child."""
    server = lending.stable.server(engine).pid
    until(lambda: any("mirror-children-" in os.readlink(p) for p in Path(f"/proc/{server}/fd").iterdir()))
    assert len(list(Path(f"/proc/{server}/task").iterdir())) == 1


def test_descriptors_do_not_pile_up(killed: Lab, database: SourceDatabase) -> None:
    def opened() -> int:
        gc.collect()
        return len(list(Path("/proc/self/fd").iterdir()))

    def round_of() -> None:
        for sql in ("SELECT 1", "SELEC 1", killed.endless):
            send(database, sql, Limits(0.05))
        with database.stream(killed.rows_of.format(count=100_000), Limits()) as stream:
            next(iter(stream))

    round_of()
    before = opened()
    for _ in range(4):
        round_of()
    assert opened() <= before + 3
    assert len(children()) <= lending.IDLE_OF_ALL
    assert until(lambda: all(map(command, children()))), "zombies"


def test_an_engine_that_does_not_start_is_said_not_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "any.sqlite3"
    path.touch()
    monkeypatch.setattr(lending, "stable", lending.Stable())
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(Unreachable, match="does not start"):
        open_database("sqlite", database=str(path)).check()
    monkeypatch.undo()
    monkeypatch.setattr(lending, "stable", lending.Stable())
    with pytest.raises(Unreachable, match="does not start: .*nothing_of_that_name"):
        broken = forking.Server("nothing_of_that_name:serve")
        monkeypatch.setattr(lending.stable, "server", lambda engine: broken)
        open_database("sqlite", database=str(path)).check()


# ---------------------------------------------------------------- where the process may be killed itself


def test_a_process_that_may_be_killed_opens_files_in_itself(
    killed: Lab, database: SourceDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = database.catalog(), database.values("customers", "country", 3)
    monkeypatch.setattr(lending.stable, "take", None)
    with closing(open_database(killed.engine, database=str(killed.path), is_killable=True)) as here:
        assert (here.catalog(), here.values("customers", "country", 3)) == expected
        assert here.check().powers == base.file_powers(killed.path)
        assert here.execute("SELECT 1", Limits()).rows == ((1,),)
        with pytest.raises(StatementFailed):
            here.execute("CREATE TABLE t (a INT)", Limits())


@pytest.mark.parametrize("is_killable", [False, True])
def test_the_store_is_refused_wherever_it_is_opened(tmp_path: Path, *, is_killable: bool) -> None:
    lab = LABS["sqlite"](tmp_path / "lab")
    lab.look(f"CREATE TABLE {base.MARKER_TABLE} AS SELECT 'ours' AS {base.MARKER_COLUMN}")
    for mark, is_refused in (("ours", True), ("another's", False)):
        path = str(lab.path)
        with closing(
            open_database("sqlite", database=path, store_mark=mark, is_killable=is_killable)
        ) as database:
            try:
                database.execute("SELECT 1", Limits())
            except StatementFailed as error:
                assert (is_refused, error.failure.kind) == (True, FailureKind.REFUSED)
            else:
                assert not is_refused


# ---------------------------------------------------------------- what travels


class Evil:
    """A payload that a compromised child might send."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("true",)


@pytest.mark.parametrize("data", [pickle.dumps(Evil()), b"", b"\x80\x05", pickle.dumps([1, 2])[:-3]])
def test_nothing_but_plain_values_is_read(data: bytes) -> None:
    with pytest.raises((Torn, NotPlain)):
        plain(data)


@pytest.mark.parametrize(
    "sent", [b"", b"\x06", b"\xff" * 30, frames.packed([1]), b"\x06" + b"\0" * 7 + b"\x09abc"]
)
def test_a_torn_message_is_known_to_be(sent: bytes) -> None:
    here, there = socket.socketpair()
    with here, there:
        there.sendall(sent)
        there.shutdown(socket.SHUT_WR)
        with pytest.raises(Torn):
            frames.receive(here)


def test_a_message_of_any_length_arrives_whole() -> None:
    here, there = socket.socketpair()
    data = os.urandom(3_000_000)
    with here, there:
        threading.Thread(target=lambda: frames.send(there, Frame.ROWS, data)).start()
        assert frames.receive(here) == (Frame.ROWS, data)


def test_a_statement_runs_in_a_process_whose_new_sockets_have_a_timeout(killed: Lab) -> None:
    """As those of a worker that ends in order have: the questions that it was at then failed as crashes."""
    lending.stable.drop_idle()
    lending.stable._servers[killed.engine].close()
    socket.setdefaulttimeout(5.0)
    try:
        with closing(killed.connect()) as database:
            assert database.execute("SELECT 1", Limits()).rows == ((1,),)
            lending.stable.drop_idle()
            assert database.execute("SELECT 2", Limits()).rows == ((2,),)
    finally:
        socket.setdefaulttimeout(None)
