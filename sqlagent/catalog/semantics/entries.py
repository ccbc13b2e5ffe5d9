"""Columns whose texts are lists: "CAT;DOG", "wifi, parking", '["red", "blue"]'. How their entries are separated, and which there are.

Decides by the texts alone and cautiously: a name or an address with a comma is no list. Entries of a list come back in other
texts, in other places; lists are of different lengths.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlagent.language.words import stem

JSON = "json"
"""The separator of a list that is written as a JSON array of texts."""

SEPARATORS = (";", "|", ",")

MOST = 60
"""Different entries of a column at most: what is listed without end is no category."""

LONGEST = 30
"""Characters of an entry at most, and four words: a longer text is a sentence."""

COMING_BACK = 0.6
"""Share of the entries that stand in several texts at least; half as many will do where all entries are single words."""

MOVING = 0.3
"""Share of the entries that come back which stand in different places at least, where commas part them: in "City, Country" none does."""

_TOLD = frozenset(map(stem, ("name", "title", "address", "street", "note", "comment", "description", "remark", "subject", "city", "place", "location", "email")))  # fmt: skip
"""Words of columns whose commas are of the language."""

_IN_QUOTES = re.compile(r'"([^"\\]*)"')


@dataclass(frozen=True, slots=True)
class Entries:
    """How the entries of a column's lists are separated, with a space behind where some are, and the entries, the most common first."""

    separator: str
    texts: tuple[str, ...]


def entries_of(words: Sequence[str], texts: Sequence[str]) -> Entries | None:
    """Tell the entries of a column that holds lists; None where it holds none.

    Example:
        >>> entries_of(("speci",), ["DOG", "CAT;DOG", "CAT", "DOG;PIG", "PIG;CAT;HORSE", "HORSE"])
        Entries(separator=';', texts=('DOG', 'CAT', 'PIG', 'HORSE'))
        >>> entries_of(("home",), ["Lyon, France", "Nice, France", "Bern, Switzerland", "Basel, Switzerland"]) is None
        True
    """
    held = [text.strip() for text in texts if text.strip()]
    if len(held) < 3:
        return None
    if all(text.startswith("[") and text.endswith("]") for text in held):
        return _of_arrays(held)
    if set(words) & _TOLD:
        return None
    for separator in SEPARATORS:
        if sum(separator in text for text in held) >= 2 and (found := _split(held, separator)) is not None:
            return found
    return None


def _of_arrays(held: Sequence[str]) -> Entries | None:
    lists: list[list[str]] = []
    for text in held:
        try:
            read = json.loads(text)
        except ValueError:
            return None
        stored = _IN_QUOTES.findall(text)
        if (
            not isinstance(read, list)
            or len(stored) != len(read)
            or not all(isinstance(e, str) for e in read)
        ):
            return None
        lists.append(stored)
    found = _common(lists)
    return Entries(JSON, found) if len(found) <= MOST and any(len(one) > 1 for one in lists) else None


def _split(held: Sequence[str], separator: str) -> Entries | None:
    lists = [[piece.strip() for piece in text.split(separator)] for text in held]
    is_spaced = any(f"{separator} " in text for text in held)
    places: dict[str, set[int]] = defaultdict(set)
    for one in lists:
        if len(set(one)) < len(one) or not all(map(_is_entry, one)):
            return None
        if is_spaced and len(one) == 1:
            continue  # a city stands alone, and a country
        for place, entry in enumerate(one):
            places[entry].add(place)
    found = _common(lists)
    if len(found) > MOST or len({len(one) for one in lists}) < 2:
        return None
    if separator == "," and any(entry.replace(".", "").isdigit() for entry in found):
        return None  # a comma between digits is a part of a number
    many = Counter(entry for one in lists for entry in one)
    back = [entry for entry in found if many[entry] > 1]
    is_plain = all(" " not in entry for entry in found)
    if len(back) < 2 or len(back) < COMING_BACK * (0.5 if is_plain else 1.0) * len(found):
        return None
    is_of_language = separator == ","
    if is_of_language and sum(len(places[entry]) > 1 for entry in back) < MOVING * len(back):
        return None
    return Entries(f"{separator} " if is_spaced else separator, found)


def _is_entry(text: str) -> bool:
    return 0 < len(text) <= LONGEST and len(text.split()) <= 4 and any(map(str.isalnum, text))


def _common(lists: Iterable[Sequence[str]]) -> tuple[str, ...]:
    """The different entries, those of most lists first."""
    return tuple(entry for entry, _ in Counter(entry for one in lists for entry in one).most_common())
