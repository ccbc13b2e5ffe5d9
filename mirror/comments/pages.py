"""Data of the comments on a page."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking.models import Run
from mirror.comments.models import TEXT_CHARS, Comment
from mirror.comments.selectors import comments_of, mentioned_by, teammates_named
from mirror.comments.services import mentioned_in, names_in, people_by_name

if TYPE_CHECKING:
    from mirror.dashboards.models import Dashboard
    from mirror.people.models import User


NOBODY = gettext_noop("nobody of this name sees this page.")
NOT_SEEING = gettext_noop("they do not see this page. Share it with a team of theirs, then edit the comment.")
NOT_SEEN_THEN = gettext_noop(
    "they did not see this page when it was written. An edit of the comment tells them."
)
# Names of one comment that are looked at.
NAMES = 20


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a comment's text; it `is_mention` where it names somebody who sees the page."""

    text: str
    is_mention: bool = False


@dataclass(frozen=True, slots=True)
class CommentLine:
    """One comment. `untold` says to its author who is named in it and got no mail, and why."""

    id: int
    author: str
    parts: tuple[Part, ...]
    when: datetime
    is_edited: bool
    may_change: bool
    untold: tuple[str, ...]


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
    untold = _untold(user, [one for one in found if one.author_id == user.pk], people)
    lines = tuple(
        CommentLine(
            id=one.pk,
            author=one.author.called,
            parts=_parts(one.text, people),
            when=one.created_at,
            is_edited=one.edited_at is not None,
            may_change=one.author_id == user.pk,
            untold=untold.get(one.pk, ()),
        )
        for one in found
    )
    return CommentsView(
        lines,
        reverse(f"comments:{kind}", args=[thing.pk]),
        reverse(f"comments:{kind}_people", args=[thing.pk]),
        TEXT_CHARS,
    )


def _untold(user: User, own: list[Comment], people: dict[str, User]) -> dict[int, tuple[str, ...]]:
    """Say of somebody's own comments which named people were not told.

    A person who does not see the thing is told apart from an unknown name only where the author shares a team with them.
    """
    named = {one.pk: _names(one.text, people) for one in own}
    unknown = {name.casefold() for names in named.values() for name in names if name.casefold() not in people}
    known = {person.username.casefold() for person in teammates_named(user, unknown)} if unknown else set()
    told = mentioned_by(own)
    said: dict[int, tuple[str, ...]] = {}
    for one in own:
        lines = []
        for name in named[one.pk]:
            person = people.get(name.casefold())
            if person is None:
                why = NOT_SEEING if name.casefold() in known else NOBODY
            elif person.pk == user.pk or (one.pk, person.pk) in told:
                continue
            else:
                why = NOT_SEEN_THEN
            lines.append(_("@%(name)s was not told: %(why)s") % {"name": name, "why": _(why)})
        said[one.pk] = tuple(lines)
    return said


def _names(text: str, people: dict[str, User]) -> list[str]:
    """The names after @ in a text, each once: that of somebody who sees the thing, else as it was typed."""
    found: dict[str, str] = {}
    for *_place, names in names_in(text):
        name = next((name for name in names if name.casefold() in people), names[-1] if names else "")
        if name:
            found.setdefault(name.casefold(), name)
    return list(found.values())[:NAMES]


def _parts(text: str, people: dict[str, User]) -> tuple[Part, ...]:
    parts, at = [], 0
    for start, end, _who in mentioned_in(text, people):
        parts += [Part(text[at:start]), Part(text[start:end], is_mention=True)]
        at = end
    return (*(part for part in parts if part.text), Part(text[at:]))
