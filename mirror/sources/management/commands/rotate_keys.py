"""Encrypt stored secrets with the newest key, so that older keys can be taken away."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from mirror.secrets import SecretUnreadable, secrets_rotate


class Command(BaseCommand):
    """`manage.py rotate_keys`: safe to break off and run again, with Mirror running; exit code 1 if a key lacks."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = (
        "Encrypt every stored secret with the first key of MIRROR_ENCRYPTION_KEYS. When it says that all "
        "are, the other keys can be taken off that list."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        unreadable = []
        try:
            for field in secrets_rotate():
                self.stdout.write(
                    f"{field.name}: {field.rewritten:,} encrypted anew, {field.current:,} had the newest key"
                )
                if field.unreadable:
                    unreadable.append(f"{field.name}: {', '.join(map(str, field.unreadable))}")
        except SecretUnreadable as error:
            raise CommandError(str(error)) from None
        if unreadable:
            raise CommandError(
                "No key in MIRROR_ENCRYPTION_KEYS opens these secrets (by number):\n"
                + "\n".join(unreadable)
                + "\nAdd the key they were written with to the end of that list and run this again, "
                "or type the secrets anew on their pages."
            )
        self.stdout.write("All secrets have the newest key. Older keys can be taken away.")
