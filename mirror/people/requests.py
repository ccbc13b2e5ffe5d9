"""The request of somebody who is signed in, which is what every view gets but those that say otherwise; what is read off it.

`LoginRequiredMiddleware` sends everybody else to the sign-in page before a view is called.
"""

from __future__ import annotations

from django.http import HttpRequest, QueryDict
from django_htmx.middleware import HtmxDetails

from mirror.people.models import User


class PersonRequest(HttpRequest):
    """A request whose `user` is a person. A type to annotate with; requests are made by Django."""

    user: User
    htmx: HtmxDetails


def wants_fragment(request: HttpRequest) -> bool:
    """Say whether a script asks for a part of a page: htmx, or an element that follows what it shows."""
    return "HX-Request" in request.headers or "X-Requested-With" in request.headers


def posted_in(request: HttpRequest) -> QueryDict | None:
    """The typed values; None when nothing was sent yet, so that an empty form is not full of errors."""
    return request.POST if request.method == "POST" else None


def origin_here(request: HttpRequest) -> str:
    """The scheme, host and port that a page was asked at."""
    return f"{request.scheme}://{request.get_host()}"


def search_typed(request: HttpRequest) -> str:
    """The words that are searched for, as far as they are looked at."""
    return request.GET.get("q", "").replace("\x00", "").strip()[:200]


def is_id(typed: str) -> bool:
    """Say whether what a page sent can be the id of a row, the number of a page, or the key of a row in a form.

    Example:
        >>> is_id("12"), is_id("-1"), is_id("²"), is_id("9" * 30), is_id("")
        (True, False, False, False, False)
    """
    return typed.isascii() and typed.isdigit() and len(typed) < 10
