"""The effect of 30 verified questions on questions that nobody verified, asked of a language model.

Of each database some questions are learnt and others tested, drawn by a seed. All are asked with nothing known before any is asked with
knowledge: so no reply has seen verified SQL. Verified SQL of the tested questions is in no prompt.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Lock
from typing import Any, TypeVar

from sqlagent import pipeline
from sqlagent.errors import DatabaseError
from sqlagent.evaluation import lenient
from sqlagent.evaluation.improving import Edit, History, Improver, Limits, Part, Step, grouped, split
from sqlagent.evaluation.improving.changes import applied, change_text
from sqlagent.evaluation.improving.fitting import Fitting
from sqlagent.evaluation.improving.llm_editor import Context, LlmEditor
from sqlagent.evaluation.improving.rules import Seen
from sqlagent.evaluation.items import BadInput, Databases, Item, Source
from sqlagent.evaluation.kept_replies import KeptReplies
from sqlagent.evaluation.progress import Bar
from sqlagent.evaluation.scoring import Scorer, bootstrap, mcnemar
from sqlagent.events import Ended
from sqlagent.method import templates
from sqlagent.values import (
    Answer,
    Budget,
    Catalog,
    Knowledge,
    Outcome,
    Question,
    VerifiedAnswer,
)
from sqlagent.values import Limits as StatementLimits

NOTHING, ALIKE, NEAREST, EDITED = "nothing known", "those alike", "the nearest", "and edits in force"
WAYS = (NOTHING, ALIKE, NEAREST, EDITED)
"""*Those alike* are the verified answers that a person is shown beside an answer, *the nearest* those that a prompt tells of."""

STATEMENT = StatementLimits(seconds=20.0, rows=10_000)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a measurement: questions learnt and tested of each database, splits, and what it may cost.

    `alike` asks in that way too, `apart` takes one question of each gold SQL. `contested` tests those first that some candidates of the file answer rightly and others do not. `edits` are asked of the editor
    for each split, `samples` of the model for each question, `side` are asked side by side. `skipped` questions of the draw are left out of the test.
    """

    learnt: int = 30
    tested: int = 20
    splits: int = 1
    seed: int = 0
    alike: bool = False
    apart: bool = False
    contested: bool = False
    edits: int = 0
    samples: int = 1
    side: int = 6
    skipped: int = 0

    @property
    def budget(self) -> Budget:
        """The budget of one question: no auditor, no second round, and no clock, as the speed of a model is not measured."""
        return Budget.of(
            "quick",
            samples=self.samples,
            first=min(self.samples, 2),
            rounds=0,
            audit="never",
            seconds=36_000.0,
        )


@dataclass(frozen=True, slots=True)
class Split:
    """Questions of one database, divided."""

    db: str
    number: int
    learnt: tuple[Item, ...]
    tested: tuple[Item, ...]

    @property
    def verified(self) -> tuple[VerifiedAnswer, ...]:
        """The learnt questions as verified answers."""
        return tuple(VerifiedAnswer(one.question.text, gold_of(one), key=one.id) for one in self.learnt)


@dataclass(frozen=True, slots=True)
class Said:
    """One answer to a tested question in one way; `shown` counts the verified answers that its prompt told of."""

    id: str
    db: str
    split: int
    way: str
    right: bool
    bird: bool
    outcome: str
    sql: str
    reason: str
    shown: int
    calls: int
    tokens: int


@dataclass(slots=True)
class Measured:
    """The outcome of a plan: the splits, each answer, and what the editor did in each split."""

    plan: Plan
    splits: list[Split]
    said: list[Said] = field(default_factory=list)
    steps: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    prompts: int = 0
    asked: int = 0

    @property
    def lines(self) -> Iterable[dict[str, Any]]:
        """It as lines of a file: the splits with the questions of each part, then the answers."""
        for one in self.splits:
            yield {
                "db": one.db,
                "split": one.number,
                "seed": self.plan.seed,
                "learnt": [item.id for item in one.learnt],
                "tested": [item.id for item in one.tested],
                "editor": self.steps.get((one.db, one.number), []),
            }
        for said in self.said:
            yield {name: getattr(said, name) for name in Said.__dataclass_fields__}


