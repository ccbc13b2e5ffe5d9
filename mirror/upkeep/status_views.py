"""How Mirror stands: for Prometheus, and for administrators as a page."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.crypto import constant_time_compare
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4

from mirror.people.models import User
from mirror.people.requests import PersonRequest
from mirror.upkeep.metrics import metrics_text
from mirror.upkeep.status_pages import status_page


@never_cache
@require_safe
def status(request: PersonRequest) -> HttpResponse:
    """Say how Mirror stands, what is wrong first."""
    if not request.user.is_staff:
        raise PermissionDenied(_("Only administrators see how Mirror stands."))
    return render(request, "upkeep/status.html", {"page": status_page(request.user)})


@login_not_required
@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Answer Prometheus, who sends `METRICS_TOKEN`, and administrators who are signed in; for others there is no such address."""
    is_administrator = isinstance(request.user, User) and request.user.is_staff
    if is_administrator or _has_token(request):
        return HttpResponse(metrics_text(), content_type=CONTENT_TYPE_PLAIN_0_0_4)
    if settings.METRICS_TOKEN:
        return HttpResponse("A token is needed.\n", "text/plain", 401, headers={"WWW-Authenticate": "Bearer"})
    raise Http404("METRICS_TOKEN is not set.")


def _has_token(request: HttpRequest) -> bool:
    kind, _, token = request.headers.get("Authorization", "").partition(" ")
    wanted = settings.METRICS_TOKEN
    return bool(wanted) and kind.lower() == "bearer" and constant_time_compare(token.strip(), wanted)
