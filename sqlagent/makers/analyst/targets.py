"""Possible meanings of a question's words in a source, and the choice among them: by their form, by stored values, by other things of that name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlagent.catalog.semantics import Model, Relation, Role
from sqlagent.catalog.semantics.words import NOT_YET
from sqlagent.catalog.value_index import normal
from sqlagent.language.words import fold, plural_of, stem
from sqlagent.makers.analyst.starts import PERSONS

BETWEEN = frozenset(
    [
        "by",
        "per",
        "each",
        "every",
        "has",
        "have",
        "had",
        "is",
        "are",
        "was",
        "were",
        "and",
        "or",
        "with",
        "vs",
        "the",
        "a",
        "an",
        "in",
        "at",
        "for",
        "who",
        "that",
        "which",
        "not",
        "no",
        "than",
        "over",
        "how",
        "many",
    ]
)
"""Words that stand between names, and in none."""

Key = tuple[str, str, str, str]
"""A target's kind, table, column and value."""

EXACT_VALUE = 0.16
"""Cost up to which a word is a stored value, or its label, as it is written or in the plural."""

STEM_ONLY = 0.2
"""Cost of a name that only shares the stem of a word: beside one of the very word, and a stored value always."""

SURE = 0.1
"""Cost up to which words surely name what they mean: a table, a column, a stored text."""

GIVEN = "\0"
"""How the name of what a hint computes or holds begins: no column of a database has it."""

_AS_IT_IS = 0.25
"""The cost of a time besides whose name only shares the stem of a stored state."""

PAY = frozenset(
    stem(w) for w in ["salary", "wage", "price", "compensation", "earnings", "remuneration", "payroll"]
)
"""Words for money that is paid for something: they name amounts, never a date, a duration or a count."""


@dataclass(frozen=True, slots=True)
class Target:
    """One thing that words may mean; `kind` is thing, field, value, relation or concept.

    `opened` are short forms of its name with the words that were said for them.
    """

    kind: str
    table: str
    column: str = ""
    value: str = ""
    cost: float = 0.0
    label: str = ""
    relation: Relation | None = None
    opened: tuple[tuple[str, str], ...] = ()


Found = dict[Key, Target]
"""Possible meanings of words, each once."""


def told_apart(found: Found, lows: Sequence[str], model: Model, *, of_persons: bool) -> Found:
    """Give the targets of the same words as these say them: some dearer, some left out.

    `of_persons` says that the last of several words is for people who have a table of their own.
    """
    last = lows[-1]
    if len(lows) == 1 and last.removesuffix("s").endswith("ing"):
        found = _going_on(found, model)
    if len(lows) == 1 and last.removesuffix("s").endswith(("er", "or")):
        found = {key: t for key, t in found.items() if not _is_done(t)}  # a dispatcher was not dispatched
    found = _by_very_name(found, lows, model)
    if of_persons:
        found = _of_those_said(found, lows, model)
    found = _sort_before_number(_as_it_was(_as_it_is(found, lows, model), lows, model), model)
    if {"rating", "ratings", "satisfaction", "score", "csat"} & set(lows):
        found = {key: target for key, target in found.items() if not _is_rate(target, model)}
    if stem(last) in PAY and all(low in BETWEEN or low == "on" for low in lows[:-1]):
        found = {key: target for key, target in found.items() if is_money(target, stem(last), model)}
    return found


def _is_done(target: Target) -> bool:
    """Whether a stored state is named after what was done."""
    return target.kind == "value" and (target.label or target.value).lower().endswith("ed")


def _by_very_name(found: Found, lows: Sequence[str], model: Model) -> Found:
    """Names of the very word before those that only share its stem: a vaccine is no vaccination, customers are not at the customs."""
    if lows[-1].endswith(("ed", "ing")):
        return found
    forms = {key: _form(target, lows[-1], model) for key, target in found.items()}
    best = min((found[key].cost for key, form in forms.items() if form == "same"), default=None)
    return {
        key: replace(t, cost=t.cost + STEM_ONLY)
        if forms[key] == "other" and (t.kind == "value" or best is not None and best <= t.cost + STEM_ONLY)
        else t
        for key, t in found.items()
    }


def _form(target: Target, low: str, model: Model) -> str:
    """Whether a name has a word itself, or its singular or plural ("same"), only another of its stem ("other"), or neither ("")."""
    if target.kind == "value":
        words = normal(target.label or target.value).split()
    elif target.kind == "thing":
        words = model.things[target.table].said.split()
    elif (one := model.field(target.table, target.column)) is not None:
        words = one.said.split()
    else:
        return ""
    kin = [word for word in map(fold, words) if stem(word) == stem(low)]
    if any(is_same_noun(word, low) for word in kin):
        return "same"
    is_deed = is_time(target, model) or any(word.endswith(("ed", "ing")) for word in kin)
    return "other" if kin and not is_deed else ""  # a cancellation is what was cancelled


