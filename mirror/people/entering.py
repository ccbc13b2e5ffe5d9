"""Sign a person in after the proof: the second factor that lacks, a session of their own, the page that they wanted."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import wraps
from urllib.parse import quote, unquote, urlencode

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, login, logout
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import get_language_from_request
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters

from mirror.people.factors import has_factor, is_required
from mirror.people.models import Session, User
from mirror.people.provider.configured import identity_of
from mirror.people.session_store import FROM
from mirror.people.ways import BACKENDS, way_of
from mirror.people.wrong_passwords import COOKIE, COOKIE_SECONDS, browser_cookie

# The cookie that keeps which page somebody wanted before they signed in, and how long it does.
WANTED, WANTED_SECONDS = "mirror_wanted", 3_600
# Keys of a session: a person who has yet to give a second factor (for at most so many seconds), and that one was given.
HALF, HALF_SECONDS, CODED = "half", 600, "coded"
# Ways in that ask for a second factor themselves: the provider its own; a passkey its owner's finger, face or PIN.
WHOLE = (Session.Way.PROVIDER, Session.Way.PASSKEY)
# How long a session counts as just begun.
RECENT = timedelta(minutes=10)


def enter(request: HttpRequest, user: User, way: Session.Way, wanted: str = "") -> HttpResponse:
    """Sign somebody in, or ask for the second factor that lacks; then they go where they wanted."""
    wanted = wanted or page_wanted(request)
    if way not in WHOLE and (has_factor(user) or is_required(user)):
        # Another person may be signed in here, who gives no code; and a key that was known before is worth nothing after.
        if request.user.is_authenticated:
            logout(request)
        else:
            request.session.cycle_key()
        request.session[HALF] = [user.pk, user.get_session_auth_hash(), way, time.time(), wanted]
        return redirect("people:code" if has_factor(user) else "people:codes")
    return _let_in(request, user, way, wanted)


def enter_by_factor(request: HttpRequest) -> HttpResponse:
    """Sign in the person who gave the second factor that lacked."""
    half = half_in(request)
    assert half is not None
    user, way, wanted = half
    request.session.pop(HALF)
    response = _let_in(request, user, way, wanted)
    request.session[CODED] = True
    return response


def go_on_by_factor(request: HttpRequest) -> HttpResponse:
    """Sign in the person who gave the second factor, or note it in the session that lacked it; then they go where they wanted."""
    if not request.user.is_authenticated:
        return enter_by_factor(request)
    coded(request)
    return redirect(page_wanted(request))


def half_in(request: HttpRequest) -> tuple[User, Session.Way, str] | None:
    """Give the person who proved all but the code in this browser a moment ago, the way, and the page that they want."""
    pk, proved, way, at, wanted = request.session.get(HALF, (0, "", "", 0, ""))
    user = User.objects.filter(pk=pk, is_active=True).first()
    if user is None or time.time() - at > HALF_SECONDS:
        return None
    # A password that was changed meanwhile ends it, as it ends sessions.
    if not constant_time_compare(proved, user.get_session_auth_hash()):
        return None
    return user, Session.Way(way), wanted


def is_coded(request: HttpRequest) -> bool:
    """Whether a second factor was given in this session, or none is needed in it."""
    return way_of(request.session.get(BACKEND_SESSION_KEY, "")) in WHOLE or bool(request.session.get(CODED))


def has_given(request: HttpRequest) -> bool:
    """Whether somebody is signed in and gave a second factor in this session, or needs none in it; not so at the door."""
    return request.user.is_authenticated and is_coded(request)


def coded(request: HttpRequest) -> None:
    """Note that a second factor was given in this session."""
    request.session[CODED] = True


def person_asked(request: HttpRequest) -> User | None:
    """Give the person who has to give a second factor: to be let in, or because a session that is there lacks one."""
    if isinstance(request.user, User):
        person = None if is_coded(request) else request.user
    else:
        half = half_in(request)
        person = half[0] if half else None
    return person if person and has_factor(person) else None


def person_setting_up(request: HttpRequest) -> User | None:
    """Give the person who sets a second factor up: signed in by other than the provider, or with all but a first one. Raises: PermissionDenied."""
    if isinstance(request.user, User):
        if identity_of(request.user):
            raise PermissionDenied(_("The identity provider asks for your second factor."))
        return request.user
    half = half_in(request)
    return half[0] if half and not has_factor(half[0]) else None


def factor_asked_first(request: HttpRequest, back: str = "") -> HttpResponse | None:
    """Lead a person to where they give the second factor that they have, in a session that lacks it; None where it does not.

    Then they go `back`, else to the page that they asked for: an address that is only posted to names its page.
    """
    if not request.user.is_authenticated or person_asked(request) is None:
        return None
    return redirect(f"{reverse('people:code')}?{urlencode({'next': back or request.path})}")


def sets_up_factor(
    view: Callable[[HttpRequest, User], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Give a view the person who sets a second factor up. A person who has one already gives it first; nobody else gets there."""

    @login_not_required
    @never_cache
    @sensitive_post_parameters()
    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        person = person_setting_up(request)
        if person is None:
            return door(request, "people:sign_in")
        return factor_asked_first(request) or view(request, person)

    return guarded


