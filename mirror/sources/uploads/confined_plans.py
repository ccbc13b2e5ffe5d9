"""The work on uploaded files as `mirror.confined` calls it: what is wrong is in the answer, not raised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.utils.translation import gettext_noop

from mirror.phrases import separated
from mirror.sources.uploads.loading import Problem, write_tables
from mirror.sources.uploads.plans import FilePlan, TablePlan
from mirror.sources.uploads.staging import plan_file, plan_table
from mirror.stored_words import translated

ROWS_SO_FAR = gettext_noop("{name}: {rows} rows so far")

__all__ = ["Problem", "file_planned", "progress_said", "table_planned", "write_tables"]


def progress_said(kept: str) -> str:
    """Say in the language that is active how far a file is, as it was told.

    Example:
        >>> from django.utils.translation import override
        >>> with override("de"):
        ...     progress_said("sales.1,5.csv: 20,000 rows so far")
        'sales.1,5.csv: bisher 20.000 Zeilen'
    """
    name, _, told = kept.rpartition(": ")
    if not name:
        return translated(kept)
    return translated(f"{name}: {separated(told)}", (ROWS_SO_FAR,))


def file_planned(plan: FilePlan, folder: Path, tell: Callable[[str], None] | None = None) -> FilePlan:
    """Stage a file and guess its tables; `tell` is told how far it is."""
    words = (
        None if tell is None else (lambda rows: tell(ROWS_SO_FAR.format(name=plan.name, rows=f"{rows:,}")))
    )
    plan_file(plan, folder, words)
    return plan


def table_planned(staged: Path, table: TablePlan) -> TablePlan:
    """Guess a table anew."""
    plan_table(staged, table)
    return table
