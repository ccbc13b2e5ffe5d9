"""Answers from templates alone: each question asked as if every other one of its database were verified.

The question's own line never answers it, and neither does one of the same words. Right is what rows say (EX), as everywhere.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sqlagent.errors import DatabaseError
from sqlagent.evaluation.items import Databases, Item
from sqlagent.evaluation.scoring import GOLD, Scorer
from sqlagent.language.words import tokenise
from sqlagent.method.templates import matched
from sqlagent.values import Question, VerifiedAnswer


@dataclass(frozen=True, slots=True)
class Templated:
    """One question that a template answered: by which, what was exchanged, and whether that was right."""

    item: Item
    by: str
    exchanged: int
    right: bool
    sql: str

    @property
    def line(self) -> dict[str, object]:
        """One line of `--json`."""
        return {
            "id": self.item.id,
            "by": self.by,
            "exchanged": self.exchanged,
            "right": self.right,
            "sql": self.sql,
        }


def template_all(items: Sequence[Item], place: str) -> list[Templated]:
    """Ask every question of the others of its database; those that no template answers are left out. Raises: BadInput."""
    by_db: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.gold is not None:
            by_db[item.db].append(item)
    databases = Databases(place)
    try:
        return [one for name, own in sorted(by_db.items()) for one in _of_one(name, own, databases)]
    finally:
        databases.close()


def _of_one(name: str, items: Sequence[Item], databases: Databases) -> Iterator[Templated]:
    source = databases.source(name)
    dialect = source.catalog.dialect
    known = {item.id: VerifiedAnswer(item.question.text, item.gold or "", key=item.id) for item in items}
    words = {item.id: _words(item.question.text) for item in items}
    for item in items:
        others = tuple(one for key, one in known.items() if words[key] != words[item.id])
        found = matched(Question(item.question.text), others, dialect, source.index)
        if found is None:
            continue
        try:
            rows = source.database.execute(found.sql, GOLD)
        except DatabaseError:
            rows = None
        right = Scorer(item, source).is_right(found.sql, rows)
        yield Templated(item, found.answer.key, len(found.exchanged), right, found.sql)
    sys.stderr.write(f"{name}\n")
    source.database.close()
    databases.opened.pop(name)


def _words(text: str) -> tuple[str, ...]:
    return tuple(t.low for t in tokenise(text) if t.kind != "mark")


def report(found: Sequence[Templated], asked: int) -> str:
    """Say how many questions a template answered, and how many of those answers are right."""
    lines = [f"{asked:,} questions, {len(found):,} answered by the template of another one"]
    for name, own in (
        ("all", found),
        ("nothing exchanged", [one for one in found if not one.exchanged]),
        ("values exchanged", [one for one in found if one.exchanged]),
    ):
        right = sum(one.right for one in own)
        share = f"{100 * right / len(own):.1f} %" if own else "–"
        lines.append(f"{name:20} {right:5,} of {len(own):5,} right  {share}")
    return "\n".join(lines)
