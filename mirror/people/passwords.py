"""Rules for passwords beyond Django's own."""

from __future__ import annotations

import re

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# A password without what everybody knows of a person still has to be this long (characters): as long as any.
LEAST = 8
# Shorter pieces of a name occur in words of their own.
PIECE = 3


class BesideTheName:
    """A password must be long enough without its owner's name and mail address: `weak1234` is four digits for `weak`.

    Django's own rule compares as a whole and lets it pass.
    """

    def validate(self, password: str, user: AbstractUser | None = None) -> None:
        """Look at a password. Raises: ValidationError."""
        rest = password.casefold()
        for piece in sorted(_pieces(user), key=len, reverse=True):
            rest = rest.replace(piece, "")
        if len(rest) < LEAST <= len(password):
            raise ValidationError(
                _(
                    "Without your name or mail address this password has fewer than %(least)s characters. Choose "
                    "one that has nothing to do with them."
                )
                % {"least": LEAST},
                code="password_is_a_name",
            )

    def get_help_text(self) -> str:
        """Say the rule to somebody who chooses."""
        return _("Your password must have %(least)s characters besides your name or mail address.") % {
            "least": LEAST
        }


def _pieces(user: AbstractUser | None) -> set[str]:
    """The words of somebody's names and mail address, and what stands before its @."""
    if user is None:
        return set()
    known = [user.get_username(), user.first_name, user.last_name, user.email, user.email.partition("@")[0]]
    whole = {text.casefold() for text in known}
    return {piece for text in whole for piece in (text, *re.split(r"\W+|_", text)) if len(piece) >= PIECE}
