"""Terms that set wrong answers to verified questions right: of each question one, which makes no verified answer wrong.

Nothing comes into force here: a person reads each and makes a term of it, or does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from sqlagent.catalog.glossary.aligning import alignments, is_read_whole, unused_words
from sqlagent.catalog.glossary.mentions import explained
from sqlagent.values import Answer, Catalog, Question, Term, TermKind, VerifiedAnswer

TRIES = 24
"""Terms that are tried for one wrong answer at most."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How a question was answered: rightly or not, by which SQL, and which words that leaves out.

    `is_whole` where a frame holds all of its words.
    """

    right: bool
    sql: str = ""
    unused: tuple[str, ...] = ()
    is_whole: bool = False

    @classmethod
    def of(cls, answer: Answer, *, right: bool) -> Tried:
        """Take from an answer all that a remedy is looked for by."""
        return cls(right, answer.sql, unused_words(answer), is_read_whole(answer))


@dataclass(frozen=True, slots=True)
class Remedy:
    """A term that sets the answer to a verified question right."""

    term: Term
    answer: VerifiedAnswer


Try = Callable[[VerifiedAnswer, tuple[Term, ...]], Tried]
"""Answers a verified question with the terms of the source and some more, as if nothing was verified."""


def remedies(
    verified: Sequence[VerifiedAnswer],
    began: Mapping[str, Tried],
    catalog: Catalog,
    attempt: Try,
    *,
    known: Iterable[str] = (),
    goes_on: Callable[[], bool] = lambda: True,
) -> tuple[Remedy, ...]:
    """Find a term for each question that `began` answers wrongly, beside those found before; none whose phrase is `known`.

    With it the question is answered rightly and read as a whole, and every question that says its phrase and was answered rightly still is.
    `goes_on` is looked at before each try.
    """
    taken = {phrase.casefold() for phrase in known}
    right = {key: tried.right for key, tried in began.items()}
    found: list[Remedy] = []
    for one in verified:
        terms = tuple(remedy.term for remedy in found)
        now = attempt(one, terms) if terms and not right[one.key] and goes_on() else began[one.key]
        right[one.key] = now.right
        if now.right:
            continue
        meant = alignments(one.question, now.sql, now.unused, one.sql, catalog)
        for number, (kind, phrase, body) in enumerate(meant):
            if number >= TRIES or not goes_on():
                break
            if phrase.casefold() in taken:
                continue
            term = Term(phrase, TermKind(kind), body, holds_values=True)
            tried = attempt(one, (*terms, term))
            others = (other for other in verified if right[other.key])
            if not (tried.right and tried.is_whole):
                continue
            if not any(_loses(other, term, terms, catalog, attempt) for other in others):
                found.append(Remedy(term, one))
                taken.add(phrase.casefold())
                right[one.key] = True
                break
    return tuple(found)


def _loses(one: VerifiedAnswer, term: Term, terms: tuple[Term, ...], catalog: Catalog, attempt: Try) -> bool:
    """Whether a question that says a term's phrase is answered wrongly with it."""
    says = explained(Question(one.question), (term,), catalog)[0].mentions
    return bool(says) and not attempt(one, (*terms, term)).right
