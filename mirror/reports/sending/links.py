"""Links to one file that work without signing in: signed, until they expire or are revoked.

The store keeps the hash of a token. A link works as long as its maker may still look at the file.
"""

from __future__ import annotations

import hashlib
import logging
import secrets
from datetime import timedelta
from typing import TYPE_CHECKING

from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.audit.services import record
from mirror.reports.errors import LinkGone, ReportError
from mirror.reports.models import FileLink, ReportFile
from mirror.reports.selectors import file_visible, rows_sendable

if TYPE_CHECKING:
    from uuid import UUID

    from mirror.people.models import User

log = logging.getLogger(__name__)

# A month: longer than a report is talked about, short enough to be forgotten safely.
LINK_HOURS = 24 * 31
GONE = gettext_noop(
    "This link does not work. It may have expired or been revoked; ask its sender for a new one."
)
_signer = Signer(salt="mirror.reports.links")


def link_make(file: ReportFile, by: User, hours: float) -> str:
    """Make a link to a file and return its token; it ends with the file, if that is earlier.

    Raises: ReportError when `by` does not own the report or see its rows, or the time is no time.
    """
    if file.run.report.owner_id != by.pk or file_visible(by, file.pk) is None:
        raise ReportError(_("Only the owner of a report can give its files to people without an account."))
    if not rows_sendable(by, file.run):
        raise ReportError(_("The owner of a source does not let your team send its rows."))
    if not 0 < hours <= LINK_HOURS:
        raise ReportError(_("A link works for 1 to %(link_hours)s hours.") % {"link_hours": LINK_HOURS})
    token = _signer.sign(secrets.token_urlsafe(32))
    _keep(token, file, by, hours)
    return token


def link_of_delivery(file: ReportFile, by: User, hours: float, uid: UUID) -> str:
    """Make the link that a delivery carries, and return its token: the same at each attempt.

    So a mail sent twice is the same mail, and one that is tried often leaves one link. A link revoked meanwhile stays so.
    """
    key = salted_hmac("mirror.reports.links.delivery", f"{uid}/{file.pk}", algorithm="sha256")
    token = _signer.sign(key.hexdigest())
    _keep(token, file, by, hours)
    return token


@transaction.atomic
def _keep(token: str, file: ReportFile, by: User, hours: float) -> None:
    ends = min(timezone.now() + timedelta(hours=hours), file.expires_at)
    _, is_new = FileLink.objects.get_or_create(
        token_hash=_hash(token), defaults={"file": file, "made_by": by, "expires_at": ends}
    )
    if is_new:
        record("made a file link", file, by=by, report=file.run.report.title, until=f"{ends:%Y-%m-%d %H:%M}")
        log.info("A link to file %s was made by user %s", file.pk, by.pk)


def link_is_fresh(file_id: int, token: str, by: User) -> bool:
    """Say whether a token is that of a link which `by` made to a file and which still gives it."""
    return FileLink.objects.filter(
        file=file_id, token_hash=_hash(token), made_by=by, revoked_at=None, expires_at__gt=timezone.now()
    ).exists()


@transaction.atomic
def link_revoke(link: FileLink, by: User) -> None:
    """End a link now. Raises: ReportError for who neither made it nor owns the report."""
    if by.pk not in (link.made_by_id, link.file.run.report.owner_id):
        raise ReportError(_("Only who made a link, or owns the report, can revoke it."))
    FileLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now())
    record("ended a file link", link.file, by=by)


@transaction.atomic
def link_open(token: str) -> ReportFile:
    """The file a link gives; each opening is counted. Raises: LinkGone, whatever is wrong with it."""
    try:
        _signer.unsign(token)
    except BadSignature:
        raise LinkGone(_(GONE)) from None
    now = timezone.now()
    link = (
        FileLink.objects.select_related("file__run__report", "made_by")
        .filter(token_hash=_hash(token), revoked_at=None, expires_at__gt=now, file__expires_at__gt=now)
        .first()
    )
    if link is None or not link.made_by.is_active or file_visible(link.made_by, link.file_id) is None:
        raise LinkGone(_(GONE))
    if not rows_sendable(link.made_by, link.file.run):
        raise LinkGone(_(GONE))
    FileLink.objects.filter(pk=link.pk).update(opened=F("opened") + 1)
    record("opened a file link", link.file, made_by=link.made_by.get_username())
    return link.file


def file_taken(file: ReportFile, by: User) -> None:
    """Tell the audit that somebody downloads a file of a run."""
    record("downloaded a report's file", file, by=by, report=file.run.report.title, rows=file.row_count)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
