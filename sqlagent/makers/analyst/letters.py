"""Letters within a name: "boats with an x in their name" are those whose name contains it."""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Role
from sqlagent.makers.analyst.source import Source

_IN_NAME = re.compile(
    r"(?:\b(?P<noun>[a-z][\w-]*) )?\b(?:with|that have|who have|which have|having|that has|who has) (?:(?:an?|the) )?(?:letters? )?"
    r"(?P<mark>[\"'“”‘’]?)(?P<said>[a-z0-9]|(?<=[\"'“‘])[\w -]{1,30})[\"'“”‘’]? in (?:their|its|the|his|her) (?P<name>[a-z][\w-]*)(?P<more> [a-z][\w-]*)?",
    re.IGNORECASE,
)

_NAMES = frozenset({"name", "names", "title", "titles"})
"""Words for what things are called, however their column is."""

_SURE = 0.3
"""Cost below which words name a column."""

_NO_TEXT = (Role.FOREIGN, Role.FLAG, Role.TIME)


def letters(text: str, source: Source) -> str:
    """Word such a question by what the name contains; letters in what is no text are noted as not understood, and any other question stays."""
    left: list[str] = []
    worded = _IN_NAME.sub(lambda found: _contains(found, source, left), text)
    return f"{worded} (not understood: {'; '.join(left)})" if left else worded


def _contains(found: re.Match[str], source: Source, left: list[str]) -> str:
    noun, name, more = found["noun"] or "", found["name"], found["more"] or ""
    whole = _is_text(noun, f"{name}{more}", source) if more else None
    if whole is not None:
        name, more = f"{name}{more}", ""
    if whole or whole is None and (name.lower() in _NAMES or _is_text(noun, name, source)):
        return f"{noun} whose {name} contains '{found['said']}'{more}".lstrip()
    left.append(f"{found['said']} in {name}")
    return f"{noun}{more}"


def _is_text(noun: str, name: str, source: Source) -> bool | None:
    """Whether the words name a column of text of the noun's rows; None where they name no column of theirs."""
    table = source.vocabulary.table_named(noun) if noun else ""
    for one in source.vocabulary.targets(name.lower().split()):
        if one.kind == "field" and one.cost < _SURE and one.table == (table or one.table):
            field = source.model.field(one.table, one.column)
            return field is not None and not field.is_number and field.role not in _NO_TEXT
    return None
