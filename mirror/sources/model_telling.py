"""A source's model in plain words and plain data, as its pages show it: what is in force, and what was derived where that differs."""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext_lazy, pgettext_lazy

from mirror.phrases import joined, one_line, quoted
from mirror.sources.modelling import SeenModel
from mirror.stored_words import translated
from sqlagent.catalog.semantics import Field, Form, Kind, Model, Relation, Role, Thing
from sqlagent.catalog.semantics.refusing import AGGREGATES
from sqlagent.values import Correction, Corrections, Subject

KINDS = {
    Kind.THING: gettext_noop("thing"),
    Kind.EVENT: gettext_noop("event"),
    Kind.LINES: gettext_noop("lines of something"),
    Kind.HISTORY: gettext_noop("how things changed"),
    Kind.DATES: gettext_noop("dates"),
    Kind.CODES: gettext_noop("codes and their labels"),
}
# Counts of each table, in the order in which they are said.
COUNTED = {
    Role.MEASURE: ngettext_lazy("%(count)s measure", "%(count)s measures", "count"),
    Role.DIMENSION: ngettext_lazy("%(count)s dimension", "%(count)s dimensions", "count"),
    Role.TIME: ngettext_lazy("%(count)s time", "%(count)s times", "count"),
    Role.FLAG: ngettext_lazy("%(count)s yes or no", "%(count)s yes or no", "count"),
}
# Words of `sqlagent` for what a column is and how it is summed up: here for the catalogs of translations.
_WORDS = (
    gettext_noop("a measure"),
    gettext_noop("something to group by"),
    gettext_noop("a number that only tells rows apart"),
    gettext_noop("added up"),
    gettext_noop("averaged"),
    gettext_noop("its median"),
    gettext_noop("its least"),
    gettext_noop("its greatest"),
)
# Units of numbers, and how a column writes a time down.
UNITS = {
    "money": pgettext_lazy("unit", "money"),
    "count": pgettext_lazy("unit", "count"),
    "percent": pgettext_lazy("unit", "percent"),
    "seconds": pgettext_lazy("unit", "seconds"),
    "minutes": pgettext_lazy("unit", "minutes"),
    "hours": pgettext_lazy("unit", "hours"),
    "days": pgettext_lazy("unit", "days"),
    "weeks": pgettext_lazy("unit", "weeks"),
}
FORMS = {
    Form.DAY: pgettext_lazy("form of a time", "day"),
    Form.MOMENT: pgettext_lazy("form of a time", "moment"),
    Form.TEXT_DAY: pgettext_lazy("form of a time", "text day"),
    Form.TEXT_MOMENT: pgettext_lazy("form of a time", "text moment"),
    Form.TEXT_MONTH: pgettext_lazy("form of a time", "text month"),
    Form.NUMBER_DAY: pgettext_lazy("form of a time", "number day"),
    Form.TEXT_NUMBER_DAY: pgettext_lazy("form of a time", "text number day"),
    Form.NUMBER_MONTH: pgettext_lazy("form of a time", "number month"),
    Form.SECONDS: pgettext_lazy("form of a time", "seconds"),
    Form.MILLISECONDS: pgettext_lazy("form of a time", "milliseconds"),
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


def unit_said(unit: str) -> str:
    """A unit in the language of the reader; one that somebody wrote stays as it is.

    Example:
        >>> unit_said("money"), unit_said("EUR")
        ('money', 'EUR')
    """
    return str(UNITS.get(unit, unit))


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
                key, known.said, known.also, _(KINDS[known.kind]), _holds(fields), now is None, corrected.get(key, 0)
            )
        )  # fmt: skip
    return out


def _holds(fields: tuple[Field, ...]) -> str:
    parts = []
    for role, words in COUNTED.items():
        if count := sum(f.role is role for f in fields):
            parts.append(str(words % {"count": count}))
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
        _kind(seen.model if now is not None else seen.derived, known),
        known.rows,
        ", ".join(known.display),
        known.default_time,
        (thing.default_time or _("none")) if known.default_time != thing.default_time else "",
        known.other_time,
        _between(known),
        known.state,
        now is None,
        [_column(seen, own, may_see_values) for own in seen.derived.fields[key]],
        _relations(seen, key),
    )


