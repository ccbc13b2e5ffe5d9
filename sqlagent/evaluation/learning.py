"""Effect of verified questions on questions that nobody verified: of each database some to learn from and others to test, in several splits.

Five ways, none with a language model: nothing known; verified answers alone; these and the terms that the gate lets through; these and every
term that helps the questions it was made for, ungated; these and every term that set a wrong answer right (`remedying`), all accepted.
"""

from __future__ import annotations

import random
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlagent import pipeline
from sqlagent.evaluation.improving import Edit, History, Improver, Limits, grouped, split
from sqlagent.evaluation.improving.changes import term_of
from sqlagent.evaluation.improving.remedying import Tried, remedies
from sqlagent.evaluation.improving.rules import RuleEditor, Seen
from sqlagent.evaluation.items import Databases, Item, Source
from sqlagent.evaluation.lenient import Golds
from sqlagent.evaluation.scoring import mcnemar
from sqlagent.events import Ended
from sqlagent.method.templates import template_text
from sqlagent.values import Answer, Knowledge, Outcome, Question, Term, VerifiedAnswer

NOTHING, VERIFIED = "nothing known", "verified answers"
TERMS = ("gated", "ungated", "remedies")
"""Terms that are learnt in three ways."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How many questions are learnt from and tested in each split, and which terms are learnt."""

    splits: int = 5
    seed: int = 0
    learnt: int = 30
    tested: int = 20
    terms: tuple[str, ...] = TERMS


@dataclass(frozen=True, slots=True)
class Learnt:
    """One test question of one split: by each way whether it was right and whether it was called answered, and how many terms were learnt."""

    item: Item
    split: int
    right: dict[str, bool]
    answered: dict[str, bool]
    terms: dict[str, int]

    @property
    def line(self) -> dict[str, object]:
        """One line of `--json`."""
        return {
            "id": self.item.id,
            "db": self.item.db,
            "split": self.split,
            "terms": self.terms,
            "right": self.right,
            "answered": self.answered,
        }


def learn_all(items: Sequence[Item], place: str, plan: Plan) -> list[Learnt]:
    """Learn and test on every database. Raises: BadInput."""
    by_db: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.golds or item.gold:
            by_db[item.db].append(item)
    databases, out = Databases(place), []
    try:
        for name, own in sorted(by_db.items()):
            asked = _Asked(databases.source(name))
            for number in range(plan.splits):
                drawn = random.Random(f"{plan.seed} {name} {number}").sample(own, len(own))
                tested = drawn[plan.learnt : plan.learnt + plan.tested]
                out += asked.learn(drawn[: plan.learnt], tested, number, plan.terms)
                sys.stderr.write(f"\r{name} {number + 1} of {plan.splits} ")
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

    def learn(
        self, learnt: Sequence[Item], tested: Sequence[Item], number: int, terms: Sequence[str]
    ) -> list[Learnt]:
        """Learn from some questions and test on others."""
        verified = tuple(VerifiedAnswer(i.question.text, _gold(i), key=i.id) for i in learnt)
        made: dict[str, Callable[[], tuple[Term, ...]]] = {
            "gated": lambda: self.terms(learnt, verified, True),
            "ungated": lambda: self.terms(learnt, verified, False),
            "remedies": lambda: self.remedies(learnt, verified),
        }
        found = {name: made[name]() for name in terms}
        ways = {NOTHING: Knowledge(), VERIFIED: Knowledge((), verified)}
        ways |= {name: Knowledge(some, verified) for name, some in found.items()}
        counts = {name: len(some) for name, some in found.items()}
        return [
            Learnt(
                one,
                number,
                {name: self.is_right(one, way) for name, way in ways.items()},
                {name: self.answer(one, way).outcome is Outcome.ANSWERED for name, way in ways.items()},
                counts,
            )
            for one in tested
        ]

    def remedies(self, learnt: Sequence[Item], verified: Sequence[VerifiedAnswer]) -> tuple[Term, ...]:
        """Every term that sets a wrong answer right and makes none of these wrong."""
        by_id = {item.id: item for item in learnt}

        def attempt(one: VerifiedAnswer, terms: tuple[Term, ...]) -> Tried:
            known = Knowledge(terms)
            answer = self.answer(by_id[one.key], known)
            return Tried.of(answer, right=self.is_right(by_id[one.key], known))

        began = {one.key: attempt(one, ()) for one in verified}
        return tuple(remedy.term for remedy in remedies(verified, began, self.source.catalog, attempt))

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
    """Say how many are right in each way, against nothing known, and of those called answered."""
    splits = {(one.item.db, one.split): one.terms for one in found}
    ways = list(found[0].right) if found else []
    lines = [f"{len(found)} questions of {len(splits)} splits"]
    before = [one.right[NOTHING] for one in found]
    for way in ways:
        now = [one.right[way] for one in found]
        won = sum(a and not b for a, b in zip(now, before, strict=True))
        lost = sum(b and not a for a, b in zip(now, before, strict=True))
        said = [one.right[way] for one in found if one.answered[way]]
        terms = [counts[way] for counts in splits.values() if way in counts]
        lines.append(
            f"{way:16} {sum(now):4} right  {100 * sum(now) / max(len(now), 1):.1f} %  {won} won, {lost} lost, p = {mcnemar(now, before):.3g}; "
            f"of {len(said)} called answered {100 * sum(said) / max(len(said), 1):.1f} % right"
            + (f"; {sum(terms) / len(terms):.1f} terms a split" if terms else "")
        )
    return "\n".join(lines)
