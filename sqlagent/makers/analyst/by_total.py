"""Bare bounds on what happens: "orders over 1000" are those whose lines add up to so much, where the money is on the lines.

Where an event stores its own amount the bound is on that; where it does not, no other column of money nearby is meant.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.makers.analyst.concepts import meant
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_BOUND = re.compile(
    r"^(?P<before>(?:.*\b(?:of|how many|the|our|list|show) )?)(?P<things>[a-z][\w'-]*(?: [a-z][\w'-]*)?)"
    r" (?:worth |of |that (?:are|were) |with (?:a |an )?(?:total|value|amount)(?: of)? )?(?P<bound>over|above|more than|under|below|less than|at least|at most|exceeding)"
    r" (?P<number>[€$£]? ?\d[\d.,]*k?)(?P<rest>(?: (?:in|from|since|during|before|after|this|last)\b(?!.*\b(?:by|per)\b).*| (?:19|20)\d\d.*)?)$",
    re.IGNORECASE,
)


def by_total(text: str, source: Source) -> str:
    """Word such a question by the money on its lines; empty where it is none, or the event stores an amount of its own."""
    found = _BOUND.match(text.strip().rstrip("?.! "))
    if found is None:
        return ""
    named = [t for t in source.vocabulary.targets(found["things"].lower().split()) if t.kind == "thing"]
    if not named or named[0].cost > SURE or not _has_money_on_lines(named[0].table, source):
        return ""
    return (
        f"{found['before']}{found['things']} with revenue {found['bound']} {found['number']}{found['rest']}"
    )


def _has_money_on_lines(table: str, source: Source) -> bool:
    """Whether an event has no money of its own, and lines of which the money is what was sold."""
    if source.model.things[table].kind is not Kind.EVENT:
        return False
    if any(
        one.unit == "money" and one.aggregate == "sum" for one in source.model.of_role(table, Role.MEASURE)
    ):
        return False
    lines = {
        one.source for one in source.graph.into[table] if source.model.things[one.source].kind is Kind.LINES
    }
    return any(one.measure.anchor in lines for one in meant(source, "revenue")[:1])
