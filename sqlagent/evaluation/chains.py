"""Measures follow-ups: chains of questions in which each one changes the one before.

A follow-up of a turn that was misunderstood is asked once more by itself, after a question that asks for the gold of the turn
before (`gold_frames`), where one is known: so it tells of the change alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlagent import pipeline
from sqlagent.evaluation import chain_causes, lenient
from sqlagent.evaluation.answering import judged_leniently
from sqlagent.evaluation.gold_frames import questions_of
from sqlagent.evaluation.items import BadInput, Databases, Item, Source, json_lines
from sqlagent.events import Ended
from sqlagent.language.not_understood import NOT_UNDERSTOOD
from sqlagent.makers.analyst.answering import today_of, understand
from sqlagent.makers.analyst.reading import read
from sqlagent.makers.analyst.source import source_of
from sqlagent.values import Answer, Outcome, Question, Turn


@dataclass(frozen=True, slots=True)
class Chain:
    """Questions asked one after the other of one database."""

    id: str
    db: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Followed:
    """One turn of a chain and how its answer compares. `place` counts from 1; later ones are follow-ups.

    `before` says whether the turn before was right, `stated` what was understood in its place. `kind` is what the golds say that
    it changes, `cause` why it is wrong; `alone` whether it is right after the gold of a turn before that was wrong, None where that
    cannot be asked for.
    """

    chain: str
    place: int
    typed: str
    stated: str
    judged: lenient.Judged
    before: bool
    sql: str
    kind: str = ""
    cause: str = ""
    alone: bool | None = None

    @property
    def starts_right(self) -> bool:
        """Whether it was asked after what was right, be it by itself."""
        return self.place > 1 and (self.before or self.alone is not None)

    @property
    def is_changed_right(self) -> bool:
        """Whether the change is right after what was right."""
        return self.judged.right if self.before else bool(self.alone)


def read_chains(path: Path) -> list[Chain]:
    """Read chains from a file of JSON lines: `chain`, `db` and `turns`, each with `question` and `golds`.

    Raises: BadInput with the line that is wrong.
    """
    chains = [_chain(place, line) for place, line in json_lines(path)]
    if not chains:
        raise BadInput(f"{path} holds no chains.")
    return chains


def _chain(place: str, line: dict[str, Any]) -> Chain:
    turns = line.get("turns")
    for name in ("chain", "db"):
        if not line.get(name):
            raise BadInput(f"{place}: '{name}' is missing.")
    if not isinstance(turns, list) or len(turns) < 2:
        raise BadInput(f"{place}: 'turns' holds two questions and more.")
    items = []
    for number, turn in enumerate(turns, 1):
        if not isinstance(turn, dict) or not turn.get("question") or not isinstance(turn.get("golds"), list):
            raise BadInput(f"{place}, turn {number}: 'question' and a list of 'golds' are expected.")
        golds = tuple(str(sql) for sql in turn["golds"])
        items.append(
            Item(
                f"{line['chain']}-{number}",
                str(line["db"]),
                Question(str(turn["question"])),
                gold=golds[0] if golds else None,
                ordered=bool(turn.get("ordered")),
                golds=golds,
            )
        )
    return Chain(str(line["chain"]), str(line["db"]), tuple(items))


def follow(chains: Sequence[Chain], databases: str) -> list[Followed]:
    """Ask every chain from its first question to its last, without a language model. Raises: BadInput."""
    opened = Databases(databases)
    return [one for chain in chains for one in _followed(chain, opened.source(chain.db))]


def _followed(chain: Chain, source: Source) -> Iterator[Followed]:
    turns: list[Turn] = []
    before = True
    earlier: Item | None = None
    for place, item in enumerate(chain.items, 1):
        said, judged = _asked(item, source, turns)
        kind, alone, told = "", None, said
        if earlier is not None:
            kind = chain_causes.kind_of(earlier.golds or (), item.golds or (), source.catalog.dialect)
            if not before and (started := _started(earlier, source)) is not None:
                told, by_itself = _asked(item, source, [started])
                alone = by_itself.right
        is_wrong = place > 1 and not (judged.right if before else alone)
        cause = _cause(item, told, source) if is_wrong and (before or alone is not None) else ""
        yield Followed(
            chain.id,
            place,
            item.question.text,
            told.question.text,
            judged,
            before,
            said.sql or "",
            kind,
            cause,
            alone,
        )
        before, earlier = judged.right, item
        if said.sql:
            turns.append(Turn(said.question.text, said.sql, typed=said.question.typed))


def _asked(item: Item, source: Source, turns: Sequence[Turn]) -> tuple[Answer, lenient.Judged]:
    golds = lenient.Golds.of(item, source)
    assert golds is not None, "read_chains reads golds of every turn"
    said = _answer(item.question, source, turns)
    return said, judged_leniently(item, golds, said)


def _started(item: Item, source: Source) -> Turn | None:
    """A turn that asks for the gold of another one and is understood so; None where no such question is known."""
    known, golds = source_of(source.catalog, source.index), lenient.Golds.of(item, source)
    for gold in (item.golds or ())[: chain_causes.MOST_GOLDS]:
        for text in questions_of(gold, known):
            frames = understand(text, known, today_of(known))[1]
            if frames and golds is not None and golds.which(frames[0].sql) is not None:
                return Turn(text, frames[0].sql, typed=text)
    return None


def _cause(item: Item, said: Answer, source: Source) -> str:
    """Why a change after what was right is wrong."""
    if NOT_UNDERSTOOD.search(said.question.text):
        known = source_of(source.catalog, source.index)
        unknown = read(item.question.text, known.vocabulary, today_of(known)).unknown
        return "a word is not known" if unknown else "the change is not known"
    if said.outcome == Outcome.UNANSWERABLE or not said.sql:
        return "called unanswerable"
    return f"read otherwise: {chain_causes.differs(said.sql, item.golds or (), source.catalog.dialect)}"


def _answer(question: Question, source: Source, turns: Sequence[Turn]) -> Answer:
    for event in pipeline.answer(
        question,
        database=source.database,
        catalog=source.catalog,
        index=source.index,
        turns=turns,
        privacy="rows",  # what is measured is public data
    ):
        if isinstance(event, Ended):
            return event.answer
    raise RuntimeError("The pipeline ended without an answer")


def report(followed: Sequence[Followed]) -> str:
    """Print how many first questions and follow-ups are right, and each one that is not."""
    first = [one for one in followed if one.place == 1]
    later = [one for one in followed if one.place > 1]
    after = [one for one in later if one.before]
    told = [one for one in later if one.judged.outcome == Outcome.ANSWERED]
    started = [one for one in later if one.starts_right]
    wrong = [one for one in started if not one.is_changed_right]
    causes = Counter(one.cause for one in wrong)
    untold = sum(not one.before and one.alone is None for one in later)
    lines = [
        f"first questions: {_right(first)} right",
        f"follow-ups: {_right(later)} right; after a right turn {_right(after)}; called answered {_right(told)}",
        f"rightly changed after a right turn, those after a wrong one asked by themselves: {_changed(started)}",
        f"after a wrong turn whose gold cannot be asked for: {untold}",
        "",
        "rightly changed after a right turn, by what changes:",
        *(f"  {kind}: {_changed([one for one in started if one.kind == kind])}" for kind in _kinds(started)),
        "",
        "not rightly changed, by cause:",
        *(f"  {cause}: {count}" for cause, count in causes.most_common()),
        "",
    ]
    lines += [
        f"{one.chain} {one.place}: {one.typed!r} as {one.stated!r} ({one.judged.outcome})"
        + (
            f" - {one.kind}; {one.cause or 'right by itself' if one.starts_right else 'after a wrong turn'}"
            if one.kind
            else ""
        )
        for one in followed
        if not one.judged.right
    ]
    return "\n".join(lines)


def _kinds(some: Sequence[Followed]) -> list[str]:
    return [kind for kind, _ in Counter(one.kind for one in some).most_common()]


def _changed(some: Sequence[Followed]) -> str:
    return f"{sum(one.is_changed_right for one in some)} of {len(some)}"


def _right(some: Sequence[Followed]) -> str:
    return f"{sum(one.judged.right for one in some)} of {len(some)}"


def line(one: Followed) -> dict[str, Any]:
    """One line of `--json`: a turn with its SQL and how it ended."""
    return {
        "chain": one.chain,
        "place": one.place,
        "question": one.typed,
        "stated": one.stated,
        "outcome": one.judged.outcome,
        "right": one.judged.right,
        "kind": one.kind,
        "cause": one.cause,
        "alone": one.alone,
        "sql": one.sql,
    }
