"""Delivery workers that race for one person's quota: `python -m tests.reports.flood [--store URL] [--workers N]`.

Two processes of four threads each, as `script/server` and a second machine would run them, deliver runs of an ordinary user's
report to 200 recipients and 19 webhooks. Prints, as JSON, what a real mail server and a real hook took, and what the store says.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests import stores
from tests.hook_server import hook_server
from tests.mail_server import MailServer

ROOT = Path(__file__).resolve().parents[2]
THREADS = 4


def main() -> None:
    """Prepare, let the workers race, print figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.reports.flood", description=__doc__)
    parser.add_argument(
        "--store", default="", help="DATABASE_URL (default: SQLite in a folder that goes away)"
    )
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--recipients", type=int, default=200)
    parser.add_argument("--mails", type=int, default=200, help="MAILS_PER_HOUR")
    parser.add_argument("--calls", type=int, default=20, help="CALLS_PER_HOUR")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work()
        return
    with tempfile.TemporaryDirectory(prefix="mirror-flood-") as made:
        folder = Path(made)
        with MailServer(folder / "mail") as mail, hook_server() as hook:
            os.environ |= {
                "DJANGO_SETTINGS_MODULE": "mirror.settings",
                "MIRROR_ENV_FILE": os.devnull,
                "MIRROR_VAR_DIR": str(folder / "var"),
                "SECRET_KEY": "a key for a flood",
                "MIRROR_ENCRYPTION_KEYS": "dGVzdHMtb25seS10ZXN0cy1vbmx5LXRlc3RzLW9ubHk=",
                "DATABASE_URL": options.store or f"sqlite:///{folder / 'store.sqlite3'}",
                "EMAIL_HOST": mail.host,
                "EMAIL_PORT": str(mail.port),
                "CHART_IMAGES": "simple",
                "MAIL_DOMAINS": "example.com",
                "WEBHOOK_HOSTS": "127.0.0.1",
                "MAILS_PER_HOUR": str(options.mails),
                "CALLS_PER_HOUR": str(options.calls),
                "REPORT_CHANNELS": "20",
            }
            if not options.store:
                stores.store_copy(folder / "store.sqlite3")
            prepare(options, hook.url("/created"))
            began = time.monotonic()
            again = [arg for arg in sys.argv[1:] if arg != "--work"]
            command = [sys.executable, "-m", "tests.reports.flood", *again, "--work"]
            workers = [subprocess.Popen(command, cwd=ROOT) for _ in range(options.workers)]
            codes = [worker.wait() for worker in workers]
            print(json.dumps(figures(mail, len(hook.received), time.monotonic() - began, codes)))


def prepare(options: argparse.Namespace, hook: str) -> None:
    """Make the store, the person, the report and its runs."""
    import django

    django.setup()
    from django.core.management import call_command

    from mirror.people.services import first_admin, user_create
    from mirror.reports import services
    from mirror.sources.models import Source
    from tests.reports.working import make, save_report, save_sql

    call_command("migrate", verbosity=0, interactive=False)
    admin = first_admin()
    admin.email = "admin@example.com"
    admin.save()
    alice = user_create("alice")
    shop = Path(os.environ["MIRROR_VAR_DIR"]) / "shop.sqlite3"
    stores.shop_copy(shop)
    source = Source.objects.create(owner=alice, name="shop", engine="sqlite", database=str(shop))
    to = [f"p{number}@example.com" for number in range(options.recipients)]
    ways = [("mail", {"to": to}, None), *(("webhook", {"url": hook}, None) for _ in range(19))]
    report = save_report(alice, save_sql(alice, source), formats=[], channels=ways)
    for _ in range(options.runs):
        make(services.report_run_now(report, alice))


def work() -> None:
    """One worker's part: four threads that take whatever is queued, until nothing is left that may go now."""
    import threading

    import django

    django.setup()
    from django.db import connection

    from mirror.reports import services
    from mirror.reports.models import Delivery
    from mirror.work.leases import Status, due
    from mirror.work.turns import turn_take

    def deliver() -> None:
        try:
            while True:
                left = Delivery.objects.filter(due(Delivery), status=Status.QUEUED).order_by("?")[:5]
                pks = list(left.values_list("pk", flat=True))
                if not pks:
                    return
                for pk in pks:
                    lease = turn_take(Delivery, pk)
                    if lease is not None:
                        services.delivery_make(lease)
        finally:
            connection.close()

    threads = [threading.Thread(target=deliver) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def figures(mail: MailServer, calls: int, seconds: float, codes: list[int]) -> dict[str, object]:
    """Counts at the mail server and the hook, and states of the deliveries."""
    from mirror.people.models import QuotaMet
    from mirror.reports.models import Delivery

    taken = [to for one in mail.mails() for to in one.to]
    states = Counter(Delivery.objects.exclude(about="quota").values_list("kind", "state"))
    return {
        "mails": sum(to != "admin@example.com" for to in taken),
        "calls": calls,
        "told": taken.count("admin@example.com"),
        "met": sorted(QuotaMet.objects.values_list("kind", flat=True)),
        "states": {f"{kind} {state}": number for (kind, state), number in sorted(states.items())},
        "seconds": round(seconds, 1),
        "codes": codes,
    }


if __name__ == "__main__":
    main()
