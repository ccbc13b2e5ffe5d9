"""Forms about saved SQL and its parameters."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from mirror.library.models import SavedSql
from mirror.library.widgets import OfferingInput
from mirror.people.fields import one_line_check
from mirror.queries.dates import HELP, date_read, dates_offered
from mirror.queries.parameters import KINDS, ParameterError, value_read


class DateWordsInput(OfferingInput):
    """A text field that offers words for dates, each with the date it is today."""

    def __init__(self, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(lambda: dates_offered(timezone.localdate()), attrs)


class DateWordsField(forms.CharField):
    """A date, or words for one. It gives back what was typed: words are read anew whenever the SQL runs."""

    widget = DateWordsInput

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**{"max_length": 60, "help_text": HELP, **kwargs})

    def clean(self, value: Any) -> str:
        """Refuse what is no date."""
        typed: str = super().clean(value)
        if typed:
            try:
                date_read(typed, timezone.localdate())
            except ValueError as error:
                raise forms.ValidationError(str(error)) from None
        return typed


class SavedSqlForm(forms.ModelForm):
    """Name, folder, description and SQL. `changes` is the number of the edit that the form began with."""

    changes = forms.IntegerField(required=False, widget=forms.HiddenInput, min_value=0, max_value=10**9)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("name", "folder"):
            self.fields[name].validators.append(one_line_check)

    def clean_description(self) -> str:
        """Read line ends as they are kept: a browser sends two characters for each."""
        return str(self.cleaned_data["description"]).replace("\r\n", "\n")

    def clean_sql(self) -> str:
        """Read line ends as they are kept, so that SQL nobody changed is the same text."""
        return str(self.cleaned_data["sql"]).replace("\r\n", "\n")

    class Meta:
        model = SavedSql
        fields = ["name", "folder", "description", "sql"]
        labels = {
            "name": _("Name"),
            "folder": _("Folder"),
            "description": _("Description"),
            "sql": "SQL",
        }
        help_texts = {"folder": _("Saved SQL of one folder stands together in the library.")}
        widgets = {
            "description": forms.Textarea(attrs={"rows": 2}),
            "sql": forms.Textarea(
                attrs={
                    "rows": 14,
                    "spellcheck": "false",
                    "class": "mono",
                    "aria-describedby": "id_sql_error sql-keys",
                }
            ),
        }


class ParameterForm(forms.Form):
    """One parameter: `:name` in the SQL."""

    name = forms.CharField(label=_("Name"), max_length=40)
    kind = forms.ChoiceField(label=_("Kind"), choices=list(KINDS.items()), initial="text")
    label = forms.CharField(label=_("Shown as"), max_length=80, required=False)
    default = forms.CharField(label=_("Default"), max_length=500, required=False)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self["kind"].value() == "date":
            self.fields["default"].widget = DateWordsInput()

    def clean(self) -> dict[str, Any]:
        """Refuse a default that is not of the kind."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("default") and cleaned.get("kind") and cleaned.get("name"):
            try:
                value_read(cleaned, cleaned["default"])
            except ParameterError as error:
                self.add_error("default", str(error))
        return cleaned


class _ParameterForms(forms.BaseFormSet):
    """Rows that are there can be removed."""

    def add_fields(self, form: forms.Form, index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["DELETE"].label = _("Remove it")


ParameterForms = forms.formset_factory(
    ParameterForm, formset=_ParameterForms, extra=1, can_delete=True, max_num=30
)


class ArgumentsForm(forms.Form):
    """Values for the parameters of saved SQL; a field each, of the parameter's kind."""

    def __init__(self, *args: Any, saved: SavedSql, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.prefix = "argument"
        for parameter in saved.parameters:
            self.fields[parameter["name"]] = _field(parameter)

    def arguments(self) -> dict[str, str]:
        """The values typed, as text that `sql_bind` reads, without empty ones."""
        return {name: str(value) for name, value in self.cleaned_data.items() if value not in (None, "")}


def _field(parameter: dict[str, Any]) -> forms.Field:
    default = parameter.get("default") or ""
    kept: dict[str, Any] = {
        "label": parameter.get("label") or parameter["name"],
        "initial": default,
        "required": not default,
    }
    if parameter["kind"] == "number":
        return forms.DecimalField(**kept)
    if parameter["kind"] == "date":
        return DateWordsField(**kept)
    if parameter["kind"] == "boolean":
        return forms.ChoiceField(choices=[("true", _("yes")), ("false", _("no"))], **kept)
    return forms.CharField(max_length=2_000, **kept)
