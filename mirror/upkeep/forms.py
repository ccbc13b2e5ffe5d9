"""What administrators type about upkeep, and what everybody types to search the audit."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet

from mirror.audit.verbs import VERBS
from mirror.people.models import User


class TransferForm(forms.Form):
    """Who becomes the owner."""

    to = forms.ModelChoiceField(
        label="New owner", queryset=User.objects.none(), empty_label="Choose somebody"
    )

    def __init__(self, *args: Any, offered: QuerySet[User], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        to = self.fields["to"]
        assert isinstance(to, forms.ModelChoiceField)
        to.queryset = offered


class AuditForm(forms.Form):
    """What to look for in the audit."""

    about = forms.ChoiceField(
        label="About",
        required=False,
        choices=[("", "Everything"), *((one, one) for one in dict.fromkeys(VERBS.values()))],
    )
    since = forms.DateField(label="From", required=False, widget=forms.DateInput(attrs={"type": "date"}))
    until = forms.DateField(label="To", required=False, widget=forms.DateInput(attrs={"type": "date"}))
