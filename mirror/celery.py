"""The Celery application. Tasks are doors: each fetches a row and calls a service."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery, signals

from mirror.processes import die_with_parent

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mirror.settings")

app = Celery("mirror")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.worker_process_init.connect
def _follow_the_worker(**_: object) -> None:
    """End a pool process at once when its worker dies, so that two never work on one row for long."""
    die_with_parent()


@signals.worker_ready.connect
def _show_signs_of_life(sender: Any = None, **_: object) -> None:
    from mirror.health.services import heartbeats_start

    queues = list(sender.app.amqp.queues.consume_from) if sender is not None else ["celery"]
    heartbeats_start(str(getattr(sender, "hostname", "worker")), queues)


@signals.worker_shutting_down.connect
def _say_goodbye(**_: object) -> None:
    from mirror.health.services import heartbeats_stop

    heartbeats_stop()
