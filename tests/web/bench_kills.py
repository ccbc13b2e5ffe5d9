"""Processes killed under load: `python -m tests.web.bench_kills [--minutes 20] [--every 4]`.

Two machines on one PostgreSQL store and one Redis broker: two web servers, three workers, two schedulers, and two workers each for
intake, reports and deliveries. Programs ask through whichever web server answers, reports are made by hand and on schedule and go to a folder, while one
process is killed again and again at a random moment, now and then a whole machine. Prints what became of all, with exit code 1
where something was lost, failed or came out twice.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import secrets
import shutil
import signal
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

from tests.processes import below, parent
from tests.server_processes import free_port
from tests.servers import PASSWORD, RedisServer
from tests.web.outages import SQL, Store

QUESTION = "How many customers are there in each country?"
# Between two questions, two reports by hand and two times of a schedule; of kills, how many are of a whole machine.
ASKED_EVERY, BY_HAND_EVERY, DUE_EVERY, WHOLE = 1.0, 9.0, 6.0, 0.1
# How long is waited until all has ended (seconds). A message that a killed worker had taken counts as lost after 120.
LAST = 600
# How many people ask; how often a call that was not answered is sent again (seconds).
PEOPLE, AGAIN = 8, 0.5


@dataclass
class Machine:
    """A whole Mirror, started again when it is gone, as systemd does."""

    folder: Path
    settings: dict[str, str]
    port: int = 0
    running: Any = None

    def start(self) -> None:
        """Start it and wait until it is up."""
        from tests.web.test_server import Running

        self.port = self.port or free_port()
        self.running = Running(self.folder, self.port, **self.settings).up()

    def kill(self) -> None:
        """Kill one of its processes, now and then all of them; it is up again afterwards, or soon."""
        if random.random() < WHOLE:
            print("a machine is killed", flush=True)
            self.running.process.kill()
            self.running.process.wait()
            self.start()
            return
        # A statement's own process is none of these: its end is told as that of a statement.
        parts = [pid for pid in below(self.running.process.pid) if parent(pid) == self.running.process.pid]
        if parts:
            os.kill(random.choice(parts), signal.SIGKILL)


@dataclass
class Asked:
    """The promises to programs and people: keys of questions that a web server took, reports by hand, and times of schedules."""

    secrets: list[str]
    keys: list[str] = field(default_factory=list)
    by_hand: int = 0
    times: int = 0
    resent: int = 0

    def ask(self, machines: list[Machine], stop: threading.Event) -> None:
        """Ask with one key until some web server takes it: a program that got no answer cannot know whether it was heard."""
        key, secret = str(uuid4()), random.choice(self.secrets)
        body = json.dumps({"source": "shop", "question": QUESTION}).encode()
        headers = {
            "Authorization": f"Bearer {secret}",
            "Idempotency-Key": key,
            "Content-Type": "application/json",
        }
        tries = 0
        while True:
            place = f"http://127.0.0.1:{random.choice(machines).port}/api/v1/runs"
            try:
                with urllib.request.urlopen(
                    urllib.request.Request(place, body, headers), timeout=20
                ) as answer:
                    answer.read()
                    self.keys.append(key)
                    self.resent += tries > 0
                    return
            except urllib.error.HTTPError as error:
                if error.code not in (409, 429, 500, 502, 503):
                    raise
            except OSError:  # it was killed, or is not up yet
                pass
            tries += 1
            if stop.is_set() and tries > 60:
                raise TimeoutError("no web server took a question")
            time.sleep(AGAIN)


def people() -> tuple[list[str], list[Any]]:
    """Make people with tokens, and a report for each; give the secrets and the reports."""
    from mirror.api.services import token_make
    from mirror.people.models import Team
    from mirror.people.services import user_create
    from mirror.sources.models import Source
    from tests.reports.working import save_report, save_sql
    from tests.web.api_world import ALL

    shop, team = Source.objects.get(name="shop"), Team.objects.create(name="all")
    shop.teams.add(team)
    users = [user_create(f"person{number}") for number in range(PEOPLE)]
    team.members.add(*users)
    to_folder = [("folder", {"path": "sales", "anywhere": False}, None)]
    reports = [
        save_report(user, save_sql(user, shop, SQL), title=f"Report {user.username}", channels=to_folder)
        for user in users
    ]
    return [token_make(user, "program", ALL, days=1)[1] for user in users], reports


def questions(asked: Asked, machines: list[Machine], stop: threading.Event) -> None:
    """Ask until told to stop."""
    while not stop.wait(ASKED_EVERY):
        asked.ask(machines, stop)


def reporting(asked: Asked, reports: list[Any], stop: threading.Event) -> None:
    """Have half of the reports made by hand, and let the times of the others come, until told to stop."""
    from django.db import connection
    from django.utils import timezone

    from mirror.reports import services
    from mirror.reports.models import Report

    by_hand, scheduled = reports[: PEOPLE // 2], reports[PEOPLE // 2 :]
    waiting: dict[int, Any] = {}
    next_hand = next_due = 0.0
    while not stop.wait(0.3):
        now = time.monotonic()
        if now > next_hand:
            next_hand, report = now + BY_HAND_EVERY, random.choice(by_hand)
            try:
                services.report_run_now(report, report.owner)
                asked.by_hand += 1
            except services.ReportError:
                pass  # the last one by hand is still on its way
        for pk, at in list(waiting.items()):
            if Report.objects.get(pk=pk).next_at != at:  # a scheduler has seen it
                del waiting[pk]
        report = random.choice(scheduled)
        if now > next_due and report.pk not in waiting:
            next_due, at = now + DUE_EVERY, timezone.now() - timedelta(seconds=1)
            Report.objects.filter(pk=report.pk).update(next_at=at)
            waiting[report.pk] = at
            asked.times += 1
    connection.close()


def ended() -> dict[str, Counter[Any]]:
    """Count how everything ended."""
    from mirror.asking.models import Run
    from mirror.reports.models import Delivery, ReportRun

    runs = Run.objects.exclude(asked="")
    return {
        "questions": Counter(runs.values_list("status", "outcome")),
        "reports": Counter(ReportRun.objects.values_list("status", "outcome")),
        "deliveries": Counter(Delivery.objects.values_list("status", "state")),
        "workers lost a question": Counter(runs.values_list("attempts", flat=True)),
        "workers lost a report": Counter(ReportRun.objects.values_list("attempts", flat=True)),
        "workers lost a delivery": Counter(Delivery.objects.values_list("attempts", flat=True)),
    }


FINE = {("done", "answered"), ("done", "made"), ("done", "sent")}


def measure(machines: list[Machine], minutes: float, every: float) -> bool:
    """Load, kill, wait, and say what became of it; True where nothing was lost and nothing doubled."""
    from mirror.asking.models import Run
    from mirror.reports.models import Delivery, ReportRun
    from mirror.reports.sending.delivering import CUT_OFF

    made, reports = people()
    asked, stop = Asked(made), threading.Event()
    loads = [
        *(threading.Thread(target=questions, args=(asked, machines, stop)) for _ in range(2)),
        threading.Thread(target=reporting, args=(asked, reports, stop)),
    ]
    for load in loads:
        load.start()
    until, kills = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < until:
        time.sleep(every * (0.5 + random.random()))
        random.choice(machines).kill()
        kills += 1
    stop.set()
    for load in loads:
        load.join()
    stopped = time.monotonic()
    until = stopped + LAST
    while True:
        found = ended()
        work = [found[name] for name in ("questions", "reports", "deliveries")]
        is_over = all(key[0] == "done" for counter in work for key in counter)
        if is_over and ReportRun.objects.count() >= asked.by_hand + asked.times or time.monotonic() > until:
            break
        time.sleep(1)
    print(
        f"{kills} kills in {minutes:g} minutes; {asked.resent} questions were sent again; "
        f"all had ended {time.monotonic() - stopped:.0f} s later"
    )
    for name, counter in found.items():
        print(f"{name:<24} {dict(counter)}")
    for run in Run.objects.exclude(asked="").exclude(outcome="answered"):
        print(f"question {run.pk} {run.outcome} after {run.attempts} attempts: {run.reason}")
    answers = Delivery.objects.filter(state="sent").values_list("answers", flat=True)
    arrived = [sum(one["answer"] != CUT_OFF for one in each) for each in answers]
    pairs = {
        "questions": (len(asked.keys), Run.objects.exclude(asked="").count()),
        "reports": (asked.by_hand + asked.times, ReportRun.objects.count()),
        "deliveries": (ReportRun.objects.filter(outcome="made").count(), Delivery.objects.count()),
        "arrivals": (len(arrived), sum(arrived)),
    }
    for name, (wanted, got) in pairs.items():
        print(
            f"{name:<24} {wanted} wanted, {got} there: {max(wanted - got, 0)} lost, {max(got - wanted, 0)} doubled"
        )
    return all(set(counter) <= FINE for counter in work) and all(one == two for one, two in pairs.values())


def main() -> None:
    """Start everything, measure, and end it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--every", type=float, default=4, help="seconds between two kills, about")
    wanted = parser.parse_args()
    from cryptography.fernet import Fernet

    store, broker = Store(), RedisServer()
    for server in (store, broker):
        server.start()
    with store.connect() as db:
        db.execute("CREATE DATABASE store")
    with tempfile.TemporaryDirectory(prefix="mirror-kills-") as place:
        first, second, shared = (Path(place) / name for name in ("first", "second", "shared"))
        for folder in (first, second, shared / "folders" / "sales", shared / "media"):
            folder.mkdir(parents=True)
        password = PASSWORD.replace(" ", "%20")
        settings = {
            "DATABASE_URL": f"postgres://{store.user}:{password}@{store.host}:{store.port}/store",
            "REDIS_URL": broker.url,
            "SECRET_KEY": secrets.token_urlsafe(50),
            "MIRROR_ENCRYPTION_KEYS": Fernet.generate_key().decode(),
            "MEDIA_ROOT": str(shared / "media"),
            "REPORT_FOLDERS_DIR": str(shared / "folders"),
            "API_CALLS_PER_MINUTE": "10000",
            "WORKER_THREADS": "4",
            "REPORT_WORKERS": "1",
        }
        machines = [
            Machine(first, {**settings, "WORKERS": "2"}),
            Machine(second, {**settings, "WORKERS": "1"}),
        ]
        try:
            machines[0].start()
            # The sample shop is a file of each machine.
            shutil.copyfile(first / "shop.sqlite3", second / "shop.sqlite3")
            machines[1].start()
            os.environ |= {
                **settings,
                "MIRROR_VAR_DIR": str(first),
                "DJANGO_SETTINGS_MODULE": "mirror.settings",
            }
            import django

            django.setup()
            is_fine = measure(machines, wanted.minutes, wanted.every)
        finally:
            for machine in machines:
                if machine.running is not None:
                    machine.running.stop()
            for server in (store, broker):
                server.remove()
    sys.exit(not is_fine)


if __name__ == "__main__":
    main()
