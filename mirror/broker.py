"""Messages as files: Celery's broker on one machine, with no server to install.

Kombu's own `filesystem://` transport opens a message under its final name and then writes it,
claims it by a move through the temporary directory, and forgets what was claimed. Measured
with 2 workers, 4 producers and 500 messages: 1 run of 8 lost a message and stopped a worker
(`JSONDecodeError`); of 10 tasks queued when a worker was killed, 3 never ran. Here

- a message is written aside and renamed into place, so it is whole before it can be seen;
- a claim is one rename on the same disk, so exactly one process gets it;
- the claimed file lives until the message is acknowledged (`acks_late`), and the claims of
  processes that died are put back by the next consumer;
- the tables that bind exchanges to queues change under a lock and are replaced, never edited.

Limits: one machine, a local disk, one container (a claim names a process by its pid and start
time). Across machines set `REDIS_URL`. The store is the truth about work; a message only
carries the id of a row.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from queue import Empty
from time import monotonic, time_ns
from typing import Any

from kombu.transport import filesystem
from kombu.utils.encoding import bytes_to_str, str_to_bytes
from kombu.utils.json import dumps, loads

# A message is left to others for so long for each that a process works on already: of several that could take it, the
# one that has least to do does (seconds).
LEFT_SECONDS = 0.05

# How often claims of dead processes are looked for (seconds). A look is one listdir.
PUT_BACK_EVERY = 5.0


def _started(pid: int | str) -> str:
    """Tell when a process started, as Linux counts it; empty when it is gone or cannot be told."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    # The second field is the command in brackets and may hold spaces; the 22nd is the start time.
    return stat.rpartition(")")[2].split()[19]


def _alive(pid: str, started: str) -> bool:
    """Say whether a claim's process still runs; a pid used again by another process does not count."""
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return not started or _started(pid) in ("", started)


class Channel(filesystem.Channel):
    """One connection's view of the message folder."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._claims: dict[str, Path] = {}
        self._looked = 0.0
        self._inbox = Path(self.data_folder_in)
        self._claimed = Path(f"{self.control_folder}.claimed")
        for folder in (self._inbox, self._claimed, Path(self.control_folder)):
            folder.mkdir(parents=True, exist_ok=True)
        self._put_back()

    # -------------------------------------------------------------- messages

    def _put(self, queue: str, payload: Any, **_: Any) -> None:  # type: ignore[override] # kombu's two names differ
        """Publish a message: whole, or not at all."""
        name = f"{time_ns() // 1_000_000}_{uuid.uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        aside = folder / f".{name}.tmp"
        aside.write_bytes(str_to_bytes(dumps(payload)))
        aside.replace(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """Claim the oldest message of a queue. Raises: Empty."""
        if monotonic() - self._looked > PUT_BACK_EVERY:
            self._put_back()
        wanted = f"{queue}.msg"
        waiting = (n for n in os.listdir(self._inbox) if n[0] != "." and n.partition(".")[2] == wanted)
        newest = time_ns() // 1_000_000 - int(len(self._claims) * LEFT_SECONDS * 1_000)
        for name in sorted(waiting):
            if self._claims and int(name.partition("_")[0]) > newest:
                break
            claim = self._claimed / f"{os.getpid()}-{_started('self')}@{name}"
            try:
                (self._inbox / name).rename(claim)
            except FileNotFoundError:
                continue
            payload = loads(bytes_to_str(claim.read_bytes()))
            tag = payload.get("properties", {}).get("delivery_tag")
            # Control messages and events are never acknowledged, so nothing would delete them.
            if tag and "pidbox" not in queue and "celeryev" not in queue:
                self._claims[tag] = claim
            else:
                claim.unlink()
            return payload
        raise Empty()

    def _put_back(self) -> None:
        """Return to the inbox what dead processes had claimed."""
        self._looked = monotonic()
        for claim in list(self._claimed.iterdir()):
            holder, _, name = claim.name.partition("@")
            pid, _, started = holder.partition("-")
            if pid.isdigit() and not _alive(pid, started):
                with contextlib.suppress(FileNotFoundError):
                    claim.rename(self._inbox / name)

    # -------------------------------------------------------------- acknowledging

    def _drop(self, tag: str) -> None:
        claim = self._claims.pop(tag, None)
        if claim:
            claim.unlink(missing_ok=True)

    def basic_ack(self, delivery_tag: str, multiple: bool = False) -> None:
        """Delete a message that was dealt with."""
        super().basic_ack(delivery_tag, multiple)
        self._drop(delivery_tag)

    def basic_reject(self, delivery_tag: str, requeue: bool = False) -> None:
        """Delete a message that was refused, after publishing it anew when `requeue` is set."""
        super().basic_reject(delivery_tag, requeue=requeue)
        self._drop(delivery_tag)

    def _restore(self, message: Any) -> None:
        """Publish anew what is given back at shutdown; its old claim must go, or it would run twice."""
        super()._restore(message)
        self._drop(message.delivery_tag)

    # -------------------------------------------------------------- exchanges

    def _table(self, exchange: str) -> Path:
        return Path(self._exchange_file(exchange))  # type: ignore[attr-defined] # kombu's, which its stubs lack

    @contextlib.contextmanager
    def _locked(self, exchange: str) -> Iterator[None]:
        with open(f"{self._table(exchange)}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _save(self, exchange: str, rows: list[Any]) -> None:
        file = self._table(exchange)
        aside = file.with_name(f"{file.name}.{uuid.uuid4()}.tmp")
        aside.write_text(dumps(rows))
        aside.replace(file)

    def _queue_bind(self, exchange: str, routing_key: str | None, pattern: str | None, queue: str) -> None:
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._locked(exchange):
            rows = self.get_table(exchange)
            if row not in rows:
                self._save(exchange, [row, *rows])

    def _delete(
        self, queue: str, exchange: str, routing_key: str, pattern: str, *args: Any, **kwargs: Any
    ) -> None:
        self._purge(queue)
        row = filesystem.exchange_queue_t(routing_key or "", pattern or "", queue or "")
        with self._locked(exchange):
            rows = self.get_table(exchange)
            if row in rows:
                self._save(exchange, [other for other in rows if other != row])


class Transport(filesystem.Transport):
    """The transport that `CELERY_BROKER_TRANSPORT` names."""

    Channel = Channel
    # Seconds between looks for a message: round trip 52 ms (p50) at 0.3 % of a core when idle.
    polling_interval = 0.05
