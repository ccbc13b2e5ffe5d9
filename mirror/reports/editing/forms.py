"""Forms about a report, apart from its saved SQL, its schedule and where it goes."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from mirror.exports.values import FORMATS, PDF_ROWS, XLSX_ROWS
from mirror.people.models import User
from mirror.phrases import number_typed, separated
from mirror.reports.editing.report_changes import MOST_KEEP_DAYS, MOST_PAUSE_AFTER, NOTE_CHARS, TITLE_CHARS
from mirror.reports.making.conditions import MOST_QUIET_HOURS, ROWS, TESTS
from mirror.reports.models import Report
from mirror.reports.pages.run import LINK_HOURS

# The use of each format.
GOOD_FOR = {
    "csv": gettext_noop("Every row, opens anywhere. One file for each SQL."),
    "xlsx": gettext_noop(
        "A workbook: numbers stay numbers, a sheet for each SQL, up to %(rows)s rows in each."
    ),
    "pdf": gettext_noop("For reading and printing: sentence, chart and the first %(rows)s rows."),
    "parquet": gettext_noop("For programs: small, with exact types."),
    "jsonl": gettext_noop("For programs: one JSON object a line."),
}


def _good_for(name: str) -> str:
    rows = {"xlsx": XLSX_ROWS, "pdf": PDF_ROWS}.get(name, 0)
    return _(GOOD_FOR[name]) % {"rows": intcomma(rows)}


class ReportForm(forms.Form):
    """Title, note, formats, condition and limits."""

    title = forms.CharField(
        label=gettext_lazy("Title"),
        required=False,
        max_length=TITLE_CHARS,
        help_text=gettext_lazy("The subject of the mail. Empty: the name of the first saved SQL."),
    )
    note = forms.CharField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=NOTE_CHARS,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy("Stands above the numbers, for those who get it."),
    )
    formats = forms.MultipleChoiceField(
        label=gettext_lazy("Files"),
        required=False,
        choices=[(name, FORMATS[name].label) for name in GOOD_FOR if name in FORMATS],
        widget=forms.CheckboxSelectMultiple,
    )
    native_chart = forms.BooleanField(
        label=gettext_lazy("A chart in the Excel file"),
        required=False,
        help_text=gettext_lazy(
            "Drawn by Excel from the cells, beside the table: for bars, lines and pies of up to 50 or, over time, 2,000 rows."
        ),
    )
    condition = forms.ChoiceField(
        label=gettext_lazy("Send it"),
        choices=Report.Condition.choices,
        widget=forms.RadioSelect,
        initial="always",
    )
    alert_part = forms.IntegerField(
        label=gettext_lazy("Of"), required=False, min_value=0, widget=forms.Select
    )
    alert_column = forms.CharField(label=gettext_lazy("The column"), required=False, max_length=200)
    alert_test = forms.ChoiceField(
        label=gettext_lazy("is"),
        required=False,
        choices=[(name, gettext_lazy(said)) for name, said in TESTS.items()],
        initial="above",
    )
    alert_value = forms.CharField(label=gettext_lazy("Number"), required=False, max_length=60)
    alert_row = forms.ChoiceField(
        label=gettext_lazy("Looked for"),
        required=False,
        choices=[(name, gettext_lazy(said)) for name, said in ROWS.items()],
        initial="first",
    )
    alert_quiet_hours = forms.IntegerField(
        label=gettext_lazy("Remind after"),
        required=False,
        min_value=0,
        max_value=MOST_QUIET_HOURS,
        help_text=gettext_lazy(
            "Hours until it is told again while it stays so. Empty: told once. When it is over, that is told too."
        ),
    )
    keep_days = forms.IntegerField(
        label=gettext_lazy("Keep files for"),
        min_value=1,
        max_value=MOST_KEEP_DAYS,
        initial=30,
        help_text=gettext_lazy("Days. After that the history stays, without rows and files."),
    )
    pause_after = forms.IntegerField(
        label=gettext_lazy("Pause after"),
        min_value=1,
        max_value=MOST_PAUSE_AFTER,
        initial=5,
        help_text=gettext_lazy("Failed runs in a row. You are told of each, and of the pause."),
    )

    def clean(self) -> dict[str, Any]:
        """Ask for what the chosen condition needs."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("condition") == Report.Condition.THRESHOLD:
            if not cleaned.get("alert_column"):
                self.add_error("alert_column", _("Name the column whose value is looked at."))
            if "alert_value" in cleaned:
                cleaned["alert_value"] = number_typed(cleaned["alert_value"])
            if "alert_value" in cleaned and not _is_finite(cleaned["alert_value"]):
                self.add_error("alert_value", _("Give the number it is held against, such as 1000 or 0.5."))
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
        """The content of a report, as this form shows it."""
        plain = ("title", "note", "formats", "native_chart", "condition", "keep_days", "pause_after")
        shown = {name: getattr(report, name) for name in plain}
        shown |= {f"alert_{name}": value for name, value in report.threshold.items()}
        if "alert_value" in shown:
            shown["alert_value"] = separated(str(shown["alert_value"]))
        return shown

    @property
    def format_lines(self) -> list[tuple[Any, str]]:
        """Each format's box, and what the format is good for."""
        return [(box, _good_for(str(box.data["value"]))) for box in self["formats"]]


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
    """Choice of the new owner; `offered` are those who could run it."""

    owner = OwnerField(
        label=gettext_lazy("New owner"),
        queryset=User.objects.none(),
        empty_label=gettext_lazy("Choose somebody"),
    )

    def __init__(self, *args: Any, offered: list[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        owner = self.fields["owner"]
        assert isinstance(owner, OwnerField)
        owner.queryset = User.objects.filter(pk__in=[user.pk for user in offered])


class LinkForm(forms.Form):
    """For how many hours a link works."""

    hours = forms.TypedChoiceField(choices=list(LINK_HOURS.items()), coerce=int)
