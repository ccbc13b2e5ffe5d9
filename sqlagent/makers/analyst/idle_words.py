"""Words that change nothing: each is left out in turn, and where the SQL stays the same the word was not read.

A net below all rules: it knows none of them, so it holds where they err. Of 158 answers on ten databases at first sight 42 were
wrong, and in 12 of these a word was idle; of the 116 right ones in 3 (docs/analyst.md, "Confidence").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from sqlagent.catalog.semantics import Model, Role
from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.answering import Understood
from sqlagent.makers.analyst.checking import Held, always_pointed_at
from sqlagent.makers.analyst.frames import Frame
from sqlagent.makers.analyst.own_ends import words_of_ends
from sqlagent.makers.analyst.reading import Reading
from sqlagent.makers.analyst.telling import told

MOST = 12
"""Words that are tried: each costs a reading of the question, some five milliseconds."""

_WORD = re.compile(r"[^\W\d_][\w'’]*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

_DUE_DATE = re.compile(r"\bdue dates?$", re.IGNORECASE)
"""A day by which something is due, told as being overdue."""

_BOUNDING = {
    "after": ("later", "from"),
    "age": ("old", "years"),
    "ages": ("old", "years"),
    "between": ("to", "from"),
    "earliest": ("least", "first"),
    "first": ("least",),
    "gross": (),
    "hours": (),
    "last": ("greatest", "latest"),
    "latest": ("greatest", "last"),
    "minutes": (),
    "newest": ("greatest", "last"),
    "oldest": ("least", "first"),
    "since": ("from",),
    "tax": (),
    "vat": (),
    "weeks": (),
}
"""Words that always change what is asked, each with the words by which an answer may tell them otherwise."""

_PLAIN = frozenset({*STOP_WORDS, "still", "new", "number", "up", "out", "off"})
"""Words that may say nothing, though a column bears their name."""


def idle_words(
    text: str, found: Understood, reading: Reading, model: Model, again: Callable[[str], str]
) -> list[str]:
    """Give the words of a question that its answer neither tells nor needs, though they name or bound something.

    `again` gives the SQL of other words for the question. A word counts that names a column or a table of the source which
    the frame does not hold, and one that always bounds or measures.

    Cost: a reading for each such word that is not told, `MOST` of them at most.
    """
    frame = found.frame
    known = {stem(word) for word in _parts(f"{told(frame)} {' '.join(frame.why)} {found.sql}")}
    mended = {word for pair in reading.mended for one in pair for word in one.lower().split()}
    named = _Named(frame, model)
    known |= {stem(word) for word in words_of_ends(reading, frame)}
    out: list[str] = []
    tried = 0
    for match in _WORD.finditer(text):
        word = match[0].lower()
        if stem(word) in known or word in mended or word in _PLAIN or tried == MOST:
            continue
        if _DUE_DATE.search(text[: match.end()]):
            continue
        if word in _BOUNDING:
            if any(stem(other) in known for other in _BOUNDING[word]):
                continue
        elif not named.elsewhere(word):
            continue
        tried += 1
        if again(f"{text[: match.start()]}{text[match.end() :]}") == found.sql:
            out.append(match[0])
    return out


class _Named:
    """The things that words of a source's names name, held against those that a frame holds."""

    def __init__(self, frame: Frame, model: Model) -> None:
        held = Held()
        held.take(frame)
        held.tables |= always_pointed_at(frame, model)
        self._held = held.columns | {
            (table, "") for table in (*held.tables, *(one for one, _ in held.columns))
        }
        self._is_timed = bool(held.periods) or any(one.grain for one in (*frame.by, *frame.per))
        self._model = model

    def elsewhere(self, word: str) -> bool:
        """Whether a word names columns or tables, and none that the frame holds; a time only beside another time."""
        root, model = stem(word), self._model
        named: list[tuple[str, str, Role | None]] = [
            (table, one.column, one.role)
            for table, own in model.fields.items()
            for one in own
            if root in map(stem, one.words)
        ]
        named += [
            (table, "", None)
            for table, one in model.things.items()
            if root in one.noun or root in map(stem, one.also)
        ]
        if not named or any((table, column) in self._held for table, column, _ in named):
            return False
        return self._is_timed or any(role is not Role.TIME for *_, role in named)


def _parts(text: str) -> Iterator[str]:
    """The words of a text, and of names in it."""
    for word in re.findall(r"\w+", text):
        yield word.lower()
        yield from (part.lower() for part in _PART.findall(word))
