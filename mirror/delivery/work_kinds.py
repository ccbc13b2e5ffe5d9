"""The kinds of work that send one mail beside reports: what they have in common."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from mirror.work.kinds import Kind
from mirror.work.leases import Lease, end_unheld

# Leases after which a message that nobody came for is sent again.
LOST_LEASES = 4


class MailsBeside(Kind):
    """Mails of one kind. A subject says how one is done."""

    queue = "deliveries"
    is_background = True

    @property
    def lost_seconds(self) -> float:
        """Longer than for what somebody waits for."""
        return float(LOST_LEASES * settings.LEASE_SECONDS)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.delivery.mails_beside import mail_break

        mail_break(lease)

    def stopped(self, row: Any) -> bool:
        """End it; nobody asks for that."""
        from mirror.delivery.mails_beside import STOPPED

        return end_unheld(row, answer=STOPPED)

    def given_up(self, row: Any, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.delivery.mails_beside import GIVEN_UP

        return end_unheld(row, answer=GIVEN_UP.format(count=died))
