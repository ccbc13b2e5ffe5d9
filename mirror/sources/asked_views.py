"""The source of a page that only people who ask it open; for a viewer such a page is forbidden."""

from __future__ import annotations

from django.shortcuts import get_object_or_404

from mirror.people.requests import PersonRequest
from mirror.sources.models import Source
from mirror.sources.selectors import ask_check, sources_visible
from mirror.sources.sight import seen_by


def source_asked(request: PersonRequest, pk: int) -> Source:
    """Give a source that somebody asks, as they see it. Raises: Http404 where they do not see it, PermissionDenied where they are a viewer."""
    source = get_object_or_404(sources_visible(request.user), pk=pk)
    ask_check(request.user, source)
    return seen_by(request.user, source)
