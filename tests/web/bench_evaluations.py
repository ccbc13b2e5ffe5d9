"""Cost of an evaluation: `python -m tests.web.bench_evaluations [--answers 100]`.

So many verified answers of the sample shop, in four wordings, are asked as a worker asks them: each as if it were not verified, with the
terms of the source and without. The bound is issue 15's: 60 seconds for a hundred.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from itertools import islice, product
from pathlib import Path

SECONDS = 60
COUNTRIES = ("Norway", "Germany", "Spain", "France", "Italy")
WORDINGS = ("{} in {}", "{} in {}?", "How many {} are there in {}?", "number of {}, {}")
FIGURES = {
    "customers": "SELECT count(*) FROM customers WHERE country = '{}'",
    "orders": "SELECT count(*) FROM orders JOIN customers ON customers.id = orders.customer_id WHERE customers.country = '{}'",
    "customers since 2025": "SELECT count(*) FROM customers WHERE country = '{}' AND signed_up_on >= '2025-01-01'",
    "orders in 2025": "SELECT count(*) FROM orders JOIN customers ON customers.id = orders.customer_id"
    " WHERE customers.country = '{}' AND orders.ordered_at >= '2025-01-01' AND orders.ordered_at < '2026-01-01'",
    "web orders": "SELECT count(*) FROM orders JOIN customers ON customers.id = orders.customer_id"
    " WHERE customers.country = '{}' AND orders.channel = 'web'",
}


def main() -> int:
    """Measure and print; 1 when the bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--answers", type=int, default=100)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mirror-bench-evaluations-") as folder:
        os.environ |= {"DJANGO_SETTINGS_MODULE": "tests.settings", "MEDIA_ROOT": folder}
        import django

        django.setup()
        from django.conf import settings

        settings.DATABASES["default"]["NAME"] = str(Path(folder) / "store.sqlite3")
        return measure(Path(folder), wanted.answers)


def measure(folder: Path, answers: int) -> int:
    """Verify answers, evaluate them once, and print what it took."""
    from django.utils import timezone

    from mirror.knowledge.evaluation_work import evaluation_ask
    from mirror.knowledge.models import Evaluation, StoredAnswer
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
    for figure, country, wording in islice(product(FIGURES, COUNTRIES, WORDINGS), answers):
        StoredAnswer.objects.create(
            source=source,
            question=wording.format(figure, country),
            sql=FIGURES[figure].format(country),
            verified_by=owner,
        )
    row = evaluation_ask(source, Evaluation.Cause.HAND, owner)
    began = time.perf_counter()
    assert work_do("evaluation", row.pk)
    took = time.perf_counter() - began
    row.refresh_from_db()
    print(
        f"{StoredAnswer.objects.count()} verified answers: {took:.1f} s (bound {SECONDS} s for 100), {row.status}"
    )
    return int(took > SECONDS * max(1, answers) / 100)


if __name__ == "__main__":
    sys.exit(main())
