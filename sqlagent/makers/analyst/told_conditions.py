"""Conditions that a hint gives as ones of a frame: comparisons of columns, and those that somebody wrote in words.

Decides of which table's rows they hold: the one from which all of their columns are reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from sqlagent.catalog.hints.placing import place
from sqlagent.catalog.hints.terms import Meaning, Test, Way
from sqlagent.catalog.semantics import Field, Form, Kind, Role, Thing
from sqlagent.language.words import Token, plural_of, stem, tokenise
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.frames import Condition, Expr, Frame, Path, Slot
from sqlagent.makers.analyst.periods import Period
from sqlagent.makers.analyst.rivals import is_rival
from sqlagent.makers.analyst.source import Source
from sqlagent.values import ColumnRef

LONGEST = 160
"""Characters of a definition in words that is understood."""

TRIED = 24
"""Ways of saying a definition as a question that are tried for one clause."""

SURE = 0.4
"""Cost from which on words of a definition are not understood well enough."""

_DAYS = frozenset(
    {Form.DAY, Form.MOMENT, Form.TEXT_DAY, Form.TEXT_MOMENT, Form.NUMBER_DAY, Form.TEXT_NUMBER_DAY}
)
_SIGNS = {
    ">=": " at least ",
    "<=": " at most ",
    "<>": " not ",
    "!=": " not ",
    ">": " more than ",
    "<": " less than ",
    "=": " ",
}
_SIGN = re.compile(r"\s*(>=|<=|<>|!=|>|<|=)\s*")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?")
_FILLER = re.compile(
    r"^(?:the|an?|any|all|every|each|if|when|with|having|has|have|those|someone|somebody|anyone)\s+",
    re.IGNORECASE,
)
_OF_A_TIME = re.compile(r"(?:last|past|this|since|before|after|in|between|from|until|\d{4})\b", re.IGNORECASE)


class NotHeld(ValueError):
    """A meaning that is no condition of a frame's."""


# ---------------------------------------------------------------- comparisons of columns


def held_of(meaning: Meaning, source: Source) -> tuple[str, tuple[Condition, ...]]:
    """Give the table of whose rows the comparisons of a hint hold, and the conditions. Raises: NotHeld."""
    if meaning.shown or meaning.formula is not None or not meaning.tests:
        raise NotHeld("no condition")
    table = lowest(meaning.tables(), source, meaning.ways)
    return table, tuple(_clause(clause, table, source, meaning.ways) for clause in meaning.tests)


def top_of(meaning: Meaning, source: Source, phrase: str) -> tuple[str, tuple[Condition, ...]] | None:
    """The conditions as ones of what the rows belong to, where they are over several tables and the phrase names none.

    "big spender means total > 1000 and country = 'DE'" may be said of orders, and is rather said of who placed them. Raises: NotHeld.
    """
    tables = {test.column.table for clause in meaning.tests for test in clause}
    base = lowest(meaning.tables(), source, meaning.ways)
    said = {stem(word) for word in phrase.lower().split()}
    if len(tables) < 2 or said & set(source.model.things[base].noun[-1:]):
        return None
    above = [t for t in tables if t != base and source.model.things[t].kind is Kind.THING]
    if len(above) != 1:
        return None
    own = [clause for clause in meaning.tests if all(test.column.table == above[0] for test in clause)]
    rest = tuple(_clause(c, base, source, meaning.ways) for c in meaning.tests if c not in own)
    there = Condition("exists", child=base, path=way_up(base, above[0], source, meaning.ways), parts=rest)
    return above[0], (*(_clause(clause, above[0], source, ()) for clause in own), there)


def lowest(tables: frozenset[str], source: Source, ways: Sequence[Way] = ()) -> str:
    """The table from whose rows one of each other table is reached. Raises: NotHeld."""
    for table in sorted(tables):
        if table in source.model.things and all(source.graph.paths(table, other) for other in tables):
            for other in tables:
                way_up(table, other, source, ways)
            return table
    raise NotHeld("tables that no row joins")


