"""Words that change nothing: each is left out in turn, and where the SQL stays the same the word was not read.

A net below all rules: it knows none of them, so it holds where they err. Of 158 answers on ten databases at first sight 42 were
wrong, and in 12 of these a word was idle; of the 116 right ones in 3 (docs/analyst.md, "Confidence").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass

from sqlagent.catalog.semantics import Field, Model, Relation, Role
from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.words import stem
from sqlagent.makers.analyst.frames import Condition, Dimension, Frame, Measure
from sqlagent.makers.analyst.reading import Reading

MOST = 12
"""Words that are tried: each costs a reading of the question, some five milliseconds."""

_WORD = re.compile(r"[^\W\d_][\w'’]*")
_PART = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")

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

_PLAIN = frozenset({*STOP_WORDS, "still", "new", "up", "out", "off"})
"""Words that may say nothing, though a column bears their name."""


def idle_words(
    text: str, frame: Frame, reading: Reading, told: str, model: Model, again: Callable[[str], str]
) -> list[str]:
    """Give the words of a question that an answer neither tells nor needs, though they name or bound something.

    `told` is how the frame is told, `again` gives the SQL of other words for the question. A word that names a column or a table
    of the source which the frame does not hold counts, and one that always bounds or measures.

    Cost: a reading for each word that is not told, `MOST` of them at most.
    """
    sql = again(text)
    known = {stem(word) for word in _parts(f"{told} {' '.join(frame.why)} {sql}")}
    mended = {word for pair in reading.mended for one in pair for word in one.lower().split()}
    held = _Held()
    held.take(frame)
    out: list[str] = []
    tried = 0
    for match in _WORD.finditer(text):
        word = match[0].lower()
        if stem(word) in known or word in mended or word in _PLAIN or tried == MOST:
            continue
        if word in _BOUNDING:
            if any(stem(other) in known for other in _BOUNDING[word]):
                continue
        elif not _names_another(word, held, model):
            continue
        tried += 1
        if sql and again(f"{text[: match.start()]}{text[match.end() :]}") == sql:
            out.append(match[0])
    return out


def _names_another(word: str, held: _Held, model: Model) -> bool:
    """Whether a word names columns or tables, and none that the frame holds; a time only beside another time."""
    named: list[tuple[str, str, Role | None]] = [
        (table, one.column, one.role)
        for table, own in model.fields.items()
        for one in own
        if stem(word) in {stem(part) for part in one.words}
    ]
    named += [
        (table, "", None)
        for table, one in model.things.items()
        if stem(word) in {*one.noun, *map(stem, one.also)}
    ]
    if not named or any((table, column) in held.names for table, column, _ in named):
        return False
    return held.is_timed or any(role is not Role.TIME for *_, role in named)


class _Held:
    """The columns and tables of a frame, and whether a time restricts or groups it."""

    def __init__(self) -> None:
        self.names: set[tuple[str, str]] = set()
        self.is_timed = False

    def take(self, part: object) -> None:
        """Take down a part of a frame and all that it is made of."""
        if isinstance(part, tuple):
            for one in part:
                self.take(one)
        elif isinstance(part, Field):
            self.names |= {(part.table, part.column), (part.table, "")}
        elif isinstance(part, Relation):
            self.names |= {
                (part.source, ""),
                (part.target, ""),
                *((part.source, one) for one in part.columns),
            }
        elif is_dataclass(part):
            if isinstance(part, Measure | Frame):
                self.names.add((part.anchor, ""))
            elif isinstance(part, Condition):
                self.names.add((part.child, ""))
                self.is_timed = self.is_timed or part.period is not None
            elif isinstance(part, Dimension):
                self.is_timed = self.is_timed or bool(part.grain)
            for one in fields(part):
                self.take(getattr(part, one.name))


def _parts(text: str) -> Iterator[str]:
    """The words of a text, and of names in it."""
    for word in re.findall(r"\w+", text):
        yield word.lower()
        yield from (part.lower() for part in _PART.findall(word))
