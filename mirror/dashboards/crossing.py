"""A value chosen on one card filters the others, over the rows that are stored.

Decides which columns of two cards mean the same, and says of each card by what it is filtered or why it is not. No statement
reaches a source: DuckDB reads stored rows, and what these do not have is not made up.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlencode

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _

from mirror.asking.services.charts import chart_redrawn
from mirror.dashboards.models import Card, Drawing
from mirror.dashboards.showing import card_shown
from mirror.results.rows import Passing, columns_of, results_passing
from mirror.storable import storable
from sqlagent.sql.origins import UNTOLD, Origin, origins
from sqlagent.values import Rows

if TYPE_CHECKING:
    from mirror.dashboards.services import CardServed

# Name of choices in an address, the most of them at once, and the greatest length of one.
WHERE, MOST, LONGEST = "where", 8, 600
# Rows that pass, up to which they are drawn anew while somebody waits: 14 to 25 ms a card (measured 2026-11; of 5,000 60 to 100).
# More are shown as a table.
CROSSED_ROWS = 1_000

_SENT = re.compile(r"([0-9]{1,12}):([^:]+):(.*)", re.S)
_RANGE = re.compile(r"(.+?)\.\.(<?)(.+)", re.S)
_COMPARED = ("integer", "number", "date", "datetime")
_KINDS = (*_COMPARED, "text", "boolean")


@dataclass(frozen=True, slots=True)
class Condition:
    """A choice as an address says it: the card it was made on, a column of it, and a filter of rows."""

    card: int
    column: str
    text: str

    @property
    def prefix(self) -> str:
        """Prefix of choices of this column of this card."""
        return f"{self.card}:{quote(self.column, safe=' ')}:"

    @property
    def sent(self) -> str:
        """The choice as an address says it."""
        return f"{self.prefix}{self.text}"


@dataclass(frozen=True, slots=True)
class Meant:
    """A column of a card's stored rows, and what it means: its name and kind, and where it comes from if the SQL tells."""

    card: int
    number: int
    name: str
    kind: str
    source: int
    origin: Origin = UNTOLD


@dataclass(frozen=True, slots=True)
class Choice:
    """A condition that the card it was made on knows the column of."""

    condition: Condition
    column: Meant
    words: str


@dataclass(frozen=True, slots=True)
class Crossed:
    """A card under the choices: `by` is what filters it, `not_by` why others do not, `own` was chosen on it.

    `passing` are its rows that pass, None where it stays as it is, and `filters` what they pass.
    """

    by: str = ""
    not_by: str = ""
    own: str = ""
    passing: Passing | None = None
    drawing: Drawing | None = None
    filters: Mapping[int, str] = field(default_factory=dict)

    @property
    def matching(self) -> int | None:
        """How many rows pass; None where the card stays as it is."""
        return self.passing.matching if self.passing is not None else None


NOT_FILTERED = Crossed()


