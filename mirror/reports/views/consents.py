"""Pages for recipients outside: say yes or no to mails, or stop them. A link opens a page; only a button answers."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from mirror.reports import services
from mirror.reports.models import Consent
from mirror.reports.services import ConsentGone

read_or_post = require_http_methods(["GET", "HEAD", "POST"])


@login_not_required
@read_or_post
@never_cache
def consent(request: HttpRequest, token: str) -> HttpResponse:
    """Ask whether mails are wanted, and keep the answer."""

    def answered(found: Consent) -> None:
        if request.POST.get("answer") == "yes":
            services.consent_confirm(found)
        elif request.POST.get("answer") == "no":
            services.consent_stop(found)

    return _answered(request, token, answered, "reports/consent.html")


@login_not_required
@csrf_exempt
@read_or_post
@never_cache
def consent_stop(request: HttpRequest, token: str) -> HttpResponse:
    """Stop mails for good. Mail programs post here by themselves (RFC 8058); the signed link is what lets them."""
    return _answered(request, token, services.consent_stop, "reports/consent_stop.html")


def _answered(
    request: HttpRequest, token: str, act: Callable[[Consent], object], template: str
) -> HttpResponse:
    try:
        found = services.consent_read(token)
    except ConsentGone:
        found = None
    if found is not None and request.method == "POST":
        act(found)
    status = 200 if found is not None else 404
    response = render(request, template, {"consent": found}, status=status)
    response["Referrer-Policy"] = "no-referrer"
    response["X-Robots-Tag"] = "noindex"
    return response
