"""Answers /healthz before sessions, hosts and anything else that may need what is down."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.decorators import sync_and_async_middleware

from mirror.health.views import healthz

Answer = Callable[[HttpRequest], HttpResponse]
AnswerLater = Callable[[HttpRequest], Awaitable[HttpResponse]]


@sync_and_async_middleware
def health_first(get_response: Answer | AnswerLater) -> Answer | AnswerLater:
    """Give the address of health to its view at once, and every other to what comes next."""
    address = reverse("healthz")
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            if request.path_info == address:
                return await sync_to_async(healthz, thread_sensitive=False)(request)
            answered: HttpResponse = await get_response(request)
            return answered

        return answer_later

    next_answer = cast(Answer, get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        return healthz(request) if request.path_info == address else next_answer(request)

    return answer
