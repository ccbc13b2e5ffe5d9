"""Reads what a child wrote, and makes nothing of it but values of a list.

A child that a statement has broken cannot have another function called here.
"""

from __future__ import annotations

import io
import pickle
from typing import Any

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
        raise NotPlain(f"{module}.{name} is no plain value")


def plain(data: bytes | bytearray) -> Any:
    """Read what a child wrote. Raises: Torn for what has no end, NotPlain for what is no plain value."""
    try:
        return _Plain(io.BytesIO(data)).load()
    except (pickle.UnpicklingError, EOFError, AttributeError, IndexError, ValueError, TypeError) as error:
        raise Torn(str(error)) from error
