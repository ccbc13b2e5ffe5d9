"""The formats there are, for menus that offer them."""

from __future__ import annotations

from collections.abc import Iterable

from django import template

from mirror.exports.values import FORMATS, Format

register = template.Library()


@register.simple_tag
def formats() -> Iterable[Format]:
    """List every format, in the order people are offered them."""
    return FORMATS.values()
