"""Common parts of pages by a link: they are cached nowhere, and a page that shows nothing looks the same for every reason."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render


def link_is_gone(request: HttpRequest) -> HttpResponse:
    """The answer to a link that shows nothing, whatever is wrong with it."""
    return closed_off(render(request, "sharing/link_gone.html", status=404))


def closed_off(response: HttpResponse) -> HttpResponse:
    """Keep what a link shows out of caches and searches, and its address out of what other sites are told."""
    response["Cache-Control"] = "no-store"
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response
