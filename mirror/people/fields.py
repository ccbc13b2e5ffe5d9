"""Fields of forms that several subjects use."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from mirror.people.requests import is_id
from mirror.phrases import is_one_line


def one_line_check(text: str) -> None:
    """Refuse line ends, and characters that hide or turn what stands beside them: a validator of names. Raises: ValidationError."""
    if not is_one_line(text):
        raise ValidationError(
            _("This holds a line end, or a character that cannot be seen. Type it without."), code="unseen"
        )


class SecretField(forms.CharField):
    """A password for another program: taken as it was typed and never given back; a browser fills in none of its own."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.PasswordInput(attrs={"autocomplete": "new-password"})
        super().__init__(max_length=500, strip=False, widget=widget, **kwargs)


class RowsField(forms.ModelMultipleChoiceField):
    """Rows to choose by boxes. An id that no row can have is refused, which SQLite would fail on: Django bounds the id of one row alone."""

    def _check_values(self, value: Iterable[Any]) -> QuerySet[Any]:
        for key in value:
            if not is_id(str(key)):
                words = self.error_messages["invalid_choice"]
                raise ValidationError(words, code="invalid_choice", params={"value": str(key)[:40]})
        found: QuerySet[Any] = super()._check_values(value)  # type: ignore[misc]
        return found
