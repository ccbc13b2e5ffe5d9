"""The form of a service."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from mirror.api.forms import DAYS
from mirror.api.models import Scope, Token
from mirror.people.fields import RowsField
from mirror.people.models import Team, User
from mirror.sources.models import Source
from mirror.sources.selectors import sources_visible


class AccountForm(forms.Form):
    """A new service."""

    name = forms.SlugField(
        max_length=80,
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("As the audit calls it: nightly-export. No person may be called so."),
    )
    use = forms.ChoiceField(
        label=gettext_lazy("Used by"),
        choices=[
            (Token.Use.PROGRAM, gettext_lazy("A program: it calls the API")),
            (Token.Use.AGENT, gettext_lazy("An agent: it asks by MCP")),
        ],
        initial=Token.Use.PROGRAM,
        widget=forms.RadioSelect,
    )
    scopes = forms.MultipleChoiceField(
        label=pgettext_lazy("token", "May"),
        choices=Scope.choices,
        initial=[Scope.READ],
        widget=forms.CheckboxSelectMultiple,
    )
    teams = RowsField(
        label=gettext_lazy("Sees what is shared with"),
        queryset=Team.objects.all(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose the teams whose sources it may use.")},
    )
    sources = RowsField(
        label=gettext_lazy("Of that, what is on these sources"),
        queryset=Source.objects.none(),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": gettext_lazy("Choose the sources that it may use.")},
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Its token works for"), choices=list(DAYS.items()), coerce=int, initial=90
    )

    def __init__(self, *args: Any, person: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["sources"]
        assert isinstance(field, RowsField)
        field.queryset = sources_visible(person)

    def clean_name(self) -> str:
        """Refuse a name that is taken, letter case ignored."""
        name: str = self.cleaned_data["name"]
        if User.objects.filter(username__iexact=name).exists():
            raise forms.ValidationError(_("Somebody, or another service, has this name already."))
        return name

    def wish(self) -> dict[str, Any]:
        """Give the choices as `account_make` takes them."""
        chosen = dict(self.cleaned_data)
        return chosen | {"teams": list(chosen["teams"]), "sources": list(chosen["sources"])}
