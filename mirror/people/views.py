"""Pages to sign in and out, and to manage people and teams."""

from __future__ import annotations

from math import ceil
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import BACKEND_SESSION_KEY, update_session_auth_hash
from django.contrib.auth import views as auth_views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm, SetPasswordForm
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from mirror.people import factors, selectors, services
from mirror.people.entering import enter, is_page, wanted_keep
from mirror.people.forms import (
    AddressForm,
    ChangePasswordForm,
    LanguageForm,
    MemberForm,
    PersonForm,
    SignInForm,
    TeamForm,
)
from mirror.people.languages import language_wanted
from mirror.people.models import Session, Team, User
from mirror.people.pages import LinkPage, TeamPage, account_linked, account_page
from mirror.people.passkeys.pages import is_offered
from mirror.people.provider.configured import identity_of, provider
from mirror.people.requests import PersonRequest, origin_here, posted_in, search_typed
from mirror.people.ways import way_of


class SignIn(auth_views.LoginView):
    """Name and password; after too many wrong ones there is a wait.

    Where somebody wanted to go is remembered too, for a one-time link that is opened in the same browser.
    """

    template_name = "people/sign_in.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_redirect_url(self, request: HttpRequest | None = None) -> str:
        """Give the page that the link names, if it is one of this Mirror."""
        wanted: str = super().get_redirect_url()
        return wanted if is_page(self.request, wanted) else ""

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        """Sign in, and know this browser from now on."""
        return enter(self.request, form.get_user(), Session.Way.PASSWORD, self.get_redirect_url())

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """Show the form with what was typed; 429 while there is a wait."""
        response = super().form_invalid(form)
        if isinstance(form, SignInForm) and form.wait:
            response.status_code = 429
            response["Retry-After"] = str(ceil(form.wait.total_seconds()))
        return response

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Show the form."""
        response = super().get(request, *args, **kwargs)
        if wanted := self.get_redirect_url():
            wanted_keep(self.request, response, wanted)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Offer the identity provider where there is one, and passkeys where somebody has one for this address."""
        offered = {"provider": provider(), "has_passkeys": is_offered(origin_here(self.request))}
        return {**super().get_context_data(**kwargs), **offered}


sign_in = SignIn.as_view()


class SignOut(auth_views.LogoutView):
    """The end of a session. One by the identity provider leads to a page that offers to end that of the provider too."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """End it."""
        is_by_provider = way_of(request.session.get(BACKEND_SESSION_KEY, "")) == Session.Way.PROVIDER
        response: HttpResponse = super().post(request, *args, **kwargs)
        return redirect("people:provider_out") if is_by_provider and provider() else response


sign_out = SignOut.as_view()


@login_not_required
@never_cache
def sign_in_link(request: HttpRequest, token: str) -> HttpResponse:
    """Show whom the link signs in, and use it up when the button is pressed.

    Opening the page uses nothing up: mail scanners and chat previews open links too.
    """
    if request.method == "POST":
        user = services.link_use(token)
        if user:
            response = enter(request, user, Session.Way.LINK)
            if not user.has_usable_password():
                words = _("You have no password yet. Choose one under Your account to need no link.")
                messages.info(request, account_linked(words))
            return response
    person = services.link_holder(token)
    status = 200 if person else 410
    return render(request, "people/sign_in_link.html", {"person": person}, status=status)


@sensitive_post_parameters()
def account(request: PersonRequest) -> HttpResponse:
    """Choose a password, or another one."""
    if request.method == "POST" and identity_of(request.user):
        raise PermissionDenied(_("You sign in by the identity provider and need no password here."))
    form = _password_form(request.user, posted_in(request))
    if form.is_valid():
        services.user_password(form.user, form.cleaned_data["new_password1"])
        update_session_auth_hash(request, form.user)
        services.links_end(request.user)
        services.sessions_end_others(request.user, request.session.session_key or "")
        messages.success(request, _("Your password is set."))
        return redirect("people:account")
    if form.has_error("old_password", "password_incorrect"):
        services.password_refused(request.user)
    return _show_account(request, password=form)


@require_POST
def account_address(request: PersonRequest) -> HttpResponse:
    """Choose one's mail address, or none."""
    address = AddressForm(request.POST, instance=User.objects.get(pk=request.user.pk))
    if address.is_valid():
        services.user_address(request.user, address.cleaned_data["email"])
        messages.success(request, _("Your mail address is saved."))
        return redirect("people:account")
    return _show_account(request, address=address)


