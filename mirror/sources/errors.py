"""Errors raised on purpose when a source cannot be kept or reached."""

from __future__ import annotations

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.sources.powers import Powers


class SourceError(Exception):
    """A source cannot be reached or used; message and advice are fit to be shown."""

    title = gettext_noop("Not saved: the database does not answer")
    # The key of an SSH server that is to be confirmed; empty where this is not about one.
    fingerprint = ""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice


class NotTried(SourceError):
    """No database was called: an address or file that is not allowed, a name that is taken, or too many tries."""

    title = gettext_noop("Not saved")


class KeyUnconfirmed(SourceError):
    """The key of the SSH server on the way was confirmed by nobody; it was asked for, and nothing was sent."""

    title = gettext_noop("Not saved: confirm the key of the SSH server")

    def __init__(self, place: str, fingerprint: str) -> None:
        words = _("The SSH server %(place)s shows the key %(key)s. Nothing was sent to it yet.")
        advice = _("Compare it with the fingerprint that its administrator tells you, then confirm it.")
        super().__init__(words % {"place": place, "key": fingerprint}, advice)
        self.place, self.fingerprint = place, fingerprint


class PowersRefused(SourceError):
    """In production, no source is kept whose user could do severe things, unless an administrator says so."""

    title = gettext_noop("Not saved: its user can do more than read")

    def __init__(self, found: Powers) -> None:
        severe = [words for severity, words in found.lines if severity == "severe"]
        super().__init__(
            f"User “{found.user}” could {'; '.join(severe)}.",
            "Connect as a user that only reads: the statements below make one. "
            "An administrator may connect it as it is.",
        )
        self.powers = found