def session_begun(request: HttpRequest) -> str:
    """Give the key of this browser's session, which is begun where there is none."""
    # A cookie may name a session that is gone: that is known once its data was read.
    request.session.get(HALF)
    if not request.session.session_key:
        request.session.create()
    return str(request.session.session_key)


def is_recent(request: HttpRequest) -> bool:
    """Say whether this session was just begun."""
    begun = request.session.get(FROM, ("", "", ""))[2]
    return bool(begun) and timezone.now() - datetime.fromisoformat(begun) < RECENT


def _let_in(request: HttpRequest, user: User, way: Session.Way, wanted: str) -> HttpResponse:
    """Begin a session; the browser is known from now on: wrong passwords tried elsewhere do not stop it."""
    login(request, user, backend=BACKENDS[way])
    # mails follow the browser where no language was chosen
    spoken = get_language_from_request(request)
    if user.browser_language != spoken:
        user.browser_language = spoken
        user.save(update_fields=["browser_language"])
    response = redirect(wanted)
    response.delete_cookie(WANTED, samesite="Lax")
    cookie = browser_cookie(user.get_username(), request.COOKIES.get(COOKIE, ""))
    response.set_cookie(
        COOKIE, cookie, max_age=COOKIE_SECONDS, secure=request.is_secure(), httponly=True, samesite="Lax"
    )
    return response


def door(request: HttpRequest, name: str) -> HttpResponse:
    """Lead to a page of signing in by its name, with where the person wants to go after it."""
    query = request.GET.urlencode()
    return redirect(f"{reverse(name)}?{query}" if query else reverse(name))


def page_after(request: HttpRequest, otherwise: str) -> str:
    """Give the page that somebody was on the way to when they were led here, or another one where they came by themselves."""
    return page_wanted(request) if request.GET.get("next") else otherwise


def page_wanted(request: HttpRequest) -> str:
    """Where somebody wanted to go before they had to sign in: said by the link, or remembered; a path from the root, here only."""
    wanted = request.GET.get("next") or unquote(request.COOKIES.get(WANTED, ""))
    return wanted if is_page(request, wanted) else str(settings.LOGIN_REDIRECT_URL)


def is_page(request: HttpRequest, wanted: str) -> bool:
    """Say whether an address is a path from the root of this Mirror: a bare word would be taken for the name of a view."""
    return wanted.startswith("/") and url_has_allowed_host_and_scheme(
        wanted, {request.get_host()}, require_https=request.is_secure()
    )


def wanted_keep(request: HttpRequest, response: HttpResponse, wanted: str) -> None:
    """Remember where somebody wants to go. By a cookie: a session would be a row of the store for everybody who only looks."""
    response.set_cookie(
        WANTED,
        quote(wanted),
        max_age=WANTED_SECONDS,
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
