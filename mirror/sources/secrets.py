"""Secrets at rest: a text field encrypted with the settings' own keys.

Keys are `settings.MIRROR_ENCRYPTION_KEYS`, newest first; a value encrypted with an older
one is still read and is written anew with the newest. A value no key opens is an error,
never an empty password.
"""

from __future__ import annotations

from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models


def _fernet() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.MIRROR_ENCRYPTION_KEYS])


class EncryptedTextField(models.TextField):
    """Text that the store only ever sees encrypted. It cannot be filtered on."""

    def get_prep_value(self, value: str | None) -> str | None:
        return value if value in (None, "") else _fernet().encrypt(str(value).encode()).decode()

    def from_db_value(self, value: str | None, *_: Any) -> str | None:
        if value in (None, ""):
            return value
        try:
            return _fernet().decrypt(str(value).encode()).decode()
        except InvalidToken:
            raise ImproperlyConfigured(
                "A stored secret cannot be read with the keys in MIRROR_ENCRYPTION_KEYS. "
                "Add the key it was written with to the end of that list."
            ) from None
