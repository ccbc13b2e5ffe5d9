"""Forms about the columns of stored rows."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from mirror.phrases import one_line
from mirror.results.formats import format_chosen, is_number, styles_of
from mirror.results.models import StoredResult

_DECIMALS = {"": _("automatic"), **{str(n): str(n) for n in range(7)}}
UNIT_CHARS = 8


class FormatForm(forms.Form):
    """How one column is shown. Columns of dates have styles alone."""

    style = forms.ChoiceField(label=_("Shown as"), required=False)
    decimals = forms.ChoiceField(label=_("Decimals"), required=False, choices=list(_DECIMALS.items()))
    unit = forms.CharField(
        label=_("Currency"), max_length=UNIT_CHARS, required=False, help_text=_("Such as € or NOK.")
    )
    grouped = forms.BooleanField(label=_("Thousands apart"), required=False)
    bar = forms.BooleanField(label=_("A bar for each value"), required=False)

    def __init__(self, *args: Any, result: StoredResult, number: int, **kwargs: Any) -> None:
        column = result.columns[number]
        kwargs["initial"] = format_chosen(result, column["name"])
        super().__init__(*args, **kwargs)
        style = self.fields["style"]
        assert isinstance(style, forms.ChoiceField)
        style.choices = list(styles_of(column["kind"]).items())
        if not is_number(column["kind"]):
            for name in ("decimals", "unit", "grouped", "bar"):
                del self.fields[name]

    def clean_unit(self) -> str:
        """Demand the currency of a currency, in characters that can be seen."""
        unit = one_line(self.cleaned_data["unit"])
        if not unit and self.cleaned_data.get("style") == "currency":
            raise forms.ValidationError(_("Type the currency."))
        return unit

    def chosen(self) -> dict[str, Any]:
        """The fields of a format; a percentage or a number without a unit has none."""
        found = dict(self.cleaned_data)
        if "decimals" in found:
            found["decimals"] = int(found["decimals"]) if found["decimals"] else None
        if found.get("style") != "currency":
            found.pop("unit", None)
        return found
