"""The kind of work of this subject: mails to people who are mentioned."""

from __future__ import annotations

from mirror.comments.models import Mention
from mirror.delivery.work_kinds import MailsBeside
from mirror.work.leases import Lease


class Mentions(MailsBeside):
    """Mails about comments."""

    name, model, module = "mention", Mention, "mirror.comments.telling"

    def do(self, lease: Lease) -> None:
        """Hand it over."""
        from mirror.comments import telling

        telling.mention_do(lease)
