"""Operations on the corrections of a source's model: made, changed, taken back. Authors and times stay."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.sources.corrections import correction_of, corrections_in_force
from mirror.sources.modelling import SeenModel
from mirror.sources.models import Source, StoredCorrection
from sqlagent.catalog.semantics import Model, corrected
from sqlagent.catalog.semantics.refusing import Refusing
from sqlagent.values import Correction, Subject

if TYPE_CHECKING:
    from mirror.people.models import User

log = logging.getLogger(__name__)

MOST = 2_000
"""Corrections of one source in force at once: each question looks at all of them."""

SYNONYMS = 50
"""Other words for one table, or for one column, at once."""

NAME_BYTES = 2_500
"""Bytes of all that a correction is about: an entry of PostgreSQL's indexes holds 2,704."""

EMPTY = Model("", {}, {}, ())


class CorrectionRefused(ValueError):
    """Corrections that cannot be made; `problems` are sentences fit to be shown, by what they are about."""

    def __init__(self, problems: Mapping[Subject, str]) -> None:
        super().__init__(" ".join(problems.values()))
        self.problems = dict(problems)


def corrections_set(
    source: Source,
    seen: SeenModel | None,
    wanted: Sequence[Correction],
    by: User,
    *,
    table: str = "",
    column: str = "",
    subjects: Collection[Subject],
) -> int:
    """Make `wanted` the only corrections of one table, of one column or of the source itself, as far as `subjects` go.

    Wanted corrections that exist stay as they are, with their author; others are taken back. Returns how many were
    made or taken back. Raises: CorrectionRefused; nothing changes then.
    """
    with transaction.atomic():
        # Two people who correct one source go one after the other.
        Source.objects.select_for_update().filter(pk=source.pk).first()
        rows = list(corrections_in_force(source))
        here = [r for r in rows if (r.table, r.column) == (table, column) and r.subject in subjects]
        known = {correction_of(row): row for row in here}
        new = [one for one in dict.fromkeys(wanted) if one not in known]
        others = [correction_of(row) for row in rows if row not in here]
        _check(seen, wanted, new, others, len(rows) - len(here) + len(wanted))
        gone = [row for one, row in known.items() if one not in wanted]
        _take_back(gone, by)
        StoredCorrection.objects.bulk_create(
            StoredCorrection(
                source=source,
                subject=one.subject,
                table=one.table,
                column=one.column,
                value=one.value,
                told=one.told,
                made_by=by,
            )
            for one in new
        )
    if new or gone:
        made = dict(Counter(str(one.subject) for one in new))
        log.info("User %s corrected source %s: %s, took back %d", by.pk, source.pk, made, len(gone))
    return len(new) + len(gone)


def correction_take_back(row: StoredCorrection, by: User) -> None:
    """Let a correction go: what was derived is in force again."""
    _take_back([row], by)
    log.info("User %s took back a correction of source %s: %s", by.pk, row.source_id, row.subject)


def _take_back(rows: Sequence[StoredCorrection], by: User) -> None:
    StoredCorrection.objects.filter(pk__in=[row.pk for row in rows], taken_back_at=None).update(
        taken_back_by=by, taken_back_at=timezone.now()
    )


def _check(
    seen: SeenModel | None,
    wanted: Sequence[Correction],
    new: Sequence[Correction],
    others: Sequence[Correction],
    count: int,
) -> None:
    """Look at what is new beside all else that is said. Raises: CorrectionRefused."""
    if seen is None and any(one.table for one in new):
        raise CorrectionRefused({new[0].subject: _("The tables of this source were not read yet.")})
    problems: dict[Subject, str] = {}
    if new and count > MOST:
        problems[new[0].subject] = _(
            "At most %(most)s corrections can be in force. Take some back first."
        ) % {"most": f"{MOST:,}"}
    many = sum(one.subject is Subject.SYNONYM for one in wanted)
    if many > SYNONYMS and any(one.subject is Subject.SYNONYM for one in new):
        words = _(
            "At most %(synonyms)s other words can be given here; these are %(many)s. Leave out what nobody says."
        ) % {"synonyms": SYNONYMS, "many": many}
        problems[Subject.SYNONYM] = words
    # A hidden thing is in no model, and corrections of it have to be looked at all the same.
    shown = [one for one in others if one.subject is not Subject.HIDDEN]
    derived = seen.derived if seen is not None else EMPTY
    refusing: Refusing | None = None
    for one in new:
        if one.subject in problems:
            continue
        if refusing is None:  # made once, and again without what turned out wrong
            said = [w for w in wanted if w.subject not in (Subject.HIDDEN, *problems) and w.table]
            refusing = Refusing(derived, corrected(derived, (*shown, *said))[0])
        if why := _too_long(one) or refusing.why(one):
            problems[one.subject] = why
            refusing = None
    if problems:
        raise CorrectionRefused(problems)


def _too_long(one: Correction) -> str:
    """Say that a correction cannot be kept for the length of its names; empty when it can."""
    if max(map(len, (one.table, one.column, one.value, one.told))) > StoredCorrection.CHARS:
        return _("A name here is longer than %(chars)s characters, so nothing can be said of it.") % {
            "chars": StoredCorrection.CHARS
        }
    if len("".join((one.table, one.column, one.value)).encode()) > NAME_BYTES:
        return _(
            "The names here are longer than %(name_bytes)s bytes together, so nothing can be said of them."
        ) % {"name_bytes": f"{NAME_BYTES:,}"}
    return ""
