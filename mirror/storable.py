"""Texts and JSON from outside, made fit to be stored and shown."""

from __future__ import annotations

import math
from typing import Any


def storable(value: Any) -> Any:
    """Make JSON and text fit for any store: no NUL and no half character in texts, no NaN among numbers.

    Example:
        >>> storable({"a": [float("nan"), 1, "nul" + chr(0), "half" + chr(0xD800)]})
        {'a': ['nan', 1, 'nul␀', 'half?']}
    """
    match value:
        case str():
            return value.replace("\x00", "␀").encode("utf-8", "replace").decode()
        case float():
            return value if math.isfinite(value) else repr(value)
        case dict():
            return {storable(key): storable(inner) for key, inner in value.items()}
        case list() | tuple():
            return [storable(inner) for inner in value]
        case _:
            return value
