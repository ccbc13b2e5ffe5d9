"""Make this installation what a backup holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.upkeep.backup import BackupError, backup_restore, keys_take_out
from mirror.upkeep.passphrases import passphrase_ask


class Command(BaseCommand):
    """`manage.py restore FILE`: with Mirror stopped."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Put a backup back. Nothing is changed before it was read to its end. All sending is paused afterwards."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--replace", action="store_true", help="destroy the store that is here")
        parser.add_argument("--keys-to", type=Path, help="only write its keys to this file, for the settings")

    def handle(self, *args: Any, **options: Any) -> None:
        path: Path = options["file"]
        try:
            if options["keys_to"]:
                keys_take_out(path, passphrase_ask(), options["keys_to"])
                self.stdout.write(f"Wrote the keys of the backup to {options['keys_to']}.")
                return
            backup_restore(path, passphrase_ask(), replace=options["replace"], tell=self.stdout.write)
        except BackupError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(
            "Restored. All sending is paused: when no other Mirror sends the same, run `manage.py sending resume --drop`, "
            "or let it go on under People, Mail and webhooks. Everybody signs in anew."
        )