def measure(items: Sequence[Item], place: str, llm: KeptReplies, plan: Plan) -> Measured:
    """Divide, ask with nothing known, let the editor work, ask with knowledge. Raises: BadInput."""
    asking = _Asking(place, llm, plan)
    try:
        found = Measured(plan, asking.divided(items))
        editings = [_Editing(asking, one) for one in found.splits] if plan.edits else []
        tested = [(one, item) for one in found.splits for item in one.tested]

        def ask(way: str, known: Callable[[Split, Item], Knowledge]) -> list[Callable[[], Said]]:
            return [partial(asking.said, one, item, way, known(one, item)) for one, item in tested]

        # the editor's work part too is asked before any verified SQL is shown
        begun = [partial(editing.is_right, (), key) for editing in editings for key in editing.improver.work]
        plain: list[Callable[[], Said | bool]] = [*ask(NOTHING, lambda one, item: Knowledge()), *begun]
        found.said += [one for one in asking.each(plain, NOTHING) if isinstance(one, Said)]
        for editing in editings:
            found.steps[editing.split.db, editing.split.number] = editing.go()
        known: list[Callable[[], Said]] = []
        if plan.alike:
            known += ask(
                ALIKE, lambda one, item: Knowledge((), templates.near(item.question.text, one.verified))
            )
        known += ask(NEAREST, lambda one, item: Knowledge((), one.verified))
        found.said += asking.each(known, NEAREST)
        edited = [
            partial(asking.said, editing.split, item, EDITED, *editing.known)
            for editing in editings
            for item in editing.split.tested
            if editing.edits
        ]
        found.said += asking.each(edited, EDITED)
        found.prompts, found.asked = llm.kept, llm.asked
        return found
    finally:
        asking.databases.close()


