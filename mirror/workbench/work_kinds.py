"""The kind of work of this subject: looks into a source that somebody waits for."""

from __future__ import annotations

from mirror.asking.work_kinds import Statements
from mirror.people.shares import PERSON
from mirror.sources.work_kinds import SOURCE
from mirror.work.kinds import Way
from mirror.work.leases import Lease
from mirror.workbench.models import Glance


class Glances(Statements):
    """The first rows of a table, and plans of statements."""

    name, model, module = "glance", Glance, "mirror.workbench.glancing"
    shares = {SOURCE: Way("source"), PERSON: Way("owner")}

    def do(self, lease: Lease) -> None:
        """Look."""
        from mirror.workbench import glancing

        glancing.glance_do(lease)
