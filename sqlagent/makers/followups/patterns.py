"""Patterns of the English that follow-ups are made of: numbers, times, groupings, orders, joiners."""

from __future__ import annotations

import re

from sqlagent.language.lexicon import DEED_DONE

NUMBER = (
    r"(?:\d{1,4}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|fifty|hundred)"
)
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
YEAR = r"(?:19|20)\d\d"
MOMENT = rf"(?:{YEAR}-\d\d(?:-\d\d)?|(?:\d{{1,2}}\s+)?{MONTH}\s+{YEAR}|Q[1-4](?:\s+{YEAR})?|{YEAR}|{MONTH})"
SPAN = r"(?:(?:the\s+)?(?:last|this|previous|past|current)\s+(?:\d+\s+)?(?:year|quarter|month|week|day|decade)s?|today|yesterday)"
WHEN = re.compile(
    rf"\b(?:between\s+{MOMENT}\s+and\s+{MOMENT}|(?:(?:in|for)\s+)?{MOMENT}\s+(?:and|or)\s+{MOMENT}|from\s+{MOMENT}\s+(?:to|until|through)\s+{MOMENT}"
    rf"|(?:(in|for|during|of|since|before|after|until|from|on|throughout)\s+)?(?:the\s+year\s+)?(?:{MOMENT}|{SPAN}))\b(?![\w-])",
    re.IGNORECASE,
)
BARE_MONTH = re.compile(rf"^{MONTH}$", re.IGNORECASE)
PLACES_TIME = re.compile(r"(in|for|during|of|since|before|after|until|from|on|throughout)\s+", re.IGNORECASE)

