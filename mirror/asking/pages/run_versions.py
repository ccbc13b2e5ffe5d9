"""The version that is shown of a run, among its others: what was changed up to it, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking import services
from mirror.asking.models import Version
from mirror.stored_words import row_said

_BACK_TO: dict[str, str] = {
    Version.Origin.ANSWER: gettext_noop("Back to the first answer"),
    Version.Origin.READING: gettext_noop("Back to the other reading"),
    Version.Origin.SAVED: gettext_noop("Back to the saved SQL"),
}


@dataclass(frozen=True, slots=True)
class VersionPlace:
    """A version among those of its run.

    It `is_first` where the question gave it: the page then tells how it was found. Otherwise `changes` are those since the
    first answer, oldest first. It `is_front` unless an earlier one is shown. It `can_undo` where there is a version to go
    back to, and `back_to` names that.
    """

    is_first: bool
    is_front: bool
    can_undo: bool
    changes: tuple[str, ...]
    back_to: str


def version_place(versions: list[Version], current: Version | None, may_ask: bool) -> VersionPlace:
    """Tell the place of a version; a reader who may not ask goes back only to rows that are kept."""
    before = services.version_before(current) if current is not None else None
    back_to = (
        _BACK_TO.get(before.origin, gettext_noop("Back to what was asked")) if before is not None else ""
    )
    return VersionPlace(
        is_first=current is None or current.origin in (Version.Origin.ANSWER, Version.Origin.SAVED),
        is_front=not versions or current == versions[0],
        can_undo=before is not None and (may_ask or before.result_id is not None),
        changes=_changes(versions, current),
        back_to=_(back_to) if back_to else "",
    )


def _changes(versions: list[Version], current: Version | None) -> tuple[str, ...]:
    """The changes from the answer to a version, step by step."""
    known = {version.pk: version for version in versions}
    said = []
    while current is not None and current.origin == Version.Origin.CHANGE:
        said.append(row_said(current, "change"))
        current = known.get(current.base_id) if current.base_id else None
    return tuple(reversed(said))
