"""The page on which the owner of a source gives teams logins of the database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from mirror.people.fields import SecretField
from mirror.people.models import Team, User
from mirror.people.requests import PersonRequest
from mirror.sources import login_services, selectors, visits
from mirror.sources.index_pages import IndexPage, index_page
from mirror.sources.logins import ENGINES, login_of, place_of
from mirror.sources.models import Source, SourceLogin
from mirror.sources.powers import Powers, powers_read

# People who are named because two logins contradict each other for them.
NAMED = 20


class LoginForm(forms.Form):
    """The user and the password by which a team reads a source. The password is taken and never given back."""

    username = forms.CharField(label=gettext_lazy("User"), max_length=128)
    password = SecretField(label=gettext_lazy("Password"))

    def __init__(self, *args: Any, team: Team, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs | {"prefix": f"team_{team.pk}"})


@dataclass(frozen=True, slots=True)
class TeamLogin:
    """A team, the login it has, what is to be known of that, and a form for another one."""

    team: Team
    login: SourceLogin | None
    form: LoginForm
    powers: Powers | None = None
    is_unruled: bool = False
    is_moved: bool = False
    index: IndexPage | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
def logins(request: PersonRequest, pk: int) -> HttpResponse:
    """Give a team a login of the database: a worker tries it, and keeps it where it works."""
    source = _source(request, pk)
    teams = list(login_services.teams_offered(source, request.user))
    team = next((one for one in teams if str(one.pk) == request.POST.get("team")), None)
    form = LoginForm(request.POST, team=team) if team is not None else None
    if team is not None and form is not None and form.is_valid():
        typed = form.cleaned_data
        try:
            visit = visits.login_visit_ask(request.user, source, team, typed["username"], typed["password"])
        except visits.VisitRefused as error:
            form.add_error(None, str(error))
        else:
            return redirect("sources:visit", visit.pk)
    kept = {row.team_id: row for row in SourceLogin.objects.filter(source=source)}
    lines = [
        _line(
            source, one, kept.get(one.pk), form if one == team and form is not None else LoginForm(team=one)
        )
        for one in teams
    ]
    context = {
        "source": source,
        "lines": lines,
        "can_have": source.engine in ENGINES,
        "undecided": _undecided(source),
    }
    return render(request, "sources/logins.html", context, status=422 if request.method == "POST" else 200)


@require_http_methods(["GET", "HEAD", "POST"])
def login_take(request: PersonRequest, pk: int, team: int) -> HttpResponse:
    """Take a team's login away, after asking once: its members may read more rows then."""
    source = _source(request, pk)
    found = get_object_or_404(login_services.teams_offered(source, request.user), pk=team)
    if request.method != "POST":
        return render(request, "sources/login_take.html", {"source": source, "team": found})
    login_services.login_take(source, found, request.user)
    messages.success(
        request,
        _("%(found)s reads %(name)s by the source’s own user from now on.")
        % {"found": found, "name": source.name},
    )
    return redirect("sources:logins", pk)


def _source(request: PersonRequest, pk: int) -> Source:
    source = get_object_or_404(selectors.sources_visible(request.user).select_related("owner"), pk=pk)
    if not selectors.may_change(request.user, source):
        raise PermissionDenied(
            _("Only %(owner)s decides by which login teams read this source.") % {"owner": source.owner}
        )
    return source


def _line(source: Source, team: Team, login: SourceLogin | None, form: LoginForm) -> TeamLogin:
    if login is None:
        return TeamLogin(team, None, form)
    found = login.powers or {"found": []}
    codes = {code for code, _ in found["found"]}
    return TeamLogin(
        team,
        login,
        form,
        powers_read(found) if codes else None,
        bool(codes & set(login_services.UNRULED)),
        login.place != place_of(source),
        index_page(selectors.index_state(source, login.username)),
    )


def _undecided(source: Source) -> list[User]:
    """Name the people for whom two logins contradict each other."""
    teams = SourceLogin.objects.filter(source=source, team__in=source.teams.all()).values("team")
    members = User.objects.filter(memberships__team__in=teams, is_active=True).exclude(pk=source.owner_id)
    found = (one for one in members.distinct().order_by("username") if login_of(one, source).problem)
    return [one for one, _ in zip(found, range(NAMED), strict=False)]
