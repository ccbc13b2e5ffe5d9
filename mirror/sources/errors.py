"""What is raised on purpose when a source cannot be kept or reached."""

from __future__ import annotations

from mirror.sources.powers import Powers


class SourceError(Exception):
    """A source cannot be reached or used; message and advice are fit to be shown."""

    title = "Not saved: the database does not answer"

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.advice = advice


class NotTried(SourceError):
    """No database was called: an address or file that is not allowed, a name that is taken, or too many tries."""

    title = "Not saved"


class PowersRefused(SourceError):
    """In production, no source is kept whose user could do severe things, unless an administrator says so."""

    title = "Not saved: its user can do more than read"

    def __init__(self, found: Powers) -> None:
        severe = [words for severity, words in found.lines if severity == "severe"]
        super().__init__(
            f"User “{found.user}” could {'; '.join(severe)}.",
            "Connect as a user that only reads: the statements below make one. "
            "An administrator may connect it as it is.",
        )
        self.powers = found
