"""The terms that the words of a question say, and the hint that tells them to every maker.

Decides which term holds where several could: the longer phrase before the shorter, what was typed with the question before any
term. Two terms of one phrase are told apart by nobody but the person who asks: each gives a question of its own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product

from sqlagent.catalog.glossary.bodies import BodyReader, BodyRefused
from sqlagent.catalog.hints.clauses import LONGEST, clauses
from sqlagent.catalog.hints.placing import place
from sqlagent.catalog.keys import catalog_key
from sqlagent.language.lexicon import STOP_WORDS
from sqlagent.language.words import Token, tokenise
from sqlagent.values import Catalog, Question, Term, TermKind

MOST = 12
"""Terms of one question; more are left out, the shorter first."""

READINGS = 3
"""Questions that rival terms make of one."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Words of a question that a term's phrase says; `clause` tells a maker what they mean."""

    words: str
    at: tuple[int, ...]
    term: Term
    clause: str


@dataclass(frozen=True, slots=True)
class Explained:
    """A question whose hint says what its terms mean."""

    question: Question
    mentions: tuple[Mention, ...] = ()

    @property
    def terms(self) -> Mapping[str, Mention]:
        """The terms by the clause that tells of each."""
        return {one.clause: one for one in self.mentions}


def explained(question: Question, terms: tuple[Term, ...], catalog: Catalog) -> tuple[Explained, ...]:
    """Give the question with what its terms mean, the likeliest first; several where two terms have one phrase.

    The time it takes grows with the words of the question, not with the terms: 5,000 take some milliseconds once they were read.
    """
    if not terms:
        return (Explained(question),)
    groups = _groups(question, terms, catalog)
    if not groups:
        return (Explained(question),)
    made = []
    for chosen in islice(product(*groups), READINGS):
        said = _joined(question.hint, [one.clause for one in chosen])
        typed = [one.clause for one in chosen if not one.term.holds_values]
        is_open = len(typed) == len(chosen) and question.open_hint is None
        open_hint = None if is_open else _joined(question.typed_hint, typed)
        made.append(Explained(replace(question, hint=said, open_hint=open_hint), tuple(chosen)))
    return tuple(made)


def _joined(hint: str, clauses: Sequence[str]) -> str:
    return "; ".join(filter(None, (hint.strip().rstrip(";"), *clauses)))


def _groups(question: Question, terms: tuple[Term, ...], catalog: Catalog) -> list[list[Mention]]:
    """The mentions of a question; those that share words and differ in meaning are rivals in one group."""
    tokens = tokenise(question.text)
    taken = {n for one in clauses(question.hint)[0] if one.phrase for n in place(one.phrase, tokens)}
    found: list[Mention] = []
    for term, phrase, said in _said(terms, catalog).near(tokens):
        at = place(phrase, tokens)
        clause = f"{phrase} means {said}"
        if at and not taken & set(at) and len(clause) <= LONGEST:
            words = question.text[tokens[at[0]].start : tokens[at[-1]].end]
            found.append(Mention(words, at, term, clause))
    found.sort(key=lambda one: (-len(one.at), one.at))
    groups: dict[tuple[int, ...], dict[str, Mention]] = {}
    for one in found:
        held = next((at for at in groups if set(at) & set(one.at)), None)
        if held is None:
            groups[one.at] = {one.term.body: one}
        elif set(held) == set(one.at):
            groups[held].setdefault(one.term.body, one)
    return [list(group.values()) for group in list(groups.values())[:MOST]]


class _Phrases:
    """Phrases of terms by a stem of theirs, so that a question looks at few of them."""

    def __init__(self, terms: Sequence[Term], catalog: Catalog) -> None:
        self._by_stem: dict[str, list[tuple[frozenset[str], int, str]]] = defaultdict(list)
        self._terms, self._catalog = terms, catalog
        self._reader: BodyReader | None = None
        self._bodies: dict[int, str] = {}
        for number, term in enumerate(terms):
            if term.kind is TermKind.RULE:
                continue
            for phrase in term.phrases:
                if stems := phrase_stems(phrase):
                    self._by_stem[min(stems)].append((stems, number, phrase))

    def near(self, tokens: Sequence[Token]) -> Iterator[tuple[Term, str, str]]:
        """Terms all of whose stems a question has, with the phrase and what it means as a hint says it."""
        said = frozenset(t.stem for t in tokens if t.kind != "mark")
        for stem in sorted(said):
            for stems, number, phrase in self._by_stem.get(stem, ()):
                if stems <= said and (body := self._body(number)):
                    yield self._terms[number], phrase, body

    def _body(self, number: int) -> str:
        """The meaning of a term, as a hint says it; empty where its body does not fit the catalog of now."""
        if number not in self._bodies:
            term = self._terms[number]
            self._reader = self._reader or BodyReader(self._catalog, {})
            try:
                self._bodies[number] = self._reader.read(term.kind, term.body).said
            except BodyRefused:
                self._bodies[number] = ""
        return self._bodies[number]


def _said(terms: tuple[Term, ...], catalog: Catalog) -> _Phrases:
    return _phrases(terms, _Keyed(catalog))


class _Keyed:
    """A catalog that is equal to others of its key."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog, self.key = catalog, catalog_key(catalog)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and self.key == other.key


@lru_cache(maxsize=8)
def _phrases(terms: tuple[Term, ...], keyed: _Keyed) -> _Phrases:
    return _Phrases(terms, keyed.catalog)


def phrase_stems(phrase: str) -> frozenset[str]:
    """The stems of a phrase that say something; empty of stop words alone.

    Example:
        >>> sorted(phrase_stems("the net Sales")), phrase_stems("how many of the")
        (['net', 'sale'], frozenset())
    """
    return frozenset(t.stem for t in tokenise(phrase) if t.kind != "mark" and t.low not in STOP_WORDS)
