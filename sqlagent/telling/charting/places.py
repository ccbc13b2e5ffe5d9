"""Places on a map: countries by their names and codes, and columns that hold them or coordinates.

Decides which texts are countries. `countries.tsv` has a line a country: ISO 3166 codes, how far its largest part reaches (south, west,
north, east) or, if the map has no shape for it, where it stands (latitude, longitude), and its names. England is no country here: coloured as one, it would be all of the United Kingdom.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from sqlagent.rows.columns import Profile, Role, in_words, number_of
from sqlagent.values import Cell, Kind, Rows

KNOWN = 0.8
"""Share of a column's values that are countries, from which it is one of countries."""
LOOKED_AT = 500
"""Values of a column that are looked at, at most."""

_CALLED = frozenset(
    ("country", "countries", "nation", "nations", "nationality", "land", "iso", "iso2", "iso3")
)
_WORDS = re.compile(r"[^\W_]+")
_LATITUDE = frozenset(("lat", "latitude"))
_LONGITUDE = frozenset(("lon", "lng", "long", "longitude"))


@dataclass(frozen=True, slots=True)
class Country:
    """A country and how far it reaches: south, west, north, east. One that has no shape on the map is a dot."""

    iso3: str
    bounds: tuple[float, float, float, float]

    @property
    def is_dot(self) -> bool:
        """Whether it is too small for a shape."""
        south, west, north, east = self.bounds
        return south == north and west == east


@cache
def _countries() -> dict[str, Country]:
    found: dict[str, Country] = {}
    for line in Path(__file__).with_name("countries.tsv").read_text(encoding="utf-8").splitlines():
        iso3, iso2, reach, names = line.split("\t")
        south, west, *far = map(float, reach.split())
        north, east = far or (south, west)
        country = Country(iso3, (south, west, north, east))
        for name in (iso3, iso2, *names.split("|")):
            found.setdefault(_plain(name), country)
    return found


def country_of(cell: Cell) -> Country | None:
    """The country that a text names, by its name or a code of ISO 3166; None where it names none.

    Example:
        >>> [country_of(text).iso3 for text in ("Norway", "no", "NOR", "The Netherlands", "Türkiye", "Trinidad & Tobago", "St. Lucia")]
        ['NOR', 'NOR', 'NOR', 'NLD', 'TUR', 'TTO', 'LCA']
        >>> country_of("England") is country_of("Atlantis") is country_of(None)
        True
    """
    return _countries().get(_plain(cell)) if isinstance(cell, str) else None


def _plain(name: str) -> str:
    letters = unicodedata.normalize("NFKD", name.casefold().replace("ı", "i").replace("&", " and "))
    words = _WORDS.findall("".join(c for c in letters if c not in "'’." and not unicodedata.combining(c)))
    if words[:1] == ["the"]:
        words = words[1:]
    return " ".join("saint" if word == "st" else word for word in words)


def country_column(rows: Rows, columns: Sequence[Profile]) -> Profile | None:
    """The column whose values are countries, by most of them and, where they are codes, by its name too.

    Example:
        >>> from sqlagent.rows.columns import profiles
        >>> rows = Rows(("market", "state", "n"), (("Norway", "CA", 1), ("Sweden", "DE", 2), ("Chad", "IN", 3)))
        >>> country_column(rows, profiles(rows)).name
        'market'
    """
    for column in columns:
        if column.role in (Role.CATEGORY, Role.KEY) and _is_of_countries(rows, column):
            return column
    return None


def _is_of_countries(rows: Rows, column: Profile) -> bool:
    texts = {row[column.index] for row in rows.rows[: 20 * LOOKED_AT] if isinstance(row[column.index], str)}
    some = sorted(texts)[:LOOKED_AT]
    known = [text for text in some if country_of(text) is not None]
    if len(known) < 2 or len(known) < KNOWN * len(some):
        return False
    is_called = bool(_CALLED & set(in_words(column.name).lower().split()))
    return is_called or (len(known) > 2 and not all(len(text.strip()) <= 3 for text in some))


def coordinate_columns(rows: Rows, columns: Sequence[Profile]) -> tuple[Profile, Profile] | None:
    """The columns of latitude and longitude: named so, and most of their numbers in its range.

    Example:
        >>> from sqlagent.rows.columns import profiles
        >>> rows = Rows(("store", "lat", "lng"), (("a", 59.9, 10.7), ("b", 55.7, 12.6)))
        >>> [column.name for column in coordinate_columns(rows, profiles(rows))]
        ['lat', 'lng']
    """
    latitude, longitude = (
        next((column for column in columns if _is_coordinate(rows, column, called, most)), None)
        for called, most in ((_LATITUDE, 90), (_LONGITUDE, 180))
    )
    return (latitude, longitude) if latitude is not None and longitude is not None else None


def is_longitude(name: str) -> bool:
    """Say whether a column is named as one of longitudes."""
    return bool(_LONGITUDE & set(in_words(name).lower().split()))


def _is_coordinate(rows: Rows, column: Profile, called: frozenset[str], most: int) -> bool:
    if column.kind not in (Kind.INTEGER, Kind.NUMBER) or not called & set(
        in_words(column.name).lower().split()
    ):
        return False
    numbers = [n for row in rows.rows[:LOOKED_AT] if (n := number_of(row[column.index])) is not None]
    return sum(abs(n) <= most for n in numbers) > len(numbers) / 2
