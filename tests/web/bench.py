"""How long what people wait for takes on this machine: `python -m tests.web.bench`.

Completing a question while it is typed, through the page; writing the sample shop; stopping and starting a
server that has run before. Exit code 1 when one takes longer than it may; busy processors count as well.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

TYPED = ("cust", "total am", "customers in nor", "revenue per coun")
ALLOWED = {"a completion": 0.1, "the sample shop": 15.0, "a second start": 15.0}


def seconds(do: Callable[[], object]) -> float:
    """How long it takes."""
    began = time.perf_counter()
    do()
    return time.perf_counter() - began


def completing(shop_file: Path) -> float:
    """Seconds a completion (mean of four), after the first one of a source."""
    from django.core.management import call_command
    from django.test import Client

    from mirror.people.services import user_create
    from mirror.sources.catalog_services import catalog_refresh
    from mirror.sources.models import Source
    from tests.web.working import values_read

    call_command("migrate", verbosity=0, interactive=False)
    alice = user_create("alice")
    shop = Source.objects.create(owner=alice, name="shop", engine="sqlite", database=str(shop_file))
    catalog_refresh(shop)
    values_read(shop)
    browser = Client()
    browser.force_login(alice)

    def complete(*typed: str) -> None:
        for words in typed:
            assert browser.get("/suggest/", {"q": words, "source": "shop"}).status_code == 200

    complete("customers in no")
    return seconds(lambda: complete(*TYPED)) / len(TYPED)


def starting(folder: Path) -> float:
    """Seconds from a second start to its link."""
    from tests.web.test_server import Running, free_port

    first = Running(folder, free_port())
    first.up()
    first.stop(signal.SIGINT)
    again = Running(folder, first.port)
    try:
        return seconds(again.up)
    finally:
        again.stop()


def main() -> None:
    """Measure all and print a line each."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from mirror.sources.demo import write_shop

    with tempfile.TemporaryDirectory(prefix="mirror-bench-") as folder:
        shop = Path(folder) / "shop.sqlite3"
        took = {"the sample shop": seconds(lambda: write_shop(shop))}
        took["a completion"] = completing(shop)
        took["a second start"] = starting(Path(folder) / "var")
    for name, was in took.items():
        print(f"{name:<16} {was:7.3f} s, at most {ALLOWED[name]:g} s")
    sys.exit(any(was > ALLOWED[name] for name, was in took.items()))


if __name__ == "__main__":
    main()
