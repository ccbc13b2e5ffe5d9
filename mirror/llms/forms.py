"""Forms of language models and budgets. A key is taken and never given back."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from mirror.llms.addresses import UrlRefused, url_check
from mirror.llms.models import URL_CHARS, Endpoint, MonthlyBudget
from mirror.people.fields import RowsField, one_line_check
from mirror.people.models import Team, User
from mirror.phrases import plain_number
from mirror.secrets import is_kept
from mirror.sources.models import Source

ALL, CHOSEN = "all", "chosen"
EVERYBODY = MonthlyBudget.EVERYBODY
KEY_CHARS = 500
MOST_PRICE = 1_000_000


class EndpointForm(forms.ModelForm):
    """A language model at one server."""

    base_url = forms.CharField(
        label=gettext_lazy("Address"),
        max_length=URL_CHARS,
        help_text=gettext_lazy("Of any OpenAI-compatible server, up to where /chat/completions follows."),
        widget=forms.TextInput(
            attrs={
                "placeholder": "http://127.0.0.1:11434/v1",
                "spellcheck": "false",
                "autocapitalize": "none",
            }
        ),
    )
    key = forms.CharField(
        label=gettext_lazy("Key"),
        max_length=KEY_CHARS,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=gettext_lazy("Sealed in the store. Leave it empty where the server asks for none."),
    )
    no_key = forms.BooleanField(label=gettext_lazy("It needs no key: take the kept one away"), required=False)
    price_prompt = forms.FloatField(
        label=gettext_lazy("Price of a million tokens sent"),
        min_value=0,
        max_value=MOST_PRICE,
        required=False,
    )
    price_reply = forms.FloatField(
        label=gettext_lazy("Price of a million tokens replied"),
        min_value=0,
        max_value=MOST_PRICE,
        required=False,
    )
    reach = forms.ChoiceField(
        label=gettext_lazy("Used for"),
        choices=[
            (ALL, gettext_lazy("All sources, also those to come")),
            (CHOSEN, gettext_lazy("These alone")),
        ],
        widget=forms.RadioSelect,
    )
    sources = RowsField(
        queryset=Source.objects.only("name").order_by("name"),
        label=gettext_lazy("Sources"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    is_on = forms.BooleanField(label=gettext_lazy("Used for questions"), required=False)

    field_order = ["name", "base_url", "model", "key", "no_key", "price_prompt", "price_reply"]

    class Meta:
        model = Endpoint
        fields = ["name", "base_url", "model", "price_prompt", "price_reply", "is_on"]
        labels = {"name": gettext_lazy("Name"), "model": gettext_lazy("Model")}
        help_texts = {
            "name": gettext_lazy("The name that people read: “Local Qwen”."),
            "model": gettext_lazy("As the server calls it: “qwen2.5-coder:7b”."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["model"].widget.attrs |= {"spellcheck": "false", "autocapitalize": "none"}
        for name in ("name", "model"):
            self.fields[name].validators.append(one_line_check)
        for name in ("price_prompt", "price_reply"):
            self.fields[name].help_text = f"In {settings.LLM_CURRENCY}."
            self.initial[name] = self.initial.get(name) or None
        self.initial["reach"] = ALL if self.instance.is_for_all else CHOSEN
        if self.instance.pk:
            self.initial["sources"] = list(self.instance.sources.only("name"))
        if self.has_key:
            self.fields["key"].help_text = "One is kept. Leave this empty to keep it."
        else:
            del self.fields["no_key"]

    @property
    def has_key(self) -> bool:
        """Whether a key is kept."""
        return bool(self.instance.pk) and is_kept(self.instance, "key")

    def clean_name(self) -> str:
        """Refuse a name that is taken, letter case ignored."""
        name: str = self.cleaned_data["name"]
        if Endpoint.objects.filter(name__iexact=name).exclude(pk=self.instance.pk).exists():
            raise forms.ValidationError(_("Another language model has this name already."))
        return name

    def clean_base_url(self) -> str:
        """Refuse what cannot be called, or holds a secret."""
        try:
            return url_check(self.cleaned_data["base_url"])
        except UrlRefused as error:
            raise forms.ValidationError(str(error)) from None

    def clean_key(self) -> str:
        """Refuse what no key has; the key itself is in no message."""
        key: str = self.cleaned_data["key"]
        if not key.isascii() or not key.isprintable() or " " in key:
            raise forms.ValidationError(
                _("This holds a space or a character that no key has. Copy it again.")
            )
        return key

    def clean_price_prompt(self) -> float:
        """Nothing typed costs nothing."""
        return float(self.cleaned_data["price_prompt"] or 0)

    def clean_price_reply(self) -> float:
        """Nothing typed costs nothing."""
        return float(self.cleaned_data["price_reply"] or 0)

    def clean(self) -> dict[str, Any]:
        """Ask for sources where they are to be chosen, and for the key again when it would go to another address."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("reach") == CHOSEN and not cleaned.get("sources") and "sources" not in self.errors:
            self.add_error("sources", _("Choose the sources that it may be used for."))
        is_moved = cleaned.get("base_url", self.initial.get("base_url")) != self.initial.get("base_url")
        if self.has_key and is_moved and not cleaned.get("key") and not cleaned.get("no_key"):
            self.add_error("key", _("Type the key again: it was given for another address."))
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc] # Django's own place for what comes after cleaning
        if self.new_key:
            self.instance.key = self.cleaned_data.get("key", "")

    @property
    def new_key(self) -> bool:
        """Whether a key was typed, or the kept one is to be taken away."""
        return bool(self.cleaned_data.get("key") or self.cleaned_data.get("no_key"))

    @property
    def chosen(self) -> list[Source] | None:
        """The sources it may be used for; None: all."""
        return list(self.cleaned_data["sources"]) if self.cleaned_data["reach"] == CHOSEN else None


