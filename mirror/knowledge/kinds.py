"""The kind of work of this subject: terms that are tried before they are saved."""

from __future__ import annotations

from mirror.knowledge.models import Trial
from mirror.people.shares import PERSON
from mirror.sources.kinds import SOURCE
from mirror.work.kinds import Kind, Way
from mirror.work.leases import Lease, end_unheld


class Trials(Kind):
    """Terms that somebody waits for to see tried."""

    name, model, module = "trial", Trial, "mirror.knowledge.trials"
    shares = {SOURCE: Way("source"), PERSON: Way("owner")}

    def do(self, lease: Lease) -> None:
        """Try it."""
        from mirror.knowledge import trials

        trials.trial_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.knowledge import trials

        trials.trial_break(lease)

    def stopped(self, row: Trial) -> bool:
        """Say that it was stopped."""
        return end_unheld(row, said={"error": "It was stopped."})

    def given_up(self, row: Trial, died: int) -> bool:
        """Say that its workers were lost."""
        return end_unheld(row, said={"error": f"The worker that tried it was lost {died} times."})