def _kind(model: Model, thing: Thing) -> str:
    """The kind of a table's rows; of a history also whose figures they keep."""
    history = thing.history
    kind = _(KINDS[thing.kind])
    if history is None:
        return kind
    figures = joined(
        [f.said for name in history.figures if (f := model.field(thing.table, name)) is not None]
    )
    pointing = {c: r.target for r in model.relations if r.source == thing.table for c in r.columns}
    things = joined(
        list(dict.fromkeys(model.things[pointing[name]].said for name in history.of if name in pointing))
    )
    if not things:
        return _("%(kind)s: %(figures)s, as of a day") % {"kind": kind, "figures": figures}
    return _("%(kind)s: %(figures)s of %(things)s, as of a day") % {
        "kind": kind,
        "figures": figures,
        "things": things,
    }


def _between(thing: Thing) -> str:
    """Between which columns a row is current, and whether it is on the last day."""
    history = thing.history
    if history is None:
        named = {"begins": thing.begins, "ends": thing.ends}
        return _("%(begins)s and %(ends)s") % named if thing.begins and thing.ends else ""
    named = {"begins": history.begins, "ends": history.ends}
    if not history.ends:
        return _("%(begins)s and the next row's") % named
    if history.is_last_day is None:
        return _("%(begins)s and %(ends)s") % named
    if history.is_last_day:
        return _("%(begins)s and %(ends)s, that day included") % named
    return _("%(begins)s and %(ends)s, that day not included") % named


def column_told(seen: SeenModel, key: str, column: str, *, may_see_values: bool) -> ColumnLine | None:
    """Tell one column; None where there is none of that name."""
    own = seen.derived.field(key, column)
    return _column(seen, own, may_see_values) if own is not None else None


def _column(seen: SeenModel, own: Field, may_see_values: bool) -> ColumnLine:
    now = seen.model.field(own.table, own.column)
    known = now or own
    use, derived = _use(seen.model, known), _use(seen.derived, own)
    said = [quoted(own.said)] if known.said != own.said else []
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
    """The purpose of a column, in words."""
    if own.role is Role.MEASURE:
        said = {
            "aggregate": translated(AGGREGATES.get(own.aggregate, own.aggregate)),
            "unit": unit_said(own.unit or ""),
        }
        if own.unit == "count":
            return _("measure, %(aggregate)s, a count") % said
        return (
            _("measure, %(aggregate)s, in %(unit)s") % said
            if own.unit
            else _("measure, %(aggregate)s") % said
        )
    if own.role is Role.FOREIGN:
        to = next((r for r in model.relations if r.source == own.table and own.column in r.columns), None)
        return _("points at %(target)s") % {"target": to.target} if to is not None else _("points elsewhere")
    said = {
        Role.KEY: _("tells rows apart"),
        Role.DIMENSION: _("to group by"),
        Role.TIME: _("time (%(form)s)") % {"form": FORMS.get(own.form, own.form)}
        if own.form is not None
        else _("time"),
        Role.FLAG: _("yes or no"),
        Role.TEXT: _("text"),
    }
    return said.get(own.role, str(own.role))


def _relations(seen: SeenModel, key: str) -> list[RelationLine]:
    told = {(c.column.lower(), c.value) for c in seen.catalog.corrections if c.subject is Subject.POINTS and c.table == key}  # fmt: skip
    out = [
        replace(_relation(r), how=_("told here"))
        if (r.columns[0].lower(), r.target) in told
        else _relation(r)
        for r in seen.model.relations
        if r.source == key
    ]
    now = {(r.columns, r.target) for r in seen.model.relations if r.source == key}
    gone = [r for r in seen.derived.relations if r.source == key and (r.columns, r.target) not in now]
    return out + [replace(_relation(r), is_denied=True) for r in gone]


