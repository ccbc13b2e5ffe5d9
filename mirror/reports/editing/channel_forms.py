"""Where a report goes while it is edited: one small form a channel, with a key of its own.

A secret that is kept is never given back to a page: left empty, it stays, as long as the channel goes to the same
place. Input stays in its field until it is saved. A webhook's secret is made for it, anew when
its address changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from mirror.delivery import channels
from mirror.delivery.errors import ChannelError
from mirror.delivery.reach import NOWHERE, Reach
from mirror.people.models import User
from mirror.people.requests import is_id
from mirror.reports.editing.part_forms import focus_first
from mirror.reports.models import Channel, Report
from mirror.reports.sending.allowances import reach_of
from mirror.reports.sending.recipients import recipients_words, refusals_of
from mirror.secrets import SecretUnreadable, is_kept

NEEDED = gettext_noop("Fill this in, or take the whole of it out with ×.")
MOST_BAD_NAMED = 5


class ChannelForm(forms.Form):
    """The form of a channel: the parts of its `target`, and perhaps a secret."""

    kind: ClassVar[str] = ""
    about: ClassVar[str] = ""

    def __init__(
        self,
        *args: Any,
        kept: Channel | None = None,
        by_staff: bool = False,
        reach: Reach = NOWHERE,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.kept, self.by_staff, self.reach = kept, by_staff, reach
        for field in self.fields.values():
            field.error_messages["required"] = _(NEEDED)
        self.target: dict[str, Any] = {}
        if kept is not None and is_kept(kept, "secret") and "secret" in self.fields:
            self.fields["secret"].required = False
            self.fields["secret"].help_text = _("Kept, and never shown. Leave this empty to go on with it.")
            self.fields["secret"].widget.attrs["placeholder"] = "kept"

    @classmethod
    def shown(cls, target: dict[str, Any]) -> dict[str, Any]:
        """A kept target as the fields show it."""
        return dict(target)

    def clean(self) -> dict[str, Any]:
        """Let the channel itself say what cannot stand, beside its field."""
        cleaned = super().clean() or self.cleaned_data
        if self.errors:
            return cleaned
        typed = {name: value for name, value in cleaned.items() if name != "secret"}
        try:
            self.target = channels.check(
                self.kind, typed, self.secret_to_check(), by_staff=self.by_staff, reach=self.reach
            )
        except ChannelError as error:
            self.add_error(error.field if error.field in self.fields else None, str(error))
        except SecretUnreadable as error:
            self.add_error("secret" if "secret" in self.fields else None, str(error))
        else:
            is_moved = self.kept is not None and self.kept.target != self.target
            if is_moved and "secret" in self.fields and not cleaned.get("secret") and self.kind != "slack":
                self.add_error("secret", _("Type it again: it goes to another place now."))
        return cleaned

    def secret_to_check(self) -> str:
        """The secret typed, or the kept one."""
        return str(self.cleaned_data.get("secret") or (self.kept.secret if self.kept else ""))

    def given(self) -> tuple[str, dict[str, Any], str | None]:
        """Kind, target and secret as the service takes them; None keeps the secret there is."""
        return self.kind, self.target, self.cleaned_data.get("secret") or (None if self.kept else "")


class MailForm(ChannelForm):
    """Addresses."""

    kind = "mail"
    about = gettext_noop(
        "Each gets a mail of their own: the sentence, the picture, the first rows and the files."
    )
    to = forms.CharField(
        label=gettext_lazy("Recipients"),
        max_length=60_000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false", "autocapitalize": "none"}),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["to"].help_text = (
            _("Mail addresses, one a line or with commas between; %(most)s at most.")
            % {"most": settings.REPORT_RECIPIENTS}
            + f" {recipients_words()}"
        )

    @classmethod
    def shown(cls, target: dict[str, Any]) -> dict[str, Any]:
        """One address a line."""
        return {"to": "\n".join(target.get("to", []))}

    def clean_to(self) -> str:
        """Name every address that cannot be one or may get nothing, not the first alone."""
        typed = str(self.cleaned_data["to"])
        bad, good = [], []
        for word in filter(None, re.split(r"[\s,;]+", typed)):
            try:
                good += channels.check("mail", {"to": [word]}, "", by_staff=self.by_staff)["to"]
            except ChannelError as error:
                bad.append(str(error))
        bad += refusals_of(good[: settings.REPORT_RECIPIENTS])
        if bad and settings.EMAIL_HOST:
            more = len(bad) - MOST_BAD_NAMED
            said = [
                *bad[:MOST_BAD_NAMED],
                *([_("And %(count)s more.") % {"count": more}] if more > 0 else []),
            ]
            raise forms.ValidationError(" ".join(said))
        return typed


class WebhookForm(ChannelForm):
    """An address to post to."""

    kind = "webhook"
    about = gettext_noop(
        "A program gets the report as JSON, signed with a secret that is made for it and shown once."
    )
    url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=2_000,
        widget=forms.URLInput(attrs={"placeholder": "https://", "spellcheck": "false"}),
    )

    renew = forms.BooleanField(
        label=gettext_lazy("Make a new signing secret"),
        required=False,
        help_text=gettext_lazy("The one there is stops working at once; the new one is shown after saving."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.kept is None:
            del self.fields["renew"]

    def secret_to_check(self) -> str:
        """The kept secret, or one like that which will be made."""
        return super().secret_to_check() or channels.new_secret()

    def given(self) -> tuple[str, dict[str, Any], str | None]:
        """A new address gets a new secret."""
        is_same = self.kept is not None and self.kept.target == self.target
        is_same = is_same and not self.cleaned_data.get("renew")
        return self.kind, self.target, None if is_same else channels.new_secret()


class SlackForm(ChannelForm):
    """An incoming webhook of Slack or Mattermost; its address is a secret."""

    kind = "slack"
    about = gettext_noop(
        "A message in a channel, with a link to the run. Works with Slack, Mattermost and others like them."
    )
    secret = forms.CharField(
        label=gettext_lazy("Address of the incoming webhook"),
        max_length=2_000,
        widget=forms.URLInput(
            attrs={"placeholder": "https://hooks.slack.com/services/…", "autocomplete": "off"}
        ),
    )

    @classmethod
    def shown(cls, target: dict[str, Any]) -> dict[str, Any]:
        """Nothing: the address is the secret."""
        return {}


class FolderForm(ChannelForm):
    """A folder on the server."""

    kind = "folder"
    about = gettext_noop("The files, with the date in their names, in a folder that the server can write to.")
    path = forms.CharField(
        label=gettext_lazy("Folder"), max_length=1_000, widget=forms.TextInput(attrs={"spellcheck": "false"})
    )


class S3Form(ChannelForm):
    """A bucket of S3 or a compatible store."""

    kind = "s3"
    about = gettext_noop(
        "The files, with the date in their names, in a bucket of S3 or a store that speaks like it."
    )
    bucket = forms.CharField(label=gettext_lazy("Bucket"), max_length=100)
    prefix = forms.CharField(  # type: ignore[assignment] # Django takes fields off the class, and its own stays
        label=gettext_lazy("Begin names with"), max_length=500, required=False
    )
    endpoint = forms.CharField(
        label=gettext_lazy("Endpoint"),
        max_length=500,
        required=False,
        help_text=gettext_lazy("Empty for Amazon's own S3."),
    )
    region = forms.CharField(label=gettext_lazy("Region"), max_length=60, required=False)
    access_key = forms.CharField(label=gettext_lazy("Access key"), max_length=200)
    secret = forms.CharField(
        label=gettext_lazy("Secret key"),
        max_length=500,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}, render_value=True),
    )


FORMS: dict[str, type[ChannelForm]] = {
    form.kind: form for form in (MailForm, WebhookForm, SlackForm, FolderForm, S3Form)
}


@dataclass(slots=True)
class ChannelRow:
    """One channel in the form."""

    key: str
    kind: str
    label: str
    form: ChannelForm
    kept_id: int | None


class ChannelRows:
    """All channels of the form, in order."""

    def __init__(self, report: Report | None, by: User, rows: Iterable[ChannelRow] = ()) -> None:
        self.by_staff, self.reach = by.is_staff, reach_of(by)
        self.rows = list(rows)
        self.is_shorter = False
        self._kept = {channel.pk: channel for channel in report.channels.all()} if report else {}

    @classmethod
    def of_report(cls, report: Report, by: User) -> ChannelRows:
        """The channels that a report has."""
        made = cls(report, by)
        for number, channel in enumerate(made._kept.values()):
            shown = FORMS[channel.kind].shown(channel.target)
            made._row(str(number), channel.kind, channel, initial=shown)
        return made

    @classmethod
    def of_new(cls, by: User) -> ChannelRows:
        """A new report's: a mail to oneself, where mail can be sent."""
        made = cls(None, by)
        if settings.EMAIL_HOST:
            made._row("0", "mail", None, initial={"to": by.email})
        return made

    @classmethod
    def of_post(cls, report: Report | None, by: User, post: Any) -> ChannelRows:
        """The typed values."""
        made = cls(report, by)
        for key in list(dict.fromkeys(post.getlist("channel")))[:50]:
            kind, number = post.get(f"channel-{key}-kind", ""), post.get(f"channel-{key}-kept", "")
            if kind in FORMS and is_id(key):
                kept = made._kept.get(int(number)) if is_id(number) else None
                made._row(key, kind, kept if kept and kept.kind == kind else None, data=post)
        return made

    def _row(self, key: str, kind: str, kept: Channel | None, **values: Any) -> None:
        form = FORMS[kind](
            prefix=f"channel-{key}", kept=kept, by_staff=self.by_staff, reach=self.reach, **values
        )
        label = str(Channel.Kind(kind).label)
        self.rows.append(ChannelRow(key, kind, label, form, kept.pk if kept else None))

    def add(self, kind: str) -> None:
        """Put another channel at the end."""
        if kind in FORMS:
            key = str(max((int(row.key) for row in self.rows), default=-1) + 1)
            self._row(key, kind, None)
            focus_first(self.rows[-1].form)

    def remove(self, key: str) -> None:
        """Take a channel out."""
        self.rows = [row for row in self.rows if row.key != key]
        self.is_shorter = True

    def is_valid(self) -> bool:
        """Whether all can stand; else they say beside their fields why not."""
        sound = [row.form.is_valid() for row in self.rows]
        return all(sound)

    def given(self) -> list[tuple[str, dict[str, Any], str | None]]:
        """All channels as the service takes them, once they are valid."""
        return [row.form.given() for row in self.rows]

    @property
    def addable(self) -> list[tuple[str, str, str]]:
        """The kinds that can be added: name, label and what each does. Mail once."""
        has_mail = any(row.kind == "mail" for row in self.rows)
        return [
            (kind, str(Channel.Kind(kind).label), _(form.about))
            for kind, form in FORMS.items()
            if not (kind == "mail" and has_mail)
        ]
