"""The mail to who is mentioned in a comment: handed over, put off, or not sent, for reasons of this moment.

It keeps to pauses, quotas and recipients' words as any mail beside reports does.
"""

from __future__ import annotations

from dataclasses import replace
from urllib.parse import urlsplit

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, override

from mirror.comments.models import Comment, Mention
from mirror.comments.selectors import may_see, wants_mails
from mirror.comments.services import mentioned_in, mentions_waiting, thing_of
from mirror.delivery.mails_beside import DROPPED, mail_do, mails_go_on
from mirror.delivery.parcel import Introduction, Parcel
from mirror.people.languages import language_of
from mirror.phrases import one_line
from mirror.sharing.selectors import title_of
from mirror.work.leases import Lease

NOT_WANTED = gettext_noop("They want no mails about mentions.")
NOT_SEEN = gettext_noop("They do not see what the comment is about any more.")
NOT_MENTIONED = gettext_noop("An edit took the name out.")
TITLE_CHARS = 120


def mention_do(lease: Lease) -> None:
    """Tell a person who is mentioned, if they still are, still see it and want it."""
    related = ("person", "comment__author", "comment__run__thread__source", "comment__dashboard")
    row = Mention.objects.select_related(*related).filter(pk=lease.pk).first()
    if row is not None:
        mail_do(lease, row, row.person, lambda: _unsent(row), lambda: parcel_of(row))


def _unsent(row: Mention) -> str:
    """Say why a mail is not sent to a person who has an address; empty where it is."""
    person, thing = row.person, thing_of(row.comment)
    if not wants_mails(person):
        return NOT_WANTED
    if not may_see(person, thing):
        return NOT_SEEN
    return "" if mentioned_in(row.comment.text, {person.username.casefold(): person}) else NOT_MENTIONED


def parcel_of(row: Mention) -> Parcel:
    """The text of the mail: who wrote what, and where. It is in the language of who gets it."""
    language = language_of(row.person)
    with override(language):
        return replace(_parcel(row), language=language)


def _parcel(row: Mention) -> Parcel:
    comment = row.comment
    thing = thing_of(comment)
    author = comment.author.called
    url = f"{settings.SITE_URL.rstrip('/')}{comment_place(comment)}"
    return Parcel(
        uid=str(row.uid),
        about="mention",
        title=one_line(title_of(thing), TITLE_CHARS),
        note="",
        message=_("%(author)s wrote:\n%(comment)s") % {"author": author, "comment": comment.text},
        url=url,
        made_at=comment.created_at,
        scheduled_for=None,
        zone=settings.TIME_ZONE,
        introduction=Introduction(
            _("Comment"),
            _("%(author)s mentioned you") % {"author": one_line(author, 60)},
            link_label=_("Open the comment"),
            why=_(
                "Sent to you because a comment mentions you; turn these mails off under Your account. The link leads to %(netloc)s and asks you to sign in."
            )
            % {"netloc": urlsplit(url).netloc},
        ),
        attempt=row.tries + 1,
        number=comment.pk,
    )


def comment_place(comment: Comment) -> str:
    """The path of a comment, on the page of what it is about."""
    name, pk = (
        ("asking:run", comment.run_id) if comment.run_id else ("dashboards:dashboard", comment.dashboard_id)
    )
    return f"{reverse(name, args=[pk])}#comment-{comment.pk}"


@transaction.atomic
def mentions_go_on(*, drop: bool = False) -> int:
    """Let mails go out that waited while all sending was paused, or drop them; return how many waited."""
    return mails_go_on(mentions_waiting(), {"answer": DROPPED} if drop else None)
