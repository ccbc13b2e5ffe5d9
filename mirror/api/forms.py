"""Forms about a token."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy, pgettext_lazy

from mirror.api.models import Scope, Token
from mirror.people.fields import RowsField
from mirror.people.models import User
from mirror.sources.models import Source
from mirror.sources.selectors import sources_visible

DAYS = {
    7: gettext_lazy("A week"),
    30: gettext_lazy("A month"),
    90: gettext_lazy("Three months"),
    366: gettext_lazy("A year"),
}
ALL, CHOSEN = "all", "chosen"


class TokenForm(forms.Form):
    """A new token."""

    name = forms.CharField(
        max_length=80, label=gettext_lazy("Name"), help_text=gettext_lazy("Its purpose: “Nightly export”.")
    )
    use = forms.ChoiceField(
        label=gettext_lazy("Used by"),
        choices=[
            (Token.Use.PROGRAM, gettext_lazy("A program: it calls the API")),
            (
                Token.Use.AGENT,
                gettext_lazy("An agent, such as Claude Code: it asks by MCP, and a source's privacy holds"),
            ),
        ],
        initial=Token.Use.PROGRAM,
        widget=forms.RadioSelect,
    )
    scopes = forms.MultipleChoiceField(
        label=pgettext_lazy("token", "May"),
        choices=Scope.choices,
        initial=[Scope.READ, Scope.ASK],
        widget=forms.CheckboxSelectMultiple,
    )
    reach = forms.ChoiceField(
        label=pgettext_lazy("sources", "On"),
        choices=[(ALL, gettext_lazy("All sources that I see")), (CHOSEN, gettext_lazy("These alone"))],
        initial=ALL,
        widget=forms.RadioSelect,
    )
    sources = RowsField(
        queryset=Source.objects.none(),
        label=gettext_lazy("Sources"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Works for"), choices=list(DAYS.items()), coerce=int, initial=90
    )

    def __init__(self, *args: Any, person: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["sources"]
        assert isinstance(field, RowsField)
        field.queryset = sources_visible(person)

    def clean(self) -> dict[str, Any]:
        """Ask for sources where they are to be chosen."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("reach") == CHOSEN and not cleaned.get("sources") and "sources" not in self.errors:
            self.add_error("sources", gettext("Choose the sources that it may use."))
        return cleaned

    def wish(self) -> dict[str, Any]:
        """The choice, as `token_make` takes it."""
        wish = dict(self.cleaned_data)
        sources, reach = wish.pop("sources"), wish.pop("reach")
        return wish | {"sources": list(sources) if reach == CHOSEN else None}
