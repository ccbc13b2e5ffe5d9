"""Is it up, and is it ready? Store and broker are asked; workers leave a sign of life every few seconds, and the web reads it.

Never `inspect ping`: on the file broker every ping leaves a file in the queue of each worker
that was killed, for ever.
"""

from __future__ import annotations

import atexit
import itertools
import logging
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, wait
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from celery import current_app
from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import Q
from django.utils import timezone

from mirror.health.models import Heartbeat
from mirror.processes import memory_taken

# A worker is taken for dead after missing three beats.
BEAT_SECONDS = 5
DEAD_SECONDS = 3 * BEAT_SECONDS
# A silent process is forgotten after this, and sooner where another one of its part lives: a killed container was replaced.
FORGOTTEN, REPLACED = timedelta(days=1), timedelta(minutes=10)
# How long a part may take to answer, and Redis for each word of its answer.
ANSWER_SECONDS, CONNECT_SECONDS = 1.5, 1.0
# Parts that have to be up besides web, store and broker, by the queue that they take work from.
QUEUES = {"worker": "celery", "intake": "intake", "reports": "reports", "deliveries": "deliveries"}
# All that leave signs of life.
PARTS = ("web", *QUEUES, "scheduler")
# Memory is looked at with every so many beats: it takes a few milliseconds.
WEIGHED = 12

_stopped = threading.Event()
log = logging.getLogger(__name__)


def beat(worker: str, queues: Sequence[str] = ("celery",), **told: Any) -> None:
    """Leave one sign of life, with what else is `told` of its row, and forget processes: silent for `FORGOTTEN`, of the same part for `REPLACED`."""
    now = timezone.now()
    fields = {"part": part_of(queues), "at": now, "queues": list(queues), **told}
    Heartbeat.objects.update_or_create(worker=worker, defaults=fields)
    gone = Q(at__lt=now - FORGOTTEN)
    if part := fields["part"]:
        gone |= Q(part=part, at__lt=now - REPLACED)
    Heartbeat.objects.filter(gone).delete()


def part_of(queues: Sequence[str]) -> str:
    """The part that takes work from these queues."""
    return next((part for part, queue in QUEUES.items() if queue in queues), "")


def heartbeats_start(worker: str, queues: Sequence[str], part: str = "") -> None:
    """Leave a sign of life every `BEAT_SECONDS` from a thread of its own, until `heartbeats_stop` or the end of the process."""
    _stopped.clear()
    told: dict[str, Any] = {"part": part or part_of(queues), "started_at": timezone.now()}

    def keep_beating() -> None:
        for count in itertools.count():
            if count % WEIGHED == 0:
                told["memory"] = memory_taken()
            try:
                beat(worker, queues, **told)
            except (DatabaseError, InterfaceError) as error:
                log.warning("No sign of life could be kept: %s", error)
            finally:
                connection.close()
            if _stopped.wait(BEAT_SECONDS):
                forget(worker)
                return

    beating = threading.Thread(target=keep_beating, name="heartbeat", daemon=True)
    beating.start()

    def last() -> None:
        heartbeats_stop()
        beating.join(BEAT_SECONDS)

    atexit.register(last)


def heartbeats_stop() -> None:
    """Let the heartbeat thread take back its last sign of life and end."""
    _stopped.set()


def forget(worker: str) -> None:
    """Take back a worker's sign of life: it has stopped, or is about to start anew."""
    try:
        Heartbeat.objects.filter(worker=worker).delete()
    except (DatabaseError, InterfaceError) as error:
        log.warning("A sign of life could not be taken back: %s", error)
    finally:
        connection.close()


def whats_down() -> dict[str, str]:
    """Name what is not up and why: `store`, `broker`, `worker`, `intake`, `reports`, `deliveries`. Empty when all is well.

    Answers within `ANSWER_SECONDS`: a part that has said nothing by then is down.
    """
    return _looked_at({"store": _STORE, "broker": _BROKER})


