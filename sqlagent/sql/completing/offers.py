"""One offer of a completion: how it is written at the cursor, and how well it fits the text that was typed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot.tokenizer_core import Token

from sqlagent.sql.completing.blocks import Block, Blocks, Field, Read, word
from sqlagent.sql.completing.known import Known
from sqlagent.sql.completing.places import Place
from sqlagent.values import Kind

# How much the nearest of a kind is worth; others are worth less, and keywords next to nothing.
JOIN, COLUMN, ALIAS, TABLE, NAME, FUNCTION = 60, 40, 38, 20, 14, 10


@dataclass(frozen=True, slots=True)
class Completion:
    """A replacement of the text from character `start` on: `label` is shown, `insert` is written.

    `kind` is column, alias, table, join, function, value, term or keyword; `note` says of what.
    """

    label: str
    insert: str
    kind: str
    note: str
    start: int


Scored = tuple[float, Completion]
"""An offer after its worth; the most is offered first."""


class Here:
    """The place of a cursor with the blocks around it."""

    def __init__(self, place: Place, known: Known) -> None:
        self.place, self.known = place, known
        self.blocks = Blocks(place.tokens, known)
        self.block = self.blocks.at(place.before)
        self.clause = self.block.clause_at(place.before) if self.block is not None else ""

    def back(self, steps: int = 1) -> Token | None:
        """The token so many before the cursor."""
        number = self.place.before - steps
        return self.place.tokens[number] if number >= 0 else None

    def said(self, steps: int = 1) -> str:
        """The `word` of that token; empty before the first."""
        token = self.back(steps)
        return word(token) if token is not None else ""

    def scopes(self) -> Iterator[Block]:
        """The blocks around the cursor, from the innermost on."""
        block = self.block
        while block is not None:
            yield block
            block = block.outer

    def written(self, name: str) -> str:
        """A name as it is written here, inside of marks that were typed or with its own."""
        if self.place.quote:
            return name + ("" if self.place.is_closed else self.place.quote)
        return self.known.written(name)

    def read_before(self) -> Read | None:
        """The last table named before the cursor that the block reads from."""
        reads = self.block.reads if self.block is not None else ()
        return next((read for read in reversed(reads) if read.begins < self.place.before), None)


def fitness(typed: str, label: str) -> float:
    """How well what was typed begins a label: none where it does not; a later word's beginning is worth less."""
    low, name = typed.lower(), label.lower()
    if not low:
        return 1
    if name == low:
        return 130
    if name.startswith(low):
        return 103 if label.startswith(typed) else 100
    parts = name.replace(".", "_").replace(" ", "_").split("_")
    if any(part.startswith(low) for part in parts):
        return 45
    initials = "".join(part[:1] for part in parts)
    if len(low) > 1 and (initials.startswith(low) or low in name):
        return 25
    return 0


def keyword_offers(here: Here, words: Iterable[str], score: float) -> Iterator[Scored]:
    """Keywords in their order, the first worth `score`; none inside of quotes."""
    if here.place.quote:
        return
    for number, name in enumerate(words):
        yield score - number * 0.01, Completion(name, name, "keyword", "", here.place.start)


def name_offer(here: Here, name: str, kind: str, note: str) -> Completion:
    """A name of a kind, with the quotes that it needs here."""
    return Completion(name, here.written(name), kind, note, here.place.start)


def column_offer(here: Here, one: Field) -> Completion:
    """A column by its bare name."""
    return name_offer(here, one.name, "column", type_of(one))


def type_of(one: Field) -> str:
    """The table and the type of a column, as a note; empty for one that no table has."""
    if one.table is None or one.column is None:
        return ""
    kind = one.column.type.lower() if one.column.kind is Kind.OTHER else str(one.column.kind)
    return f"{one.table.name}, {kind}"
