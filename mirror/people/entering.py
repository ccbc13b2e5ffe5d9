"""Sign a person in after the proof: the code that lacks, a session of their own, the page that they wanted."""

from __future__ import annotations

import time
from urllib.parse import quote, unquote

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, login, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme

from mirror.people.codes import services as codes
from mirror.people.models import Session, User
from mirror.people.ways import BACKENDS, way_of
from mirror.people.wrong_passwords import COOKIE, COOKIE_SECONDS, browser_cookie

# The cookie that keeps which page somebody wanted before they signed in, and how long it does.
WANTED, WANTED_SECONDS = "mirror_wanted", 3_600
# Keys of a session: a person who has yet to give a code (for at most so many seconds), and that one was given.
HALF, HALF_SECONDS, CODED = "half", 600, "coded"


def enter(request: HttpRequest, user: User, way: Session.Way, wanted: str = "") -> HttpResponse:
    """Sign somebody in, or ask for the one-time code that lacks; then they go where they wanted.

    The identity provider asks its people for a second factor itself.
    """
    wanted = wanted or page_wanted(request)
    if way != Session.Way.PROVIDER and (codes.is_on(user) or codes.is_required(user)):
        # Another person may be signed in here, who gives no code; and a key that was known before is worth nothing after.
        if request.user.is_authenticated:
            logout(request)
        else:
            request.session.cycle_key()
        request.session[HALF] = [user.pk, user.get_session_auth_hash(), way, time.time(), wanted]
        return redirect("people:code" if codes.is_on(user) else "people:codes")
    return _let_in(request, user, way, wanted)


def enter_by_code(request: HttpRequest) -> HttpResponse:
    """Sign in the person who gave the code that lacked."""
    half = half_in(request)
    assert half is not None
    user, way, wanted = half
    request.session.pop(HALF)
    response = _let_in(request, user, way, wanted)
    request.session[CODED] = True
    return response


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
    """Whether a code was given in this session, or none is needed in it."""
    is_by_provider = way_of(request.session.get(BACKEND_SESSION_KEY, "")) == Session.Way.PROVIDER
    return is_by_provider or bool(request.session.get(CODED))


def coded(request: HttpRequest) -> None:
    """Note that a code was given in this session."""
    request.session[CODED] = True


def _let_in(request: HttpRequest, user: User, way: Session.Way, wanted: str) -> HttpResponse:
    """Begin a session; the browser is known from now on: wrong passwords tried elsewhere do not stop it."""
    login(request, user, backend=BACKENDS[way])
    response = redirect(wanted)
    response.delete_cookie(WANTED, samesite="Lax")
    cookie = browser_cookie(user.get_username(), request.COOKIES.get(COOKIE, ""))
    response.set_cookie(
        COOKIE, cookie, max_age=COOKIE_SECONDS, secure=request.is_secure(), httponly=True, samesite="Lax"
    )
    return response


def page_wanted(request: HttpRequest) -> str:
    """Where somebody wanted to go before they had to sign in: said by the link, or remembered; here only."""
    wanted = request.GET.get("next") or unquote(request.COOKIES.get(WANTED, ""))
    is_here = url_has_allowed_host_and_scheme(wanted, {request.get_host()}, require_https=request.is_secure())
    return wanted if is_here else str(settings.LOGIN_REDIRECT_URL)


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
