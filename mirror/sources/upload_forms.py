"""Corrections of uploaded files: names, types, what is left out, how a file is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mirror.sources.models import Source
from mirror.sources.quick_widgets import QuickCheckbox, QuickSelect, QuickText
from mirror.sources.uploads import (
    DELIMITERS,
    ENCODINGS,
    KINDS,
    ColumnPlan,
    FilePlan,
    LoadError,
    TablePlan,
    table_name,
)

TYPES = [(code, kind.label) for code, kind in KINDS.items()]


class FilesInput(forms.ClearableFileInput):
    """A choice of several files."""

    allow_multiple_selected = True


class FilesField(forms.FileField):
    """Several files at once."""

    def clean(self, data: Any, initial: Any = None) -> list[Any]:
        """Each file as Django checks it."""
        return [super(FilesField, self).clean(item, initial) for item in (data or [None])]


class FilesForm(forms.Form):
    """The files to upload."""

    files = FilesField(  # type: ignore[assignment] # what was posted is `files` of a form, the field its name
        label=gettext_lazy("Files"),
        allow_empty_file=True,
        widget=FilesInput(
            attrs={
                "accept": ".csv,.tsv,.txt,.xlsx,.xlsm,.parquet,.pq,.jsonl,.ndjson,.json,.sqlite,.sqlite3,.db,.db3"
            }
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["files"].help_text = _(
            "CSV, XLSX, Parquet, JSON lines or SQLite, %(upload_megabytes)s MB at most together. Drop them on the field or choose them."
        ) % {"upload_megabytes": f"{settings.UPLOAD_MEGABYTES:,}"}


def _said(choices: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(value, _(label)) for value, label in choices.items()]


class ReviewForm(forms.Form):
    """Everything that can be corrected about the files of an upload.

    A field is named after what it is about: `f0_` the first file, `f0t1_` its second table,
    `f0t1c2_` the third column of that.
    """

    def __init__(self, *args: Any, plans: list[FilePlan], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.plans = plans
        for f, plan in enumerate(plans):
            if plan.encoding:
                self._choice(f"f{f}_encoding", _("Encoding"), _said(ENCODINGS), plan.encoding)
            if plan.delimiter:
                self._choice(f"f{f}_delimiter", _("Delimiter"), _said(DELIMITERS), plan.delimiter)
            for t, table in enumerate(plan.tables):
                self._table(f"f{f}t{t}", table)

    def _choice(self, name: str, label: str, choices: Any, initial: str) -> None:
        self.fields[name] = forms.ChoiceField(label=label, choices=list(choices), initial=initial)

    def _table(self, key: str, table: TablePlan) -> None:
        self.fields[f"{key}_keep"] = forms.BooleanField(
            label=_("Make a table of it"), required=False, initial=table.is_kept
        )
        self.fields[f"{key}_name"] = forms.CharField(label=_("Table name"), max_length=60, initial=table.name)
        if table.has_rows_above:
            self.fields[f"{key}_header"] = forms.IntegerField(
                label=_("Headings are in row"),
                min_value=0,
                max_value=1_000_000,
                initial=table.header_row,
                help_text=_("0 when there are none. Rows above are left out."),
            )
        self.fields[f"{key}_lenient"] = forms.BooleanField(
            label=_("Leave cells empty that do not fit their type"), required=False, initial=table.is_lenient
        )
        for c, column in enumerate(table.columns):
            self._column(f"{key}c{c}", column)

    def _column(self, key: str, column: ColumnPlan) -> None:
        shown = {"aria-label": _("Name of %(name)s") % {"name": column.name}}
        self.fields[f"{key}_keep"] = forms.BooleanField(
            required=False,
            initial=column.is_kept,
            widget=QuickCheckbox(attrs={"aria-label": _("Keep %(name)s") % {"name": column.name}}),
        )
        self.fields[f"{key}_name"] = forms.CharField(
            max_length=100, initial=column.name, widget=QuickText(attrs=shown)
        )
        types = [
            ("native", _("As in the file: %(native)s") % {"native": column.native.lower()}),
            ("text", _("Text")),
        ]
        self.fields[f"{key}_kind"] = forms.ChoiceField(
            choices=types if column.native else [(code, _(label)) for code, label in TYPES],
            initial=column.kind,
            widget=QuickSelect(attrs={"aria-label": _("Type of %(name)s") % {"name": column.name}}),
        )

    def clean(self) -> dict[str, Any]:
        """Refuse names that are twice there."""
        cleaned = super().clean() or self.cleaned_data
        tables: set[str] = set()
        for f, plan in enumerate(self.plans):
            for t, table in enumerate(plan.tables):
                key = f"f{f}t{t}"
                if not cleaned.get(f"{key}_keep"):
                    continue
                self._once(f"{key}_name", tables, _("Another table here has this name."))
                columns: set[str] = set()
                for c in range(len(table.columns)):
                    if cleaned.get(f"{key}c{c}_keep"):
                        self._once(f"{key}c{c}_name", columns, _("Another column has this name."))
        return cleaned

    def _once(self, field: str, taken: set[str], message: str) -> None:
        name = str(self.cleaned_data.get(field, "")).casefold()
        if name in taken:
            self.add_error(field, message)
        elif name:
            taken.add(name)

    def apply(self) -> tuple[list[FilePlan], list[tuple[FilePlan, TablePlan]]]:
        """Put what was typed into the plans; give the files and tables that have to be read anew for it."""
        typed, files, tables = self.cleaned_data, [], []
        for f, plan in enumerate(self.plans):
            how = (typed.get(f"f{f}_encoding", ""), typed.get(f"f{f}_delimiter", ""))
            if how != (plan.encoding, plan.delimiter):
                plan.encoding, plan.delimiter = how
                files.append(plan)
            for t, table in enumerate(plan.tables):
                key = f"f{f}t{t}"
                table.is_kept, table.is_lenient = typed[f"{key}_keep"], typed[f"{key}_lenient"]
                table.name = typed[f"{key}_name"]
                for c, column in enumerate(table.columns):
                    column.is_kept = typed[f"{key}c{c}_keep"]
                    column.name, column.kind = typed[f"{key}c{c}_name"], typed[f"{key}c{c}_kind"]
                if table.has_rows_above and typed[f"{key}_header"] != table.header_row:
                    table.header_row = typed[f"{key}_header"]
                    tables.append((plan, table))
        return files, tables

    def as_kept(self) -> dict[str, Any]:
        """The fields that a browser would send if nothing were changed."""
        return {name: field.initial for name, field in self.fields.items() if field.initial is not False}

    def blame(self, error: LoadError) -> None:
        """Write why tables were not loaded beside the fields it is about."""
        if not error.problems:
            self.add_error(None, _("There is nothing to load: choose at least one table."))
        places = {
            (table.name, column): f"f{f}t{t}" + (f"c{c}_kind" if column else "_name")
            for f, plan in enumerate(self.plans)
            for t, table in enumerate(plan.tables)
            if table.is_kept
            for c, column in [(0, ""), *((c, column.name) for c, column in enumerate(table.columns))]
        }
        for problem in error.problems:
            self.add_error(places.get((problem.table, problem.column)), problem.message)


def name_for(plans: list[FilePlan]) -> str:
    """Suggest a name for the source: that of the first file, with a number when it is taken."""
    stem = re.sub(r"[^a-z0-9_-]+", "_", table_name(plans[0].name) if plans else "").strip("_")[:50] or "files"
    name, count = stem, 1
    while Source.objects.filter(name__iexact=name).exists():
        count += 1
        name = f"{stem}_{count}"
    return name
