"""The parts of Mirror: web server, workers and scheduler, each a function that a fork of `serve.py` runs.

It decides the number of workers, the queues of each, and the options of each part.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from setproctitle import setproctitle

from mirror.forked import memory_trim

# Modules that parts need and that no import of theirs loads before the fork.
LOADED = (
    "mirror.urls",
    "celery.bin.celery",
    "celery.app.amqp",
    "celery.app.control",
    "celery.app.events",
    "celery.app.log",
    "celery.app.routes",
    "celery.apps.worker",
    "celery.apps.beat",
    "celery.concurrency.prefork",
    "celery.concurrency.thread",
    "celery.events.dispatcher",
    "celery.events.receiver",
    "celery.worker.autoscale",
    "celery.worker.components",
    "celery.worker.consumer",
    "celery.worker.strategy",
    "django.db.models.sql.compiler",
    "mirror.broker",
    "uvicorn.main",
)
# Modules that read the static files on import, so that these have to be made before.
LOADED_LAST = ("mirror.asgi",)
# Parts that can run by themselves, each on as many machines as it takes. `worker` answers, and takes in files.
ROLES = ("web", "worker", "reports", "deliveries", "scheduler")
# Reports give way to people who wait, by this much (nice).
REPORTS_NICE = 5


@dataclass(frozen=True)
class Worker:
    """One worker: its name, what it takes work from, how much at once, and how it is called in words and in its log.

    Threads wait for others at no cost; processes compute side by side.
    """

    name: str
    queues: str
    pool: str
    at_once: int
    words: str
    log: str
    gives_way: bool = False


def workers() -> list[Worker]:
    """List the workers. Of those that answer there are as many as the settings say."""
    from django.conf import settings

    threads = settings.WORKER_THREADS
    numbers = ["", *(f"-{number}" for number in range(2, settings.WORKERS + 1))]
    return [
        *(
            Worker(f"mirror{n}", "celery,ticks", "threads", threads, f"worker{n}", f"worker{n}")
            for n in numbers
        ),
        # Uploads and foreign databases are each read in a process of their own (`mirror.confined`).
        Worker("intake", "intake", "threads", 4, "worker for intake", "intake"),
        Worker(
            *("reports", "reports,ticks", "prefork", settings.REPORT_WORKERS),
            *("worker for reports", "reports"),
            gives_way=True,
        ),
        # Deliveries wait for others more than they work.
        Worker(
            *("deliveries", "deliveries", "threads", 4, "worker for deliveries", "deliveries"),
            gives_way=True,
        ),
    ]


def role_of(log: str) -> str:
    """Tell which role a part is of, by the name of its log."""
    name = log.partition("-")[0]
    return "worker" if name == "intake" else name


def worker_name(name: str) -> str:
    """Name one of this machine's workers."""
    return f"{name}@{socket.gethostname()}"


def web_run(host: str, port: int) -> None:
    """Run the web server."""
    import uvicorn
    from django.conf import settings

    from mirror.health.services import heartbeats_start

    memory_trim()
    # The server ends by the signal it was sent, once more: then its last sign of life is taken back.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    heartbeats_start(worker_name("web"), [], "web")
    trusted = ",".join(settings.TRUSTED_PROXIES)
    uvicorn.run(
        "mirror.asgi:application",
        host=host,
        port=port,
        lifespan="off",
        access_log=False,
        log_level="warning",
        log_config=None,  # its lines are those of the settings
        timeout_graceful_shutdown=2,
        proxy_headers=bool(trusted),
        forwarded_allow_ips=trusted or None,
    )


def tasks_load() -> None:
    """Load the tasks of all subjects, once: a part that looked for them again would write to 9 MB of what parts share (2026-11)."""
    from celery import signals

    from mirror.celery import app

    app.loader.import_default_modules()
    signals.import_modules.receivers.clear()
    app.finalize()


def models_warm() -> None:
    """Work out of every model what its first query would, so that parts share it: 2 MB of each (2026-11)."""
    from django.apps import apps

    for model in apps.get_models():
        model._meta.get_fields()
        str(model._default_manager.all().query)


def celery_run(*words: str, title: str, gives_way: bool = False) -> None:
    """Run a worker or the scheduler, as Celery's own command does, but under a title of ours in the system's list of processes."""
    from celery import platforms
    from django.conf import settings

    from mirror.celery import app

    if gives_way:
        os.nice(REPORTS_NICE)
    # It would give the process a title of its own, and each of its pool.
    vars(platforms)["_setproctitle"] = None
    setproctitle(title)
    sys.argv = ["celery", *words]
    # The picture with which Celery greets is no line for a program.
    greets = ["--quiet"] if settings.LOG_FORMAT == "json" else []
    app.start([*greets, *words, "--loglevel", "INFO"])


def runs(host: str, port: int) -> Iterator[tuple[str, str, Callable[[], object]]]:
    """List the parts in the order they start: how each is called in words, the name of its log, and what it runs."""
    yield "web server", "web", partial(web_run, host, port)
    quiet = ["--without-mingle", "--without-gossip", "--without-heartbeat"]
    for worker in workers():
        how = ["--pool", worker.pool, "--concurrency", str(worker.at_once)]
        called = ["--hostname", worker_name(worker.name), "--queues", worker.queues]
        title = f"Mirror: {worker.words} ({worker_name(worker.name)})"
        run = partial(celery_run, "worker", *how, *quiet, *called, title=title, gives_way=worker.gives_way)
        yield worker.words, worker.log, run
    yield "scheduler", "scheduler", partial(celery_run, "beat", "--pidfile=", title="Mirror: scheduler")
