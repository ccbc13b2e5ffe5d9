"""What verified questions do to questions that nobody verified: of each database 30 to learn from and 20 to test, in several splits.

Four ways, none with a language model: nothing known; the 30 as verified answers; these and the terms that the gate lets through; these and every
term that helps the questions it was made for, ungated.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlagent import pipeline
from sqlagent.evaluation.improving import Edit, History, Improver, Limits, grouped, split
from sqlagent.evaluation.improving.changes import term_of
from sqlagent.evaluation.improving.rules import RuleEditor, Seen
from sqlagent.evaluation.items import Databases, Item, Source
from sqlagent.evaluation.lenient import Golds
from sqlagent.evaluation.scoring import mcnemar
from sqlagent.events import Ended
from sqlagent.method.templates import template_text
from sqlagent.values import Answer, Knowledge, Question, Term, VerifiedAnswer

WAYS = ("nothing known", "verified answers", "and gated terms", "and ungated terms")
LEARNT, TESTED = 30, 20


@dataclass(frozen=True, slots=True)
class Learnt:
    """One test question of one split: whether it was right in each way, and how many terms there were gated and ungated."""

    item: Item
    split: int
    right: tuple[bool, ...]
    terms: tuple[int, int]

    @property
    def line(self) -> dict[str, object]:
        """It as a line of a file."""
        right = dict(zip(WAYS, self.right, strict=True))
        return {"id": self.item.id, "db": self.item.db, "split": self.split, "terms": self.terms, **right}


def learn_all(items: Sequence[Item], place: str, splits: int, seed: int) -> list[Learnt]:
    """Learn and test on every database. Raises: BadInput."""
    by_db: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.golds or item.gold:
            by_db[item.db].append(item)
    databases, out = Databases(place), []
    try:
        for name, own in sorted(by_db.items()):
            asked = _Asked(databases.source(name))
            for number in range(splits):
                drawn = random.Random(f"{seed} {name} {number}").sample(own, len(own))
                out += asked.learn(drawn[:LEARNT], drawn[LEARNT : LEARNT + TESTED], number)
                sys.stderr.write(f"\r{name} {number + 1} of {splits} ")
    finally:
        databases.close()
    sys.stderr.write("\n")
    return out


class _Asked:
    """Questions asked of one database; the same question with the same context is asked once."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.kept: dict[tuple[str, Knowledge], Answer] = {}
        self.scored: dict[tuple[str, str], bool] = {}
        self.golds: dict[str, Golds] = {}

    def answer(self, item: Item, known: Knowledge) -> Answer:
        """Answer a question."""
        key = (item.id, known)
        if key not in self.kept:
            source = self.source
            events = pipeline.answer(
                Question(item.question.text),
                database=source.database,
                catalog=source.catalog,
                index=source.index,
                knowledge=known,
            )
            self.kept[key] = next(event.answer for event in events if isinstance(event, Ended))
        return self.kept[key]

    def is_right(self, item: Item, known: Knowledge) -> bool:
        """Whether a question is answered with the rows of one of its golds."""
        answer = self.answer(item, known)
        key = (item.id, answer.sql)
        if key not in self.scored:
            if item.id not in self.golds:
                accepted = item.golds or tuple(filter(None, (item.gold,)))
                self.golds[item.id] = Golds(self.source.database, accepted, bool(item.ordered))
            self.scored[key] = bool(answer.sql) and self.golds[item.id].which(answer.sql) is not None
        return self.scored[key]

    def learn(self, learnt: Sequence[Item], tested: Sequence[Item], number: int) -> list[Learnt]:
        """Learn from some questions and test on others."""
        verified = tuple(VerifiedAnswer(i.question.text, _gold(i), key=i.id) for i in learnt)
        gated, ungated = self.terms(learnt, verified, True), self.terms(learnt, verified, False)
        ways = (
            Knowledge(),
            Knowledge((), verified),
            Knowledge(gated, verified),
            Knowledge(ungated, verified),
        )
        counts = (len(gated), len(ungated))
        return [Learnt(i, number, tuple(self.is_right(i, way) for way in ways), counts) for i in tested]

    def terms(
        self, learnt: Sequence[Item], verified: Sequence[VerifiedAnswer], gated: bool
    ) -> tuple[Term, ...]:
        """The terms that are learnt, asking as if nothing was verified."""
        dialect = self.source.catalog.dialect
        by_id = {item.id: item for item in learnt}
        groups = grouped((one.key, *template_text(one, dialect)) for one in verified)
        parts = split(list(dict.fromkeys(groups.values())), {}, "learning")
        history = History()

        def ask(edits: Sequence[Edit], keys: Sequence[str]) -> dict[str, bool]:
            known = Knowledge(tuple(map(term_of, edits)))
            return {key: self.is_right(by_id[key], known) for key in keys}

        improver = Improver(history, groups, parts, ask, lambda edits, failures: None, Limits(idle=60))
        work = improver.work if gated else [item.id for item in learnt]
        seen = {
            key: Seen(by_id[key].question.text, _gold(by_id[key]), self.answer(by_id[key], Knowledge()).sql)
            for key in work
        }
        editor = RuleEditor(seen, self.source.catalog, history)
        if not gated:
            return self.ungated(editor, by_id)
        improver.propose = editor.propose
        while improver.step().what != "ended":
            pass
        return tuple(map(term_of, history.edits(history.in_force)))

    def ungated(self, editor: RuleEditor, by_id: dict[str, Item]) -> tuple[Term, ...]:
        """Every term that helps more of the learnt questions than it harms."""
        history, edits = editor.history, list[Edit]()
        for _ in range(60):
            known = Knowledge(tuple(map(term_of, edits)))
            wrong = [key for key, item in by_id.items() if not self.is_right(item, known)]
            edit = editor.propose(edits, wrong)
            if edit is None:
                break
            version = history.grown(history.in_force, edit)
            with_it = Knowledge(tuple(map(term_of, [*edits, edit])))
            pairs = [(self.is_right(item, with_it), self.is_right(item, known)) for item in by_id.values()]
            if sum(now and not was for now, was in pairs) > sum(was and not now for now, was in pairs):
                edits.append(edit)
                history.in_force = version.number
        return tuple(map(term_of, edits))


def _gold(item: Item) -> str:
    return item.gold or (item.golds[0] if item.golds else "")


def report(found: Sequence[Learnt]) -> str:
    """Say how many are right in each way, against nothing known."""
    splits = {(one.item.db, one.split): one.terms for one in found}
    lines = [
        f"{len(found)} questions of {len(splits)} splits ({LEARNT} learnt, {TESTED} tested); terms a split: "
        f"{sum(a for a, _ in splits.values()) / max(len(splits), 1):.1f} gated, {sum(b for _, b in splits.values()) / max(len(splits), 1):.1f} ungated"
    ]
    before = [one.right[0] for one in found]
    for number, way in enumerate(WAYS):
        now = [one.right[number] for one in found]
        won = sum(a and not b for a, b in zip(now, before, strict=True))
        lost = sum(b and not a for a, b in zip(now, before, strict=True))
        lines.append(
            f"{way:18} {sum(now):4} right  {100 * sum(now) / max(len(now), 1):.1f} %  {won} won, {lost} lost, p = {mcnemar(now, before):.3g}"
        )
    return "\n".join(lines)
