"""Cost of a dashboard: `python -m tests.web.bench_dashboards [--cards 20] [--looks 40]`.

Twenty cards of as many statements, each with a chart or rows, are read and drawn once and then looked at through the view and its
template, then with a country that was chosen on one of them. The bounds are 15 queries of the store, and 300 ms for 19 of 20
looks with the filter. Other times are told without a bound.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles

QUERIES = 15
# Some 600 rows, of which a country has 22: every fourth card.
MONTHS = (
    "SELECT strftime('%Y-%m', o.ordered_at) AS month, c.country, count(*) AS orders FROM orders o JOIN customers c ON c.id = "
    "o.customer_id WHERE o.ordered_at >= '2025-01-01' GROUP BY 1, 2 ORDER BY 1"
)
CROSSED_MS = 300


def main() -> int:
    """Measure and print; 1 when the bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=20)
    parser.add_argument("--looks", type=int, default=40)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mirror-bench-dashboards-") as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "tests.settings", "MEDIA_ROOT": folder}
        import django

        django.setup()
        from django.conf import settings

        settings.DATABASES["default"]["NAME"] = str(Path(folder) / "store.sqlite3")
        return measure(Path(folder), wanted.cards, wanted.looks)


def measure(folder: Path, cards: int, looks: int) -> int:
    """Make a dashboard, have it read, and look at it."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext
    from django.urls import reverse
    from django.utils import timezone

    from mirror.dashboards.models import Card, Supply
    from mirror.dashboards.services import dashboard_make
    from mirror.people.services import user_create
    from mirror.sources.models import Source
    from mirror.work.doing import work_do
    from tests import stores

    stores.store_copy(folder / "store.sqlite3")
    owner = user_create("bench")
    stores.shop_copy(folder / "shop.sqlite3")
    source = Source.objects.create(
        owner=owner, name="shop", engine="sqlite", database=str(folder / "shop.sqlite3")
    )
    stores.shop_known(source, timezone.now())
    board = dashboard_make(owner, "Bench")
    for n in range(cards):
        sql = f"SELECT country, count(*) AS n{n} FROM customers GROUP BY country ORDER BY 2 DESC"
        if n % 4 == 1:
            sql = f"{MONTHS} LIMIT {10_000 + n}"
        shows = "table" if n % 3 == 0 else ""
        Card.objects.create(
            dashboard=board, kind="sql", source=source, sql=sql, title=f"Card {n}", shows=shows
        )
    browser = Client()
    browser.force_login(owner)
    address = reverse("dashboards:dashboard", args=[board.pk])
    began = time.perf_counter()
    assert browser.get(address).status_code == 200
    print(f"first look, {cards} statements queued: {(time.perf_counter() - began) * 1000:.0f} ms")
    began = time.perf_counter()
    for supply in list(Supply.objects.all()):
        assert work_do("supply", supply.pk)
    print(f"read and drawn one after the other: {time.perf_counter() - began:.1f} s")
    took = []
    with CaptureQueriesContext(connection) as queries:
        page = browser.get(address)
        count = len(queries)
    assert page.content.count(b"<mirror-chart") == cards - len(range(0, cards, 3)), "every chart is there"
    for _ in range(looks):
        began = time.perf_counter()
        browser.get(address)
        took.append((time.perf_counter() - began) * 1000)
    print(
        f"a look: median {median(took):.0f} ms, p95 {quantiles(took, n=20)[-1]:.0f} ms, {len(page.content):,} bytes"
    )
    print(f"queries of the store: {count} (bound {QUERIES})")
    first = board.cards.order_by("pk")[0]
    chosen, crossed = {"where": f"{first.pk}:country:== Norway"}, []
    with CaptureQueriesContext(connection) as queries:
        page = browser.get(address, chosen)
        filtered = len(queries)
    assert f"{cards - 1} cards filtered" in page.content.decode(), "every other card is filtered"
    for _ in range(looks):
        began = time.perf_counter()
        browser.get(address, chosen)
        crossed.append((time.perf_counter() - began) * 1000)
    p95 = quantiles(crossed, n=20)[-1]
    print(
        f"a look with a filter: median {median(crossed):.0f} ms, p95 {p95:.0f} ms (bound {CROSSED_MS}), {filtered} queries"
    )
    return int(not 0 < count <= QUERIES or filtered > QUERIES or p95 > CROSSED_MS)


if __name__ == "__main__":
    sys.exit(main())
