"""Seasons of a year as their months, by the meteorological calendar of the north: summer 2025 is June to August 2025."""

from __future__ import annotations

import re

from sqlagent.makers.analyst.vocabulary import Vocabulary

_MONTHS = {"spring": "march to may", "summer": "june to august", "autumn": "september to november"}
_MONTHS["fall"] = _MONTHS["autumn"]
_WITHIN = re.compile(
    r"\b(?:in )?(?:the )?(?P<season>spring|summer|autumn|(?<=in )fall|(?<=in the )fall)(?: months| season)?(?: of)? (?P<year>(?:19|20)\d\d)\b(?![/-])",
    re.IGNORECASE,
)
_WINTER = re.compile(
    r"\b(?:in )?(?:the )?winter(?: months| season)?(?: of)? (?P<year>(?:19|20)\d\d) ?[/-] ?(?:(?:19|20)?(?P<next>\d\d))\b",
    re.IGNORECASE,
)
_STORED = 0.1
"""Cost below which a word is the name of something stored."""


def with_seasons(text: str, vocabulary: Vocabulary) -> str:
    """Tell seasons by their months, but for a source that stores seasons itself.

    A winter needs both of its years: "winter 2025" ends in that year or begins in it.
    """

    def told(found: re.Match[str]) -> str:
        season = found["season"].lower()
        return found[0] if _is_stored(season, vocabulary) else f"{_MONTHS[season]} {found['year']}"

    def winter(found: re.Match[str]) -> str:
        year = int(found["year"])
        if (year + 1) % 100 != int(found["next"]) or _is_stored("winter", vocabulary):
            return found[0]
        return f"december {year} to february {year + 1}"

    return _WITHIN.sub(told, _WINTER.sub(winter, text))


def _is_stored(season: str, vocabulary: Vocabulary) -> bool:
    return any(target.cost < _STORED for target in vocabulary.targets([season]))
