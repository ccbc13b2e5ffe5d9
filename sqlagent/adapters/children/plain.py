"""Reads what a child wrote, and makes nothing of it but values of a list.

A child that a statement has broken cannot have another function called here.
"""

from __future__ import annotations

import io
import pickle
from enum import Enum, EnumType
from typing import Any, cast

from sqlagent.forks.frames import Torn


class NotPlain(RuntimeError):
    """A message makes something that is not on the list `MADE_OF`."""


MADE_OF = frozenset(
    (
        *(("decimal", "Decimal"), ("uuid", "UUID"), ("uuid", "SafeUUID")),
        *(("datetime", name) for name in ("date", "time", "datetime", "timedelta", "timezone")),
        *(("pytz", name) for name in ("_UTC", "_p", "FixedOffset")),
        *(("builtins", "bytearray"), ("builtins", "complex")),
        *(
            ("sqlagent.values.source", name)
            for name in ("Catalog", "Column", "ForeignKey", "Kind", "Seen", "Table")
        ),
        *(("sqlagent.values.candidates", name) for name in ("Failure", "FailureKind")),
        *(("sqlagent.values.powers", name) for name in ("Check", "Power", "Severity")),
    )
)


class _Plain(pickle.Unpickler):
    """Reads plain values by list."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in MADE_OF:
            return super().find_class(module, name)
        if (module, name) == ("builtins", "getattr"):
            return _member
        raise NotPlain(f"{module}.{name} is no plain value")


def _member(kind: Any, name: Any) -> Enum:
    """One of a list of words by its name: Python up to 3.11.3 writes these as an attribute of their class. Nothing else has attributes read."""
    if isinstance(kind, EnumType) and isinstance(name, str) and name in kind.__members__:
        return cast(Enum, kind.__members__[name])
    raise NotPlain(f"{kind!r} has no member {name!r}")


def plain(data: bytes | bytearray) -> Any:
    """Read what a child wrote. Raises: Torn for what has no end, NotPlain for what is no plain value."""
    try:
        return _Plain(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, IndexError, ValueError, TypeError) as error:
        raise Torn(str(error)) from error
