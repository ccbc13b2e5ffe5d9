"""Errors raised on purpose, for requests that cannot be met."""

from __future__ import annotations


class AskingError(Exception):
    """Something asked for cannot be done; the message is fit to be shown."""


class StillWorking(AskingError):
    """It has to end first."""


class TooMuchWaits(AskingError):
    """So much of one person is on its way that more is not taken."""