@require_POST
def account_language(request: PersonRequest) -> HttpResponse:
    """Choose the language of one's pages and mails, or that of the browser."""
    language = LanguageForm(request.POST)
    if language.is_valid():
        services.user_language(request.user, language.cleaned_data["language"])
        # the page that comes next is in this one already
        translation.activate(language_wanted(request))
        messages.success(request, _("Your language is saved."))
        return redirect("people:account")
    return _show_account(request, language=language)


@require_POST
def session_end(request: PersonRequest, mark: str) -> HttpResponse:
    """Sign oneself out in another browser."""
    if not services.session_end(request.user, mark):
        raise Http404("You have no such session.")
    messages.success(request, _("You are signed out there."))
    return redirect("people:account")


@require_POST
def sessions_end(request: PersonRequest) -> HttpResponse:
    """Sign oneself out in every other browser."""
    services.sessions_end_others(request.user, request.session.session_key or "")
    messages.success(request, _("You are signed out everywhere else."))
    return redirect("people:account")


def _password_form(user: User, posted: QueryDict | None = None) -> SetPasswordForm:
    """The form for a password; one that there is has to be typed as well."""
    form_class = ChangePasswordForm if user.has_usable_password() else SetPasswordForm
    return form_class(user, posted)


def _show_account(
    request: PersonRequest,
    password: SetPasswordForm | None = None,
    address: AddressForm | None = None,
    language: LanguageForm | None = None,
) -> HttpResponse:
    """Show the account, with the one form of it that was sent."""
    sent = password or address or language
    forms = {
        "form": password or _password_form(request.user),
        "address": address or AddressForm(instance=request.user),
        "language": language or LanguageForm(initial={"language": request.user.language}),
    }
    page = account_page(request.user, request.session.session_key or "")
    status = 422 if sent and sent.is_bound else 200
    return render(request, "people/account.html", {**forms, "page": page}, status=status)


# ---------------------------------------------------------------- people


def _staff_only(request: PersonRequest) -> None:
    if not request.user.is_staff:
        raise PermissionDenied(_("Only administrators manage people."))


@require_safe
def people(request: PersonRequest) -> HttpResponse:
    """List everyone."""
    _staff_only(request)
    search = search_typed(request)
    page = {"people": selectors.people(search), "search": search, "provider": provider()}
    return render(request, "people/people.html", page)


def person_new(request: PersonRequest) -> HttpResponse:
    """Make somebody and show the link to hand over."""
    _staff_only(request)
    form = PersonForm(posted_in(request))
    if form.is_valid():
        person = services.user_create(**form.cleaned_data)
        return _show_link(request, person)
    status = 422 if form.is_bound else 200
    return render(request, "people/person_new.html", {"form": form}, status=status)


@require_POST
def person_link(request: PersonRequest, pk: int) -> HttpResponse:
    """Make a fresh one-time link for somebody."""
    _staff_only(request)
    person = get_object_or_404(User, pk=pk, is_active=True, is_service=False)
    if identity_of(person):
        messages.error(
            request,
            _("%(person)s signs in by %(provider)s: a link would pass it by.")
            % {"person": person, "provider": settings.OIDC_NAME},
        )
        return redirect("people:people")
    return _show_link(request, person)


def _show_link(request: PersonRequest, person: User) -> HttpResponse:
    token = services.link_create(person)
    url = request.build_absolute_uri(reverse("people:sign_in_link", args=[token]))
    page = LinkPage(person=person, url=url, hours=settings.SIGN_IN_LINK_HOURS)
    response = render(request, "people/link.html", {"page": page})
    response["Cache-Control"] = "no-store"
    return response


