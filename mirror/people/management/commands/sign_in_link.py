"""`manage.py sign_in_link [USERNAME]`: a link that signs somebody in once, to choose a password."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from mirror.people.models import User
from mirror.people.services import first_admin, link_create


class Command(BaseCommand):
    """Print a one-time link; a person who can run this can read the store already."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Print a link that signs somebody in once: the first administrator, unless a name is given."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username", nargs="?", help="whom to sign in (default: the first administrator)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the link and print it, alone on its line."""
        name = options["username"]
        user = (
            User.objects.filter(username=name, is_active=True, is_service=False).first()
            if name
            else first_admin()
        )
        if user is None:
            raise CommandError(f"There is nobody called “{name}” here who may sign in.")
        path = reverse("people:sign_in_link", args=[link_create(user)])
        self.stdout.write(f"{settings.SITE_URL.rstrip('/')}{path}")
        self.stderr.write(
            f"It signs {user} in once, within {settings.SIGN_IN_LINK_HOURS} hours.", style_func=str
        )
