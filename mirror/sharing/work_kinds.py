"""The kind of work of this subject: mails to people with whose teams something is shared."""

from __future__ import annotations

from mirror.delivery.work_kinds import MailsBeside
from mirror.sharing.models import ShareNotice
from mirror.work.leases import Lease


class ShareNotices(MailsBeside):
    """Mails about what is shared."""

    name, model, module = "share_notice", ShareNotice, "mirror.sharing.telling"

    def do(self, lease: Lease) -> None:
        """Hand it over."""
        from mirror.sharing import telling

        telling.notice_do(lease)
