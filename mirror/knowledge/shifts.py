"""A drift of meaning: a verified answer whose result jumped since the last evaluation is flagged, for its source's owner to look at again.

Held against the last time and not against the day it was verified: what grows slowly is no jump.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from mirror.audit.services import record
from mirror.knowledge.models import Shift, StoredAnswer
from mirror.phrases import counted

if TYPE_CHECKING:
    from mirror.knowledge.evaluating import Asked
    from mirror.people.models import User
    from mirror.sources.models import Source

FACTOR = 1.8
"""Factor by which a figure or a number of rows has to change. Loading rows twice doubles them and other units change them tenfold: both
are caught even where a tenth went meanwhile. A team's figures seldom grow by four fifths between two looks, a day or a week apart."""

FEW = 10
"""Whole numbers that differ by less are not looked at: 3 becomes 6 by itself."""

_CLOCK = re.compile(
    r"\b(?:current_date|current_timestamp|localtimestamp|now|today|getdate|curdate|sysdate|utc_date)\b", re.I
)


def moves(sql: str) -> bool:
    """Whether SQL counts from today, so that its figures are meant to change.

    Example:
        >>> moves("SELECT 1 WHERE d > CURRENT_DATE - 7"), moves("SELECT now_showing FROM films")
        (True, False)
    """
    return _CLOCK.search(sql) is not None


def jumped(was: float, now: float) -> bool:
    """Whether a number changed by more than the factor, or its sign did.

    Example:
        >>> jumped(100, 200), jumped(100, 150), jumped(3, 6), jumped(0.02, 0.05), jumped(50, 0), jumped(40, -40)
        (True, False, False, True, True, True)
    """
    was, now = float(was), float(now)
    if was == now or (was.is_integer() and now.is_integer() and abs(was - now) < FEW):
        return False
    if was == 0 or now == 0 or (was < 0) != (now < 0):
        return True
    return max(abs(was), abs(now)) / min(abs(was), abs(now)) >= FACTOR


def shifts_of(one: Asked, before: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """How the result of a verified answer differs from what it was: kind, was and now in words."""
    now = one.shape
    if not now or not before:
        return
    was_columns, columns = list(map(str, before.get("columns", ()))), list(map(str, now["columns"]))
    if was_columns and was_columns != columns:
        yield Shift.Kind.COLUMNS, ", ".join(was_columns), ", ".join(columns)
    if moves(one.expected):
        return
    figure, was_figure = now.get("figure"), before.get("figure")
    if figure is not None and was_figure is not None and jumped(float(was_figure), float(figure)):
        yield Shift.Kind.FIGURE, _said(float(was_figure)), _said(float(figure))
    rows, was_rows = now["rows"], before.get("rows")
    both_cut = bool(now.get("cut")) and bool(before.get("cut"))
    if was_rows is not None and not both_cut and jumped(float(was_rows), float(rows)):
        yield Shift.Kind.ROWS, counted(int(was_rows), "row"), counted(int(rows), "row")


def _said(number: float) -> str:
    return (
        f"{number:,.0f}" if number.is_integer() else f"{number:,.4g}" if abs(number) < 1 else f"{number:,.2f}"
    )


@transaction.atomic
def shifts_keep(source: Source, asked: Sequence[Asked], last: Iterable[Mapping[str, Any]]) -> int:
    """Flag the verified answers whose result jumped; return their number. Dismissed jumps stay dismissed."""
    before = {row.get("answer"): row.get("shape") or {} for row in last}
    answers = StoredAnswer.objects.filter(source=source).in_bulk([one.answer for one in asked])
    flagged = 0
    for one in asked:
        answer = answers.get(one.answer)
        if answer is None or answer.taken_back_at is not None or one.problem:
            continue
        shape = before.get(one.answer) or _verified_shape(answer)
        for kind, was, now in shifts_of(one, shape):
            told = {"was": was, "now": now, "seen_at": timezone.now(), "state": Shift.State.OPEN}
            row, is_new = Shift.objects.get_or_create(answer=answer, kind=kind, defaults=told)
            if not is_new and row.state != Shift.State.DISMISSED:
                told["was"] = row.was if row.state == Shift.State.OPEN else was
                Shift.objects.filter(pk=row.pk).update(**told)
            flagged += is_new or row.state != Shift.State.DISMISSED
    return flagged


def _verified_shape(answer: StoredAnswer) -> dict[str, Any]:
    """Facts about the result on the day it was verified."""
    names = [str(one.get("name", "")) for one in answer.columns]
    return {"columns": names, "rows": answer.row_count} if names else {}


@transaction.atomic
def shift_end(row: Shift, state: str, by: User) -> None:
    """Say that a result is right as it is, until it jumps again, or that it is never to be flagged so."""
    row.state, row.handled_by, row.handled_at = state, by, timezone.now()
    row.save(update_fields=["state", "handled_by", "handled_at"])
    record("looked at a verified answer", row.answer.source, by=by, state=state, kind=row.kind)
