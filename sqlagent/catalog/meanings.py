"""Facts of the semantic model about tables and columns, written into their comments for a language model.

Decides which facts say more than the schema does: units, how a measure is summed up, formats of times, flags, codes,
the time and state of a table, keys that nobody declared. Facts from stored values follow the source's privacy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Field, Form, Kind, Model, Role, Thing
from sqlagent.values import Catalog, CodeLabel, Column, ColumnRef, ForeignKey, LinkedSchema, Table

CODES = 12
"""Codes whose labels are shown of one column; a longer list stands in its table."""

_COUNTS_ON = re.compile(
    r"(?:^|[_ ])(?:no|nr|num|number|line|rank|level|hour|day|week|month|quarter|year|of_\w+)$|(?<=[a-z])(?:Number|Hour|Week|Month|Quarter)$",
)
"""Names of numbers that tell which, not how many: an hour of the day, a line of an order."""

_FORMS = {
    Form.TEXT_DAY: "a day as text, YYYY-MM-DD",
    Form.TEXT_MOMENT: "a moment as text",
    Form.TEXT_MONTH: "a month as text, YYYY-MM",
    Form.NUMBER_DAY: "a day as a number, YYYYMMDD",
    Form.TEXT_NUMBER_DAY: "a day as text, YYYYMMDD",
    Form.NUMBER_MONTH: "a month as a number, YYYYMM",
    Form.SECONDS: "a moment in seconds since 1970",
    Form.MILLISECONDS: "a moment in milliseconds since 1970",
    Form.YEAR: "a year",
}


def with_meanings(linked: LinkedSchema, model: Model, privacy: str) -> LinkedSchema:
    """Add what `model` knows to the comments and keys of a linked schema; the same arguments give the same bytes.

    At level `schema` nothing is told that was read from rows but keys; `masked` adds formats, `rows` codes and flags.

    Example:
        >>> from sqlagent.catalog.semantics import derive
        >>> from sqlagent.values import Kind
        >>> cents = Column("amount_cents", "int", Kind.INTEGER)
        >>> catalog = Catalog("sqlite", (Table("sales", (Column("id"), cents), primary_key=("id",)),))
        >>> told = with_meanings(LinkedSchema(catalog, catalog), derive(catalog), "schema")
        >>> told.catalog.tables[0].columns[1].comment
        'money in cents, adds up'
    """

    def told(catalog: Catalog) -> Catalog:
        return replace(catalog, tables=tuple(_table(t, model, privacy) for t in catalog.tables))

    return replace(linked, catalog=told(linked.catalog), full=told(linked.full), codes=_labels(linked, model))


def _labels(linked: LinkedSchema, model: Model) -> tuple[CodeLabel, ...]:
    """List the codes of the columns of a linked schema with their labels."""
    return tuple(
        CodeLabel(
            ColumnRef(table.key, own.column),
            code,
            label,
            own.codes.table if own.codes else "",
        )
        for table in linked.catalog.tables
        for own in model.fields.get(table.key, ())
        for code, label in own.code_labels
    )


def _table(table: Table, model: Model, privacy: str) -> Table:
    thing = model.things.get(table.key)
    if thing is None:
        return table
    found = _found_keys(table, model)
    pointing = {c for key in found for c in key.columns}
    columns = []
    for column in table.columns:
        own = model.field(table.key, column.name)
        # which month a row of a calendar is, and which line of an order: nothing is measured there
        if own and own.role is Role.MEASURE and (thing.kind is Kind.DATES or _COUNTS_ON.search(column.name)):
            own = None
        notes = [column.comment, *_notes(column, own, model, privacy)]
        if column.name in pointing:
            notes.append("this key is not declared: found by names and values")
        columns.append(replace(column, comment="; ".join(n for n in notes if n)))
    return replace(
        table,
        columns=tuple(columns),
        foreign_keys=(*table.foreign_keys, *found),
        comment="; ".join(part for part in (table.comment, *_facts(thing)) if part),
    )


def _found_keys(table: Table, model: Model) -> tuple[ForeignKey, ...]:
    declared = {column.lower() for key in table.foreign_keys for column in key.columns}
    keys = []
    for relation in model.relations:
        if (
            not relation.found
            or relation.source != table.key
            or {c.lower() for c in relation.columns} & declared
        ):
            continue
        schema, _, name = relation.target.rpartition(".")
        keys.append(ForeignKey(relation.columns, name, relation.referenced, schema))
    return tuple(keys)


def _facts(thing: Thing) -> Iterator[str]:
    if thing.kind is Kind.DATES:
        yield "a calendar"
    if thing.kind is Kind.CODES:
        yield "lists of codes with their labels"
    if thing.begins and thing.ends:
        yield f"a row holds from {thing.begins} until {thing.ends}, and still where that is empty"
    elif thing.default_time and thing.kind in (Kind.EVENT, Kind.LINES, Kind.HISTORY):
        yield f"dated by {thing.default_time}"
    if thing.state:
        yield f"state in {thing.state}"


def _notes(column: Column, own: Field | None, model: Model, privacy: str) -> Iterator[str]:
    if own is None:
        return
    if own.role is Role.MEASURE and own.unit:
        yield ", ".join(part for part in (_unit(own, privacy), _summed(own)) if part)
    if own.role is Role.TIME and own.form is not None and privacy != "schema":
        yield _FORMS.get(own.form, "")
    if own.role is Role.FLAG:
        is_shown = privacy == "rows" and own.yes and own.no
        yield f"a flag: {own.yes} is yes, {own.no} is no" if is_shown else "a flag"
    yield _codes(own, model, privacy)


_MONEY = frozenset(
    (
        "amount", "price", "cost", "revenue", "salary", "fee", "spend", "spending", "budget", "tax", "profit", "income", "sales", "mrr",
        "arr", "refund", "payment", "wage", "commission", "rent", "fare", "earnings", "subtotal", "cent", "cents", "eur", "usd", "gbp",
    )
)  # fmt: skip
"""Words that mean money in a name. Others that often do (value, balance, total, due) are as often a figure of something else."""

_TIMES = ("seconds", "minutes", "hours", "days", "weeks")


def _unit(own: Field, privacy: str) -> str:
    if own.unit == "percent" and privacy != "schema" and own.low and own.high:
        return "a share from 0 to 1" if _within(own, 0, 1) else "in percent, 100 is the whole"
    said = {*own.words, *own.said.lower().split()}
    if own.unit in _TIMES and own.aggregate == "avg" and {"rate", "hourly", "daily"} & said:
        return ""  # "hours" of an hourly rate is what it is per, not what it is in
    if own.unit == "money":
        return "money in cents" if {"cent", "cents"} & said else "money" if _MONEY & said else ""
    if own.unit == "percent" and {"rating", "ratings"} & said:
        return ""
    return {"": "", "none": "", "percent": "a percentage or share", "count": "a count"}.get(
        own.unit, f"in {own.unit}"
    )


def _within(own: Field, low: float, high: float) -> bool:
    try:
        return low <= float(own.low) and float(own.high) <= high
    except ValueError:
        return False


def _summed(own: Field) -> str:
    return {"sum": "adds up", "avg": "is averaged, not added up"}.get(own.aggregate, "")


def _codes(own: Field, model: Model, privacy: str) -> str:
    pairs = own.code_labels
    if privacy == "rows" and 0 < len(pairs) <= CODES:
        return "codes: " + ", ".join(f"{code} = {label}" for code, label in pairs)
    if own.codes is not None and own.codes.table in model.things:
        return f"codes, with their labels in {own.codes.table}.{own.codes.label_column}"
    return ""
