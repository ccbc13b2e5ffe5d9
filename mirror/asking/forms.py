"""What people type: questions, SQL, the choices of a chart, a name to save under."""

from __future__ import annotations

from typing import Any

from django import forms


class ChartForm(forms.Form):
    """What is drawn from which columns; `charting.check` decides whether that can be."""

    mark = forms.CharField(max_length=20, required=False)
    x = forms.CharField(max_length=500, required=False, strip=False)
    y = forms.MultipleChoiceField(required=False)
    series = forms.CharField(max_length=500, required=False, strip=False)
    aggregate = forms.CharField(max_length=20, required=False)

    def __init__(self, *args: Any, columns: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["y"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(name, name) for name in columns]

    def fields_given(self) -> dict[str, Any]:
        """The choices that were sent; the others stay as they are."""
        return {name: value for name, value in self.cleaned_data.items() if name in self.data}


class SaveForm(forms.Form):
    """A name for SQL that is kept in the library."""

    name = forms.CharField(max_length=120, label="Name", help_text="How you will find it again.")
    description = forms.CharField(
        max_length=2000, required=False, label="Description", widget=forms.Textarea(attrs={"rows": 2})
    )
