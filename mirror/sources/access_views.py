"""The page that says why somebody may or may not do what on a source."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from mirror.audit.services import record
from mirror.people.requests import PersonRequest, is_id
from mirror.sources.access import access_of, may_explain, people_explained, sources_explained


@require_safe
def access(request: PersonRequest) -> HttpResponse:
    """Choose a person and a source, and read what they may do there and why. The audit tells of administrators who look."""
    if not may_explain(request.user):
        raise PermissionDenied(_("Owners of sources and administrators see who may do what."))
    people, sources = people_explained(request.user), sources_explained(request.user)
    person_pk, source_pk = (request.GET.get(name, "") for name in ("person", "source"))
    person = get_object_or_404(people, pk=person_pk if is_id(person_pk) else 0) if person_pk else None
    source = get_object_or_404(sources, pk=source_pk if is_id(source_pk) else 0) if source_pk else None
    told = access_of(person, source) if person is not None and source is not None else None
    if told is not None and told.source.owner_id != request.user.pk:
        record("looked at who may do what", told.source, by=request.user, person=str(told.person))
    context = {"people": people, "sources": sources, "person": person, "source": source, "told": told}
    return render(request, "sources/access.html", context)
