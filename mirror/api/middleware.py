"""Rules for every address of the API: no cookies, no tokens in addresses, no large bodies, and problems told as problems."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import cast

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest, HttpResponse
from django.utils.decorators import sync_and_async_middleware

from mirror.api import problems
from mirror.api.problems import Problem
from mirror.api.services import PREFIX

Answer = Callable[[HttpRequest], HttpResponse]
AnswerLater = Callable[[HttpRequest], Awaitable[HttpResponse]]

ROOT = "/api/"
BODY_BYTES = 1_000_000
# Names under which tokens come in addresses elsewhere.
TOKEN_NAMES = {"token", "access_token", "api_key", "apikey", "key", "authorization"}
# Django's own problems, in words of ours.
_WORDS = {
    400: ("bad-request", "This call cannot be read."),
    403: ("forbidden", "This may not be done."),
    404: ("not-found", "There is no such address."),
    405: ("wrong-method", "This address does not take this method."),
    500: ("broken", "Something in Mirror broke."),
}


@sync_and_async_middleware
def api_alone(get_response: Answer | AnswerLater) -> Answer | AnswerLater:
    """Stand before sessions: a call of the API is known by its token alone, so no page of others can make one with a cookie."""
    if iscoroutinefunction(get_response):

        async def answer_later(request: HttpRequest) -> HttpResponse:
            if not request.path_info.startswith(ROOT):
                return cast(HttpResponse, await get_response(request))
            return _refused(request) or _told(await get_response(request))

        return answer_later

    next_answer = cast(Answer, get_response)

    def answer(request: HttpRequest) -> HttpResponse:
        if not request.path_info.startswith(ROOT):
            return next_answer(request)
        return _refused(request) or _told(next_answer(request))

    return answer


def problem_response(problem: Problem) -> HttpResponse:
    """The answer that tells a problem."""
    return HttpResponse(
        json.dumps(problem.told(), ensure_ascii=False).encode("utf-8", "replace"),
        status=problem.status,
        content_type=problems.MEDIA_TYPE,
        headers=problem.headers(),
    )


def _refused(request: HttpRequest) -> HttpResponse | None:
    request.COOKIES = {}
    sent = [(name, value) for name, values in request.GET.lists() for value in values]
    if PREFIX in request.path_info or any(
        name.lower() in TOKEN_NAMES or str(value).startswith(PREFIX) for name, value in sent
    ):
        return problem_response(problems.token_in_address())
    length = request.META.get("CONTENT_LENGTH") or "0"
    if length.isdigit() and int(length) > BODY_BYTES:
        return problem_response(problems.too_large())
    return None


def _told(response: HttpResponse) -> HttpResponse:
    """Say as a problem what Django says by itself."""
    is_ours = response.get("Content-Type", "").startswith(problems.MEDIA_TYPE)
    if response.status_code < 400 or is_ours:
        return response
    code, title = _WORDS.get(response.status_code, ("failed", "This call was not done."))
    told = problem_response(Problem(response.status_code, code, title))
    if allowed := response.get("Allow", ""):
        told["Allow"] = allowed
    return told
