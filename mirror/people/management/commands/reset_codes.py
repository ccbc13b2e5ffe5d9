"""Have somebody asked for a second factor no longer, who lost codes and passkeys and whom no administrator can help."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from mirror.people.factors import factors_reset
from mirror.people.models import User
from mirror.people.services import PeopleError


class Command(BaseCommand):
    """`manage.py reset_codes NAME`: for the last administrator."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Forget the one-time codes and passkeys of somebody who lost them; they are signed out everywhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="their username")

    def handle(self, *args: Any, **options: Any) -> None:
        person = User.objects.filter(username=options["name"], is_service=False).first()
        if person is None:
            raise CommandError(f"There is nobody called “{options['name']}” here.")
        try:
            factors_reset(person, None)
        except PeopleError as error:
            raise CommandError(str(error)) from None
        self.stdout.write(f"{person} has no second factor any more.")
