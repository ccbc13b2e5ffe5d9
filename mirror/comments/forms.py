"""The form of a comment."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from mirror.comments.models import TEXT_CHARS


class CommentForm(forms.Form):
    """The text of a comment. How long it may be is said by the service, in words that leave what was typed."""

    text = forms.CharField(
        label=_("Comment"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 3, "maxlength": TEXT_CHARS}),
        help_text=_("Type @ and a user name to mention somebody who sees this; they get a mail."),
    )
