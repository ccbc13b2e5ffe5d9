"""Which corrections of a model make sense, and why the others do not, in words fit to stand beside the field."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sqlagent.catalog.semantics.correcting import absent, words_of
from sqlagent.catalog.semantics.values import Field, Model, Role
from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.lexicon import words_of as words_in
from sqlagent.language.unseen import unseen
from sqlagent.language.words import fold
from sqlagent.values import Correction, Subject

AGGREGATES = {
    "sum": "added up",
    "avg": "averaged",
    "median": "its median",
    "min": "its least",
    "max": "its greatest",
}
"""How a measure may be summed up when nothing else is said."""

UNITS = ("money", "count", "percent", "seconds", "minutes", "hours", "days", "weeks", "none")
"""Units of a number; `none` is said of one that has no unit."""

ROLES = {
    Role.MEASURE: "a measure",
    Role.DIMENSION: "something to group by",
    Role.KEY: "a number that only tells rows apart",
}
"""Uses of a column of numbers."""

TODAYS = ("clock", "data")
NAME_CHARS, NAME_WORDS = 60, 4

_EMPTY = STOP_WORDS - {"return", "list", "display"}
_ASKING = words_in(
    "average avg mean median sum total count number max maximum min minimum top bottom first last highest lowest percent percentage "
    "day days week weeks month months quarter quarters year years today yesterday tomorrow before after since until without never except"
)
"""Words of asking that no other name may be; a column may bear one as its own name all the same."""

"""Categories of Unicode whose characters control a line, have no width, turn its direction or end it."""

_PLAIN = (Role.MEASURE, Role.DIMENSION, Role.KEY)


class Refusing:
    """Looks at corrections of one model, one after another.

    `derived` is the model without corrections, `model` the one with all that are in force or wanted with them. A
    correction is not held against itself. The names in force are looked up, so that many corrections cost little more
    than one.

    Example:
        >>> from sqlagent.catalog.semantics import derive
        >>> from sqlagent.values import Catalog, Column, Table
        >>> model = derive(Catalog("sqlite", (Table("orders", (Column("note"),)),)))
        >>> refusing = Refusing(model, model)
        >>> refusing.why(Correction(Subject.AGGREGATE, "orders", "note", told="sum"))
        'The column note of orders holds no numbers.'
        >>> refusing.why(Correction(Subject.SYNONYM, "orders", value="the"))
        '“the” says nothing by itself. Give a word that people call it by.'
    """

    def __init__(self, derived: Model, model: Model) -> None:
        self.derived, self.model = derived, model
        self._bearers: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        for table, column, words in _names(model):
            self._bearers[words].append((table, column))

    def why(self, one: Correction) -> str:
        """Say why a correction may not be made, as a sentence or two; empty when it may."""
        if why := absent(self.derived, one):
            return why
        own = self.derived.field(one.table, one.column) if one.column else None
        match one.subject:
            case Subject.NAME:
                return _unseen(one.told) or self._name_problem(one, one.told)
            case Subject.SYNONYM:
                return _unseen(one.value) or self._name_problem(one, one.value)
            case Subject.DESCRIPTION:
                return _unseen(one.told)
            case Subject.ROLE:
                return _role_problem(own, one)
            case Subject.AGGREGATE:
                return _aggregate_problem(self.model, one)
            case Subject.UNIT:
                if one.told not in UNITS:
                    return f"There is no unit “{one.told}” here. Choose one of {', '.join(UNITS)}."
                return (
                    "" if own is not None and own.is_number else f"The column {one.column} holds no numbers."
                )
            case Subject.LABEL:
                return _unseen(one.told) or _label_problem(one)
            case Subject.POINTS:
                return _key_problem(self.model, one)
            case _:
                return _calendar_problem(one)

    def _name_problem(self, one: Correction, text: str) -> str:
        words = words_of(text)
        if why := _word_problem(one, text, words):
            return why
        for table, column in self._bearers.get(words, ()):
            if (table, column.lower()) == (one.table, one.column.lower()):
                continue
            if not one.column and not column:
                return f"“{text}” is already what {table} is called. One word cannot mean both {table} and {one.table}."
            if one.column and not column:
                return f"“{text}” is already what the table {table} is called. One word cannot mean both {table} and {one.table}.{one.column}."
            if one.column and table == one.table:
                return f"“{text}” is already what the column {table}.{column} is called. One word cannot mean both {column} and {one.column}."
        return ""


def _unseen(text: str) -> str:
    """Say that a text holds a character that cannot be seen; empty when it holds none."""
    letter = unseen(text)
    return (
        f"This holds a character that cannot be seen ({letter}). Type it without that character."
        if letter
        else ""
    )


def _label_problem(one: Correction) -> str:
    if 1 <= len(one.told.strip()) <= NAME_CHARS:
        return ""
    return f"Give a label of 1 to {NAME_CHARS} characters."


def _role_problem(own: Field | None, one: Correction) -> str:
    if one.told not in ROLES:
        return f"A column of numbers is one of {', '.join(ROLES.values())}."
    if own is None or own.role not in _PLAIN:
        return f"The column {one.column} is a {own.role if own is not None else 'text'}; that follows from what it holds."
    return ""


def _aggregate_problem(model: Model, one: Correction) -> str:
    if one.told not in AGGREGATES:
        return f"Figures are {', '.join(AGGREGATES.values())}; there is no “{one.told}”."
    own = model.field(one.table, one.column)
    if own is None or own.role is not Role.MEASURE:
        return f"The column {one.column} is no measure, so nothing is summed up."
    return ""


def _key_problem(model: Model, one: Correction) -> str:
    own, there = model.field(one.table, one.column), model.field(one.value, one.told)
    if own is None or there is None:
        return "What is hidden cannot lead from one table to another."
    if (one.table, one.column) == (one.value, one.told):
        return "A column does not point at itself."
    if own.is_number != there.is_number:
        held = ["numbers" if f.is_number else "texts" for f in (own, there)]
        return f"{one.column} holds {held[0]} and {one.value}.{one.told} holds {held[1]}: they never match."
    thing = model.things[one.value]
    if thing.key and thing.key != (there.column,):
        return f"Rows of {one.value} are told apart by {', '.join(thing.key)}, so one has to point at that."
    return ""


def _calendar_problem(one: Correction) -> str:
    if one.subject is Subject.ZONE:
        try:
            ZoneInfo(one.told)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            return f"There is no time zone “{one.told}”. Names are like Europe/Oslo or UTC."
    if one.subject is Subject.TODAY and one.told not in TODAYS:
        return "Today is the clock's, or the last day with data."
    return ""


# ---------------------------------------------------------------- names


def _word_problem(one: Correction, text: str, words: tuple[str, ...]) -> str:
    """The problem of a name by itself."""
    if not words:
        return f"“{text}” holds no letter. Give a word that people call it by."
    if signs := [sign for sign in "<>" if sign in text]:
        return f"“{text[:NAME_CHARS]}” holds {' and '.join(signs)}, which nobody types in a question. Give the words alone."
    if len(text) > NAME_CHARS or len(words) > NAME_WORDS:
        return f"“{text[:NAME_CHARS]}” is too long. People call things by up to {NAME_WORDS} words."
    if len("".join(words)) < 2:
        beside = "" if text.strip().isalnum() else ": signs do not count"
        return f"“{text}” is one letter{beside}. Give a word that people call it by."
    low = fold(text).strip()
    if set(low.split()) <= _EMPTY:
        return f"“{text}” says nothing by itself. Give a word that people call it by."
    if low in _ASKING and one.subject is Subject.SYNONYM:
        return f"“{text}” is a word by which people ask, as in “how many” or “average”. Give another one."
    if all(word.isdecimal() for word in words):
        return f"“{text}” is a number. Give a word that people call it by."
    return ""


def _names(model: Model) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Every name in force: of a table, or of a column where there is one."""
    for table, thing in model.things.items():
        yield table, "", thing.noun
        for name in thing.also:
            yield table, "", words_of(name)
        for own in model.fields[table]:
            yield table, own.column, own.words
            for name in own.also:
                yield table, own.column, words_of(name)
