"""The owner's choice of what agents see of a source."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from mirror.agents import selectors, services
from mirror.people.requests import PersonRequest
from mirror.sources.selectors import may_change, sources_visible


@require_http_methods(["GET", "HEAD", "POST"])
def agents(request: PersonRequest, pk: int) -> HttpResponse:
    """Say whether agents are given rows of a source."""
    source = get_object_or_404(sources_visible(request.user), pk=pk)
    if not may_change(request.user, source):
        raise PermissionDenied(_("Only the owner of a source decides what agents see of it."))
    if request.method == "POST":
        services.agent_rows_set(source, request.POST.get("rows") == "on", request.user)
        messages.success(request, _("The choice for agents is saved."))
        return redirect("sources:source", pk)
    context = {"source": source, "said": selectors.rows_said(source)}
    return render(request, "agents/agents.html", context)
