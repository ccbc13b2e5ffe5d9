"""Comments on the pages of other subjects: seen as the page is, by who looks at it."""

from __future__ import annotations

from typing import Any

from django import template

from mirror.comments.pages import CommentsView, comments_view
from mirror.comments.selectors import dashboard_seen, run_seen, wants_mails
from mirror.people.models import User

register = template.Library()


@register.simple_tag
def comments_on(user: User, kind: str, pk: int) -> CommentsView | None:
    """Give the comments on a question (`run`) or a `dashboard`; None where somebody does not see it."""
    thing: Any = (run_seen if kind == "run" else dashboard_seen)(user, pk)
    return comments_view(user, thing) if thing is not None else None


@register.filter
def mails_of_mentions(user: User) -> bool:
    """Say whether somebody is told by mail where they are mentioned."""
    return wants_mails(user)
