"""Parameters of cards: fields of the dashboard for those of their SQL, and SQL with the values in their places."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from mirror.queries.parameters import ParameterError, sql_bind, value_read
from mirror.queries.values_typed import VALUE_CHARS
from mirror.storable import storable

if TYPE_CHECKING:
    from mirror.dashboards.models import Card


@dataclass(frozen=True, slots=True)
class Field:
    """A parameter that cards of a dashboard share by its name. `problem` says what is wrong with its value.

    Its kind is text where the cards differ in it: each card then says whether it can use the value.
    """

    name: str
    kind: str
    label: str
    default: str
    value: str
    problem: str = ""


def parameters_of(card: Card) -> list[dict[str, Any]]:
    """The parameters of a card's SQL, as they stand with it."""
    found = card.saved.parameters if card.saved is not None else card.parameters
    return list(found or ())


def sql_of(card: Card) -> str:
    """The SQL of a card."""
    return card.saved.sql if card.saved is not None else card.sql


def chart_of(card: Card) -> dict[str, Any] | None:
    """The chart of a card, which the formats of its columns go with."""
    return card.saved.chart if card.saved is not None else card.chart


def values_given(sent: Mapping[str, Any], cards: Iterable[Card]) -> dict[str, str]:
    """The values of an address for the parameters of cards; other parts of the address are ignored."""
    names = {str(one["name"]) for card in cards for one in parameters_of(card)}
    return {
        name: str(storable(str(sent[name])))[:VALUE_CHARS]
        for name in sent
        if name in names and str(sent[name]).strip()
    }


def fields_of(cards: Iterable[Card], values: Mapping[str, str]) -> list[Field]:
    """A field for each parameter of cards, in the order in which they come."""
    told: dict[str, list[dict[str, Any]]] = {}
    for card in cards:
        for parameter in parameters_of(card):
            told.setdefault(str(parameter["name"]), []).append(parameter)
    return [_field(name, alike, values.get(name, "")) for name, alike in told.items()]


def _field(name: str, alike: list[dict[str, Any]], value: str) -> Field:
    kinds = {str(one["kind"]) for one in alike}
    kind = kinds.pop() if len(kinds) == 1 else "text"
    defaults = {str(one.get("default") or "") for one in alike}
    label = next((str(one["label"]) for one in alike if one.get("label")), name)
    default = defaults.pop() if len(defaults) == 1 else ""
    problem = ""
    if value:
        try:
            value_read({"name": name, "kind": kind, "label": label}, value)
        except ParameterError as error:
            problem = str(error)
    return Field(name, kind, label, default, value, problem)


def sql_fed(card: Card, values: Mapping[str, str]) -> str:
    """A card's SQL with values in their places. Raises: ParameterError where one is missing or of another kind."""
    parameters, sql = parameters_of(card), sql_of(card)
    if not parameters or card.source is None:
        return sql
    for one in parameters:
        if one["name"] not in values and one.get("default") in (None, ""):
            raise ParameterError(_("Give a value for %(name)s.") % {"name": one.get("label") or one["name"]})
    names = {str(one["name"]) for one in parameters}
    given = {name: value for name, value in values.items() if name in names}
    return sql_bind(sql, parameters, given, card.source.engine)