def way_up(table: str, other: str, source: Source, ways: Sequence[Way] = ()) -> Path:
    """The path from a table to another, over the joins that the hint takes. Raises: NotHeld where several are as short."""
    paths = [
        path
        for path in source.graph.paths(table, other)
        if all(
            relation.columns == (way.source.column,)
            for relation in path
            for way in ways
            if (relation.source, relation.target) == (way.source.table, way.target.table)
        )
    ]
    short = [path for path in paths if len(path) == min(map(len, paths))]
    if len(short) != 1:
        raise NotHeld("several ways")
    return short[0]


def slot_of(ref: ColumnRef, table: str, source: Source, ways: Sequence[Way] = ()) -> Slot:
    """A column as seen from a table. Raises: NotHeld."""
    one = source.model.field(ref.table, ref.column)
    if one is None:
        raise NotHeld(ref.column)
    return Slot(one, way_up(table, ref.table, source, ways))


def _clause(clause: Sequence[Test], table: str, source: Source, ways: Sequence[Way]) -> Condition:
    parts = tuple(part for test in clause for part in condition_of(test, table, source, ways))
    if len(clause) == 1:
        return parts[0] if len(parts) == 1 else Condition("all", parts=parts)
    return Condition(
        "any", parts=tuple(_both(list(condition_of(test, table, source, ways))) for test in clause)
    )


def _both(parts: Sequence[Condition]) -> Condition:
    return parts[0] if len(parts) == 1 else Condition("all", parts=tuple(parts))


def condition_of(test: Test, table: str, source: Source, ways: Sequence[Way] = ()) -> Iterator[Condition]:
    """One comparison as conditions that all hold. Raises: NotHeld."""
    slot = slot_of(test.column, table, source, ways)
    if test.other is not None:
        yield Condition("later", (slot, slot_of(test.other, table, source, ways)), compare=_sign(test.op))
    elif test.op in ("null", "not null"):
        yield Condition("missing" if test.op == "null" else "filled", (slot,))
    elif test.op in ("like", "not like"):
        yield Condition("like", (slot,), (str(test.values[0]),), negated=test.op == "not like")
    elif slot.field.role is Role.TIME and slot.field.form in _DAYS:
        yield _of_days(test, slot)
    elif test.op in ("=", "!=", "in"):
        yield Condition(
            "not in" if test.op == "!=" else "in", (slot,), tuple(_text(v, slot.field) for v in test.values)
        )
    else:
        bounds = (
            zip((">=", "<="), test.values, strict=True)
            if test.op == "between"
            else ((test.op, test.values[0]),)
        )
        for sign, value in bounds:
            yield Condition("compare", compare=sign, number=_number(value), expr=Expr("column", (slot,)))


def _of_days(test: Test, slot: Slot) -> Condition:
    """A comparison of a time with days: a day is meant with all of its hours."""
    days = [_day(value) for value in test.values]
    after = [day + timedelta(days=1) for day in days]
    first: dict[str, date] = {"=": days[0], "!=": days[0], ">=": days[0], ">": after[0], "between": days[0]}
    until: dict[str, date] = {
        "=": after[0],
        "!=": after[0],
        "<": days[0],
        "<=": after[0],
        "between": after[-1],
    }
    if test.op not in {*first, *until}:
        raise NotHeld(test.op)
    period = Period(first.get(test.op), until.get(test.op), "day")
    return Condition("period", (slot,), period=period, negated=test.op == "!=")


def _sign(op: str) -> str:
    if op not in ("<", ">", "<=", ">=", "=", "!="):
        raise NotHeld(op)
    return "<>" if op == "!=" else op


def _day(value: object) -> date:
    try:
        return date.fromisoformat(str(value)[:10])
    except ValueError as error:
        raise NotHeld(str(value)) from error


def _number(value: object) -> float:
    if not _NUMBER.fullmatch(str(value)):
        raise NotHeld(str(value))
    return float(str(value))