def whats_missing() -> dict[str, str]:
    """Name what this web process lacks to serve, and why: `store`, `migrations`, `broker`. Answers as fast as `whats_down`."""
    return _looked_at({"store": _TABLES, "broker": _BROKER})


def _looked_at(looks: dict[str, _Look]) -> dict[str, str]:
    under_way = {part: look.look() for part, look in looks.items()}
    wait(under_way.values(), timeout=ANSWER_SECONDS)
    down: dict[str, str] = {}
    for part, look in under_way.items():
        if not look.done():
            down[part] = f"The {part} has not answered within {ANSWER_SECONDS:g} seconds."
        elif error := look.exception():
            log.error("The %s does not answer: %s", part, error)
            down[part] = f"The {part} does not answer; the log says why."
        else:
            down |= look.result()
    return down


def _migrations_missing() -> dict[str, str]:
    """Ask the store whether its tables are those of this code. Raises: django.db.Error when it does not answer."""
    try:
        loader = MigrationLoader(connection)
    finally:
        connection.close()
    known, done = set(loader.disk_migrations), set(loader.applied_migrations)
    if lacking := len(known - done):
        words = "1 migration" if lacking == 1 else f"{lacking} migrations"
        return {"migrations": f"The store lacks {words}. Start Mirror once more, or run: manage.py migrate"}
    if newer := sorted(name for app, name in done - known if app in loader.migrated_apps):
        # Everybody reads the answer: the name of a migration would tell of which version the store is.
        log.error("The store is of a newer Mirror: it has %s", newer[-1])
        return {
            "migrations": "The store is of a newer Mirror. Start that version, or restore a backup of this one."
        }
    return {}


def _workers_down() -> dict[str, str]:
    """Ask the store which workers show no sign of life. Raises: django.db.Error when it does not answer."""
    try:
        signs = list(Heartbeat.objects.order_by("at"))
    finally:
        # A connection that broke is not to be asked again, nor one kept for a thread that ends.
        connection.close()
    down = {}
    for part, queue in QUEUES.items():
        name = "worker" if part == "worker" else f"worker for {part}"
        newest = [sign.at for sign in signs if queue in sign.queues][-1:]
        if not newest:
            down[part] = f"No {name} has started."
            continue
        silent = (timezone.now() - newest[0]).total_seconds()
        if silent > DEAD_SECONDS:
            down[part] = f"No {name} has shown a sign of life for {silent:.0f} seconds."
    return down


def _broker_down() -> dict[str, str]:
    """Ask the broker: Redis for an answer, the folder of messages to take one. Raises: what the broker's driver does."""
    if settings.REDIS_URL:
        patience = {"socket_connect_timeout": CONNECT_SECONDS, "socket_timeout": CONNECT_SECONDS}
        with current_app.connection_for_write(transport_options=patience) as broker:
            broker.transport.establish_connection()
        return {}
    # A name that begins with a dot is no message.
    probe = Path(settings.CELERY_BROKER_TRANSPORT_OPTIONS["data_folder_in"]) / f".health-{uuid4()}"
    try:
        probe.write_bytes(b"up")
    finally:
        probe.unlink(missing_ok=True)
    return {}


class _Look:
    """Looks at one part in a thread of its own; callers share a look that hangs.

    So a store that neither answers nor refuses costs one thread, however often the question comes.
    """

    def __init__(self, ask: Callable[[], dict[str, str]]) -> None:
        self._ask, self._lock = ask, threading.Lock()
        self._last: Future[dict[str, str]] | None = None

    def look(self) -> Future[dict[str, str]]:
        """The look under way, or a new one."""
        with self._lock:
            if self._last is None or self._last.done():
                self._last = Future()
                threading.Thread(target=self._run, args=(self._last,), name="health", daemon=True).start()
            return self._last

    def _run(self, look: Future[dict[str, str]]) -> None:
        try:
            look.set_result(self._ask())
        except Exception as error:  # noqa: BLE001 - whatever a part or its driver raises, it is down and the log says why
            look.set_exception(error)


_STORE, _BROKER, _TABLES = _Look(_workers_down), _Look(_broker_down), _Look(_migrations_missing)
