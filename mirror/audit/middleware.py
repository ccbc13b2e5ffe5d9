"""Tells the audit who sent a request and from where."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

from mirror.audit.acting import Acting, acting_as

Answer = Callable[[HttpRequest], HttpResponse]
AnswerLater = Callable[[HttpRequest], Awaitable[HttpResponse]]


@sync_and_async_middleware
def acting(get_response: Answer | AnswerLater) -> Answer | AnswerLater:
    """Set who acts while a request is answered."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            with acting_as(_of(request)):
                answered: HttpResponse = await get_response(request)
                return answered

        return answer_later

    next_answer = cast(Answer, get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        with acting_as(_of(request)):
            return next_answer(request)

    return answer


def _of(request: HttpRequest) -> Acting:
    def person() -> Any:
        user = getattr(request, "user", None)
        return user if user is not None and user.is_authenticated else None

    return Acting(person, request.META.get("REMOTE_ADDR", "") or "unknown")