# The least money that a month is bounded to, besides none at all.
LEAST_MONEY = 0.01


class BudgetForm(forms.Form):
    """A bound on a month's use by a person, every person, a team or a source."""

    about = forms.ChoiceField(label=pgettext_lazy("budget", "Of"))
    tokens = forms.IntegerField(
        label=gettext_lazy("Tokens a month"),
        min_value=0,
        max_value=10**15,
        required=False,
        help_text=gettext_lazy("Sent and replied together."),
    )
    money = forms.FloatField(
        label=gettext_lazy("Money a month"), min_value=0, max_value=10**9, required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        people = User.objects.filter(is_active=True).order_by("username")
        about = self.fields["about"]
        assert isinstance(about, forms.ChoiceField)
        about.choices = [
            (EVERYBODY, _("Every person")),
            (_("People"), [(f"person-{one.pk}", one.username) for one in people]),
            (_("Teams"), [(f"team-{one.pk}", one.name) for one in Team.objects.all()]),
            (
                _("Sources"),
                [(f"source-{one.pk}", one.name) for one in Source.objects.only("name").order_by("name")],
            ),
        ]
        self.fields["money"].help_text = _("In %(currency)s, by the prices that are set.") % {
            "currency": settings.LLM_CURRENCY
        }

    def clean_about(self) -> User | Team | Source | None:
        """Give the person, team or source that it bounds; None: every person. Refuse one that was deleted a moment ago."""
        kind, _dash, pk = str(self.cleaned_data["about"]).partition("-")
        models: dict[str, type[User] | type[Team] | type[Source]] = {
            "person": User,
            "team": Team,
            "source": Source,
        }
        if kind not in models:
            return None
        found = models[kind]._default_manager.filter(pk=int(pk)).first()
        if found is None:
            raise forms.ValidationError(
                _("This %(kind)s was deleted in the meantime. Nothing was set.") % {"kind": kind}
            )
        return found

    def clean_money(self) -> float | None:
        """Refuse less than the smallest coin: it bounds nothing that 0 does not."""
        money: float | None = self.cleaned_data["money"]
        if money is not None and 0 < money < LEAST_MONEY:
            raise forms.ValidationError(
                _("Type 0, or at least %(least)s.") % {"least": plain_number(LEAST_MONEY)}
            )
        return money

    def clean(self) -> dict[str, Any]:
        """Ask for one bound at least."""
        cleaned = super().clean() or self.cleaned_data
        if not self.errors and cleaned.get("tokens") is None and cleaned.get("money") is None:
            self.add_error("tokens", _("Type tokens, money or both."))
        return cleaned
