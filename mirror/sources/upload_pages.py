"""The content of the page about uploaded files: every field beside what it corrects."""

from __future__ import annotations

from dataclasses import dataclass

from django.forms import BoundField

from mirror.sources.upload_forms import ReviewForm
from mirror.sources.uploads import ColumnPlan, FilePlan, TablePlan
from mirror.stored_words import said_now


@dataclass(frozen=True, slots=True)
class UploadColumn:
    """One column and the fields that correct it."""

    plan: ColumnPlan
    note: str
    keep: BoundField
    name: BoundField
    kind: BoundField


@dataclass(frozen=True, slots=True)
class UploadTable:
    """One table and the fields that correct it."""

    plan: TablePlan
    asked: list[str]
    keep: BoundField
    name: BoundField
    header: BoundField | None
    lenient: BoundField
    columns: list[UploadColumn]


@dataclass(frozen=True, slots=True)
class FileBlock:
    """One file and the fields that correct how it is read."""

    plan: FilePlan
    error: str
    notes: list[str]
    encoding: BoundField | None
    delimiter: BoundField | None
    tables: list[UploadTable]


def file_blocks(form: ReviewForm) -> list[FileBlock]:
    """Lay out the files of an upload with their fields."""

    def field(name: str) -> BoundField | None:
        return form[name] if name in form.fields else None

    return [
        FileBlock(
            plan,
            said_now(plan.error),
            [said_now(note) for note in plan.notes],
            field(f"f{f}_encoding"),
            field(f"f{f}_delimiter"),
            [_table(form, f"f{f}t{t}", table) for t, table in enumerate(plan.tables)],
        )
        for f, plan in enumerate(form.plans)
    ]


def _table(form: ReviewForm, key: str, table: TablePlan) -> UploadTable:
    return UploadTable(
        table,
        [said_now(question) for question in table.asked],
        form[f"{key}_keep"],
        form[f"{key}_name"],
        form[f"{key}_header"] if table.has_rows_above else None,
        form[f"{key}_lenient"],
        [
            UploadColumn(
                column,
                said_now(column.note),
                form[f"{key}c{c}_keep"],
                form[f"{key}c{c}_name"],
                form[f"{key}c{c}_kind"],
            )
            for c, column in enumerate(table.columns)
        ],
    )
