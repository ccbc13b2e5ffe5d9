"""What administrators may type about groups."""

from __future__ import annotations

from typing import Any

from django import forms

from mirror.people.models import Team


class RuleForm(forms.Form):
    """A group, and what people in it are here."""

    group = forms.CharField(
        label="Group", max_length=200, help_text="Exactly as the provider sends it: a name, or an id."
    )
    team = forms.ModelChoiceField(
        label="People in it are",
        queryset=Team.objects.none(),
        required=False,
        empty_label="Administrators",
        help_text="Members of a team, or administrators.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        team = self.fields["team"]
        assert isinstance(team, forms.ModelChoiceField)
        team.queryset = Team.objects.order_by("name")
