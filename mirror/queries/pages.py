"""Data of a page beside an editor: a field for each :name of its SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mirror.queries.helping import sql_parameters
from mirror.queries.values_typed import FIELD

if TYPE_CHECKING:
    from mirror.sources.models import Source


@dataclass(frozen=True, slots=True)
class ValueField:
    """A field for the value of a :name."""

    name: str
    kind: str
    field: str
    value: str


def values_fields(
    source: Source, sql: str, arguments: Mapping[str, Any], known: list[dict[str, Any]] | None = None
) -> tuple[ValueField, ...]:
    """A field for each :name of the text, with the value that was typed last, else its default."""
    return tuple(
        ValueField(
            one["name"],
            one["kind"],
            FIELD + one["name"],
            str(arguments.get(one["name"], one.get("default") or "")),
        )
        for one in sql_parameters(source, sql, known or ())
    )
