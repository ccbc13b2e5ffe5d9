"""Say what is kept for how long, and what of it is over."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from mirror.upkeep.retention import end, kept

MOST_DAYS = 36_500
"""A hundred years: no calendar ends before them."""


class Command(BaseCommand):
    """`manage.py retention` deletes nothing; `--end` does at once what the scheduler does each hour."""

    help = "Say what is kept for how long, and how much of it would go. Deletes nothing without --end."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--threads", type=int, metavar="DAYS", help="as if THREAD_DAYS said so: what would go"
        )
        parser.add_argument(
            "--ahead", type=int, default=0, metavar="DAYS", help="what will go in so many days"
        )
        parser.add_argument("--json", action="store_true", help="one JSON object a kind")
        parser.add_argument("--end", action="store_true", help="delete now what is over by the settings")

    def handle(self, *args: Any, **options: Any) -> None:
        threads, ahead = options["threads"], options["ahead"]
        if not all(0 <= days <= MOST_DAYS for days in (ahead, threads or 0)):
            raise CommandError(f"Days are 0 to {MOST_DAYS:,}.")
        if options["end"] and (threads is not None or ahead):
            raise CommandError("--end goes by the settings. Set THREAD_DAYS first, or leave out --end.")
        for one in kept(timezone.now() + timedelta(days=ahead), threads):
            if options["json"]:
                self.stdout.write(json.dumps(asdict(one)))
                continue
            size = f", {one.size / 1e6:,.1f} MB" if one.size else ""
            self.stdout.write(f"{one.what:30} kept {one.kept}: {one.over:,} of {one.count:,} over{size}")
        if options["end"]:
            self.stdout.write(f"{end():,} ended.")
        elif not options["json"]:
            self.stdout.write("Nothing was deleted.")
