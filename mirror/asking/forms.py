"""Forms: questions, SQL, the choices of a chart, a name to save under."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from mirror.phrases import one_line


class ChartForm(forms.Form):
    """The mark and the columns of a chart; `charting.check` decides whether they can be drawn."""

    mark = forms.CharField(max_length=20, required=False)
    x = forms.CharField(max_length=500, required=False, strip=False)
    y = forms.MultipleChoiceField(required=False)
    series = forms.CharField(max_length=500, required=False, strip=False)
    aggregate = forms.CharField(max_length=20, required=False)
    stack = forms.CharField(max_length=20, required=False)
    sort = forms.CharField(max_length=20, required=False)
    scale = forms.CharField(max_length=20, required=False)
    line = forms.CharField(max_length=40, required=False)
    x_title = forms.CharField(max_length=120, required=False)
    y_title = forms.CharField(max_length=120, required=False)
    drawn_as = forms.JSONField(required=False)

    def __init__(self, *args: Any, columns: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["y"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(name, name) for name in columns]

    def fields_given(self) -> dict[str, Any]:
        """The choices that were sent, or those of another chart that was offered; the others stay as they are."""
        offered = self.cleaned_data.pop("drawn_as", None)
        if isinstance(offered, dict):
            wanted = {name: offered.get(name) for name in ("mark", "x", "series", "aggregate")}
            wanted["stack"] = offered.get("stack", "")
            columns = offered.get("y")
            if isinstance(columns, list) and all(isinstance(v, str) for v in (*wanted.values(), *columns)):
                return {**wanted, "y": columns}
        return {name: value for name, value in self.cleaned_data.items() if name in self.data}


class SaveForm(forms.Form):
    """A name for SQL that is kept in the library."""

    name = forms.CharField(max_length=120, label=_("Name"), help_text=_("How you will find it again."))
    description = forms.CharField(
        max_length=2000, required=False, label=_("Description"), widget=forms.Textarea(attrs={"rows": 2})
    )

    @classmethod
    def of(cls, title: str) -> SaveForm:
        """The form with the title of what is saved as its name.

        Example:
            >>> SaveForm.of("revenue by country").initial["name"]
            'Revenue by country'
        """
        name = one_line(title, 120)
        return cls(initial={"name": f"{name[:1].upper()}{name[1:]}"})
