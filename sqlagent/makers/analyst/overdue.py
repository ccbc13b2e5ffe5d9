"""Overdue rows that are not named: "overdue amount per location", "overdue payments".

Overdue money is that of rows with a due date or a state, such as invoices. An amount paid late is not overdue any more.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Kind
from sqlagent.language.words import plural_of
from sqlagent.makers.analyst.dating import PAYING
from sqlagent.makers.analyst.pairing import due_of
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import called_overdue

_OVERDUE = re.compile(
    r"\b(?:overdue|past[- ]due) (?:(?P<money>amounts?|sums?|totals?|balances?|money)|payments?)\b",
    re.IGNORECASE,
)


def overdue_of(text: str, source: Source) -> str:
    """Name the rows that are overdue; empty where a question asks nothing of the kind, or several tables could be meant."""
    found = _OVERDUE.search(text)
    tables = _billing(source) if found is not None else []
    if found is None or len(tables) != 1:
        return ""
    thing = source.model.things[tables[0]]
    said = f"{thing.said} amount" if found["money"] else plural_of(thing.said)
    return f"{text[: found.start()]}overdue {said}{text[found.end() :]}"


def _billing(source: Source) -> list[str]:
    """The tables that rows which pay belong to, and that say when they are due or that they are overdue."""
    paid = {
        relation.target
        for table, thing in source.model.things.items()
        if set(thing.noun) & PAYING
        for relation in source.graph.out[table]
    }
    return [
        table
        for table in paid
        if source.model.things[table].kind is Kind.EVENT
        and (called_overdue(source, table) is not None or due_of(source, table) is not None)
    ]
