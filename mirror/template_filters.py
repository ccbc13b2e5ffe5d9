"""Filters that every template has without loading them."""

from __future__ import annotations

import datetime
from typing import Any

from django import template
from django.template.defaultfilters import date as date_as_it_is
from django.utils.translation import gettext

from mirror.phrases import figure_said, mid_sentence

register = template.Library()


@register.filter(expects_localtime=True, is_safe=False)
def date(value: datetime.date | None, form: str | None = None) -> Any:
    """Write a day or a time as Django's own filter does, in the form that the catalog of the language has for this one.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     date(datetime.date(2026, 11, 28), "j M Y")
        '28. Nov. 2026'
    """
    return date_as_it_is(value, gettext(form) if form else form)


@register.filter
def figure(text: str) -> str:
    """Write a kept number as the language does.

    Example:
        >>> figure("4,464,865.11")
        '4,464,865.11'
    """
    return figure_said(text)


register.filter(mid_sentence)
