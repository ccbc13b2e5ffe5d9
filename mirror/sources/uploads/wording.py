"""Numbers within the texts that are told of an uploaded file."""

from __future__ import annotations

from sqlagent.language.saying import Saying, number


def figure(count: int) -> Saying:
    """Write a whole number with its thousands set apart."""
    return number(f"{count:,}")
