"""The kind of work of this subject: mails to people who are mentioned."""

from __future__ import annotations

from django.conf import settings

from mirror.comments.models import Mention
from mirror.work.kinds import Kind
from mirror.work.leases import Lease, end_unheld

# Leases after which a message that nobody came for is sent again.
LOST_LEASES = 4


class Mentions(Kind):
    """Mails about comments."""

    name, model, module = "mention", Mention, "mirror.comments.telling"
    queue = "deliveries"
    is_background = True

    @property
    def lost_seconds(self) -> float:
        """Longer than for what somebody waits for."""
        return float(LOST_LEASES * settings.LEASE_SECONDS)

    def do(self, lease: Lease) -> None:
        """Hand it over."""
        from mirror.comments import telling

        telling.mention_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.comments import telling

        telling.mention_break(lease)

    def stopped(self, row: Mention) -> bool:
        """End it; nobody asks for that."""
        from mirror.comments import telling

        return end_unheld(row, answer=telling.STOPPED)

    def given_up(self, row: Mention, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.comments import telling

        return end_unheld(row, answer=telling.GIVEN_UP.format(count=died))
