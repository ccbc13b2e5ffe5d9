"""How long many people wait at once: `python -m tests.web.bench_asking [--people 10] [--model 4]`.

A whole server is started, with a scripted language model that takes some seconds a call. One person asks alone, then
all at once, while another person opens pages; then one runs eight statements of 20 s on a source of their own while
another asks the sample shop. Exit code 1 where a question fails, the slowest of 20 waits over 1.5 times as long as one
alone, or the other over 10 s longer. With `--built-in` there is no language model, and a failed question alone counts.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.scripted_server import ScriptedServer
from tests.web.test_server import Running, free_port

QUESTION = "How many customers are there in each country?"
ANSWER = "```sql\nSELECT country, count(*) AS customers FROM customers GROUP BY country\n```"
LONG = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000000) SELECT count(*) FROM n"
PAGES = ("/", "/history/", "/sources/")
STATEMENTS, STATEMENT_SECONDS = 8, 20


def waited(rows: list[Any]) -> list[float]:
    """Wait until all have ended; seconds from asked to ended, in order."""
    rows_of, keys = type(rows[0]).objects, [row.pk for row in rows]
    while rows_of.filter(pk__in=keys, ended_at__isnull=True).exists():
        time.sleep(0.2)  # one statement for all: reading costs what is measured
    ended = rows_of.filter(pk__in=keys).values_list("created_at", "ended_at")
    return sorted((end - began).total_seconds() for began, end in ended)


def told(name: str, seconds: list[float]) -> float:
    """Print the figures of some waits; the slowest of 20 (p95)."""
    slowest = seconds[min(len(seconds) - 1, round(0.95 * len(seconds)))]
    print(f"{name:<44} p50 {statistics.median(seconds):6.2f} s   p95 {slowest:6.2f} s", flush=True)
    return slowest


@contextmanager
def opening(running: Running) -> Iterator[list[float]]:
    """Open pages one after the other until the block ends; seconds that each took, in order then."""
    took: list[float] = []
    has_ended = threading.Event()

    def look() -> None:
        for path in itertools.cycle(PAGES):
            began = time.perf_counter()
            assert running.get(path)[0] == 200, path
            took.append(time.perf_counter() - began)
            if has_ended.wait(0.2):
                return

    with ThreadPoolExecutor(1) as pool:
        looking = pool.submit(look)
        try:
            yield took
        finally:
            has_ended.set()
        looking.result()
    took.sort()


def measure(people: int, running: Running) -> tuple[bool, bool]:
    """Ask as so many people; say whether none failed, and whether all waited no longer than they may."""
    from mirror.asking import services
    from mirror.asking.models import Run, Thread
    from mirror.people.models import Team
    from mirror.people.services import user_create
    from mirror.sources.models import Source

    shop = Source.objects.get(name="shop")
    team = Team.objects.create(name="all")
    shop.teams.add(team)
    users = [user_create(f"person{number}") for number in range(people)]
    team.members.add(*users)
    for user in users[:2]:  # what is read once a process is read
        waited([services.run_ask(user, shop, QUESTION) for _ in range(4)])
    alone = told("one alone", waited([services.run_ask(users[0], shop, QUESTION)]))
    with opening(running) as pages:
        asked = [services.run_ask(user, shop, QUESTION) for user in users]
        together = told(f"{people} at once", waited(asked))
    told(f"pages meanwhile, {len(pages)} of them", pages)
    failed = Run.objects.filter(pk__in=[run.pk for run in asked]).exclude(status="done").count()
    print(f"{failed} of {people} failed", flush=True)

    busy, other = users[:2]
    own = Source.objects.create(owner=busy, name="own", engine=shop.engine, database=shop.database)
    thread = Thread.objects.create(owner=busy, source=own, title="long")
    runs = [Run.objects.create(thread=thread, status="done") for _ in range(STATEMENTS)]
    versions = [services.version_edit(run, LONG) for run in runs]
    time.sleep(3)
    beside = told(
        f"another, beside {STATEMENTS} statements of {STATEMENT_SECONDS} s",
        waited([services.run_ask(other, shop, QUESTION)]),
    )
    for version in versions:
        services.statement_stop(version)
    return not failed, together <= 1.5 * alone and beside <= alone + 10


def main() -> None:
    """Start everything, measure, and end it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--people", type=int, default=10)
    parser.add_argument("--model", type=float, default=4.0, help="seconds a call of the language model takes")
    parser.add_argument(
        "--built-in", action="store_true", help="without a language model, for its figures alone"
    )
    wanted = parser.parse_args()
    model = ScriptedServer(ANSWER, seconds=wanted.model).start()
    with tempfile.TemporaryDirectory(prefix="mirror-bench-") as folder:
        settings = {} if wanted.built_in else {"LLM_BASE_URL": model.base_url, "LLM_MODEL": "scripted"}
        running = Running(Path(folder), free_port(), STATEMENT_SECONDS=str(STATEMENT_SECONDS), **settings)
        try:
            running.up()
            os.environ |= {"MIRROR_VAR_DIR": folder, "DJANGO_SETTINGS_MODULE": "mirror.settings"}
            import django

            django.setup()
            running.sign_in()
            none_failed, is_fine = measure(wanted.people, running)
        finally:
            running.stop()
            model.stop()
    print(f"{model.calls} calls of the language model, {model.most_open} at once at most")
    sys.exit(not none_failed or not (is_fine or wanted.built_in))


if __name__ == "__main__":
    main()
