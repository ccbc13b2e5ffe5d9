"""A judge's replies as verdicts: preferences, marks and an auditor's word, however they are wrapped."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from sqlagent.prompts import replies

_NOTHING = frozenset({"", "none", "nothing", "n/a", "null", "-", "no"})


def letter(index: int) -> str:
    """Name a group in a prompt: A, B, C and so on."""
    return chr(ord("A") + index)


def label(index: int) -> str:
    """Name a candidate in a prompt that can show more than 26: C1, C2 and so on."""
    return f"C{index + 1}"


def preference(reply: str) -> float | None:
    """Read how probable it is that the first of two answers better: 0.5 for a tie; None where nothing is said."""
    value = replies.json_in(reply)
    said = next((v for k, v in value.items() if k.lower() in ("better", "winner", "best", "answer")), None)
    if said is None:
        said = replies.without_thoughts(reply).strip(" .*`\n").rpartition("\n")[2].rpartition(":")[2]
    word = str(said).strip(" .*`\"'[]").lower()
    if word in ("tie", "equal", "both", "neither", "same", "a = b", "none"):
        return 0.5
    if word not in ("a", "b", "a > b", "b > a", "candidate a", "candidate b"):
        return None
    first = word.removeprefix("candidate ").startswith("a")
    sure = _number(value.get("confidence"))
    sure = 1.0 if sure is None else sure / 100 if sure > 1 else sure
    sure = min(1.0, max(0.5, sure))
    return sure if first else 1 - sure


def bare_verdict(reply: str, verdicts: Collection[str]) -> str:
    """Read a verdict given without JSON: one of the words alone on a line, or after a colon."""
    for line in reversed(replies.without_thoughts(reply).splitlines()):
        word = line.rpartition(":")[2].strip(" .*`\"'{}").lower().replace(" ", "_")
        if word in verdicts:
            return word
    return ""


def phrases(value: Any) -> tuple[str, ...]:
    """Read phrases; straight quotes become curly, which marks them as a model's own words (`shown_words`)."""
    listed = value if isinstance(value, list) else [value] if isinstance(value, str) else []
    found = [" ".join(str(item).split())[:200] for item in listed]
    found = [re.sub(r"(?<!\w)(['\"])([^'\"]+)\1(?!\w)", "“\\2”", phrase) for phrase in found]
    return tuple(dict.fromkeys(p for p in found if p.strip(" .").lower() not in _NOTHING))[:8]


def marks(reply: str, count: int) -> dict[int, float]:
    """Read the marks, 0 to 100, of candidates by their number; those without one are left out."""
    value = replies.json_in(reply)
    listed = value.get("marks", value.get("scores", value))
    found: dict[int, float] = {}
    if isinstance(listed, list):
        listed = {label(i): mark for i, mark in enumerate(listed)}
    if isinstance(listed, dict):
        for name, mark in listed.items():
            digits = str(name).strip().lstrip("Cc[").rstrip("]")
            number = _number(mark)
            if digits.isdecimal() and 0 < int(digits) <= count and number is not None:
                found[int(digits) - 1] = min(100.0, max(0.0, number))
    return found


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(str(value).strip().rstrip("%"))
    except ValueError:
        return None
    return number if number == number else None
