"""Trying a connection: how often somebody may, and what they are told of a failure.

A form that connects to any host and port tells which ports of the network behind the server are open, if a closed one,
a filtered one and one that speaks something else are told apart. So people who are not administrators are told the
same of all three where the host is private. A server's own message is shown to nobody. Given up: the time taken
still differs; the number of tries a minute bounds its worth.
"""

from __future__ import annotations

import logging
import re
from datetime import timedelta
from uuid import uuid4

from django.conf import settings
from django.utils.translation import gettext as _

from mirror.people.models import Quota, User
from mirror.people.quotas import quota_use
from mirror.sources.addresses import is_private
from mirror.sources.models import Source
from sqlagent.values import SSH_SILENT, Failure, FailureKind

log = logging.getLogger(__name__)

# Sentences of our adapters that only a database makes them say, or that were said before anything was called.
_ANSWERED = re.compile(
    r"The server (refused (the password of )?user|knows no user|has no database|does not let|at \S+ (has no|is starting))"
    r"|User '.*' may not connect to database|No TLS connection to .*certificate|The (dialect|driver) .* is not installed"
)
# The words of a server of these engines, or of another program that answered there, stand behind a colon.
_QUOTING = re.compile(
    r"(No connection to \S+|The server does not let anybody in from this machine): .*", re.DOTALL
)
_PRECISE = ("postgres", "mysql")

NOTHING = "No {engine} answers at {host}:{port}."
NOTHING_ADVICE = (
    "Check host and port, and that the server runs. An administrator who tries it here is told more."
)


def tries_left(by: User) -> str:
    """Count a try and give an empty text, or say why somebody has to wait; nothing is counted then."""
    most = settings.CONNECTION_TESTS_PER_MINUTE
    free = quota_use(by, Quota.Kind.TESTS, uuid4().hex, most=most, per=timedelta(minutes=1))
    return _("You have tried %(most)s connections within a minute.") % {"most": most} if free else ""


def failure_told(source: Source, by: User, failure: Failure) -> tuple[str, str]:
    """Give the message and the advice that somebody is told of a connection that failed."""
    message, advice = failure.message, failure.advice
    if source.is_file or failure.kind is not FailureKind.LOST:
        return message, advice
    if source.engine in _PRECISE and _QUOTING.match(message):
        log.info("A try of user %s to connect to %s failed: %r", by.pk, source.engine, message[:300])
        message = _QUOTING.sub(r"\1.", message)
    host, port = source.host, source.port
    if source.tunnel:
        if failure.code != SSH_SILENT:  # an SSH server answered; it decides what it reaches
            return message, advice
        host, port = source.tunnel["ssh_host"], source.tunnel["ssh_port"]
    if by.is_staff or _ANSWERED.match(message) or not is_private(host):
        return message, advice
    engine = "database" if source.engine == Source.Engine.OTHER else f"{source.get_engine_display()} server"
    words = {"engine": "SSH server" if source.tunnel else engine, "host": host, "port": port}
    return NOTHING.format(**words), NOTHING_ADVICE
