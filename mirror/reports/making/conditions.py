"""When a run is worth sending: rows, changed rows, or a value that crosses a threshold."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.reports.errors import ReportError
from mirror.results.cells import shown
from sqlagent.language.saying import number, worded

TESTS = {
    "above": gettext_noop("above"),
    "at_least": gettext_noop("at least"),
    "below": gettext_noop("below"),
    "at_most": gettext_noop("at most"),
    "equal": gettext_noop("equal to"),
    "not_equal": gettext_noop("other than"),
}
ROWS = {"first": gettext_noop("in the first row"), "any": gettext_noop("in any row")}
MOST_QUIET_HOURS = 24 * 365
# More than a number of PostgreSQL has (131,072). A text of ten characters can stand for a billion: 1e999999999.
MOST_DIGITS = 200_000


def threshold_check(typed: Mapping[str, Any], parts: int) -> dict[str, Any]:
    """A threshold as it is kept. Raises: ReportError.

    `{"part", "column", "test", "value", "row", "quiet_hours"}`: the value of `column` in the `first` or `any` row
    of the part at this position is held against the number `value` by one of `TESTS`. While it stays
    beyond, the alert is repeated every `quiet_hours`; never when that is None.

    Example:
        >>> threshold_check({"column": "revenue", "test": "below", "value": "1e3"}, 1)["value"]
        '1000'
    """
    part = typed.get("part") or 0
    if not isinstance(part, int) or not 0 <= part < parts:
        raise ReportError(_("The alert names a saved SQL that the report does not have."))
    column = str(typed.get("column") or "").strip()
    if not column:
        raise ReportError(_("Name the column whose value the alert is about."))
    test, row = str(typed.get("test") or ""), str(typed.get("row") or "first")
    if test not in TESTS:
        raise ReportError(
            _("“%(test)s” is no test of a value. Known: %(tests)s.")
            % {"test": test, "tests": ", ".join(TESTS)}
        )
    if row not in ROWS:
        raise ReportError(
            _("“%(row)s” says no rows. Known: %(rows)s.") % {"row": row, "rows": ", ".join(ROWS)}
        )
    quiet = typed.get("quiet_hours")
    if quiet in (None, ""):
        quiet = None
    elif not isinstance(quiet, int | float) or not 0 <= quiet <= MOST_QUIET_HOURS:
        raise ReportError(
            _("An alert is repeated after 0 to %(most_quiet_hours)s hours, or not at all.")
            % {"most_quiet_hours": f"{MOST_QUIET_HOURS:,}"}
        )
    value = format(number_read(typed.get("value"), "The threshold"), "f")
    return {"part": part, "column": column, "test": test, "value": value, "row": row, "quiet_hours": quiet}


def number_read(value: Any, what: str) -> Decimal:
    """Read a number as it was typed or returned. Raises: ReportError saying that `what` is none."""
    if isinstance(value, bool):
        value = int(value)
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise ReportError(
            _("%(what)s is “%(value)s”, and that is not a number.")
            % {"what": what, "value": str(value)[:60]},
            _("Name a column of numbers."),
        )
    if abs(number.adjusted()) > MOST_DIGITS:
        raise ReportError(
            _("%(what)s is “%(value)s”, a number of more than %(most_digits)s digits.")
            % {"what": what, "value": str(value)[:60], "most_digits": f"{MOST_DIGITS:,}"},
            _("Name a column of smaller numbers."),
        )
    return number


@dataclass(frozen=True, slots=True)
class Crossing:
    """The verdict of a threshold on a run: `about` is `alert`, `recovered` or empty, `words` why."""

    is_beyond: bool
    about: str
    value: str
    words: str


def crossing(
    threshold: Mapping[str, Any],
    columns: Sequence[str],
    batches: Iterable[Sequence[Sequence[Any]]],
    *,
    is_alerting: bool,
    alerted_at: datetime | None,
    now: datetime,
) -> Crossing:
    """Hold a value against its threshold. NULL, and no row at all, are not beyond.

    Raises: ReportError when there is no such column or the value is not a number.
    """
    name = threshold["column"]
    low = [column.lower() for column in columns]
    if name.lower() not in low:
        raise ReportError(
            _("The alert is about the column “%(name)s”, and the rows have none of that name.")
            % {"name": name},
            _("They have: %(columns)s. Change the alert, or the SQL.") % {"columns": ", ".join(columns[:20])},
        )
    value = _found(threshold, low.index(name.lower()), batches)
    is_beyond = value is not None and _is_beyond(threshold, value)
    text = "" if value is None else format(value, "f")
    limit = {
        "limit": worded(TESTS[threshold["test"]]),
        "bound": number(shown(Decimal(threshold["value"]), name).text),
    }
    told = limit | {
        "name": name,
        "value": worded("empty") if value is None else number(_said(threshold, value)),
    }
    if not is_beyond:
        if is_alerting:
            return Crossing(
                False, "recovered", text, worded("{name} is {value}: no longer {limit} {bound}.", **told)
            )
        return Crossing(False, "", text, worded("{name} is {value}, which is not {limit} {bound}.", **told))
    if not is_alerting:
        return Crossing(True, "alert", text, worded("{name} is {value}: {limit} {bound}.", **told))
    quiet = threshold["quiet_hours"]
    if quiet is None or (alerted_at is not None and now - alerted_at < timedelta(hours=quiet)):
        return Crossing(
            True,
            "",
            text,
            worded("{name} is {value}: still {limit} {bound}, which was told already.", **told),
        )
    return Crossing(True, "alert", text, worded("{name} is {value}: still {limit} {bound}.", **told))


def _said(threshold: Mapping[str, Any], value: Decimal) -> str:
    """A value for reading; every digit where a rounded one would be on the other side of the threshold."""
    rounded = shown(value, threshold["column"]).text
    try:
        is_alike = _is_beyond(threshold, Decimal(rounded.replace(",", ""))) == _is_beyond(threshold, value)
    except InvalidOperation:
        is_alike = False
    return rounded if is_alike else format(value, "f")


def _found(
    threshold: Mapping[str, Any], column: int, batches: Iterable[Sequence[Sequence[Any]]]
) -> Decimal | None:
    """The value to be held against: the first row's, or of any row the first beyond, else the last."""
    value = None
    for batch in batches:
        for row in batch:
            cell = row[column]
            if cell is not None:
                value = number_read(cell, f"The value of {threshold['column']}")
            if threshold["row"] == "first" or (value is not None and _is_beyond(threshold, value)):
                return value
    return value


def _is_beyond(threshold: Mapping[str, Any], value: Decimal) -> bool:
    limit = Decimal(threshold["value"])
    return bool(
        {
            "above": value > limit,
            "at_least": value >= limit,
            "below": value < limit,
            "at_most": value <= limit,
            "equal": value == limit,
            "not_equal": value != limit,
        }[threshold["test"]]
    )


class RowsFingerprint:
    """A fingerprint of rows that are handed over in batches: equal for the same rows in any order.

    Each row is hashed and the hashes are added up, so memory does not grow; repeats count.
    """

    def __init__(self) -> None:
        self._hash = hashlib.sha256()

    def add(self, columns: Sequence[str], batches: Iterable[Sequence[Sequence[Any]]]) -> None:
        """Take the rows of one part in."""
        total = count = 0
        for batch in batches:
            for row in batch:
                digest = hashlib.blake2b(repr(tuple(row)).encode(errors="replace"), digest_size=24).digest()
                total += int.from_bytes(digest)
                count += 1
        self._hash.update(repr((tuple(columns), count, total % 2**256)).encode(errors="replace"))

    def text(self) -> str:
        """The fingerprint of all that was taken in."""
        return self._hash.hexdigest()
