"""Parts of sharing on pages of other subjects."""

from __future__ import annotations

from django import template

from mirror.people.models import User
from mirror.sharing.notices import wants_notices

register = template.Library()


@register.filter
def mails_of_sharing(user: User) -> bool:
    """Say whether somebody is told by mail of what is shared with their teams."""
    return wants_notices(user)