FILLER = re.compile(
    r"^(?:ok(?:ay)?|so|now|please|then|well|great|thanks|thank you|cool|hmm|actually|can you|could you|would you"
    r"|i want(?: to see)?|i'd like(?: to see)?|give me|let's see|show (?:it|them|this|that)|show me|show|make it|make that|do it|do that|try"
    r"|let's|see|change (?:it|that) to|switch to)\b[,\s]*",
    re.IGNORECASE,
)
JOINER = re.compile(r"^(?:and|but|also|plus|in addition|additionally)\b[,\s]*", re.IGNORECASE)
ELLIPTIC = re.compile(
    r"^(?:and|but|also|only|just|what about|how about|what if|(?:the )?same|by|per|for|in|on|since|before|after|until"
    r"|during|between|without|excluding|exclude|except|not|with|sort(?:ed)?(?: (?:it|them|this|that|these|those))? by"
    r"|order(?:ed)?(?: (?:it|them|this|that|these|those))? by|rank(?:ed)? by|limit|as|grouped|group(?: (?:it|them|this|that))? by"
    r"|split|break|include|including|add|remove|drop|ignore|filter|restrict|instead|more than|less than|fewer than"
    r"|over|under|above|below|at least|at most|ascending|descending|reverse|change|replace|use|which ones|compare"
    r"|make|daily|weekly|monthly|quarterly|yearly|annually|alphabetically)\b",
    re.IGNORECASE,
)
POINTS_BACK = re.compile(
    r"\b(?:(?:was|were|is|are) (?:that|this)$|instead|them|they|these|it|the same|ones|of those|those(?! (?:who|that|which|with))|previous one|as before"
    r"|each (?:have|has|had|place|placed|make|made|get|got|bring|brought|do|did|buy|bought|spend|spent|pay|paid|sell|sold|order|ordered)$|(?:does|do|did) (?:that|this) compare|too$|as well$|each$)\b",
    re.IGNORECASE,
)
OF_BEFORE = re.compile(
    r"^(?:(?:the )?(?:average|total|sum|median|mean|maximum|minimum)(?: (?:amount|value|number|count|sum))?|(?:amount|value|number|count|sum)) (?:per|by|for each)\b"
    r"|\b(?:did|does|do) (?:that|this|it) (?:cost|bring|make|earn|take|mean|come|amount|add|change|go|sell|happen|look)\b"
    r"|\b(?:is|are|was|were) (?:that|this|those|these|they) (?:in total|altogether|overall|all together|in all)$"
    rf"|^how many {DEED_DONE}|^how many (?:are|were|have|had) (?!there\b|we\b|you\b)"
    r"|^which (?:are|were) (?:(?:not|still|already|now|also|never) )*[a-z-]+$"
    r"|^(?:show|list|give|name)(?: me| us)? (?:all )?the [a-z]+(?: behind (?:it|that|this|them)| themselves)?$"
    r"|^(?:the )?(?:average|avg|mean|median|total)(?: (?!(?:by|per|of|in|for|from|each|every|since|last|this|between|with|without|who|that|where|when|before|after|over|under)\b)[a-z]+){2,4}$"
    r"|^(?:what|how (?:much|many))(?: (?:money|of (?:them|those|these)))? (?:is|are|was|were) (?:that|this|it|they|those|these)\b(?! (?:who|which|that)\b)"
    r"|^what (?:is|was|'s) the (?:grand |overall )?(?:total|sum)$|^what's the (?:grand |overall )?(?:total|sum)$"
    r"|^(?:who|which(?: ones)?(?: of (?:them|those|these))?) (?:left|started|joined|quit|are|were|is|was|have|has|had|did|do)\b[^?]*\? *(?:please )?(?:(?:list|show|give|just|only|with)\b|(?:the |their )?(?:names?|numbers?)\b)",
    re.IGNORECASE,
)
"""Figures without a noun of their own, and "that": they speak of what was asked before."""
WHO_ARE = re.compile(r"^who (?:have|has|had|are|were) (?:never|not|also|already|only|still)\b", re.IGNORECASE)
"""A condition without a noun of its own, or with a question mark a question."""
WHO_DID = re.compile(
    rf"(?:who|that|which) (?!are\b|is\b|has\b|have\b)\w+(?:ed|d|t|ame|ook|ent|eft) (?:(?:in|since|before|after|until|during|on) )?(?:{MOMENT}|{SPAN})",
    re.IGNORECASE,
)
"""One deed and its time, which says something of those who were asked for before."""
ASKS = re.compile(
    r"^(?:how|what|which|who|whom|whose|where|when|list|show|give|find|count|name|display|is|are|was|were|does|do|did"
    r"|has|have|get|tell|compute|calculate|total|average|number|return|provide|top|bottom|plot|draw)\b",
    re.IGNORECASE,
)
INTERROGATIVE = re.compile(
    r"(?:how|what|which|who|whom|whose|where|when|why|is|are|was|were|does|do|did)\b", re.IGNORECASE
)
LISTS = (
    r"^(?:list|show|give|find|display|name|what are|which are|who are|tell)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?"
    r"(?:(?:names?|ids?|titles?) of\s+)?(?:all\s+)?(?:the\s+)?"
)
EDGE = (
    r"in|for|from|since|with|without|where|who|that|which|only|sorted|ordered|during|between|before|after|over|last"
    r"|this|excluding|as|of|when|whose|until|on|at|is|are|was|were|did|does|do|has|have|had|by|per|instead|to"
)
NOUNS = rf"(?:the\s+)?(?!(?:{EDGE})\b)[\w'-]+(?:(?:\s+(?:and\s+|by\s+(?=\w+$))?)(?!(?:{EDGE}|and)\b)[\w'-]+){{0,4}}"
GROUPING = re.compile(
    rf"(?<!sorted )(?<!ordered )(?<!order )(?<!sort )(?<!ranked )"
    r"(?:(?<!placed )(?<!made )|(?=by\s+(?:hour|day|week|weekday|month|quarter|year)\b))"
    rf"\b(by|per|for each|for every|in each|in every|of each|grouped by|broken down by)\s+({NOUNS})",
    re.IGNORECASE,
)
TOP = re.compile(
    rf"\b(top|bottom|first|last)(?:\s+({NUMBER}))?\s+((?:[\w'-]+\s+){{1,3}}?)by\b", re.IGNORECASE
)
BEST = r"(?:(?:most|least)\s+[a-z]+|(?:best|worst|top)[- ][a-z]+ing|[a-z]{3,}est|best|worst)"
BEST_BY = re.compile(rf"\b{BEST}\s+([\w'-]+)\s+by\b", re.IGNORECASE)
WHICH = re.compile(rf"\b(which|what|the)\s+({NUMBER})\s+(?:{BEST}\s+)?([\w'-]+)", re.IGNORECASE)
WHICH_ONE = re.compile(r"^(which|what)\s+([\w'-]+)\s+(?!(?:is|are|was|were)\s+the\b)", re.IGNORECASE)
SORTED = re.compile(
    r",?\s*(?:\b(?:and\s+)?(?:sort(?:ed)?|order(?:ed)?)\s+(?:it\s+|them\s+)?by\b[^,]*|\bin (?:ascending|descending|alphabetical) order\b"
    r"|\bsorted alphabetically\b|\b(?:highest|lowest|largest|smallest|newest|oldest) first\b)",
    re.IGNORECASE,
)
SHARE = re.compile(
    r"^as (?:a )?(?:share|percentages?|percent|proportion|fraction)\b(.*)$|^in (?:percent|percentages?|%)$",
    re.I,
)
OPPOSITES = {
    "top": "bottom", "most": "least", "highest": "lowest", "largest": "smallest", "best": "worst",
    "oldest": "youngest", "newest": "oldest", "longest": "shortest", "more": "fewer", "first": "last", "biggest": "smallest",
}  # fmt: skip
OPPOSITE = {**OPPOSITES, **{v: k for k, v in OPPOSITES.items() if v != "oldest"}}
FIGURES = {
    "average": "average", "mean": "average", "total": "total", "sum": "total", "median": "median",
    "maximum": "maximum", "minimum": "minimum",
}  # fmt: skip
PERIODS = {
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "quarterly": "quarter",
    "yearly": "year",
    "annually": "year",
}


