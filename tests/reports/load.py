"""A thousand reports due in the same minute: `python -m tests.reports.load [--reports N] [--different]`.

Small SQL on the shop, as CSV and chart by mail to a real mail server; the workers and the scheduler as
`script/server` starts them, in a folder that goes away. Prints what was delivered, how late, and what it cost.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

from tests.mail_server import MailServer

ROOT = Path(__file__).resolve().parents[2]
CELERY = [sys.executable, "-m", "celery", "-A", "mirror"]
QUIET = ["--without-mingle", "--without-gossip", "--without-heartbeat", "--loglevel", "INFO"]
# issue 6: none late by over five minutes
LATE_SECONDS = 300

SQL = {
    "Customers by country": "SELECT country, count(*) AS customers FROM customers GROUP BY country ORDER BY 2 DESC",
    "Orders by month": "SELECT strftime('%Y-%m', ordered_at) AS month, count(*) AS orders FROM orders GROUP BY 1 ORDER BY 1",
    "Orders by status": "SELECT status, count(*) AS orders FROM orders GROUP BY status ORDER BY 2 DESC",
    "All customers": "SELECT * FROM customers ORDER BY 1 LIMIT 200",
}


def main() -> None:
    """Prepare, let it run, print figures. Exit code 1 when something was lost, doubled or late."""
    parser = argparse.ArgumentParser(prog="python -m tests.reports.load", description=__doc__)
    parser.add_argument("--reports", type=int, default=1_000, help="how many are due (default: 1000)")
    parser.add_argument(
        "--images", default="auto", help="CHART_IMAGES: auto, browser or simple (default: auto)"
    )
    parser.add_argument(
        "--different", action="store_true", help="every report has rows of its own, so no picture serves two"
    )
    parser.add_argument("--keep", action="store_true", help="keep the folder with its logs")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="mirror-load-"))
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "mirror.settings",
        "MIRROR_ENV_FILE": os.devnull,
        "MIRROR_VAR_DIR": str(folder / "var"),
        "SECRET_KEY": "a key for a load",
        "MIRROR_ENCRYPTION_KEYS": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
        "CHART_IMAGES": options.images,
        "LOG_LEVEL": "INFO",
        # A load is of one person's reports, and what a person may send is no part of what it measures.
        "MAIL_DOMAINS": "example.com",
        "MAILS_PER_HOUR": str(10 * options.reports),
    }
    with MailServer(folder / "mail") as mail:
        os.environ |= {"EMAIL_HOST": mail.host, "EMAIL_PORT": str(mail.port)}
        due_at = prepare(folder, options.reports, is_different=options.different)
        is_good = run(folder, mail, options.reports, due_at)
    if options.keep:
        print(f"Its folder is {folder}.")
    else:
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
    sys.exit(0 if is_good else 1)


def prepare(folder: Path, count: int, *, is_different: bool = False) -> float:
    """Make the store, the shop, saved SQL and reports; return when they are due."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import transaction
    from django.utils import timezone

    from mirror.people.services import first_admin
    from mirror.reports.models import Report
    from mirror.sources.models import Source
    from tests.reports.working import save_report, save_sql

    call_command("migrate", verbosity=0, interactive=False)
    owner = first_admin()
    call_command("demo", owner=owner.username, stdout=sys.stderr)
    shop = Source.objects.get()
    saved = [save_sql(owner, shop, sql, name) for name, sql in SQL.items()]
    with transaction.atomic():
        for number in range(count):
            title, one = f"Report {number}", saved[number % len(saved)]
            if is_different:
                sql = f"SELECT *, {number} AS report FROM ({one.sql})"  # noqa: S608 - our own words
                one = save_sql(owner, shop, sql, f"{one.name} {number}")
            save_report(owner, one, title=title, to=[f"r{number}@example.com"])
    due = timezone.now() + timedelta(seconds=10)
    Report.objects.update(next_at=due)
    return due.timestamp()


def run(folder: Path, mail: MailServer, count: int, due_at: float) -> bool:
    """Start what `script/server` starts but the web, wait until all is delivered, and print figures."""
    from mirror.reports.models import Delivery, ReportRun
    from mirror.work.leases import Status

    running = start(folder)
    try:
        while time.time() - due_at < 4 * LATE_SECONDS:
            time.sleep(1)
            made = ReportRun.objects.filter(status=Status.DONE).count()
            sent = Delivery.objects.filter(status=Status.DONE).count()
            print(f"\r{time.time() - due_at:6.0f} s: {made} made, {sent} sent", end="", flush=True)
            if made >= count and sent >= count:
                break
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait()
    print()
    return figures(mail, count)


def start(folder: Path) -> list[subprocess.Popen[bytes]]:
    """Start the workers and the scheduler, each with its log."""
    prefork, threads = (
        ["--pool", "prefork", "--concurrency", "2"],
        ["--pool", "threads", "--concurrency", "4"],
    )
    workers = {f"mirror-{n}": ("celery,ticks", threads) for n in (1, 2)}
    workers |= {"reports": ("reports,ticks", prefork), "deliveries": ("deliveries", threads)}
    commands = {
        name: [*CELERY, "worker", *how, *QUIET, "--hostname", f"{name}@load", "--queues", queues]
        for name, (queues, how) in workers.items()
    }
    commands |= {name: ["nice", "-n", "5", *commands[name]] for name in ("reports", "deliveries")}
    commands["beat"] = [*CELERY, "beat", "--pidfile=", "--loglevel", "INFO"]
    running = []
    for name, command in commands.items():
        with (folder / f"{name}.log").open("ab") as log:
            running.append(subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log))
    return running


def figures(mail: MailServer, count: int) -> bool:
    """Print what came of it; say whether all was delivered once and in time."""
    from django.db.models import F

    from mirror.reports.models import Delivery, ReportRun

    sent = Delivery.objects.filter(state="sent").annotate(due=F("run__scheduled_for"))
    late = sorted((row.sent_at - row.due).total_seconds() for row in sent)
    runs = ReportRun.objects.exclude(started_at=None)
    begun = sorted((one.started_at - one.scheduled_for).total_seconds() for one in runs)
    mails = Counter(to for one in mail.mails() for to in one.to)
    lost, doubled = count - len(mails), sum(times - 1 for times in mails.values())
    outcomes = Counter(ReportRun.objects.values_list("outcome", flat=True))
    print(
        f"reports {count}, runs {dict(outcomes)}, mails {sum(mails.values())}, lost {lost}, twice {doubled}"
    )
    if late:
        places = {"p50": len(late) // 2, "p95": int(len(late) * 0.95), "last": -1}
        print("late (s): " + ", ".join(f"{name} {late[place]:.0f}" for name, place in places.items()))
        rate = len(late) / (late[-1] - begun[0])
        print(f"begun (s): first {begun[0]:.1f}, last {begun[-1]:.0f}; {rate:.1f} reports a second")
    print(f"processor time of workers and scheduler: {children_seconds():.0f} s; cores: {os.cpu_count()}")
    return lost == doubled == 0 and outcomes["made"] == count and late[-1] < LATE_SECONDS


def children_seconds() -> float:
    """The processor time of the processes that have ended."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
