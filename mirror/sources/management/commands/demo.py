"""Build the sample shop and make it a source that people can ask about."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.demo import SHOP_QUESTIONS, write_shop
from mirror.sources.management.owners import find_owner
from mirror.sources.models import Source


class Command(BaseCommand):
    """`manage.py demo`: idempotent; an existing file is kept unless `--again` is given."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Build the sample shop (var/shop.sqlite3) and register it as the source 'shop'."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--owner", help="who owns it (a user name); the first superuser by default")
        parser.add_argument("--again", action="store_true", help="write the file anew even if it is there")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = find_owner(options["owner"])
        path: Path = settings.VAR_DIR / "shop.sqlite3"
        is_new = options["again"] or not path.is_file()
        if is_new:
            started = time.monotonic()
            total = write_shop(path, lambda table, rows: self.stdout.write(f"  {table}: {rows:,} rows"))
            self.stdout.write(f"Wrote {total:,} rows to {path} in {time.monotonic() - started:.1f} s.")
        shop = {
            "description": "A sample shop: three years of customers, orders, returns and web visits",
            "engine": Source.Engine.SQLITE,
            "database": str(path),
            "is_sample": True,
            "examples": list(SHOP_QUESTIONS),
        }
        owned = {**shop, "owner": owner}
        source, _ = Source.objects.update_or_create(
            name="shop", defaults=owned if options["owner"] else shop, create_defaults=owned
        )
        if is_new or not source.catalog:
            catalog_refresh(source)
        self.stdout.write(f"The source 'shop' is ready, owned by {source.owner}.")
