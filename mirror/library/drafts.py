"""Why rows may not be what was meant: kept in English with the SQL that gave them, told in the language of who reads it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mirror.library.models import LEFT_OUT
from mirror.stored_words import said_again, translated


def draft_said(draft: str, saying: Mapping[str, Any] | None = None) -> str:
    """Say it, by its parts where the row keeps them in its `saying`; empty where nothing is known.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     draft_said("This was left out: “heavy”."), draft_said("")
        ('Ausgelassen wurde: “heavy”.', '')
    """
    again = said_again(draft, saying, "draft")
    return translated(draft, (LEFT_OUT,)) if again == draft else again
