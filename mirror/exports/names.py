"""Names that a format can take: of files, of sheets, of columns that must differ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from mirror.exports.texts import whole
from mirror.exports.values import FORMATS
from mirror.phrases import one_line

# Excel: a sheet's name has at most 31 characters, none of these, and no apostrophe at its edges.
_SHEET_CHARS = 31
_NOT_IN_SHEETS = re.compile(r"[\[\]:*?/\\\x00-\x1f\x7f\ufffe\uffff]+")

# Letters that are written as two in ASCII; others lose their accents.
_LETTERS = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "ø": "oe", "å": "aa", "œ": "oe"}
)


def unique(names: Sequence[str]) -> tuple[str, ...]:
    """Make names differ: the second `total` becomes `total_2`, one that is empty `column_3`.

    Example:
        >>> unique(["id", "total", "total", "", "total_2"])
        ('id', 'total', 'total_3', 'column_4', 'total_2')
    """
    made: list[str] = []
    taken = {whole(name) for name in names}
    seen: set[str] = set()
    for number, name in enumerate(map(whole, names), start=1):
        stem = name or f"column_{number}"
        found, count = stem, 1
        while found in seen or (found != name and found in taken):
            count += 1
            found = f"{stem}_{count}"
        seen.add(found)
        made.append(found)
    return tuple(made)


def sheet_names(titles: Iterable[str], reserved: Iterable[str] = ("History",)) -> tuple[str, ...]:
    """Make titles into names of sheets: valid, and different whatever their letter case.

    `reserved` are names that are taken; Excel keeps *History* for itself.

    Example:
        >>> sheet_names(["Sales 1/2", "sales 1 2", "", "x" * 40])
        ('Sales 1 2', 'sales 1 2 (2)', 'Sheet3', 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')
    """
    made: list[str] = []
    seen = {name.casefold() for name in reserved}
    for number, title in enumerate(titles, start=1):
        clean = " ".join(_NOT_IN_SHEETS.sub(" ", one_line(title)).split()).strip("'")
        stem = _cut(clean, _SHEET_CHARS).strip("' ") or f"Sheet{number}"
        name, count = stem, 1
        while name.casefold() in seen:
            count += 1
            mark = f" ({count})"
            name = _cut(stem, _SHEET_CHARS - len(mark)).rstrip() + mark
        seen.add(name.casefold())
        made.append(name)
    return tuple(made)


def _cut(text: str, most: int) -> str:
    """Cut to so many characters as Excel counts them: an emoji is two."""
    return text.encode("utf-16-le")[: most * 2].decode("utf-16-le", "ignore")


def file_name(title: str, format: str, first_rows: int | None = None) -> str:
    """Name a file after its title; one that holds only the first rows says so in its name.

    Example:
        >>> file_name("Which five countries?", "xlsx"), file_name("../", "csv", first_rows=10)
        ('which-five-countries.xlsx', 'rows.first-10-rows.csv')
        >>> file_name("Rückgaben nach Größe, café", "pdf")
        'rueckgaben-nach-groesse-cafe.pdf'
    """
    plain = (
        unicodedata.normalize("NFKD", title.lower().translate(_LETTERS)).encode("ascii", "ignore").decode()
    )
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:60].strip("-") or "rows"
    cut = "" if first_rows is None else f".first-{first_rows}-rows"
    return f"{stem}{cut}.{FORMATS[format].extension}"
