"""Forms about dashboards: names, texts, what a card shows."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from mirror.dashboards.models import NAME_CHARS, TEXT_CHARS, Card, Dashboard

EVERY = {
    0: _("Only when somebody asks"),
    15: _("Every 15 minutes"),
    60: _("Every hour"),
    1440: _("Every day"),
}
NEW = ""


class DashboardForm(forms.Form):
    """Name, description, and how often its rows are read anew."""

    name = forms.CharField(label=_("Name"), max_length=NAME_CHARS)
    description = forms.CharField(
        label=_("Description"), max_length=2_000, required=False, widget=forms.Textarea(attrs={"rows": 2})
    )
    refresh_minutes = forms.TypedChoiceField(
        label=_("Rows are read anew"), choices=list(EVERY.items()), coerce=int, initial=0
    )


class TextForm(forms.Form):
    """A text card: blank lines part paragraphs."""

    title = forms.CharField(label=_("Title"), max_length=NAME_CHARS, required=False)
    text = forms.CharField(
        label=_("Text"), max_length=TEXT_CHARS, required=False, widget=forms.Textarea(attrs={"rows": 5})
    )


class CardForm(forms.Form):
    """The title of a card of rows, and what it shows of them."""

    title = forms.CharField(label=_("Title"), max_length=NAME_CHARS, required=False)
    shows = forms.ChoiceField(label=_("Shows"), choices=Card.Shows.choices, required=False)


class AddForm(CardForm):
    """Where a card goes: on one of somebody's dashboards, or on a new one."""

    dashboard = forms.ChoiceField(label=_("Dashboard"), required=False)
    name = forms.CharField(label=_("Name of the new dashboard"), max_length=NAME_CHARS, required=False)

    field_order = ("dashboard", "name", "title", "shows")

    def __init__(self, *args: Any, offered: list[Dashboard], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.offered = {str(one.pk): one for one in offered}
        field = self.fields["dashboard"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [*((key, str(one)) for key, one in self.offered.items()), (NEW, _("A new dashboard"))]
        field.initial = next(iter(self.offered), NEW)
        if not offered:
            del self.fields["dashboard"]
            self.fields["name"].label, self.fields["name"].required = _("Name of the dashboard"), True
        self.fields["dashboard" if offered else "name"].widget.attrs["autofocus"] = True

    def clean(self) -> dict[str, Any]:
        """Ask for a name where a new one is made."""
        cleaned = super().clean() or self.cleaned_data
        if not cleaned.get("dashboard") and not cleaned.get("name") and "name" not in self.errors:
            self.add_error("name", _("Type a name for the new dashboard."))
        return cleaned

    def chosen(self) -> Dashboard | None:
        """The dashboard that was chosen; None where a new one is wanted."""
        return self.offered.get(self.cleaned_data.get("dashboard") or "")
