"""A link made just now, on its way to the one page that shows it: in a cookie of who made it, for a minute.

The store keeps the hash of a link's token alone, so a session must not carry the token.
"""

from __future__ import annotations

from typing import TypeVar

from django.http import HttpResponse
from django.urls import reverse

from mirror.people.requests import PersonRequest
from mirror.reports.models import ReportFile
from mirror.reports.sending.links import link_is_fresh

COOKIE, SECONDS = "mirror_link", 60

Response = TypeVar("Response", bound=HttpResponse)


def link_address(request: PersonRequest, token: str) -> str:
    """The address of a link."""
    return request.build_absolute_uri(reverse("reports:link", args=[token]))


def fresh_keep(response: Response, request: PersonRequest, file: ReportFile, token: str) -> Response:
    """Let the next look at the file's run show its link."""
    response.set_cookie(
        COOKIE,
        f"{file.pk}/{token}",
        max_age=SECONDS,
        path=reverse("reports:run", args=[file.run_id]),
        secure=request.is_secure(),
        httponly=True,
        samesite="Lax",
    )
    response["Cache-Control"] = "no-store"
    return response


def fresh_of(request: PersonRequest) -> tuple[int, str] | None:
    """The file and the address of a link that this browser made just now, if it still gives the file."""
    file, _, token = request.COOKIES.get(COOKIE, "").partition("/")
    if not (file.isascii() and file.isdigit() and len(file) < 18):
        return None
    if not link_is_fresh(int(file), token, request.user):
        return None
    return int(file), link_address(request, token)


def fresh_forget(response: Response, run: int) -> Response:
    """Show it no second time, and keep it in no cache."""
    response.delete_cookie(COOKIE, path=reverse("reports:run", args=[run]), samesite="Lax")
    response["Cache-Control"] = "no-store"
    return response
