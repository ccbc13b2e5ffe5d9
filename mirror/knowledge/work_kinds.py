"""The kinds of work of this subject: terms that are tried before they are saved, questions proposed to be verified, evaluations, and contexts that improve themselves."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Q

from mirror.knowledge.models import Evaluation, Improvement, PosedRound, Trial
from mirror.people.shares import PERSON
from mirror.sources.work_kinds import SOURCE
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


class PosedRounds(Kind):
    """Questions to verify that somebody waits for."""

    name, model, module = "posed_round", PosedRound, "mirror.knowledge.posing"
    shares = {SOURCE: Way("source"), PERSON: Way("owner")}

    def do(self, lease: Lease) -> None:
        """Make them."""
        from mirror.knowledge import posing

        posing.round_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.knowledge import posing

        posing.round_break(lease)

    def stopped(self, row: PosedRound) -> bool:
        """Say that it was stopped."""
        return end_unheld(row, said={"error": "It was stopped."})

    def given_up(self, row: PosedRound, died: int) -> bool:
        """Say that its workers were lost."""
        return end_unheld(row, said={"error": f"The worker that made them was lost {died} times."})


class Evaluations(Kind):
    """Evaluations of sources. They take part in theirs while they ask, and people go before them."""

    name, model, module = "evaluation", Evaluation, "mirror.knowledge.evaluation_work"
    queue, is_background = "reports", True
    shares = {SOURCE: Way("source", counted=Q(measured_at=None))}

    @property
    def lost_seconds(self) -> float:
        """Longer than for what somebody waits for."""
        return 4.0 * float(settings.LEASE_SECONDS)

    def do(self, lease: Lease) -> None:
        """Ask its questions, or tell the owner."""
        from mirror.knowledge import evaluation_work

        evaluation_work.evaluation_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.knowledge import evaluation_work

        evaluation_work.evaluation_break(lease)

    def stopped(self, row: Evaluation) -> bool:
        """Say that it was stopped."""
        from mirror.knowledge.evaluation_work import STOPPED

        return _ended(row, STOPPED)

    def given_up(self, row: Evaluation, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.knowledge.evaluation_work import LOST

        return _ended(row, LOST.format(died=died))


class Improvements(Kind):
    """Contexts that improve themselves. They take part in their source while they ask, and people go before them."""

    name, model, module = "improvement", Improvement, "mirror.knowledge.improving"
    queue, is_background = "reports", True
    shares = {SOURCE: Way("source")}

    @property
    def lost_seconds(self) -> float:
        """Longer than for what somebody waits for."""
        return 4.0 * float(settings.LEASE_SECONDS)

    def do(self, lease: Lease) -> None:
        """Go on with it."""
        from mirror.knowledge import improving

        improving.improvement_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.knowledge import improving

        improving.improvement_break(lease)

    def stopped(self, row: Improvement) -> bool:
        """Say that it was stopped."""
        from mirror.knowledge.improving import STOPPED

        return end_unheld(row, why=STOPPED)

    def given_up(self, row: Improvement, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.knowledge.improving import LOST

        return end_unheld(row, problem=LOST.format(died=died))


def _ended(row: Evaluation, why: str) -> bool:
    """End an evaluation; of one that is through only the mail is given up."""
    if row.measured_at is not None:
        return end_unheld(row, told=Evaluation.Told.GIVEN_UP, told_answer=why)
    return end_unheld(row, problem=why)
