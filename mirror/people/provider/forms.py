"""The form of a group rule."""

from __future__ import annotations

from typing import Any

from django import forms
from django.utils.translation import gettext, gettext_lazy

from mirror.people.models import Team

ADMINISTRATORS = "administrators"


class RuleForm(forms.Form):
    """A group, and what people in it are here."""

    group = forms.CharField(
        label=gettext_lazy("Group"),
        max_length=200,
        help_text=gettext_lazy("Exactly as the provider sends it: a name, or an id."),
    )
    means = forms.ChoiceField(
        label=gettext_lazy("People in it are"),
        help_text=gettext_lazy("Members of a team, or administrators."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        means = self.fields["means"]
        assert isinstance(means, forms.ChoiceField)
        teams = Team.objects.order_by("name")
        # Nothing is chosen at first: administrators are not made in passing.
        means.choices = [
            ("", gettext("Choose")),
            *((str(team.pk), gettext("Members of %(team)s") % {"team": team.name}) for team in teams),
            (ADMINISTRATORS, gettext("Administrators")),
        ]

    def clean_means(self) -> Team | None:
        """Give the team; None for administrators."""
        means = self.cleaned_data["means"]
        return None if means == ADMINISTRATORS else Team.objects.get(pk=means)
