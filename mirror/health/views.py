"""GET /healthz for load balancers and `script/server`, /livez and /readyz for who starts containers. Open to everyone: they tell no secrets."""

from __future__ import annotations

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from mirror.health.services import QUEUES, whats_down, whats_missing


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when web, store, broker and workers are up, else 503 naming what is down."""
    down = whats_down()
    parts = {part: "down" if part in down else "up" for part in ("web", "store", "broker", *QUEUES)}
    if "store" in down:
        parts |= dict.fromkeys(QUEUES, "unknown")
    body = {"status": "down" if down else "up", **parts}
    return JsonResponse({**body, "why": down} if down else body, status=503 if down else 200)


@login_not_required
@never_cache
@require_safe
def livez(request: HttpRequest) -> JsonResponse:
    """Answer 200 while this web process answers at all; neither store nor broker is asked."""
    return JsonResponse({"status": "alive"})


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when pages can be served and what is asked can be sent to workers, else 503 naming what is missing."""
    missing = whats_missing()
    body = {"status": "not ready", "missing": missing} if missing else {"status": "ready"}
    return JsonResponse(body, status=503 if missing else 200)
