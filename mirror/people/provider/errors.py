"""Faults of signing in by an identity provider, in words for the person who wants to sign in."""

from __future__ import annotations


class ProviderError(Exception):
    """Nobody is let in. The message is fit to be shown, and so is `advice`, the way on. `detail` is for the log alone."""

    status = 502
    title = "That did not work"

    def __init__(self, said: str, advice: str = "", detail: str = "") -> None:
        super().__init__(said)
        self.advice = advice
        self.detail = detail or said


class ProviderDown(ProviderError):
    """It cannot be reached, or breaks; another try may work."""

    status = 503
    title = "The sign-in service cannot be reached"


class ProviderMistaken(ProviderError):
    """Its settings, or those of Mirror, let nobody sign in."""

    title = "The sign-in service is not set up rightly"


class Untrusted(ProviderError):
    """The proof that came back cannot be trusted."""

    status = 403
    title = "The sign-in could not be trusted"


class NotLetIn(ProviderError):
    """The provider knows the person, who may not enter here."""

    status = 403
    title = "You are not let in"


class Stale(ProviderError):
    """The answer belongs to no sign-in that was begun in this browser."""

    status = 400
    title = "This sign-in is not known here"


class GrantRefused(ProviderError):
    """The provider no longer vouches for somebody."""

    status = 403
    title = "You are not let in"
