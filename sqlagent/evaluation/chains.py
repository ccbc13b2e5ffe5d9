"""Measures follow-ups: chains of questions in which each one changes the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlagent import pipeline
from sqlagent.evaluation import lenient
from sqlagent.evaluation.answering import judged_leniently
from sqlagent.evaluation.items import BadInput, Databases, Item, Source, json_lines
from sqlagent.events import Ended
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

    `before` says whether the turn before was right, `stated` what was understood in its place.
    """

    chain: str
    place: int
    typed: str
    stated: str
    judged: lenient.Judged
    before: bool
    sql: str


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
    for place, item in enumerate(chain.items, 1):
        said = _answer(item.question, source, turns)
        golds = lenient.Golds.of(item, source)
        assert golds is not None, "read_chains reads golds of every turn"
        judged = judged_leniently(item, golds, said)
        yield Followed(
            chain.id, place, item.question.text, said.question.text, judged, before, said.sql or ""
        )
        before = judged.right
        if said.sql:
            turns.append(Turn(said.question.text, said.sql, typed=said.question.typed))


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
    lines = [
        f"first questions: {_right(first)} right",
        f"follow-ups: {_right(later)} right; after a right turn {_right(after)}; called answered {_right(told)}",
        "",
    ]
    lines += [
        f"{one.chain} {one.place}: {one.typed!r} as {one.stated!r} ({one.judged.outcome})"
        for one in followed
        if not one.judged.right
    ]
    return "\n".join(lines)


def _right(some: Sequence[Followed]) -> str:
    return f"{sum(one.judged.right for one in some)} of {len(some)}"


def line(one: Followed) -> dict[str, Any]:
    """Give one turn as a JSON object."""
    return {
        "chain": one.chain,
        "place": one.place,
        "question": one.typed,
        "stated": one.stated,
        "outcome": one.judged.outcome,
        "right": one.judged.right,
        "sql": one.sql,
    }
