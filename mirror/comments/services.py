"""Write, edit and delete comments. People mentioned in one are told by mail, once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING
from uuid import uuid4

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.asking.models import Run
from mirror.audit.services import record
from mirror.comments.errors import CommentError
from mirror.comments.models import TEXT_CHARS, Comment, MailsOff, Mention
from mirror.comments.selectors import may_change, may_see, people_seeing
from mirror.delivery.mails_beside import mails_switch
from mirror.people.models import Quota
from mirror.people.quotas import quota_use
from mirror.phrases import unhidden
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Status

if TYPE_CHECKING:
    from mirror.dashboards.models import Dashboard
    from mirror.people.models import User

# Comments on one thing, and people mentioned in one comment.
COMMENTS, MENTIONED = 500, 10
_NAME = re.compile(r"(?<![\w@.+-])@([\w.@+-]{1,150})")


@transaction.atomic
def comment_write(thing: Run | Dashboard, author: User, text: str) -> Comment:
    """Write a comment on a thing that its author sees. Raises: CommentError."""
    text = _typed(text)
    if not may_see(author, thing):
        raise CommentError(_("This is not there for you any more."))
    if thing.comments.count() >= COMMENTS:
        raise CommentError(
            _("There are %(comments)s comments here, which is the most.") % {"comments": COMMENTS}
        )
    most = settings.COMMENTS_PER_HOUR
    free = quota_use(author, Quota.Kind.COMMENTS, uuid4().hex, most=most, per=timedelta(hours=1))
    if free is not None:
        minutes = max(1, round((free - timezone.now()).total_seconds() / 60))
        raise CommentError(
            _(
                "You wrote %(most)s comments within an hour, which is the most. Try again in %(minutes)s minutes."
            )
            % {"most": most, "minutes": minutes}
        )
    place = {"run": thing} if isinstance(thing, Run) else {"dashboard": thing}
    comment = Comment.objects.create(author=author, text=text, **place)
    mentioned = _mention(comment, thing)
    record("wrote a comment", thing, by=author, mentioned=mentioned)
    return comment


@transaction.atomic
def comment_edit(comment: Comment, by: User, text: str) -> None:
    """Change one's own comment; people who are newly mentioned are told. Raises: CommentError."""
    text = _typed(text)
    if not may_change(by, comment):
        raise CommentError(_("Only who wrote a comment changes it."))
    if text == comment.text:
        return
    comment.text, comment.edited_at = text, timezone.now()
    comment.save(update_fields=["text", "edited_at"])
    mentioned = _mention(comment, thing_of(comment))
    record("edited a comment", thing_of(comment), by=by, mentioned=mentioned)


@transaction.atomic
def comment_delete(comment: Comment, by: User) -> None:
    """Delete one's own comment, with mails that wait. Raises: CommentError."""
    if not may_change(by, comment):
        raise CommentError(_("Only who wrote a comment deletes it."))
    thing = thing_of(comment)
    comment.delete()
    record("deleted a comment", thing, by=by)


def thing_of(comment: Comment) -> Run | Dashboard:
    """The subject of a comment."""
    return comment.run or comment.dashboard  # type: ignore[return-value]  # the store keeps no comment on nothing


@transaction.atomic
def mails_want(person: User, *, wanted: bool) -> None:
    """Tell somebody by mail where they are mentioned, or no longer."""
    if mails_switch(MailsOff, person, wanted=wanted):
        record("wants mails of mentions" if wanted else "wants no mails of mentions", by=person)


def _typed(text: str) -> str:
    """The text as it is kept. Raises: CommentError."""
    text = unhidden(str(storable(text.replace("\r\n", "\n").replace("\x00", "")))).strip()
    if not text:
        raise CommentError(_("Type a comment first."))
    if len(text) > TEXT_CHARS:
        raise CommentError(
            _("This comment has %(len)s characters; the longest taken has %(text_chars)s.")
            % {"len": f"{len(text):,}", "text_chars": f"{TEXT_CHARS:,}"}
        )
    return text


def names_in(text: str) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Find what may be names of people in a text: where each begins and the names that it may be, the longest first.

    Example:
        >>> list(names_in("@bob, see a@b.c and @carol.x."))
        [(0, 4, ('bob',)), (20, 29, ('carol.x.', 'carol.x'))]
    """
    for found in _NAME.finditer(text):
        name = found[1]
        names = [name]
        while name and name[-1] in ".@+-":
            name = name[:-1]
            names.append(name)
        yield found.start(), found.end(), tuple(filter(None, names))


def mentioned_in(text: str, people: dict[str, User]) -> list[tuple[int, int, User]]:
    """Find the people who are mentioned in a text, by their user names in any letter case, each with its place."""
    out = []
    for start, _at, names in names_in(text):
        name = next((name for name in names if name.casefold() in people), "")
        if name:
            out.append((start, start + 1 + len(name), people[name.casefold()]))
    return out


def people_by_name(thing: Run | Dashboard, text: str) -> dict[str, User]:
    """The people who see a thing and may be mentioned in a text, by their folded user names; nothing is read where no name is."""
    if next(names_in(text), None) is None:
        return {}
    return {person.username.casefold(): person for person in people_seeing(thing)}


def _mention(comment: Comment, thing: Run | Dashboard) -> list[str]:
    """Queue a mail to each person who is newly mentioned and sees the thing. Raises: CommentError for too many."""
    people = people_by_name(thing, comment.text)
    found = {person.pk: person for _, _, person in mentioned_in(comment.text, people)}
    found.pop(comment.author_id, None)
    if len(found) > MENTIONED:
        raise CommentError(
            _("This comment mentions %(found)s people; at most %(mentioned)s can be.")
            % {"found": len(found), "mentioned": MENTIONED}
        )
    for person in found.values():
        mention, is_new = Mention.objects.get_or_create(comment=comment, person=person)
        if is_new:
            send(mention)
    return sorted(person.username for person in found.values())


def mentions_waiting() -> list[Mention]:
    """Mentions whose mail waits to go out."""
    return list(Mention.objects.filter(status=Status.QUEUED))
