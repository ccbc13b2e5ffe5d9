"""Pages of passkeys: added, named and removed under one's account; asked as a second factor, or to sign in with.

A script asks for the options (JSON), has the browser ask its user, and sends the answer as a form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from mirror.people.entering import (
    coded,
    door,
    enter,
    enter_by_factor,
    factor_asked_first,
    go_on_by_factor,
    has_given,
    is_recent,
    page_after,
    page_wanted,
    person_asked,
    person_setting_up,
    session_begun,
    sets_up_factor,
)
from mirror.people.forms import PasswordForm, password_form, refusal_in_words
from mirror.people.models import Passkey, Session, User
from mirror.people.pages import browser_named
from mirror.people.passkeys import services
from mirror.people.passkeys.ceremonies import Asked
from mirror.people.passkeys.forms import AnswerForm, NameForm
from mirror.people.passkeys.pages import passkey_page, passkeys_page
from mirror.people.passkeys.places import place_of
from mirror.people.recovery import recovery_make
from mirror.people.requests import PersonRequest, origin_here, posted_in
from mirror.people.services import PeopleError, password_refused

# ---------------------------------------------------------------- at the door


@login_not_required
@never_cache
@require_POST
def passkey_ask(request: HttpRequest) -> HttpResponse:
    """Ask a browser for a passkey to sign in with."""
    return _told(lambda: services.sign_in_begin(_asking(request)))


@login_not_required
@never_cache
@require_POST
@sensitive_post_parameters()
def passkey_enter(request: HttpRequest) -> HttpResponse:
    """Sign in the person whose passkey answered."""
    if request.user.is_authenticated:
        return redirect(page_wanted(request))
    form = AnswerForm(request.POST)
    try:
        _form_check(form)
        address = request.META.get("REMOTE_ADDR", "")
        user = services.sign_in_check(_asked(request), form.cleaned_data["answer"], address)
    except PeopleError as error:
        return _refused(request, error, "people:sign_in")
    return enter(request, user, Session.Way.PASSKEY)


@login_not_required
@never_cache
def factor_ask(request: HttpRequest) -> HttpResponse:
    """Ask the browser of somebody who lacks a second factor for one of their passkeys."""
    person = person_asked(request)
    if person is None:
        return door(request, "people:sign_in")
    if request.method != "POST":
        return door(request, "people:code")
    return _told(lambda: services.factor_begin(_asking(request), person))


@login_not_required
@never_cache
@sensitive_post_parameters()
def factor_give(request: HttpRequest) -> HttpResponse:
    """Let in the person whose passkey answered as their second factor."""
    person = person_asked(request)
    if person is None:
        return door(request, "people:sign_in")
    if request.method != "POST":
        return door(request, "people:code")
    form = AnswerForm(request.POST)
    try:
        _form_check(form)
        services.factor_check(_asked(request), person, form.cleaned_data["answer"])
    except PeopleError as error:
        return _refused(request, error, "people:code")
    return go_on_by_factor(request)


# ---------------------------------------------------------------- under one's account


@sets_up_factor
def passkeys(request: HttpRequest, person: User) -> HttpResponse:
    """Show one's passkeys, and keep one that was made; also before the first sign-in where a second factor is asked."""
    if request.method != "POST":
        return _show(request, person)
    name, answer = NameForm(request.POST), AnswerForm(request.POST)
    try:
        _form_check(name)
        _form_check(answer)
        fresh = services.passkey_add(
            _asked(request),
            person,
            name.cleaned_data["name"],
            answer.cleaned_data["answer"],
            is_given=has_given(request),
        )
    except PeopleError as error:
        messages.error(request, str(error))
        return _show(request, person, name=name, status=422)
    if request.user.is_authenticated:
        coded(request)
        messages.success(request, _("“%(name)s” was added.") % {"name": name.cleaned_data["name"]})
        return _show(request, person, fresh=fresh) if fresh else redirect("people:passkeys")
    entered = enter_by_factor(request)
    request.user = person
    response = _show(request, person, fresh=fresh, wanted=entered.headers["Location"])
    response.cookies.update(entered.cookies)
    return response


@login_not_required
@never_cache
@sensitive_post_parameters()
def passkey_begin(request: HttpRequest) -> HttpResponse:
    """Tell a browser to make a passkey, for the password or in a session that was just begun."""
    person = person_setting_up(request)
    if person is None:
        return redirect("people:sign_in")
    if request.method != "POST" or factor_asked_first(request):
        return redirect("people:passkeys")

    def begin() -> dict[str, Any]:
        _form_check(NameForm(request.POST))
        _proof_check(request, person, "added a passkey")
        return services.adding_begin(_asking(request), person)

    return _told(begin)


