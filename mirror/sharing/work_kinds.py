"""The kind of work of this subject: mails to people with whose teams something is shared."""

from __future__ import annotations

from django.conf import settings

from mirror.sharing.models import ShareNotice
from mirror.work.kinds import Kind
from mirror.work.leases import Lease, end_unheld

# Leases after which a message that nobody came for is sent again.
LOST_LEASES = 4


class ShareNotices(Kind):
    """Mails about what is shared."""

    name, model, module = "share_notice", ShareNotice, "mirror.sharing.telling"
    queue = "deliveries"
    is_background = True

    @property
    def lost_seconds(self) -> float:
        """Longer than for what somebody waits for."""
        return float(LOST_LEASES * settings.LEASE_SECONDS)

    def do(self, lease: Lease) -> None:
        """Hand it over."""
        from mirror.sharing import telling

        telling.notice_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.sharing import telling

        telling.notice_break(lease)

    def stopped(self, row: ShareNotice) -> bool:
        """End it; nobody asks for that."""
        from mirror.sharing import telling

        return end_unheld(row, answer=telling.STOPPED)

    def given_up(self, row: ShareNotice, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.sharing import telling

        return end_unheld(row, answer=telling.GIVEN_UP.format(count=died))
