"""One number on a card: what it is called, what stands beside it, and how it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils.translation import gettext as _

from mirror.phrases import day_said, separated
from mirror.results.cells import Cell

# Cells that stand under one number.
BESIDE = 3


@dataclass(frozen=True, slots=True)
class NumberView:
    """One number, with what it is called, what stands beside it in its row, and how it changed."""

    name: str
    cell: Cell
    beside: tuple[tuple[str, Cell], ...] = ()
    change: str = ""


def number_view(names: Sequence[str], cells: Sequence[Cell], preview: Mapping[str, Any]) -> NumberView:
    """The first number of a card's only row, under the `names` of its columns."""
    kinds = preview.get("kinds", [])
    place = next((n for n, kind in enumerate(kinds[: len(cells)]) if kind in ("integer", "number")), 0)
    beside = tuple((names[n], cell) for n, cell in enumerate(cells[: BESIDE + 1]) if n != place)
    cell = cells[place]
    return NumberView(names[place], Cell(_("no value")) if cell.look == "null" else cell, beside[:BESIDE])


def change_view(
    names: Sequence[str], cells: Sequence[Sequence[Cell]], preview: Mapping[str, Any]
) -> NumberView | None:
    """The last number of rows in the order of their first column, and how it changed from the one before; None where there are not two."""
    kinds, rows = preview.get("kinds", []), preview["rows"]
    place = next((n for n, kind in enumerate(kinds) if n and kind in ("integer", "number")), None)
    if place is None or len(rows) < 2:
        return None
    last, before = (-1, -2) if str(rows[0][0]) <= str(rows[-1][0]) else (0, 1)
    try:
        new, old = (Decimal(str(rows[n][place])) for n in (last, before))
    except InvalidOperation:
        return None
    figure = names[place].replace("_", " ").strip()
    words = _("%(figure)s in %(period)s")
    name = words % {
        "figure": f"{figure[:1].upper()}{figure[1:]}",
        "period": day_said(cells[last][0].text),
    }
    said = words % {"figure": cells[before][place].text, "period": day_said(cells[before][0].text)}
    return NumberView(name, cells[last][place], (), _changed(new, old, said))


def _changed(new: Decimal, old: Decimal, said: str) -> str:
    """How a number changed, in words.

    Example:
        >>> _changed(Decimal(3), Decimal(2), "2 in May"), _changed(Decimal(1), Decimal(0), "0 in May")
        ('up 50 % from 2 in May', 'up from 0 in May')
    """
    if not (new.is_finite() and old.is_finite()) or new == old:
        return (_("as %(before)s") if new == old else _("before: %(before)s")) % {"before": said}
    is_up = new > old
    if not old:
        return (_("up from %(before)s") if is_up else _("down from %(before)s")) % {"before": said}
    share = abs((new - old) / old * 100)
    told = separated(f"{share:,.0f}" if share >= 10 else f"{share:.1f}".removesuffix(".0"))
    words = _("up %(share)s %% from %(before)s") if is_up else _("down %(share)s %% from %(before)s")
    return words % {"share": told, "before": said}
