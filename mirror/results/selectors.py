"""Visibility of stored results. `rows` reads their content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mirror.results.models import StoredResult

if TYPE_CHECKING:
    from mirror.people.models import User


def result_visible(user: User, pk: Any) -> StoredResult | None:
    """The result with this id if the user owns it and still sees its source, and no more of it was shown then than now."""
    from mirror.sources.selectors import sources_visible
    from mirror.sources.sight import read_in_sight

    mine = StoredResult.objects.select_related("source").filter(read_in_sight(user), pk=pk, owner=user)
    return mine.filter(source__in=sources_visible(user)).first()
