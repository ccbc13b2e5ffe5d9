"""Values of :names as a form beside an editor sends them: a field `value-` and the name for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mirror.storable import storable

FIELD = "value-"
VALUE_CHARS = 2_000


def values_typed(sent: Mapping[str, Any]) -> dict[str, str]:
    """The values that were sent, by name.

    Example:
        >>> values_typed({"value-year": "2025", "sql": "SELECT :year"})
        {'year': '2025'}
    """
    return {
        name.removeprefix(FIELD): str(storable(str(sent[name])))[:VALUE_CHARS]
        for name in sent
        if name.startswith(FIELD)
    }
