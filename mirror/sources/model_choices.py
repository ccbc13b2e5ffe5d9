"""Choices about a source, a table and a column: the options of a form, and the corrections that a choice means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from mirror.sources.model_telling import MONTHS, TODAYS, unit_said
from mirror.sources.modelling import SeenModel
from sqlagent.catalog.semantics import Field, Model, Role, corrected
from sqlagent.catalog.semantics.refusing import AGGREGATES, ROLES, UNITS
from sqlagent.values import WEEK_STARTS, Correction, Corrections, Subject

Options = Sequence[tuple[str, str]]

# Fields of forms whose names differ from what they are about.
SUBJECTS = {
    "synonyms": (Subject.SYNONYM,),
    "points": (Subject.POINTS, Subject.NOT_POINTS),
    "year_name": (Subject.YEAR_NAME,),
    "labels": (Subject.LABEL,),
}
NOWHERE = "none"
DESCRIPTION_CHARS = 400
"""Characters of a description, as many as a correction holds."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of a form. Of each field: what is in force (`now`), what was derived (`usual`, as `derived` says it), its options.

    `refused` are fields that make no sense here, with the reason; `codes` are stored codes, with the labels that were
    derived (`labels`) and those given (`labels_now`).
    """

    offered: frozenset[str]
    now: Mapping[str, str | bool]
    usual: Mapping[str, str] = field(default_factory=dict)
    derived: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Options] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    codes: tuple[str, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    labels_now: Mapping[str, str] = field(default_factory=dict)

    @property
    def subjects(self) -> frozenset[Subject]:
        """Subjects that the form decides; corrections of other things stay as they are."""
        names = {*self.offered, *(["labels"] if self.codes else [])}
        return frozenset(s for name in names for s in SUBJECTS.get(name) or (Subject(name),))


@dataclass(frozen=True, slots=True)
class Wish:
    """One choice in a form, by the name of its field; `value` is the code of a label."""

    name: str
    value: str
    told: str


def wanted_of(wishes: Iterable[Wish], seen: SeenModel | None, table: str, column: str) -> list[Correction]:
    """The corrections that wishes mean; hidden columns come last, since nothing else is said of them."""
    out = []
    for wish in wishes:
        if wish.name == "points":
            out.append(_points(wish, seen, table, column))
        else:
            (subject,) = SUBJECTS.get(wish.name) or (Subject(wish.name),)
            out.append(Correction(subject, table, column, wish.value, wish.told))
    return sorted(out, key=lambda one: one.subject is Subject.HIDDEN)


def _points(wish: Wish, seen: SeenModel | None, table: str, column: str) -> Correction:
    if wish.told == NOWHERE:
        known = _pointing(seen.derived, table, column) if seen is not None else ""
        return Correction(Subject.NOT_POINTS, table, column, known.rpartition("|")[0])
    target, _, referenced = wish.told.rpartition("|")
    return Correction(Subject.POINTS, table, column, target, referenced)


def _pointing(model: Model, table: str, column: str) -> str:
    """Where a column points, as an option says it."""
    found = (r for r in model.relations if r.source == table and r.columns == (column,))
    return next((f"{r.target}|{r.referenced[0]}" for r in found), NOWHERE)


def calendar_choices(corrections: Corrections) -> Choices:
    """How days are counted."""
    told = {
        "year_name" if c.subject is Subject.YEAR_NAME else str(c.subject): c.told
        for c in corrections
        if not c.table
    }
    usual = {"week": "monday", "year": "1", "year_name": "ends"}
    return Choices(
        offered=frozenset({"zone", "week", "year", "year_name", "today"}),
        now={**usual, **told},
        usual=usual,
        options={
            "week": [(day, _(day.capitalize())) for day in WEEK_STARTS],
            "year": [(str(n), _(month)) for n, month in enumerate(MONTHS, 1)],
            "year_name": [("ends", _("it ends in")), ("begins", _("it begins in"))],
            "today": [(value, _(words)) for value, words in TODAYS.items()],
        },
    )


def table_choices(seen: SeenModel, table: str) -> Choices:
    """The choices about one table."""
    thing, now = seen.derived.things[table], _unhidden(seen).things[table]
    own = _of(seen, table)
    times = [f.column for f in seen.derived.fields[table] if f.role is Role.TIME]
    return Choices(
        offered=frozenset({"name", "synonyms", "description", "hidden", *(["time"] if times else [])}),
        now={"name": now.said, "description": _description(seen, table, own), "synonyms": _synonyms(own), "time": now.default_time, "hidden": _is_hidden(own)},
        usual={"name": thing.said, "time": thing.default_time, "description": _comment(seen, table)},
        derived={"name": thing.said, "time": thing.default_time or _("no time"), "description": _comment(seen, table)},
        options={"time": [*([] if thing.default_time else [("", _("no time"))]), *((t, t) for t in times)]},
    )  # fmt: skip


def column_choices(seen: SeenModel, table: str, column: str) -> Choices:
    """The choices about one column."""
    derived = seen.derived.field(table, column)
    now = _unhidden(seen).field(table, column)
    assert derived is not None and now is not None
    own = _of(seen, table, column)
    key = derived.column in seen.derived.things[table].key
    plain = derived.is_number and derived.role in (Role.MEASURE, Role.DIMENSION, Role.KEY) and not key
    points = _targets(seen, derived)
    options: dict[str, Options] = {
        "role": [(role, _(words)) for role, words in ROLES.items()],
        "aggregate": [("", _("not summed up")), *((str(a), _(words)) for a, words in AGGREGATES.items())],
        "unit": [(unit, _("no unit") if unit == "none" else unit_said(unit)) for unit in UNITS],
        "points": points,
    }
    usual = {
        "name": derived.said,
        "description": _comment(seen, table, derived.column),
        "role": str(derived.role),
        "aggregate": derived.aggregate,
        "unit": derived.unit or "none",
        "points": _pointing(seen.derived, table, derived.column),
    }
    why = _("The column %(column)s of %(table)s holds no numbers.") % {
        "column": derived.column,
        "table": table,
    }
    codes = seen.codes(table, derived.column) if not derived.is_number or now.role is Role.DIMENSION else ()
    return Choices(
        offered=frozenset({"name", "synonyms", "description", "hidden", *(["role", "aggregate", "unit"] if plain else []), *(["points"] if len(points) > 1 else [])}),
        now={
            "name": now.said, "synonyms": _synonyms(own), "description": _description(seen, table, own, derived.column), "role": str(now.role), "aggregate": now.aggregate,
            "unit": now.unit or "none", "points": _pointing(seen.model, table, derived.column), "hidden": _is_hidden(own),
        },
        usual=usual,
        derived={name: dict(options.get(name, ())).get(value, value) for name, value in usual.items()},
        options=options,
        refused={} if derived.is_number else dict.fromkeys(("role", "aggregate", "unit"), why),
        codes=codes if derived.role not in (Role.TIME, Role.FOREIGN, Role.FLAG) else (),
        labels=dict(derived.code_labels),
        labels_now={c.value: c.told for c in own if c.subject is Subject.LABEL},
    )  # fmt: skip


def _targets(seen: SeenModel, own: Field) -> Options:
    """Rows of other tables that a column may point at: keys of one column that hold the like."""
    now = _pointing(seen.derived, own.table, own.column)
    if own.column in seen.derived.things[own.table].key and now == NOWHERE:
        return []
    found = {}
    for table, thing in seen.derived.things.items():
        key = seen.derived.field(table, thing.key[0]) if len(thing.key) == 1 else None
        if (
            key is not None
            and key.is_number == own.is_number
            and (table, key.column) != (own.table, own.column)
        ):
            found[f"{table}|{key.column}"] = f"{table}.{key.column}"
    for place in (now, _pointing(seen.model, own.table, own.column)):
        if place != NOWHERE:
            found.setdefault(place, place.replace("|", "."))
    return [
        (NOWHERE, pgettext("where a column points", "nothing")),
        *sorted(found.items(), key=lambda one: one[1]),
    ]


def _unhidden(seen: SeenModel) -> Model:
    """The model in force with what is hidden still in it."""
    shown = tuple(c for c in seen.catalog.corrections if c.subject is not Subject.HIDDEN)
    return corrected(seen.derived, shown)[0]


def _of(seen: SeenModel, table: str, column: str = "") -> list[Correction]:
    low = column.lower()
    return [c for c in seen.catalog.corrections if c.table == table and c.column.lower() == low]


def _synonyms(own: Iterable[Correction]) -> str:
    return "\n".join(c.value for c in own if c.subject is Subject.SYNONYM)


def _description(seen: SeenModel, table: str, own: Iterable[Correction], column: str = "") -> str:
    """The description of a table or column now: its owner's, else the comment in the database."""
    said = [c.told for c in own if c.subject is Subject.DESCRIPTION]
    return said[-1] if said else _comment(seen, table, column)


def _comment(seen: SeenModel, table: str, column: str = "") -> str:
    """The comment in the database, as far as a field holds it."""
    found = next((t for t in seen.catalog.tables if t.key == table), None)
    own = found.column(column) if found is not None and column else None
    text = own.comment if own is not None else found.comment if found is not None and not column else ""
    return " ".join(text.split())[:DESCRIPTION_CHARS]


def _is_hidden(own: Iterable[Correction]) -> bool:
    return any(c.subject is Subject.HIDDEN for c in own)