@dataclass(frozen=True, slots=True)
class Crossing:
    """The choices of a page, and its cards under them. `picks` are the columns of a card that can filter another one, `columns` all of each."""

    choices: tuple[Choice, ...] = ()
    cards: Mapping[int, Crossed] = field(default_factory=dict)
    picks: Mapping[int, Mapping[int, str]] = field(default_factory=dict)
    is_understood: bool = True
    columns: Mapping[int, Sequence[Meant]] = field(default_factory=dict)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Their conditions, as in the address."""
        return tuple(choice.condition for choice in self.choices)

    def of(self, card: int) -> Crossed:
        """A card under the choices."""
        return self.cards.get(card, NOT_FILTERED)

    def untold(self) -> Crossing:
        """The same without the names of tables that SQL reads, which would say why a card is not filtered."""
        cards = {
            pk: replace(one, not_by=_("has no such column") if one.not_by else "")
            for pk, one in self.cards.items()
        }
        return replace(self, cards=cards)

    def kept_aside(self) -> Crossing:
        """The choices of a page that shows all rows and offers no cell to choose, as where cards are arranged."""
        return Crossing(self.choices, is_understood=self.is_understood)


NOT_CROSSED = Crossing()


def conditions_read(sent: Iterable[str]) -> list[Condition]:
    """Read the choices of an address; of one column of a card the last counts, and what cannot be understood is left out."""
    found: dict[str, Condition] = {}
    for text in list(sent)[:MOST]:
        parts = _SENT.fullmatch(str(storable(text))[:LONGEST])
        if parts:
            one = Condition(int(parts[1]), unquote(parts[2]), parts[3])
            found[one.prefix] = one
    return list(found.values())


def where_carried(values: Mapping[str, str], conditions: Iterable[Condition]) -> str:
    """The part of an address that says values and choices, with its question mark."""
    said = [*values.items(), *((WHERE, one.sent) for one in conditions)]
    return f"?{urlencode(said)}" if said else ""


def cards_cross_shown(served: Sequence[CardServed], conditions: Sequence[Condition]) -> Crossing:
    """Filter cards for who has a link: by columns that cards show and choices that they offer, and by no others.

    A column that is not shown filters none and is filtered by none, as its values could be found out that way.
    """
    shown = {one.card.pk: card_shown(one) for one in served}
    columns = {
        one.card.pk: tuple(
            column for column in _columns(one) if column.number in shown[one.card.pk].chosen_from
        )
        for one in served
    }
    offered = [
        one
        for one in conditions
        if any(
            column.name == one.column and shown[one.card].offers(column.number, one.text)
            for column in columns.get(one.card, ())
        )
    ]
    found = _cross(served, columns, offered, None)
    return replace(
        found, is_understood=found.is_understood and (bool(found.choices) or not conditions)
    ).untold()


def cards_cross(
    served: Sequence[CardServed], conditions: Sequence[Condition], only: set[int] | None = None
) -> Crossing:
    """Filter cards by what was chosen on others; one is never filtered by its own choice. Rows are read of all cards, or `only` of some."""
    return _cross(served, {one.card.pk: _columns(one) for one in served}, conditions, only)


def _cross(
    served: Sequence[CardServed],
    columns: Mapping[int, Sequence[Meant]],
    conditions: Sequence[Condition],
    only: set[int] | None,
) -> Crossing:
    choices: list[Choice] = []
    for condition in conditions:
        of = next(
            (column for column in columns.get(condition.card, ()) if column.name == condition.column), None
        )
        words = _words(of, condition.text) if of is not None and not of.origin.reckoned else ""
        if of is not None and words:
            choices = [choice for choice in choices if not is_same(choice.column, of)]
            choices.append(Choice(condition, of, words))
    picks = {
        pk: {
            column.number: Condition(pk, column.name, "").prefix
            for column in own
            if any(is_same(column, one) for other, found in columns.items() if other != pk for one in found)
        }
        for pk, own in columns.items()
    }
    shown = [one for one in served if columns[one.card.pk]]
    cards = _crossed(shown, columns, choices, only) if choices else {}
    return Crossing(tuple(choices), cards, picks, len(choices) > 0 or not conditions, columns)


def is_same(one: Meant, other: Meant) -> bool:
    """Say whether two columns mean the same: they come from one column of one source, or, where SQL does not tell, share name and kind."""
    if one.origin.reckoned or other.origin.reckoned or one.kind != other.kind:
        return False
    if one.source == other.source and one.origin.column and other.origin.column:
        return one.origin.column == other.origin.column
    return one.name.casefold() == other.name.casefold()


def cell_filter(value: Any, kind: str, longest: int) -> str:
    """The filter of rows that have this value, as JSON keeps it; empty where it was cut or is none to choose.

    Example:
        >>> cell_filter("Oslo", "text", 9), cell_filter(7, "integer", 9), cell_filter(None, "date", 9), cell_filter("x" * 10, "text", 9)
        ('== Oslo', '= 7', 'null', '')
    """
    if value is None:
        return "null"
    text = ("true" if value else "false") if isinstance(value, bool) else str(value)
    if len(text) > longest or any(letter < " " for letter in text):
        return ""
    return f"= {text}" if kind in _COMPARED else f"== {text}"


def _columns(one: CardServed) -> tuple[Meant, ...]:
    """The columns of a card's stored rows that can be chosen from or filtered; none where it has no rows."""
    supply = one.supplied.supply if one.supplied is not None else None
    if supply is None or supply.result is None or one.card.source is None:
        return ()
    told = columns_of(supply.result)
    of = origins(supply.sql, one.card.source.engine)
    return tuple(
        Meant(
            one.card.pk,
            number,
            column.name,
            column.kind,
            one.card.source.pk,
            of[number] if len(of) == len(told) else UNTOLD,
        )
        for number, column in enumerate(told)
        if column.name and column.kind in _KINDS and column.stored != "timestamptz"
    )


