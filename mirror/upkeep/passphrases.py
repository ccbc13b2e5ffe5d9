"""The passphrase of a backup, from the environment or typed at a terminal."""

from __future__ import annotations

import getpass
import os
import sys

from django.core.management.base import CommandError

NAME = "BACKUP_PASSPHRASE"


def passphrase_ask(*, twice: bool = False) -> str:
    """Take the passphrase from `BACKUP_PASSPHRASE`, or ask for it. Raises: CommandError where nobody can be asked."""
    if given := os.environ.get(NAME):
        return given
    if not sys.stdin.isatty():
        raise CommandError(f"Give the passphrase of the backup's keys in the environment variable {NAME}.")
    typed = getpass.getpass("Passphrase of the backup's keys: ")
    if twice and typed != getpass.getpass("Once more: "):
        raise CommandError("These were two passphrases.")
    return typed
