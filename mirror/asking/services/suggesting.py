"""What somebody may be about to type: earlier questions, names of the source, values stored in it.

Only what is at hand is offered: nothing is read from the source while somebody types.
"""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from mirror.asking.selectors import runs_found
from mirror.sources import selectors as sources_seen
from mirror.sources import services as sources
from mirror.sources.models import StoredIndex

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

# As many as can be taken in at a glance: questions first, then names, then values.
QUESTIONS, NAMES, VALUES = 3, 4, 4
# Letters of a word before its rest is guessed.
LETTERS = 2
# A value may be meant by this many of the last words ("new y" for New York).
VALUE_WORDS = 3

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text that takes the place of what was typed from character `start` on."""

    text: str
    note: str
    start: int


def question_suggest(user: User, source: Source, typed: str) -> list[Suggestion]:
    """Suggest how `typed` (the question up to the cursor) may go on, most useful first."""
    typed = typed[-500:]
    words = list(_WORD.finditer(typed))
    found = _questions(user, source, typed.strip())
    if words and words[-1].end() == len(typed) and len(words[-1][0]) >= LETTERS:
        start = words[-1].start()
        found += _names(source, words[-1][0].lower(), start)
        found += _values(source, typed, [word.start() for word in words[-VALUE_WORDS:]])
    return found


def _questions(user: User, source: Source, typed: str) -> list[Suggestion]:
    if len(typed) < LETTERS:
        return []
    asked = runs_found(user, typed, source.name).exclude(asked="").values_list("asked", flat=True)
    known = dict.fromkeys([*map(str, source.examples), *asked[:20]])
    low = typed.lower()
    matching = [text for text in known if low in text.lower() and text.lower() != low]
    return [Suggestion(text, "question", 0) for text in matching[:QUESTIONS]]


def _names(source: Source, begun: str, start: int) -> list[Suggestion]:
    kept = names_of(source.pk, source.catalog_version)
    matching = [(name, note) for name, note in kept if any(part.startswith(begun) for part in name.split())]
    exact_last = sorted(matching, key=lambda found: (not found[0].startswith(begun), len(found[0])))
    return [Suggestion(name, note, start) for name, note in exact_last if name != begun][:NAMES]


@lru_cache(maxsize=32)
def names_of(source_id: int, catalog_version: str) -> tuple[tuple[str, str], ...]:
    """The names of a source's tables and columns in words, each once, with what it is."""
    from mirror.sources.models import Source

    catalog = Source.objects.values_list("catalog", flat=True).get(pk=source_id) or {"tables": []}
    names: dict[str, str] = {}
    for table in catalog["tables"]:
        names.setdefault(_in_words(table["name"]), "table")
    for table in catalog["tables"]:
        for column in table["columns"]:
            names.setdefault(_in_words(column["name"]), f"column of {_in_words(table['name'])}")
    return tuple(names.items())


def _values(source: Source, typed: str, starts: list[int]) -> list[Suggestion]:
    kept = sources_seen.index_state(source)
    if (
        kept is None
        or kept.state != StoredIndex.State.READY
        or kept.catalog_version != source.catalog_version
    ):
        return []
    with closing(sources.open_source(source)) as database:
        index = sources.source_index(source, sources.source_catalog(source, database), database)
    found: dict[str, Suggestion] = {}
    for start in starts:
        begun = typed[start:]
        for match in index.texts(begun, VALUES) if index is not None else ():
            column = f"{_in_words(match.column.column)} of {_in_words(match.column.table)}"
            if match.value.lower() != begun.lower():
                found.setdefault(match.value, Suggestion(match.value, column, start))
    return list(found.values())[:VALUES]


def _in_words(name: str) -> str:
    """Write a name of a table or column as people say it.

    Example:
        >>> _in_words("public.orderLines"), _in_words("ORDER_DATE")
        ('order lines', 'order date')
    """
    last = name.rsplit(".", 1)[-1]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+", " ", last).lower().strip()
