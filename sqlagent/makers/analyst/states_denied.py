"""States denied by a prefix: "unresolved incidents" are those whose state is not resolved.

Only where the table has no day, person or flag for it, and all its other states come before that one.
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Role
from sqlagent.catalog.semantics.words import stems
from sqlagent.language.words import stem
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.states import labels, words_of_states

_BEFORE = re.compile(
    r"\b(?:still |yet |currently )?un(?P<state>[a-z]{3,}(?:ed|en|id|ought|old)) (?P<noun>[a-z][\w'-]*)",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"\b(?P<noun>[a-z][\w'-]*) (?:(?:that|which|who) )?(?:(?:are|is|were|remain) )?(?:still |yet |currently )?un(?P<state>[a-z]{3,}(?:ed|en|id|ought|old))\b",
    re.IGNORECASE,
)

_EARLY = stems(
    "open new opened pending planned draft review in waiting awaiting requested submitted received registered reported"
)
"""States before any other. Whether rows in a later one, or in one that ends otherwise, are meant too, nothing says."""

_GOING = stems("progress on hold assigned started ongoing investigating reopened active work working under")
"""States of rows that are worked on: before those that end."""

_FINAL = stems("resolved solved fixed settled finished completed closed answered")
"""States that end work."""

_TELLING = (Role.TIME, Role.FOREIGN, Role.FLAG)
"""Roles of columns that tell a state better than its code: assigned to nobody, shipped on no day."""

_HELD = re.compile(r"\b(?:with|without|have|has|had|having|no)\b", re.IGNORECASE)
"""Words before what things have: a denial there is of what they have."""


def states_denied(text: str, source: Source) -> str:
    """Word such a question with "not" before the state; any other as it is, and one of a table whose rows may end in another state too."""
    for pattern in (_BEFORE, _BEHIND):
        text = pattern.sub(lambda found: _denied(found, source), text)
    return text


def _denied(found: re.Match[str], source: Source) -> str:
    state = found["state"].lower()
    table = source.vocabulary.table_named(found["noun"])
    thing = source.model.things[table] if table else None
    own = source.model.field(thing.table, thing.state) if thing is not None and thing.state else None
    if thing is None or own is None or all(label.lower() != state for _, label in labels(source, own)):
        return found[0]
    if _HELD.search(found.string, 0, found.start()):
        return found[0]
    others = words_of_states(source, thing.table, besides=state)
    if not others <= (_EARLY | _GOING if stem(state) in _FINAL else _EARLY):
        return found[0]
    told = [one for role in _TELLING for one in source.model.of_role(thing.table, role)]
    if any(stem(state) in one.words for one in told):
        return found[0]
    return f"{found['noun']} not {state}"
