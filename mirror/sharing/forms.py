"""Forms about a link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from mirror.dashboards.card_parameters import Field
from mirror.queries.values_typed import VALUE_CHARS
from mirror.sharing.services import LINK_HOURS, VALUES

HOURS = {
    24: gettext_noop("a day"),
    24 * 7: gettext_noop("a week"),
    24 * 31: gettext_noop("a month"),
    LINK_HOURS: gettext_noop("a quarter"),
}
_PREFIX = "values-"


class LinkForm(forms.Form):
    """For how long a link works, and which values of a dashboard's parameters may be chosen."""

    hours = forms.TypedChoiceField(
        label=gettext_lazy("Works for"),
        choices=[(hours, gettext_lazy(said)) for hours, said in HOURS.items()],
        coerce=int,
        initial=24 * 7,
    )

    def __init__(self, *args: Any, parameters: Sequence[Field] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for one in parameters:
            self.fields[f"{_PREFIX}{one.name}"] = forms.CharField(
                label=f"{one.label}: values to choose from",
                required=False,
                max_length=VALUES * VALUE_CHARS,
                widget=forms.Textarea(attrs={"rows": 3}),
                initial=one.value or one.default,
                help_text=_(
                    "One a line; the first is shown first. Empty: the value saved with the cards, and no choice."
                ),
            )

    def values(self) -> dict[str, list[str]]:
        """The listed values by parameter."""
        return {
            name.removeprefix(_PREFIX): str(typed).splitlines()
            for name, typed in self.cleaned_data.items()
            if name.startswith(_PREFIX)
        }
