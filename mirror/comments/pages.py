"""What the comments on a page show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.urls import reverse

from mirror.asking.models import Run
from mirror.comments.models import TEXT_CHARS
from mirror.comments.selectors import comments_of
from mirror.comments.services import mentioned_in, people_by_name

if TYPE_CHECKING:
    from mirror.dashboards.models import Dashboard
    from mirror.people.models import User


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a comment's text; it `is_mention` where it names somebody who sees the page."""

    text: str
    is_mention: bool = False


@dataclass(frozen=True, slots=True)
class CommentLine:
    """One comment."""

    id: int
    author: str
    parts: tuple[Part, ...]
    when: datetime
    is_edited: bool
    may_change: bool


@dataclass(frozen=True, slots=True)
class CommentsView:
    """All comments on a page, oldest first, and where one is written."""

    lines: tuple[CommentLine, ...]
    write_url: str
    people_url: str
    longest: int


def comments_view(user: User, thing: Run | Dashboard) -> CommentsView:
    """Lay out the comments on a thing that somebody sees."""
    kind = "run" if isinstance(thing, Run) else "dashboard"
    found = list(comments_of(thing))
    people = people_by_name(thing, "\n".join(one.text for one in found))
    lines = tuple(
        CommentLine(
            id=one.pk,
            author=one.author.called,
            parts=_parts(one.text, people),
            when=one.created_at,
            is_edited=one.edited_at is not None,
            may_change=one.author_id == user.pk,
        )
        for one in found
    )
    return CommentsView(
        lines,
        reverse(f"comments:{kind}", args=[thing.pk]),
        reverse(f"comments:{kind}_people", args=[thing.pk]),
        TEXT_CHARS,
    )


def _parts(text: str, people: dict[str, User]) -> tuple[Part, ...]:
    parts, at = [], 0
    for start, end, _ in mentioned_in(text, people):
        parts += [Part(text[at:start]), Part(text[start:end], is_mention=True)]
        at = end
    return (*(part for part in parts if part.text), Part(text[at:]))
