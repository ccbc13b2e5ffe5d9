"""Texts quoted in reasons."""

from __future__ import annotations

from collections.abc import Sequence


def quoted(texts: Sequence[str]) -> str:
    """Quote a few texts, each cut to a line.

    Example:
        >>> quoted(["big spender", "north"])
        '“big spender”, “north”'
    """
    return ", ".join(f"“{text if len(text) <= 80 else text[:79] + '…'}”" for text in texts[:4])
