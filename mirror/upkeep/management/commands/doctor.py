"""Say what is wrong with this installation."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.phrases import counted, one_line
from mirror.upkeep.bundle import bundle_write
from mirror.upkeep.doctor import findings

_WORDS = {"good": "  ", "look": "? ", "wrong": "! "}


class Command(BaseCommand):
    """`manage.py doctor`: exit code 1 when something is wrong; `--bundle FILE` for who helps."""

    help = "Say in plain words what is wrong with this installation, and what to do."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--bundle",
            type=Path,
            help="write what was found, versions, numbers and ends of logs to a zip; no secrets",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        found = list(findings())
        for one in found:
            self.stdout.write(f"{_WORDS[one.state]}{one.about:8} {one_line(one.words)}")
            if one.advice:
                self.stdout.write(f"{'':11}{one.advice}")
        if path := options["bundle"]:
            try:
                bundle_write(path, found)
            except OSError as error:
                raise CommandError(f"{path} could not be written: {error.strerror}.") from None
            self.stdout.write(f"Wrote {path}. Look into it before you send it.")
        if count := sum(one.state == "wrong" for one in found):
            raise CommandError(f"{counted(count, 'thing is', 'things are')} wrong.")
        self.stdout.write("Nothing is wrong.")
