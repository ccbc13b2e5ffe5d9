"""Faults of signing in by an identity provider, in words for the person who wants to sign in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings
from django.utils.translation import gettext_lazy, override

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise as StrPromise


class ProviderError(Exception):
    """Nobody is let in. The message is fit to be shown, and so is `advice`, the way on. `detail` is for the log alone."""

    status = 502
    title = gettext_lazy("That did not work")

    def __init__(self, said: str | StrPromise, advice: str | StrPromise = "", detail: str = "") -> None:
        super().__init__(said)
        self.advice = advice
        self._detail = detail

    @property
    def detail(self) -> str:
        """The text for the log, in English."""
        with override(settings.LANGUAGE_CODE):
            return self._detail or str(self)


class ProviderDown(ProviderError):
    """It cannot be reached, or breaks; another try may work."""

    status = 503
    title = gettext_lazy("The sign-in service cannot be reached")


class ProviderMistaken(ProviderError):
    """Its settings, or those of Mirror, let nobody sign in."""

    title = gettext_lazy("The sign-in service is not set up rightly")


class Untrusted(ProviderError):
    """The proof that came back cannot be trusted."""

    status = 403
    title = gettext_lazy("The sign-in could not be trusted")


class NotLetIn(ProviderError):
    """The provider knows the person, who may not enter here."""

    status = 403
    title = gettext_lazy("You are not let in")


class Stale(ProviderError):
    """The answer belongs to no sign-in that was begun in this browser."""

    status = 400
    title = gettext_lazy("This sign-in is not known here")


class GrantRefused(ProviderError):
    """The provider no longer vouches for somebody."""

    status = 403
    title = gettext_lazy("You are not let in")
