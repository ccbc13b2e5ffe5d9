"""Questions whose figure is said in a clause, in the plain words for the same: "the 5 X with the most Y" is "top 5 X by Y".

Every wording is tried where it is understood whole; a question that matches none is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqlagent.language.lexicon import MONTH_PATTERN, NUMBER_WORDS

_COUNT = r"(?P<count>\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)"
_ASKED = r"(?:(?:please|which|what|who|list|show|give me|name|find|are|were|me)\s+)*(?:the |our |my )?"
_THINGS = r"(?P<things>[a-z][\w'-]*(?: (?!with\b|by\b|that\b|who\b|which\b|having\b|have\b|has\b|had\b|in\b|on\b)[a-z][\w'-]*){0,2})"
_HAVE = r"(?:with|having|(?:(?:that|who|which) )?(?:have|had|has|got|get|made|make|placed|place|did|do|took|take|received|receive|generated|generate|brought in|bring in|sold|sell))"
_MOST = re.compile(
    rf"^{_ASKED}{_COUNT} {_THINGS} {_HAVE} (?:the )?(?P<way>most|fewest|least|highest|lowest|largest|biggest|greatest|smallest)"
    r" (?:(?:number|count|amount|(?P<sum>sum|value|total)) of |total )?(?P<figure>[a-z][\w' -]*?(?: (?:(?:in|since|during|for|before|after|from|this|last)\b.*|(?:19|20)\d\d))?)$",
    re.IGNORECASE,
)
_BEST_OF = re.compile(
    rf"^{_ASKED}(?P<rank>(?:top|best|worst|bottom|highest|lowest) {_COUNT}|{_COUNT.replace('count', 'count_2')} (?:best|worst|highest|lowest)) (?P<things>days|weeks|months|quarters|years) (?:of|for|in|in terms of) (?:the |our )?(?P<rest>[a-z].*)$",
    re.IGNORECASE,
)
_FEWEST = frozenset({"fewest", "least", "lowest", "smallest"})

_ROSE = r"(?:changed?|grow|grew|grown|increased?|rise|rose|risen|go up|gone up|went up|develop(?:ed)?|move|moved|fall|fell|fallen|drop|dropped|decreased?|declined?|go down|gone down|went down|differ(?:ed)?)"
_HOW_FAR = re.compile(
    rf"^(?:and )?(?:by )?(?:(?P<percent>(?:how many|how much|what|which) (?:percent|per cent|percentage|%))|how much|what) (?:did|do|does|has|have) (?:the |our )?(?P<figure>[\w' -]+?) {_ROSE}(?P<rest> .+)?$",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"^(?:what (?:is|was) )?(?:the )?(?:change|growth|increase|development) (?:in|of) (?:the |our )?(?P<figure>[\w' -]+?)(?P<rest> (?:from|between|in|by|per|for each|vs)\b.+)?,? (?:in|as) (?:%|percent|per cent|a percentage)(?P<more> .+)?$"
    r"|^(?:the )?(?P<figure_2>[\w' -]+?) (?:change|development) in (?:%|percent|per cent)(?P<rest_2> .+)?$",
    re.IGNORECASE,
)
_GROUPS = re.compile(
    r"\b(?:by|per|for each|for every|of each|in each|at each)\s+(?P<group>[a-z][\w'-]*(?: [a-z][\w'-]*)?)\s*$",
    re.IGNORECASE,
)

_PART = rf"(?:the )?(?:{MONTH_PATTERN}|q[1-4]|h[12]|(?:first|second|third|fourth) (?:half|quarter))(?: of| in)? (?:19|20)\d\d"
_SPANS = re.compile(rf"^(?:from|between) (?P<one>{_PART}) (?:to|and) (?P<two>{_PART})$", re.IGNORECASE)
"""Two parts of years: they are held against each other, and what lies between them is none of theirs."""

_WHERE = re.compile(
    r"^(?P<body>.+?),? (?:and|with|plus) where (?:do |are |is |did )?(?:they|these|those|each)(?: each| all)? (?:are |is )?(?:live|living|come from|based|located|from|at)?$",
    re.IGNORECASE,
)
_THEIR = re.compile(
    r"^(?P<body>.+?),? (?:with|and|plus) (?:their|its|the) (?P<name>[a-z][\w'-]*(?: [a-z][\w'-]*)?)$",
    re.IGNORECASE,
)
_RANKED = re.compile(
    r"\b(?:top|best|bottom|worst|most|biggest|largest|highest|lowest|smallest)\b", re.IGNORECASE
)

_IN_BOTH = re.compile(
    r"^(?P<who>.+?) (?:(?:who|that|which) )?(?:have |had )?(?P<deed>[a-z]+(?:ed|ing|ought|old|ent)|placed orders|had [a-z]+s) (?:something |anything )?(?P<joint>in|during) both (?P<one>.+?) and (?:in )?(?P<two>[^,]+)$",
    re.IGNORECASE,
)
""" "How many customers ordered in both 2024 and 2025": in each of two periods, as two conditions."""

_HAVING = re.compile(
    r"^how many (?:of )?(?:our |the )?(?P<who>[a-z][\w'-]*(?: [a-z][\w'-]*)?) (?:have|have got|has) (?:an?|any) (?P<what>[a-z][\w'-]*(?: [a-z][\w'-]*)?)(?P<rest> (?:by|per|in|on|at) .+)?$",
    re.IGNORECASE,
)
""" "How many guests have an email": those with one, and no groups by it."""

PLACES = (
    "city",
    "town",
    "place",
    "country",
    "region",
    "state",
    "county",
    "district",
    "postcode",
    "zip",
    "address",
)
"""Columns that tell where somebody lives, likely ones first."""


def plainer(text: str) -> Iterator[str]:
    """Give a question in plainer words, the likeliest first; nothing where none of the forms is met.

    Example:
        >>> list(plainer("which are the five customers with the most orders in 2025?"))
        ['top 5 customers by orders in 2025', 'top 5 customers by number of orders in 2025']
        >>> next(plainer("by how many percent did revenue change from 2024 to 2025 for each shop"))
        'revenue growth from 2024 to 2025 by shop'
        >>> next(plainer("top 10 customers and where do they live"))
        'top 10 customers, with city alongside'
    """
    text = text.strip().rstrip("?.! ")
    if found := _IN_BOTH.match(text):
        who, deed, joint = found["who"], found["deed"], found["joint"]
        yield f"{who} who {deed} {joint} {found['one']} and who {deed} {joint} {found['two']}"
    elif found := _MOST.match(text):
        said = found["count"].lower()
        count = NUMBER_WORDS.get(said, said)
        end = "bottom" if found["way"].lower() in _FEWEST else "top"
        if found["sum"]:
            yield f"{end} {count} {found['things']} by amount of {found['figure']}"
        yield f"{end} {count} {found['things']} by {found['figure']}"
        if found["way"].lower() in ("most", "fewest", "least"):
            yield f"{end} {count} {found['things']} by number of {found['figure']}"
    elif found := _BEST_OF.match(text):
        yield f"{found['rank']} {found['things']} by {found['rest']}"
    elif found := _HOW_FAR.match(text):
        word = "growth" if found["percent"] else "change"
        yield from _changes(found["figure"], word, found["rest"] or "")
    elif found := _CHANGE.match(text):
        figure, rest = (
            found["figure"] or found["figure_2"],
            f"{found['rest'] or found['rest_2'] or ''}{found['more'] or ''}",
        )
        yield from _changes(figure, "growth", rest)
    elif found := _HAVING.match(text):
        yield f"how many {found['who']} with {found['what']}{found['rest'] or ''}"
    elif found := _WHERE.match(text):
        yield from (f"{found['body']}, with {place} alongside" for place in PLACES)
    elif (found := _THEIR.match(text)) and _RANKED.search(found["body"]):
        yield f"{found['body']}, with {found['name']} alongside"


def _changes(figure: str, word: str, rest: str) -> Iterator[str]:
    """The change of a figure over what is said behind it, its groups last."""
    rest = rest.strip(" ,")
    groups = _GROUPS.search(rest)
    by = f" by {groups['group']}" if groups else ""
    times = (rest[: groups.start()] if groups else rest).strip(" ,")
    if word == "growth" and (spans := _SPANS.match(times)) is not None:
        yield " ".join(f"growth of {figure} {spans['two']} vs {spans['one']}{by}".split())
    if word == "growth":
        yield " ".join(f"{figure} growth {times}{by}".split())
    yield " ".join(f"{word} in {figure} {times}{by}".split())
