"""A model with what the owner of its source said of it, and what of that could not be applied.

Decides what each correction does to a model. Which may be made is `refusing`'s business; what is hidden from the makers that
read catalogs is `hiding`'s. Relations that were told or denied are in a model from the start (`relating`), since what a table
is follows from them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics.values import Field, History, Model, Role, Thing
from sqlagent.language.words import fold, stem
from sqlagent.values import Correction, Corrections, Subject, calendar_of

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Unapplied:
    """A correction that does nothing now, and why, as a sentence."""

    correction: Correction
    why: str


def corrected(model: Model, corrections: Corrections) -> tuple[Model, tuple[Unapplied, ...]]:
    """Give the model as its owner says it is, and the corrections that name what is not there.

    `model` is derived from the whole catalog. Hidden tables and columns are gone from it, and so is what led through them.

    Example:
        >>> from sqlagent.catalog.semantics import derive
        >>> from sqlagent.values import Catalog, Column, Table
        >>> from sqlagent.values import Kind as Cells
        >>> table = Table("t1", (Column("amount", kind=Cells.NUMBER),))
        >>> said = (Correction(Subject.NAME, "t1", told="Order"), Correction(Subject.UNIT, "t1", "weight", told="count"))
        >>> model, left = corrected(derive(Catalog("sqlite", (table,))), said)
        >>> model.things["t1"].said, [one.why for one in left]
        ('order', ['There is no column weight in t1.'])
    """
    things = dict(model.things)
    fields = {key: {f.column.lower(): f for f in some} for key, some in model.fields.items()}
    left: list[Unapplied] = []
    for one in corrections:
        if why := absent(model, one):
            left.append(Unapplied(one, why))
        elif one.table and one.column:
            own = fields[one.table]
            low = one.column.lower()
            own[low] = _FIELD.get(one.subject, _as_is)(own[low], one)
        elif one.table:
            things[one.table] = _THING.get(one.subject, _as_it_is)(things[one.table], one)
    made = replace(
        model,
        things=things,
        fields={key: tuple(some.values()) for key, some in fields.items()},
        calendar=calendar_of(corrections),
    )
    return _without_hidden(made, corrections), tuple(left)


def absent(model: Model, one: Correction) -> str:
    """Say why a correction has nothing to apply to; empty when it has. `model` is the one derived from the whole catalog."""
    if not one.table:
        return ""
    named = [(one.table, one.column)]
    if one.subject is Subject.TIME:
        named = [(one.table, one.told)]
    elif one.subject is Subject.POINTS:
        named.append((one.value, one.told))
    elif one.subject is Subject.NOT_POINTS:
        named.append((one.value, ""))
    for table, column in named:
        if table not in model.things:
            return f"There is no table {table}."
        if column and model.field(table, column) is None:
            return f"There is no column {column} in {table}."
    time = model.field(one.table, one.told) if one.subject is Subject.TIME else None
    if time is not None and time.role is not Role.TIME:
        return f"The column {one.told} of {one.table} holds no time."
    own = model.field(one.table, one.column)
    if one.subject in (Subject.AGGREGATE, Subject.ROLE) and own is not None and not own.is_number:
        return f"The column {one.column} of {one.table} holds no numbers."
    return ""


def words_of(text: str) -> tuple[str, ...]:
    """The stems of a name that somebody typed, in order.

    Example:
        >>> words_of("Net Sales"), words_of("order-lines")
        (('net', 'sale'), ('order', 'line'))
    """
    return tuple(stem(word) for word in _WORD.findall(fold(text)))


def _said(text: str) -> str:
    return " ".join(_WORD.findall(fold(text)))


# ---------------------------------------------------------------- of a table


def _as_it_is(thing: Thing, one: Correction) -> Thing:
    return thing


def _named(thing: Thing, one: Correction) -> Thing:
    return replace(thing, noun=words_of(one.told), said=_said(one.told))


def _known_as(thing: Thing, one: Correction) -> Thing:
    return replace(thing, also=(*thing.also, _said(one.value)))


def _at(thing: Thing, one: Correction) -> Thing:
    """A default time that was told leaves no other one meant nearly as well."""
    return replace(thing, default_time=one.told, other_time="")


_THING: dict[Subject, Callable[[Thing, Correction], Thing]] = {
    Subject.NAME: _named,
    Subject.SYNONYM: _known_as,
    Subject.TIME: _at,
}

# ---------------------------------------------------------------- of a column


def _as_is(field: Field, one: Correction) -> Field:
    return field


def _called(field: Field, one: Correction) -> Field:
    return replace(field, words=words_of(one.told), said=_said(one.told))


def _also_called(field: Field, one: Correction) -> Field:
    return replace(field, also=(*field.also, _said(one.value)))


def _used_as(field: Field, one: Correction) -> Field:
    if one.told not in Role._value2member_map_:
        return field
    role = Role(one.told)
    if role is not Role.MEASURE:
        return replace(field, role=role, aggregate="", unit="", few=field.few or role is Role.DIMENSION)
    return replace(field, role=role, aggregate=field.aggregate or "sum")


def _summed_by(field: Field, one: Correction) -> Field:
    return replace(field, aggregate=one.told) if field.role is Role.MEASURE else field


def _counted_in(field: Field, one: Correction) -> Field:
    return replace(field, unit="" if one.told == "none" else one.told)


def _labelled(field: Field, one: Correction) -> Field:
    """A code under its own label; a number with labels sorts rows into kinds, and is never summed up."""
    labels = (*((c, text) for c, text in field.labels if c != one.value), (one.value, one.told))
    codes = field.codes
    if codes is not None:
        pairs = tuple((code, one.told if code == one.value else text) for code, text in codes.pairs)
        codes = replace(codes, pairs=pairs)
    sorts = field.role in (Role.MEASURE, Role.TEXT)
    if sorts:
        return replace(
            field, role=Role.DIMENSION, aggregate="", unit="", few=True, codes=codes, labels=labels
        )
    return replace(field, codes=codes, labels=labels)


_FIELD: dict[Subject, Callable[[Field, Correction], Field]] = {
    Subject.NAME: _called,
    Subject.SYNONYM: _also_called,
    Subject.ROLE: _used_as,
    Subject.AGGREGATE: _summed_by,
    Subject.UNIT: _counted_in,
    Subject.LABEL: _labelled,
}

# ---------------------------------------------------------------- hidden


def _without_hidden(model: Model, corrections: Corrections) -> Model:
    hidden = {(c.table, c.column.lower()) for c in corrections if c.subject is Subject.HIDDEN}
    if not hidden:
        return model
    tables = {table for table, column in hidden if not column}

    def is_gone(table: str, column: str) -> bool:
        return table in tables or (table, column.lower()) in hidden

    def kept(table: str, column: str) -> str:
        return "" if is_gone(table, column) else column

    def held(thing: Thing) -> History | None:
        """The history of a thing, without figures that are hidden; None where a column that says when or of what is."""
        history, t = thing.history, thing.table
        if history is None or any(is_gone(t, c) for c in (history.begins, *history.of)):
            return None
        figures = tuple(c for c in history.figures if not is_gone(t, c))
        return replace(history, ends=kept(t, history.ends), figures=figures) if figures else None

    def shown(thing: Thing) -> Thing:
        t = thing.table
        return replace(
            thing,
            key=() if any(is_gone(t, c) for c in thing.key) else thing.key,
            display=tuple(c for c in thing.display if not is_gone(t, c)),
            default_time=kept(t, thing.default_time) or kept(t, thing.other_time),
            clock=kept(t, thing.clock),
            other_time=kept(t, thing.other_time) if kept(t, thing.default_time) else "",
            begins=kept(t, thing.begins),
            ends=kept(t, thing.ends),
            state=kept(t, thing.state),
            history=held(thing),
        )

    fields = {
        key: tuple(
            replace(f, codes=None) if f.codes is not None and is_gone(f.codes.table, f.codes.label_column) else f
            for f in some
            if not is_gone(key, f.column)
        )
        for key, some in model.fields.items()
        if key not in tables
    }  # fmt: skip
    relations = tuple(
        r
        for r in model.relations
        if not any(is_gone(r.source, c) for c in r.columns)
        and not any(is_gone(r.target, c) for c in r.referenced)
    )
    things = {key: shown(thing) for key, thing in model.things.items() if key in fields and fields[key]}
    fields = {key: some for key, some in fields.items() if key in things}
    relations = tuple(r for r in relations if r.source in things and r.target in things)
    return replace(model, things=things, fields=fields, relations=relations)
