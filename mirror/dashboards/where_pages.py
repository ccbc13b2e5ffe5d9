"""Texts of a page about the choices that filter its cards, and the cells that make them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mirror.asking.kept_steps import PREVIEW_CHARS, rows_preview
from mirror.dashboards.card_rows import PREVIEW_ROWS
from mirror.dashboards.crossing import (
    WHERE,
    Choice,
    Condition,
    Crossed,
    Crossing,
    cell_filter,
    where_carried,
)
from mirror.dashboards.models import Supply
from mirror.dashboards.services import CardServed
from mirror.dashboards.setting import Settings, set_url, value_set
from mirror.results.cells import Cell, json_cell
from mirror.results.kept_pivots import PivotTable


@dataclass(frozen=True, slots=True)
class Chip:
    """A choice that filters cards, in words, and the address without it. `sets` are parameters that can be set to its value instead, in words and as addresses."""

    words: str
    url: str
    sets: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class WherePage:
    """Choices that filter cards: how many cards they do, which not and why, and the address without them. `sent` is for a form."""

    chips: tuple[Chip, ...] = ()
    said: str = ""
    not_filtered: tuple[tuple[str, str], ...] = ()
    reset_url: str = ""
    sent: tuple[str, ...] = ()
    problem: str = ""


def where_page(
    served: Sequence[CardServed], values: Mapping[str, str], crossing: Crossing, settings: Settings
) -> WherePage:
    """Choices in words, each with the address without it."""
    if not crossing.choices:
        problem = (
            ""
            if crossing.is_understood
            else _("The chosen value is on no card any more; nothing is filtered.")
        )
        return WherePage(problem=problem)
    every, cards = crossing.conditions, crossing.cards
    told = [(str(one.card), cards[one.card.pk]) for one in served if one.card.pk in cards]
    filtered = [title for title, one in told if one.by]
    words = ngettext(
        "%(count)s card filtered, by the rows that are stored",
        "%(count)s cards filtered, by the rows that are stored",
        len(filtered),
    )
    said = words % {"count": len(filtered)}
    chips = (_chip(choice, values, every, settings) for choice in crossing.choices)
    return WherePage(
        tuple(chips),
        said,
        tuple((title, one.not_by) for title, one in told if one.not_by),
        where_carried(values, ()) or "?",
        tuple(one.sent for one in every),
    )


def _chip(choice: Choice, values: Mapping[str, str], every: Sequence[Condition], settings: Settings) -> Chip:
    others = [one for one in every if one != choice.condition]
    value = value_set(choice.condition.text)
    offered = settings.get(choice.column.card, {}).get(choice.column.number, ()) if value else ()
    sets = tuple(
        (setting.words(value), set_url(setting, value, values, others))
        for setting in offered
        if values.get(setting.name) != value
    )
    return Chip(choice.words, where_carried(values, others) or "?", sets)


def cells_linked(
    card: int,
    cells: Sequence[tuple[Cell, ...]],
    preview: Mapping[str, Any],
    values: Mapping[str, str],
    crossing: Crossing,
    settings: Settings,
    along: Sequence[int] | None = None,
) -> tuple[tuple[tuple[Cell, ...], ...], str, str]:
    """Cells that lead to the page that they filter, a chosen one to the page without it; and the columns that do, as JSON.

    A cell that filters no other card sets the first parameter it is a value of. The parameters of columns are given as JSON, too. The
    first cells of a row are of the columns `along`, where they are told, and no others lead on.
    """
    picks, sets = crossing.picks.get(card, {}), settings.get(card, {})
    if along is not None:
        picks = {place: picks[number] for place, number in enumerate(along) if number in picks}
        sets = {place: sets[number] for place, number in enumerate(along) if number in sets}
    if not (picks or sets) or not cells:
        return tuple(cells), "", ""
    own = {one.prefix: one.text for one in crossing.conditions if one.card == card}
    rests = {
        number: where_carried(values, [one for one in crossing.conditions if one.prefix != prefix])
        for number, prefix in picks.items()
    }
    rows = [list(row) for row in cells]
    for row, raw in zip(rows, preview["rows"], strict=False):
        for number, prefix in picks.items():
            text = (
                cell_filter(raw[number], preview["kinds"][number], PREVIEW_CHARS) if number < len(row) else ""
            )
            if not text:
                continue
            is_chosen = own.get(prefix) == text
            rest = rests[number]
            told = "" if is_chosen else f"{'&' if rest else '?'}{urlencode({WHERE: prefix + text})}"
            url = f"{rest}{told}" or "?"
            row[number] = replace(row[number], url=f"{url}#card-{card}", is_chosen=is_chosen)
        for number, (setting, *_others) in sets.items():
            if number in picks or number >= len(row):
                continue
            value = value_set(cell_filter(raw[number], preview["kinds"][number], PREVIEW_CHARS))
            if value:
                url = set_url(setting, value, values, crossing.conditions)
                is_set = values.get(setting.name) == value
                row[number] = replace(row[number], url=f"{url}#card-{card}", is_chosen=is_set)
    told_sets = {number: [(one.name, one.label) for one in found] for number, found in sets.items()}
    return tuple(map(tuple, rows)), json.dumps(picks) if picks else "", json.dumps(told_sets) if sets else ""


def preview_passing(supply: Supply, crossed: Crossed) -> dict[str, Any]:
    """The first rows of a card, or of those that pass."""
    if crossed.passing is None or crossed.passing.rows is None:
        return dict(supply.preview)
    return rows_preview(crossed.passing.rows, PREVIEW_ROWS)


def preview_pivoted(table: PivotTable) -> dict[str, Any]:
    """The values of a pivot's rows as those of a preview."""
    return {
        "kinds": table.kinds[: len(table.along)],
        "rows": [[json_cell(value, PREVIEW_CHARS) for value in row] for row in table.values],
    }


def crossed_said(crossed: Crossed, supply: Supply, *, is_counted: bool = True) -> str:
    """Say the effect of choices on a card; rows are counted where their number is told."""
    said = []
    if crossed.passing is not None and not is_counted:
        said.append(_("Filtered: %(by)s") % {"by": crossed.by})
    elif crossed.passing is not None and supply.result is not None:
        words = ngettext(
            "Filtered: %(by)s · %(passing)s of %(count)s row",
            "Filtered: %(by)s · %(passing)s of %(count)s rows",
            supply.result.row_count,
        )
        figures = {
            "passing": intcomma(crossed.passing.matching),
            "count": intcomma(supply.result.row_count),
        }
        said.append(words % {"by": crossed.by, **figures})
    if crossed.not_by:
        said.append(_("Not filtered: %(why)s") % {"why": crossed.not_by})
    if crossed.own:
        said.append(_("Chosen here: %(choice)s") % {"choice": crossed.own})
    return ". ".join(said)
