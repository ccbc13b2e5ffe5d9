"""The Celery application. Tasks are doors: each fetches a row and calls a service."""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from datetime import timedelta
from typing import Any

from celery import Celery, signals
from celery.beat import PersistentScheduler, ScheduleEntry
from celery.schedules import schedstate

from mirror.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mirror.settings")

app = Celery("mirror")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

log = logging.getLogger(__name__)

# How long a worker that ends because a process of its pool was killed lets the others finish (seconds).
LAST_SECONDS = 10


class Scheduler(PersistentScheduler):
    """Celery's own, for a clock that is set back too: what was sent in the future is due now.

    Without this nothing would be sent until the clock comes to where it was before.
    """

    def is_due(self, entry: ScheduleEntry) -> schedstate:
        """Say whether to send an entry now, and when to look again."""
        if entry.last_run_at and entry.last_run_at > self.app.now():
            every: timedelta = getattr(entry.schedule, "run_every", timedelta(minutes=1))
            return schedstate(is_due=True, next=every.total_seconds())
        return schedstate(*entry.is_due())


@signals.worker_process_init.connect
def _follow_the_worker(**_: object) -> None:
    """End a pool process at once when its worker dies, so that two never work on one row for long."""
    die_with_parent()


@signals.worker_ready.connect
def _show_signs_of_life(sender: Any = None, **_: object) -> None:
    from mirror.health.services import heartbeats_start

    queues = list(sender.app.amqp.queues.consume_from) if sender is not None else ["celery"]
    heartbeats_start(str(getattr(sender, "hostname", "worker")), queues)


@signals.beat_init.connect
def _show_that_the_scheduler_lives(**_: object) -> None:
    from mirror.health.services import heartbeats_start

    heartbeats_start(f"scheduler@{socket.gethostname()}", [], "scheduler")


@signals.worker_ready.connect
def _look_after_the_pool(sender: Any = None, **_: object) -> None:
    """End the worker, to be started again, when a process of its pool was killed.

    The processes take turns at one queue by a lock. One that is killed while it holds the lock leaves the
    others waiting for ever, and the worker alive without doing anything (measured 2026-11).
    """
    pool = getattr(getattr(sender, "pool", None), "_pool", None)
    # A pool with a queue for each process (Redis) has a hook of its own there, and no such lock.
    if pool is not None and getattr(pool, "on_process_down", "other") is None:
        pool.on_process_down = _end_if_killed


def _end_if_killed(process: Any) -> None:
    if (process.exitcode or 0) >= 0:
        return
    log.error("A process of the pool was killed (signal %d): the worker ends", -process.exitcode)
    last = threading.Timer(LAST_SECONDS, os.kill, (os.getpid(), signal.SIGKILL))
    last.daemon = True
    last.start()
    os.kill(os.getpid(), signal.SIGTERM)


@signals.worker_shutting_down.connect
def _say_goodbye(**_: object) -> None:
    from mirror.health.services import heartbeats_stop

    heartbeats_stop()
