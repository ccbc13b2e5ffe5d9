"""Forms of passkeys."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from mirror.people.fields import one_line_check
from mirror.people.models import Passkey
from mirror.people.passkeys.ceremonies import ANSWER_CHARACTERS


class NameForm(forms.ModelForm):
    """The name that a person gives a passkey."""

    class Meta:
        model = Passkey
        fields = ["name"]
        labels = {"name": gettext_lazy("Name")}
        help_texts = {"name": gettext_lazy("The device or password manager that holds it.")}

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.fields["name"].validators.append(one_line_check)


class AnswerForm(forms.Form):
    """The answer of a passkey, which a script puts in."""

    answer = forms.CharField(
        max_length=ANSWER_CHARACTERS,
        error_messages={"required": gettext_lazy("A passkey needs scripts, which are off in this browser.")},
    )
