"""The page that tells why a figure changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from django.contrib.humanize.templatetags.humanize import intcomma
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mirror.dashboards.why import value_key
from mirror.phrases import day_said, separated
from mirror.results.cells import Cell, shown
from mirror.stored_words import said_now

if TYPE_CHECKING:
    from mirror.dashboards.why import Found, Part, Period, Split, Statement, Why
    from mirror.sources.models import Source


@dataclass(frozen=True, slots=True)
class PeriodChoice:
    """A period that can be compared."""

    value: str
    words: str


@dataclass(frozen=True, slots=True)
class PartView:
    """One line of a split. `width` is that of its bar in percent of the widest; it `is_against` the whole where it went the other way.

    `url` asks for its value alone.
    """

    label: tuple[Cell, ...]
    before: Cell
    now: Cell
    change: Cell
    mix: Cell | None
    rate: Cell | None
    share: str
    width: int
    is_against: bool
    url: str = ""

    @property
    def numbers(self) -> tuple[Cell, ...]:
        """Its figures beside the change: what this is made of, then those of the two periods."""
        made_of = (self.rate, self.mix) if self.rate is not None and self.mix is not None else ()
        return (*made_of, self.before, self.now)


@dataclass(frozen=True, slots=True)
class SplitView:
    """A change by the values of one dimension, with the whole below, which its parts add up to."""

    words: str
    parts: tuple[PartView, ...]
    whole: PartView


@dataclass(frozen=True, slots=True)
class StatementView:
    """One statement that was run."""

    words: str
    sql: str


@dataclass(frozen=True, slots=True)
class WhyPage:
    """Why a figure changed. It `adds_up` where its parts do; `is_quotient` where they are told as mix and rate.

    `back` is where the figure stands, and `back_words` what that is called.
    """

    source: Source
    name: str
    question: str
    sentence: str
    before: str
    now: str
    periods: tuple[PeriodChoice, ...]
    chosen_before: str
    chosen_now: str
    adds_up: bool
    is_quotient: bool
    whole: PartView | None
    splits: tuple[SplitView, ...]
    notes: tuple[str, ...]
    statements: tuple[StatementView, ...]
    is_working: bool
    oldest: datetime | None
    here: str
    carried: Mapping[str, str]
    refresh: str
    back: str
    back_words: str
    is_same: bool = False


def why_page(why: Why, found: Found, here: str, ask: str, carried: Mapping[str, str], back: str) -> WhyPage:
    """Lay out a change. `here` is its address, which the values of `carried` belong to, and `ask` that of one value of it."""
    change = why.change
    choices = tuple(PeriodChoice(_first(one), _period(why, one)) for one in change.periods)
    chosen = {**carried, "now": _first(why.now), "before": _first(why.before)}
    times = [
        supply.result.created_at
        for one in found.statements
        if (supply := one.supplied.supply) is not None and supply.result is not None
    ]
    splits = tuple(_split(statement, split, ask, chosen) for statement, split in found.splits)
    return WhyPage(
        source=why.source,
        name=change.name,
        question=why.question,
        sentence=said_now(found.sentence),
        before=_period(why, why.before),
        now=_period(why, why.now),
        periods=choices,
        chosen_before=chosen["before"],
        chosen_now=chosen["now"],
        adds_up=bool(change.parts),
        is_quotient=len(change.parts) > 1,
        whole=_whole(why, found.whole) if found.whole is not None else None,
        splits=splits,
        notes=found.notes,
        statements=tuple(
            StatementView(
                _("The whole")
                if one.cut.group is None
                else _("By %(dimension)s") % {"dimension": one.cut.words},
                one.sql,
            )
            for one in found.statements
        ),
        is_working=found.is_working,
        oldest=min(times) if times else None,
        here=here,
        carried=carried,
        refresh=f"{here}?{urlencode(chosen)}",
        back=back,
        back_words=_("the answer") if back.startswith(reverse("asking:ask") + "runs/") else _("the overview"),
        is_same=why.now == why.before,
    )


def _whole(why: Why, whole: Part) -> PartView:
    """The two figures that are compared; a period without data has none, not 0."""
    why = why.seen_with(whole)
    view, none = _part(whole, (), Decimal(0), _digits([whole])), Cell(_("no data"), look="null")
    now = view.now if why.is_begun(why.now) else none
    return replace(view, now=now, before=view.before if why.is_begun(why.before) else none)


def _first(one: Period) -> str:
    return one.first.isoformat() if one.first is not None else ""


def _period(why: Why, one: Period) -> str:
    """A period in words, months in the language of the reader."""
    words = why.words(one)
    if one.first is not None and words.endswith(f" {one.first.year}") and words[0] != "Q":
        return date_format(one.first, "F Y")
    first, to, last = words.partition(" to ")
    return _("%(first)s to %(last)s") % {"first": day_said(first), "last": day_said(last)} if to else words


def _split(statement: Statement, split: Split, ask: str, chosen: Mapping[str, str]) -> SplitView:
    widest = max((abs(one.change) for one in split.parts), default=Decimal(0))
    digits = _digits([split.whole, *split.parts])
    parts = []
    for one in split.parts:
        url = ""
        if one.row is not None:
            url = f"{ask}?{urlencode({**chosen, 'value': value_key(statement, one.values)})}"
        parts.append(_part(one, _label(split.words, split.missing, one), widest, digits, url))
    whole = split.whole
    if split.parts and split.parts[0].mix is not None:
        mix, rate = (
            sum((getattr(one, of) or Decimal(0) for one in split.parts), Decimal(0)) for of in ("mix", "rate")
        )
        whole = replace(whole, mix=mix, rate=rate)
    return SplitView(split.words, tuple(parts), _part(whole, (Cell(_("All")),), Decimal(0), digits))


def _digits(parts: list[Part]) -> int:
    """Decimals that figures of a split are shown with: none where all are whole, more where they are small."""
    numbers = [n for one in parts for n in (one.before, one.now, one.mix) if n is not None]
    if all(n == n.to_integral_value() for n in numbers):
        return 0
    largest = max((abs(n) for n in numbers), default=Decimal(1))
    return 2 if largest >= 10 else 4


def _part(one: Part, label: tuple[Cell, ...], widest: Decimal, digits: int, url: str = "") -> PartView:
    return PartView(
        label=label,
        before=_number(one.before, digits),
        now=_number(one.now, digits),
        change=_number(one.change, digits, "+"),
        mix=_number(one.mix, digits, "+") if one.mix is not None else None,
        rate=_number(one.rate, digits, "+") if one.rate is not None else None,
        share=separated(f"{one.share:z,.0f} %").replace("-", "\u2212") if one.share is not None else "",
        width=int(abs(one.change) / widest * 100) if widest else 0,
        is_against=one.share is not None and one.share < 0,
        url=url,
    )


def _label(words: str, missing: str, one: Part) -> tuple[Cell, ...]:
    if one.kind == "others":
        words = ngettext("%(count)s other", "%(count)s others", one.count)
        return (Cell(words % {"count": intcomma(one.count)}),)
    if one.kind == "none":
        return (Cell(_("no %(thing)s") % {"thing": missing}, look="null"),)
    return tuple(_value(value, words) for value in one.values)


def _value(value: Any, words: str) -> Cell:
    if isinstance(value, str) and not value.strip():
        return Cell(_("empty %(thing)s") % {"thing": words}, look="null")
    return shown(value, words)


def _number(number: Decimal | None, digits: int, sign: str = "") -> Cell:
    """A figure with so many decimals, all of them on hover."""
    if number is None:
        return Cell(_("no figure"), look="null")
    near = round(number, digits)
    text = separated(f"{near:{sign},.{digits}f}" if near else f"{0:.{digits}f}").replace("-", "\u2212")
    exact = f"{number.normalize():f}"
    return Cell(text, "" if number == near else exact, "num")
