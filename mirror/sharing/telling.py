"""The mail to who may look at something since it was shared: handed over, put off, or not sent, for reasons of this moment.

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

from mirror.asking.models import Run, Thread
from mirror.delivery.mails_beside import DROPPED, mail_do, mails_go_on
from mirror.delivery.parcel import Introduction, Parcel
from mirror.library.models import SavedSql
from mirror.people.languages import language_of
from mirror.phrases import one_line
from mirror.sharing.models import ShareNotice
from mirror.sharing.notices import may_look, notices_waiting, wants_notices
from mirror.sharing.selectors import title_of
from mirror.work.leases import Lease

NOT_WANTED = gettext_noop("They want no mails about what is shared.")
NOT_SEEN = gettext_noop("They do not see what was shared any more.")
TITLE_CHARS = 120


def notice_do(lease: Lease) -> None:
    """Tell a person of what is shared, if they still see it and want it."""
    related = ("person", "shared_by", "run__thread__source", "thread__source", "dashboard", "saved")
    row = ShareNotice.objects.select_related(*related).filter(pk=lease.pk).first()
    if row is not None:
        mail_do(lease, row, row.person, lambda: _unsent(row), lambda: parcel_of(row))


def _unsent(row: ShareNotice) -> str:
    """Say why a mail is not sent to a person who has an address; empty where it is."""
    person = row.person
    if not wants_notices(person):
        return NOT_WANTED
    return "" if may_look(person, row.thing) else NOT_SEEN


def parcel_of(row: ShareNotice) -> Parcel:
    """The text of the mail: who shared what, and where it is. It carries no rows. It is in the language of who gets it."""
    language = language_of(row.person)
    with override(language):
        return replace(_parcel(row), language=language)


def _parcel(row: ShareNotice) -> Parcel:
    thing, by = row.thing, one_line(row.shared_by.called, 60)
    place, shared_a, link_label = _kind(thing)
    url = f"{settings.SITE_URL.rstrip('/')}{reverse(place, args=[thing.pk])}"
    return Parcel(
        uid=str(row.uid),
        about="shared",
        title=one_line(title_of(thing), TITLE_CHARS),
        note="",
        message="",
        url=url,
        made_at=row.created_at,
        scheduled_for=None,
        zone=settings.TIME_ZONE,
        introduction=Introduction(
            _("Shared with you"),
            shared_a % {"name": by},
            link_label=link_label,
            why=_(
                "Sent to you because you are in a team that it is shared with; turn these mails off under Your account. The link leads to %(place)s and asks you to sign in."
            )
            % {"place": urlsplit(url).netloc},
        ),
        attempt=row.tries + 1,
        number=row.pk,
    )


def _kind(thing: object) -> tuple[str, str, str]:
    """The place of a thing, and its words in the mail: in its band and on its link."""
    if isinstance(thing, Run):
        return "asking:run", _("%(name)s shared a question with you"), _("Open the question")
    if isinstance(thing, Thread):
        return "asking:thread", _("%(name)s shared a thread with you"), _("Open the thread")
    if isinstance(thing, SavedSql):
        return "library:saved", _("%(name)s shared saved SQL with you"), _("Open the saved SQL")
    return "dashboards:dashboard", _("%(name)s shared a dashboard with you"), _("Open the dashboard")


@transaction.atomic
def notices_go_on(*, drop: bool = False) -> int:
    """Let mails go out that waited while all sending was paused, or drop them; return how many waited."""
    return mails_go_on(notices_waiting(), {"answer": DROPPED} if drop else None)
