"""The wish in the words of a question, before any candidate is seen.

Plain tables of English words and patterns; nothing here knows a schema or a database. Shared by
the stages that compare what was asked with what came back. It decides the shape asked for
(order, count, existence, extremes, distinctness); which columns are meant is linking's business.
"""

from __future__ import annotations

import re
from functools import lru_cache

from sqlagent.language import words

_WORD = re.compile(r"[a-z0-9]+(?:\.[0-9]+)?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

STOP_WORDS = frozenset(
    """a about all also among an and any are as at be been being between both but by came can come comes could did do does
    each either every find for from get give given had has have having he her him his how i if in indicate
    into is it its itself kindly let list many me mention much my name of on one only or other our out over
    per please provide return s she show some state tell than that the their them then there these they
    this those to under us was we were what when where which while who whom whose why will with would you
    your""".split()  # noqa: SIM905 - read as a paragraph
)

_NOT_SUPERLATIVE = (
    "guest|west|southwest|northwest|midwest|test|contest|protest|latest|request|forest|interest|rest|harvest|invest"
    "|nest|chest|suggest|priest|honest|quest|digest|manifest|everest|budapest|bucharest|crest|arrest|modest|attest"
)
_SUPERLATIVE = (
    rf"(?:most|least|fewest|best|worst|top|bottom|first|last|latest|(?!(?:{_NOT_SUPERLATIVE})\b)\w{{2,}}est)"
)
_MANY = (
    r"(?:[2-9]|[1-9][0-9]+|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|fifty|hundred)"
)
_ORDER = re.compile(
    r"\b(?:order(?:ed|ing)?\s+(?:by|from|according|based|alphabetically)"
    r"|order(?:ed|ing)?\s+in\s+(?:(?!\d)\w+\s+){0,3}(?:order|manner|way|sequence)\b"
    r"|order(?:ed|ing)?\s+in\s+(?:the\s+)?(?:reverse|increas\w*|decreas\w*)"
    r"|(?:in|by)\s+(?!(?:each|any|an?|one|every|their|the same|this|all)\b)(?:\w+\s+){0,3}order\b|order\s+(?:\w+\s+){1,5}by\b"
    r"|order\s+(?:the|them|these|those|it|results?)\b|sort(?:ed|ing)?\b|ascending|desc\w*nding|desc\b|asc\b"
    r"|alphabetical(?:ly)?|lexicographic\w*|rank(?:ed|ing)\b(?!\s+(?:is|of|was))|chronological(?:ly)?"
    r"|(?:listed|arranged?|arranging)\s+(?:\w+\s+){0,3}by|starting\s+with\s+the\s+\w+(?:est|most)"
    rf"|from\s+(?:the\s+)?(?:\w+\s+)?(?:{_SUPERLATIVE}|high|low|old|young|large|small|early|late|new)\b.{{0,40}}?\bto\b"
    rf"|{_SUPERLATIVE}\s+(?:to|first)\b)",
    re.IGNORECASE,
)
_TOP_MANY = re.compile(
    rf"(?<!at )(?<!on )\b{_SUPERLATIVE}\s+{_MANY}\b"
    rf"|(?<!than )(?<!least )(?<!most )\b{_MANY}\s+(?:\w+\s+){{0,6}}?(?<!at )(?<!the )(?:the\s+)?{_SUPERLATIVE}\b"
    rf"(?!\s+(?:name|{_MANY})\b)",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"\b(?:how many|number of|count(?:s|ed)?\b|how often|total number|amount of)", re.IGNORECASE
)
_EXISTS = re.compile(
    r"^\s*(?:is|are|was|were|do|does|did|has|have|had|can|could|will)\b|\bwhether\b|\b(?:is|are) there any\b"
    r"|\bor not\b|\bif there (?:is|are)\b|\btrue or false\b|\byes or no\b",
    re.IGNORECASE,
)


def stem(word: str) -> str:
    """Reduce an English word to its stem, lower case.

    Example:
        >>> stem("Countries") == stem("country")
        True
    """
    return words.stem(word.lower())


@lru_cache(maxsize=65_536)
def words_of(text: str) -> tuple[str, ...]:
    """Split text or an identifier into lower-case words; camelCase and snake_case come apart.

    Example:
        >>> words_of("buildUpPlay_Speed of the Team")
        ('build', 'up', 'play', 'speed', 'of', 'the', 'team')
    """
    return tuple(_WORD.findall(_CAMEL.sub(" ", text).replace("_", " ").lower()))


@lru_cache(maxsize=65_536)
def stems_of(text: str) -> tuple[str, ...]:
    """Split text or an identifier into stems, in order, function words kept."""
    return tuple(stem(word) for word in words_of(text))


@lru_cache(maxsize=16_384)
def content_stems(text: str) -> frozenset[str]:
    """Collect the stems of a text's words that carry meaning."""
    return frozenset(stem(word) for word in words_of(text) if word not in STOP_WORDS)


def asks_order(text: str) -> bool:
    """Tell whether a question asks for its rows in an order.

    Measured against the outermost ORDER BY of published gold SQL: right for 99.7 % of 5,832
    questions, and for 98.4 % of those whose rows are in order.

    Example:
        >>> asks_order("List the shops sorted by revenue."), asks_order("Which shops are open?")
        (True, False)
    """
    return bool(_ORDER.search(text) or _TOP_MANY.search(text))


def asks_count(text: str) -> bool:
    """Tell whether a question asks how many."""
    return bool(_COUNT.search(text))


def asks_existence(text: str) -> bool:
    """Tell whether a question is one of yes or no, for which no rows may be the answer."""
    return bool(_EXISTS.search(text))
