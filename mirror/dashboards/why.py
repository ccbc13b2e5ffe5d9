"""Why a figure changed: an answer's figure, or an overview's, compared between two periods and split by what sorts its rows.

The statements are supplied as the rows of cards are: read once, by a worker, and shown at once after that.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking.services.frames import frame_title, version_frame
from mirror.dashboards.card_rows import Supplied, Wish, key_of, supplies_refresh, wishes_supply
from mirror.dashboards.exploring import overview_part
from mirror.results.opened_files import ResultGone
from mirror.results.rows import rows_of
from mirror.sources.unpacked import source_at_hand
from mirror.stored_words import failure_said, is_english, row_said, said_now
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.changes import VALUES, Change, Cut, asked_of, change_of, cuts_of
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.source import source_of
from sqlagent.sql.formatting import formatted
from sqlagent.telling.summarizing.contributing import NotSplit, Part, Split, split_of, splits_ranked, whole_of
from sqlagent.telling.summarizing.contribution_words import sentence_of, sentence_unfinished
from sqlagent.values import Rows

if TYPE_CHECKING:
    from mirror.asking.models import Version
    from mirror.people.models import User
    from mirror.sources.models import Source
    from sqlagent.makers.analyst.frames import Frame
    from sqlagent.makers.analyst.source import Source as Known

_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"\d{4}")

# Dimensions that are shown, of those that are read.
SHOWN = 4
_COUNTED = gettext_noop(
    "Different things are counted, so only what each of them has one of is told: elsewhere one would be counted twice."
)


@dataclass(frozen=True, slots=True)
class Why:
    """A figure whose change is looked at, the question it is from, and the two periods that are compared."""

    source: Source
    question: str
    frame: Frame
    known: Known
    change: Change
    now: Period
    before: Period

    @staticmethod
    def words(period: Period) -> str:
        """A period in words."""
        return telling.period(period)

    @property
    def is_open(self) -> bool:
        """Whether the later period goes on after the last day with data."""
        last, until = self.change.until, self.now.until
        return last is not None and until is not None and until > last + timedelta(days=1)

    def is_begun(self, period: Period) -> bool:
        """Whether a period begins by the last day with data."""
        last = self.change.until
        return last is None or period.first is None or period.first <= last

    def seen_with(self, whole: Part) -> Why:
        """The same, without the last day with data where a period after it has a figure: data came since that day was read."""
        figures = ((self.now, whole.now), (self.before, whole.before))
        if any(figure and not self.is_begun(period) for period, figure in figures):
            return replace(self, change=replace(self.change, until=None))
        return self

    def between(self, now: str, before: str) -> Why:
        """The same between two periods, given by their first days; other texts are left as they are."""
        return replace(
            self,
            now=self.change.period(now) or self.now,
            before=self.change.period(before) or self.before,
        )

    def of(self, named: str) -> Why | None:
        """The same for the latest period that words name (February, 2025, Q2 2026), against the one before; None where none is named."""
        periods = self.change.periods
        said = _WORD.findall(named.lower())
        for now, before in zip(periods, periods[1:], strict=False):
            if self.change.period(named) == now or _is_named(said, self.words(now)):
                return replace(self, now=now, before=before)
        return None


def _is_named(said: Sequence[str], period: str) -> bool:
    """Whether words name a period: each is one of its words, perhaps cut short, and no more than its year is left unsaid.

    Example:
        >>> _is_named(["feb"], "February 2026"), _is_named(["2026"], "February 2026"), _is_named(["feb", "2019"], "February 2026")
        (True, False, False)
    """
    words = _WORD.findall(period.lower())
    meant = [[word for word in words if word == one or len(one) > 2 and word.startswith(one)] for one in said]
    rest = set(words) - {word for found in meant for word in found}
    return bool(said) and all(meant) and all(_YEAR.fullmatch(word) for word in rest)


@dataclass(frozen=True, slots=True)
class Statement:
    """One statement of a change, and what there is of its rows."""

    cut: Cut
    sql: str
    supplied: Supplied


@dataclass(frozen=True, slots=True)
class Found:
    """Findings of a change: the whole, its splits, the most telling first, and why others are missing.

    `read` are all splits, those that are not shown included: a page that was opened while others were read may show these still.
    """

    statements: tuple[Statement, ...]
    whole: Part | None = None
    splits: tuple[tuple[Statement, Split], ...] = ()
    read: tuple[tuple[Statement, Split], ...] = ()
    sentence: str = ""
    notes: tuple[str, ...] = ()
    is_working: bool = False


def why_of_part(source: Source, key: str) -> Why | None:
    """Why the figure of an overview's part changed; None where it has no two periods."""
    part = overview_part(source, key)
    catalog, index = source_at_hand(source)
    if part is None or part.frame is None or catalog is None:
        return None
    return _why(
        source, part.question if is_english() else part.title_said, part.frame, source_of(catalog, index)
    )


def why_of_version(version: Version) -> Why | None:
    """Why the figure of an answer changed; None where it has no two periods."""
    read = version_frame(version)
    if read is None:
        return None
    source, run = version.run.thread.source, version.run
    changed = frame_title(source, version.frame) if version.frame and version.change else ""
    return _why(source, said_now(changed) or row_said(version, "title") or run.question or run.asked, *read)


def _why(source: Source, question: str, frame: Frame, known: Known) -> Why | None:
    change = change_of(frame, known)
    if change is None:
        return None
    return Why(source, question, frame, known, change, change.now, change.before)


