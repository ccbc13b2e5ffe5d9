"""A source's model in plain words and plain data, as its pages show it: what is in force, and what was derived where that differs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mirror.phrases import one_line
from mirror.sources.modelling import SeenModel
from sqlagent.catalog.semantics import Field, Kind, Model, Relation, Role
from sqlagent.catalog.semantics.refusing import AGGREGATES
from sqlagent.values import Correction, Corrections, Subject

KINDS = {
    Kind.THING: "thing",
    Kind.EVENT: "event",
    Kind.LINES: "lines of something",
    Kind.HISTORY: "how things changed",
    Kind.DATES: "dates",
    Kind.CODES: "codes and their labels",
}
# What is counted of each table, in the order it is said.
COUNTED = {
    Role.MEASURE: ("measure", "measures"),
    Role.DIMENSION: ("dimension", "dimensions"),
    Role.TIME: ("time", "times"),
    Role.FLAG: ("yes or no", "yes or no"),
}
# Labels of codes that are shown beside a column.
LABELS = 12


@dataclass(frozen=True, slots=True)
class TableLine:
    """One table in the list: its words, what it is, what it holds."""

    key: str
    said: str
    also: tuple[str, ...]
    kind: str
    holds: str
    is_hidden: bool
    corrected: int


@dataclass(frozen=True, slots=True)
class ColumnLine:
    """One column: its words and its use, and what was derived of it where somebody said otherwise."""

    name: str
    said: str
    also: tuple[str, ...]
    use: str
    derived: str
    codes: tuple[tuple[str, str], ...]
    more_codes: int
    is_hidden: bool
    is_corrected: bool


@dataclass(frozen=True, slots=True)
class RelationLine:
    """Where columns point, and how that is known."""

    columns: str
    target: str
    referenced: str
    how: str
    is_denied: bool = False


@dataclass(frozen=True, slots=True)
class TableTold:
    """One table with all that is known of it. `derived_...` are empty where nobody said otherwise."""

    key: str
    said: str
    derived_said: str
    also: tuple[str, ...]
    kind: str
    rows: int
    display: str
    time: str
    derived_time: str
    other_time: str
    between: str
    state: str
    is_hidden: bool
    columns: list[ColumnLine]
    relations: list[RelationLine]


def table_lines(seen: SeenModel, search: str) -> list[TableLine]:
    """List the tables in which all words of a search are found: in its name, its words, or those of its columns."""
    words = search.casefold().split()
    corrected: dict[str, int] = {}
    for one in seen.catalog.corrections:
        corrected[one.table] = corrected.get(one.table, 0) + 1
    out = []
    for key, thing in seen.derived.things.items():
        now = seen.model.things.get(key)
        known = now or thing
        fields = seen.model.fields.get(key, seen.derived.fields[key])
        if words:
            text = " ".join(
                [key, known.said, *known.also, *(f"{f.column} {f.said} {' '.join(f.also)}" for f in fields)]
            )
            if not all(word in text.casefold() for word in words):
                continue
        out.append(
            TableLine(
                key, known.said, known.also, KINDS[known.kind], _holds(fields), now is None, corrected.get(key, 0)
            )
        )  # fmt: skip
    return out


def _holds(fields: tuple[Field, ...]) -> str:
    parts = []
    for role, (one, many) in COUNTED.items():
        if count := sum(f.role is role for f in fields):
            parts.append(f"{count} {one if count == 1 else many}")
    return ", ".join(parts)


def table_told(seen: SeenModel, key: str, *, may_see_values: bool) -> TableTold | None:
    """Tell one table; None where there is none of that name."""
    thing = seen.derived.things.get(key)
    if thing is None:
        return None
    now = seen.model.things.get(key)
    known = now or thing
    return TableTold(
        key,
        known.said,
        thing.said if known.said != thing.said else "",
        known.also,
        KINDS[known.kind],
        known.rows,
        ", ".join(known.display),
        known.default_time,
        (thing.default_time or "none") if known.default_time != thing.default_time else "",
        known.other_time,
        f"{known.begins} and {known.ends}" if known.begins and known.ends else "",
        known.state,
        now is None,
        [_column(seen, own, may_see_values) for own in seen.derived.fields[key]],
        _relations(seen, key),
    )


def column_told(seen: SeenModel, key: str, column: str, *, may_see_values: bool) -> ColumnLine | None:
    """Tell one column; None where there is none of that name."""
    own = seen.derived.field(key, column)
    return _column(seen, own, may_see_values) if own is not None else None


def _column(seen: SeenModel, own: Field, may_see_values: bool) -> ColumnLine:
    now = seen.model.field(own.table, own.column)
    known = now or own
    use, derived = _use(seen.model, known), _use(seen.derived, own)
    said = [f"“{own.said}”"] if known.said != own.said else []
    said += [derived] if use != derived else []
    pairs = known.codes.pairs if known.codes is not None else known.labels
    is_corrected = any(
        c.table == own.table and c.column.lower() == own.column.lower() for c in seen.catalog.corrections
    )
    return ColumnLine(
        own.column,
        known.said,
        known.also,
        use,
        ", ".join(said),
        pairs[:LABELS] if may_see_values else (),
        max(0, len(pairs) - LABELS) if may_see_values else len(pairs),
        now is None,
        is_corrected,
    )


def _use(model: Model, own: Field) -> str:
    """What a column is for, in words."""
    if own.role is Role.MEASURE:
        unit = ", a count" if own.unit == "count" else f", in {own.unit}" if own.unit else ""
        return f"measure, {AGGREGATES.get(own.aggregate, own.aggregate)}{unit}"
    if own.role is Role.FOREIGN:
        to = next((r for r in model.relations if r.source == own.table and own.column in r.columns), None)
        return f"points at {to.target}" if to is not None else "points elsewhere"
    said = {
        Role.KEY: "tells rows apart",
        Role.DIMENSION: "to group by",
        Role.TIME: f"time ({own.form})" if own.form is not None else "time",
        Role.FLAG: "yes or no",
        Role.TEXT: "text",
    }
    return said.get(own.role, str(own.role))


def _relations(seen: SeenModel, key: str) -> list[RelationLine]:
    told = {(c.column.lower(), c.value) for c in seen.catalog.corrections if c.subject is Subject.POINTS and c.table == key}  # fmt: skip
    out = [
        replace(_relation(r), how="told here") if (r.columns[0].lower(), r.target) in told else _relation(r)
        for r in seen.model.relations
        if r.source == key
    ]
    now = {(r.columns, r.target) for r in seen.model.relations if r.source == key}
    gone = [r for r in seen.derived.relations if r.source == key and (r.columns, r.target) not in now]
    return out + [replace(_relation(r), is_denied=True) for r in gone]


def _relation(one: Relation) -> RelationLine:
    how = "found by its values" if one.found else "declared in the database"
    return RelationLine(", ".join(one.columns), one.target, ", ".join(one.referenced), how)


def told_words(one: Correction, *, may_see_values: bool = True) -> str:
    """What a correction says, as a line of a list; without stored values where they may not be seen.

    Example:
        >>> told_words(Correction(Subject.SYNONYM, "customers", value="client"))
        'is also called “client”'
    """
    one = replace(one, value=one_line(one.value), told=one_line(one.told))
    match one.subject:
        case Subject.NAME:
            return f"is called “{one.told}”"
        case Subject.SYNONYM:
            return f"is also called “{one.value}”"
        case Subject.DESCRIPTION:
            return f"is described as “{one.told}”"
        case Subject.HIDDEN:
            return "is never used"
        case Subject.TIME:
            return f"happens at {one.told}"
        case Subject.ROLE:
            return "is a measure" if one.told == Role.MEASURE else "is no measure"
        case Subject.AGGREGATE:
            return f"is {AGGREGATES.get(one.told, one.told)}"
        case Subject.UNIT:
            return {"none": "has no unit", "count": "is a count"}.get(one.told, f"is in {one.told}")
        case Subject.LABEL:
            return (
                f"{one.value} is called “{one.told}”" if may_see_values else "has a label for a stored value"
            )
        case Subject.POINTS:
            return f"points at {one.value}.{one.told}"
        case Subject.NOT_POINTS:
            return f"does not point at {one.value}"
        case _:
            return f"{CALENDAR_WORDS[one.subject]}: {calendar_word(one)}"


CALENDAR_WORDS = {
    Subject.ZONE: "time zone",
    Subject.WEEK: "first day of the week",
    Subject.YEAR: "start of the fiscal year",
    Subject.YEAR_NAME: "a fiscal year is called after the year",
    Subject.TODAY: "today",
}
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip
TODAYS = {
    "": "the clock, or the last day with data where that is more than two months ago",
    "clock": "the clock",
    "data": "the last day with data",
}


def calendar_word(one: Correction) -> str:
    """The value of a calendar's part in words."""
    if one.subject is Subject.YEAR and one.told.isdecimal() and 1 <= int(one.told) <= 12:
        return MONTHS[int(one.told) - 1]
    if one.subject is Subject.YEAR_NAME:
        return "it begins in" if one.told == "begins" else "it ends in"
    if one.subject is Subject.TODAY:
        return TODAYS.get(one.told, one.told)
    return one.told.replace("_", " ") if one.subject is Subject.ZONE else one.told.capitalize()


def calendar_lines(corrections: Corrections) -> list[tuple[str, str]]:
    """How the source counts days, with the usual where nothing was said."""
    told = {c.subject: calendar_word(c) for c in corrections if c.subject in CALENDAR_WORDS}
    usual = {
        Subject.ZONE: "that of Mirror",
        Subject.WEEK: "Monday",
        Subject.YEAR: "January",
        Subject.TODAY: TODAYS[""],
    }
    lines = [(CALENDAR_WORDS[s].capitalize(), told.get(s, word)) for s, word in usual.items()]
    if told.get(Subject.YEAR, "January") != "January":
        lines.insert(3, ("A fiscal year is called after the year", told.get(Subject.YEAR_NAME, "it ends in")))
    return lines
