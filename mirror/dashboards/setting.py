"""A value chosen on a card as the value of a parameter that cards share: "Set Country to Norway".

Decides which parameter a column is a value of: the one whose SQL sets it equal to that column, or, where SQL does not tell, the one
of its name. The value goes to the address, as if it had been typed above the cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from mirror.dashboards.card_parameters import Field, fields_of, parameters_of, sql_of
from mirror.dashboards.crossing import Condition, Meant, where_carried
from mirror.dashboards.services import CardServed
from sqlagent.sql.origins import equated

# Parameters of one column that are offered.
MOST = 3
# The kinds of columns whose values a parameter of a kind takes.
_TAKES = {"text": ("text",), "number": ("integer", "number"), "date": ("date",), "boolean": ("boolean",)}


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter that a column gives the value of, as its field above the cards is called."""

    name: str
    label: str

    def words(self, value: str) -> str:
        """Label of the act that sets it to a value."""
        return _("Set %(parameter)s to %(value)s") % {"parameter": self.label, "value": value}


Settings = Mapping[int, Mapping[int, tuple[Setting, ...]]]
"""By card and column."""


@dataclass(frozen=True, slots=True)
class _Takes:
    """A parameter of the cards, with the columns that their SQL sets equal to it, each with its source."""

    parameter: Field
    columns: set[tuple[int, str]] = field(default_factory=set)


def settings_of(served: Sequence[CardServed], columns: Mapping[int, Sequence[Meant]]) -> Settings:
    """Say which columns of which cards give values of the parameters that feed cards which their reader sees."""
    seen = [one.card for one in served if not one.is_hidden and not one.is_gone]
    takes = {one.name: _Takes(one) for one in fields_of(seen, {})}
    if not takes:
        return {}
    for card in seen:
        if card.source is None or not parameters_of(card):
            continue
        for name, column in equated(sql_of(card), card.source.engine):
            if name in takes:
                takes[name].columns.add((card.source.pk, column))
    found = {
        pk: {one.number: settings for one in own if (settings := _settings(one, takes.values()))}
        for pk, own in columns.items()
    }
    return {pk: settings for pk, settings in found.items() if settings}


def _settings(column: Meant, takes: Iterable[_Takes]) -> tuple[Setting, ...]:
    found = [Setting(one.parameter.name, one.parameter.label) for one in takes if _is_value_of(column, one)]
    return tuple(found[:MOST])


def _is_value_of(column: Meant, takes: _Takes) -> bool:
    if column.origin.reckoned or column.kind not in _TAKES.get(takes.parameter.kind, ()):
        return False
    if column.origin.column and takes.columns:
        return (column.source, column.origin.column) in takes.columns
    names = {takes.parameter.name.casefold(), takes.parameter.label.casefold()}
    return column.name.casefold() in names | {name.replace(" ", "_") for name in names}


def value_set(text: str) -> str:
    """The value that a filter of one value stands for; empty where it stands for none that can be set.

    Example:
        >>> value_set("== Norway"), value_set("= 7"), value_set("null"), value_set("1..<2"), value_set("== ")
        ('Norway', '7', '', '', '')
    """
    for sign in ("== ", "= "):
        if text.startswith(sign):
            return text.removeprefix(sign).strip()
    return ""


def set_url(setting: Setting, value: str, values: Mapping[str, str], conditions: Iterable[Condition]) -> str:
    """The part of an address that says a set value beside the others; a value that is set already is taken away."""
    others = {name: one for name, one in values.items() if name != setting.name}
    if values.get(setting.name) == value:
        return where_carried(others, conditions) or "?"
    return where_carried({**others, setting.name: value}, conditions)
