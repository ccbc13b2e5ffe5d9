"""Forms about people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from math import ceil
from typing import Any

from django import forms
from django.conf import settings
from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.db.models import QuerySet
from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from mirror.people import wrong_passwords
from mirror.people.factors import FactorError
from mirror.people.fields import RowsField, one_line_check
from mirror.people.models import Team, User


class SignInForm(AuthenticationForm):
    """Name and password. After too many wrong ones there is a `wait`, and nothing is looked at before it is over."""

    wait = timedelta(0)

    def clean(self) -> dict[str, Any]:
        """Refuse a try that has to wait; count the others unless they are right."""
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if not name or not password:
            return self.cleaned_data
        asked = self.request or HttpRequest()
        browser = asked.COOKIES.get(wrong_passwords.COOKIE, "")
        tried = wrong_passwords.try_begin(name, asked.META.get("REMOTE_ADDR", ""), browser)
        self.wait = tried.wait
        if tried.wait:
            raise forms.ValidationError(
                _(
                    "There were too many wrong passwords. Try again in %(wait)s, or ask an administrator "
                    "for a one-time link, which works at once."
                )
                % {"wait": wait_in_words(tried.wait)}
            )
        cleaned: dict[str, Any] = super().clean()
        wrong_passwords.try_right(tried)
        return cleaned


class ChangePasswordForm(PasswordChangeForm):
    """Another password, for which the one of now has to be typed: guesses wait as at the door."""

    def clean_old_password(self) -> str:
        """Refuse a wrong one, and any while there is a wait."""
        with _guess(self.user):
            old: str = super().clean_old_password()
        return old


class PasswordForm(forms.Form):
    """The password once more, before an act that an open browser alone must not do: guesses wait as at the door."""

    password = forms.CharField(
        label=gettext_lazy("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, user: User, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data)
        self.user = user

    def clean_password(self) -> str:
        """Refuse a wrong one, and any while there is a wait."""
        password: str = self.cleaned_data["password"]
        with _guess(self.user):
            if not self.user.check_password(password):
                raise forms.ValidationError(_("That is not your password."), code="password_incorrect")
        return password


@contextmanager
def _guess(user: User) -> Iterator[None]:
    """Count a typed password as a guess unless the body ends well. Raises: ValidationError while there is a wait."""
    tried = wrong_passwords.change_begin(user)
    if tried.wait:
        raise forms.ValidationError(
            _("There were too many wrong passwords. Try again in %(wait)s.")
            % {"wait": wait_in_words(tried.wait)}
        )
    yield
    wrong_passwords.try_right(tried)


def wait_in_words(wait: timedelta) -> str:
    """A wait, rounded up: 45 seconds, 2 minutes."""
    seconds = ceil(wait.total_seconds())
    if seconds < 90:
        return ngettext("%(count)s second", "%(count)s seconds", seconds) % {"count": seconds}
    minutes = ceil(seconds / 60)
    return ngettext("%(count)s minute", "%(count)s minutes", minutes) % {"count": minutes}


def refusal_in_words(error: Exception) -> str:
    """Why somebody's second factor, or another act about it, is refused; a wait is told with it."""
    wait = error.wait if isinstance(error, FactorError) else None
    return (
        _("%(error)s Try again in %(wait)s.") % {"error": error, "wait": wait_in_words(wait)}
        if wait
        else str(error)
    )


def password_form(request: HttpRequest, person: User, posted: QueryDict | None = None) -> PasswordForm | None:
    """The form that asks for the password; none at the door, where it was just typed, and none for a person who has no password."""
    asks = request.user.is_authenticated and person.has_usable_password()
    return PasswordForm(person, posted) if asks else None


class PersonForm(forms.Form):
    """A new person."""

    username = User._meta.get_field("username").formfield(
        label=gettext_lazy("Username"),
        help_text=gettext_lazy("The name for signing in."),
        validators=[User.username_validator],
    )
    name = forms.CharField(label=gettext_lazy("Name"), max_length=150, required=False)
    email = forms.EmailField(label=gettext_lazy("Mail address"), required=False)
    is_staff = forms.BooleanField(
        label=gettext_lazy("Administrator"),
        required=False,
        help_text=gettext_lazy(
            "May add people, manage every team and name any file on this machine as a source."
        ),
    )

    def clean_username(self) -> str:
        """Refuse a name that is taken, letter case ignored."""
        username: str = self.cleaned_data["username"]
        if User.objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(_("Somebody has this name already."))
        return username


class AddressForm(forms.ModelForm):
    """One's own mail address."""

    class Meta:
        model = User
        fields = ["email"]
        labels = {"email": gettext_lazy("Mail address")}
        help_texts = {
            "email": gettext_lazy(
                "Test reports are sent there, word of reports of yours that fail, and comments that mention you."
            )
        }


class LanguageForm(forms.Form):
    """The language of one's pages and mails."""

    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        required=False,
        choices=[("", gettext_lazy("As the browser")), *settings.LANGUAGES],
        help_text=gettext_lazy(
            "Of pages and mails, with their numbers and dates. Questions are asked in English."
        ),
    )


class TeamForm(forms.ModelForm):
    """A team's name."""

    class Meta:
        model = Team
        fields = ["name"]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].validators.append(one_line_check)


class MemberForm(forms.Form):
    """Somebody to put into a team."""

    username = forms.CharField(label=gettext_lazy("Username"), max_length=150)
    is_manager = forms.BooleanField(label=gettext_lazy("May add and remove members"), required=False)


class ShareForm(forms.Form):
    """The teams that something is shared with; `offered` are those that may be chosen."""

    teams = RowsField(
        label=gettext_lazy("Teams"),
        queryset=Team.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, offered: QuerySet[Team], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        teams = self.fields["teams"]
        assert isinstance(teams, RowsField)
        teams.queryset = offered
