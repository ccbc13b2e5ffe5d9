"""Corrections of a source's model as rows of the store, and as the values that `sqlagent` takes.

Example:
    >>> from mirror.sources.models import StoredCorrection
    >>> correction_of(StoredCorrection(subject="unit", table="orders", column="total", told="money")).told
    'money'
"""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from mirror.sources.models import Source, StoredCorrection
from sqlagent.values import Correction, Corrections, Subject


def corrections_in_force(source: Source) -> QuerySet[StoredCorrection]:
    """List the rows that were not taken back, in the order they were made."""
    return StoredCorrection.objects.filter(source=source, taken_back_at=None)


def corrections_taken_back(source: Source) -> QuerySet[StoredCorrection]:
    """List the rows that were taken back, the latest first, with who made them and who took them back."""
    gone = StoredCorrection.objects.filter(source=source).exclude(taken_back_at=None)
    return gone.select_related("made_by", "taken_back_by").order_by("-taken_back_at", "-pk")


def corrections_of(source: Source) -> Corrections:
    """Give what is in force, as a catalog carries it: one look into the store."""
    return tuple(map(correction_of, corrections_in_force(source)))


def catalog_described(source: Source) -> dict[str, Any] | None:
    """Give the catalog as it is kept, with its owner's descriptions in place of comments."""
    kept: dict[str, Any] | None = source.catalog
    if not kept:
        return None
    said = {
        (row.table, row.column.lower()): row.told
        for row in corrections_in_force(source).filter(subject=Subject.DESCRIPTION)
    }
    if not said:
        return kept
    described = {table for table, _ in said}

    def told(table: dict[str, Any]) -> dict[str, Any]:
        key = f"{table['schema']}.{table['name']}" if table["schema"] else table["name"]
        if key not in described:
            return table
        columns = [
            {**c, "comment": said.get((key, c["name"].lower()), c["comment"])} for c in table["columns"]
        ]
        return {**table, "comment": said.get((key, ""), table["comment"]), "columns": columns}

    return {**kept, "tables": [told(table) for table in kept["tables"]]}


def correction_of(row: StoredCorrection) -> Correction:
    """A row as a value."""
    return Correction(Subject(row.subject), row.table, row.column, row.value, row.told)
