"""Values of a column with how many rows have each: "discharge reasons with number of clients" is the number of clients by reason.

Leaves things of their own to the list that shows a number beside them: "customers with number of orders".
"""

from __future__ import annotations

import re

from sqlagent.catalog.semantics import Role
from sqlagent.language.words import plural_of, singular
from sqlagent.makers.analyst.source import Source

_EACH = re.compile(
    r"^(?:list |show |the |our |all |different )*(?P<what>[a-z][\w-]*(?: [a-z][\w-]*){0,2}?)(?:,? (?:and|with|plus)|,) (?:the |their )?(?:number|count|no\.?) of (?P<of>[a-z][\w-]*(?: [a-z][\w-]*)?)(?: (?:for|in|per|of|with) each)?(?P<rest>,? (?:in|since|during|this|last) [\w ]+)?$",
    re.IGNORECASE,
)
_NEAR = 0.1
"""Cost up to which words are the name of something."""


def number_of_each(text: str, source: Source) -> str:
    """Word such a question by its groups; empty where no column with few values is named first, or no rows are counted."""
    found = _EACH.match(text.strip().rstrip("?.! "))
    if found is None or singular(found["what"]) == found["what"].lower():
        return ""
    best = next(iter(source.vocabulary.targets(found["what"].lower().split())), None)
    one = source.model.field(best.table, best.column) if best is not None and best.kind == "field" else None
    counted = next(iter(source.vocabulary.targets(found["of"].lower().split())), None)
    if best is None or best.cost > _NEAR or one is None or one.role is not Role.DIMENSION:
        return ""
    if counted is None or counted.kind != "thing" or counted.cost > _NEAR:
        return ""
    of = found["of"] if found["of"].lower().endswith("s") else plural_of(found["of"])
    return f"number of {of} by {singular(found['what'])}{found['rest'] or ''}"
