"""What people may type about a report, apart from its saved SQL, its schedule and where it goes."""

from __future__ import annotations

from typing import Any

from django import forms

from mirror.exports.values import FORMATS, PDF_ROWS, XLSX_ROWS
from mirror.people.models import User
from mirror.reports.editing.report_changes import MOST_KEEP_DAYS, MOST_PAUSE_AFTER, NOTE_CHARS, TITLE_CHARS
from mirror.reports.making.conditions import MOST_QUIET_HOURS, ROWS, TESTS
from mirror.reports.models import Report
from mirror.reports.pages.run import LINK_HOURS

# What each format is good for.
GOOD_FOR = {
    "csv": "Every row, opens anywhere. One file for each SQL.",
    "xlsx": f"A workbook: numbers stay numbers, a sheet for each SQL, up to {XLSX_ROWS:,} rows in each.",
    "pdf": f"For reading and printing: sentence, chart and the first {PDF_ROWS:,} rows.",
    "parquet": "For programs: small, with exact types.",
    "jsonl": "For programs: one JSON object a line.",
}


class ReportForm(forms.Form):
    """Title, note, formats, condition and limits."""

    title = forms.CharField(
        label="Title",
        required=False,
        max_length=TITLE_CHARS,
        help_text="The subject of the mail. Empty: the name of the first saved SQL.",
    )
    note = forms.CharField(
        label="Note",
        required=False,
        max_length=NOTE_CHARS,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="Stands above the numbers, for those who get it.",
    )
    formats = forms.MultipleChoiceField(
        label="Files",
        required=False,
        choices=[(name, FORMATS[name].label) for name in GOOD_FOR if name in FORMATS],
        widget=forms.CheckboxSelectMultiple,
    )
    native_chart = forms.BooleanField(
        label="A chart in the Excel file",
        required=False,
        help_text="Drawn by Excel from the cells, beside the table: for bars, lines and pies of up to 50 or, over time, 2,000 rows.",
    )
    condition = forms.ChoiceField(
        label="Send it", choices=Report.Condition.choices, widget=forms.RadioSelect, initial="always"
    )
    alert_part = forms.IntegerField(label="Of", required=False, min_value=0, widget=forms.Select)
    alert_column = forms.CharField(label="The column", required=False, max_length=200)
    alert_test = forms.ChoiceField(label="is", required=False, choices=list(TESTS.items()), initial="above")
    alert_value = forms.CharField(label="Number", required=False, max_length=60)
    alert_row = forms.ChoiceField(
        label="Looked for", required=False, choices=list(ROWS.items()), initial="first"
    )
    alert_quiet_hours = forms.IntegerField(
        label="Remind after",
        required=False,
        min_value=0,
        max_value=MOST_QUIET_HOURS,
        help_text="Hours until it is told again while it stays so. Empty: told once. When it is over, that is told too.",
    )
    keep_days = forms.IntegerField(
        label="Keep files for",
        min_value=1,
        max_value=MOST_KEEP_DAYS,
        initial=30,
        help_text="Days. After that the history stays, without rows and files.",
    )
    pause_after = forms.IntegerField(
        label="Pause after",
        min_value=1,
        max_value=MOST_PAUSE_AFTER,
        initial=5,
        help_text="Failed runs in a row. You are told of each, and of the pause.",
    )

    def clean(self) -> dict[str, Any]:
        """Ask for what the chosen condition needs."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("condition") == Report.Condition.THRESHOLD:
            if not cleaned.get("alert_column"):
                self.add_error("alert_column", "Name the column whose value is looked at.")
            if "alert_value" in cleaned and not _is_finite(cleaned["alert_value"]):
                self.add_error("alert_value", "Give the number it is held against, such as 1000 or 0.5.")
        return cleaned

    @property
    def threshold(self) -> dict[str, Any] | None:
        """The threshold typed; None for another condition."""
        if self.cleaned_data["condition"] != Report.Condition.THRESHOLD:
            return None
        names = ("part", "column", "test", "value", "row", "quiet_hours")
        return {name: self.cleaned_data[f"alert_{name}"] for name in names}

    @classmethod
    def initial_of(cls, report: Report) -> dict[str, Any]:
        """What a report holds, as this form shows it."""
        plain = ("title", "note", "formats", "native_chart", "condition", "keep_days", "pause_after")
        shown = {name: getattr(report, name) for name in plain}
        return shown | {f"alert_{name}": value for name, value in report.threshold.items()}

    @property
    def format_lines(self) -> list[tuple[Any, str]]:
        """Each format's box, and what the format is good for."""
        return [(box, GOOD_FOR[str(box.data["value"])]) for box in self["formats"]]


def _is_finite(typed: str) -> bool:
    try:
        return abs(float(typed)) < float("inf")
    except ValueError:
        return False


class OwnerField(forms.ModelChoiceField):
    """People to choose from, by their names."""

    def label_from_instance(self, obj: Any) -> str:
        """The full name, or what they sign in with."""
        return str(obj.called)


class HandOverForm(forms.Form):
    """Who becomes the owner; `offered` are those who could run it."""

    owner = OwnerField(label="New owner", queryset=User.objects.none(), empty_label="Choose somebody")

    def __init__(self, *args: Any, offered: list[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        owner = self.fields["owner"]
        assert isinstance(owner, OwnerField)
        owner.queryset = User.objects.filter(pk__in=[user.pk for user in offered])


class LinkForm(forms.Form):
    """For how many hours a link works."""

    hours = forms.TypedChoiceField(choices=list(LINK_HOURS.items()), coerce=int)
