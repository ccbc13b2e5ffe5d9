"""Copies of answers: none in a proxy, and none of rows in a browser.

Views that say by themselves what may be kept (tokens, images) are left as they are, and static files never come here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import cast

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

Answer = Callable[[HttpRequest], HttpResponse]
AnswerLater = Callable[[HttpRequest], Awaitable[HttpResponse]]

# A browser may go back to a page, and asks anew otherwise; fragments, files and answers to programs are of no use again.
PAGE, ONCE = "private, no-cache", "private, no-store"


@sync_and_async_middleware
def kept_private(get_response: Answer | AnswerLater) -> Answer | AnswerLater:
    """Say of each answer that does not say so itself who may keep it."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            return _said(request, await get_response(request))

        return answer_later

    next_answer = cast(Answer, get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        return _said(request, next_answer(request))

    return answer


def _said(request: HttpRequest, answered: HttpResponse) -> HttpResponse:
    is_once = (
        request.path_info.startswith("/api/")
        or "HX-Request" in request.headers
        or answered.get("Content-Disposition", "").startswith("attachment")
    )
    answered.headers.setdefault("Cache-Control", ONCE if is_once else PAGE)
    return answered
