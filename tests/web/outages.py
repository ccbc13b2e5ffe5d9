"""Outages under load: `python -m tests.web.outages [--times 4] [--seconds 30]`.

A whole server on a PostgreSQL store and a Redis broker of its own, asked and told to run SQL and make reports all the
time, while one of the two is killed again and again at a random moment, for some seconds. Prints what became of all,
with exit code 1 where something was lost, failed or went out twice.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from tests.server_processes import Server
from tests.servers import PASSWORD, PostgresServer, RedisServer

SQL = "SELECT country, count(*) AS customers FROM customers GROUP BY country"
# Between two things that are asked for, between two outages, and until all has ended at last (seconds).
ASKED_EVERY, BETWEEN, LAST = 0.7, 20, 240


class Store(PostgresServer):
    """A store with a connection for each of them all."""

    def command(self) -> list[str]:
        return [part.replace("max_connections=40", "max_connections=200") for part in super().command()]


def load(stop: threading.Event) -> None:
    """Ask, run and make reports until told to stop; work that the store refuses is tried again."""
    from django.db import connection

    from mirror.asking import services as asking
    from mirror.asking.models import Run, Thread
    from mirror.people.models import Team
    from mirror.people.services import user_create
    from mirror.reports import services as reports
    from mirror.sources.models import Source
    from mirror.work.store import store_keep
    from tests.reports.working import save_report, save_sql

    shop = Source.objects.get(name="shop")
    team = Team.objects.create(name="all")
    shop.teams.add(team)
    users = [user_create(f"person{number}") for number in range(8)]
    team.members.add(*users)
    to_folder = [("folder", {"path": "sales", "anywhere": False}, None)]
    made = [
        save_report(user, save_sql(user, shop, SQL), title=f"Report {user.username}", channels=to_folder)
        for user in users
    ]
    thread = Thread.objects.create(owner=users[0], source=shop, title="versions")

    def statement() -> None:
        asking.version_edit(Run.objects.create(thread=thread, status="done"), SQL)

    number = 0
    while not stop.wait(ASKED_EVERY):
        number += 1
        user = users[number % len(users)]

        report = partial(reports.report_run_now, made[number // 5 % len(made)], user)
        question = partial(asking.run_ask, user, shop, "How many customers are there in each country?")
        try:
            store_keep({0: report, 1: statement}.get(number % 5, question))
        except reports.ReportError:
            continue  # the last one by hand is still on its way
    connection.close()


def outages(servers: list[Server], times: int, seconds: float) -> None:
    """Kill one of the servers so many times, and start it again after a while."""
    for number in range(times):
        time.sleep(BETWEEN * (0.5 + random.random()))
        server = servers[number % len(servers)]
        print(f"{type(server).__name__} is away for {seconds:g} s", flush=True)
        server.stop(signal.SIGKILL)
        time.sleep(seconds)
        while True:
            try:
                server.start()
                break
            except RuntimeError:  # its last processes are still going
                time.sleep(0.3)
    time.sleep(BETWEEN / 2)


def ended() -> dict[str, Counter[Any]]:
    """Counts of the ends of all work."""
    from mirror.asking.models import Run, Version
    from mirror.reports.models import Delivery, ReportRun

    runs = Run.objects.exclude(asked="")
    return {
        "questions": Counter(runs.values_list("status", "outcome")),
        "statements": Counter(
            (status, "failed" if failure else "")
            for status, failure in Version.objects.exclude(origin="answer").values_list("status", "failure")
        ),
        "reports": Counter(ReportRun.objects.values_list("status", "outcome")),
        "deliveries": Counter(Delivery.objects.values_list("status", "state")),
        "workers lost a question": Counter(runs.values_list("attempts", "spared")),
        "workers lost a report": Counter(ReportRun.objects.values_list("attempts", "spared", "tries")),
        "tries of a delivery": Counter(
            len(answers) for answers in Delivery.objects.values_list("answers", flat=True)
        ),
    }


FINE = {("done", "answered"), ("done", "ambiguous"), ("done", ""), ("done", "made"), ("done", "sent")}


def measure(servers: list[Server], times: int, seconds: float) -> bool:
    """Load, kill, wait, and say what became of it; True where nothing was lost."""
    stop = threading.Event()
    loading = threading.Thread(target=load, args=(stop,))
    loading.start()
    outages(servers, times, seconds)
    stop.set()
    loading.join()
    until = time.monotonic() + LAST
    while True:
        found = ended()
        work = [found[name] for name in ("questions", "statements", "reports", "deliveries")]
        if all(key[0] == "done" for counter in work for key in counter) or time.monotonic() > until:
            break
        time.sleep(1)
    for name, counter in found.items():
        print(f"{name:<24} {dict(counter)}")
    return all(set(counter) <= FINE for counter in work) and set(found["tries of a delivery"]) == {1}


def main() -> None:
    """Start everything, measure, and end it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=30)
    wanted = parser.parse_args()
    from tests.web.test_server import Running, free_port

    store, broker = Store(), RedisServer()
    for server in (store, broker):
        server.start()
    with store.connect() as db:
        db.execute("CREATE DATABASE store")
    with tempfile.TemporaryDirectory(prefix="mirror-outages-") as folder:
        password = PASSWORD.replace(" ", "%20")
        settings = {
            "DATABASE_URL": f"postgres://{store.user}:{password}@{store.host}:{store.port}/store",
            "REDIS_URL": broker.url,
            "WORKER_THREADS": "4",
        }
        running = Running(Path(folder), free_port(), **settings)
        try:
            running.up()
            os.environ |= {**settings, "MIRROR_VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "mirror.settings"}
            import django

            django.setup()
            is_fine = measure([store, broker], wanted.times, wanted.seconds)
        finally:
            running.stop()
            for server in (store, broker):
                server.remove()
    sys.exit(not is_fine)


if __name__ == "__main__":
    main()
