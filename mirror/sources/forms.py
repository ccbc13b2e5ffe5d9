"""Forms about a source. A password is taken and never given back."""

from __future__ import annotations

import copy
from typing import Any

from django import forms
from django.core.validators import MaxLengthValidator
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from mirror.people.fields import RowsField, SecretField, one_line_check
from mirror.people.forms import ShareForm
from mirror.people.models import Team
from mirror.phrases import mid_sentence
from mirror.secrets import is_kept
from mirror.sources import services
from mirror.sources.engine_words import ABSENT, KEY_CHARS, WORDS
from mirror.sources.models import OPTIONS, PORTS, Source, TeamRole, WithheldRight
from mirror.sources.tunnel_forms import TunnelPart
from mirror.sources.tunnels import secrets_take


def _choice(form: forms.Form | SourceForm, name: str) -> forms.ChoiceField:
    """Take a field of choices out of a form."""
    field = form.fields[name]
    assert isinstance(field, forms.ChoiceField)
    return field


class SourceForm(forms.ModelForm):
    """A source of one engine: a file, or a server. The fields of the other are not there."""

    name = forms.SlugField(
        label=gettext_lazy("Name"),
        max_length=60,
        help_text=gettext_lazy("Short, as people will type it: letters, digits, - and _."),
        error_messages={"invalid": gettext_lazy("Use letters, digits, - and _ only, and no spaces.")},
    )
    description = forms.CharField(
        label=gettext_lazy("Description"), max_length=300, required=False, validators=[one_line_check]
    )
    database = forms.CharField(label=gettext_lazy("Database"), max_length=500)
    privacy = forms.ChoiceField(
        label=gettext_lazy("What may reach a language model"),
        choices=Source.Privacy.choices,
        initial=Source.Privacy.SCHEMA,
        help_text=gettext_lazy(
            "Schema only: names, types and comments of tables and columns. Masked samples: also the shape of stored values, letters and digits replaced. Rows: stored values too. Without a language model nothing leaves this machine."
        ),
    )

    class Meta:
        model = Source
        fields = ["name", "description", "database", "privacy"]

    @property
    def typed_fields(self) -> list[str]:
        """The fields of a source that this form is about; its password is not among them."""
        return list(self._meta.fields or ())

    @property
    def confirmed(self) -> str:
        """The fingerprint of an SSH server that was ticked rather than typed; empty where none was."""
        kept = str(self.instance.tunnel.get("ssh_fingerprint", ""))
        return kept if "ssh_confirmed" in self.data else ""

    def clean_name(self) -> str:
        """Refuse a name that is taken, letter case ignored."""
        name: str = self.cleaned_data["name"]
        if Source.objects.filter(name__iexact=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(_("Another source has this name already."))
        return name


class FileForm(SourceForm):
    """A database that is one file on this machine."""

    database = forms.CharField(
        label=gettext_lazy("Path of the file"),
        max_length=500,
        help_text=gettext_lazy("On the machine that Mirror runs on."),
    )

    field_order = ["name", "description", "database", "privacy"]


class UploadedForm(SourceForm):
    """A source made of uploaded files; where they lie is Mirror's own business."""

    database = None  # type: ignore[assignment] # this is how Django takes a field away

    field_order = ["name", "description", "privacy"]

    class Meta(SourceForm.Meta):
        fields = ["name", "description", "privacy"]


TLS_MODES = [
    ("", gettext_lazy("As the server offers")),
    ("disable", gettext_lazy("No TLS")),
    ("require", gettext_lazy("TLS, without checking who answers")),
    ("verify-ca", gettext_lazy("TLS, certificate checked")),
    ("verify-full", gettext_lazy("TLS, certificate and host name checked")),
]


# Where not all of these can be told to the driver.
TLS_OF = {
    "spark": [("", gettext_lazy("No TLS")), *TLS_MODES[2:]],
    "clickhouse": [("", gettext_lazy("No TLS")), *TLS_MODES[2:]],
    "trino": [("", gettext_lazy("TLS, certificate and host name checked")), TLS_MODES[1], TLS_MODES[2]],
    "mssql": TLS_MODES[:3],
    "oracle": [("", gettext_lazy("No TLS")), TLS_MODES[2], TLS_MODES[4]],
    "redshift": [("", gettext_lazy("TLS, certificate and host name checked")), TLS_MODES[1], TLS_MODES[3]],
}


def _dialects() -> list[tuple[str, str]]:
    return [("", _("Choose ...")), *((name, name) for name in services.dialects())]


class OptionsForm(forms.Form):
    """The named settings of engines; a form of one engine holds those of `models.OPTIONS`."""

    dialect = forms.ChoiceField(
        label=gettext_lazy("SQLAlchemy dialect"),
        choices=_dialects,
        help_text=gettext_lazy(
            "Those installed with their drivers. For another one, install its package where Mirror runs: pip install sqlalchemy-cockroachdb, for instance."
        ),
    )
    warehouse = forms.CharField(label=gettext_lazy("Warehouse"), max_length=200, required=False)
    role = forms.CharField(label=gettext_lazy("Role"), max_length=200, required=False)
    location = forms.CharField(label=gettext_lazy("Location"), max_length=60, required=False)
    http_path = forms.CharField(label=gettext_lazy("HTTP path"), max_length=300)
    auth = forms.ChoiceField(
        label=gettext_lazy("Signing in"),
        choices=[("", gettext_lazy("Name and password (SASL)")), ("nosasl", gettext_lazy("None (NOSASL)"))],
        required=False,
    )
    namespaces = forms.CharField(
        label=gettext_lazy("Other namespaces to read"),
        max_length=500,
        required=False,
        help_text=gettext_lazy(
            "Their names, separated by commas; * for all. The database above is always read."
        ),
    )
    sslmode = forms.ChoiceField(label="TLS", choices=TLS_MODES, required=False)
    sslrootcert = forms.CharField(
        label=gettext_lazy("File of the CA"),
        max_length=500,
        required=False,
        help_text=gettext_lazy(
            "On the machine that Mirror runs on. Without one, the authorities this machine trusts count."
        ),
    )


class ServerForm(SourceForm):
    """A database behind a host and port, with a user, a password and the few settings its engine has."""

    host = forms.CharField(label=gettext_lazy("Host"), max_length=255)
    port = forms.IntegerField(label=gettext_lazy("Port"), min_value=1, max_value=65535, required=False)
    username = forms.CharField(label=gettext_lazy("User"), max_length=128, required=False)
    password = SecretField(label=gettext_lazy("Password"), required=False)

    field_order = ["name", "description", "host", "port", "database", "username", "password", "privacy"]

    class Meta(SourceForm.Meta):
        fields = ["name", "description", "host", "port", "database", "username", "privacy"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["port"].widget.attrs["placeholder"] = str(PORTS.get(self.instance.engine, ""))
        if self.instance.pk and is_kept(self.instance, "password"):
            self.fields["password"].help_text = _("One is kept. Leave this empty to keep it.")
        for name in self.option_names:
            self.fields[name] = copy.deepcopy(OptionsForm.base_fields[name])
            self.initial.setdefault(name, self.instance.options.get(name, ""))
        self._tunnel = TunnelPart(self) if self.instance.is_tunnelled else None
        modes = TLS_OF.get(self.instance.engine)
        if modes is not None:
            _choice(self, "sslmode").choices = modes
        self._say_as_engine()
        kept = self.instance.options.get("dialect")
        if kept and "dialect" in self.fields and kept not in services.dialects():
            _choice(self, "dialect").choices = [
                *_dialects(),
                (kept, _("%(kept)s (not installed any more)") % {"kept": kept}),
            ]

    def _say_as_engine(self) -> None:
        """Call the fields what the engine calls them, and take away those that it does not have."""
        engine = self.instance.engine
        for name, words in WORDS.get(engine, {}).items():
            self.fields[name].label = _(words.label)
            is_there = name == "password" and bool(self.instance.pk) and is_kept(self.instance, "password")
            self.fields[name].required = words.is_required and not is_there
            if words.help and not is_there:
                self.fields[name].help_text = _(words.help)
        for name in ABSENT.get(engine, ()):
            del self.fields[name]
        if engine == Source.Engine.BIGQUERY:
            password = self.fields["password"]
            assert isinstance(password, forms.CharField)
            password.validators = [MaxLengthValidator(KEY_CHARS)]
            password.widget.attrs["maxlength"] = str(KEY_CHARS)

    @property
    def typed_fields(self) -> list[str]:
        """The fields of a source that this form is about, with its named settings and its tunnel."""
        tunnel = ["tunnel"] if self._tunnel is not None else []
        return [*super().typed_fields, "options", *tunnel]

    @property
    def option_names(self) -> tuple[str, ...]:
        """The named settings of this engine."""
        return OPTIONS.get(self.instance.engine, ())

    @property
    def is_tunnel_open(self) -> bool:
        """There is an SSH server, or something is wrong with what was typed of one."""
        return bool(self["ssh_host"].value()) or any(name.startswith("ssh_") for name in self.errors)

    @property
    def place(self) -> list[forms.BoundField]:
        """Host and port, as far as the engine has them."""
        return [self[name] for name in ("host", "port") if name in self.fields]

    @property
    def signing_in(self) -> list[forms.BoundField]:
        """User and password, as far as the engine has them."""
        return [self[name] for name in ("username", "password") if name in self.fields]

    @property
    def names(self) -> list[forms.BoundField]:
        """The fields of the engine's own names: warehouse, role, path."""
        return [self[name] for name in ("warehouse", "role", "location", "http_path") if name in self.fields]

    @property
    def options(self) -> list[forms.BoundField]:
        """Their fields."""
        return [self[name] for name in self.option_names]

    def clean(self) -> dict[str, Any]:
        """Ask for the password again when it would go to another place, or there on another way."""
        cleaned = super().clean() or self.cleaned_data
        moved = bool({"host", "port", "username", *self.option_names} & set(self.changed_data))
        if self._tunnel is not None:
            cleaned["tunnel"] = self._tunnel.clean(cleaned)
            moved = moved or cleaned["tunnel"] != self.instance.tunnel
        if is_kept(self.instance, "password") and moved and not cleaned.get("password"):
            self.add_error(
                "password", _("Type the password again: it was given for another host, user or way there.")
            )
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc] # Django's own place for what comes after cleaning
        self.instance.tunnel = self.cleaned_data.get("tunnel", {})
        secrets_take(self.instance, self.cleaned_data)
        typed = {name: self.cleaned_data.get(name) for name in self.option_names}
        self.instance.options = {name: value for name, value in typed.items() if value}


def form_for(engine: str, *, is_upload: bool = False) -> type[SourceForm]:
    """Tell which form an engine needs."""
    if is_upload:
        return UploadedForm
    return FileForm if Source(engine=engine).is_file else ServerForm


UNCHOSEN = gettext_lazy("Choose a role")


class SourceShareForm(ShareForm):
    """The teams that see a source, the role of each, and the rights that are withheld from them.

    A team's role is a field `role_` with its id; a withheld right a field `no_files` or `no_sending`. For a team that is newly ticked a role is
    chosen; where a program sends no such field at all, the team is analyst.
    """

    WITHHELD = {
        WithheldRight.Right.FILES: gettext_noop("No files"),
        WithheldRight.Right.SENDING: gettext_noop("No sending"),
    }

    def __init__(self, *args: Any, offered: QuerySet[Team], source: Source, **kwargs: Any) -> None:
        initial: dict[str, Any] = {"teams": source.teams.all()}
        for right in self.WITHHELD:
            initial[f"no_{right}"] = list(source.withheld.filter(right=right).values_list("team", flat=True))
        super().__init__(*args, offered=offered, initial=initial, **kwargs)
        self._offered = list(offered)
        roles = dict(source.team_roles.values_list("team", "role"))
        self._shared = {team.pk for team in initial["teams"]}
        for team in self._offered:
            is_shared = team.pk in self._shared
            self.fields[f"role_{team.pk}"] = forms.ChoiceField(
                label=_("Role of %(team)s") % {"team": team},
                choices=TeamRole.Role.choices if is_shared else [("", UNCHOSEN), *TeamRole.Role.choices],
                initial=roles.get(team.pk, TeamRole.Role.ANALYST) if is_shared else "",
                required=False,
                widget=forms.Select(attrs={"class": "select-small"}),
            )
        for right, label in self.WITHHELD.items():
            self.fields[f"no_{right}"] = RowsField(
                label=_(label), queryset=offered, required=False, widget=forms.CheckboxSelectMultiple
            )

    def clean(self) -> dict[str, Any]:
        """Demand a role for each team that the source is newly shared with. Sent without the field, as by earlier programs, it is analyst."""
        cleaned = super().clean() or self.cleaned_data
        for team in cleaned.get("teams", ()):
            name = f"role_{team.pk}"
            if team.pk not in self._shared and name in self.data and not cleaned.get(name):
                self.add_error(name, _("Choose what %(team)s may do.") % {"team": team})
        for team in self._offered:
            is_left = team.pk not in self._shared and team not in cleaned.get("teams", ())
            if is_left and cleaned.get(f"role_{team.pk}"):
                self.add_error(
                    f"role_{team.pk}", _("Tick that %(team)s sees it, or choose no role.") % {"team": team}
                )
        return cleaned

    def roles(self) -> dict[Team, str]:
        """The role that was chosen for each team; one for which none was sent is left out."""
        chosen = {team: self.cleaned_data[f"role_{team.pk}"] for team in self._offered}
        return {team: role for team, role in chosen.items() if role}

    def rows(self) -> list[tuple[str, Any, Any, list[tuple[str, Any]]]]:
        """Each team with the box that shares it, its role, and the boxes of withheld rights with their names for a screen reader."""
        fields = {f"no_{right}": mid_sentence(_(label)) for right, label in self.WITHHELD.items()}
        found = []
        columns = (self[name] for name in ("teams", *fields))
        for team, (box, *withheld) in zip(self._offered, zip(*columns, strict=True), strict=True):
            named = [(f"{team}: {head}", one) for head, one in zip(fields.values(), withheld, strict=True)]
            found.append((str(team), box, self[f"role_{team.pk}"], named))
        return found