# ---------------------------------------------------------------- rows


def why_serve(user: User, why: Why) -> Found:
    """Give what there is of a change; statements that were never read are read by a worker from now on."""
    cuts = cuts_of(why.change, why.now, why.before, why.known) if why.now != why.before else ()
    sqls = [formatted(cut.sql, why.source.engine) or cut.sql for cut in cuts]
    served = wishes_supply(user, [Wish(why.source, sql, is_drawn=False) for sql in sqls])
    statements = tuple(Statement(*one) for one in zip(cuts, sqls, served, strict=True))
    return _found(why, statements)


def why_refresh(user: User, why: Why) -> int:
    """Have the statements of a change read anew; says how many."""
    found = why_serve(user, why)
    return supplies_refresh(
        user, [one.supplied.supply for one in found.statements if one.supplied.supply is not None]
    )


def _found(why: Why, statements: tuple[Statement, ...]) -> Found:
    is_working = any(
        one.supplied.supply is not None and not one.supplied.supply.is_ended for one in statements
    )
    if not statements:
        return Found(statements)
    try:
        rows = _rows(statements[0])
        totals = rows.rows[0] if rows is not None else None
        whole = whole_of(totals, why.change.factor) if totals is not None else None
    except NotSplit as error:
        return Found(statements, notes=(said_now(error.args[0]),), is_working=is_working)
    if totals is None or whole is None:
        return Found(statements, notes=_problems(statements[:1]), is_working=is_working)
    splits: list[tuple[Statement, Split]] = []
    notes = [_(_COUNTED)] if why.change.counted else []
    for one in statements[1:]:
        try:
            rows = _rows(one)
            if rows is not None:
                cut = one.cut
                said = [(*cut.said(row[: cut.width]), *row[cut.width :]) for row in rows.rows]
                read = Rows(rows.columns, tuple(said))
                split = split_of(cut.words, cut.width, read, totals, cut.missing, why.change.factor)
                splits.append((one, split))
        except NotSplit as error:
            notes.append(said_now(error.args[0]))
    if not is_working:
        notes += _problems(statements[1:])
    ranked = splits_ranked([split for _, split in splits], SHOWN)
    statement_of = {id(split): one for one, split in splits}
    why = why.seen_with(whole)
    begun = why.is_begun(why.now), why.is_begun(why.before)
    return Found(
        statements,
        whole,
        tuple((statement_of[id(split)], split) for split in ranked) if all(begun) else (),
        tuple(splits) if all(begun) else (),
        _sentence(why, whole, ranked, *begun),
        tuple(dict.fromkeys(notes)),
        is_working,
    )


def _sentence(why: Why, whole: Part, ranked: Sequence[Split], is_begun: bool, was_begun: bool) -> str:
    """Tell a change; of a period that is not over, or has no data, that is said instead."""
    name, words, until = (
        why.change.name,
        (telling.period(why.before), telling.period(why.now)),
        why.change.until,
    )
    if until is not None and (why.is_open or not was_begun):
        return sentence_unfinished(name, *words, whole, until, is_begun, was_begun)
    return sentence_of(name, *words, whole, ranked)


def _rows(one: Statement) -> Rows | None:
    """The rows of a statement; None where there are none yet, or no longer. Raises: NotSplit where they are too many."""
    supply = one.supplied.supply
    result = supply.result if supply is not None else None
    if result is None:
        return None
    if result.truncated or result.row_count > VALUES:
        raise NotSplit(
            _("There are too many values of %(dimension)s to look at.") % {"dimension": one.cut.words}
        )
    try:
        return rows_of(result, VALUES)
    except ResultGone:
        return None


def _problems(statements: tuple[Statement, ...]) -> tuple[str, ...]:
    """Why statements have no rows."""
    said = []
    for one in statements:
        supply = one.supplied.supply
        words = _("The totals")
        if one.cut.group is not None:
            words = _("The values of %(dimension)s") % {"dimension": one.cut.words}
        if supply is None:
            said.append(one.supplied.refused)
        elif supply.is_ended and supply.failure:
            why = failure_said(supply.failure, "message")
            said.append(_("%(rows)s could not be read: %(why)s") % {"rows": words, "why": why})
        elif supply.is_ended and _is_gone(one):
            said.append(_("%(rows)s are no longer kept. Read them anew.") % {"rows": words})
    return tuple(said)


def _is_gone(one: Statement) -> bool:
    try:
        return _rows(one) is None
    except NotSplit:
        return False


# ---------------------------------------------------------------- one value


def value_key(statement: Statement, values: tuple[Any, ...]) -> str:
    """Key of one value of a dimension in an address."""
    return key_of(repr((statement.cut.words, values)))[:16]


def value_asked(why: Why, found: Found, key: str) -> tuple[str, str] | None:
    """The question of one value of a split, empty where no words ask it, and its SQL; None where there is no such value."""
    for statement, split in found.read:
        for part in split.parts:
            if part.row is not None and value_key(statement, part.values) == key:
                asked = asked_of(why.change, why.frame, statement.cut, part.values, why.known)
                if asked is None:
                    return None
                return asked[0], formatted(asked[1], why.source.engine) or asked[1]
    return None


__all__ = [
    "SHOWN",
    "Found",
    "Part",
    "Period",
    "Split",
    "Statement",
    "Why",
    "value_asked",
    "value_key",
    "why_of_part",
    "why_of_version",
    "why_refresh",
    "why_serve",
]
