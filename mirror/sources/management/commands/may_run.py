"""Say and decide from a shell what may run on a source, as its page does for administrators."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.sources import guarding
from mirror.sources.management.owners import find_owner
from mirror.sources.models import Source


class Command(BaseCommand):
    """`manage.py may_run NAME --allow FUNCTION`: without options it only says what is decided."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = "Allow further functions on a source, or switch kinds of statements off and on."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the name of the source")
        for option, words, kind in (
            ("--allow", "a function that may be called: name, or schema.name", None),
            ("--disallow", "a function that may no longer be called", None),
            ("--refuse", "a kind of statements to switch off", sorted(guarding.KINDS)),
            ("--permit", "a kind of statements to switch on again", sorted(guarding.KINDS)),
        ):
            parser.add_argument(option, action="append", default=[], help=words, choices=kind)

    def handle(self, *args: Any, **options: Any) -> None:
        source = Source.objects.filter(name=options["name"]).first()
        if source is None:
            raise CommandError(f"There is no source named '{options['name']}'.")
        kept = guarding.policy_of(source)
        functions = (kept.functions | _names(options["allow"])) - _names(options["disallow"])
        refused = (kept.refused | set(options["refuse"])) - set(options["permit"])
        if (functions, refused) != (kept.functions, kept.refused):
            try:
                guarding.policy_set(source, functions, refused, find_owner(None))
            except guarding.PolicyRefused as error:
                raise CommandError(str(error)) from None
        self.stdout.write(f"Further functions on {source.name}: {', '.join(sorted(functions)) or 'none'}.")
        for kind, words in guarding.KINDS.items():
            self.stdout.write(f"{'refused' if kind in refused else 'runs':8} {kind}: {words}")


def _names(typed: list[str]) -> frozenset[str]:
    return frozenset(name.lower().removesuffix("()") for name in typed)
