"""The audit from a shell: as JSON lines for another system, and whether its chain holds."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.audit.chain import chain_faults, told
from mirror.audit.models import AuditDay, AuditRow
from mirror.audit.selectors import rows_found
from mirror.audit.services import record
from mirror.phrases import counted


class Command(BaseCommand):
    """`manage.py audit --json-lines [--since DAY]` writes rows, oldest first; `--verify` looks at the chain."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Write the audit as JSON lines, or verify that its rows are what they were when they were written."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--json-lines", action="store_true", help="a line a row, the oldest first")
        what.add_argument("--verify", action="store_true", help="say which rows were changed or are missing")
        parser.add_argument(
            "--since", type=date.fromisoformat, help="rows from this day on (UTC), as 2026-11-30"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["verify"]:
            self._verify()
            return
        rows = rows_found(AuditRow.objects.all(), since=options["since"]).order_by("day", "number")
        count = 0
        for row in rows.iterator(chunk_size=2_000):
            count += 1
            self.stdout.write(json.dumps({**told(row), "hash": row.hash}, ensure_ascii=False))
        record("exported the audit", rows=count)

    def _verify(self) -> None:
        if faults := list(chain_faults()):
            raise CommandError("\n".join(["The audit is not what it was:", *faults]))
        rows, days = AuditRow.objects.count(), AuditDay.objects.count()
        last = AuditDay.objects.order_by("-day").first()
        ends = f" The last hash is {last.last}." if last else ""
        self.stdout.write(f"{counted(rows, 'row')} of {counted(days, 'day')}: each is what it was.{ends}")
