"""Persons who did something most: "who spent the most", "who returned the most in 2025", "who rowed the most kilometres".

Decides who "who" is: the persons that the events belong to, where the source knows just one kind of them.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Kind, Role, Thing
from sqlagent.catalog.semantics.words import BUYERS, STAFF
from sqlagent.language.words import plural_of
from sqlagent.makers.analyst.concepts import sold_by
from sqlagent.makers.analyst.lexicon import GLUE
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.starts import PERSONS
from sqlagent.makers.analyst.targets import SURE

_WHEN = r"(?P<when> (?:in|during|since|this|last|on|at|from|for|over|within|between|per|by|each)\b.*)?"
_MOST = re.compile(
    rf"^who (?:has |have )?(?P<verb>[a-z]{{3,}})(?: up)? (?:the )?(?P<way>most|least)(?: often)?(?: (?!in\b|during\b|since\b|this\b|last\b|on\b|at\b|from\b|for\b|over\b|within\b|between\b|per\b|by\b|each\b)(?P<what>[a-z][\w-]*))?{_WHEN}$",
    re.IGNORECASE,
)
_SPENDERS = re.compile(
    rf"^(?:(?:who|what) (?:is|are|was|were) )?(?:our |the )?(?:(?P<count>top \d+|\d+ (?:top|biggest|largest))|top|biggest|largest|highest) spend(?P<several>ers?){_WHEN}$",
    re.IGNORECASE,
)
_SPENDS = frozenset({"spent", "spend", "spends", "paid", "pay", "pays", "bought", "buys", "buy"})
_SELLS = frozenset({"sold", "sells", "sell"})
_MONEY = frozenset({"", "money", "cash"})


def who_did_most(text: str, source: Source) -> str:
    """Word such a question by the persons who are meant; empty where it is no such question, or the source knows none or several."""
    text = text.strip().rstrip("?.! ")
    if found := _SPENDERS.match(text):
        persons = _persons(sold_by(source), source)
        digits = re.sub(r"\D", "", found["count"] or "") or ("1" if found["several"] == "er" else "10")
        noun = plural_of(persons.said) if persons is not None else ""
        return f"top {digits} {noun} by revenue{found['when'] or ''}" if noun else ""
    found = _MOST.match(text)
    if found is None:
        return ""
    verb, what, when = found["verb"].lower(), (found["what"] or "").lower(), found["when"] or ""
    if verb in _SPENDS | _SELLS and what in _MONEY:
        persons = _persons(sold_by(source), source, STAFF if verb in _SELLS else BUYERS)
        said = "revenue"
    else:
        table, said = _measured(verb, what, source) if what else _done(verb, source)
        persons = _persons(table, source)
    way = "top" if found["way"].lower() == "most" else "bottom"
    return f"{way} 1 {plural_of(persons.said)} by {said}{when}" if persons is not None else ""


def _done(verb: str, source: Source) -> tuple[str, str]:
    """The rows of a deed, and what they are called; empty where the verb is none."""
    for one in source.vocabulary.targets([verb])[:3]:
        thing = source.model.things.get(one.table)
        if thing is not None and thing.kind is Kind.EVENT and one.cost <= SURE:
            return thing.table, plural_of(thing.said)
    return "", ""


def _measured(verb: str, what: str, source: Source) -> tuple[str, str]:
    """The rows of which a measure is summed up, where the verb names nothing by itself: kilometres rowed."""
    if verb in GLUE or source.vocabulary.targets([verb]):
        return "", ""
    best = next(iter(source.vocabulary.targets([what])), None)
    field = source.model.field(best.table, best.column) if best is not None and best.column else None
    is_summed = field is not None and field.role is Role.MEASURE and field.aggregate == "sum"
    return (best.table, what) if best is not None and is_summed else ("", "")


def _persons(table: str, source: Source, kind: frozenset[str] = PERSONS | BUYERS) -> Thing | None:
    """The persons of a kind that a table's rows belong to: the nearest ones; buyers where there are several as near. None where that leaves no one kind."""
    near: dict[int, list[Thing]] = {}
    for above, paths in source.graph.up(table).items() if table else ():
        thing = source.model.things[above]
        if paths and paths[0] and thing.noun and thing.noun[-1] in kind:
            near.setdefault(len(paths[0]), []).append(thing)
    nearest = near[min(near)] if near else []
    several = [one for one in nearest if one.noun[-1] in BUYERS] if len(nearest) > 1 else nearest
    return several[0] if len(several) == 1 else None
