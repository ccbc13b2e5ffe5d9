"""A pivot of stored rows, reckoned once: kept in the store with them, for a card that many look at.

Rows of a result never change, so what was reckoned stays right as long as they are there, and goes with them.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import astuple
from typing import Any

from django.db import DatabaseError, transaction

from mirror.results.column_storage import UNTAG, tagged
from mirror.results.models import KeptPivot, StoredResult
from mirror.results.pivots import Pivot, PivotWish, pivot

# Counted up when pivots come to be reckoned in another way: those that are kept are of the old one.
_VERSION = 1
# Characters of a pivot that is kept; one of very long values is reckoned again.
_LONGEST = 1_000_000


def pivot_once(result: StoredResult, wish: PivotWish, most: int) -> Pivot:
    """Give the first `most` rows of a pivot, kept from when they were reckoned first. Raises: ResultGone, BadFilter, BadPivot."""
    told = json.dumps([_VERSION, most, *astuple(wish)])
    key = hashlib.sha256(told.encode()).hexdigest()
    kept = KeptPivot.objects.filter(result=result, key=key).first()
    if kept is not None:
        return _read(kept.data)
    found = pivot(result, wish, 0, most)
    data = _written(found)
    if len(json.dumps(data)) <= _LONGEST:
        # A page that cannot keep it shows it all the same: the rows may be deleted by now, the disk may be full.
        with suppress(DatabaseError), transaction.atomic():
            KeptPivot.objects.bulk_create(
                [KeptPivot(result=result, key=key, data=data)], ignore_conflicts=True
            )
    return found


def _written(found: Pivot) -> dict[str, Any]:
    return {
        "columns": _cells_written(found.columns),
        "column_count": found.column_count,
        "rows": [
            [_cells_written(keys), _cells_written(cells), _cell_written(total)]
            for keys, cells, total in found.rows
        ],
        "row_count": found.row_count,
        "foot": _cells_written(found.foot),
        "whole": _cell_written(found.whole),
    }


def _read(data: dict[str, Any]) -> Pivot:
    return Pivot(
        tuple(_cells_read(data["columns"])),
        data["column_count"],
        [
            (tuple(_cells_read(keys)), _cells_read(cells), _cell_read(total))
            for keys, cells, total in data["rows"]
        ],
        data["row_count"],
        _cells_read(data["foot"]),
        _cell_read(data["whole"]),
    )


def _cells_written(values: Any) -> list[Any]:
    return [_cell_written(value) for value in values]


def _cells_read(kept: list[Any]) -> list[Any]:
    return [_cell_read(one) for one in kept]


def _cell_written(value: Any) -> list[str] | None:
    """A value as its type and its text: exact, and without signs that a store refuses."""
    if value is None:
        return None
    if isinstance(value, str) and "\x00" in value:
        return ["y", value.encode("utf-8", "surrogatepass").hex()]
    text, letter, _order = tagged(value)
    return [letter, text]


def _cell_read(kept: list[str] | None) -> Any:
    return None if kept is None else UNTAG[kept[0]](kept[1])
