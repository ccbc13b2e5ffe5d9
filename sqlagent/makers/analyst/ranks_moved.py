"""Ranks in other places than at the end: "revenue by country top 5 in 2025", "top 5 revenue by country", "which products sell best".

They are worded with the rank where it is understood, so that word order changes nothing.
"""

from __future__ import annotations

import re
from datetime import date

from sqlagent.catalog.semantics import Kind
from sqlagent.language.words import tokenise
from sqlagent.makers.analyst import periods
from sqlagent.makers.analyst.source import Source

_COUNT = r"(?:\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
_GROUPED = r"\b(?:by|per|for each|for every)\b"
_RANK_BEFORE_PERIOD = re.compile(
    rf"^(?P<head>.*{_GROUPED}.+?)[,\s]+(?P<rank>(?:the )?(?:top|bottom) {_COUNT}),?\s+(?P<rest>(?:in |for |during |of )?\S.*)$",
    re.IGNORECASE,
)
_RANKED_FIGURE = re.compile(
    rf"^(?:(?:what|which|show|give me|list|me|is|are|the)\s+)*(?P<word>highest|largest|biggest|greatest|lowest|smallest|top|bottom)(?: (?P<count>{_COUNT}))? (?P<figure>[a-z][\w' -]*?) (?P<by>{_GROUPED} .+)$",
    re.IGNORECASE,
)
_GROUP_FIRST = re.compile(
    rf"^(?P<by>(?:in )?(?:per|for each|for every|each|by)) (?P<group>[a-z][\w-]*(?: [a-z][\w-]*)?)[,:] (?P<rest>(?:(?:show|give me|list|me|is|are|the)\s+)*(?:{_COUNT} )?(?:[a-z]{{3,}} with the )?(?:most|least|top|bottom|best|worst|[a-z]{{3,}}est)\b.+)$",
    re.IGNORECASE,
)
_LATEST = re.compile(r"\b(?:latest|newest|last|oldest|earliest|most recent)\b", re.IGNORECASE)
_THEIR = re.compile(r"\bwith (?:their|its|his|her) ", re.IGNORECASE)
_SELLS = re.compile(
    r"^(?:(?:which|what) (?P<things>[a-z][\w' -]*?) (?:sell|sells|sold|are selling) (?:the )?(?P<way>best|most|worst|least))(?P<rest> .+)?$",
    re.IGNORECASE,
)
_PREPOSITIONS = frozenset({"in", "for", "during", "of", ","})
_LOW = frozenset({"lowest", "smallest", "bottom"})


def rank_last(text: str, source: Source, today: date) -> str:
    """The question with a period that stands behind its rank before it; any other as it is."""
    found = _RANK_BEFORE_PERIOD.match(text.strip().rstrip("?.! "))
    if found is None:
        return text
    tokens = tokenise(found["rest"])
    held = {
        n for one in periods.find(tokens, today, source.model.calendar) for n in range(one.start, one.end)
    }
    if not held or any(n not in held and token.low not in _PREPOSITIONS for n, token in enumerate(tokens)):
        return text
    return f"{found['head'].rstrip(' ,')} {found['rest']} {found['rank']}"


def group_last(text: str) -> str:
    """The question with the group behind its rank, where it stands before: "per wood, the 2 cheapest doors"; any other as it is.

    Example:
        >>> group_last("per wood, the 2 cheapest doors"), group_last("in each town: most expensive door")
        ('the 2 cheapest doors per wood', 'most expensive door per town')
    """
    found = _GROUP_FIRST.match(text.strip().rstrip("?.! "))
    return f"{found['rest']} per {found['group']}" if found is not None else text


def rows_with(text: str) -> str:
    """Word "latest 3 doors with their painter" without the word for whose painter that is; empty where it is no such question.

    Example:
        >>> rows_with("latest 3 doors with their painter"), rows_with("doors with their painter")
        ('latest 3 doors with painter', '')
    """
    return _THEIR.sub("with ", text) if _LATEST.search(text) and _THEIR.search(text) else ""


def selling(text: str, source: Source) -> str:
    """ "Which products sell best" in the words for what sells; empty where it is no such question."""
    found = _SELLS.match(text.strip().rstrip("?.! "))
    if found is None:
        return ""
    way = "best" if found["way"].lower() in ("best", "most") else "worst"
    return f"{way} selling {found['things']}{found['rest'] or ''}"


def ranked_figure(text: str, source: Source) -> str:
    """ "Highest revenue by country" as the figure by group, highest first; of a figure that rows have by themselves the greatest of each group.

    Empty where no figure is ranked so.
    """
    found = _RANKED_FIGURE.match(text.strip().rstrip("?.! "))
    if found is None:
        return ""
    word, count, figure = found["word"].lower(), found["count"], found["figure"]
    is_low = word in _LOW
    if count and _is_of_things(figure, source):
        return ""  # "top 3 salaries by store" may be those of each store, or its average
    if count:
        return f"{figure} {found['by']} {'bottom' if is_low else 'top'} {count}"
    if word not in ("top", "bottom") and _is_of_things(figure, source):
        return f"{'minimum' if is_low else 'maximum'} {figure} {found['by']}"
    return f"{figure} {found['by']}, {'lowest' if is_low else 'highest'} first"


def _is_of_things(figure: str, source: Source) -> bool:
    """Whether a figure is a column of things, as a price or a salary, and none that events add up."""
    found = source.vocabulary.targets(figure.lower().split())
    if not found or found[0].kind != "field":
        return False
    return source.model.things[found[0].table].kind is Kind.THING
