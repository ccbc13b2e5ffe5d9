"""Forms that correct a source's model: its calendar, a table, a column.

Each field shows what is in force. A field set back to what was derived takes the correction back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mirror.sources.model_choices import DESCRIPTION_CHARS, Choices, Wish

ZONES = sorted(name for name in available_timezones() if "/" in name and not name.startswith("Etc/"))


class CorrectionForm(forms.Form):
    """A form whose fields are named after what they correct."""

    def __init__(self, *args: Any, choices: Choices, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.choices = choices
        for name in list(self.fields):
            if name not in choices.offered and not name.startswith("label_"):
                del self.fields[name]
                continue
            self.initial[name] = choices.now.get(name, "")
            derived = choices.derived.get(name, "")
            if derived and not self.fields[name].help_text:
                self.fields[name].help_text = _("Derived: %(derived)s") % {"derived": derived}
            field = self.fields[name]
            if isinstance(field, forms.ChoiceField) and name in choices.options:
                field.choices = [*choices.options[name]]

    def clean(self) -> dict[str, Any]:
        """Refuse what is not offered for this table or column."""
        cleaned = super().clean() or self.cleaned_data
        for name, why in self.choices.refused.items():
            if self.data.get(name):
                self.add_error(None, why)
        return cleaned

    def wishes(self) -> Iterator[Wish]:
        """List choices of the form that differ from what was derived."""
        for name, value in self.cleaned_data.items():
            if name == "synonyms":
                yield from (Wish("synonyms", text, "") for text in _lines(value))
            elif name == "hidden":
                if value:
                    yield Wish("hidden", "", "")
            elif value and not name.startswith("label_") and not self._is_usual(name, value):
                yield Wish(name, "", value)
        for number, code in enumerate(self.choices.codes):
            label = self.cleaned_data.get(f"label_{number}", "").strip()
            if label and label != self.choices.labels.get(code, code):
                yield Wish("labels", code, label)

    def _is_usual(self, name: str, value: str) -> bool:
        return value.casefold() == self.choices.usual.get(name, "").casefold()

    def refuse(self, problems: Mapping[str, str]) -> None:
        """Say beside each field why it cannot be as it was typed."""
        places = {"synonym": "synonyms", "not points": "points", "year name": "year_name"}
        for subject, why in problems.items():
            name = places.get(subject, subject)
            self.add_error(name if name in self.fields else None, why)


def _lines(text: str) -> Iterable[str]:
    return dict.fromkeys(
        " ".join(line.split()) for line in text.replace(",", "\n").splitlines() if line.strip()
    )


def _choice(label: Any, help_text: Any = "") -> forms.ChoiceField:
    wrong = {"invalid_choice": gettext_lazy("There is no “%(value)s” to choose here.")}
    return forms.ChoiceField(label=label, required=False, help_text=help_text, error_messages=wrong)


def _name() -> forms.CharField:
    return forms.CharField(label=gettext_lazy("Called"), required=False, max_length=60)


def _synonyms() -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("Also called"),
        required=False,
        max_length=2_000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("One a line: other words by which people ask for it."),
    )


def _description() -> forms.CharField:
    return forms.CharField(
        label=gettext_lazy("Description"),
        required=False,
        max_length=DESCRIPTION_CHARS,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("Its content. Shown with the tables, and told to a language model."),
    )


class CalendarForm(CorrectionForm):
    """How the source counts days."""

    zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        required=False,
        choices=[("", gettext_lazy("that of Mirror")), *((name, name.replace("_", " ")) for name in ZONES)],
        help_text=gettext_lazy("Decides which day it is there."),
    )
    week = _choice(gettext_lazy("First day of the week"))
    year = _choice(gettext_lazy("Fiscal year starts in"))
    year_name = _choice(gettext_lazy("A fiscal year is called after the year"))
    today = _choice(gettext_lazy("Today is"))


class TableForm(CorrectionForm):
    """The form of one table."""

    name = _name()
    description = _description()
    synonyms = _synonyms()
    time = _choice(gettext_lazy("Happens at"))
    hidden = forms.BooleanField(
        label=gettext_lazy("Never use this table"),
        required=False,
        help_text=gettext_lazy("SQL that people write may still read it."),
    )


class ColumnForm(CorrectionForm):
    """The form of one column."""

    name = _name()
    description = _description()
    synonyms = _synonyms()
    role = _choice(gettext_lazy("Is"))
    aggregate = _choice(gettext_lazy("By default it is"))
    unit = _choice(gettext_lazy("Unit"))
    points = _choice(gettext_lazy("Points at"))
    hidden = forms.BooleanField(
        label=gettext_lazy("Never use this column"),
        required=False,
        help_text=gettext_lazy("SQL that people write may still read it."),
    )

    def __init__(self, *args: Any, choices: Choices, **kwargs: Any) -> None:
        super().__init__(*args, choices=choices, **kwargs)
        for number, code in enumerate(choices.codes):
            self.fields[f"label_{number}"] = forms.CharField(
                label=code or _("(empty)"), required=False, max_length=60
            )
            if derived := choices.labels.get(code):
                self.fields[f"label_{number}"].help_text = _("Derived: %(derived)s") % {"derived": derived}
            self.initial[f"label_{number}"] = choices.labels_now.get(code, "")

    @property
    def plain(self) -> list[forms.BoundField]:
        """The fields that are no labels of codes."""
        return [field for field in self if not field.name.startswith("label_")]

    @property
    def labels(self) -> list[forms.BoundField]:
        """One field a code."""
        return [field for field in self if field.name.startswith("label_")]