def _of_those_said(found: Found, lows: Sequence[str], model: Model) -> Found:
    """Drop figures of other people where the named people have a table of their own: active customers are no figure of active users."""
    said = stem(lows[-1])
    return {
        key: target
        for key, target in found.items()
        if (one := model.field(target.table, target.column)) is None
        or one.role is not Role.MEASURE
        or said in one.words
        or not PERSONS & set(one.words)
    }


def _going_on(found: Found, model: Model) -> Found:
    """Prefer a time of the same rows to the state of a finished deed: something expiring has not expired."""
    times = {
        t.table
        for t in found.values()
        if t.kind == "field"
        and (one := model.field(t.table, t.column)) is not None
        and one.role in (Role.TIME, Role.FOREIGN)
    }
    return {
        key: replace(t, cost=t.cost + 0.2) if t.table in times and _is_done(t) else t
        for key, t in found.items()
    }


def _as_it_is(found: Found, lows: Sequence[str], model: Model) -> Found:
    """A stored state of the very word before a time that only shares its stem: what is open was not opened then."""
    so = {t.table for t in found.values() if t.kind == "value" and fold(t.label or t.value) == " ".join(lows)}
    return {
        key: replace(t, cost=t.cost + _AS_IT_IS)
        if t.kind == "field" and t.table in so and _is_time_of_stem(t, lows, model)
        else t
        for key, t in found.items()
    }


def name_words(target: Target, model: Model) -> list[str]:
    """The words of the name of the column or table that a target means."""
    one = model.field(target.table, target.column)
    thing = model.things.get(target.table)
    return fold(one.said if one is not None else thing.said if thing is not None else "").split()


def is_time(target: Target, model: Model) -> bool:
    """Whether words mean a column of times."""
    one = model.field(target.table, target.column) if target.kind == "field" else None
    return one is not None and one.role is Role.TIME


def _is_time_of_stem(target: Target, lows: Sequence[str], model: Model) -> bool:
    one = model.field(target.table, target.column)
    written = set(fold(one.said).split()) if one is not None else set()
    return one is not None and one.role is Role.TIME and not written & set(lows)


def _as_it_was(found: Found, lows: Sequence[str], model: Model) -> Found:
    """Prefer actual figures to planned ones, and a stored value of the exact name to a synonym of the rows' noun."""
    stored = any(t.kind == "value" and t.cost <= EXACT_VALUE for t in found.values())
    words = {stem(low) for low in lows}
    out: Found = {}
    for key, target in found.items():
        one = model.field(target.table, target.column) if target.kind == "field" else None
        planned = one is not None and one.role is Role.MEASURE and set(one.words) & NOT_YET - words
        own = (
            {*model.things[target.table].noun, *(one.words if one is not None else ())}
            if target.table
            else set()
        )
        synonym = target.kind in ("thing", "field") and target.cost >= 0.12 and not words & own
        dearer = 0.03 if planned else 0.25 if synonym and stored else 0.0
        out[key] = replace(target, cost=target.cost + dearer) if dearer else target
    return out


def _sort_before_number(found: Found, model: Model) -> Found:
    """Of a source that is told by its type and its number (src_type, src_id), people mean the type."""
    fields = {
        (t.table, one.words): one
        for t in found.values()
        if t.kind == "field" and (one := model.field(t.table, t.column)) is not None
    }
    return {
        key: replace(t, cost=t.cost + 0.1)
        if t.kind == "field"
        and (one := model.field(t.table, t.column)) is not None
        and one.role is not Role.FOREIGN
        and one.column not in model.things[t.table].key
        and one.words[-1:] == ("id",)
        and (t.table, (*one.words[:-1], stem("type"))) in fields
        else t
        for key, t in found.items()
    }


def _is_rate(target: Target, model: Model) -> bool:
    """Whether a column holds a rate, whose stem a rating shares."""
    one = model.field(target.table, target.column) if target.kind == "field" else None
    return one is not None and bool({"rate", "rates"} & set(one.said.split()))


def done_rather_than_named(found: Found, model: Model) -> None:
    """Prefer the time of a deed to the thing named after it: "bookings booked in May"."""
    for key, target in list(found.items()):
        one = model.field(target.table, target.column) if target.kind == "field" else None
        thing = found.get(("thing", target.table, "", ""))
        if one is not None and one.role is Role.TIME and thing is not None and thing.cost <= target.cost:
            found[key] = replace(target, cost=thing.cost)


def is_money(target: Target, word: str, model: Model) -> bool:
    """Whether a word for pay may mean this: an amount, or what bears the very word and is no date."""
    if target.kind == "field":
        one = model.field(target.table, target.column)
        if one is None or one.role is Role.TIME:
            return False
        return one.role is Role.MEASURE or word in one.words
    if target.kind == "thing":
        return word in model.things[target.table].noun
    return target.kind != "value" or target.cost < 0.1


def is_same_noun(one: str, other: str) -> bool:
    """Whether two words are one noun, in the singular or the plural.

    Example:
        >>> is_same_noun("vaccine", "vaccines"), is_same_noun("customs", "customers"), is_same_noun("city", "cities")
        (True, False, True)
    """
    return one == other or plural_of(one) == other or plural_of(other) == one
