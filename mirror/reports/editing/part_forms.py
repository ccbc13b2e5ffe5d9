"""The saved SQL of a report while it is edited: which, in which order, with which values.

Each SQL is a row of the form with a key of its own, so that rows can be added, moved and removed without
losing what was typed in the others, with scripts or without.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.forms import Form
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.library.forms import ArgumentsForm, DateWordsField
from mirror.library.models import SavedSql
from mirror.people.requests import is_id
from mirror.reports.editing.report_changes import MOST_PARTS
from mirror.reports.models import Report
from mirror.results.kept_pivots import chart_pivot

GONE = gettext_noop("This saved SQL was deleted, or is no longer shared with you. Remove it.")
# Saved SQL offered in the list of what can be added.
MOST_OFFERED = 2_000
DATES_HELP = gettext_noop(
    "A date, or words such as “start of last month”: they are read anew for each run, in the report's zone."
)


class PartForm(ArgumentsForm):
    """Values for the parameters of one saved SQL of a report."""

    def __init__(self, *args: Any, saved: SavedSql, prefix: str, **kwargs: Any) -> None:
        super().__init__(*args, saved=saved, **kwargs)
        self.prefix = prefix
        self.dates_help = ""
        for field in self.fields.values():
            if isinstance(field, DateWordsField):
                field.help_text, self.dates_help = "", _(DATES_HELP)


@dataclass(slots=True)
class PartRow:
    """One saved SQL in the form; `saved` is None when it is gone."""

    key: str
    name: str
    saved: SavedSql | None
    form: PartForm | None
    problem: str = ""

    @property
    def is_pivot(self) -> bool:
        """Say whether a pivot is sent in place of the rows, where it can be read."""
        return self.saved is not None and bool(chart_pivot(self.saved.chart))


class PartRows:
    """All saved SQL of the form, in order."""

    def __init__(self, usable: QuerySet[SavedSql], rows: Iterable[PartRow] = ()) -> None:
        self.usable = usable
        self.rows = list(rows)
        self.problem = ""
        # The control that has the focus after a change: `add`, or a button such as `up-2`.
        self.focus = ""

    @classmethod
    def of_report(cls, usable: QuerySet[SavedSql], report: Report) -> PartRows:
        """The saved SQL that a report has."""
        found = {saved.pk: saved for saved in usable.filter(report_parts__report=report)}
        made = cls(usable)
        for number, part in enumerate(report.parts.all()):
            saved = found.get(part.saved_id) if part.saved_id else None
            made._row(str(number), part.name, saved, initial=part.arguments)
        return made

    @classmethod
    def of_saved(
        cls, usable: QuerySet[SavedSql], numbers: Sequence[str], values: Mapping[str, str]
    ) -> PartRows:
        """A new report's saved SQL with values by parameter; SQL that is gone or not allowed is left out."""
        made = cls(usable)
        wanted = [int(number) for number in numbers if is_id(number)][:MOST_PARTS]
        found = usable.in_bulk(wanted)
        for key, number in enumerate(dict.fromkeys(wanted)):
            if (saved := found.get(number)) is not None:
                names = {parameter["name"] for parameter in saved.parameters}
                given = {name: values[name] for name in names if values.get(name)}
                made._row(str(key), saved.name, saved, initial=given)
        return made

    @classmethod
    def of_post(cls, usable: QuerySet[SavedSql], post: Any) -> PartRows:
        """The typed values."""
        keys = [key for key in dict.fromkeys(post.getlist("part")) if is_id(key)][: MOST_PARTS + 1]
        wanted = {key: post.get(f"part-{key}-saved", "") for key in keys}
        found = usable.in_bulk([int(number) for number in wanted.values() if is_id(number)])
        made = cls(usable)
        for key, number in wanted.items():
            saved = found.get(int(number)) if is_id(number) else None
            made._row(key, post.get(f"part-{key}-name", "")[:120], saved, data=post)
        return made

    def _row(self, key: str, name: str, saved: SavedSql | None, **values: Any) -> None:
        form = PartForm(saved=saved, prefix=f"part-{key}-with", **values) if saved else None
        self.rows.append(PartRow(key, saved.name if saved else name, saved, form, "" if saved else _(GONE)))

    def add(self, number: str) -> None:
        """Put another saved SQL at the end."""
        saved = self.usable.filter(pk=int(number)).first() if is_id(number) else None
        if saved is None:
            self.problem = _("Choose the saved SQL to add.")
        elif len(self.rows) >= MOST_PARTS:
            self.problem = _("A report takes at most %(most_parts)s saved SQL.") % {"most_parts": MOST_PARTS}
        else:
            key = str(max((int(row.key) for row in self.rows), default=-1) + 1)
            self._row(key, saved.name, saved)
            self.focus = "" if focus_first(self.rows[-1].form) else "add"

    def change(self, wish: str) -> None:
        """Do what a button beside a row says: `up-2`, `down-2` or `remove-2`, with the row's key."""
        what, _, key = wish.partition("-")
        at = next((number for number, row in enumerate(self.rows) if row.key == key), None)
        if at is None:
            return
        row = self.rows.pop(at)
        self.focus = "add"
        if what in ("up", "down"):
            to = min(max(0, at + (-1 if what == "up" else 1)), len(self.rows))
            self.rows.insert(to, row)
            # The button that was pressed, unless the row can go no further that way.
            way = "down" if to == 0 else "up" if to == len(self.rows) - 1 else what
            self.focus = f"{way}-{key}"

    def is_valid(self) -> bool:
        """Whether there is something to send and every value can be read; else the rows say what is wrong."""
        if not self.rows and not self.problem:
            self.problem = _("Choose at least one saved SQL to send.")
        sound = [row.form is not None and row.form.is_valid() for row in self.rows]
        return bool(sound) and all(sound) and not self.problem

    def parts(self) -> list[tuple[SavedSql, dict[str, str]]]:
        """Saved SQL with its values, once they are valid."""
        return [(row.saved, row.form.arguments()) for row in self.rows if row.saved and row.form]

    @property
    def addable(self) -> list[SavedSql]:
        """List saved SQL that can be added."""
        return list(self.usable.defer("sql", "chart", "source__catalog").order_by("name")[:MOST_OFFERED])


def focus_first(form: Form | None) -> bool:
    """Let the first field of a row that was just added have the focus; say whether there is one."""
    for field in form.fields.values() if form else ():
        field.widget.attrs["autofocus"] = True
        return True
    return False
