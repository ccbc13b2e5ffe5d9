"""Figures per square metre or foot, by the one column that tells an area: revenue per square metre is per floor area."""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import stem
from sqlagent.makers.analyst.vocabulary import Vocabulary

_PER = re.compile(
    r"\b(?:per|by|for each|for every) (?:(?P<metre>square met(?:re|er)|sq\.? ?m(?:et(?:re|er))?|sqm|m2|m²)|(?P<foot>square foot|sq\.? ?f(?:oo)?t|sqft|ft2))(?!\w)",
    re.IGNORECASE,
)
_IN_METRES = re.compile(r"(?<![a-z])(?:m2|sqm|qm)(?![a-z0-9])", re.IGNORECASE)
_IN_FEET = re.compile(r"(?<![a-z])(?:ft2|sq_?ft)(?![a-z0-9])", re.IGNORECASE)
_AREA = stem("area")
_GROUPED = re.compile(r"\b(?:by|per|each) ([^\W\d_]+)", re.IGNORECASE)


def with_areas(text: str, vocabulary: Vocabulary) -> str:
    """Tell a figure per square metre by the column of the area; text stays as it is where the source has none, or several.

    A column that says its unit is taken for that unit alone. The figure is of each thing that has the area, and of no other group.
    """

    def told(found: re.Match[str]) -> str:
        own, other = (_IN_METRES, _IN_FEET) if found["metre"] else (_IN_FEET, _IN_METRES)
        areas = [
            field
            for fields in vocabulary.model.fields.values()
            for field in fields
            if field.role is Role.MEASURE
            and (own.search(field.column) or _AREA in field.words and not other.search(field.column))
        ]
        if len(areas) != 1:
            return found[0]
        thing = vocabulary.model.things[areas[0].table]
        groups = [
            stem(group.lower()) for group in _GROUPED.findall(text[: found.start()] + text[found.end() :])
        ]
        if not groups:
            return f"per {areas[0].said} by {thing.said}"
        return f"per {areas[0].said}" if thing.noun[-1:] == tuple(groups) else found[0]

    return _PER.sub(told, text)
