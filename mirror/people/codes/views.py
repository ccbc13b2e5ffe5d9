"""Pages of one-time codes, set up under one's account; and the page that asks for a second factor, by a code or a passkey."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from mirror.people.codes import services
from mirror.people.codes.forms import CodeForm
from mirror.people.codes.pages import code_page, codes_page
from mirror.people.entering import (
    coded,
    door,
    enter_by_factor,
    factor_asked_first,
    go_on_by_factor,
    has_given,
    page_after,
    person_asked,
    sets_up_factor,
)
from mirror.people.factors import has_codes
from mirror.people.forms import password_form, refusal_in_words
from mirror.people.models import User
from mirror.people.requests import PersonRequest, origin_here, posted_in
from mirror.people.services import PeopleError, password_refused


@login_not_required
@never_cache
@sensitive_post_parameters()
def code(request: HttpRequest) -> HttpResponse:
    """Ask for the missing second factor, and sign the person in after a valid code."""
    person = person_asked(request)
    if person is None:
        return door(request, "people:sign_in")
    posted = posted_in(request)
    form, wait = CodeForm(posted, is_recovery=not has_codes(person)), 0
    if form.is_valid():
        wait = _tried(form, lambda: services.code_check(person, form.cleaned_data["code"]))
        if not form.errors:
            return go_on_by_factor(request)
    page = code_page(person, origin_here(request), request.GET.urlencode())
    return _answered(render(request, "people/code.html", {"form": form, "page": page}), form, wait)


@sets_up_factor
def codes(request: HttpRequest, person: User) -> HttpResponse:
    """Set codes up, also before the first sign-in where the settings ask them."""
    form, wait, fresh = CodeForm(posted_in(request)), 0, None
    entered: HttpResponse | None = None
    if form.is_valid():
        typed, renews = form.cleaned_data["code"], has_codes(person)

        def change() -> None:
            nonlocal fresh
            if renews:
                fresh = services.recovery_renew(person, typed)
            else:
                fresh = services.codes_confirm(person, typed, is_given=has_given(request))

        if renews and not request.user.is_authenticated:
            raise PermissionDenied(_("Sign in first."))
        wait = _tried(form, change)
        if not form.errors:
            form = CodeForm()
            if request.user.is_authenticated:
                coded(request)
            else:
                entered = enter_by_factor(request)
                request.user = person
    wanted = entered.headers["Location"] if entered else page_after(request, reverse("people:account"))
    again = password_form(request, person)
    page = {"form": form, "again": again, "page": codes_page(person, fresh), "wanted": wanted}
    response = render(request, "people/codes.html", page)
    if entered:
        response.cookies.update(entered.cookies)
    return _answered(response, form, wait)


@sets_up_factor
def codes_begin(request: HttpRequest, person: User) -> HttpResponse:
    """Make a fresh secret to set codes up with; an open session confirms with its password, and with its second factor if it has one."""
    if request.method != "POST":
        return door(request, "people:codes")
    again = password_form(request, person, request.POST)
    if again and not again.is_valid():
        if again.has_error("password", "password_incorrect"):
            password_refused(person, "set up one-time codes")
        page = {"form": CodeForm(), "again": again, "page": codes_page(person)}
        return render(request, "people/codes.html", page, status=422)
    try:
        services.codes_begin(person)
    except PeopleError as error:
        messages.error(request, str(error))
    return door(request, "people:codes")


@never_cache
@require_POST
@sensitive_post_parameters()
def codes_end(request: PersonRequest) -> HttpResponse:
    """Be asked for codes no longer."""
    if elsewhere := factor_asked_first(request, back=reverse("people:codes")):
        return elsewhere
    form = CodeForm(request.POST)
    if form.is_valid():
        wait = _tried(form, lambda: services.codes_end(request.user, form.cleaned_data["code"]))
        if not form.errors:
            messages.success(request, _("One-time codes are off."))
            return redirect("people:account")
    else:
        wait = 0
    page = {"form": form, "again": None, "page": codes_page(request.user)}
    response = render(request, "people/codes.html", page)
    return _answered(response, form, wait)


def _tried(form: CodeForm, act: Callable[[], None]) -> int:
    """Act by a typed code; a refusal stands at the form. Returns the wait, in seconds."""
    try:
        act()
    except services.CodeError as error:
        form.add_error("code", refusal_in_words(error))
        return ceil(error.wait.total_seconds())
    except PeopleError as error:
        form.add_error("code", str(error))
    return 0


def _answered(response: HttpResponse, form: CodeForm, wait: int) -> HttpResponse:
    response.status_code = 429 if wait else 422 if form.errors else 200
    if wait:
        response["Retry-After"] = str(wait)
    return response
