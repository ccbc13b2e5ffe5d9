"""Secrets at rest: a text field encrypted with the settings' own keys, opened only where it is used.

Keys are `settings.MIRROR_ENCRYPTION_KEYS`, newest first; a value encrypted with an older one is
still read, and written anew with the newest when it is set again or by `manage.py rotate_keys`. A
value no key opens is an error where it is needed, never an empty password, and no page breaks.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.db.models import Value
from django.db.models.functions import Cast
from django.db.models.query_utils import DeferredAttribute

# How a secret begins in a dump of the store.
SEAL = "sealed:"
# Rows looked at between two looks at the store.
CHUNK = 500


class SecretUnreadable(ImproperlyConfigured):
    """A stored secret that none of the keys opens, or keys that are none; the message is fit to be shown."""


@dataclass(frozen=True, slots=True, repr=False)
class Sealed:
    """A secret as the store has it."""

    token: str

    def opened(self) -> str:
        """Decrypt it. Raises: SecretUnreadable."""
        try:
            return MultiFernet(_keys()).decrypt(self.token.encode()).decode()
        except InvalidToken:
            raise SecretUnreadable(
                "A stored secret cannot be read with the keys in MIRROR_ENCRYPTION_KEYS. "
                "Add the key it was written with to the end of that list."
            ) from None


def _keys() -> list[Fernet]:
    keys = []
    for number, key in enumerate(settings.MIRROR_ENCRYPTION_KEYS, 1):
        try:
            keys.append(Fernet(key))
        except ValueError:
            raise SecretUnreadable(
                f"Key {number} in MIRROR_ENCRYPTION_KEYS is not a key: it must be 32 bytes in URL-safe base64."
            ) from None
    if not keys:
        raise SecretUnreadable("MIRROR_ENCRYPTION_KEYS is empty: no secret can be kept or read.")
    return keys


class _Attribute(DeferredAttribute):
    """Decrypts when the attribute is looked at, and not before."""

    def __get__(self, instance: Any, cls: Any = None) -> Any:
        if instance is None:
            return self
        name = self.field.attname
        if name not in instance.__dict__:
            super().__get__(instance, cls)
        value = instance.__dict__[name]
        if isinstance(value, Sealed):
            value = instance.__dict__[name] = value.opened()
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.field.attname] = value


class EncryptedTextField(models.TextField):
    """Text that the store only ever sees encrypted. It cannot be filtered on.

    Looking at it raises SecretUnreadable when no key opens it; saving it unseen keeps it as it is.
    """

    descriptor_class = _Attribute

    def get_prep_value(self, value: str | Sealed | None) -> str | None:
        if isinstance(value, Sealed):
            return value.token
        return value if value in (None, "") else MultiFernet(_keys()).encrypt(str(value).encode()).decode()

    def from_db_value(self, value: str | None, *_: Any) -> str | Sealed | None:
        return value if value in (None, "") else Sealed(str(value))

    def value_from_object(self, obj: models.Model) -> Any:
        """Give what may leave in a dump: the secret as the store has it, which `to_python` takes back."""
        value = obj.__dict__.get(self.attname)
        return value if value in (None, "") else SEAL + str(self.get_prep_value(value))

    def to_python(self, value: Any) -> Any:
        """Take text, or what a dump holds."""
        if isinstance(value, str) and value.startswith(SEAL):
            return Sealed(value.removeprefix(SEAL))
        return value

    def pre_save(self, model_instance: models.Model, add: bool) -> Any:
        """Take what is there as it is, opened or not."""
        return model_instance.__dict__.get(self.attname, "")


def is_kept(instance: models.Model, field: str) -> bool:
    """Say whether an instance has a secret, without opening it."""
    if field in instance.get_deferred_fields():
        row = type(instance)._base_manager.filter(pk=instance.pk)
        return bool(row.values_list(field, flat=True).first())
    return bool(instance.__dict__.get(field))


# ---------------------------------------------------------------- rotation


@dataclass(slots=True)
class Rotated:
    """The outcome of the secrets of one field; `unreadable` are primary keys of rows that no key opens."""

    name: str
    rewritten: int
    current: int
    unreadable: list[Any]


def secrets_rotate() -> Iterator[Rotated]:
    """Encrypt every stored secret with the newest key, one field of a model after another.

    Row by row, each only if nobody changed it meanwhile: it may be broken off and begun again at
    any time, with Mirror running. Raises: SecretUnreadable when the keys themselves are wrong.
    """
    newest, every = _keys()[0], MultiFernet(_keys())
    for model in apps.get_models():
        for field in model._meta.local_fields:
            if not isinstance(field, EncryptedTextField):
                continue
            done = Rotated(f"{field.name} of {model._meta.verbose_name_plural}", 0, 0, [])
            for pk, token in _tokens(model, field):
                if _opens(newest, token):
                    done.current += 1
                elif _opens(every, token):
                    done.rewritten += _rewrite(model, field, pk, token, every)
                else:
                    done.unreadable.append(pk)
            yield done


def secrets_unreadable() -> Iterator[tuple[str, list[Any]]]:
    """Name the rows whose secrets no key opens, by the field they are in. Raises: SecretUnreadable when the keys are wrong."""
    every = MultiFernet(_keys())
    for model in apps.get_models():
        for field in model._meta.local_fields:
            if isinstance(field, EncryptedTextField):
                lost = [pk for pk, token in _tokens(model, field) if not _opens(every, token)]
                yield f"{field.name} of {model._meta.verbose_name_plural}", lost


def _raw(model: type[models.Model], field: models.Field[Any, Any]) -> models.QuerySet[Any]:
    return model._base_manager.annotate(sealed=Cast(field.name, models.TextField()))


def _tokens(model: type[models.Model], field: models.Field[Any, Any]) -> Iterator[tuple[Any, str]]:
    rows = _raw(model, field).exclude(sealed=None).exclude(sealed="").order_by("pk")
    last = None
    while chunk := list(
        (rows if last is None else rows.filter(pk__gt=last)).values_list("pk", "sealed")[:CHUNK]
    ):
        yield from chunk
        last = chunk[-1][0]


def _opens(keys: Fernet | MultiFernet, token: str) -> bool:
    try:
        keys.decrypt(token.encode())
    except InvalidToken:
        return False
    return True


def _rewrite(
    model: type[models.Model], field: models.Field[Any, Any], pk: Any, token: str, keys: MultiFernet
) -> int:
    anew = Value(keys.rotate(token.encode()).decode(), output_field=models.TextField())
    return _raw(model, field).filter(pk=pk, sealed=token).update(**{field.name: anew})