class _Asking:
    """Questions asked of databases side by side, and scored."""

    def __init__(self, place: str, llm: KeptReplies, plan: Plan) -> None:
        self.databases, self.llm, self.plan = Databases(place), llm, plan
        self._lock = Lock()
        self._scorers: dict[str, tuple[Scorer, lenient.Golds | None]] = {}

    def source(self, name: str) -> Source:
        """A database, opened once. Raises: BadInput."""
        with self._lock:
            return self.databases.source(name)

    def each(self, calls: Sequence[Callable[[], T]], what: str) -> list[T]:
        """Make calls side by side, in their order; the first that raises ends the rest."""
        bar = Bar(len(calls), what)
        pool = ThreadPoolExecutor(self.plan.side, thread_name_prefix="asked")
        try:
            made = [pool.submit(call) for call in calls]
            for one in as_completed(made):
                one.result()
                bar.step()
            return [one.result() for one in made]
        finally:
            pool.shutdown(cancel_futures=True)

    def divided(self, items: Sequence[Item]) -> list[Split]:
        """Draw the splits of each database by the seed: the learnt questions, then of the rest those to test. Raises: BadInput."""
        plan, by_db = self.plan, defaultdict[str, list[Item]](list)
        for item in items:
            if gold_of(item):
                by_db[item.db].append(item)
        found = []
        for name, own in sorted(by_db.items()):
            contested = {item.id for item in own if plan.contested and self.is_contested(item)}
            for number in range(plan.splits):
                drawn = random.Random(f"{plan.seed} {name} {number}").sample(own, len(own))
                if plan.apart:
                    drawn = list({_written(gold_of(item)): item for item in reversed(drawn)}.values())[::-1]
                learnt, rest = drawn[: plan.learnt], drawn[plan.learnt :]
                rest.sort(key=lambda item: item.id not in contested)
                tested = rest[plan.skipped :][: plan.tested]
                if not tested:
                    raise BadInput(
                        f"{name} has {len(own)} questions: too few to learn {plan.learnt} and test."
                    )
                found.append(Split(name, number, tuple(learnt), tuple(tested)))
        return found

    def is_contested(self, item: Item) -> bool:
        """Whether some candidates of a question are right and others are not."""
        database, scorer = self.source(item.db).database, Scorer(item, self.source(item.db))
        right = set()
        for sql in item.candidates:
            try:
                right.add(scorer.is_right(sql, database.execute(sql, STATEMENT)))
            except DatabaseError:
                right.add(False)
        return len(right) > 1

    def answer(self, db: str, text: str, known: Knowledge, catalog: Catalog | None = None) -> Answer:
        """Answer a question with what is known. Raises: BadInput."""
        source = self.source(db)
        events = pipeline.answer(
            Question(text),
            database=source.database,
            catalog=catalog or source.catalog,
            index=source.index,
            llm=self.llm,
            budget=self.plan.budget,
            privacy="rows",  # what is measured is public data
            knowledge=known,
        )
        answer = next(event.answer for event in events if isinstance(event, Ended))
        if answer.without_llm:
            raise BadInput(f"The language model gave no answer: {answer.without_llm} Run it again.")
        return answer

    def is_right(self, item: Item, answer: Answer) -> tuple[bool, bool]:
        """Whether the rows of an answer are those of a gold: as EX, or any of several golds leniently; and as sets of rows."""
        source = self.source(item.db)
        with self._lock:
            if item.id not in self._scorers:
                self._scorers[item.id] = Scorer(item, source), lenient.Golds.of(item, source)
            scorer, golds = self._scorers[item.id]
        if answer.outcome not in (Outcome.ANSWERED, Outcome.AMBIGUOUS) or not answer.sql:
            return False, False
        right = (
            scorer.is_right(answer.sql, answer.rows) if golds is None else golds.which(answer.sql) is not None
        )
        return right, scorer.is_right_bird(answer.rows)

    def said(
        self, one: Split, item: Item, way: str, known: Knowledge, catalog: Catalog | None = None
    ) -> Said:
        """Answer a tested question in one way. Raises: BadInput."""
        answer = self.answer(one.db, item.question.text, known, catalog)
        right, bird = self.is_right(item, answer)
        usage, text = answer.usage, item.question.text
        return Said(
            id=item.id,
            db=one.db,
            split=one.number,
            way=way,
            right=right,
            bird=bird,
            outcome=str(answer.outcome),
            sql=answer.sql,
            reason=answer.reason,
            shown=len(templates.near(text, known.verified, templates.TOLD, templates.LIKE)),
            calls=usage.calls,
            tokens=usage.prompt_tokens + usage.completion_tokens,
        )


