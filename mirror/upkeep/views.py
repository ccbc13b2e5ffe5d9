"""Pages of upkeep: what somebody owns and who gets it, and the audit."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from mirror.audit.services import record
from mirror.people.models import User
from mirror.people.requests import PersonRequest, posted_in, search_typed
from mirror.upkeep import selectors, services
from mirror.upkeep.forms import AuditForm, TransferForm
from mirror.upkeep.pages import OwnedPage, audit_page
from mirror.upkeep.services import TransferRefused


@require_http_methods(["GET", "HEAD", "POST"])
def owned(request: PersonRequest, pk: int) -> HttpResponse:
    """List what somebody owns; of somebody who was shut out, give it to somebody else."""
    if not request.user.is_staff:
        raise PermissionDenied(_("Only administrators see what others own."))
    person, error = get_object_or_404(User, pk=pk), ""
    posted = posted_in(request)
    form = TransferForm(posted, offered=selectors.heirs_of(person))
    things = selectors.owned_by(person)
    chosen = set(request.POST.getlist("thing")) if posted is not None else {thing.key for thing in things}
    if form.is_valid():
        try:
            count = services.things_transfer(person, sorted(chosen), form.cleaned_data["to"], request.user)
        except TransferRefused as refused:
            error = str(refused)
        else:
            messages.success(
                request,
                _("%(count)s of %(person)s's went to %(to)s.")
                % {"count": count, "person": person, "to": form.cleaned_data["to"]},
            )
            return redirect("upkeep:owned", person.pk)
    if posted is None:
        record("looked at what somebody owns", person, by=request.user)
    page = OwnedPage(person, things, selectors.questions_of(person), form, chosen, error)
    return render(request, "upkeep/owned.html", {"page": page}, status=422 if form.is_bound else 200)


@require_safe
def audit(request: PersonRequest) -> HttpResponse:
    """Search the audit: administrators all of it, everybody what they did themselves."""
    form = AuditForm(request.GET)
    page = audit_page(request.user, search_typed(request), form, request.GET.get("page", "1"))
    return render(request, "upkeep/audit.html", {"page": page})
