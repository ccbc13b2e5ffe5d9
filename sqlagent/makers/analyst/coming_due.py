"""Periods to come: "due in november", "expiring in march", "ending before christmas" mean the next one, not the last one.

A month without its year is the last one that began, as nearly all questions are about the past. With "due", "ending" or "expiring"
it is the next one, this month included. With "was due", "ended" or "expired" it stays in the past.
"""

from __future__ import annotations

import re
from datetime import date

from sqlagent.language.lexicon import MONTH_PATTERN, MONTHS

_COMES = r"\b(?<!was )(?<!were )(?<!fell )(?P<what>(?:due|expir(?:es?|ing)|run(?:s|ning)? out|end(?:s|ing)|laps(?:es?|ing)|matur(?:es?|ing)|(?:up|due) for (?:renewal|review|service)|renew(?:s|ing))\b(?: (?!in\b|by\b|before\b|during\b|until\b)[a-z]+){0,3}?)"
_MONTH = re.compile(
    rf"{_COMES} (?P<way>in|by|before|during|until) (?:the end of )?(?P<month>{MONTH_PATTERN})\b(?!\.?,? ?(?:\d|this|last|next|of\b))",
    re.IGNORECASE,
)
_FEAST = re.compile(
    rf"{_COMES} (?P<way>by|before|until) (?P<feast>christmas|xmas|new year(?:['’]?s)?(?: day)?)\b(?! \d)",
    re.IGNORECASE,
)


def coming(text: str, today: date) -> str:
    """Give a question with the year of a month that is yet to come.

    Example:
        >>> coming("invoices due in november", date(2026, 10, 31)), coming("leases ending in march", date(2026, 10, 31))
        ('invoices due in november 2026', 'leases ending in march 2027')
        >>> coming("invoices that were due in november", date(2026, 10, 31))
        'invoices that were due in november'
    """
    text = _MONTH.sub(lambda found: _dated(found, today), text)
    return _FEAST.sub(lambda found: _before_feast(found, today), text)


def _dated(found: re.Match[str], today: date) -> str:
    month = MONTHS[found["month"].lower().rstrip(".")]
    year = today.year if month >= today.month else today.year + 1
    return f"{found[0]} {year}"


def _before_feast(found: re.Match[str], today: date) -> str:
    if found["feast"].lower().startswith("new"):
        return f"{found['what']} {found['way']} 1 january {today.year + 1}"
    year = today.year if (today.month, today.day) <= (12, 25) else today.year + 1
    return f"{found['what']} {found['way']} 25 december {year}"
