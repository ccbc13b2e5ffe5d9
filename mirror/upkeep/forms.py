"""Forms of administrators about upkeep, and what everybody types to search the audit."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy, pgettext_lazy

from mirror.audit.verbs import VERBS
from mirror.people.models import User


class TransferForm(forms.Form):
    """Choice of the new owner."""

    to = forms.ModelChoiceField(
        label=gettext_lazy("New owner"),
        queryset=User.objects.none(),
        empty_label=gettext_lazy("Choose somebody"),
    )

    def __init__(self, *args: Any, offered: QuerySet[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        to = self.fields["to"]
        assert isinstance(to, forms.ModelChoiceField)
        to.queryset = offered


class AuditForm(forms.Form):
    """The search in the audit."""

    about = forms.ChoiceField(
        label=gettext_lazy("About"),
        required=False,
        choices=[
            ("", gettext_lazy("Everything")),
            *((one, gettext_lazy(one)) for one in dict.fromkeys(VERBS.values())),
        ],
    )
    since = forms.DateField(
        label=pgettext_lazy("days", "From"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
    until = forms.DateField(
        label=pgettext_lazy("days", "To"), required=False, widget=forms.DateInput(attrs={"type": "date"})
    )
