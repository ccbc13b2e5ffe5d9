"""Partners of no event: "carriers we have never booked a leg with", "suppliers we never ordered a part from" have no such rows.

The verb tells that there were rows at all, whatever state they are in now.
"""

from __future__ import annotations

import re

from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.targets import SURE

_VERBS = "booked|ordered|reserved|placed|bought|purchased|made|requested|commissioned|sent|shipped|had|hired|rented|given|assigned|used|raised|logged|opened"
_NEVER = re.compile(
    rf"^(?P<who>.+?) (?:that |which |whom? )?(?:we|they|you|nobody)(?: have|['’]ve| had|ve)? (?P<never>never|not yet|ever)(?: yet)? (?:{_VERBS}) (?:an? |any |one |a single )?(?P<what>[a-z][\w-]*(?: [a-z][\w-]*)?) (?:with|from|through|at|to|on|for|by|in)(?P<rest>(?:,? (?:in|during|since|this|last)\b.*)?)$",
    re.IGNORECASE,
)


def never_with(text: str, source: Source) -> str:
    """Word such a question by the rows that are missing; empty where it is none, or what was never done names no rows."""
    found = _NEVER.match(text.strip().rstrip("?.! "))
    if found is None or (found["never"].lower() == "ever") != (" nobody" in f" {text.lower()}"):
        return ""
    what = found["what"].lower().split()
    if not any(t.kind == "thing" and t.cost <= SURE for t in source.vocabulary.targets(what)[:2]):
        return ""
    return f"{found['who']} without any {found['what']}{found['rest'] or ''}"
