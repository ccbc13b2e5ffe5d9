"""Errors raised on purpose, for requests that cannot be met."""

from __future__ import annotations


class ReportError(Exception):
    """Something asked for cannot be done; message and advice are fit to be shown."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message, self.advice = message, advice


class LinkGone(ReportError):
    """A link to a file does not work: unknown, over, revoked, or its file is gone. Which is not told."""
