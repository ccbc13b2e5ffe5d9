"""Owner of the things that a command makes."""

from __future__ import annotations

from django.core.management.base import CommandError

from mirror.people.models import User


def find_owner(name: str | None) -> User:
    """Find the user of this name, or the first superuser when none is named. Raises: CommandError."""
    if name:
        owner: User | None = User.objects.filter(username=name).first()
        if owner is None:
            raise CommandError(f"There is no user named '{name}'.")
        return owner
    owner = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if owner is None:
        raise CommandError("There is no superuser to own it. Make one first: manage.py createsuperuser")
    return owner