class _Editing:
    """The editor that is a language model on one split, behind the gate. It sees failures of the work part alone."""

    def __init__(self, asking: _Asking, one: Split) -> None:
        self.asking, self.split = asking, one
        self.source = asking.source(one.db)
        self.items = {item.id: item for item in one.learnt}
        self.answers = {known.key: known for known in one.verified}
        self.wrong: dict[str, str] = {}
        told = {
            key: templates.template_text(known, self.source.catalog.dialect)
            for key, known in self.answers.items()
        }
        self.groups = grouped((key, *both) for key, both in told.items())
        parts = split(list(dict.fromkeys(self.groups.values())), {}, "learning")
        work = {key: known for key, known in self.answers.items() if parts[self.groups[key]] is Part.WORK}
        self.history = History()
        editor = LlmEditor(
            asking.llm,
            Context(self.source.catalog, self.source.index, Knowledge(), work, "rows"),
            lambda: {
                key: Seen(known.question, known.sql, self.wrong.get(key, "")) for key, known in work.items()
            },
            self.history,
            Fitting(self.source.database, self.source.catalog, work.keys()),
        )
        limits = Limits(edits=asking.plan.edits)
        self.improver = Improver(self.history, self.groups, parts, self.ask, editor.propose, limits)

    @property
    def edits(self) -> list[Edit]:
        """The edits that the gate let through."""
        return self.history.edits(self.history.in_force)

    @property
    def known(self) -> tuple[Knowledge, Catalog]:
        """The knowledge once the edits are in force, with all verified answers."""
        return applied(self.edits, Knowledge((), self.split.verified), self.source.catalog, self.answers)

    def is_right(self, edits: Sequence[Edit], key: str) -> bool:
        """Whether a learnt question is answered rightly with some edits, as if it were not verified. Raises: BadInput."""
        known, catalog = applied(edits, Knowledge(), self.source.catalog, self.answers)
        group = self.groups[key]
        others = tuple(one for one in known.examples if self.groups[one.key] != group)
        answer = self.asking.answer(
            self.split.db, self.answers[key].question, replace(known, examples=others), catalog
        )
        right, _ = self.asking.is_right(self.items[key], answer)
        if not right:
            self.wrong[key] = answer.sql
        return right

    def ask(self, edits: Sequence[Edit], keys: Sequence[str]) -> dict[str, bool]:
        """Answer learnt questions with some edits. Raises: BadInput."""
        found = self.asking.each(
            [partial(self.is_right, edits, key) for key in keys], "the editor's questions"
        )
        return dict(zip(keys, found, strict=True))

    def go(self) -> list[str]:
        """Take steps until the edits are asked; a line a step."""
        lines = []
        while (step := self.improver.step()).what != "ended":
            lines.append(self.told(step))
        return [*lines, step.why]

    def told(self, step: Step) -> str:
        """A step in words."""
        start = self.history.versions[0].work.values()
        if step.what == "began":
            return f"began: {sum(start)} of {len(start)} of the work part right"
        edit = self.history.versions[step.version].edit if step.version is not None else step.edit
        said = f"{step.what}: {change_text(edit.change)} ({edit.why})" if edit is not None else step.what
        gated = f"; gate +{step.gated.won} -{step.gated.lost}, p = {step.gated.p:.3g}" if step.gated else ""
        return f"{said}; work +{step.work[0]} -{step.work[1]}{gated}; {step.why}".rstrip("; ")


def gold_of(item: Item) -> str:
    """The first accepted SQL of a question; empty where it has none."""
    return item.gold or (item.golds[0] if item.golds else "")


def _written(sql: str) -> str:
    """SQL without regard to letter case and spaces."""
    return " ".join(sql.casefold().split())


def report(found: Measured) -> str:
    """Say how many are right in each way, by database and in all, against nothing known; and what the editor did."""
    plan, lines = found.plan, list[str]()
    for name in (*dict.fromkeys(one.db for one in found.splits), ""):
        said = [one for one in found.said if name in (one.db, "")]
        plain = {(one.id, one.split): one for one in said if one.way == NOTHING}
        lines.append(f"{name or 'in all'}: {len(plain)} questions, {plan.learnt} verified")
        for way in WAYS:
            now = {(one.id, one.split): one for one in said if one.way == way}
            if now:
                lines.append(_line(way, [(one, plain[key]) for key, one in now.items()]))
    for (name, number), steps in found.steps.items():
        lines += [f"editor on {name}, split {number}:", *(f"  {one}" for one in steps)]
    lines.append(f"{found.prompts} prompts in all, {found.asked} of them asked now")
    return "\n".join(lines)


def _line(way: str, pairs: Sequence[tuple[Said, Said]]) -> str:
    """One way against nothing known."""
    now, before = [one.right for one, _ in pairs], [was.right for _, was in pairs]
    won = sum(a and not b for a, b in zip(now, before, strict=True))
    lost = sum(b and not a for a, b in zip(now, before, strict=True))
    low, high = bootstrap(now, before)
    told = sum(one.shown > 0 for one, _ in pairs)
    return (
        f"  {way:20} {sum(now):3} of {len(now)} right ({100 * sum(now) / len(now):.1f} %), {100 * sum(o.bird for o, _ in pairs) / len(pairs):.1f} % as sets"
        f"; {won} won, {lost} lost, p = {mcnemar(now, before):.3g}, {low:+.1f} to {high:+.1f} points"
        f"; {told} with verified SQL; {sum(o.calls for o, _ in pairs)} calls, {sum(o.tokens for o, _ in pairs):,} tokens"
    )
