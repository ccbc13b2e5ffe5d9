"""Tells the audit who sent a request and from where."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

from mirror.audit.acting import Acting, acting_as
from mirror.audit.services import record

Answer = Callable[[HttpRequest], HttpResponse]
AnswerLater = Callable[[HttpRequest], Awaitable[HttpResponse]]

_LOOKING = ("GET", "HEAD", "OPTIONS")


@sync_and_async_middleware
def acting(get_response: Answer | AnswerLater) -> Answer | AnswerLater:
    """Set who acts while a request is answered."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            with acting_as(_of(request)):
                answered: HttpResponse = await get_response(request)
                if _is_refused(request, answered):
                    await sync_to_async(_refusal_record)(request)
                return answered

        return answer_later

    next_answer = cast(Answer, get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        with acting_as(_of(request)):
            answered = next_answer(request)
            if _is_refused(request, answered):
                _refusal_record(request)
            return answered

    return answer


def _is_refused(request: HttpRequest, answered: HttpResponse) -> bool:
    """Whether somebody was refused a change.

    Refused looks are not told, nor a form without its CSRF token; calls by a token are told where that is read.
    """
    if answered.status_code != 403 or request.method in _LOOKING or hasattr(request, "auth"):
        return False
    return getattr(request, "csrf_processing_done", False) and _of(request).person() is not None


def _refusal_record(request: HttpRequest) -> None:
    record("tried what only others may do", request.path_info, is_refused=True)


def _of(request: HttpRequest) -> Acting:
    def person() -> Any:
        user = getattr(request, "user", None)
        return user if user is not None and user.is_authenticated else None

    def token() -> str:
        return str(getattr(request, "auth", ""))

    return Acting(person, request.META.get("REMOTE_ADDR", "") or "unknown", token)
