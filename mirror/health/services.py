"""Is it up? Workers leave a sign of life every few seconds; the web reads it.

Never `inspect ping`: on the file broker every ping leaves a file in the queue of each worker
that was killed, for ever.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from datetime import timedelta

from django.db import DatabaseError, connection
from django.utils import timezone

from mirror.health.models import Heartbeat

# A worker is taken for dead after missing three beats.
BEAT_SECONDS = 5
DEAD_SECONDS = 3 * BEAT_SECONDS
# What has to be up besides web and store, by the queue that it takes work from.
QUEUES = {"worker": "celery", "intake": "intake", "reports": "reports", "deliveries": "deliveries"}

_stopped = threading.Event()
log = logging.getLogger(__name__)


def beat(worker: str, queues: Sequence[str] = ("celery",)) -> None:
    """Leave one sign of life and forget workers that have been silent for a day."""
    now = timezone.now()
    Heartbeat.objects.update_or_create(worker=worker, defaults={"at": now, "queues": list(queues)})
    Heartbeat.objects.filter(at__lt=now - timedelta(days=1)).delete()


def heartbeats_start(worker: str, queues: Sequence[str]) -> None:
    """Leave a sign of life every `BEAT_SECONDS` from a thread of its own, until `heartbeats_stop`."""
    _stopped.clear()

    def keep_beating() -> None:
        while True:
            try:
                beat(worker, queues)
            except DatabaseError as error:
                log.warning("No sign of life could be kept: %s", error)
            finally:
                connection.close()
            if _stopped.wait(BEAT_SECONDS):
                forget(worker)
                return

    threading.Thread(target=keep_beating, name="heartbeat", daemon=True).start()


def heartbeats_stop() -> None:
    """Let the heartbeat thread take back its last sign of life and end."""
    _stopped.set()


def forget(worker: str) -> None:
    """Take back a worker's sign of life: it has stopped, or is about to start anew."""
    try:
        Heartbeat.objects.filter(worker=worker).delete()
    except DatabaseError as error:
        log.warning("A sign of life could not be taken back: %s", error)
    finally:
        connection.close()


def whats_down() -> dict[str, str]:
    """Name what is not up and why: `store`, `worker`, `intake`, `reports`, `deliveries`. Empty when all is well."""
    try:
        signs = list(Heartbeat.objects.order_by("at"))
    except DatabaseError as error:
        log.error("The store does not answer: %s", error)
        return {"store": "The store does not answer; the log says why."}
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
