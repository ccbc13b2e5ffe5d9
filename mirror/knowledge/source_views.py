"""Which source a page of what is known is about, and whether somebody may change that."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404

from mirror.knowledge.selectors import may_teach
from mirror.people.requests import PersonRequest
from mirror.sources.models import Source
from mirror.sources.selectors import sources_visible


def source_permitted(request: PersonRequest, pk: int, *, to_teach: bool = False) -> Source:
    """The source of a page, if somebody sees it. Raises: Http404; PermissionDenied where they may not change what is known."""
    source = get_object_or_404(sources_visible(request.user), pk=pk)
    if to_teach and not may_teach(request.user, source):
        raise PermissionDenied(f"Only {source.owner} and administrators decide what is known of this source.")
    return source