def _words(column: Meant, text: str) -> str:
    """A choice in words; empty where it is none that a card makes."""
    is_compared = column.kind in _COMPARED
    if text == "null":
        return _("%(column)s has no value") % {"column": column.name}
    if is_compared and text.startswith("= ") and text[2:].strip():
        return _("%(column)s is %(value)s") % {"column": column.name, "value": text[2:]}
    if not is_compared and text.startswith("== "):
        value = text[3:] or _("an empty text")
        return _("%(column)s is %(value)s") % {"column": column.name, "value": value}
    if is_compared and (found := _RANGE.fullmatch(text)):
        words = (
            _("%(column)s from %(first)s to below %(last)s")
            if found[2]
            else _("%(column)s from %(first)s to %(last)s")
        )
        return words % {"column": column.name, "first": found[1], "last": found[3]}
    return ""


def _crossed(
    served: Sequence[CardServed],
    columns: Mapping[int, Sequence[Meant]],
    choices: Sequence[Choice],
    only: set[int] | None,
) -> dict[int, Crossed]:
    told: dict[int, Crossed] = {}
    reads: list[tuple[CardServed, dict[int, str]]] = []
    for one in served:
        pk = one.card.pk
        filters, by, not_by, own = {}, [], [], []
        for choice in choices:
            if choice.condition.card == pk:
                own.append(choice.words)
                continue
            mine = [column for column in columns[pk] if is_same(column, choice.column)]
            for column in mine:
                filters[column.number] = choice.condition.text
            if mine:
                by.append(choice.words)
            else:
                not_by.append(_lacks(columns[pk], choice.column))
        told[pk] = Crossed(", ".join(by), ", ".join(dict.fromkeys(not_by)), ", ".join(own))
        if filters and (only is None or pk in only):
            reads.append((one, filters))
    passing = (
        results_passing([(_result(one), filters) for one, filters in reads], CROSSED_ROWS) if reads else []
    )
    for (one, filters), found in zip(reads, passing, strict=True):
        pk, at = one.card.pk, told[one.card.pk]
        if found.rows is None:
            told[pk] = Crossed(not_by=found.problem, own=at.own)
        else:
            drawing = _drawn(one, found.rows, found.matching)
            told[pk] = Crossed(at.by, at.not_by, at.own, found, drawing, filters)
    return told


def _lacks(columns: Sequence[Meant], wanted: Meant) -> str:
    alike = next((one for one in columns if one.name.casefold() == wanted.name.casefold()), None)
    if alike is not None and alike.origin.column:
        words = _("its %(name)s is another column, %(column)s")
        return words % {"name": alike.name, "column": alike.origin.column}
    return _("has no column %(column)s") % {"column": wanted.name}


def _result(one: CardServed) -> Any:
    assert one.supplied is not None and one.supplied.supply is not None
    return one.supplied.supply.result


def _drawn(one: CardServed, rows: Rows, matching: int) -> Drawing | None:
    """The drawing of a card with the rows that pass; one that has none has none."""
    assert one.supplied is not None and one.supplied.supply is not None
    old = one.supplied.drawing if one.card.shows != Card.Shows.PIVOT else None
    if old is None or not old.chart or not rows.rows:
        return None
    if matching > len(rows.rows):
        note = _("More than %(count)s rows match; they are not drawn anew.") % {
            "count": intcomma(CROSSED_ROWS)
        }
        return Drawing(chart={"note": note})
    drawn = chart_redrawn(rows, old.chart, old.question, sql=one.supplied.supply.sql, figure=old.figure)
    return Drawing(**drawn.fields())
