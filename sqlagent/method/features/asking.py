"""The kind of answer that a question asks for, by its words alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from sqlagent.language import wording

_NUMBER = re.compile(r"(?<![\w.])-?\d[\d,]*(?:\.\d+)?(?![\w])")
_QUOTED = re.compile(r"[\"“‘`]+([^\"”’`]{1,80})[\"”’`]+|(?<!\w)'+([^']{1,80})'+(?!\w)")
_NUMBER_WORDS = {
    "once": "1", "two": "2", "twice": "2", "three": "3", "four": "4", "five": "5", "six": "6", "seven": "7",
    "eight": "8", "nine": "9", "ten": "10", "twelve": "12", "fifteen": "15", "twenty": "20", "hundred": "100",
}  # fmt: skip

_PATTERNS: dict[str, str] = {
    "average": r"\b(?:average|mean|avg)\b",
    "total": r"\b(?:total|sum|altogether|combined|overall)\b",
    "most": r"\b(?:most|highest|largest|biggest|greatest|maximum|max|longest|latest|newest|oldest|heaviest|tallest"
    r"|best|fastest|top|strongest|richest|last|most recent|more than any)\b",
    "least": r"\b(?:least|lowest|smallest|fewest|minimum|min|shortest|earliest|youngest|lightest|worst|slowest"
    r"|cheapest|weakest|first)\b",
    "distinct": r"\b(?:distinct|different|unique|various|kinds? of|types? of|no repeats?|without repeats?)\b",
    "each": r"\b(?:each|every|per|respective(?:ly)?|for all|grouped?)\b|\bby (?:the )?(?:\w+\s)?(?:country|year|month"
    r"|category|region|type|gender|age|city|name|status|department)\b",
    "percent": r"\b(?:percent(?:age)?s?|proportion|ratio|rate|share|fraction|times more|how many times)\b|%",
    "greater": r"\b(?:more|greater|higher|larger|bigger|older|longer|later|heavier|taller|better) than\b|\b(?:over|above"
    r"|exceed\w*|after|since|at least|or more|no less|minimum of|beyond)\b|>",
    "smaller": r"\b(?:less|fewer|lower|smaller|younger|shorter|earlier|lighter|worse) than\b|\b(?:under|below|before"
    r"|until|at most|or less|no more|maximum of|within)\b|<",
    "at_least": r"\b(?:at least|or more|no less|or above|minimum of|not less)\b",
    "between": r"\bbetween\b|\bfrom \d.*\bto \d",
    "contains": r"\b(?:contain\w*|includ\w*|start\w* with|begin\w*|end\w* with|substring|letter|word|prefix|like|part of)\b",
    "absence": r"\b(?:not|no|without|never|none|neither|nor|except|excluding|other than|besides|lack\w*)\b|n't\b|n’t\b",
    "names": r"\bnames?\b|\btitled?\b|\bcalled\b|\bwho\b",
    "ids": r"\b(?:ids?|identifiers?|codes?|numbers?|keys?)\b",
    "list_all": r"^\s*(?:list|show|give|find|return|what are|which|display|who are|please list|name)\b",
    "which": r"^\s*(?:which|what|who|whose)\b",
    "count": r"\b(?:how many|number of|count(?:s|ed)?\b|how often|total number|amount of)",
    "popular": r"\b(?:popular|common|frequent\w*|typical)\b",
}
_COMPILED = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PATTERNS.items()}
_TAIL = re.compile(
    r"\b(?:whose|who|that|which|where|with|having|for (?!all\b)|in (?!each)|from|by|when|if|has|have|had|among|ordered|sorted"
    r"|in order|and have|and has)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Asked:
    """The kind of answer that a question asks for. `cues` are the patterns found; `head` are the stems of its first part."""

    text: str
    hint: str
    stems: frozenset[str]
    hint_stems: frozenset[str]
    sequence: tuple[str, ...]
    head: frozenset[str]
    numbers: frozenset[str]
    quoted: tuple[str, ...]
    cues: frozenset[str]
    ordered: bool

    def wants(self, *cues: str) -> bool:
        """Tell whether any of these cues stands in the question."""
        return any(cue in self.cues for cue in cues)

    def place(self, stem: str) -> int:
        """The place of a stem in the question, counted in words; -1 where it is not."""
        return self.sequence.index(stem) if stem in self.sequence else -1


@lru_cache(maxsize=512)
def asked(text: str, hint: str = "") -> Asked:
    """Read a question's words once.

    Example:
        >>> a = asked("What is the average age of the 3 oldest players from 'Oslo'?")
        >>> a.wants("average"), a.wants("count"), sorted(a.numbers), a.quoted
        (True, False, ['3'], ('oslo',))
    """
    numbers = {plain_number(match) for match in _NUMBER.findall(text)}
    numbers |= {_NUMBER_WORDS[word] for word in wording.words_of(text) if word in _NUMBER_WORDS}
    start = re.match(r"\s*(?:for|in|of|among)\b[^,]*,", text, re.IGNORECASE)
    body = text[start.end() :] if start else text
    first = next((m.start() for m in _TAIL.finditer(body) if m.start() > 8), len(body))
    return Asked(
        text=text.lower(),
        hint=hint.lower(),
        stems=wording.content_stems(text),
        hint_stems=wording.content_stems(hint),
        sequence=wording.stems_of(text),
        head=wording.content_stems(body[:first]),
        numbers=frozenset(numbers),
        quoted=tuple((a or b).strip().lower() for a, b in _QUOTED.findall(text)),
        cues=frozenset(name for name, pattern in _COMPILED.items() if pattern.search(text)),
        ordered=wording.asks_order(text),
    )


def plain_number(text: str) -> str:
    """Write a number as plainly as possible: `1,000.0` becomes `1000`."""
    bare = text.replace(",", "")
    return bare.rstrip("0").rstrip(".") if "." in bare else bare
