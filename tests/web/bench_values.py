"""How long reading the values of a large source takes, and what a question gets meanwhile.

    python -m tests.web.bench_values
    python -m tests.web.bench_values --million 100000

Makes a PostgreSQL server with some 300 tables, four of them with a million rows (`tests.engines.wide_lab`), connects it,
and does a worker's turns one by one. After each it says how much is read and what the question is answered.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from typing import TYPE_CHECKING

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")

if TYPE_CHECKING:
    from mirror.sources.models import Source

QUESTION = "How many customers are in Norway?"
OTHERS = (
    "How many wholesale customers are there?",
    "How many Norwegian customers are there?",
    "What is the revenue from web sales in 2024?",
    "How many shipments were lost?",
    "How many customers are in Atlantis?",
)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--million", type=int, default=1_000_000, help="rows of each of the four large tables"
    )
    million = parser.parse_args().million
    import django

    django.setup()
    measured(million)


def measured(million: int) -> None:
    """Make the source, read it, ask."""
    from django.core.management import call_command

    from mirror.people.services import user_create
    from mirror.sources.models import Source, StoredIndex
    from mirror.sources.services import source_connect
    from mirror.work.doing import work_do
    from tests.engines import wide_lab
    from tests.servers import postgres_server

    call_command("migrate", verbosity=0, interactive=False)
    server = postgres_server()
    began = time.monotonic()
    with server.connect() as connection:
        connection.execute("CREATE DATABASE wide")
    with server.connect("wide") as connection:
        tables = wide_lab.make(connection, million=million)
        connection.execute("CREATE ROLE looker LOGIN PASSWORD 'look'; GRANT pg_read_all_data TO looker")
    say(f"{tables} tables made", time.monotonic() - began)
    alice = user_create("alice")
    place = {"host": "127.0.0.1", "port": server.port, "database": "wide"}
    source = Source(name="wide", engine="postgres", username="looker", password="look", **place)
    began = time.monotonic()
    source = source_connect(source, alice)
    say("connected", time.monotonic() - began)
    ask("nothing", source)
    began, spent, turns = time.monotonic(), 0.0, 0
    index = StoredIndex.objects.get(source=source)
    processor = cpu()
    while work_do("index", index.pk):
        turns += 1
        spent = time.monotonic() - began
        index.refresh_from_db()
        known = index.coverage
        say(
            f"turn {turns}: {known['read']} of {known['of']} columns, {index.size:,} values, {len(index.data) / 1e6:.1f} MB",
            spent,
        )
        if turns <= 2 or index.state == "ready":
            ask(f"turn {turns}", source)
        if index.state == "ready":
            break
        began = time.monotonic() - spent
    say(f"all read in {turns} turns, {cpu() - processor:.1f} s of this processor with the questions", spent)
    with server.connect("wide") as connection:
        busy = connection.execute(
            "SELECT active_time, sessions FROM pg_stat_database WHERE datname = 'wide'"
        ).fetchone()
    say(f"the server was active {busy[0] / 1000:.1f} s in {busy[1]} sessions", spent)


def ask(when: str, source: Source) -> None:
    """Say what the questions are answered now."""
    from mirror.asking.services.answer_stream import answer_events
    from mirror.queries.running import source_opened
    from sqlagent.events import Ended
    from sqlagent.values import Question

    for text in (QUESTION, *OTHERS):
        began = time.monotonic()
        with source_opened(source) as opened:
            ended = [e for e in answer_events(Question(text), opened) if isinstance(e, Ended)][-1].answer
        shown = ended.rows.rows[:1] if ended.rows else "-"
        say(
            f"  {when}: {text} {ended.outcome} {ended.confidence:.0%} {shown} {ended.reason[:150]}",
            time.monotonic() - began,
        )
        for note in ended.notes:
            if "not read" in note:
                say(f"      {note}", 0.0)


def cpu() -> float:
    """Seconds of a processor that this process took."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def say(words: str, seconds: float) -> None:
    """One line of what was measured."""
    print(f"{seconds:8.2f} s  {words}", flush=True)


if __name__ == "__main__":
    main()
