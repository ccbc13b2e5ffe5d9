"""Which source a page of what is known is about, and whether somebody may change that."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from django.utils.translation import gettext as _

from mirror.knowledge.selectors import may_teach
from mirror.people.requests import PersonRequest
from mirror.sources.asked_views import source_asked
from mirror.sources.models import Source
from mirror.sources.sight import whole_check


def source_permitted(request: PersonRequest, pk: int, *, to_teach: bool = False) -> Source:
    """The source of a page, if somebody asks it. Raises: Http404; PermissionDenied for a viewer, and where they may not change what is known."""
    source = source_asked(request, pk)
    whole_check(request.user, source)
    if to_teach and not may_teach(request.user, source):
        raise PermissionDenied(
            _("Only %(owner)s, editors and administrators decide what is known of this source.")
            % {"owner": source.owner}
        )
    return source