def _relation(one: Relation) -> RelationLine:
    how = _("found by its values") if one.found else _("declared in the database")
    return RelationLine(", ".join(one.columns), one.target, ", ".join(one.referenced), how)


def told_words(one: Correction, *, may_see_values: bool = True) -> str:
    """The text of a correction, as a line of a list; without stored values where they may not be seen.

    Example:
        >>> told_words(Correction(Subject.SYNONYM, "customers", value="client"))
        'is also called “client”'
    """
    one = replace(one, value=one_line(one.value), told=one_line(one.told))
    said = {"value": one.value, "told": one.told}
    match one.subject:
        case Subject.NAME:
            return _("is called “%(told)s”") % said
        case Subject.SYNONYM:
            return _("is also called “%(value)s”") % said
        case Subject.DESCRIPTION:
            return _("is described as “%(told)s”") % said
        case Subject.HIDDEN:
            return _("is never used")
        case Subject.TIME:
            return _("happens at %(told)s") % said
        case Subject.ROLE:
            return _("is a measure") if one.told == Role.MEASURE else _("is no measure")
        case Subject.AGGREGATE:
            return _("is %(aggregate)s") % {"aggregate": translated(AGGREGATES.get(one.told, one.told))}
        case Subject.UNIT:
            return {"none": _("has no unit"), "count": _("is a count")}.get(
                one.told, _("is in %(told)s") % {"told": unit_said(one.told)}
            )
        case Subject.LABEL:
            return (
                _("%(value)s is called “%(told)s”") % said
                if may_see_values
                else _("has a label for a stored value")
            )
        case Subject.POINTS:
            return _("points at %(target)s") % {"target": f"{one.value}.{one.told}"}
        case Subject.NOT_POINTS:
            return _("does not point at %(value)s") % said
        case _:
            return f"{_(CALENDAR_WORDS[one.subject])}: {calendar_word(one)}"


CALENDAR_WORDS = {
    Subject.ZONE: gettext_noop("time zone"),
    Subject.WEEK: gettext_noop("first day of the week"),
    Subject.YEAR: gettext_noop("start of the fiscal year"),
    Subject.YEAR_NAME: gettext_noop("a fiscal year is called after the year"),
    Subject.TODAY: gettext_noop("today"),
}
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")  # fmt: skip
TODAYS = {
    "": gettext_noop("the clock, or the last day with data where that is more than two months ago"),
    "clock": gettext_noop("the clock"),
    "data": gettext_noop("the last day with data"),
}


def calendar_word(one: Correction) -> str:
    """The value of a calendar's part in words."""
    if one.subject is Subject.YEAR and one.told.isdecimal() and 1 <= int(one.told) <= 12:
        return _(MONTHS[int(one.told) - 1])
    if one.subject is Subject.YEAR_NAME:
        return _("it begins in") if one.told == "begins" else _("it ends in")
    if one.subject is Subject.TODAY:
        return translated(TODAYS.get(one.told, one.told))
    return one.told.replace("_", " ") if one.subject is Subject.ZONE else _(one.told.capitalize())


def calendar_lines(corrections: Corrections) -> list[tuple[str, str]]:
    """How the source counts days, with the usual where nothing was said."""
    told = {c.subject: calendar_word(c) for c in corrections if c.subject in CALENDAR_WORDS}
    usual = {
        Subject.ZONE: _("that of Mirror"),
        Subject.WEEK: _("Monday"),
        Subject.YEAR: _("January"),
        Subject.TODAY: _(TODAYS[""]),
    }
    lines = [(capfirst(_(CALENDAR_WORDS[s])), told.get(s, word)) for s, word in usual.items()]
    if told.get(Subject.YEAR, usual[Subject.YEAR]) != usual[Subject.YEAR]:
        lines.insert(
            3, (capfirst(_(CALENDAR_WORDS[Subject.YEAR_NAME])), told.get(Subject.YEAR_NAME, _("it ends in")))
        )
    return lines
