"""The file broker: nothing is lost, nothing is seen half written, nothing runs twice."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection, Consumer, Exchange, Producer, Queue

from mirror.broker import Transport

WORK = Queue("work", Exchange("work", type="direct"), routing_key="work")


@pytest.fixture
def options(tmp_path: Path) -> dict[str, str]:
    """A broker folder of its own; bindings of this process in another are forgotten."""
    Transport.global_state.clear()
    messages = tmp_path / "messages"
    messages.mkdir()
    return {
        "data_folder_in": str(messages),
        "data_folder_out": str(messages),
        "control_folder": str(tmp_path / "control"),
    }


def connect(options: dict[str, str]) -> Connection:
    return Connection(
        "filesystem://localhost/", transport="mirror.broker:Transport", transport_options=options
    )


def send(options: dict[str, str], numbers: range) -> None:
    with connect(options) as connection:
        producer = Producer(connection.channel(), exchange=WORK.exchange, routing_key="work")
        for number in numbers:
            producer.publish({"number": number}, declare=[WORK], serializer="json")


def take(options: dict[str, str], out: str, seconds: float, *, ack: bool = True) -> None:
    """Take messages until none has come for a while, writing down each number."""
    with connect(options) as connection, open(out, "a") as notes:

        def on_message(body, message) -> None:
            notes.write(f"{body['number']}\n")
            notes.flush()
            if ack:
                message.ack()

        with Consumer(connection.channel(), [WORK], callbacks=[on_message]):
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                try:
                    connection.drain_events(timeout=0.2)
                    until = time.monotonic() + seconds
                except TimeoutError:
                    continue


def start(target, *args, **kwargs) -> multiprocessing.Process:
    process = multiprocessing.get_context("spawn").Process(target=target, args=args, kwargs=kwargs)
    process.start()
    return process


def numbers(out: Path) -> list[int]:
    return sorted(int(line) for line in out.read_text().split()) if out.exists() else []


def test_racing_senders_and_takers_lose_nothing_and_take_nothing_twice(options, tmp_path):
    out = tmp_path / "taken"
    send(options, range(1))
    takers = [start(take, options, str(out), 2.0) for _ in range(2)]
    senders = [start(send, options, range(first, first + 100)) for first in (1000, 2000, 3000)]
    for process in senders + takers:
        process.join(60)
        assert process.exitcode == 0
    wanted = [0, *range(1000, 1100), *range(2000, 2100), *range(3000, 3100)]
    assert numbers(out) == wanted
    assert not list(Path(options["data_folder_in"]).iterdir())
    assert not list(Path(options["control_folder"] + ".claimed").iterdir())


def test_what_a_killed_process_had_claimed_is_put_back(options, tmp_path):
    out = tmp_path / "taken"
    send(options, range(3))
    doomed = start(take, options, str(out), 60.0, ack=False)
    deadline = time.monotonic() + 20
    while len(numbers(out)) < 3 and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(doomed.pid, signal.SIGKILL)
    doomed.join()
    claimed = Path(options["control_folder"] + ".claimed")
    assert len(list(claimed.iterdir())) == 3
    out.unlink()
    take(options, str(out), 0.5)
    assert numbers(out) == [0, 1, 2]
    assert not list(claimed.iterdir())


def test_a_claim_of_a_reused_pid_is_put_back(options, tmp_path):
    send(options, range(1))
    claimed = Path(options["control_folder"] + ".claimed")
    [message] = Path(options["data_folder_in"]).iterdir()
    message.rename(claimed / f"{os.getpid()}-1@{message.name}")
    out = tmp_path / "taken"
    take(options, str(out), 0.5)
    assert numbers(out) == [0]


def test_a_claim_of_a_living_process_is_left_alone(options, tmp_path):
    send(options, range(1))
    taken, other = tmp_path / "taken", tmp_path / "other"
    with connect(options) as connection:
        messages = []
        with Consumer(connection.channel(), [WORK], callbacks=[lambda _, message: messages.append(message)]):
            connection.drain_events(timeout=2)
            take(options, str(other), 0.5)
            assert numbers(other) == []
            messages[0].reject(requeue=True)
        take(options, str(taken), 0.5)
    assert numbers(taken) == [0], "given back once, not twice"


def test_a_message_is_never_seen_half_written(options, tmp_path):
    folder = Path(options["data_folder_in"])
    seen: set[str] = set()
    done = threading.Event()

    def watch() -> None:
        while not done.is_set():
            for name in os.listdir(folder):
                if not name.startswith("."):
                    seen.add((folder / name).read_text()[-1:])

    watcher = threading.Thread(target=watch)
    watcher.start()
    send(options, range(200))
    done.set()
    watcher.join()
    assert seen == {"}"}


def test_a_message_is_left_to_who_has_less_to_do_for_a_moment_and_not_for_ever(options, monkeypatch):
    monkeypatch.setattr("mirror.broker.LEFT_SECONDS", 0.5)
    with connect(options) as first, connect(options) as second:
        send(options, range(1))
        busy, idle = first.SimpleQueue(WORK), second.SimpleQueue(WORK)
        held = busy.get(timeout=2)
        send(options, range(1, 2))
        with pytest.raises(Empty):
            busy.get(timeout=0.2)
        assert idle.get(timeout=2).payload == {"number": 1}
        send(options, range(2, 3))
        assert busy.get(timeout=3).payload == {"number": 2}, "where nobody else takes it"
        held.ack()