TIMES = frozenset(("hour", "day", "week", "weekday", "month", "quarter", "year", "decade"))
EACH = re.compile(r"\b(each|every)\s+([\w'-]+)", re.IGNORECASE)
DOES_EACH = re.compile(r"\b(?:does|did|do)\s+(?:each|every)\s+[\w'-]+\s+[\w'-]+", re.IGNORECASE)


def is_moment(text: str) -> bool:
    """Whether a text begins with a point in time ("2024", "March 2024", "Q1")."""
    return bool(re.match(MOMENT, text, re.IGNORECASE))


def is_number(found: re.Match[str], text: str) -> bool:
    """Whether what looks like a year is a plain number ("more than 2000"), or "may" a verb."""
    before = text[: found.start()].lower().rstrip()
    if re.search(r"(?:than|least|most|above|below|over|under|top|first)$", before) and found.group(1) is None:
        return True
    return found.group(0) == "may"


def cased(word: str, like: str) -> str:
    """Write a word with a capital where the one it replaces has one."""
    return word.capitalize() if like[:1].isupper() else word.lower()


def lead_off(part: str) -> str:
    """Drop what only announces the change."""
    return re.sub(
        r"^(?:(?:what|how) about|what if it (?:was|were)|what if|the same(?: thing| question)?(?: (?:for|in|but(?: for)?|with))?|same(?: for| in| but)?"
        r"|only|just|also|plus|add|include|use|now|compare|filter(?: (?:to|by|on))?|restrict to|limit to)\s+(?:only\s+|just\s+|for\s+(?=\w+ )|the\s+(?=[\w-]+\s+ones?$))?",
        "",
        part,
        flags=re.IGNORECASE,
    ).strip()


NO_FIGURE = re.compile(
    r"(?:which|what) [\w-]+(?: [\w-]+)? (?:has|had|have|is|was|are|were|got|does|did)(?: (?:the|it|that))? (?:most|least|best|worst|highest|lowest|biggest|smallest|largest|top|fewest)(?: (?:of (?:them|those|these|all)|there))?"
    r"|(?:which|what) [\w-]+(?: [\w-]+)? (?:grew|rose|fell|increased|decreased|dropped|changed|improved|declined)(?: the)? (?:most|least|fastest)"
    r"|how many (?:of|in|for|per|by|at|from)(?: each| every)? [\w-]+(?: [\w-]+)?",
    re.IGNORECASE,
)
"""A question that says of which groups and not of what: "which city has the most", "how many of each segment"."""
