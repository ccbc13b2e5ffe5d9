"""The form of a one-time code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy


class CodeForm(forms.Form):
    """A code of the app, or a recovery code; that alone for a person without an app."""

    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=40,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autocapitalize": "characters", "spellcheck": "false"}
        ),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, is_recovery: bool = False) -> None:
        super().__init__(data)
        if is_recovery:
            self.fields["code"].label = gettext_lazy("Recovery code")
