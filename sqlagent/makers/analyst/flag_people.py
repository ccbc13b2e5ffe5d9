"""People by what a yes or no says of them: newsletter subscribers are the customers with a newsletter."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlagent.catalog.semantics import Role, Thing
from sqlagent.makers.analyst.starts import is_people
from sqlagent.makers.analyst.targets import SURE
from sqlagent.makers.analyst.vocabulary import Vocabulary

_THOSE = re.compile(
    r"\b(?P<flag>[a-z]+(?: [a-z]+)?) (?P<who>subscribers?|recipients?|receivers?|holders?|readers?|takers?)\b",
    re.IGNORECASE,
)


def with_flag_people(text: str, vocabulary: Vocabulary) -> str:
    """Tell those whom a source only knows by a flag as the people with it; text without such stays as it is."""

    def told(found: re.Match[str]) -> str:
        if vocabulary.targets([found["who"].lower()]):
            return found[0]
        words = found["flag"].lower().split()
        for cut in range(len(words)):
            if (people := _flagged(words[cut:], vocabulary)) is not None:
                before = " ".join(found["flag"].split()[:cut])
                return f"{before} {people.said} with {' '.join(words[cut:])}".strip()
        return found[0]

    return _THOSE.sub(told, text)


def _flagged(words: Sequence[str], vocabulary: Vocabulary) -> Thing | None:
    """The people that have the flag which words surely name; None where they name none."""
    best = next(iter(vocabulary.targets(words)), None)
    if best is None or best.kind != "field" or best.cost > SURE:
        return None
    field, thing = vocabulary.model.field(best.table, best.column), vocabulary.model.things[best.table]
    return thing if field is not None and field.role is Role.FLAG and is_people(thing) else None
