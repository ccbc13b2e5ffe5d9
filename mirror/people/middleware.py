"""Checks between a session and a page: the person's language, and a second factor where the settings ask for one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast
from urllib.parse import urlencode

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.middleware.locale import LocaleMiddleware
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import translation
from django.utils.decorators import sync_and_async_middleware

from mirror.people.entering import is_coded
from mirror.people.factors import has_factor, is_required
from mirror.people.languages import language_wanted
from mirror.people.models import User

Answer = Callable[[HttpRequest], HttpResponse]
AnswerLater = Callable[[HttpRequest], Awaitable[HttpResponse]]

# Where somebody may go without: to give a second factor, to set one up, and out.
OPEN = (
    "people:code",
    "people:factor_ask",
    "people:factor_give",
    "people:codes",
    "people:codes_begin",
    "people:passkeys",
    "people:passkey_begin",
    "people:sign_out",
    "people:provider_out",
)


# Programs read answers of these addresses, in English.
PROGRAMS = "/api/"


class LanguageOfPerson(LocaleMiddleware):
    """Answer in the language that the person chose, else in the first of the browser's that there is."""

    def process_request(self, request: HttpRequest) -> None:
        """Choose the language of an answer."""
        is_program = request.path_info.startswith(PROGRAMS)
        translation.activate(settings.LANGUAGE_CODE if is_program else language_wanted(request))
        request.LANGUAGE_CODE = translation.get_language()


@sync_and_async_middleware
def second_factor_first(get_response: Answer | AnswerLater) -> Answer | AnswerLater:
    """Lead people who lack a second factor to where they give one: in sessions from before the setting too, and new administrators."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            if settings.SECOND_FACTOR_REQUIRED != "nobody":
                elsewhere = await sync_to_async(_elsewhere)(request)
                if elsewhere is not None:
                    return elsewhere
            answered: HttpResponse = await get_response(request)
            return answered

        return answer_later

    next_answer = cast(Answer, get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        return _elsewhere(request) or next_answer(request)

    return answer


def _elsewhere(request: HttpRequest) -> HttpResponse | None:
    """Where a request is led to; None for one that may pass."""
    if settings.SECOND_FACTOR_REQUIRED == "nobody":
        return None
    user = request.user
    if not isinstance(user, User) or not is_required(user) or is_coded(request):
        return None
    if request.path_info in map(reverse, OPEN):
        return None
    door = reverse("people:code" if has_factor(user) else "people:codes")
    # Only a page is gone back to: no form that was sent, and no part of a page.
    is_page = request.method in ("GET", "HEAD") and not request.headers.get("HX-Request")
    return redirect(f"{door}?{urlencode({'next': request.get_full_path()})}" if is_page else door)
