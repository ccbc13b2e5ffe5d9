"""Write this installation into one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.phrases import size
from mirror.upkeep.backup import BackupError, backup_make
from mirror.upkeep.passphrases import passphrase_ask


class Command(BaseCommand):
    """`manage.py backup FILE`: with Mirror running or not."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = (
        "Write the store, stored results, uploads and keys into one file. The keys are sealed with a passphrase "
        "(BACKUP_PASSPHRASE, or asked for); everything else in it is not encrypted."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path, help="such as mirror-2026-11-30.tar; must not be there yet")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            backup_make(path, passphrase_ask(twice=True), self.stdout.write)
        except BackupError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            f"Wrote {path}, {size(path.stat().st_size)}. Without its passphrase no secret in it opens."
        )
