"""Characters that cannot be seen: they part a word, turn a line or end it unnoticed."""

from __future__ import annotations

import unicodedata

_KINDS = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def unseen(text: str, besides: str = "") -> str:
    """Name the first character of a text that cannot be seen, `besides` some; empty when there is none.

    Example:
        >>> unseen("pri\\u202ece"), unseen("price\\n"), unseen("price\\n", besides="\\n")
        ('U+202E', 'U+000A', '')
    """
    for letter in text:
        if letter not in besides and unicodedata.category(letter) in _KINDS:
            return f"U+{ord(letter):04X}"
    return ""
