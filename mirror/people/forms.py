"""What people may type about people."""

from __future__ import annotations

from typing import Any

from django import forms
from django.db.models import QuerySet

from mirror.people.models import Team, User


class PersonForm(forms.Form):
    """A new person."""

    username = User._meta.get_field("username").formfield(
        label="Username", help_text="What they sign in with."
    )
    name = forms.CharField(label="Name", max_length=150, required=False)
    email = forms.EmailField(label="Mail address", required=False)
    is_staff = forms.BooleanField(
        label="Administrator",
        required=False,
        help_text="May add people, manage every team and name any file on this machine as a source.",
    )

    def clean_username(self) -> str:
        """Refuse a name that is taken, letter case ignored."""
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError("Somebody has this name already.")
        return username


class AddressForm(forms.ModelForm):
    """One's own mail address."""

    class Meta:
        model = User
        fields = ["email"]
        labels = {"email": "Mail address"}
        help_texts = {"email": "Test reports are sent there, and word of reports of yours that fail."}


class TeamForm(forms.ModelForm):
    """A team's name."""

    class Meta:
        model = Team
        fields = ["name"]


class MemberForm(forms.Form):
    """Somebody to put into a team."""

    username = forms.CharField(label="Username", max_length=150)
    is_manager = forms.BooleanField(label="May add and remove members", required=False)


class ShareForm(forms.Form):
    """The teams that something is shared with; `offered` are those that may be chosen."""

    teams = forms.ModelMultipleChoiceField(
        label="Teams", queryset=Team.objects.none(), required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, *args: Any, offered: QuerySet[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["teams"].queryset = offered
