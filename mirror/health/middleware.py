"""Middleware before all other: each request is named, and /healthz, /readyz and /livez are answered before sessions and hosts."""

from __future__ import annotations

import re
import sys
from collections.abc import Awaitable, Callable
from typing import cast
from uuid import uuid4

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.core.signals import got_request_exception
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.decorators import sync_and_async_middleware
from django.utils.log import log_response

from mirror.health.views import healthz, livez, readyz
from mirror.logs import lines_about

Answer = Callable[[HttpRequest], HttpResponse]
AnswerLater = Callable[[HttpRequest], Awaitable[HttpResponse]]

# Of a request: the exception that nobody caught.
BROKE = "broke_by"

HEADER = "X-Request-ID"
# Names that a proxy or a program may give a request: none could pass for something else in a log.
_SANE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:=+-]{0,127}")

# The views of these addresses.
FIRST: dict[str, Answer] = {"healthz": healthz, "readyz": readyz, "livez": livez}


@sync_and_async_middleware
def request_named(get_response: Answer | AnswerLater) -> Answer | AnswerLater:
    """Name each request for the log by its header `X-Request-ID`, or by a name of ours where that is not sane, and give the name back."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            name = _name(request)
            with lines_about(request=name):
                answered: HttpResponse = await get_response(request)
                _refusal_log(request, answered)
            answered[HEADER] = name
            return answered

        return answer_later

    next_answer = cast(Answer, get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        name = _name(request)
        with lines_about(request=name):
            answered = next_answer(request)
            _refusal_log(request, answered)
        answered[HEADER] = name
        return answered

    return answer


def _refusal_log(request: HttpRequest, answered: HttpResponse) -> None:
    """Log a refusal as Django does, once, but while lines name the request: Django does it after all middleware."""
    if answered.status_code >= 400:
        words = ("%s: %s", answered.reason_phrase, request.path)
        log_response(*words, response=answered, request=request, exception=getattr(request, BROKE, None))


def _fault_kept(sender: object, request: HttpRequest | None = None, **_: object) -> None:
    """Keep what broke with its request: where an error page broke, Django gives a 500 without a word of why."""
    if request is not None:
        setattr(request, BROKE, sys.exc_info()[1])


got_request_exception.connect(_fault_kept, dispatch_uid="mirror.health.fault_kept")


def _name(request: HttpRequest) -> str:
    given = request.headers.get(HEADER, "")
    return given if _SANE.fullmatch(given) else uuid4().hex


@sync_and_async_middleware
def health_first(get_response: Answer | AnswerLater) -> Answer | AnswerLater:
    """Give the addresses of health to their views at once, and every other to what comes next.

    Whether it lives is answered without a thread: threads may all wait for a store that hangs.
    """
    first = {reverse(name): view for name, view in FIRST.items()}
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            view = first.get(request.path_info)
            if view is livez:
                return livez(request)
            if view is not None:
                return await sync_to_async(view, thread_sensitive=False)(request)
            answered: HttpResponse = await get_response(request)
            return answered

        return answer_later

    next_answer = cast(Answer, get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        return first.get(request.path_info, next_answer)(request)

    return answer