@never_cache
@sensitive_post_parameters()
def passkey(request: PersonRequest, pk: int) -> HttpResponse:
    """Show one passkey, and call it by another name."""
    one = get_object_or_404(Passkey, pk=pk, user=request.user)
    if elsewhere := factor_asked_first(request):
        return elsewhere
    form = NameForm(posted_in(request), instance=one)
    if form.is_valid():
        services.passkey_rename(Passkey.objects.get(pk=one.pk), form.cleaned_data["name"])
        return redirect("people:passkeys")
    return _show_one(request, get_object_or_404(Passkey, pk=pk), form, 422 if form.is_bound else 200)


@never_cache
@require_POST
@sensitive_post_parameters()
def passkey_remove(request: PersonRequest, pk: int) -> HttpResponse:
    """Take a passkey no longer, for the password or in a session that was just begun."""
    one = get_object_or_404(Passkey, pk=pk, user=request.user)
    if elsewhere := factor_asked_first(request, back=reverse("people:passkey", args=[pk])):
        return elsewhere
    try:
        _proof_check(request, request.user, "removed a passkey")
        services.passkey_remove(one)
    except PeopleError as error:
        messages.error(request, str(error))
        return _show_one(request, one, NameForm(instance=one), 422)
    messages.success(
        request, _("“%(name)s” no longer signs you in. Delete it on your device too.") % {"name": one.name}
    )
    return redirect("people:passkeys")


@never_cache
@require_POST
@sensitive_post_parameters()
def recovery_renew(request: PersonRequest) -> HttpResponse:
    """Make other recovery codes, for the password or in a session that was just begun."""
    person = person_setting_up(request)
    if person is None or not services.passkeys_of(person).exists():
        return redirect("people:passkeys")
    if elsewhere := factor_asked_first(request, back=reverse("people:passkeys")):
        return elsewhere
    try:
        _proof_check(request, person, "made recovery codes")
    except PeopleError as error:
        messages.error(request, str(error))
        return _show(request, person, status=422)
    return _show(request, person, fresh=recovery_make(person))


# ---------------------------------------------------------------- what they share


def _asking(request: HttpRequest) -> Asked:
    """The session and the place that a passkey is to be asked in. Raises: PlaceError."""
    place = place_of(origin_here(request))
    return Asked(session_begun(request), place)


def _asked(request: HttpRequest) -> Asked:
    """The session and the place that an answer comes from. Raises: PlaceError."""
    return Asked(request.session.session_key or "", place_of(origin_here(request)))


def _told(begin: Callable[[], dict[str, Any]]) -> JsonResponse:
    """Answer a script: what the browser has to ask, or why it asks nothing."""
    try:
        return JsonResponse({"options": begin()})
    except PeopleError as error:
        return JsonResponse({"said": str(error)}, status=422)


def _form_check(form: AnswerForm | NameForm) -> None:
    """Raises: PeopleError with the first thing that is wrong with a form."""
    for name, errors in form.errors.items():
        raise PeopleError(f"{form[name].label}: {errors[0]}" if name == "name" else errors[0])


def _proof_check(request: HttpRequest, person: User, verb: str) -> None:
    """Ask for the password once more, or for a session that was just begun where there is none; nothing at the door. Raises: PeopleError."""
    if not request.user.is_authenticated:
        return
    if not person.has_usable_password():
        if not is_recent(request):
            raise PeopleError(_("You have no password, so sign out and sign in again first."))
        return
    form = PasswordForm(person, request.POST)
    if form.has_error("password", "password_incorrect"):
        password_refused(person, verb)
    if not form.is_valid():
        raise PeopleError(form.errors["password"][0])


def _show(
    request: HttpRequest,
    person: User,
    *,
    name: NameForm | None = None,
    fresh: list[str] | None = None,
    wanted: str = "",
    status: int = 200,
) -> HttpResponse:
    called = browser_named(request.headers.get("User-Agent", ""))[:60]
    page = {
        "page": passkeys_page(person, origin_here(request), fresh),
        "name": name or NameForm(initial={"name": called}),
        "again": password_form(request, person),
        "wanted": wanted or page_after(request, reverse("people:passkeys")),
    }
    return render(request, "people/passkeys.html", page, status=status)


def _show_one(request: PersonRequest, one: Passkey, form: NameForm, status: int) -> HttpResponse:
    page = {"page": passkey_page(one), "form": form, "again": password_form(request, request.user)}
    return render(request, "people/passkey.html", page, status=status)


def _refused(request: HttpRequest, error: PeopleError, name: str) -> HttpResponse:
    """Go back to the door with the reason; a wait is told with it."""
    messages.error(request, refusal_in_words(error))
    return door(request, name)
