"""How many bytes a statement may read, for engines that can tell or bill it, and what is said when that is too much."""

from __future__ import annotations

from sqlagent.adapters.failures import failed
from sqlagent.errors import StatementFailed

TOO_MUCH = "SCAN_BOUND"
"""The code of a failure that the bound on bytes made, before or while the statement ran."""

_ADVICE = "Ask for less: a shorter period, fewer columns, or a filter on what the table is partitioned by."


def amount(size: float) -> str:
    """Write a number of bytes as people do.

    Example:
        >>> amount(1_500_000), amount(2.3e12), amount(900)
        ('1.5 MB', '2.3 TB', '900 bytes')
    """
    for unit, worth in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size >= worth:
            return f"{size / worth:.3g} {unit}"
    return f"{size:.0f} bytes"


def would_scan_too_much(size: float, most: int) -> StatementFailed:
    """Say before a statement runs that it would read more than it may.

    Example:
        >>> would_scan_too_much(5e9, 1_000_000_000).failure.message
        'This statement would read about 5 GB, and this source allows 1 GB. It was not run.'
    """
    message = f"This statement would read about {amount(size)}, and this source allows {amount(most)}. It was not run."
    return failed(message, advice=_ADVICE, code=TOO_MUCH)


def scans_too_much(most: int) -> StatementFailed:
    """Say that the engine stopped a statement which had read as much as it may."""
    message = f"The statement was stopped: it read more than the {amount(most)} that this source allows."
    return failed(message, advice=_ADVICE, code=TOO_MUCH)
