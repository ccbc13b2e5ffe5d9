"""Data of the page of a context that improves itself: how far it is, its thirds, what came into force, and every step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mirror.knowledge.improving import CALLS, LEAST_TEMPLATES, MOST_CALLS
from mirror.knowledge.improving_telling import StepLine
from mirror.knowledge.models import Improvement, StoredAnswer, StoredTerm
from mirror.paging import Pager
from mirror.work.leases import Status

if TYPE_CHECKING:
    from mirror.sources.models import Source


@dataclass(frozen=True, slots=True)
class ImprovingPage:
    """How a source's context improves itself; `row` is the improvement under way, or the last one."""

    source: Source
    may_teach: bool
    waiting: int
    row: Improvement | None
    state: str
    facts: Sequence[tuple[str, str]]
    learnt: Sequence[StoredTerm]
    described: Sequence[tuple[str, str]]
    examples: Sequence[StoredAnswer]
    llms: str
    steps: Sequence[StepLine]
    pager: Pager | None
    templates: int
    calls: int = CALLS
    most_calls: int = MOST_CALLS
    least: int = LEAST_TEMPLATES
    tab: str = "improving"

    @property
    def is_under_way(self) -> bool:
        """Whether a worker has it, or will."""
        return self.row is not None and self.row.status != Status.DONE
