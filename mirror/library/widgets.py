"""Fields that offer what may be typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django import forms
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString


class OfferingInput(forms.TextInput):
    """A text field with a `<datalist>`: anything may be typed, the pairs (value, shown) are offered.

    `offered` is called when the field is rendered.
    """

    def __init__(
        self, offered: Callable[[], Iterable[tuple[str, str]]], attrs: dict[str, Any] | None = None
    ) -> None:
        super().__init__(attrs)
        self.offered = offered

    def render(
        self, name: str, value: Any, attrs: dict[str, Any] | None = None, renderer: Any = None
    ) -> SafeString:
        """Write the field and its list."""
        given = attrs or {}
        key = f"{given.get('id') or name}_offered"
        field = super().render(name, value, {**given, "list": key}, renderer)
        options = format_html_join("", '<option value="{}">{}</option>', self.offered())
        return format_html('{}<datalist id="{}">{}</datalist>', field, key, options)
