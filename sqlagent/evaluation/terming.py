"""The effect of terms on answers, without a language model: a benchmark's hints turned into terms of its databases.

Each clause of a hint that explains a phrase by a name, a condition or an aggregate becomes a term. Questions are asked bare, with the terms of
their own hint, and with those of all questions of their database, as an owner would keep them who gates nothing.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlagent import pipeline
from sqlagent.catalog.glossary.bodies import BodyReader, BodyRefused
from sqlagent.catalog.glossary.mentions import phrase_stems
from sqlagent.catalog.hints.clauses import clauses
from sqlagent.evaluation.items import Databases, Item, Source
from sqlagent.evaluation.scoring import Scorer, mcnemar
from sqlagent.events import Ended
from sqlagent.values import Knowledge, Question, Term, TermKind

WAYS = ("no terms", "hint as typed", "own terms", "all terms")


@dataclass(frozen=True, slots=True)
class Termed:
    """One question: whether it was answered rightly in each way."""

    item: Item
    right: tuple[bool, ...]
    terms: int

    @property
    def line(self) -> dict[str, object]:
        """One line of `--json`."""
        return {"id": self.item.id, "terms": self.terms, **dict(zip(WAYS, self.right, strict=True))}


def term_all(items: Sequence[Item], place: str) -> list[Termed]:
    """Ask every question in every way. Raises: BadInput."""
    by_db: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        if item.gold is not None:
            by_db[item.db].append(item)
    databases, out = Databases(place), []
    try:
        for name, own in sorted(by_db.items()):
            source = databases.source(name)
            terms = {item.id: terms_of(item.question.hint, source) for item in own}
            known = tuple(dict.fromkeys(term for some in terms.values() for term in some))
            for item in own:
                out.append(_one(item, source, terms[item.id], known))
                sys.stderr.write(f"\r{name} {len(out)}")
    finally:
        databases.close()
    sys.stderr.write("\n")
    return out


def terms_of(hint: str, source: Source) -> tuple[Term, ...]:
    """The clauses of a hint that are terms of a source."""
    reader = BodyReader(source.catalog, {})
    made = []
    for clause in clauses(hint)[0]:
        if not clause.phrase or not clause.body or not phrase_stems(clause.phrase):
            continue
        for kind in (TermKind.NAME, TermKind.MEASURE, TermKind.FILTER):
            try:
                body = reader.read(kind, clause.body)
            except BodyRefused:
                continue
            made.append(Term(clause.phrase, kind, body.sql))
            break
    return tuple(made)


def _one(item: Item, source: Source, own: tuple[Term, ...], known: tuple[Term, ...]) -> Termed:
    scorer = Scorer(item, source)
    bare = Question(item.question.text)
    asked = ((bare, ()), (item.question, ()), (bare, own), (bare, known))
    return Termed(item, tuple(_is_right(q, terms, source, scorer) for q, terms in asked), len(own))


def _is_right(question: Question, terms: tuple[Term, ...], source: Source, scorer: Scorer) -> bool:
    events = pipeline.answer(
        replace(question),
        database=source.database,
        catalog=source.catalog,
        index=source.index,
        knowledge=Knowledge(terms),
    )
    answer = next(event.answer for event in events if isinstance(event, Ended))
    return scorer.is_right(answer.sql, answer.rows)


def report(found: Sequence[Termed]) -> str:
    """Say how many are right in each way, against no terms."""
    count = len(found)
    lines = [f"{count} questions, {sum(one.terms for one in found)} terms of their hints"]
    before = [one.right[0] for one in found]
    for n, way in enumerate(WAYS):
        now = [one.right[n] for one in found]
        won = sum(a and not b for a, b in zip(now, before, strict=True))
        lost = sum(b and not a for a, b in zip(now, before, strict=True))
        share = 100 * sum(now) / count if count else 0.0
        lines.append(
            f"{way:14} {sum(now):4} right  {share:.1f} %  {won} won, {lost} lost, p = {mcnemar(now, before):.3g}"
        )
    return "\n".join(lines)
