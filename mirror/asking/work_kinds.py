"""The kinds of work of this subject: questions to be answered, and SQL to be run."""

from __future__ import annotations

from django.db.models import Q

from mirror.asking.models import LlmChange, LlmTelling, Run, Version
from mirror.people.shares import PERSON
from mirror.sources.work_kinds import SOURCE
from mirror.work.kinds import Kind, Share, Way
from mirror.work.leases import Lease, Leased, end_unheld

# Of one person at once: a model that is waited for costs a thread of a worker, and no turn of a source.
LLM_ASKS = Share("people.User", lambda _: 2)


class Runs(Kind):
    """Questions. One that waits for its language model leaves its turn of the source to others."""

    name, model, module = "run", Run, "mirror.asking.services"
    shares = {SOURCE: Way("thread__source", counted=Q(is_thinking=False)), PERSON: Way("thread__owner")}
    afresh = {"is_thinking": False}
    logged = {"run": "pk"}
    earlier = ("mirror.asking.tasks.answer_run",)

    def do(self, lease: Lease) -> None:
        """Answer it."""
        from mirror.asking import services

        services.run_answer(lease)

    def broke(self, lease: Lease) -> None:
        """End it as failed."""
        from mirror.asking import services

        services.run_break(lease)

    def stopped(self, row: Run) -> bool:
        """Say who stopped it."""
        from mirror.asking.services import given_up

        return end_unheld(row, **given_up.RUN_STOPPED)

    def given_up(self, row: Run, died: int) -> bool:
        """End it as failed."""
        from mirror.asking.services import given_up

        return end_unheld(row, **given_up.run_given_up(died))


class Statements(Kind):
    """SQL that ends with rows or a failure of its own."""

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.asking import services

        services.statement_break(lease)

    def stopped(self, row: Leased) -> bool:
        """Say who stopped it."""
        from mirror.asking.services import given_up

        return end_unheld(row, failure=given_up.VERSION_STOPPED)

    def given_up(self, row: Leased, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.asking.services import given_up

        return end_unheld(row, failure=given_up.version_given_up(died))


class Versions(Statements):
    """SQL that people typed, chose or run again."""

    name, model, module = "version", Version, "mirror.asking.services"
    shares = {SOURCE: Way("run__thread__source"), PERSON: Way("run__thread__owner")}
    logged = {"run": "run_id"}
    earlier = ("mirror.asking.tasks.run_version",)

    def do(self, lease: Lease) -> None:
        """Run it."""
        from mirror.asking import services

        services.version_run(lease)


class LlmAsks(Kind):
    """Questions to a language model about the SQL of an editor, while somebody waits on a page."""

    shares = {LLM_ASKS: Way("owner")}
    attempts = 2

    @property
    def lost_seconds(self) -> float:
        """Shorter than usual: somebody waits on a page."""
        return 15.0


class LlmChanges(LlmAsks):
    """Changes of SQL in words."""

    name, model, module = "llm_change", LlmChange, "mirror.asking.services.llm_changes"

    def do(self, lease: Lease) -> None:
        """Ask."""
        from mirror.asking.services import llm_changes

        llm_changes.llm_change_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.asking.services import llm_changes

        llm_changes.llm_change_break(lease)

    def stopped(self, row: LlmChange) -> bool:
        """Say so."""
        from mirror.asking.services import llm_asks, llm_changes

        return end_unheld(row, said=llm_changes.unproposed(row, llm_asks.STOPPED))

    def given_up(self, row: LlmChange, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.asking.services import llm_asks, llm_changes

        return end_unheld(row, said=llm_changes.unproposed(row, llm_asks.GIVEN_UP.format(count=died)))


class LlmTellings(LlmAsks):
    """SQL told by a language model."""

    name, model, module = "llm_telling", LlmTelling, "mirror.asking.services.llm_tellings"

    def do(self, lease: Lease) -> None:
        """Ask."""
        from mirror.asking.services import llm_tellings

        llm_tellings.llm_telling_do(lease)

    def broke(self, lease: Lease) -> None:
        """Say that something in Mirror broke."""
        from mirror.asking.services import llm_tellings

        llm_tellings.llm_telling_break(lease)

    def stopped(self, row: LlmTelling) -> bool:
        """Say so."""
        from mirror.asking.services import llm_asks, llm_tellings

        return end_unheld(row, said=llm_tellings.untold(llm_asks.STOPPED))

    def given_up(self, row: LlmTelling, died: int) -> bool:
        """Say that its workers were lost."""
        from mirror.asking.services import llm_asks, llm_tellings

        return end_unheld(row, said=llm_tellings.untold(llm_asks.GIVEN_UP.format(count=died)))
