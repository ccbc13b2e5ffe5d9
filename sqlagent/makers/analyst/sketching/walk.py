"""One walk over the items of a question: where it stands, and which part of the sketch it fills."""

from __future__ import annotations

from collections.abc import Sequence

from sqlagent.language.words import stem
from sqlagent.makers.analyst.reading import Item, Reading
from sqlagent.makers.analyst.sketching.parts import Clause, Sketch


class Walk:
    """Goes over the items from left to right. `section` is the part that a mention is put into now."""

    def __init__(self, reading: Reading) -> None:
        self.items: Sequence[Item] = reading.items
        said = frozenset(stem(word.lower()) for item in reading.items for word in item.text.split())
        self.out = Sketch(unknown=reading.unknown, stems=said | reading.glued)
        self.section = "head"
        self.clause: Clause | None = None
        self.aggs: list[str] = []
        self.distinct = False
        self.enumerated = False
        self.number: float | None = None
        self.ordinal = 0
        self.at = 0
        self.listed_numbers: list[float] = []
        self.passed: list[Item] = []

    def has_place(self, item: Item) -> bool:
        """Whether a mention is somewhere in the sketch: none may fall through the rules."""
        out = self.out
        clauses = [out.main, *out.clauses]
        if any(clause.pattern == item.text for clause in clauses) or item in self.passed:
            return True
        ranked = [out.rank.target, out.rank.by] if out.rank is not None else []
        held = [
            *(a.item for a in out.asks),
            *out.by,
            *out.per,
            *out.columns,
            *out.pivot,
            *out.span_parts,
            out.counts,
            *ranked,
        ]
        held += [m for clause in clauses for m in (*clause.mentions, *clause.than)]
        return any(one is item for one in held)

    def next(self, ahead: int = 1) -> Item | None:
        return self.items[self.at + ahead] if self.at + ahead < len(self.items) else None

    def follows(self, kind: str) -> bool:
        """Whether the next item is of a kind."""
        nxt = self.next()
        return nxt is not None and nxt.kind == kind

    def came(self, op: str) -> bool:
        """Whether the item before is an operator of a name."""
        before = self.before()
        return before is not None and before.op == op

    def before(self) -> Item | None:
        return self.items[self.at - 1] if self.at else None

    def open(self, opener: str) -> Clause:
        if self.clause is not None and self.clause.is_empty:
            self.clause.opener = self.clause.opener or opener
            return self.clause
        self.clause = Clause(opener, at=self.items[self.at].start)
        self.out.clauses.append(self.clause)
        self.section = "clause"
        return self.clause

    @property
    def here(self) -> Clause:
        return self.clause if self.section == "clause" and self.clause is not None else self.out.main

    def is_moving(self) -> bool:
        return any(i.op == "moving" for i in self.items)
