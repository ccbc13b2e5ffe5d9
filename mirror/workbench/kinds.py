"""The kind of work of this subject: looks into a source that somebody waits for."""

from __future__ import annotations

from mirror.people.shares import PERSON
from mirror.sources.kinds import SOURCE
from mirror.work.kinds import Kind, Way
from mirror.work.leases import Lease, end_unheld
from mirror.workbench.models import Glance


class Glances(Kind):
    """The first rows of a table, and plans of statements."""

    name, model, module = "glance", Glance, "mirror.workbench.glancing"
    shares = {SOURCE: Way("source"), PERSON: Way("owner")}

    def do(self, lease: Lease) -> None:
        """Look."""
        from mirror.workbench import glancing

        glancing.glance_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.workbench import glancing

        glancing.glance_break(lease)

    def stopped(self, row: Glance) -> bool:
        """Say who stopped it."""
        from mirror.asking.services import given_up

        return end_unheld(row, failure=given_up.VERSION_STOPPED)

    def given_up(self, row: Glance, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.asking.services import given_up

        return end_unheld(row, failure=given_up.version_given_up(died))
