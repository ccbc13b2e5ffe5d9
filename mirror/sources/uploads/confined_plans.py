"""The work on uploaded files as `mirror.confined` calls it: what is wrong is in the answer, not raised."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from django.utils.translation import gettext_noop

from mirror.sources.uploads.loading import Problem, write_tables
from mirror.sources.uploads.plans import FilePlan, TablePlan
from mirror.sources.uploads.staging import plan_file, plan_table

ROWS_SO_FAR = gettext_noop("{name}: {rows} rows so far")

__all__ = ["Problem", "file_planned", "table_planned", "write_tables"]


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
