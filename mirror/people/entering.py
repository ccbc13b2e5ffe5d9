"""Letting somebody in who proved who they are: a session of their own, and the page that they wanted."""

from __future__ import annotations

from urllib.parse import quote, unquote

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme

from mirror.people.models import Session, User
from mirror.people.ways import BACKENDS
from mirror.people.wrong_passwords import COOKIE, COOKIE_SECONDS, browser_cookie

# The cookie that keeps which page somebody wanted before they signed in, and how long it does.
WANTED, WANTED_SECONDS = "mirror_wanted", 3_600


def enter(request: HttpRequest, user: User, way: Session.Way, wanted: str = "") -> HttpResponse:
    """Sign somebody in and send them where they wanted to go; the browser is known from now on.

    Wrong passwords tried elsewhere do not stop one that is.
    """
    login(request, user, backend=BACKENDS[way])
    response = redirect(wanted or page_wanted(request))
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
