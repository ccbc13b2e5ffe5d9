"""Stored codes of several words without the small ones between: "waiting for parts" is `waiting_parts`."""

from __future__ import annotations

import re
from itertools import pairwise

from sqlagent.makers.analyst.vocabulary import Vocabulary

_BETWEEN = r"(?: (?:for|of|to|on|by|the|a|an|our|their)){1,2} "


def with_codes(text: str, vocabulary: Vocabulary) -> str:
    """Leave the small words out between those of a code that the source stores.

    Only codes with underscores are looked for: a name such as `Sales North` is not what "sales for north" says.
    """
    low = text.lower()
    for words in vocabulary.spelling.coded:
        if all(word in low for word in words):
            for before, after in pairwise(words):
                text = re.sub(rf"\b({before}){_BETWEEN}({after})\b", r"\1 \2", text, flags=re.IGNORECASE)
    return text
