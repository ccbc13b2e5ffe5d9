"""Pages of requests that are refused before or by a view. They never read the request's body.

Django's own read it for a token that these pages do not need: a body that cannot be read would then break the answer that says so.
"""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string


def unreadable(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that a request cannot be read (400). Its sender is not looked up: it may come before sessions."""
    return HttpResponse(render_to_string("400.html", {"messages": ()}), status=400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that something may not be done, and why (403)."""
    return render(request, "403.html", {"exception": str(exception)}, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Say that there is nothing at an address (404)."""
    return render(request, "404.html", status=404)