def _text(value: object, one: Field) -> str:
    """A value as a frame holds it: of a column of numbers nothing but a number, as it is written as it stands."""
    if one.is_number and not _NUMBER.fullmatch(str(value)):
        raise NotHeld(str(value))
    return str(value)


# ---------------------------------------------------------------- conditions in words


def written(
    phrase: str, body: str, tokens: Sequence[Token], source: Source, today: date
) -> list[tuple[str, tuple[Condition, ...]]]:
    """What a definition in words says of rows: "at least one order in 2025" of customers, "orders over 500" of orders.

    It is asked as a question of the things that the body, the phrase or the question names, else of each table whose own columns
    say it. Nothing where it is not understood as a whole.
    """
    if len(body) > LONGEST:
        return []
    plain = " ".join(_SIGN.sub(lambda sign: _SIGNS[sign[1]], body).split())
    while filler := _FILLER.match(plain):
        plain = plain[filler.end() :]
    words = [token.stem for token in tokenise(plain)]
    said = place(phrase, tokens)
    things = list(source.model.things.values())
    leading = [one for one in things if _is_named(one, words[:3])]
    named = [one for one in things if _is_named(one, [t.stem for t in tokenise(phrase)])]
    near = (
        [one for one in things if _is_named(one, [t.stem for t in tokens[said[0] : said[-1] + 3]])]
        if said
        else []
    )
    asked = [one for one in things if _is_named(one, [t.stem for t in tokens])]
    tried = 0
    for some in (
        leading,
        named,
        near,
        asked,
        [one for one in things if one.kind in (Kind.THING, Kind.EVENT, Kind.LINES)],
    ):
        found = []
        for one in some:
            for text in _asked(one, plain, some is leading):
                tried += 1
                conditions = _understood(text, one, source, today) if tried <= TRIED else ()
                if conditions and (
                    some is leading or named or near or asked or all(map(_is_own, conditions))
                ):
                    found.append((one.table, conditions))
                    break
        if found:
            return found
    return []


def _is_named(one: Thing, stems: Sequence[str]) -> bool:
    return bool(one.noun) and one.kind is not Kind.CODES and one.noun[-1] in stems


def _asked(one: Thing, body: str, is_whole: bool) -> Iterator[str]:
    """Questions that count a table's rows by what a definition says of them."""
    if is_whole:
        yield f"how many {body}"
        return
    noun = plural_of(one.said)
    for joint in ("in the", "") if _OF_A_TIME.match(body) else ("with", "", "that are"):
        yield " ".join(f"how many {noun} {joint} {body}".split())


def _understood(text: str, one: Thing, source: Source, today: date) -> tuple[Condition, ...]:
    """The conditions of a question that counts a table's rows, where all of it is understood, in one way."""
    reading, found = understand(text, source, today)
    if (
        not found
        or reading.mended
        or reading.unknown
        or any(is_rival(found[0].frame, other.frame) for other in found[1:])
    ):
        return ()
    frame = found[0].frame
    counts = [m for m in frame.measures if m.agg == "rows" and m.anchor == one.table]
    plain = Frame(frame.anchor, frame.measures, where=frame.where, cost=frame.cost, why=frame.why)
    if len(counts) != 1 or frame != plain or frame.cost >= SURE:
        return ()
    conditions = (*frame.where, *counts[0].where)
    return () if any(_is_of_all(c) for c in conditions) else conditions


def _is_of_all(one: Condition) -> bool:
    """Whether a condition holds rows against all others, which depends on where it stands."""
    return one.op == "compare" and one.number is None and not one.values or any(map(_is_of_all, one.parts))


def _is_own(one: Condition) -> bool:
    """Whether a condition is of columns of the rows themselves."""
    slots = (*one.slots, *(one.expr.slots if one.expr is not None else ()))
    return one.op != "exists" and not any(slot.path for slot in slots) and all(map(_is_own, one.parts))
