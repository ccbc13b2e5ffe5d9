"""Forms about the SSH server on the way to a source. Secrets are taken and never given back."""

from __future__ import annotations

import copy
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from mirror.people.fields import SecretField
from mirror.secrets import is_kept
from mirror.sources.models import Source
from mirror.sources.tunnels import (
    BY_KEY,
    BY_PASSWORD,
    NAMES,
    PORT,
    TUNNEL_SECRETS,
    fingerprint_in,
)

KEY_CHARS = 20_000


class SecretText(forms.Textarea):
    """Lines that are never given back, as a field of a password is not."""

    def format_value(self, value: Any) -> None:
        return None


class TunnelForm(forms.Form):
    """The fields of a tunnel; the form of a source holds those of its engine."""

    ssh_host = forms.CharField(
        label=gettext_lazy("Host of the SSH server"),
        max_length=255,
        required=False,
        help_text=gettext_lazy("Empty: the database is called directly."),
    )
    ssh_port = forms.IntegerField(
        label=gettext_lazy("Port of the SSH server"),
        min_value=1,
        max_value=65535,
        required=False,
        widget=forms.NumberInput(attrs={"placeholder": str(PORT)}),
    )
    ssh_user = forms.CharField(
        label=gettext_lazy("User of the SSH server"),
        max_length=128,
        required=False,
        help_text=gettext_lazy("A user that may forward and nothing else is enough."),
    )
    ssh_by = forms.ChoiceField(
        label=gettext_lazy("Signs in to the SSH server by"),
        choices=[(BY_KEY, gettext_lazy("Private key")), (BY_PASSWORD, gettext_lazy("Password"))],
        required=False,
    )
    ssh_key = forms.CharField(
        label=gettext_lazy("Private key"),
        max_length=KEY_CHARS,
        required=False,
        widget=SecretText(attrs={"rows": 4, "class": "code", "autocomplete": "off", "spellcheck": "false"}),
        help_text=gettext_lazy(
            "The whole file, from -----BEGIN to the last line. Make a key for Mirror alone: ssh-keygen -t ed25519."
        ),
    )
    ssh_password = SecretField(label=gettext_lazy("Passphrase of the key, or password"), required=False)
    ssh_fingerprint = forms.CharField(
        label=gettext_lazy("Fingerprint of the SSH server's key"),
        max_length=300,
        required=False,
        help_text=gettext_lazy(
            "Empty: the server is asked for its key, and you confirm it. Its administrator tells it by ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub."
        ),
    )


class TunnelPart:
    """The part of a source's form that is about its SSH server."""

    def __init__(self, form: forms.ModelForm) -> None:
        self._form = form
        self._source: Source = form.instance
        for name, field in TunnelForm.base_fields.items():
            form.fields[name] = copy.deepcopy(field)
        for name in NAMES:
            form.initial.setdefault(name, self._source.tunnel.get(name))
        if self._source.pk:
            for name in TUNNEL_SECRETS:
                if is_kept(self._source, name):
                    form.fields[name].help_text = _("One is kept. Leave this empty to keep it.")

    def clean(self, cleaned: dict[str, Any]) -> dict[str, Any]:
        """Give the fields of the tunnel to be kept; empty without a host. A missing value is said at its field.

        A fingerprint is of one server: it goes when another one is typed. One that was ticked counts where none was typed.
        """
        host = cleaned.get("ssh_host", "").strip()
        if not host:
            return {}
        before = self._source.tunnel
        typed = cleaned.get("ssh_fingerprint", "").strip()
        wanted = typed or self._form.data.get("ssh_confirmed", "")
        fingerprint = fingerprint_in(wanted)
        if wanted and not fingerprint:
            self._say("ssh_fingerprint", _("A fingerprint is SHA256: and 43 characters after it."))
        port = cleaned.get("ssh_port") or PORT
        if before and typed == before["ssh_fingerprint"]:
            is_same = (host, port) == (before["ssh_host"], before["ssh_port"])
            fingerprint = fingerprint if is_same else fingerprint_in(self._form.data.get("ssh_confirmed", ""))
        tunnel = {
            "ssh_host": host,
            "ssh_port": port,
            "ssh_user": cleaned.get("ssh_user", "").strip(),
            "ssh_by": cleaned.get("ssh_by") or BY_KEY,
            "ssh_fingerprint": fingerprint,
        }
        if not tunnel["ssh_user"]:
            self._say("ssh_user", _("Type who signs in to the SSH server."))
        self._secrets_check(cleaned, tunnel)
        return tunnel

    def _secrets_check(self, cleaned: dict[str, Any], tunnel: dict[str, Any]) -> None:
        """Ask for what signs in, again when it would go to another server or by another way."""
        name = "ssh_key" if tunnel["ssh_by"] == BY_KEY else "ssh_password"
        if cleaned.get(name):
            return
        if not is_kept(self._source, name):
            words = (
                _("Paste the private key.")
                if name == "ssh_key"
                else _("Type the password of the SSH server.")
            )
            self._say(name, words)
        elif tunnel != self._source.tunnel:
            self._say(
                name, _("Give it again: it was given for another SSH server, user or key of the server.")
            )

    def _say(self, name: str, words: str) -> None:
        if name not in self._form.errors:
            self._form.add_error(name, words)
