"""Where the settings ask a second factor of somebody, nothing else is done before one was given in the session."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.decorators import sync_and_async_middleware

from mirror.people.entering import is_coded
from mirror.people.factors import has_factor, is_required
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
    return redirect("people:code" if has_factor(user) else "people:codes")
