"""Values of parameters in words, for those who read what came of them: "1 to 31 October 2025", "country Norway"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from mirror.phrases import dated, one_line
from mirror.queries.parameters import ParameterError, value_read
from mirror.results.cells import shown
from sqlagent.rows.columns import in_words

# Names of the first and the last day of a period.
_BEGINS = re.compile(r"\b(since|from|start|begin|first)", re.IGNORECASE)
_ENDS = re.compile(r"\b(until|till|to\b|end|last)", re.IGNORECASE)

VALUE_CHARS = 60
"""Characters of one text that are said."""


def values_said(
    parameters: Sequence[Mapping[str, Any]], arguments: Mapping[str, Any], today: date | None = None
) -> str:
    """Say the values of parameters in their order; empty without parameters. Dates in words are as of `today`.

    Two dates whose names say so, as since and until, from and to, are a period from one day to the other. A parameter without a value, or with one that cannot be read, is left out:
    `sql_bind` is the one to refuse it.

    Example:
        >>> month = [{"name": "since", "kind": "date"}, {"name": "until", "kind": "date"}, {"name": "country", "kind": "text"}]
        >>> values_said(month, {"since": "2025-10-01", "until": "2025-10-31", "country": "Norway"})
        '1 to 31 October 2025, country Norway'
    """
    read: list[tuple[str, str | Decimal | date | bool]] = []
    for parameter in parameters:
        given = arguments.get(parameter["name"])
        given = parameter.get("default") if given in (None, "") else given
        if given in (None, ""):
            continue
        try:
            value = value_read(parameter, given, today)
        except ParameterError:
            continue
        label = one_line(str(parameter.get("label") or ""), 40) or in_words(parameter["name"])
        read.append((label[:1].lower() + label[1:] if label[1:2].islower() else label, value))
    days = [value for _, value in read if isinstance(value, date)]
    begins, ends = (
        [bool(pattern.search(label)) for label, value in read if isinstance(value, date)]
        for pattern in (_BEGINS, _ENDS)
    )
    is_period = begins == [True, False] and ends == [False, True]
    if not is_period or days[0] > days[1]:
        return ", ".join(f"{label} {_said(value)}" for label, value in read)
    others = [f"{label} {_said(value)}" for label, value in read if not isinstance(value, date)]
    return ", ".join([period_said(days[0], days[1]), *others])


def period_said(first: date, last: date) -> str:
    """Say the days from one to another, both of them in it.

    Example:
        >>> period_said(date(2025, 12, 1), date(2026, 1, 31)), period_said(date(2026, 1, 5), date(2026, 1, 5))
        ('1 December 2025 to 31 January 2026', '5 January 2026')
    """
    if first == last:
        return day_in_full(last)
    form = "j F Y"
    if first.year == last.year:
        form = "j F" if first.month != last.month else "j"
    return _("%(first)s to %(last)s") % {"first": dated(first, form), "last": day_in_full(last)}


def day_in_full(day: date) -> str:
    """Say a day.

    Example:
        >>> day_in_full(date(2026, 11, 2))
        '2 November 2026'
    """
    return dated(day, "j F Y")


def _said(value: str | Decimal | date | bool) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, date):
        return day_in_full(value)
    if isinstance(value, Decimal):
        return shown(value).text
    return one_line(value, VALUE_CHARS) or "empty"
