"""Verbs of the asking business about its own things restrict nothing: flats that we manage are flats.

"How many flats do we manage", "sites we look after by region" and "vans on our books" ask for flats, sites and vans. A verb whose participle
the source stores, as a time, a state or a flag, stays: "how many vans do we own" where vans are owned or leased. Other subjects restrict
as usual: "how many flats does Ada manage".
"""

from __future__ import annotations

import re

from sqlagent.makers.analyst.targets import is_time, name_words
from sqlagent.makers.analyst.vocabulary import Vocabulary

_VERBS = {
    "manage": "managed",
    "run": "run",
    "look after": "looked after",
    "take care of": "taken care of",
    "handle": "handled",
    "operate": "operated",
    "oversee": "overseen",
    "administer": "administered",
    "maintain": "maintained",
    "have": "had",
    "have got": "had",
    "keep": "kept",
    "own": "owned",
    "work with": "worked with",
    "deal with": "dealt with",
    "managing": "managed",
    "running": "run",
    "looking after": "looked after",
    "taking care of": "taken care of",
    "handling": "handled",
    "operating": "operated",
    "working with": "worked with",
}
"""Verbs for what a business does with what it has, and their participles."""

_VERB = "|".join(sorted(_VERBS, key=len, reverse=True))
_END = r"(?=\s*(?:$|[?,.;:]|(?:in|on|at|by|per|for|with|and|of|from|to|right now|now|today|currently|at present|altogether|in total|overall|each|that|which|who|where)\b))"
_ASKED = re.compile(
    rf"(?P<lead>\b(?:how many|which|what|number of) (?:[\w'-]+ ){{1,4}}?)(?:do|are|have|did) (?:we|you|they) (?:currently |actually |now |still )?(?P<verb>{_VERB})(?: (?:for|on behalf of) (?:clients|customers|others|them))?{_END}",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"(?<=[a-z]) (?:that |which )?we (?:currently |actually |now )?(?P<verb>{_VERB}){_END}", re.IGNORECASE
)
_UNDER = re.compile(
    r" (?:under (?:our )?management|in our (?:portfolio|care)|in our hands|on our books)(?=\s*(?:$|[?,.;:]|by\b|per\b|in\b|and\b|with\b))",
    re.IGNORECASE,
)

_STORED = 0.1
"""Cost up to which a participle is what a source stores."""


def without_idle_deeds(text: str, vocabulary: Vocabulary) -> str:
    """Give a question without what the asking business does with what is its own."""
    text = _ASKED.sub(lambda found: _bare(found, vocabulary), text)
    text = _BEHIND.sub(lambda found: "" if _is_idle(found["verb"], vocabulary) else found[0], text)
    return _UNDER.sub(lambda found: found[0] if _is_stored(found[0].split(), vocabulary) else "", text)


def _bare(found: re.Match[str], vocabulary: Vocabulary) -> str:
    """The noun without the deed; with its state, where the source stores that: vans that are owned."""
    lead, verb = found["lead"].rstrip(), " ".join(found["verb"].lower().split())
    if _is_idle(verb, vocabulary):
        return lead
    done = _VERBS[verb]
    stored = any(t.kind == "value" and t.cost <= _STORED for t in vocabulary.targets(done.split()))
    return f"{lead} that are {done}" if stored and " " not in done else found[0]


def _is_idle(verb: str, vocabulary: Vocabulary) -> bool:
    return not _is_stored(_VERBS[" ".join(verb.lower().split())].split()[:1], vocabulary)


def _is_stored(words: list[str], vocabulary: Vocabulary) -> bool:
    """Whether a word is a state, a time or a flag of the source by its very letters."""
    said = words[-1].lower()
    for target in vocabulary.targets([said]):
        if target.cost > _STORED:
            continue
        if (
            target.kind == "value"
            or is_time(target, vocabulary.model)
            or said in name_words(target, vocabulary.model)
        ):
            return True
    return False
