"""Mail and webhooks for administrators: which domains, addresses and hosts are allowed, and which bounds were met."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from mirror.people.requests import PersonRequest
from mirror.phrases import one_line
from mirror.reports import services
from mirror.reports.models import Allowance
from mirror.reports.pages.sending import sending_page
from mirror.reports.services import ReportError


def _staff_only(request: PersonRequest) -> None:
    if not request.user.is_staff:
        raise PermissionDenied(_("Only administrators decide where mails and webhooks may go."))


@require_safe
def sending(request: PersonRequest) -> HttpResponse:
    """Show what is allowed, whose bounds were met, and who was asked."""
    _staff_only(request)
    return render(request, "reports/sending.html", {"page": sending_page()})


@require_POST
def switch(request: PersonRequest) -> HttpResponse:
    """Pause all sending, or let it go on with or without what waits."""
    _staff_only(request)
    act = request.POST.get("act", "")
    if act == "pause":
        services.sending_pause(request.user, one_line(request.POST.get("why", "")[:300].replace("\x00", "")))
        messages.success(request, _("All sending is paused."))
    elif act in ("send", "drop"):
        services.sending_resume(request.user, drop=act == "drop")
        messages.success(request, _("Reports are sent again."))
    return redirect("reports:sending")


@require_POST
def allow(request: PersonRequest) -> HttpResponse:
    """Allow a domain, an address or a host."""
    _staff_only(request)
    kind, typed = request.POST.get("kind", "")[:20], request.POST.get("value", "")[:300].replace("\x00", "")
    try:
        kept = services.allowance_add(kind, typed, request.user)
    except ReportError as error:
        page = sending_page((kind, typed, f"{error} {error.advice}".strip()))
        return render(request, "reports/sending.html", {"page": page}, status=422)
    messages.success(request, _("%(value)s is allowed.") % {"value": kept.value})
    return redirect("reports:sending")


@require_POST
def disallow(request: PersonRequest, pk: int) -> HttpResponse:
    """Allow a place no longer."""
    _staff_only(request)
    allowance = get_object_or_404(Allowance, pk=pk)
    services.allowance_remove(allowance, request.user)
    messages.success(request, _("%(value)s is no longer allowed.") % {"value": allowance.value})
    return redirect("reports:sending")
