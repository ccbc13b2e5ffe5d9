"""The forms of a judge's replies as JSON schemas, for servers that see to them.

`why` comes first: a model that has to write JSON from its first word gives its reasons before it decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_NUMBER = {"type": "number"}


def duel_form() -> dict[str, Any]:
    """Which of two is better."""
    return _object(why=_TEXT, better={"type": "string", "enum": ["A", "B", "tie"]}, confidence=_NUMBER)


def order_form() -> dict[str, Any]:
    """All candidates, best first."""
    return _object(why=_TEXT, order=_TEXTS)


def audit_form(verdicts: Sequence[str]) -> dict[str, Any]:
    """A verdict on a pool."""
    word = {"type": "string", "enum": list(verdicts)}
    return _object(why=_TEXT, verdict=word, reason=_TEXT, unmet=_TEXTS)


def marks_form(names: Sequence[str]) -> dict[str, Any]:
    """A mark for each candidate."""
    return _object(marks=_object(**dict.fromkeys(names, _NUMBER)))


def _object(**properties: Any) -> dict[str, Any]:
    """Describe an object that has all of these and no others, as OpenAI's strict form wants it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
