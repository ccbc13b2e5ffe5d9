"""What may be typed about a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from mirror.dashboards.card_parameters import Field
from mirror.queries.values_typed import VALUE_CHARS
from mirror.sharing.services import LINK_HOURS, VALUES

HOURS = {24: "a day", 24 * 7: "a week", 24 * 31: "a month", LINK_HOURS: "a quarter"}
_PREFIX = "values-"


class LinkForm(forms.Form):
    """For how long a link works, and which values of a dashboard's parameters may be chosen."""

    hours = forms.TypedChoiceField(label="Works for", choices=list(HOURS.items()), coerce=int, initial=24 * 7)

    def __init__(self, *args: Any, parameters: Sequence[Field] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for one in parameters:
            self.fields[f"{_PREFIX}{one.name}"] = forms.CharField(
                label=f"{one.label}: values to choose from",
                required=False,
                max_length=VALUES * VALUE_CHARS,
                widget=forms.Textarea(attrs={"rows": 3}),
                initial=one.value or one.default,
                help_text="One a line; the first is shown first. Empty: the value saved with the cards, and no choice.",
            )

    def values(self) -> dict[str, list[str]]:
        """The listed values by parameter."""
        return {
            name.removeprefix(_PREFIX): str(typed).splitlines()
            for name, typed in self.cleaned_data.items()
            if name.startswith(_PREFIX)
        }
