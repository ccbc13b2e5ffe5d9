"""Data of the pages about a source's semantic model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from mirror.paging import Pager
from mirror.sources.model_forms import CorrectionForm
from mirror.sources.model_telling import ColumnLine, TableLine, TableTold

if TYPE_CHECKING:
    from mirror.sources.models import Source, StoredCorrection

# Lines of a page at once.
TABLES_A_PAGE, COLUMNS_A_PAGE, CORRECTIONS_SHOWN = 100, 150, 200


@dataclass(frozen=True, slots=True)
class CorrectionLine:
    """One correction: of what, what it says, who said it, and why it does nothing where it does."""

    pk: int
    table: str
    column: str
    says: str
    by: str
    at: datetime
    why: str = ""
    back_by: str = ""
    back_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ModelPage:
    """The whole model: how days are counted, its tables, what was corrected."""

    source: Source
    may_correct: bool
    calendar: list[tuple[str, str]]
    newest: str
    search: str
    tables: list[TableLine]
    pager: Pager
    total: int
    corrections: list[CorrectionLine]
    more_corrections: int
    unapplied: list[CorrectionLine]
    taken_back: list[CorrectionLine]
    is_partial: bool
    knows_values: bool


@dataclass(frozen=True, slots=True)
class TablePage:
    """One table of the model, its columns a page at a time."""

    source: Source
    may_correct: bool
    table: TableTold
    columns: list[ColumnLine]
    pager: Pager
    corrections: list[CorrectionLine]
    form: CorrectionForm | None


@dataclass(frozen=True, slots=True)
class ColumnPage:
    """One column of the model."""

    source: Source
    may_correct: bool
    table: str
    column: ColumnLine
    corrections: list[CorrectionLine]
    form: CorrectionForm | None


def correction_line(row: StoredCorrection, says: str, why: str = "") -> CorrectionLine:
    """A kept correction as a line."""
    return CorrectionLine(
        row.pk,
        row.table,
        row.column,
        says,
        str(row.made_by or "somebody"),
        row.made_at,
        why,
        str(row.taken_back_by or ""),
        row.taken_back_at,
    )
