"""Which rows count as work on a source. A subject to the right adds its own when it is ready."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from mirror.work.leases import Door, Leased


@dataclass(frozen=True, slots=True)
class Work:
    """A kind of work on sources: how its rows come to theirs, and the door by which a worker takes one.

    Of the rows that are worked on, those that `counted` lets through hold a turn. Nobody waits
    for what `is_background`.
    """

    way: str
    door: Door
    is_background: bool = False
    counted: Q = Q()


WORK: dict[type[Leased], Work] = {}


def work_register(model: type[Leased], work: Work) -> None:
    """Count the rows of a model among those that work on a source."""
    WORK[model] = work
