"""Messages of ClickHouse, cut down to the event: number and name of an error, the place, what it proposes."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"Code: (\d+)\.|code: (\d+)\b")
_NAME = re.compile(r"\(([A-Z][A-Z0-9_]{3,})\)")
_SAID = re.compile(r"DB::Exception: (?:[\w.-]+: (?=Cannot execute))?(?P<said>.+)", re.DOTALL)
_END = re.compile(
    r"\s*\([A-Z][A-Z0-9_]{3,}\)|\s*\(version |\s*\(for url |\. In scope |\. Expected one of|: While |\. Stack trace|: \(in query|: In scope "
)
_MEANT = re.compile(r"[.,]?\s*(?:Maybe you meant|Did you mean):?\s*\[?(?P<names>[^\]\n]*)\]?\??")


def code_of(text: str) -> int:
    """Read the number of an error; 0 where there is none.

    Example:
        >>> code_of("Received ClickHouse exception, code: 47, server response: Code: 47. DB::Exception: x")
        47
    """
    found = _NUMBER.search(text)
    return int(found[1] or found[2]) if found else 0


def name_of(text: str) -> str:
    """Read the name that ClickHouse gives a kind of error.

    Example:
        >>> name_of("Code: 47. DB::Exception: Unknown expression identifier `nam`. (UNKNOWN_IDENTIFIER)")
        'UNKNOWN_IDENTIFIER'
    """
    found = _NAME.findall(text)
    return found[-1] if found else ""


def said(text: str) -> tuple[str, str]:
    """Cut an error down to what happened and what to do.

    Example:
        >>> said("Code: 47. DB::Exception: Unknown expression identifier `nam`. In scope SELECT nam FROM t. "
        ...      "Maybe you meant: ['name']. (UNKNOWN_IDENTIFIER)")
        ('Unknown expression identifier `nam`.', 'Maybe you meant name.')
    """
    meant = _MEANT.search(text)
    names = re.sub(r"['\"`]", "", meant["names"]).strip(" .") if meant else ""
    bare = _MEANT.sub("", text) if meant else text
    found = _SAID.search(bare)
    line = re.sub(r"\s+", " ", _END.split(found["said"] if found else bare, maxsplit=1)[0]).strip(" .")
    return f"{line[:500] or 'The server gave no reason'}.", f"Maybe you meant {names}." if names else ""


def position_of(text: str) -> int | None:
    """Find the place at which ClickHouse stumbled, counted from 0.

    Example:
        >>> position_of("Code: 62. DB::Exception: Syntax error: failed at position 8 (FRM): FRM t.")
        7
    """
    found = re.search(r"failed at position (\d+)", text)
    return int(found[1]) - 1 if found else None
