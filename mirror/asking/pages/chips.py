"""What was understood, as chips: each a button with what may take its place, under headings."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from mirror.asking import services

if TYPE_CHECKING:
    from mirror.asking.models import Version

# Choices from which on a box narrows them by what is typed.
MANY = 12


@dataclass(frozen=True, slots=True)
class ChoiceView:
    """One alternative; `value` is what its button sends."""

    words: str
    value: str


@dataclass(frozen=True, slots=True)
class HeadingView:
    """Alternatives of one kind, under a heading that may be empty."""

    words: str
    choices: tuple[ChoiceView, ...]


@dataclass(frozen=True, slots=True)
class ChipView:
    """One slot of what was understood. `has_many` choices are narrowed by typing; without any it cannot be changed."""

    id: str
    kind: str
    label: str
    words: str
    headings: tuple[HeadingView, ...]
    remove: ChoiceView | None
    has_many: bool


@dataclass(frozen=True, slots=True)
class ChipsView:
    """The chips of a version, the one that adds apart, and the words of the question that were not used.

    It `is_over_time` where its figure can be compared with another period's.
    """

    version_id: int
    chips: tuple[ChipView, ...]
    unused: tuple[str, ...]
    problem: str
    note: str
    is_over_time: bool = False


def chips_view(version: Version | None, problem: str = "") -> ChipsView | None:
    """Show what a version was understood as; None where its SQL was not written from words."""
    understood = services.version_understood(version) if version is not None else None
    if version is None or understood is None:
        return None
    made = tuple(_chip(chip) for chip in understood.chips)
    return ChipsView(
        version.pk,
        made,
        understood.unused,
        problem or understood.problem,
        understood.note,
        understood.is_over_time,
    )


def _chip(chip: services.Chip) -> ChipView:
    kept = [one for one in chip.alternatives if one.key != services.REMOVE]
    gone = next((one for one in chip.alternatives if one.key == services.REMOVE), None)
    headings = tuple(
        HeadingView(words, tuple(ChoiceView(one.words, f"{chip.slot} {one.key}") for one in some))
        for words, some in groupby(kept, key=lambda one: one.group)
    )
    return ChipView(
        id=f"chip-{chip.slot.replace(':', '-')}",
        kind=chip.kind,
        label=chip.label,
        words=chip.words,
        headings=headings,
        remove=ChoiceView(gone.words, f"{chip.slot} {gone.key}") if gone is not None else None,
        has_many=len(kept) > MANY,
    )
