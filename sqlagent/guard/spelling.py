"""Words of SQL that were probably misspelt, for the advice of a refusal. Decides nothing about what passes."""

from __future__ import annotations

import re

from rapidfuzz.distance import OSA

from sqlagent.language.saying import worded

_WORDS = (
    "select",
    "from",
    "where",
    "group",
    "order",
    "having",
    "limit",
    "join",
    "distinct",
    "union",
    "between",
)
_BEGINNINGS = ("select", "with", "values")
_LONG = 6
"""Letters from which two slips are the same word; below it is one."""


def meant_first(word: str) -> str:
    """Say which word was meant where a statement begins with another; empty where none is near.

    Example:
        >>> meant_first("SELEC"), meant_first("wiht"), meant_first("DELETE"), meant_first("sel")
        ('Did you mean SELECT?', 'Did you mean WITH?', '', '')
    """
    found = _near(word, _BEGINNINGS)
    return worded("Did you mean {word}?", word=found.upper()) if found else ""


def meant_within(code: str) -> str:
    """Say which word of SQL that cannot be read may be misspelt; empty where none is.

    Example:
        >>> meant_within("SELECT a FORM t"), meant_within("SELECT a FROM t GRUOP BY a"), meant_within("SELECT a FROM 'form'")
        ('“FORM”: did you mean FROM?', '“GRUOP”: did you mean GROUP?', '')
    """
    plain = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\[[^\]]*\]", " ", code)
    for found in re.finditer(r"(?<![\w.])[A-Za-z]{3,12}(?![\w.(])", plain):
        meant = _near(found[0], _WORDS)
        if meant:
            return worded("“{found}”: did you mean {word}?", found=found[0], word=meant.upper())
    return ""


def _near(word: str, known: tuple[str, ...]) -> str:
    low = word.lower()
    if low in known:
        return ""
    for one in known:
        most = 2 if len(one) >= _LONG and len(low) >= len(one) - 1 else 1
        if len(low) >= 3 and OSA.distance(low, one, score_cutoff=most) <= most:
            return one
    return ""
