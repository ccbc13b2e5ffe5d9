"""Texts quoted in reasons."""

from __future__ import annotations

from collections.abc import Sequence

from sqlagent.language.saying import Saying, in_commas, in_quotes


def quoted(texts: Sequence[str]) -> Saying:
    """Quote a few texts, each cut to a line.

    Example:
        >>> quoted(["big spender", "north"])
        '“big spender”, “north”'
    """
    return in_commas([in_quotes(text if len(text) <= 80 else text[:79] + "…") for text in texts[:4]])