@require_POST
def person_active(request: PersonRequest, pk: int) -> HttpResponse:
    """Shut somebody out, or let them in again."""
    _staff_only(request)
    person = get_object_or_404(User, pk=pk, is_service=False)
    try:
        if person.is_active:
            services.user_deactivate(person, request.user)
            messages.success(request, _("%(person)s can no longer sign in.") % {"person": person})
        else:
            services.user_activate(person)
            messages.success(request, _("%(person)s can sign in again.") % {"person": person})
    except services.PeopleError as error:
        messages.error(request, str(error))
    return redirect("people:people")


@require_POST
def person_role(request: PersonRequest, pk: int) -> HttpResponse:
    """Make somebody an administrator, or one no longer."""
    _staff_only(request)
    person = get_object_or_404(User, pk=pk, is_service=False)
    try:
        services.user_make_staff(person, not person.is_staff, request.user)
        messages.success(
            request,
            (
                _("%(person)s is an administrator now.")
                if person.is_staff
                else _("%(person)s is a member now.")
            )
            % {"person": person},
        )
    except services.PeopleError as error:
        messages.error(request, str(error))
    return redirect("people:people")


@require_POST
def person_factor_reset(request: PersonRequest, pk: int) -> HttpResponse:
    """Forget the codes and passkeys of somebody who lost them."""
    _staff_only(request)
    person = get_object_or_404(User, pk=pk, is_service=False)
    if person == request.user:
        messages.error(request, account_linked(_("Your own second factor is under Your account.")))
        return redirect("people:people")
    try:
        factors.factors_reset(person, request.user)
        messages.success(
            request, _("%(person)s has no second factor any more, and is signed out.") % {"person": person}
        )
    except services.PeopleError as error:
        messages.error(request, str(error))
    return redirect("people:people")


# ---------------------------------------------------------------- teams


@require_safe
def teams(request: PersonRequest) -> HttpResponse:
    """List the teams one may see."""
    return render(request, "people/teams.html", {"teams": selectors.teams_visible_to(request.user)})


def team_new(request: PersonRequest) -> HttpResponse:
    """Make a team."""
    _staff_only(request)
    form = TeamForm(posted_in(request))
    if form.is_valid():
        team = services.team_create(form.cleaned_data["name"], request.user)
        return redirect("people:team", team.pk)
    status = 422 if form.is_bound else 200
    return render(request, "people/team_new.html", {"form": form}, status=status)


def _team(request: PersonRequest, pk: int, *, to_manage: bool = False) -> Team:
    team = get_object_or_404(selectors.teams_visible_to(request.user), pk=pk)
    if to_manage and not selectors.may_manage(request.user, team):
        raise PermissionDenied(_("Only administrators and this team's managers change it."))
    return team


@require_safe
def team(request: PersonRequest, pk: int) -> HttpResponse:
    """Show a team and who is in it."""
    return _show_team(request, _team(request, pk), MemberForm())


def _show_team(request: PersonRequest, team: Team, form: MemberForm, status: int = 200) -> HttpResponse:
    page = TeamPage(
        team=team,
        memberships=list(team.memberships.select_related("user").order_by("user__username")),
        may_manage=selectors.may_manage(request.user, team),
    )
    return render(request, "people/team.html", {"page": page, "form": form}, status=status)


@require_POST
def member_add(request: PersonRequest, pk: int) -> HttpResponse:
    """Put somebody into a team."""
    team = _team(request, pk, to_manage=True)
    form = MemberForm(request.POST)
    if form.is_valid():
        try:
            services.member_add(team, **form.cleaned_data)
            return redirect("people:team", team.pk)
        except services.PeopleError as error:
            form.add_error("username", str(error))
    return _show_team(request, team, form, status=422)


@require_POST
def member_remove(request: PersonRequest, pk: int, user_pk: int) -> HttpResponse:
    """Take somebody out of a team."""
    team = _team(request, pk, to_manage=True)
    services.member_remove(team, user_pk)
    visible = selectors.teams_visible_to(request.user).filter(pk=pk).exists()
    return redirect("people:team", pk) if visible else redirect("people:teams")
