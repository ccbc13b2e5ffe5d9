"""Worksheets whose cells hold what they were given, to the last digit and letter."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from xlsxwriter.worksheet import Worksheet


class PlainSheet(Worksheet):  # type: ignore[misc]
    """A worksheet that writes every digit of a number, and of a text nothing but text.

    XlsxWriter rounds floats to 16 digits, and takes a text `<r>...</r>` for markup of its own, which
    goes into the file as it is.
    """

    def _xml_number_element(self, number: Any, attributes: Sequence[tuple[str, Any]] = ()) -> None:
        written = repr(number) if isinstance(number, float) else str(number)
        parts = "".join(f' {key}="{value}"' for key, value in attributes)
        self.fh.write(f"<c{parts}><v>{written}</v></c>")

    def _xml_rich_inline_string(self, string: str, attributes: Any = ()) -> None:
        self._xml_inline_string(string, True, attributes)
