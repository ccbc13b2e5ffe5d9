"""Verbs of two words that say what one verb says: bills turned down are rejected, visits called off are cancelled.

A phrase that the source stores itself stays as it is.
"""

from __future__ import annotations

import re

from sqlagent.makers.analyst.vocabulary import Vocabulary

_ONE = {
    "turned down": "rejected",
    "called off": "cancelled",
    "sent back": "returned",
    "handed in": "submitted",
    "put off": "postponed",
    "signed off": "approved",
    "sorted out": "resolved",
    "let go": "dismissed",
}
_PHRASE = re.compile(rf"\b(?:{'|'.join(_ONE)})\b(?! (?:to|into|with)\b)", re.IGNORECASE)

_STORED = 0.1
"""Cost up to which a phrase is stored as it was typed."""


def with_one_verb(text: str, vocabulary: Vocabulary) -> str:
    """Give a question with one verb for each such phrase that the source does not know."""

    def one(found: re.Match[str]) -> str:
        said = found[0].lower()
        is_stored = any(target.cost < _STORED for target in vocabulary.targets(said.split()))
        return found[0] if is_stored else _ONE[said]

    return _PHRASE.sub(one, text)
