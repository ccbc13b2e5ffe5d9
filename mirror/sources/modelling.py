"""The semantic model of a source as pages show it: what was derived, what is in force, what of the corrections does nothing.

Made of what is kept of the source; nothing is read from it. Derived once for as long as it is among the last few looked at.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace

from mirror.recent import Recent
from mirror.sources.models import Source
from mirror.sources.unpacked import source_at_hand
from sqlagent.catalog.keys import catalog_key
from sqlagent.catalog.semantics import Field, Model, Unapplied, corrected, derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.values import Catalog, ColumnRef

KEPT = 8
# Different texts of a column whose labels can be given one by one.
CODES = 60


@dataclass(frozen=True, slots=True)
class SeenModel:
    """A source's model: as `derived`, as in force (`model`), and corrections that do nothing now.

    `is_partial` where the source is too large for a page, and some of its tables are left out; `knows_values` where its
    stored values were read and are at hand.
    """

    catalog: Catalog
    derived: Model
    model: Model
    unapplied: tuple[Unapplied, ...]
    index: ValueIndex | None
    is_partial: bool = False

    @property
    def knows_values(self) -> bool:
        """Whether stored values went into it."""
        return self.index is not None

    def codes(self, table: str, column: str) -> tuple[str, ...]:
        """The different stored values of a column that may be codes; empty where they are too many, or not known."""
        own = self.derived.field(table, column)
        if own is None:
            return ()
        stored = self.index.texts_of(ColumnRef(table, own.column)) if self.index is not None else []
        stored = stored or _whole_numbers(own)
        now = self.model.field(table, column)
        given = now.labels if now is not None else ()
        found = [
            *dict(own.code_labels),
            *(stored if len(stored) <= CODES else ()),
            *dict(given),
        ]
        return tuple(dict.fromkeys(found))[:CODES]


def _whole_numbers(own: Field) -> list[str]:
    """The whole numbers that a column of few may hold: from its least to its greatest."""
    try:
        low, high = int(own.low), int(own.high)
    except ValueError:
        return []
    return [str(n) for n in range(low, high + 1)] if own.is_whole and own.few and high - low < CODES else []


_Parts = tuple[ValueIndex | None, Model]
_derived: Recent[Hashable, _Parts] = Recent(KEPT)


def source_model(source: Source) -> SeenModel | None:
    """Give the model of a source; None where its tables were never read."""
    catalog, index = source_at_hand(source)
    if catalog is None:
        return None
    bare = replace(catalog, corrections=())
    derived = _kept(source, bare, index)
    # Keys decide the kind of a table, so with other keys the model is derived anew.
    told = _kept(source, catalog, index) if catalog.corrections else derived
    model, unapplied = corrected(told, catalog.corrections)
    names = {
        (f"{t['schema']}." if t["schema"] else "") + t["name"]
        for t in (source.catalog or {}).get("tables", ())
    }
    is_partial = catalog.version != source.catalog_version
    if is_partial:  # a table that is left out of the page is there all the same
        unapplied = tuple(
            one
            for one in unapplied
            if one.correction.table in derived.things or one.correction.table not in names
        )
    return SeenModel(catalog, derived, model, unapplied, index, is_partial)


def _kept(source: Source, catalog: Catalog, index: ValueIndex | None) -> Model:
    key = (source.pk, catalog_key(catalog), id(index))
    return _derived.get(key, lambda: (index, derive(catalog, index)))[1]
