"""Pause all sending of reports from a shell, let it go on, or say how it stands."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from mirror.phrases import counted
from mirror.reports import services
from mirror.reports.sending.pausing import deliveries_waiting, pause_now


class Command(BaseCommand):
    """`manage.py sending`, `sending pause --why ...`, `sending resume [--drop]`."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Say whether reports are sent; pause all sending, or let it go on."

    def add_arguments(self, parser: CommandParser) -> None:
        what = parser.add_subparsers(dest="what", metavar="pause|resume")
        pause = what.add_parser("pause", help="nothing goes out and no schedule runs from now on")
        pause.add_argument("--why", default="", help="shown on the pages of reports")
        resume = what.add_parser("resume", help="send again, what waits included")
        resume.add_argument("--drop", action="store_true", help="give up what waits and what was missed")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["what"] == "pause":
            services.sending_pause(why=options["why"])
        elif options["what"] == "resume":
            services.sending_resume(drop=options["drop"])
        self.stdout.write(_state())


def _state() -> str:
    waiting = f"{counted(deliveries_waiting(), 'delivery', 'deliveries')} waiting."
    pause = pause_now()
    if pause is None:
        return f"Reports are sent. {waiting}"
    since = f"{timezone.localtime(pause.began_at):%Y-%m-%d %H:%M %Z}"
    return f"All sending is paused since {since}. {pause.why} {waiting}".replace("  ", " ")
