"""Connect a source from a shell: what the form does, so that a machine can be set up without a browser."""

from __future__ import annotations

import getpass
import os
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from mirror.phrases import counted
from mirror.sources import services
from mirror.sources.errors import KeyUnconfirmed, PowersRefused, SourceError
from mirror.sources.forms import SourceForm, form_for
from mirror.sources.management.owners import find_owner
from mirror.sources.models import OPTIONS, Source
from mirror.sources.powers import Powers, powers_are_unconfirmed, powers_of
from mirror.sources.tunnels import BY_KEY, BY_PASSWORD


class Command(BaseCommand):
    """`manage.py connect NAME --engine ...`: tests the connection, reads the catalog, keeps the source."""

    requires_system_checks = ()  # they load every page; a start makes them
    help = (
        "Connect a database under a short name. The password is taken from the environment "
        "variable SOURCE_PASSWORD, or asked for; that of an SSH server, or its key's passphrase, from SOURCE_SSH_PASSWORD."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the short name people type: letters, digits, - and _")
        parser.add_argument("--engine", required=True, choices=Source.Engine.values)
        parser.add_argument("--host", default="", help="where the server is")
        parser.add_argument("--port", default="", help="the engine's usual port by default")
        parser.add_argument("--database", required=True, help="the database's name, or the path of a file")
        parser.add_argument("--user", default="", help="who signs in there")
        parser.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="NAME=VALUE",
            help="a named setting of the engine, as often as needed: sslmode, sslrootcert, auth, namespaces, dialect",
        )
        parser.add_argument("--ssh-host", default="", help="an SSH server on the way, or none")
        parser.add_argument("--ssh-port", default="", help="where it listens; 22 by default")
        parser.add_argument("--ssh-user", default="", help="who signs in to it")
        parser.add_argument("--ssh-key-file", help="the private key to sign in by; without it, a password")
        parser.add_argument(
            "--ssh-fingerprint",
            default="",
            help="of its key (SHA256:...); without one, the key is shown and refused",
        )
        parser.add_argument("--description", default="", help="a line about it")
        parser.add_argument("--privacy", default=Source.Privacy.SCHEMA, choices=Source.Privacy.values)
        parser.add_argument("--owner", help="who owns it (a user name); the first superuser by default")
        parser.add_argument(
            "--confirm-powers",
            action="store_true",
            help="you know that its user could do more than read; without it, such a source is refused in production",
        )
        parser.add_argument("--replace", action="store_true", help="change the source of this name")

    def handle(self, *args: Any, **options: Any) -> None:
        owner = find_owner(options["owner"])
        form = _form(options)
        if not form.is_valid():
            raise CommandError("\n".join(_faults(form)))
        source = form.instance
        by = source.owner if source.pk else owner
        try:
            check = services.source_test(source, by)
            keep = services.source_update if source.pk else services.source_connect
            confirmed = options["confirm_powers"]
            source = keep(source, by, confirmed=confirmed)
            if confirmed and powers_are_unconfirmed(source):
                services.source_powers_confirm(source, find_owner(None))
        except PowersRefused as error:
            said = f"{error}\n\n{_statements(error.powers)}\n\nOr give --confirm-powers."
            raise CommandError(said) from None
        except KeyUnconfirmed as error:
            raise CommandError(f"{error} {error.advice} Give --ssh-fingerprint {error.fingerprint}") from None
        except SourceError as error:
            raise CommandError(f"{error} {error.advice}".strip()) from None
        tables = len((source.catalog or {}).get("tables", []))
        self.stdout.write(
            f"{check.server} answers. '{source.name}' is connected with {counted(tables, 'table')}, owned by {by}."
        )
        found = powers_of(source)
        if found is not None:
            self.stdout.write(f"\n{check.advice}\n{_lines(found)}\n\n{_statements(found)}".rstrip())


def _lines(found: Powers) -> str:
    """List what a user could do, a line each."""
    who = f"User {found.user}" if found.user else "Whoever opens it"
    return "\n".join([f"{who} could:", *(f"  {severity:8} {words}" for severity, words in found.lines)])


def _statements(found: Powers) -> str:
    """Write the statements that make a user which only reads, with what to know of them as comments."""
    return "\n\n".join(
        f"-- {step.title}.\n-- {step.note}\n{step.sql}" if step.note else f"-- {step.title}.\n{step.sql}"
        for step in found.steps
    )


def _form(options: dict[str, Any]) -> SourceForm:
    engine = Source.Engine(options["engine"])
    known = Source.objects.filter(name__iexact=options["name"]).first()
    if known is not None and not options["replace"]:
        raise CommandError(f"There is a source named '{known.name}' already. Give --replace to change it.")
    instance = known or Source(engine=engine)
    instance.engine = engine
    typed = {key: options[key] for key in ("name", "host", "port", "database", "description", "privacy")}
    typed |= _options(options["option"], engine)
    if instance.is_file:
        typed["database"] = str(Path(options["database"]).absolute())
    else:
        typed |= {"username": options["user"], "password": _password(options["user"])}
        typed |= _ssh(options)
    return form_for(engine)(typed, instance=instance)


def _ssh(options: dict[str, Any]) -> dict[str, str]:
    """Give what is typed of an SSH server. Raises: CommandError where the file of its key cannot be read."""
    path = options["ssh_key_file"]
    try:
        key = Path(path).read_text() if path else ""
    except (OSError, UnicodeDecodeError):
        raise CommandError(f"--ssh-key-file: {path} cannot be read.") from None
    return {
        **{name: options[name] for name in ("ssh_host", "ssh_port", "ssh_user", "ssh_fingerprint")},
        "ssh_by": BY_KEY if path else BY_PASSWORD,
        "ssh_key": key,
        "ssh_password": os.environ.get("SOURCE_SSH_PASSWORD", ""),
    }


def _options(typed: list[str], engine: str) -> dict[str, str]:
    """Read `name=value` pairs. Raises: CommandError for one without a value, or a name the engine does not know."""
    known = OPTIONS.get(engine, ())
    pairs = {}
    for each in typed:
        name, sign, value = each.partition("=")
        if name not in known:
            raise CommandError(f"--option: {engine} has no '{name}'. Known: {', '.join(known) or 'none'}.")
        if not sign:
            raise CommandError(f"--option: '{name}' has no value. Write {name}=VALUE.")
        pairs[name] = value
    return pairs


def _password(user: str) -> str:
    """Take the password from the environment, or ask where somebody can answer."""
    given = os.environ.get("SOURCE_PASSWORD")
    if given is not None or not user or not sys.stdin.isatty():
        return given or ""
    return getpass.getpass(f"Password of {user}: ")


def _faults(form: SourceForm) -> list[str]:
    flags = {"username": "user", "ssh_key": "ssh-key-file"}
    return [
        f"--{flags.get(field, field).replace('_', '-')}: {' '.join(map(str, errors))}"
        for field, errors in form.errors.items()
    ]
