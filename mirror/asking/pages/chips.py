"""The reading of a question as chips: each a button with its alternatives under headings."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, pgettext, pgettext_lazy

from mirror.asking import services
from mirror.stored_words import said_now

if TYPE_CHECKING:
    from mirror.asking.models import Version

# Choices from which on a box narrows them by what is typed.
MANY = 12

# Words of `sqlagent` that stand before a chip, and above its choices.
_LABELS = (
    pgettext_lazy("chip", "by"),
    pgettext_lazy("chip", "different"),
    pgettext_lazy("chip", "in each"),
    pgettext_lazy("chip", "in"),
    pgettext_lazy("chip", "list of"),
    pgettext_lazy("chip", "only"),
    pgettext_lazy("chip", "where"),
)
_HEADINGS = (
    pgettext_lazy("chip", "Another column"),
    pgettext_lazy("chip", "Another figure"),
    pgettext_lazy("chip", "Another group"),
    pgettext_lazy("chip", "By another time"),
    pgettext_lazy("chip", "By time"),
    pgettext_lazy("chip", "By"),
    pgettext_lazy("chip", "Group by time"),
    pgettext_lazy("chip", "Group by"),
    pgettext_lazy("chip", "How many"),
    pgettext_lazy("chip", "In each"),
    pgettext_lazy("chip", "Only the first"),
    pgettext_lazy("chip", "Order"),
    pgettext_lazy("chip", "Show too"),
    pgettext_lazy("chip", "Show"),
    pgettext_lazy("chip", "Summed up as"),
    pgettext_lazy("chip", "Year"),
    pgettext_lazy("chip", "Another bound"),
    pgettext_lazy("chip", "Up to now"),
    pgettext_lazy("chip", "Remove this bound"),
    pgettext_lazy("chip", "All time"),
    pgettext_lazy("chip", "Remove this column"),
    pgettext_lazy("chip", "Remove this figure"),
    pgettext_lazy("chip", "Remove this filter"),
    pgettext_lazy("chip", "Leave these out"),
    pgettext_lazy("chip", "Remove this group"),
    pgettext_lazy("chip", "Show all"),
    pgettext_lazy("chip", "Show plain figures"),
)
# How a figure is summed up, before its name, which is the source's.
SUMMED = (
    gettext_noop("total {figure}"),
    gettext_noop("average {figure}"),
    gettext_noop("median {figure}"),
    gettext_noop("largest {figure}"),
    gettext_noop("smallest {figure}"),
    gettext_noop("number of {figure}"),
)


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
        problem or _(understood.problem),
        understood.note,
        understood.is_over_time,
    )


def chips_said(version: Version | None) -> list[str]:
    """The reading of a version in words: one text for each chip."""
    view = chips_view(version)
    return [f"{one.label} {one.words}".strip() for one in view.chips if one.kind != "add"] if view else []


def _said(kind: str, words: str) -> str:
    """The text of a chip or a choice; of a figure, how it is summed up is told in the language of the reader."""
    again = said_now(words)
    if kind != "measure" or again != words:
        return again
    for template in SUMMED:
        before = template.partition("{")[0]
        if words.startswith(before):
            return _(template).format(figure=words.removeprefix(before))
    return words


def _heading(words: str) -> str:
    """A heading of choices; one with a name in it is said by what it is made of."""
    again = said_now(words)
    return again if not words or again != words else pgettext("chip", words)


def _chip(chip: services.Chip) -> ChipView:
    kept = [one for one in chip.alternatives if one.key != services.REMOVE]
    gone = next((one for one in chip.alternatives if one.key == services.REMOVE), None)
    headings = tuple(
        HeadingView(
            _heading(words),
            tuple(ChoiceView(_said(chip.kind, one.words), f"{chip.slot} {one.key}") for one in some),
        )
        for words, some in groupby(kept, key=lambda one: one.group)
    )
    return ChipView(
        id=f"chip-{chip.slot.replace(':', '-')}",
        kind=chip.kind,
        label=pgettext("chip", chip.label) if chip.label else "",
        words=_(str(chip.words)) if chip.kind == "add" else _said(chip.kind, chip.words),
        headings=headings,
        remove=ChoiceView(pgettext("chip", gone.words), f"{chip.slot} {gone.key}")
        if gone is not None
        else None,
        has_many=len(kept) > MANY,
    )
