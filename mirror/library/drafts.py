"""Why rows may not be what was meant: kept in English with the SQL that gave them, told in the language of who reads it."""

from __future__ import annotations

from mirror.library.models import LEFT_OUT
from mirror.stored_words import translated


def draft_said(draft: str) -> str:
    """Say it; empty where nothing is known.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     draft_said("This was left out: “heavy”."), draft_said("")
        ('Ausgelassen wurde: “heavy”.', '')
    """
    return translated(draft, (LEFT_OUT,))
